"""Blocks hold the numbers of the card, and every one of them can be drawn."""

import numpy as np
import pytest

from scoring import load_challenge
from scoring.challenges import samples
from scoring.challenges.melanoma import threshold_views
from scoring.challenges.melanoma.threshold import at_threshold, best_threshold, net_benefit
from scoring.challenges.melanoma.views import benefit, case_score, in_practice, views
from scoring.core.views import Figure, Section, Table, Text, Views
from scoring.presentation import html
from scoring.presentation.figures.number_format import points, share, span
from scoring.presentation.figures.theme import LIGHT
from tests.support import blocks, risk_tables
from tests.support.html_reader import read

MELANOMA = load_challenge("melanoma")
SAMPLE = samples.test_sets("melanoma")["sample"]
HOSTILE = "<b>[go](http:x)</b>"


@pytest.fixture(scope="module")
def card():
    truth = MELANOMA.read_truth(SAMPLE.path)
    team = next(s for s in SAMPLE.submissions.values() if not s.is_model)
    return MELANOMA.score(truth, MELANOMA.read_predictions(team.path, truth), resamples=30)


def of_section(card, name, kind):
    return [b for b in blocks.walk(views(card).section(name).blocks) if isinstance(b, kind)]


def test_the_headline_is_the_score_with_its_arithmetic(card):
    head = views(card).headline
    assert head.score.value == points(card.score)
    assert head.score.below == span(card.intervals["score"], 1, 100)
    assert f"**{card.score!r}**, equal to the official number in every digit" in head.strip.caption
    melanomas = card.per_class["positive"]["support"]
    values = {fact.name: fact.value for fact in head.facts}
    assert values.pop("Melanomas") == f"{melanomas} of {card.n_cases}"
    assert list(values.values()) == [
        share(card.metrics[key]) for key in ("f2", "accuracy", "auc", "recall", "specificity")
    ]


def test_both_classes_are_in_numbers(card):
    table, counts = of_section(card, "Classes", Table)
    assert table.rows["class"] == ["melanoma", "other"]
    for name in ("support", "predicted", "f1", "f1_interval", "recall", "precision", "specificity"):
        assert table.rows[name] == [card.per_class[c][name] for c in ("positive", "negative")]
    assert np.array_equal(
        np.array([counts.rows[c] for c in ("negative", "positive")]).T, card.confusion_matrix["counts"]
    )


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 1.0])
def test_the_official_numbers_stand_beside_those_at_a_threshold(card, threshold):
    table, _ = threshold_views.at(card, threshold)
    reached = at_threshold(card, threshold)
    assert table.rows["here"] == [reached[key][0] for key in threshold_views.MOVED]
    assert table.rows["interval"] == [reached[key][1] for key in threshold_views.MOVED]
    assert table.rows["official"][0] == card.score
    assert table.rows["official"][1:] == [card.metrics[key] for key in list(threshold_views.MOVED)[1:]]


def test_a_report_names_the_best_threshold_and_why_not_to_believe_it(card):
    (words,) = of_section(card, "Threshold", Text)
    assert f"**{threshold_views.cut(best_threshold(card))}**" in words.text
    assert "expect a lower score on new cases" in words.text
    captions = " ".join(figure.caption for figure in of_section(card, "Threshold", Figure))
    assert "your threshold" not in captions


@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_the_net_benefit_is_that_of_the_prevalence(card, prevalence):
    (table,) = [b for b in blocks.walk(benefit(card, prevalence)) if isinstance(b, Table)]
    found = net_benefit(card, (0.03, 0.1, 0.2, 0.5), prevalence)
    assert table.rows["model"] == found["model"].tolist()
    assert [low for low, _ in table.rows["interval"]] == found["low"].tolist()


@pytest.mark.parametrize(
    ("truth", "scores"),
    [
        ([True, False] * 10, np.linspace(0, 1, 20)),
        ([True] * 20, np.linspace(0, 1, 20)),
        ([False] * 20, np.linspace(0, 1, 20)),
        ([True, False] * 10, np.linspace(-4, 4, 20)),
        ([True, False], [0.5, 0.5]),
    ],
    ids=["usual", "melanomas only", "others only", "logits", "two cases"],
)
@pytest.mark.parametrize("resamples", [0, 20])
def test_everything_can_be_drawn(truth, scores, resamples):
    card = risk_tables.card(truth, list(scores), resamples=resamples)
    live = (
        *threshold_views.chosen(card, 0.3, best_threshold(card)),
        threshold_views.cost(card, "sensitivity", 0.9),
        in_practice(card, 0.02),
        case_score(card, 0),
    )
    found = views(card)
    blocks.assert_drawn(Views(found.headline, (*found.sections, Section("live", live))))
    assert found.headline.strip.build(LIGHT).data
    assert read(html.html(card)).balanced
    if card.score is None:
        assert "The score is **undefined**" in found.headline.strip.caption


def test_a_foreign_name_is_text_in_the_report():
    truth, scores = risk_tables.TRUTH, risk_tables.SCORES
    cases = MELANOMA.read_truth(risk_tables.truth_table(truth), name="t.csv")
    predictions = MELANOMA.read_predictions(risk_tables.score_table(scores), cases, name=HOSTILE)
    page = html.html(MELANOMA.score(cases, predictions, resamples=20))
    assert "<b>" not in page
    assert "http:x" not in [a.get("href") for _, a in read(page).elements]
