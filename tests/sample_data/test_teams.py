"""Teams are drawn from a model of reading that is calibrated by construction, and leave it in the way that their character says."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import teams
from sample_data.generator.case import LOOK_ALIKES, SYMBOLS

CASES = 3000
SYMBOL_LIST = [SYMBOLS[index % 11] for index in range(CASES)]
TABLES = teams.predictions(SYMBOL_LIST, SYMBOL_LIST, seed=5)
TRUTH = np.arange(CASES) % 11


def accuracy(table: np.ndarray) -> float:
    return float((table.argmax(axis=1) == TRUTH).mean())


def test_look_alikes_are_nearer():
    where = teams.places()
    products = where @ where.T
    assert products[SYMBOLS.index("MEL"), SYMBOLS.index("NV")] > products[SYMBOLS.index("MEL"), SYMBOLS.index("DF")] + 0.1
    assert np.diag(products) == pytest.approx(np.ones(11), abs=0.1)
    assert all(other in SYMBOLS for others in LOOK_ALIKES.values() for other in others)


@pytest.mark.parametrize("name", [name for name in teams.TEAMS if name != "cygnus"])
def test_probabilities_add_up_to_one(name):
    assert TABLES[name].min() >= 0
    assert TABLES[name].sum(axis=1) == pytest.approx(np.ones(CASES), abs=1e-4)


def test_cygnus_gives_logits():
    assert TABLES["cygnus"].min() < 0
    assert TABLES["cygnus"].max() > 1


def test_borealis_is_surer_than_right():
    assert TABLES["borealis"].max(axis=1).mean() > accuracy(TABLES["borealis"]) + 0.05


def test_delphi_calls_melanomas_nevi_and_is_good_otherwise():
    chosen = TABLES["delphi"].argmax(axis=1)
    melanoma, nevus = SYMBOLS.index("MEL"), SYMBOLS.index("NV")
    assert (chosen[melanoma == TRUTH] == nevus).mean() > 0.4
    others = (melanoma != TRUTH) & (nevus != TRUTH)
    assert (chosen[others] == TRUTH[others]).mean() > 0.75


def test_equinox_is_weakest():
    assert accuracy(TABLES["equinox"]) < min(accuracy(table) for name, table in TABLES.items() if name != "equinox") - 0.15


def test_what_looks_like_another_class_is_mistaken_more_often():
    looks = [LOOK_ALIKES[symbol][0] for symbol in SYMBOL_LIST]
    assert accuracy(teams.predictions(SYMBOL_LIST, looks, seed=5)["aurora"]) < accuracy(TABLES["aurora"]) - 0.3


@given(st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_predictions(seed):
    first, again = (teams.predictions(["MEL", "NV"], ["MEL", "MEL"], seed) for _ in range(2))
    assert all((first[name] == again[name]).all() for name in teams.TEAMS)
