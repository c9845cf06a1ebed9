"""Where the Dice of patients lies, what became of their voxels, restated in plain loops over label maps; who
stands out most."""

import numpy as np
import pytest

from scoring.challenges.hecktor2026 import patients as of_patients
from tests.challenges.hecktor2026.eight import GUESS, ROWS, TRUE
from tests.support import patients
from tests.support.patients import labels


@pytest.mark.parametrize(("structure", "label"), [("gtvp", 1), ("gtvn", 2)])
def test_every_patient_with_a_mask_is_above_zero_or_empty(card, structure, label):
    found = of_patients.spread(card, structure)
    for i, (patient, true) in enumerate(TRUE.items()):
        guess = GUESS.get(patient, labels())
        kind = (
            "empty"
            if not (true == label).any() and not (guess == label).any()
            else "above"
            if ((true == label) & (guess == label)).any()
            else "zero"
        )
        assert [i in group for group in (found.above, found.zero, found.empty)] == [
            kind == name for name in ("above", "zero", "empty")
        ]
    assert 7 not in (*found.above, *found.zero, *found.empty)


def test_voxels_of_a_patient_are_each_counted_where_they_belong(read):
    for i in range(len(ROWS)):
        found = of_patients.volumes(*read, i)
        if f"P{i}" not in TRUE:
            assert found == ()
            continue
        true, guess = TRUE[f"P{i}"].ravel(), GUESS.get(f"P{i}", labels()).ravel()
        for volumes, wanted in zip(found, ((1, 2), (1,), (2,)), strict=True):
            inside, told = np.isin(true, wanted), np.isin(guess, wanted)
            right, renamed = (
                (inside & told & (true == guess)).sum(),
                ((true > 0) & (guess > 0) & (true != guess) & (inside | told)).sum(),
            )
            apart = 0 if len(wanted) == 1 else renamed
            counts = right, told.sum() - right - apart, inside.sum() - right - apart, renamed
            assert (volumes.right, volumes.spurious, volumes.missed, volumes.renamed) == pytest.approx(
                [n * patients.VOXEL_ML for n in counts]
            )


def test_the_worst_patients(four_card):
    def named(by):
        return [(entry.case, round(entry.value, 12)) for entry in of_patients.worst(four_card, by)]

    assert named("dice") == [
        ("P0", round((2 / 3 + 0) / 2, 12)),
        ("P2", round((2 / 3 + 0) / 2, 12)),
        ("P1", 1),
    ]
    assert named("stages") == [("P0", 3 + 1), ("P1", 1 + 3), ("P2", 0)]
    assert named("pairs") == [("P2", 3), ("P0", 2), ("P1", 2), ("P3", 1)]
    assert len(of_patients.worst(four_card, "pairs", 2)) == 2


def test_discordant_partners(four_card):
    assert of_patients.discordant_with(four_card, 0) == (1,)
    assert of_patients.discordant_with(four_card, 1) == (0,)
    assert of_patients.discordant_with(four_card, 2) == ()
    for i, row in enumerate(four_card.cases):
        assert len(of_patients.discordant_with(four_card, i)) == row["discordant_pairs"]
