"""History on the pages of challenges: kept by a click, opened again as it was, deleted for good."""

import pytest

import scoring
from scoring.challenges import REGISTRY, samples
from scoring.history import saved_submissions
from scoring.store import schema
from scoring.store.database import open_store
from tests.support.boards import labels, predictions
from tests.support.command_line import run
from tests.support.thinned import some
from tests.support.visits import assert_scored, open_tab, words


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """Where stores are opened."""
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"


def keep(app, note=""):
    app.text_input(key="keep_note").set_value(note).run()
    app.button(key="keep").click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize("challenge_id", some(REGISTRY, 5, 1))
def test_two_sample_teams_are_kept_and_compared(opened, challenge_id, place):
    sample = next(iter(samples.test_sets(challenge_id).values()))
    first, second, *_ = [key for key, team in sample.submissions.items() if not team.is_model]
    app = opened(challenge_id, submission=first, tab="History")
    assert "Nothing is saved yet" in words(app)
    assert not place.exists()
    keep(app, "the first")
    app.selectbox(key=f"{challenge_id}_submission").set_value(second).run()
    keep(app, "the second")
    shown = words(app)
    assert "Did the submissions get better?" in shown
    assert f"{sample.submissions[second].title} scores " in shown.replace("*", "")
    kept = saved_submissions.saved(open_store())
    assert [entry.note for entry in kept] == ["the first", "the second"]

    app.selectbox(key="history_chosen").set_value(kept[0].id).run()
    app.button(key="history_open").click().run()
    assert "has the same result as when it was saved on" in words(app)
    assert app.selectbox(key=f"{challenge_id}_submission").value == first
    app.button(key="history_delete").click().run()
    assert [entry.id for entry in saved_submissions.saved(open_store())] == [kept[1].id]
    assert not app.exception


def test_an_own_file_comes_back_with_its_mends_choices_and_test_set(opened):
    sample = samples.test_sets("puma")["sample"]
    team = next(team for team in sample.submissions.values() if not team.is_model)
    folder = sorted(team.path.rglob("*.*"))
    app = opened("puma", tab="History", rules="pooled")
    for path in folder:
        app.file_uploader(key="puma_submission_files").upload(path.name, path.read_bytes())
    app.run()
    keep(app, "mine")
    (kept,) = saved_submissions.saved(open_store())
    assert kept.rules["rules"] == "pooled"
    fresh = opened("puma", tab="History")
    assert fresh.segmented_control(key="rules").value == "description"
    fresh.button(key="history_open").click().run()
    assert fresh.segmented_control(key="rules").value == "pooled"
    assert "has the same result as when it was saved on" in words(fresh)
    assert ": mine." in words(fresh)


def test_where_others_can_reach_the_server_nothing_is_kept(opened, monkeypatch, place):
    monkeypatch.setattr("pages.server.request_guard.is_public", lambda: True)
    app = opened("melanoma", tab="History")
    assert "Submissions cannot be saved here" in words(app)
    assert not [button for button in app.button if button.key == "keep"]
    assert not place.exists()


def test_what_the_command_line_kept_opens_on_its_sample_as_it_was_scored(opened, tmp_path):
    sample = samples.test_sets("tricorder3")["sample"]
    header, _, rows = sample.submissions["aurora"].path.read_bytes().partition(b"\n")
    path = tmp_path / "mine.csv"
    path.write_bytes(header.replace(b",", b",prob_") + b"\n" + rows)
    how = ("--rename-columns", "prob_*=*", "--model-size-mib", 43.7, "--resamples", 1000)
    images = ("--metadata", sample.metadata) if sample.metadata else ()
    done = run("score", "tricorder3", "--truth", sample.path, "--predictions", path, "--keep", *how, *images)
    assert done.status == 0, done.err
    app = opened("tricorder3", tab="History")
    app.button(key="history_open").click().run()
    assert not app.exception
    assert "mine.csv has the same result as when it was saved on" in words(app).replace("*", "").replace(
        "\\", ""
    )


def test_what_was_kept_without_its_test_set_says_so(opened, tmp_path):
    truth = labels(tmp_path / "labels.csv")
    done = run(
        "score",
        "melanoma",
        "--truth",
        truth,
        "--predictions",
        predictions(tmp_path / "p.csv", 0, 1.0),
        "--keep",
    )
    assert done.status == 0, done.err
    # On a sample's page nothing of another test set stands: the overview lists what was kept.
    app = opened("melanoma", tab="History")
    assert "No submission to this test set is saved" in words(app)
    assert "labels.csv" not in words(app)
    (kept,) = saved_submissions.saved(open_store())
    app = opened("overview")
    assert "p.csv" in words(app)
    app.button(key=f"recent_{kept.id}").click().run()
    assert "its test set labels.csv was not saved" in " ".join(box.value for box in app.info).replace(
        "*", ""
    ).replace("\\", "")
    app.switch_page("../melanoma.py").run()
    app.file_uploader(key="melanoma_set_files").upload("labels.csv", truth.read_bytes()).run()
    assert "has the same result as when it was saved on" in words(app)


