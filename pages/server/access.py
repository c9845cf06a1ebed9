"""Access control: a visitor's identity, permitted pages and permitted changes.

The app registers only the pages that a visitor may open. Each page checks again, and so does every action
that writes, because callbacks run before the app's checks and fragments without them. The functions of the
store check the actor.
"""

import contextlib
import functools
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from weakref import WeakKeyDictionary

import streamlit as st

from pages.server import login_redirect, streamlit_internals
from scoring.access import login_roles, roles
from scoring.access.login_roles import AccessRules, actor_of, key_of
from scoring.access.roles import LOCAL, NOBODY, Actor, Role
from scoring.boards.hidden_truth import probing_notices
from scoring.boards.hidden_truth.probing_notices import Reason
from scoring.boards.teams.members import end_login, not_before
from scoring.challenges import REGISTRY
from scoring.common.findings import InputRefused, error, lines
from scoring.common.text import markdown
from scoring.store.database import Store, open_store
from scoring.store.secure_delete import finish_left

LEAST = {
    "overview": Role.PARTICIPANT,
    **dict.fromkeys(REGISTRY, Role.PARTICIPANT),
    "challenges": Role.PARTICIPANT,
    "declared": Role.PARTICIPANT,
    "single_image": Role.PARTICIPANT,
    "compare_teams": Role.PARTICIPANT,
    "board": Role.VISITOR,
    "about": Role.ORGANIZER,
}
"""Page, by the name of its file -> the minimum role; nobody can open a page that is missing here."""
LOGIN_PACKAGES = ("authlib", "httpx")
"""Packages that Streamlit's login needs; Streamlit notices a missing package only when somebody logs in."""
TOKEN_BYTES = 10_000_000
ENDED, LOGGED_IN = "_access_ended", "_access_logged_in"
_of_runs: "WeakKeyDictionary[Any, Actor]" = WeakKeyDictionary()
WHAT = {Role.PARTICIPANT: "participants", Role.ORGANIZER: "organizers"}


def begin() -> None:
    """Read the settings of logins once, when the server starts.

    Raises:
        SystemExit: With a sentence for each mistake, because a server with unreadable settings would be open
            to all.
    """
    files = [Path(file) for file in st.get_option("secrets.files")]
    try:
        if login_roles.read(files) is not None:
            _require_packages()
            _accept_tokens()
            roles.require_login()
    except InputRefused as refused:
        raise SystemExit("\n".join(lines(refused.problems))) from None


def _require_packages() -> None:
    absent = [name for name in LOGIN_PACKAGES if find_spec(name) is None]
    if absent:
        message = f'nobody could log in without {" and ".join(absent)}. Run: pip install "benchside[login]"'
        raise InputRefused([error("missing-package", "[auth]", message)])


def _accept_tokens() -> None:
    """Accept no token without a signature, also of a provider that announces such tokens (`alg: none`), and
    tokens of up to `TOKEN_BYTES`: 2,500 groups were too many."""
    from joserfc.jws import JWSRegistry

    JWSRegistry.algorithms.pop("none", None)
    JWSRegistry.max_payload_length = TOKEN_BYTES


def is_configured() -> bool:
    """Return whether the server has logins. The answer stays the same until the server ends."""
    return actor() is not LOCAL


def actor() -> Actor:
    """Return who this visitor is; without logins, the person who runs the app. It is determined once per
    run."""
    run = streamlit_internals.current_run()
    if run is None:
        return _actor()
    if run not in _of_runs:
        _of_runs[run] = _actor()
    return _of_runs[run]


def _actor() -> Actor:
    if roles.default_actor() is not NOBODY and "is_logged_in" not in st.user:
        return LOCAL
    claims = dict(st.user)
    try:
        rules = access_rules()
        revoked = _revoked(claims) if claims.get("is_logged_in") is True else 0.0
    except InputRefused:
        return NOBODY
    return actor_of(claims, rules, time.time(), revoked)


def store() -> Store:
    """Return the store of this server for this visitor. Raises InputRefused."""
    return replace(program_store(), actor=actor())


def program_store() -> Store:
    """Return the store of this server with the program's own rights, for use after its own checks. Raises
    InputRefused."""
    return _opened(os.environ.get("BENCHSIDE_STORE"), os.environ.get("BENCHSIDE_DATABASE_URL"))


def allowed(least: Role) -> bool:
    """Return whether this visitor has a role."""
    return actor().role >= least


