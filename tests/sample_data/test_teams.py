"""Teams are drawn from a model of reading that is calibrated by construction, and leave it in the way that
their character says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import teams
from sample_data.generator.case import LOOK_ALIKES, SYMBOLS
from sample_data.generator.teams import Team, probabilities, tempered
from sample_data.generator.testset import ClassPlan, Plan
from sample_data.generator.tricorder3 import PLAN, TEAMS

CASES = 3000


def rows(symbols: list[str], looks: list[str], lesions=None) -> list[dict]:
    numbers = range(len(symbols)) if lesions is None else lesions
    return [
        {"symbol": symbol, "look": look, "lesion": lesion}
        for symbol, look, lesion in zip(symbols, looks, numbers, strict=True)
    ]


SYMBOL_LIST = [SYMBOLS[index % 11] for index in range(CASES)]
TABLES = teams.predictions(TEAMS, PLAN, rows(SYMBOL_LIST, SYMBOL_LIST), seed=5)
TRUTH = np.arange(CASES) % 11
HONEST = {"honest": Team("", "", skill=2.5, evidence=tempered(1), present=probabilities)}


def accuracy(table: np.ndarray) -> float:
    return float((table.argmax(axis=1) == TRUTH).mean())


def test_look_alikes_are_nearer():
    where = teams.places()
    products = where @ where.T
    assert (
        products[SYMBOLS.index("MEL"), SYMBOLS.index("NV")]
        > products[SYMBOLS.index("MEL"), SYMBOLS.index("DF")] + 0.1
    )
    assert np.diag(products) == pytest.approx(np.ones(11), abs=0.1)
    assert all(other in SYMBOLS for others in LOOK_ALIKES.values() for other in others)


@pytest.mark.parametrize("name", [name for name in TEAMS if name != "cygnus"])
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
    assert (
        accuracy(TABLES["equinox"])
        < min(accuracy(table) for name, table in TABLES.items() if name != "equinox") - 0.15
    )


def test_what_looks_like_another_class_is_mistaken_more_often():
    looks = [LOOK_ALIKES[symbol][0] for symbol in SYMBOL_LIST]
    assert (
        accuracy(teams.predictions(TEAMS, PLAN, rows(SYMBOL_LIST, looks), seed=5)["aurora"])
        < accuracy(TABLES["aurora"]) - 0.3
    )


@given(st.integers(0, 2**32 - 1))
def test_the_same_seed_gives_the_same_predictions(seed):
    first, again = (
        teams.predictions(TEAMS, PLAN, rows(["MEL", "NV"], ["MEL", "MEL"]), seed) for _ in range(2)
    )
    assert all((first[name] == again[name]).all() for name in TEAMS)


def test_an_honest_team_knows_how_frequent_labels_are_even_where_several_classes_share_one():
    plan = Plan(
        (ClassPlan("ill", "MEL", 10), ClassPlan("well", "NV", 60), ClassPlan("well", "BKL", 30)),
        ((512, 512),),
        (1,),
        0,
    )
    symbols = [a_class.symbol for a_class in plan.classes for _ in range(40 * a_class.count)]
    table = teams.predictions(HONEST, plan, rows(symbols, symbols), seed=3)["honest"]
    assert plan.labels == ("ill", "well")
    ill = np.array(symbols) == "MEL"
    # Mean probability is the label's share, over all cases and among those that the team holds for rather
    # likely.
    assert table[:, 0].mean() == pytest.approx(0.1, abs=0.01)
    likely = table[:, 0] > 0.5
    assert table[likely, 0].mean() == pytest.approx(ill[likely].mean(), abs=0.05)


def test_pictures_of_one_lesion_are_read_more_alike_than_those_of_two():
    symbols, lesions = ["MEL"] * 800, np.repeat(np.arange(400), 2)
    chosen = teams.predictions(HONEST, PLAN, rows(symbols, symbols, lesions), seed=1)["honest"][
        :, SYMBOLS.index("MEL")
    ]
    assert np.corrcoef(chosen[::2], chosen[1::2])[0, 1] > 0.3
    assert abs(np.corrcoef(chosen[:-2:2], chosen[2::2])[0, 1]) < 0.15


def test_sigmoids_keep_the_order_of_a_row_and_do_not_sum_to_one():
    scores = np.random.default_rng(0).normal(0, 3, (50, 9))
    outputs = teams.independent(scores)
    assert ((outputs > 0) & (outputs < 1)).all()
    assert (outputs.argsort(axis=1) == scores.argsort(axis=1)).all()
    assert (np.abs(outputs.sum(axis=1) - 1) > 0.05).any()
