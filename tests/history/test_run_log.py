"""Runs that Python code logs: scored as by `scoring.score`, and kept with name, settings and test set."""

import csv
import io

import pytest

import scoring
from scoring.history import saved_submissions
from scoring.store import schema
from scoring.store.database import open_store


def frame(ids: str, slope: float = 1.0) -> bytes:
    text = io.StringIO()
    rows = [(f"{ids}{i}", f"{min(1.0, 0.2 + 0.6 * slope * (i % 2)):.3f}") for i in range(20)]
    csv.writer(text, lineterminator="\n").writerows([("filename", "score"), *rows])
    return text.getvalue().encode()


def truth(ids: str) -> bytes:
    rows = "".join(f"{ids}{i},{i % 2}\n" for i in range(20))
    return f"filename,label\n{rows}".encode()


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))


def test_a_run_is_scored_and_kept_with_name_and_settings():
    given = {"challenge": "melanoma", "truth": truth("a"), "resamples": 20}
    card = scoring.log(frame("a"), name="unet-1", config={"lr": 1e-3}, **given)
    assert (
        card.score == scoring.score("melanoma", truth=truth("a"), predictions=frame("a"), resamples=20).score
    )
    (kept,) = saved_submissions.saved(open_store())
    assert (kept.name, kept.score, kept.has_truth) == ("unet-1", card.score, True)
    assert kept.as_dict()["config"] == {"lr": 0.001}
    assert kept.about == "lr=0.001"


def test_later_runs_find_the_kept_test_set_that_has_their_cases():
    for ids in "ab":
        scoring.log(frame(ids), name=ids, challenge="melanoma", truth=truth(ids), resamples=20)
    card = scoring.log(frame("a", 0.3), name="a-2", resamples=20)
    assert card.n_cases == 20
    kept = {entry.name: entry for entry in saved_submissions.saved(open_store())}
    assert kept["a-2"].series == kept["a"].series != kept["b"].series
    with pytest.raises(scoring.InputRefused, match="c0"):
        scoring.log(frame("c"))
    assert len(saved_submissions.saved(open_store())) == 3


@pytest.mark.parametrize("config", [{"model": object()}, {"x": "y" * 3000}])
def test_settings_that_cannot_be_kept_are_refused(config):
    with pytest.raises(scoring.InputRefused, match="config"):
        scoring.log(frame("a"), config=config, challenge="melanoma", truth=truth("a"))
    with pytest.raises(TypeError):
        scoring.log(frame("a"), challenge="melanoma")


def test_without_a_kept_test_set_it_says_what_to_give():
    with pytest.raises(scoring.InputRefused, match="no test set is saved"):
        scoring.log(frame("a"))


def test_a_kept_test_set_whose_challenge_cannot_be_read_is_passed_over():
    """It was a KeyError: earlier versions read declarations with hidden characters."""
    scoring.log(frame("a"), challenge="melanoma", truth=truth("a"), resamples=20)
    with open_store().write() as session:
        row = session.query(schema.Kept).one()
        row.challenge, row.rules = "shades@0123", {**row.rules, "declaration": {"title": "a\xadb"}}
    with pytest.raises(scoring.InputRefused, match="no test set is saved"):
        scoring.log(frame("a"))
