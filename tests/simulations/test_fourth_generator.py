"""What users read of patients of a clinic is right as often as promised."""

from functools import partial

import numpy as np
import pytest

import scoring
from tests.simulations.fifth_generator import Ward
from tests.simulations.fifth_generator import coverage as ward_coverage
from tests.simulations.fourth_generator import Design, coverage, drawn, told_apart
from tests.simulations.sixth_generator import Cell, coverage_of_differences
from tests.simulations.sixth_generator import coverage as cell_coverage
from tests.simulations.test_coverage import fewest
from tests.simulations.test_rates import most

SHORT = (
    Design("tricorder3", 60, 4, "unequal", 0.5, rare=3, images=3),
    Design("isic", 60, 4, "opposite", 0.95, rare=3),
    Design("melanoma", 60, 4, "unequal", 0.5, rare=1),
)
APART = [
    Design(challenge, patients, teams, profiles, correlation, rare, images)
    for challenge in ("tricorder3", "isic", "melanoma")
    for patients in (50, 200)
    for teams in (4, 12)
    for profiles, correlation in (("equal", 0.0), ("unequal", 0.5), ("opposite", 0.95))
    for rare, images in ((0, 1 if challenge == "melanoma" else 3), (1 if challenge == "melanoma" else 2, 1))
]
COVERED = [
    Design(challenge, patients, 1, images=images, skewed=images == 1)
    for challenge in ("tricorder3", "isic", "melanoma")
    for patients in (12, 30, 49, 50, 51, 100, 200)
    for images in (1, 3)
]

WARDS = [
    Ward(challenge, patients)
    for challenge in ("tricorder3", "isic", "melanoma")
    for patients in (12, 20, 50, 100, 200)
]
CELLS = [
    Cell(challenge, units, options)
    for challenge, options in (("hecktor2026", ()), ("puma", ()), ("puma", (("outlines", True),)))
    for units in (12, 20, 30, 50, 100, 200)
]


@pytest.mark.parametrize("design", SHORT, ids=str)
def test_its_teams_are_equally_good(design):
    random, scores = np.random.default_rng(3), []
    for _ in range(25):
        truth, teams = drawn(random, design)
        cards = [
            scoring.score(design.challenge, truth=truth, predictions=given, resamples=0)
            for given in teams.values()
        ]
        scores.append([card.score for card in cards])
    differences = np.array(scores)[:, 1:] - np.array(scores)[:, :1]
    error = differences.std(0, ddof=1) / np.sqrt(len(differences))
    assert (np.abs(differences.mean(0)) < 4 * error).all()


@pytest.mark.parametrize("design", SHORT, ids=str)
def test_equal_teams_are_seldom_told_apart(design):
    found = told_apart(design, 15)
    assert found["wrong"].share <= most(0.05, 15)
    assert found["all pairs"].share >= fewest(0.95, 15)


@pytest.mark.parametrize(
    ("found", "names"),
    [
        (partial(coverage, Design("isic", 51, 1, skewed=True)), {"score", "mean_auc", "BKL/auc"}),
        pytest.param(
            partial(ward_coverage, Ward("isic", 20)),
            {"mean_auc", "macro_average_precision", "NV/f1"},
            marks=pytest.mark.soak,
        ),
        (
            partial(ward_coverage, Ward("melanoma", 50)),
            {"auc", "specificity", "sensitivity_at_90_specificity"},
        ),
        pytest.param(
            partial(cell_coverage, Cell("puma", 20, (("outlines", True),))),
            {"score", "tumor/f1", "melanophages/sq", "apoptotic_cells/matched_dice"},
            marks=pytest.mark.soak,
        ),
        (partial(cell_coverage, Cell("hecktor2026", 12)), {"score", "c_index", "B/segmentation"}),
        (partial(coverage_of_differences, Cell("hecktor2026", 20)), {"score", "segmentation", "T2/recall"}),
    ],
)
def test_an_interval_holds_the_truth(found, names):
    held = found(15 if found.func is cell_coverage else 40)
    assert {name: held[name].share for name in names if held[name].share < fewest(0.93, held[name].of)} == {}


@pytest.mark.soak
@pytest.mark.parametrize("design", APART, ids=str)
def test_every_cell_of_equal_teams(design):
    runs = 500 if design.teams < 12 else 250
    assert told_apart(design, runs)["wrong"].share <= most(0.05, runs)


COVERAGES = {Design: coverage, Ward: ward_coverage, Cell: cell_coverage}


@pytest.mark.soak
@pytest.mark.parametrize("design", [*COVERED, *WARDS, *CELLS], ids=str)
def test_every_quantity_of_a_card(design):
    found = COVERAGES[type(design)](design, 500)
    assert {name: one.share for name, one in found.items() if one.share < fewest(0.93, one.of)} == {}


@pytest.mark.soak
@pytest.mark.parametrize("cell", [cell for cell in CELLS if cell.units >= 20], ids=str)
def test_every_difference_of_two_teams(cell):
    found = coverage_of_differences(cell, 500)
    assert {name: one.share for name, one in found.items() if one.share < fewest(0.93, one.of)} == {}
