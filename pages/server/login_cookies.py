"""Login cookies: the provider's claims about a person, reduced to those for roles and board members.

Streamlit keeps all claims and tokens in cookies. For a person in thousands of groups they exceed the server's
limit for headers, and the person could no longer connect.
"""

import asyncio
import contextlib
import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server import access, streamlit_internals
from pages.server.login_redirect import CALLBACK
from pages.server.streamlit_internals import TOKENS_COOKIE, USER_COOKIE
from scoring.access import login_roles
from scoring.access.login_roles import AccessRules
from scoring.common.findings import InputRefused

TOKENS_BYTES = 3000
"""Maximum size of the provider's tokens in the cookie. With the tokens, the provider does not ask the user to
confirm a logout."""
Header = tuple[bytes, bytes]


class LoginCookiesMiddleware:
    """ASGI middleware that shortens the cookies of a login when they are set."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def shortened(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = await asyncio.to_thread(_shortened, list(message["headers"]))
                message = {**message, "headers": headers}
            await send(message)

        is_end = scope["type"] == "http" and scope["path"].endswith(CALLBACK)
        await self._app(scope, receive, shortened if is_end else send)


def _shortened(headers: list[Header]) -> list[Header]:
    """Return the headers of an answer with shorter login cookies, or as they are where none is set."""
    own = [header for header in headers if _name(header).startswith(USER_COOKIE)]
    set_here = {
        _name(header): header[1].partition(b"=")[2] for header in own if b"Max-Age=0" not in header[1]
    }
    values = {name: value.partition(b";")[0].decode("latin-1") for name, value in set_here.items()}
    person = streamlit_internals.signed_content(USER_COOKIE, values)
    if not person:
        return headers
    tokens = streamlit_internals.signed_content(TOKENS_COOKIE, values)
    if len(json.dumps(tokens)) > TOKENS_BYTES:
        tokens = {}
    written = streamlit_internals.signed_cookies(USER_COOKIE, _reduced(person))
    written |= streamlit_internals.signed_cookies(TOKENS_COOKIE, tokens)
    attributes = set_here[USER_COOKIE].partition(b";")[2]
    others = [header for header in headers if _name(header) not in set_here]
    return others + [
        (b"set-cookie", f"{name}={value};".encode("latin-1") + attributes) for name, value in written.items()
    ]


def _reduced(person: dict[str, Any]) -> dict[str, Any]:
    """Return the claims of a person that are kept; boards name no groups while their store is away."""
    from scoring.boards.teams.members import named_groups

    try:
        rules = access.access_rules()
    except InputRefused:  # nobody has a role until the settings are fixed
        rules = AccessRules()
    named: list[str] = []
    with contextlib.suppress(InputRefused):
        named = named_groups(access.program_store())
    return login_roles.reduced(person, rules, named)


def _name(header: Header) -> str:
    """Return the name of the cookie that a header of an answer sets; "" for other headers."""
    key, value = header
    return value.partition(b"=")[0].decode("latin-1") if key == b"set-cookie" else ""
