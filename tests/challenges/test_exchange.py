"""What cards of 20 to 49 units keep for the swap test: the score is a function of its sums over units."""

from functools import partial

import numpy as np
import pytest

import scoring
from scoring.statistics.replicates import replicate_weights
from tests.challenges.hecktor2026.four import GUESSED, MASKS, ROWS
from tests.challenges.puma.drawn import realistic
from tests.support import nuclei_lists, patients
from tests.support.category_tables import random_pair
from tests.support.nuclei_lists import numbered
from tests.support.teams import lesion_teams, risk_teams

N, DRAWS = 30, 20


def isic(metric: str) -> scoring.ScoreCard:
    challenge = scoring.load_challenge("isic")
    files = random_pair(3, N, weights=True)
    truth = challenge.read_truth(files[0], name="truth.csv")
    predictions = challenge.read_predictions(files[1], truth, name="team.csv")
    return challenge.score(truth, predictions, resamples=DRAWS, metric=metric)


def hecktor2026() -> scoring.ScoreCard:
    rows, guessed = (
        [
            {**row, "PatientID": f"{row['PatientID']}{k}", **shifted(row, k)}
            for row in of_four
            for k in range(6)
        ]
        for of_four in (ROWS, GUESSED)
    )
    masks = {f"{patient}{k}": mask for patient, mask in MASKS.items() for k in range(6)}
    submitted = {f"{patient}{k}": patients.labels(k % 3, 1) for patient in MASKS for k in range(6)}
    files = patients.truth_folder(rows, masks), patients.submission_folder(guessed, submitted)
    return patients.card(*files, resamples=DRAWS)


def shifted(row: dict, k: int) -> dict:
    return {key: row[key] + k / 7 for key in ("RFS", "risk") if row.get(key)}


CARDS = {
    "tricorder3": lambda: lesion_teams(4, N, (1,), resamples=DRAWS).cards["a"],
    "melanoma": lambda: risk_teams(2, N, (0.4,), resamples=DRAWS).cards["a"],
    "hecktor2026": hecktor2026,
    **{f"isic {metric}": partial(isic, metric) for metric in ("balanced_accuracy", "dice", "auc")},
    **{
        f"puma {rules}": lambda rules=rules: nuclei_lists.card(
            *map(numbered, realistic(5, images=24)), rules=rules, resamples=DRAWS
        )
        for rules in nuclei_lists.RULES
    },
}


@pytest.mark.parametrize("name", CARDS)
def test_the_score_is_a_function_of_its_sums(name):
    card = CARDS[name]()
    score = scoring.load_challenge(card.challenge).comparison.score_of_sums(card)
    sums = card.arrays["unit_sums"]
    assert sums.shape[0] == card.provenance["n_units"]
    rest = 0.1 if name == "tricorder3" else 0  # the efficiency of a small model
    assert float(score(sums.sum(0))) + rest == pytest.approx(card.score, abs=1e-6)
    many = score(np.tile(sums.sum(0), (2, 3, 1)))
    assert many.shape == (2, 3)
    if name in ("tricorder3", "isic balanced_accuracy", "isic dice", "puma pooled", "puma grand-challenge"):
        weights = np.concatenate(list(replicate_weights(np.arange(len(sums)), DRAWS, 0))).astype(float)
        assert score(weights @ sums) + rest == pytest.approx(card.arrays["score_replicates"], abs=1e-9)


@pytest.mark.parametrize("name", [name for name in CARDS if name != "isic auc"])
def test_categories_count_right_answers_and_cases(name):
    card = CARDS[name]()
    spec, sums = scoring.load_challenge(card.challenge).comparison, card.arrays["unit_sums"]
    score, known = spec.score_of_sums(card), spec.categories(card)
    cases = sum(sums[:, places] for places in known.cases)
    assert (sums[:, known.hits] <= cases + 1e-9).all()
    for category in np.flatnonzero(sums[:, known.hits].sum(0) < cases.sum(0)):
        better, worse = sums.sum(0), sums.sum(0)
        right = np.eye(len(known.hits))[category] / 2
        known.move(better, right)
        known.move(worse, -right)
        assert score(better) > score(worse)


def test_average_precision_tells_nobody_apart():
    assert "unit_sums" not in isic("ap").arrays
