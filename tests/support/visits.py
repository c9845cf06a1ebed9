"""What visitors do on a page and read there, without a browser."""

import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import scoring
from pages.server import background_jobs
from scoring.challenges import samples
from scoring.common.findings import InputRefused
from scoring.common.rendered_markdown import plain
from scoring.presentation.figures.number_format import share


def put(
    page: str,
    app: AppTest,
    submission: tuple[str, bytes] | None = None,
    test_set: tuple[str, bytes] | None = None,
) -> AppTest:
    """Own files through the inputs of a page."""
    for key, file in ((f"{page}_set_files", test_set), (f"{page}_submission_files", submission)):
        if file:
            app.file_uploader(key=key).upload(*file).run()
    return finished(app)


def finished(app: AppTest) -> AppTest:
    """The page once all that it waits for has ended: while it offers to cancel something, its polling
    fragment draws it again."""
    while any((button.key or "").startswith("cancel_") for button in app.button):
        for job in list(background_jobs.queue()._jobs.values()):
            job.future.exception()
        app.run()
    return app


def open_tab(app: AppTest, tab: str) -> AppTest:
    """Open a tab by the address: a tab in the session is not followed again once the address has one."""
    app.query_params["tab"] = tab
    return app.run()


def written(app: AppTest, head: str) -> list[list[str]]:
    """Return the cells, without markup, of the table in text whose first line has this head."""
    tables = (entry.value.splitlines() for entry in app.markdown if entry.value.startswith("| "))
    _, _, *lines = next(lines for lines in tables if head in lines[0])
    return [[plain(cell) for cell in line.strip("| ").split(" | ")] for line in lines]


def words(app: AppTest) -> str:
    """All that the page says, as it is read: without the marks and joiners that keep Markdown from reading
    it."""
    kinds = (app.markdown, app.caption, app.error, app.info, app.title, app.header, app.metric)
    said = "\n".join(str(element.value) for kind in kinds for element in kind)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", said).replace("\u2060", "").replace("\u00a0", " ")


def assert_exact(app: AppTest, words_of_score: str) -> None:
    """The exact score stands on the page, where the tab is open in which it stands: the first one."""
    tab = app.query_params.get("tab")
    assert tab or words_of_score in words(app)


def assert_refused(app: AppTest, problems: list[dict]) -> None:
    """The page shows every problem, as the command line writes them, and no score."""
    assert not app.exception
    assert not app.metric
    assert f"{len(problems)} problem" in app.error[0].proto.title
    assert [p["code"] for p in problems if f"`{p['code']}`" not in words(app)] == []


def problems_of_truth(challenge_id: str, truth: Path) -> list[dict]:
    """Return the problems of a test set, which the page shows before it looks at a submission."""
    try:
        scoring.load_challenge(challenge_id).read_truth(truth)
    except InputRefused as refused:
        return [{"code": finding.code} for finding in refused.problems]
    return []


def headline(challenge_id: str, score: float | None) -> str:
    """Return a score as the headline of a challenge's page writes it."""
    if score is None:
        return "–"
    as_points = scoring.load_challenge(challenge_id).scoring.as_points
    return f"{100 * score:.2f}" if as_points else share(score)


def assert_scored(app: AppTest, challenge_id: str, score: float | None, within: float = 0) -> None:
    """The page shows this score and no error; on its first tab also with all digits. within: how far these
    may be from it."""
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == headline(challenge_id, score)
    if score is None:
        assert_exact(app, "The score is **undefined**")
    elif not within:
        assert_exact(app, f"**{score!r}**")
    else:
        digits = [float(number) for number in re.findall(r"\*\*(\d\.\d+)\*\*", words(app))]
        assert any(number == pytest.approx(score, abs=within) for number in digits)


ACTIVE = (
    "](http",
    "://",
    "<script",
    "<img",
    "<iframe",
    "<style",
    "<a href",
    ":red[colour",
    "www.",
    "**bold**",
)
"""Parts of `payloads` that would become something else than text."""


def assert_inert(app: AppTest) -> None:
    """Nothing in the page's Markdown is a link, a picture, a script or markup of a payload."""
    assert not app.exception
    kinds = (app.markdown, app.caption, app.header, app.error, app.info)
    lines = [str(element.value) for kind in kinds for element in kind]
    lines += [slider.label for slider in app.slider]
    bare = [re.sub(r"\\[!-/:-@\[-`{-~]", "", line) for line in lines]
    assert [line for line in bare if any(mark in line for mark in ACTIVE)] == []


def shown_table(app: AppTest, *columns: str) -> pd.DataFrame:
    """Return the table that has these columns."""
    return next(frame.value for frame in app.dataframe if set(columns) <= set(frame.value.columns))


@cache
def sample_card(challenge_id: str, team: str, sample: str = "", **options) -> scoring.ScoreCard:
    """Return the card that the page shows of a team of a sample, the first one if none is named."""
    challenge, sets = scoring.load_challenge(challenge_id), samples.test_sets(challenge_id)
    chosen = sets[sample or next(iter(sets))]
    truth = challenge.read_truth(chosen.path)
    if chosen.metadata:
        options["metadata"] = chosen.metadata
    submission = challenge.read_predictions(chosen.submissions[team].path, truth)
    return challenge.score(truth, submission, **dict(chosen.submissions[team].options) | options)


def take_fix(app: AppTest, label: str) -> AppTest:
    """The page after a click on the button of that fix; as it is, where it offers none of that name."""
    found = [button for button in app.button if label in button.label]
    return found[0].click().run() if found else app
