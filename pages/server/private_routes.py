"""Private routes: Streamlit's figures of memory and sessions and its interface for agents are served to this
machine only."""

from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server import network_exposure

CLOSED = ("/_stcore/metrics", "/_stcore/agent", "/_stcore/script-health-check")


class PrivateRoutesMiddleware:
    """ASGI middleware that answers 404 for these, where other machines can reach the server."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] == "http"
            and network_exposure.is_public()
            and any(path in scope["path"] for path in CLOSED)
        ):
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await self._app(scope, receive, send)
