"""The eight patients and the four, read and scored."""

import pytest

from tests.challenges.hecktor2026 import eight, four
from tests.support.patients import CHALLENGE


@pytest.fixture(scope="module")
def read():
    truth = CHALLENGE.read_truth(eight.TRUTH)
    return truth, CHALLENGE.read_predictions(eight.SUBMISSION, truth)


@pytest.fixture(scope="module")
def card(read):
    return CHALLENGE.score(*read, resamples=20)


@pytest.fixture(scope="module")
def four_read():
    truth = CHALLENGE.read_truth(four.TRUTH)
    return truth, CHALLENGE.read_predictions(four.SUBMISSION, truth)


@pytest.fixture(scope="module")
def four_card(four_read):
    return CHALLENGE.score(*four_read, resamples=0)
