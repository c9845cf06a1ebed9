"""What is shown of centers."""

import numpy as np
import pytest

from scoring.challenges.hecktor2026 import rescoring
from scoring.presentation.figures.theme import LIGHT
from tests.challenges.hecktor2026.four import GUESSED, MASKS, ROWS
from tests.support.patients import CHALLENGE, labels, submission_folder, truth_folder


def test_intervals_of_a_center_are_those_of_its_patients_in_the_replicates():
    rows = [
        {**row, "PatientID": f"{row['PatientID']}{k}", "CenterID": "AB"[k % 2]}
        for row in ROWS
        for k in range(6)
    ]
    guessed = [{**row, "PatientID": f"{row['PatientID']}{k}"} for row in GUESSED for k in range(6)]
    masks = {f"{patient}{k}": mask for patient, mask in MASKS.items() for k in range(6)}
    submitted = {f"{patient}{k}": labels(k % 3, 1) for patient in MASKS for k in range(6)}
    truth = CHALLENGE.read_truth(truth_folder(rows, masks))
    submission = CHALLENGE.read_predictions(submission_folder(guessed, submitted), truth)
    card = CHALLENGE.score(truth, submission, resamples=30, seed=1, interval="percentile")
    found = rescoring.center_intervals(truth, submission, card)
    counts = np.random.default_rng(1).multinomial(24, np.full(24, 1 / 24), size=30)
    for center in "AB":
        inside = [
            i for i, row in enumerate(card.cases) if row["center"] == center and row["dice_gtvn"] is not None
        ]
        dice = np.array([card.cases[i]["dice_gtvn"] for i in inside])
        drawn = counts[:, inside] @ dice / counts[:, inside].sum(1)
        assert found[center]["dice_gtvn"] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=1e-12)
        assert set(found[center]) < set(card.more["per_center"][center])
    assert (
        rescoring.center_intervals(truth, submission, CHALLENGE.score(truth, submission, resamples=0)) == {}
    )


def test_what_is_said_of_a_center_rests_on_its_patients_alone():
    rows = [{**ROWS[0], "PatientID": f"P{k:02d}", "CenterID": "AB"[k < 2]} for k in range(20)]
    masks = {row["PatientID"]: labels(1, 1, 2, 2) for row in rows}
    sent = {patient: labels(1, k % 2, 2, 2) for k, patient in enumerate(masks)}
    truth = CHALLENGE.read_truth(truth_folder(rows, masks))
    submission = CHALLENGE.read_predictions(submission_folder([], sent), truth)
    card = CHALLENGE.score(truth, submission, resamples=50)
    two, others = (
        rescoring.center_intervals(truth, submission, card)[center]["segmentation"] for center in "BA"
    )
    assert two[0] < 0.2 < 0.6 < others[0]  # of two patients nearly anything may be true


def test_a_figure_has_the_values_of_the_card_and_the_intervals_it_is_given(card):
    found = card.more["per_center"]
    between = {name: {"dice_gtvn": [0.25, 0.75]} for name in found}
    figure = rescoring.center_figure(card, "dice_gtvn", "Dice of GTVn", between)
    assert figure.data == {
        "center": list(found),
        "Dice of GTVn": [entry["dice_gtvn"] for entry in found.values()],
        "n": [entry["n_cases"] for entry in found.values()],
    }
    drawn = figure.build(LIGHT)
    assert drawn.layout.meta["question"] == "Are the results similar in all groups?"
    assert [x + more for x, more in zip(drawn.data[0].x, drawn.data[0].error_x.array, strict=True)] == [
        0.75
    ] * len(found)
