"""The page about the server shows all of it on this machine, and to others what is safe to say."""

from pages.server import request_guard
from tests.support.visits import words


def test_this_machine_sees_everything(opened):
    app = opened("about")
    assert not app.exception
    assert "Landlock" in words(app)
    assert "Folder for temporary files" in words(app)
    assert "Data that leaves this machine: **nothing**" in words(app)


def test_others_see_what_is_safe_to_say(opened, monkeypatch):
    monkeypatch.setattr(request_guard, "is_public", lambda: True)
    told = words(opened("about"))
    assert "Uploads of one visitor: **1,024 MB**" in told
    assert "deleted within 30 seconds" in told
    assert "Landlock" not in told
    assert "/tmp" not in told
