"""The page as its visitors use it. What it shows is compared with what the command line and the challenge say
of the same files."""

from functools import partial

import numpy as np
import pytest

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
from scoring.presentation.figures.number_format import decimal, share, span
from tests.challenges.melanoma import test_model as small
from tests.pages.page_facts import FACTS
from tests.support import golden, risk_tables, visits
from tests.support.archives import archive_of
from tests.support.thinned import crossed, some
from tests.support.visits import open_tab, sample_card, shown_table, words, written

CHALLENGE = scoring.load_challenge("melanoma")
FIRST = next(iter(samples.test_sets("melanoma")["sample"].submissions))

put = partial(visits.put, "melanoma")
scorecard = partial(sample_card, "melanoma")


@pytest.fixture
def melanoma(opened):
    return lambda **address: opened("melanoma", **address)


def test_it_opens_at_the_official_threshold(melanoma):
    app = melanoma()
    assert app.slider(key="threshold").value == 0.5
    pictures = [element for element in app.markdown if "data:image/svg+xml" in element.value]
    assert len(pictures) == 1, "of the first figure alone: each more holds up the score"


@pytest.mark.parametrize("threshold", some([0.0, 0.12, 0.5, 0.873, 1.0], 4))
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
    assert "expect a lower score on new cases" in words(app)
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


@pytest.mark.parametrize(("chosen", "prevalence"), [("as in the test set", None), ("1%", 0.01), ("20%", 0.2)])
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


@pytest.mark.parametrize(
    ("team", "mistake"),
    crossed(["fornax", "helios"], [("missed melanomas", "positive"), ("false alarms", "negative")], 2),
)
def test_each_kind_of_mistake_leads_to_its_cases(melanoma, team, mistake):
    kind, truth = mistake
    app = melanoma(submission=team, tab="Missed")
    wrong = {
        c["case"]: c["output"] for c in scorecard(team).cases if c["truth"] == truth and not c["correct"]
    }
    (button,) = (button for button in app.button if button.key == f"lead_{kind}")
    assert button.label == f"{kind[0].upper()}{kind[1:]}: {len(wrong)}"
    button.click().run()
    assert not app.exception
    assert f"Which cases? {len(wrong)} of {len(scorecard(team).cases)}" in words(app)
    assert sorted(shown_table(app, "output")["output"]) == sorted(wrong.values())


def test_the_filter_and_the_case_of_the_cases(melanoma):
    app = melanoma(tab="Cases")
    case = scorecard(FIRST).cases[7]
    app.selectbox(key="case").set_value(case["case"]).run()
    assert f"raw output {case['output']!r}" in words(app)
    app.segmented_control(key="cases").set_value("mistakes").run()
    assert len(shown_table(app, "output")) == sum(not c["correct"] for c in scorecard(FIRST).cases)


def test_a_slider_outside_the_next_submission_starts_again(melanoma):
    """Logits reach further than risks; what was chosen among them cannot stay."""
    app = put(melanoma(), *golden.uploads(golden.FOLDER / "melanoma" / "06-logits-loose"))
    assert app.slider(key="threshold").min < 0
    app.slider(key="threshold").set_value(app.slider(key="threshold").min).run()
    app.button(key="melanoma_set_back").click().run()
    app.button(key="melanoma_submission_back").click().run()
    assert not app.exception
    assert (app.slider(key="threshold").min, app.slider(key="threshold").max) == (0, 1)


VERDICTS = {
    "fixed-batch-1": "batches of 200 images",
    "input-size": "feed 224 × 224 pixels",
    "logits": "compare the raw output with 0.5",
    "constant-output": "constant-output",
}


@pytest.mark.parametrize("code", some(list(VERDICTS), 4))
def test_the_preflight_says_what_the_official_code_would_do(melanoma, code):
    files = small.picture_files()
    app = put(
        melanoma(tab="Preflight"),
        ("m.onnx", small.model(**small.PREFLIGHT[code])),
        ("set.zip", archive_of(files)),
    )
    assert not app.exception
    assert VERDICTS[code] in words(app)
    assert app.metric


def test_the_better_of_two_columns_is_named(melanoma):
    app = put(
        melanoma(tab="Preflight"),
        ("m.onnx", small.model("falling", "risk")),
        ("set.zip", archive_of(small.picture_files())),
    )
    assert "score the first of several output columns" in words(app)
    assert "Column 2 is better" in words(app)


@pytest.mark.parametrize("code", some(small.REFUSED, 4))
def test_a_refused_model_says_why(melanoma, code):
    app = put(melanoma(), ("m.onnx", small.REFUSED[code]))
    assert not app.exception
    assert not app.metric
    assert f"`{code}`" in words(app)


@pytest.mark.parametrize("kind", [True, False])
def test_one_class_only(melanoma, kind):
    scores = np.linspace(0, 1, 20).tolist()
    assert_scored_on_every_tab(melanoma(), scores, [kind] * 20, None)


def test_equal_scores_and_two_cases(melanoma):
    assert_scored_on_every_tab(melanoma(), [0.5, 0.5], [True, False], 0.6 * 0 + 0.3 * 0.5 + 0.1 * 0.5)


def assert_scored_on_every_tab(app, scores, labels, score) -> None:
    submission = ("p.csv", risk_tables.score_table(scores))
    app = put(app, submission, ("t.csv", risk_tables.truth_table(labels)))
    for tab in FACTS["melanoma"].tabs:
        visits.assert_scored(open_tab(app, tab), "melanoma", score)
