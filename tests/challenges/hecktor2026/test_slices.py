"""What the slice viewer is given of a patient."""

import numpy as np

from scoring.challenges.hecktor2026 import patients
from tests.challenges.hecktor2026.four import MASKS, ROWS
from tests.support import volumes
from tests.support.findings import codes
from tests.support.patients import CHALLENGE, labels, truth_folder


def test_scenes_of_masks_alone_and_with_images(four_read):
    truth, submission = four_read
    alone = patients.scene(truth, submission, 0)
    assert np.count_nonzero(alone.labels) == 2
    assert alone.backgrounds == ()
    assert patients.scene(truth, submission, 3) is None
    image = volumes.zipped(volumes.nifti(np.arange(12).reshape(3, 2, 2), dtype="<i2"))
    beside = CHALLENGE.read_truth(
        truth_folder(ROWS, MASKS) | {"masks/P0__CT.nii.gz": image, "masks/P0__PT.nii.gz": image}
    )
    assert [background.name for background in patients.scene(beside, submission, 0).backgrounds] == [
        "CT",
        "PET",
    ]


def test_a_malformed_mask_is_not_shown_and_a_missing_one_is_none(four_read):
    truth, _ = four_read
    broken = CHALLENGE.read_predictions(
        {f"masks/P{i}.nii": volumes.nifti(labels(label)) for i, label in enumerate((5, 1))}, truth
    )
    assert codes(patients.scene(truth, broken, 0).findings) == ["malformed-mask"]
    assert (patients.scene(truth, broken, 2).labels >> 4).max() == 0
