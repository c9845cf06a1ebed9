"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import scoring
from scoring.challenges import samples
from scoring.challenges.melanoma.threshold import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    best_threshold,
    counts_at,
    net_benefit,
    predictive_values,
)
from scoring.common import text
from scoring.presentation.figures.numerals import decimal, share, span
from tests.challenges.melanoma import test_model as small
from tests.support import risk_tables, visits
from tests.support.command_line import ROOT, run
from tests.support.payloads import PAYLOADS
from tests.support.thinned import crossed, some
from tests.support.visits import words, written

CHALLENGE = scoring.load_challenge("melanoma")
SAMPLE = samples.test_sets("melanoma")["sample"]
TEAMS = {key: s for key, s in SAMPLE.submissions.items() if not s.is_model}
FIRST = next(iter(TEAMS))
GOLDEN = ROOT / "tests" / "golden" / "melanoma"
TABS = {
    "Threshold": "What would the score be?",
    "Missed": "What is a call worth?",
    "Classes": "How good is each class?",
    "Calibration": "When it says 70%, do 70% have a melanoma?",
    "Net benefit": "Is the model of more use than calling everybody?",
    "Subgroups": "Whose melanomas does it miss?",
    "Cases": "Which pixels did it get?",
    "Preflight": "What would the official code do?",
}
"""Each tab's name and a question that it answers."""
SCORED = [
    folder.name
    for folder in sorted(GOLDEN.iterdir())
    if (folder / "predictions.csv").exists() and folder.name != "07-refused"
]


@pytest.fixture
def melanoma(opened):
    return lambda **address: opened("melanoma", **address)


def put(app: AppTest, submission=None, test_set=None) -> AppTest:
    return visits.put("melanoma", app, submission, test_set)


def golden(name: str) -> tuple[tuple[str, bytes], tuple[str, bytes], dict]:
    """Predictions, truth and what is expected of them."""
    folder = GOLDEN / name
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expect"]
    return (
        ("predictions.csv", (folder / "predictions.csv").read_bytes()),
        ("truth.csv", (folder / "truth.csv").read_bytes()),
        expected,
    )


def command_line(truth, *options: object) -> dict:
    finished = run("score", "melanoma", "--truth", truth, *options, "--resamples", 0, "--json", "-")
    assert finished.status == 0, finished.err
    return finished.json


def scorecard(team: str):
    """The card that the page shows of a sample team."""
    truth = CHALLENGE.read_truth(SAMPLE.path)
    return CHALLENGE.score(truth, CHALLENGE.read_predictions(TEAMS[team].path, truth))


def assert_shows(app: AppTest, card: dict) -> None:
    assert not app.exception
    assert not app.error
    assert app.metric[0].value == ("–" if card["score"] is None else f"{100 * card['score']:.2f}")
    exact = "The score is **undefined**" if card["score"] is None else f"**{card['score']!r}**"
    visits.assert_exact(app, exact)


def shown_table(app: AppTest, question_column: str):
    """The table that has this column."""
    return next(frame.value for frame in app.dataframe if question_column in frame.value.columns)


@pytest.mark.parametrize("team", TEAMS)
def test_a_sample_team_has_the_score_of_the_command_line(melanoma, team):
    assert_shows(melanoma(submission=team), command_line(SAMPLE.path, "--predictions", TEAMS[team].path))


def test_it_opens_on_the_first_sample_at_the_official_threshold(melanoma):
    app = melanoma()
    assert app.selectbox(key="melanoma_submission").value == FIRST
    assert [tab.label for tab in app.tabs] == [*TABS, "History"]
    assert app.slider(key="threshold").value == 0.5
    pictures = [element for element in app.markdown if "data:image/svg+xml" in element.value]
    assert len(pictures) == 1, "of the first figure alone: each more holds up the score"


