"""What is derived from a scorecard, restated in plain loops over its cases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import load_challenge
from scoring.challenges.isic import card_summary
from scoring.challenges.isic.official_rejections import message as official_message
from tests.support import category_tables
from tests.support.category_tables import CATEGORIES, IDS, LABELS, random_pair
from tests.support.lesion_tables import table

isic = load_challenge("isic")


def scored(truth: bytes, predictions: bytes, **options):
    answers = isic.read_truth(truth, "truth.csv")
    return isic.score(
        answers, isic.read_predictions(predictions, answers, "predictions.csv"), resamples=0, **options
    )


def shifted(labels=LABELS, **options):
    """NV is called BCC, all else is right."""
    called = ["BCC" if label == "NV" else label for label in labels]
    return scored(category_tables.truth(labels=labels), category_tables.predictions(labels=called), **options)


@pytest.mark.parametrize(
    ("metric", "names", "guess"),
    [
        (None, ("balanced_accuracy", "recall"), 1 / 3),
        ("auc", ("macro_auc", "auc"), 0.5),
        ("ap", ("macro_average_precision", "average_precision"), None),
        ("dice", ("macro_f1", "f1"), None),
    ],
)
def test_what_ranks_and_what_guessing_gives(metric, names, guess):
    card = shifted(metric=metric)
    assert card_summary.ranking(card) == names
    assert card.score == card.metrics[names[0]]
    assert card_summary.chance(card) == guess


def test_smallest_and_absent():
    labels = ("MEL", "MEL", "MEL", "BCC", "BCC", "MEL")
    card = shifted(labels)
    assert card_summary.smallest(card) == ("BCC", 2)
    assert card_summary.absent(card) == ["NV"]


def test_predictive_values_that_are_one_because_nothing_was_called():
    rows = [[name, 0.4, 0.45, 0.15] for name in IDS]
    card = scored(category_tables.truth(), table(("image", *CATEGORIES), *rows))
    assert {name: entry["ppv"] for name, entry in card.per_class.items()} == dict.fromkeys(CATEGORIES, 1)
    assert [card_summary.no_call(entry) for entry in card.per_class.values()] == [("ppv",)] * 3
    everything = scored(
        category_tables.truth(), table(("image", *CATEGORIES), *([name, 0.9, 0.8, 0.7] for name in IDS))
    )
    assert [card_summary.no_call(entry) for entry in everything.per_class.values()] == [("npv",)] * 3
    assert [card_summary.no_call(entry) for entry in shifted().per_class.values()] == [(), ("ppv",), ()]


def test_what_a_case_is_worth_is_what_it_adds():
    before = shifted()
    after = scored(
        category_tables.truth(), category_tables.predictions(labels=("MEL", "BCC", "BCC", "NV", "MEL", "BCC"))
    )
    assert after.score - before.score == pytest.approx(card_summary.case_worth(before)["NV"], abs=1e-12)
    assert card_summary.case_worth(shifted(metric="dice")) == {}


def test_cases_of_different_weight_have_no_one_worth():
    assert card_summary.case_worth(scored(*random_pair(3, weights=True))) == {}


def test_where_the_cut_at_half_stands_on_the_curves():
    card = shifted()
    found = card_summary.points_at_half(card)
    for name, entry in card.per_class.items():
        assert found[name]["roc"] == pytest.approx((1 - entry["specificity"], entry["sensitivity"]))
    assert found["NV"]["pr"] is None
    assert found["BCC"]["pr"] == (1, 0.5)


def test_how_many_cases_take_part_in_the_malignant_curve():
    categories = ("MEL", "NV", "UNK")
    labels = ("MEL", "NV", "UNK", "NV", "MEL", "UNK")
    card = scored(
        category_tables.truth(labels=labels, categories=categories),
        category_tables.predictions(labels=labels, categories=categories),
    )
    assert card_summary.prevalence(card, ["MEL"]) == (2, 2)
    assert card_summary.prevalence(card, ["MEL", "UNK"]) == (4, 2)
    assert card_summary.prevalence(card, []) == (0, 4)


@given(st.integers(0, 10_000))
def test_a_mended_file_scores_the_same_and_the_official_scorer_takes_it(seed):
    truth, predictions = random_pair(seed, cases=20)
    odd = predictions.replace(b",", b";").replace(b"ISIC_", b"photos/ISIC_")
    card = scored(truth, odd)
    mended = card_summary.fixed_predictions(card, "image").encode()
    assert not card.more["official_check"]["accepted"]
    assert {finding.code for finding in card_summary.to_fix(card)} == {"delimiter", "id-spelling"}
    assert official_message(mended, truth) is None
    again = scored(truth, mended)
    assert again.score == card.score
    assert again.metrics == card.metrics
