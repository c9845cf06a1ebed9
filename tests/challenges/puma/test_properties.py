"""What must not change a score, and what may only change it in one direction."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.puma.card import rescore
from tests.challenges.puma.drawn import RULES, SETS, realistic
from tests.support import nuclei_lists as plain
from tests.support.findings import codes, refused
from tests.support.nuclei_lists import CHALLENGE, card, nucleus, numbered
from tests.support.soak import few_examples


@few_examples
@given(SETS, RULES, st.randoms(use_true_random=False))
def test_the_order_of_the_files_changes_nothing(images, rules, dice):
    folders = [plain.files(numbered(side)) for side in images]
    shuffled = [dict(dice.sample(list(folder.items()), len(folder))) for folder in folders]
    cards = []
    for truth, predictions in (folders, shuffled):
        cases = CHALLENGE.read_truth(truth, name="truth")
        found = CHALLENGE.read_predictions(predictions, cases, name="submission")
        cards.append(CHALLENGE.score(cases, found, rules=rules, resamples=20).to_json())
    assert cards[0] == cards[1]


@few_examples
@given(SETS, RULES)
def test_moving_everything_changes_nothing(images, rules):
    moved = [
        [
            [entry | {"centroid": [entry["centroid"][0] + 64, entry["centroid"][1] + 128]} for entry in i]
            for i in s
        ]
        for s in images
    ]
    before, after = (
        card(numbered(truth), numbered(predictions), rules=rules) for truth, predictions in (images, moved)
    )
    assert (after.score, after.metrics, after.per_class) == (before.score, before.metrics, before.per_class)


@few_examples
@given(SETS, RULES)
def test_leaving_out_a_case_is_the_same_as_finding_nothing_in_it(images, rules):
    truth, predictions = map(numbered, images)
    first, *others = predictions
    empty = card(truth, predictions | {first: []}, rules=rules)
    assert empty.metrics["micro_recall"] <= card(truth, predictions, rules=rules).metrics["micro_recall"]
    if others:
        absent = card(truth, {case: predictions[case] for case in others}, rules=rules)
        assert (absent.score, absent.metrics, absent.per_class) == (
            empty.score,
            empty.metrics,
            empty.per_class,
        )


@few_examples
@given(SETS)
def test_a_larger_radius_finds_no_fewer_pairs_of_one_nucleus_each(images):
    truth, predictions = ([image[:1] for image in side] for side in images)
    if not any(truth):
        return
    found = [
        card(numbered(truth), numbered(predictions), radius=radius).metrics["micro_f1"]
        for radius in (3.0, 9.0, 15.0, 30.0)
    ]
    assert found == sorted(found)


@few_examples
@given(SETS, RULES, st.sampled_from((3.0, 15.0, 28.0, 40.0)), st.sampled_from((None, 0.0, 0.5)))
def test_scoring_again_from_a_card_is_scoring(images, rules, radius, least):
    truth, predictions = (plain.files(numbered(side)) for side in images)
    cases = CHALLENGE.read_truth(truth)
    found = CHALLENGE.read_predictions(predictions, cases)
    first = CHALLENGE.score(cases, found, resamples=10)
    again = rescore(cases, found, first, rules=rules, radius=radius, min_confidence=least)
    fresh = CHALLENGE.score(cases, found, rules=rules, radius=radius, min_confidence=least, resamples=10)
    assert again.to_json() == fresh.to_json()
    assert all(
        (again.matches[name] == fresh.matches[name]).all()
        for name in ("case", "status", "reason", "near", "prediction")
    )
    assert (
        rescore(cases, found, again, rules="description", radius=15.0, min_confidence=None).to_json()
        == first.to_json()
    )


def test_a_crowd_is_refused_when_scored_again_too(monkeypatch):
    pile = plain.files({"a": [nucleus("tumor", k, 0) for k in range(5)]})
    cases = CHALLENGE.read_truth(pile)
    found = CHALLENGE.read_predictions(pile, cases)
    first = CHALLENGE.score(cases, found, radius=1.0)
    monkeypatch.setattr("scoring.challenges.puma.card.reaching", lambda d, radius: None)
    assert codes(refused(rescore, cases, found, first, radius=15.0).problems) == ["too-large"]


def test_equal_submissions_are_recognised():
    truth, predictions = map(numbered, realistic(1, images=2))
    same = [card(truth, predictions, rules=rules).arrays["aligned"].tobytes() for rules in plain.RULES]
    assert len(set(same)) == 1
    others = [
        predictions | {"roi_000": []},
        predictions | {"roi_000": predictions["roi_000"][1:]},
        predictions | {"roi_001": []},
        {"roi_000": predictions["roi_000"]},
        predictions | {"roi_000": [nucleus("tumor", 1, 1), *predictions["roi_000"][1:]]},
    ]
    assert len({card(truth, other).arrays["aligned"].tobytes() for other in others} | set(same)) == 6


def test_the_same_bytes_every_time():
    truth, predictions = map(numbered, realistic(2))
    assert (
        card(truth, predictions, resamples=50).to_json() == card(truth, predictions, resamples=50).to_json()
    )


def test_arrays_are_read_only():
    found = card(*map(numbered, realistic(2, images=2)), resamples=10)
    assert not any(array.flags.writeable for array in found.arrays.values())
