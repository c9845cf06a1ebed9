from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.challenge import scoring_run
from pages.challenge.scored_submission import MANY_CASES, at_once
from pages.input_widgets.selectors import ChosenInput
from pages.server import background_jobs
from scoring.inputs.sources import sha256


def ended_meanwhile():
    from concurrent.futures import Future

    import streamlit as st

    from pages.challenge import scoring_run
    from pages.server import background_jobs

    if "asked" in st.session_state:
        st.caption("drawn anew")
    else:
        st.session_state["asked"] = True
        job = background_jobs.Job()
        job.future = Future()
        job.future.set_result("the result")
        scoring_run.running(scoring_run.Running(job, ("key",), "images"))


def failed():
    from concurrent.futures import Future

    from pages.challenge import scoring_run
    from pages.server import background_jobs

    job = background_jobs.Job()
    job.future = Future()
    job.future.set_exception(ValueError("secret words"))
    scoring_run.running(scoring_run.Running(job, ("key",), "images"))


def test_a_run_that_ends_while_its_page_is_drawn_is_no_failure():
    app = AppTest.from_function(ended_meanwhile).run()
    assert [caption.value for caption in app.caption] == ["drawn anew"]
    assert not app.error


def test_a_run_that_failed_says_so_without_the_words_of_the_failure():
    app = AppTest.from_function(failed).run()
    assert "ended unexpectedly" in app.error[0].value
    assert "secret" not in app.error[0].value
    assert [button.label for button in app.button] == ["Run again"]


def test_a_job_knows_what_is_left_once_it_has_begun():
    job = background_jobs.Job()
    assert job.seconds_left is None
    job.begun = 0.0
    assert job.seconds_left is None
    job.progress(1, 3)
    assert job.seconds_left > 0
    job.progress(3, 3)
    assert job.seconds_left == 0


def test_what_differs_by_a_voxel_or_by_the_version_is_scored_anew(monkeypatch):
    """A cache that reads only samples of large arrays would give another mask's score."""
    scored = []
    monkeypatch.setattr(
        scoring_run, "_score", lambda _id, _options, _truth, read: scored.append(read) or read
    )
    one, other = np.zeros((256, 256, 16), np.uint8), np.zeros((256, 256, 16), np.uint8)
    other[100, 100, 7] = 1
    masks = {sha256(mask.tobytes()): mask for mask in (one, other)}
    assert len(masks) == 2

    def card(version: str, key: str):
        monkeypatch.setattr(scoring_run.scoring, "__version__", version)
        test_set, submission = ChosenInput("drawn-truth", "t", b"", True), ChosenInput(key, "m", b"", True)
        return scoring_run.card("hecktor2026", test_set, submission, {}, None, masks[key]).value

    for key, mask in masks.items():
        assert card("1", key) is card("1", key) is mask
    assert len(scored) == 2
    assert card("2", next(iter(masks))) is one
    assert len(scored) == 3


@pytest.mark.parametrize(("n", "early"), [(MANY_CASES, True), (MANY_CASES - 1, False)])
def test_the_score_of_many_cases_stands_before_its_interval(n, early):
    drawn: list[str] = []
    written = SimpleNamespace(markdown=lambda text, **_: drawn.append(text))
    inside = SimpleNamespace(empty=lambda: written)
    place = SimpleNamespace(container=lambda **_: inside, empty=lambda: drawn.append(""))
    bar, asked = SimpleNamespace(empty=lambda: place), []

    def score(chosen):
        asked.append(chosen["resamples"])
        return SimpleNamespace(value=SimpleNamespace(challenge="melanoma", score=0.75))

    with at_once(bar, score, {"resamples": 1000}, n, (f"n = {n}",)):
        assert [text.split(" :")[0] for text in drawn[1:]] == ["**Score 75.00**"] * early
    assert asked == [0] * early
    assert drawn[2:] == [""] * early
    with at_once(bar, score, {"resamples": 1000}, n, (f"n = {n}",)):  # a click later the interval is there
        assert len(drawn) == 3 * early
