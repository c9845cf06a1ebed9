"""The style sheet in the page that browsers load first."""

import asyncio

import pytest

from pages.server.page_style import PageStyleMiddleware, style

PAGE = b"<!doctype html><html><head><title>x</title></head><body></body></html>"


def answered(body: bytes, kind: bytes, accept: bytes = b"text/html,*/*", pieces: int = 2):
    """Status, headers and body that a browser gets of an app that answers in pieces; the app's own request
    headers."""
    seen, sent = {}, []

    async def app(scope, _receive, send):
        seen.update(scope["headers"])
        headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body)), (b"etag", b"x")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        cut = len(body) // pieces
        await send({"type": "http.response.body", "body": body[:cut], "more_body": True})
        await send({"type": "http.response.body", "body": body[cut:]})

    async def send(message):
        sent.append(message)

    asked = [(b"accept", accept), (b"accept-encoding", b"gzip"), (b"if-none-match", b"x")]
    asyncio.run(PageStyleMiddleware(app)({"type": "http", "headers": asked}, None, send))
    whole = b"".join(message.get("body", b"") for message in sent)
    return dict(sent[0]["headers"]), whole, seen


def test_a_page_has_the_style_in_its_head():
    headers, body, asked = answered(PAGE, b"text/html; charset=utf-8")
    assert body == PAGE.replace(b"</head>", f"<style>{style()}</style></head>".encode())
    assert headers[b"content-length"] == b"%d" % len(body)
    assert b"etag" not in headers  # it is that of the page without the style
    assert asked == {b"accept": b"text/html,*/*"}
    assert "PAPER_LIGHT" not in style()


@pytest.mark.parametrize(("kind", "accept"), [(b"text/javascript", b"text/html"), (b"text/html", b"*/*")])
def test_other_answers_are_as_they_were(kind, accept):
    headers, body, _ = answered(PAGE, kind, accept)
    assert body == PAGE
    assert headers[b"etag"] == b"x"