def own_run(ids: str, slope: float) -> bytes:
    rows = "".join(f"{ids}{i},{0.2 + 0.6 * slope * (i % 2):.3f}\n" for i in range(20))
    return f"filename,score\n{rows}".encode()


def options_of_second(app):
    return app.selectbox(key="melanoma_second").options


def test_a_kept_test_set_is_recognised_by_the_ids_of_what_is_dropped_and_its_runs_are_compared_with(opened):
    for ids in "ba":
        truth = f"filename,label\n{''.join(f'{ids}{i},{i % 2}' + chr(10) for i in range(20))}".encode()
        given = {"challenge": "melanoma", "truth": truth, "resamples": 20}
        scoring.log(own_run(ids, 1.0), name=f"unet-{ids}", **given)
    app = opened("melanoma")
    assert not any("unet" in title for title in options_of_second(app))
    assert "unet" not in words(app)
    newer = own_run("a", -0.3)
    app.file_uploader(key="melanoma_submission_files").upload("newer.csv", own_run("c", 1.0)).run()
    assert app.error
    assert "use_kept_test_set" not in [button.key for button in app.button]
    app.file_uploader(key="melanoma_submission_files").upload("newer.csv", newer).run()
    (use,) = (button for button in app.button if button.key == "use_kept_test_set")
    app = use.click().run()
    assert not app.error
    assert not app.exception
    card = scoring.score("melanoma", truth=truth, predictions=newer, resamples=20)
    assert_scored(app, "melanoma", card.score)
    (title,) = (title for title in options_of_second(app) if "unet" in title)
    assert "unet-a" in title
    kept = {entry.name: entry.id for entry in saved_submissions.saved(open_store())}
    app.selectbox(key="melanoma_second").set_value(f"kept_{kept['unet-a']}").run()
    assert not app.exception
    assert "newer.csv scores " in words(app).replace("*", "")
    open_tab(app, "History")
    assert "Test set: **truth.csv**" in words(app)
    assert "unet-a" in words(app)
    assert "unet-b" not in words(app)


def test_a_run_opens_on_the_test_set_that_another_run_kept(opened, tmp_path):
    truth = labels(tmp_path / "labels.csv")
    for name, slope, kept in (("first.csv", 1.0, ["--keep-truth"]), ("second.csv", 0.5, [])):
        submitted = predictions(tmp_path / name, 0, slope)
        done = run("score", "melanoma", "--truth", truth, "--predictions", submitted, "--keep", *kept)
        assert done.status == 0, done.err
    second = saved_submissions.saved(open_store())[-1]
    assert (second.name, second.has_truth) == ("second.csv", False)
    app = opened("overview")
    app.button(key=f"recent_{second.id}").click().run()
    app.switch_page("../melanoma.py").run()
    assert not app.error
    assert_scored(app, "melanoma", second.score)
    assert "has the same result as when it was saved on" in words(app)


def test_a_run_is_renamed_where_it_is_listed_and_its_test_set_outlives_it(opened):
    truth = f"filename,label\n{''.join(f'a{i},{i % 2}' + chr(10) for i in range(20))}".encode()
    for number, name in enumerate(("older", "newer")):
        given = {"challenge": "melanoma", "truth": truth} if not number else {}
        scoring.log(own_run("a", 1.0 - number / 4), name=name, resamples=20, **given)
    older, newer = saved_submissions.saved(open_store())
    with open_store().write() as session:
        row = session.get(schema.KeptFile, (newer.id, "truth", 0))
        session.delete(row)
    app = opened("overview")
    app.text_input(key=f"recent_name_{older.id}").set_value("unet, jitter").run()
    assert "**unet, jitter**" in words(app)
    app.button(key=f"recent_{older.id}").click().run()
    app.switch_page("../melanoma.py").run()
    assert not any("unet" in title for title in options_of_second(app)), "compared with itself"
    assert any("newer" in title for title in options_of_second(app))
    open_tab(app, "History")
    app.selectbox(key="history_chosen").set_value(older.id).run()
    assert "The saved test set **truth.csv** stays, because **newer** needs it." in words(app)
    app.button(key="history_delete").click().run()
    (left,) = saved_submissions.saved(open_store())
    assert (left.id, left.has_truth) == (newer.id, True)
    app.text_input(key=f"history_name_{newer.id}").set_value("second").run()
    assert [entry.name for entry in saved_submissions.saved(open_store())] == ["second"]
    app.run()
    assert "is deleted too: no other submission needs it" in words(app)
    assert not app.exception