@pytest.mark.parametrize(("team", "tab"), crossed(list(TEAMS), list(TABS), 4))
def test_every_tab_answers_its_question(melanoma, tab, team):
    app = melanoma(submission=team, tab=tab)
    assert not app.exception
    assert text.markdown(TABS[tab]) in {heading.value for heading in app.header}


@pytest.mark.parametrize(
    "address",
    some(
        [
            {"submission": "nobody"},
            {"set": "../../etc"},
            {"tab": "Nowhere"},
            {"threshold": "7"},
            {"threshold": "nan"},
            {"threshold": "<b>"},
            {"wanted_sensitivity": "2"},
            {"prevalence": "99%", "tab": "Missed"},
            {"case": "none.jpg", "tab": "Cases"},
            {"missed": "9999", "tab": "Missed"},
        ],
        3,
    ),
)
def test_an_address_that_was_tampered_with_opens_the_sample(melanoma, address):
    app = melanoma(**address)
    assert not app.exception
    assert len(app.metric) == 1


@pytest.mark.parametrize("threshold", some([0.0, 0.12, 0.5, 0.873, 1.0], 2))
def test_the_slider_moves_all_numbers_together_and_the_official_ones_stay(melanoma, threshold):
    app, card = melanoma(), scorecard(FIRST)
    app.slider(key="threshold").set_value(threshold).run()
    assert not app.exception
    rows = {name: cells for name, *cells in written(app, "official")}
    reached = at_threshold(card, threshold)
    names = {"f2": "F2", "recall": "sensitivity"}
    for name in ("score", "f2", "accuracy", "recall", "specificity", "precision"):
        value, interval = reached[name]
        official = card.score if name == "score" else card.metrics[name]
        at_half = span(card.intervals[name], 3)
        assert rows.pop(names.get(name, name)) == [
            share(official),
            share(value),
            at_half,
            span(interval, 3),
        ]
    assert not rows
    (quiet, alarms), (missed, found) = counts_at(card, threshold)
    assert (
        f"**{found} of {found + missed}** melanomas flagged, **{missed}** missed; **{alarms} of "
        f"{alarms + quiet}** others flagged"
    ) in words(app)
    assert app.metric[0].value == f"{100 * card.score:.2f}"


def test_the_threshold_of_an_address_is_shown(melanoma):
    assert melanoma(threshold="0.31").slider(key="threshold").value == 0.31


def test_the_buttons_set_the_best_and_the_official_threshold(melanoma):
    app, card = melanoma(), scorecard(FIRST)
    best = best_threshold(card)
    app.button(key="to_best").click().run()
    assert app.slider(key="threshold").value == best
    reached = at_threshold(card, best)["score"][0]
    assert (
        f"{100 * reached:.2f} points, {100 * (reached - card.score):.2f} more than the official "
        f"{100 * card.score:.2f}"
    ) in words(app)
    assert "on new cases expect less" in words(app)
    assert written(app, "official")[0][2] == share(reached)
    app.button(key="to_official").click().run()
    assert app.slider(key="threshold").value == 0.5


@pytest.mark.parametrize(
    ("wanted", "find", "other"),
    [("sensitivity", at_sensitivity, "specificity"), ("specificity", at_specificity, "sensitivity")],
)
def test_a_wanted_share_gives_the_other_with_its_interval(melanoma, wanted, find, other):
    app, card = melanoma(), scorecard(FIRST)
    for value in (0.8, 0.97):
        app.slider(key=f"wanted_{wanted}").set_value(value).run()
        point, interval = find(card, value)
        assert f"**{decimal(getattr(point, other), 3)}** :small[:gray[{span(interval, 3)}]]" in words(app)


@pytest.mark.parametrize(("chosen", "prevalence"), [("as here", None), ("1%", 0.01), ("20%", 0.2)])
def test_of_a_hundred_people(melanoma, chosen, prevalence):
    app = melanoma(tab="Missed")
    app.segmented_control(key="prevalence").set_value(chosen).run()
    found = predictive_values(scorecard(FIRST), 0.5, prevalence)
    for name, said in (
        ("recall", "Of 100 melanomas **{}** are flagged"),
        ("precision", "Of 100 people flagged **{}** have a melanoma"),
    ):
        value, interval = found[name]
        assert f"{said.format(decimal(100 * value, 1))} :small[:gray[{span(interval, 1, 100)}]]" in words(app)


