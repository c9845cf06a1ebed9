"""Figures for operators are not for visitors from elsewhere."""

import asyncio

import pytest

from pages.server import network_exposure
from pages.server.private_routes import PrivateRoutesMiddleware


@pytest.mark.parametrize(
    ("path", "public", "status"),
    [
        ("/_stcore/metrics", True, 404),
        ("/behind/a/proxy/_stcore/metrics", True, 404),
        ("/_stcore/agent/interact", True, 404),
        ("/_stcore/health", True, 200),
        ("/_stcore/metrics", False, 200),
    ],
)
def test_they_are_served_to_this_machine_alone(path, public, status, monkeypatch):
    monkeypatch.setattr(network_exposure, "is_public", lambda: public)
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    asyncio.run(PrivateRoutesMiddleware(app)({"type": "http", "path": path}, None, send))
    assert sent[0]["status"] == status
