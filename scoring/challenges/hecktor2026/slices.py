"""One patient's masks and images, for the slice viewer."""

from functools import partial

from scoring.challenges.hecktor2026 import masks
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.inputs.scenes import Scene, read_scene

IMAGE_NAMES = {"CT": "CT", "PT": "PET"}
"""Ending of an image's file -> its name, the lower one first."""


def scene(truth: HecktorTruth, predictions: HecktorSubmission, index: int) -> Scene | None:
    """Return the masks of one patient and, where they lie beside the truth's, CT and PET; None without a
    truth mask. Raises InputRefused."""
    patient = truth.ids[index]
    mask = masks.opener(truth.contents, patient)
    if truth.masks[index] is None or mask is None:
        return None
    beside = truth.contents.layout.images.get(patient, {})
    images = {
        name: partial(truth.contents.files.open, beside[ending])
        for ending, name in IMAGE_NAMES.items()
        if ending in beside
    }
    submitted = masks.opener(predictions.contents, patient)
    return read_scene(patient, mask, submitted, images)