def needs(least: Role) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that writes: if the visitor's role is too low, it does nothing and the page says
    so."""

    def guard_of(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def guarded(*arguments: Any, **named: Any) -> Any:
            if allowed(least):
                return function(*arguments, **named)
            st.session_state[ENDED] = True
            return None

        return guarded

    return guard_of


def guard(file: str) -> None:
    """End a page with a notice if this visitor may not open it. file: of the page."""
    name = Path(file).stem
    least = LEAST.get(name)
    if least is None or not allowed(least):
        notice(name, least)
        st.stop()


@dataclass(frozen=True, kw_only=True)
class NavEntry:
    """A page of the navigation. is_listed: whether it is listed there, or opens only by its address."""

    path: Path
    title: str
    default: bool = False
    is_listed: bool = True

    def page(self) -> Any:
        """Return the page for people who may open it; for others a notice at its address, without its
        file."""
        name = self.path.stem
        least = LEAST[name]
        if allowed(least):
            visibility: Literal["visible", "hidden"] = "visible" if self.is_listed else "hidden"
            return st.Page(self.path, title=self.title, default=self.default, visibility=visibility)
        page = functools.partial(notice, name, least, self.title)
        return st.Page(page, title=self.title, url_path=name, default=self.default, visibility="hidden")


def notice(name: str, least: Role | None, title: str = "Not for everybody") -> None:
    """Say who may open a page, and link to the pages for everybody."""
    record_refused(f"/{name}")
    st.title(title)
    who = WHAT.get(least, "nobody") if least else "nobody"
    hint = "" if actor().key else " Log in to open it."
    st.info(f"This page is for {who}.{hint}", icon=":material/lock:")
    st.page_link("../board.py", label="Boards are for everybody", icon=":material/leaderboard:")


def record_refused(address: str) -> None:
    """Record for the organizers that a person who is, was or claims to be logged in was refused.

    Visitors who never logged in are not recorded, nor are refusals because the store or the settings fail.

    Args:
        address: Of the page or tab, as this server names it; never text from the visitor, which has no
            limits.
    """
    person, claims = actor(), dict(st.user)
    is_known = claims.get("is_logged_in") is True
    is_unread = (
        not is_known
        and streamlit_internals.USER_COOKIE in {*st.context.cookies}
        and LOGGED_IN not in st.session_state
    )
    if person is LOCAL or not (is_known or is_unread):
        return
    reason = Reason.ROLE if person.key else Reason.ENDED if is_known else Reason.FORGED
    with contextlib.suppress(InputRefused):
        access_rules()
        probing_notices.record_refused(program_store(), _key(claims) if is_known else "", address, reason)


def bar() -> None:
    """Show who is logged in, with a button for login or logout; draw nothing without logins."""
    if not is_configured():
        return
    person = actor()
    is_known = st.user.get("is_logged_in") is True
    if is_known:
        st.session_state[LOGGED_IN] = True  # after a logout this session still has its cookie
    with st.container(
        key="person", horizontal=True, horizontal_alignment="right", vertical_alignment="center"
    ):
        if person.key:
            st.caption(f"{markdown(person.name, 40)} · {person.role.word}", width="content")
        if is_known and not person.key:
            st.caption("Your login has ended.", width="content")
        if is_known:
            st.button("Log out", on_click=_log_out, type="tertiary", icon=":material/logout:")
        else:
            st.button("Log in", on_click=st.login, type="tertiary", icon=":material/login:")
    if not is_known and login_redirect.failed():
        message = "You are not logged in: the provider did not answer, or it refused. Try again in a minute."
        st.warning(message, icon=":material/lock:")
    if st.session_state.pop(ENDED, False):
        st.error("Nothing was done, because your role no longer allows it.", icon=":material/lock:")


def _log_out() -> None:
    """End the login in this browser and on the server, so that a copy of its cookie is worth nothing."""
    with contextlib.suppress(InputRefused):
        end_login(program_store(), actor())
    st.logout()


def access_rules() -> AccessRules:
    """Return the rules from the current secrets. Raises InputRefused."""
    try:
        written = dict(st.secrets.get("access") or {})
    except Exception:  # what cannot be read gives nobody a role
        written = {}
    return login_roles.rules_of(written)


def _revoked(claims: dict[str, Any]) -> float:
    return not_before(program_store(), _key(claims))


def _key(claims: dict[str, Any]) -> str:
    return key_of(str(claims.get("iss", "")), str(claims.get("sub", "")))


@st.cache_resource(max_entries=2, show_spinner=False)
def _opened(folder: str | None, url: str | None) -> Store:
    store = replace(open_store(folder, url), actor=LOCAL)
    finish_left(store)
    return store
