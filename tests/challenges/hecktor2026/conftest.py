"""The eight patients, read and scored."""

import pytest

from tests.challenges.hecktor2026.eight import SUBMISSION, TRUTH
from tests.support.patients import CHALLENGE


@pytest.fixture(scope="module")
def read():
    truth = CHALLENGE.read_truth(TRUTH)
    return truth, CHALLENGE.read_predictions(SUBMISSION, truth)


@pytest.fixture(scope="module")
def card(read):
    return CHALLENGE.score(*read, resamples=20)