def test_the_prevalence_moves_the_net_benefit(melanoma):
    app = melanoma(tab="Net benefit")
    app.segmented_control(key="prevalence").set_value("2%").run()
    assert not app.exception
    found = net_benefit(scorecard(FIRST), (0.03, 0.1, 0.2, 0.5), 0.02)
    table = shown_table(app, "everybody")
    assert np.array_equal(table["model"], found["model"])
    assert np.array_equal(table["everybody"], found["everybody"])


def gallery(app: AppTest, key: str) -> list[float]:
    """The scores on the cards, in their order."""
    lines = [m.value for m in app.markdown if re.match(r"(:red\[▲\] melanoma|■ other)", m.value)]
    kind = ":red" if key == "missed" else "■"
    return [float(re.search(r"score \*\*(.+)\*\*", line)[1]) for line in lines if line.startswith(kind)]


@pytest.mark.parametrize("team", ["fornax", "helios"])
def test_missed_melanomas_stand_first_and_lowest_first(melanoma, team):
    app, cases = melanoma(submission=team, tab="Missed"), scorecard(team).cases
    missed = sorted(c["output"] for c in cases if c["truth"] == "positive" and c["output"] <= 0.5)
    alarms = sorted(
        (c["output"] for c in cases if c["truth"] == "negative" and c["output"] > 0.5), reverse=True
    )
    assert gallery(app, "missed") == [float(decimal(v, 3)) for v in missed[:12]]
    assert gallery(app, "alarms") == [float(decimal(v, 3)) for v in alarms[:12]]
    assert f"Missed melanomas, lowest score first, {len(missed)} case" in words(app)


def test_the_filter_and_the_case_of_the_cases(melanoma):
    app = melanoma(tab="Cases")
    case = scorecard(FIRST).cases[7]
    app.selectbox(key="case").set_value(case["case"]).run()
    assert f"raw output {case['output']!r}" in words(app)
    app.segmented_control(key="cases").set_value("mistakes").run()
    assert len(shown_table(app, "output")) == sum(not c["correct"] for c in scorecard(FIRST).cases)


@pytest.mark.parametrize(("name", "tab"), crossed(SCORED, list(TABS), 4))
def test_every_tab_answers_own_tables_without_images(melanoma, name, tab):
    submission, truth, expected = golden(name)
    app = put(melanoma(tab=tab), submission, truth)
    app = visits.mend(app, "without a usable prediction as wrong")
    assert_shows(app, expected)


def test_a_slider_outside_the_next_submission_starts_again(melanoma):
    """Logits reach further than risks; what was chosen among them cannot stay."""
    submission, truth, _ = golden("06-logits-loose")
    app = put(melanoma(), submission, truth)
    assert app.slider(key="threshold").min < 0
    app.slider(key="threshold").set_value(app.slider(key="threshold").min).run()
    app.button(key="melanoma_set_back").click().run()
    app.button(key="melanoma_submission_back").click().run()
    assert not app.exception
    assert (app.slider(key="threshold").min, app.slider(key="threshold").max) == (0, 1)


def test_missing_cases_are_refused_or_count_as_wrong(melanoma):
    submission, truth, expected = golden("08-missing-wrong")
    app = put(melanoma(), submission, truth)
    assert f"{expected['n_missing']} problems" in app.error[0].proto.title
    assert "score 0" in words(app)
    app = visits.mend(app, "without a usable prediction as wrong")
    assert_shows(app, expected)


