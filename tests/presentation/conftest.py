"""Scorecards of golden cases."""

from pathlib import Path

import pytest

import scoring

GOLDEN = Path(__file__).parents[1] / "golden" / "tricorder3"


def scored(name: str, **options) -> scoring.ScoreCard:
    challenge = scoring.load_challenge("tricorder3")
    truth = challenge.read_truth(GOLDEN / name / "truth.csv")
    return challenge.score(
        truth, challenge.read_predictions(GOLDEN / name / "predictions.csv", truth), **options
    )


@pytest.fixture(scope="session")
def card() -> scoring.ScoreCard:
    return scored("05-all-classes-300", model_size_mib=73.456789, resamples=60)


@pytest.fixture(scope="session")
def absent() -> scoring.ScoreCard:
    """Three of eleven classes have no case."""
    return scored("01-public-a", resamples=0)
