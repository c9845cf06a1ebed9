"""The melanoma sample is clean for the official loader, and its teams have their characters."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from sample_data.generator import melanoma
from sample_data.generator.demographics import LOCATIONS
from scoring.challenges.melanoma import CHALLENGE as challenge
from tests.sample_data.committed import ROOT, columns, team

FOLDER = ROOT / "melanoma"
LABELS = columns(FOLDER / "labels.csv")
POSITIVE = np.array(LABELS["label"]) == "True"
TEAMS = {name: team(name, FOLDER)[:, 0] for name in melanoma.TEAMS}


def calibration_error(scores: np.ndarray) -> float:
    """Ten bins (k/10, (k+1)/10] of the score: mean distance of mean score and share of melanomas, weighted by
    the bins' cases."""
    bins = np.clip(np.ceil(10 * scores) - 1, 0, 9)
    return sum(
        (bins == k).mean() * abs(POSITIVE[bins == k].mean() - scores[bins == k].mean()) for k in set(bins)
    )


def f2(scores: np.ndarray) -> float:
    called = scores > 0.5
    hits, missed, alarms = (called & POSITIVE).sum(), (~called & POSITIVE).sum(), (called & ~POSITIVE).sum()
    return 5 * hits / (5 * hits + 4 * missed + alarms)


def test_labels_are_clean_for_the_official_loader():
    assert list(LABELS) == ["filename", "label", "Age", "Location", "Gender"]
    assert set(LABELS["label"]) == {"True", "False"}
    assert (len(POSITIVE), POSITIVE.sum()) == (150, 45)
    assert set(LABELS["Location"]) <= set(LOCATIONS)
    assert set(LABELS["Gender"]) == {"m", "f"}
    assert all(0 < int(age) <= 120 for age in LABELS["Age"])


def test_the_challenge_reads_everything_without_a_finding():
    truth = challenge.read_truth(FOLDER)
    assert truth.findings == ()
    assert None not in truth.images
    for name in melanoma.TEAMS:
        predictions = challenge.read_predictions(FOLDER / "teams" / f"{name}.csv", truth)
        assert [finding.code for finding in predictions.findings] == (
            ["labels-only"] if name == "iris" else []
        )


def test_team_characters_hold_on_this_test_set():
    errors = {name: calibration_error(scores) for name, scores in TEAMS.items()}
    areas = {name: roc_auc_score(POSITIVE, scores) for name, scores in TEAMS.items()}
    assert min(errors, key=errors.get) == "fornax"
    assert errors["fornax"] < 0.06
    assert max(areas, key=areas.get) == "gemini"
    assert np.median(TEAMS["gemini"][POSITIVE]) < 0.3
    assert f2(TEAMS["gemini"]) < min(f2(scores) for name, scores in TEAMS.items() if name != "gemini") - 0.2
    sure = (TEAMS["helios"] < 0.05) | (TEAMS["helios"] > 0.95)
    assert sure.mean() > 0.75
    assert ((TEAMS["helios"] > 0.5) == POSITIVE)[sure].mean() < 0.95
    assert set(TEAMS["iris"]) == {0.0, 1.0}
    assert min(areas, key=areas.get) == "iris"


def test_gemini_ranks_as_its_risk_does():
    odds = np.log(np.random.default_rng(0).dirichlet((1, 1), 200))
    screened = melanoma.as_in_screening(odds)
    assert (screened < melanoma.risk(odds)).all()
    assert (screened[:, 0].argsort() == melanoma.risk(odds)[:, 0].argsort()).all()


@pytest.mark.parametrize("threshold", [0.1, 0.5])
def test_decisions_are_cut_at_their_threshold(threshold):
    log_scores = np.log([[threshold + 0.01, 0.99 - threshold], [threshold - 0.01, 1.01 - threshold]])
    assert melanoma.decided(threshold)(log_scores).tolist() == [[1.0], [0.0]]
