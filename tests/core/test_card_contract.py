"""A scorer whose card lacks what comparisons need is told so at `score`, everything at once."""

from dataclasses import replace

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.common.direction_and_range import LOSS
from scoring.core.challenge import Challenge
from scoring.core.submission import Predictions
from tests.support.findings import refused

MELANOMA = scoring.load_challenge("melanoma")


class Bare(Predictions):
    """Predictions that cannot be told from others."""

    fingerprint = None


def challenge_with(card=lambda made: made, **declared) -> Challenge:
    """A challenge whose scorer returns another card, or that declares something else of its scores."""
    score = MELANOMA.scoring.score
    return replace(
        MELANOMA, scoring=replace(MELANOMA.scoring, score=lambda *given: card(score(*given)), **declared)
    )


def scored(challenge: Challenge, fingerprint: bool = True):
    (sample, *_) = samples.test_sets("melanoma").values()
    team = next(team for team in sample.submissions.values() if not team.is_model)
    truth = challenge.read_truth(sample.path)
    predictions = challenge.read_predictions(team.path, truth)
    if not fingerprint:
        predictions = Bare(**vars(predictions))
    return challenge.score(truth, predictions, resamples=20)


def without(mapping, name: str) -> dict:
    return {key: value for key, value in mapping.items() if key != name}


CASES = {
    "challenge": (lambda c: replace(c, challenge="other"), "'other': write 'melanoma'"),
    "cases": (lambda c: replace(c, cases=c.cases[1:]), "one for each case"),
    "metrics": (
        lambda c: replace(c, metrics=without(c.metrics, "auc")),
        "the challenge declares auc, but the card does not have them",
    ),
    "provenance": (lambda c: replace(c, provenance=without(c.provenance, "seed")), "it lacks seed"),
    "arrays['predicted']": (
        lambda c: replace(c, arrays={**c.arrays, "predicted": np.zeros(3, int)}),
        "it has 3 entries",
    ),
    "arrays['score_replicates']": (
        lambda c: replace(c, arrays=without(c.arrays, "score_replicates")),
        "all 20 replicates",
    ),
    "score": (lambda c: replace(c, score=1.5), "it is 1.5, and declared as from 0 to 1"),
}


@pytest.mark.parametrize("part", CASES)
def test_what_a_card_lacks_is_said(part):
    change, words = CASES[part]
    (problem,) = refused(scored, challenge_with(change)).problems
    assert (problem.code, problem.where) == ("incomplete-scorecard", f"melanoma: {part}")
    assert words in problem.message


def test_everything_is_said_at_once():
    def change(card):
        return replace(card, challenge="other", cases=card.cases[1:], score=-0.5)

    assert len(refused(scored, challenge_with(change)).problems) == 3


def test_predictions_without_a_fingerprint_are_refused():
    (problem,) = refused(scored, MELANOMA, False).problems
    assert "fingerprint" in problem.message


def test_a_declared_range_holds_a_score_beyond_1():
    card = scored(challenge_with(lambda c: replace(c, score=5.41), better="lower", range=LOSS.range))
    assert card.score == 5.41
    assert card.arrays["aligned"].shape == (32,)
