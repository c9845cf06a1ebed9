"""Pages of declared challenges of every kind: difference of two submissions, comparison, boards with an open
and a hidden truth, history. What commands write: tests/test_declared_surfaces.py."""

import pytest

from tests.support.command_line import run
from tests.support.declared_kinds import KINDS
from tests.support.surfaces import FEW, given
from tests.support.thinned import some
from tests.support.visits import finished, open_tab, put, words

pytestmark = pytest.mark.slow


def assert_whole(app) -> None:
    """The page shows no error, but that a hidden truth of forty cases is not safe."""
    assert not app.exception, app.exception[0].stack_trace
    assert [one.value for one in app.error if not str(one.value).startswith("Not safe")] == []


@pytest.fixture(params=some(list(KINDS), 6, 1))
def written(request, tmp_path, monkeypatch):
    """A kind with its files in a folder, and a store of its own."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    KINDS[request.param].write(tmp_path, request.param)
    return KINDS[request.param], tmp_path, request.param


def test_submissions_are_kept_and_compared(written, opened):
    kind, folder, _ = written
    challenge, files = kind.challenge, {part: given(folder, part) for part in ("truth", "good", "better")}
    app = opened("declared", challenge=challenge.id)
    data = {part: (path.name, path.read_bytes()) for part, path in files.items()}
    put(challenge.id, app, test_set=data["truth"], submission=data["good"])
    assert_whole(app)
    assert challenge.scoring.direction in words(app)
    app.button(key="add_to_comparison").click().run()
    app.button(key="keep").click().run()
    app.file_uploader(key=f"{challenge.id}_second_files").upload(*data["better"]).run()
    finished(app)
    for tab in ("Difference", "History", "Cases"):
        assert_whole(open_tab(app, tab))
    put(challenge.id, app, submission=data["better"])
    app.button(key="add_to_comparison").click().run()
    app.switch_page("../compare_teams.py")
    app.query_params["challenge"] = challenge.id
    app.query_params.pop("tab", None)
    assert_whole(app.run())
    said = words(app)
    assert f"{challenge.scoring.direction}" in said
    tabs = ["Ranking", "Lead", "Stability", "Other rules", "Cases"]
    for tab in [*tabs, *["Orders"] * bool(challenge.comparison.rank)]:
        assert_whole(open_tab(app, tab))


def test_boards_are_shown_open_and_hidden(written, opened):
    kind, folder, name = written
    for board in ("open", "hidden"):
        truth = ("--truth", given(folder, "truth"), *FEW)
        made = run("board", "create", folder / f"{name}.toml", "--id", board, "--title", board, *truth)
        assert made.status == 0, made.err
        for part in ("bad", "better"):
            sent = ("--team", part, "--predictions", given(folder, part))
            assert run("board", "submit", board, *sent).status == 0
    assert run("board", "hide", "hidden", "--detail", "score", "--digits", 2).status == 0
    assert run("board", "rescore", "open", "--yes", "--truth", given(folder, "corrected")).status == 0
    for board in ("open", "hidden"):
        app = opened("board", board=board)
        assert_whole(app)
        assert kind.challenge.scoring.direction in words(app)
        assert words(app).index("better") < words(app).rindex("bad")
        for tab in ("Ranking", "Submissions", "Corrections", "Participants", "Settings"):
            assert_whole(open_tab(app, tab))
