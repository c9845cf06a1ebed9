"""People who never lived, within the ranges that the official loader accepts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import demographics
from sample_data.generator.case import SYMBOLS


@given(st.integers(0, 2**32 - 1), st.sampled_from(SYMBOLS))
def test_everyone_can_be_encoded(seed, symbol):
    person = demographics.draw(np.random.default_rng(seed), symbol)
    assert isinstance(person.age, int)
    assert 0 < person.age <= 120
    age, gender, location = person.encoded()
    assert (age, gender) == (person.age, {"m": 1, "f": 0}[person.gender])
    assert demographics.LOCATIONS[int(location) - 1] == person.location


def test_tendencies_are_complete_and_add_up():
    assert set(demographics.TENDENCIES) == set(SYMBOLS)
    for tendency in demographics.TENDENCIES.values():
        assert len(tendency.locations) == len(demographics.LOCATIONS)
        assert sum(tendency.locations) == pytest.approx(1, abs=0.03)


def test_squamous_cell_carcinoma_is_older_than_nevus():
    random = np.random.default_rng(0)
    older, younger = (
        [demographics.draw(random, symbol).age for _ in range(200)] for symbol in ("SCCKA", "NV")
    )
    assert np.mean(older) - np.mean(younger) == pytest.approx(74 - 40, abs=6)