def test_a_refused_submission_shows_every_problem(melanoma):
    submission, truth, expected = golden("07-refused")
    app = put(melanoma(), submission, truth)
    assert not app.exception
    assert not app.metric
    assert f"{len(expected['problems'])} problems" in app.error[0].proto.title
    assert [p["code"] for p in expected["problems"] if f"`{p['code']}`" not in words(app)] == []


def test_a_model_on_an_own_test_set(melanoma):
    folder = GOLDEN / "09-onnx-zip"
    app = put(
        melanoma(tab="Preflight"),
        ("model.onnx", (folder / "model.onnx").read_bytes()),
        ("dataset.zip", (folder / "dataset.zip").read_bytes()),
    )
    assert_shows(app, command_line(folder / "dataset.zip", "--model", folder / "model.onnx"))
    assert "run this model" in words(app)


VERDICTS = {
    "fixed-batch-1": "blocks of 200 images",
    "input-size": "feed 224 × 224 pixels",
    "logits": "compare the raw output with 0.5",
    "constant-output": "constant-output",
}


@pytest.mark.parametrize("code", some(list(VERDICTS), 2))
def test_the_preflight_says_what_the_official_code_would_do(melanoma, code):
    files = small.picture_files()
    app = put(
        melanoma(tab="Preflight"),
        ("m.onnx", small.model(**small.PREFLIGHT[code])),
        ("set.zip", visits.archive(**files)),
    )
    assert not app.exception
    assert VERDICTS[code] in words(app)
    assert app.metric


def test_the_better_of_two_columns_is_named(melanoma):
    app = put(
        melanoma(tab="Preflight"),
        ("m.onnx", small.model("falling", "risk")),
        ("set.zip", visits.archive(**small.picture_files())),
    )
    assert "score the first of several output columns" in words(app)
    assert "Column 2 is better" in words(app)


@pytest.mark.parametrize("code", some(small.REFUSED, 2))
def test_a_refused_model_says_why(melanoma, code):
    app = put(melanoma(), ("m.onnx", small.REFUSED[code]))
    assert not app.exception
    assert not app.metric
    assert f"`{code}`" in words(app)


@pytest.mark.parametrize(("kind", "tab"), crossed([True, False], list(TABS), 2))
def test_one_class_only(melanoma, tab, kind):
    scores = np.linspace(0, 1, 20).tolist()
    app = put(
        melanoma(tab=tab),
        ("p.csv", risk_tables.score_table(scores)),
        ("t.csv", risk_tables.truth_table([kind] * 20)),
    )
    assert_shows(app, {"score": None})


@pytest.mark.parametrize("tab", some(list(TABS), 3))
def test_equal_scores_and_two_cases(melanoma, tab):
    app = put(
        melanoma(tab=tab),
        ("p.csv", risk_tables.score_table([0.5, 0.5])),
        ("t.csv", risk_tables.truth_table([True, False])),
    )
    assert_shows(app, {"score": 0.6 * 0 + 0.3 * 0.5 + 0.1 * 0.5})


@pytest.mark.parametrize("payload", some(PAYLOADS, 5, 0))
def test_foreign_text_is_shown_as_it_was_typed(melanoma, payload):
    case = payload.replace("\n", " ")
    ids = [case, *risk_tables.names(8)[1:]]
    truth = risk_tables.table(
        ("filename", "label"), *([name, str(y)] for name, y in zip(ids, risk_tables.TRUTH, strict=True))
    )
    told = risk_tables.table(
        ("filename", "score"), *([name, s / 2] for name, s in zip(ids, risk_tables.SCORES, strict=True))
    )
    for tab in ("Missed", "Cases"):
        app = put(melanoma(tab=tab), (f"{payload.replace('/', '_')}.csv", told), ("truth.csv", truth))
        assert not app.exception
        said = [
            str(element.value)
            for kind in (app.markdown, app.caption, app.error, app.info)
            for element in kind
        ]
        bare = [re.sub(r"\\[!-/:-@\[-`{-~]", "", line) for line in said]
        for mark in (
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
        ):
            assert [line for line in bare if mark in line] == []
