"""A submission: a team's masks, stages and scores, matched to the patients of a truth."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from scoring.challenges.hecktor2026 import mask_counts
from scoring.challenges.hecktor2026.formula import STAGES
from scoring.challenges.hecktor2026.stages import NO_STAGE
from scoring.challenges.hecktor2026.submitted_masks import SubmissionLayout
from scoring.challenges.hecktor2026.tables import PrognosisScores
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Array, Ints
from scoring.common.findings import Finding


@dataclass(frozen=True)
class HecktorSubmission:
    """A submission matched to the patients of the truth. Without a truth, its own patients are used.

    Attributes:
        stages: "t" or "n" -> stage codes [N], which can be `NO_STAGE` or `UNKNOWN_STAGE`; None without such a
            column.
        scores: "risk" or "time" -> the column of prognosis scores.
        masks: State of each mask, and its number of voxels by true and submitted label.
        unknown: Patients of the submission that the truth does not have.
        missing: Findings about required parts that are missing, under the default options.
    """

    per_case: ClassVar[tuple[str, ...]] = ("ids", "stages", "scores", "masks")
    ids: tuple[str, ...]
    stages: Mapping[str, Ints | None]
    scores: Mapping[str, PrognosisScores]
    masks: mask_counts.MaskCounts
    unknown: tuple[str, ...]
    read: tuple[Finding, ...]
    missing: tuple[Finding, ...]
    contents: SubmissionLayout

    @property
    def name(self) -> str:
        """Name of the submission in messages."""
        return self.contents.name

    @property
    def digest(self) -> str | None:
        """SHA-256 of the files that were read; None if unknown."""
        return self.contents.digest

    @property
    def model(self) -> None:
        """None: HECKTOR 2026 cannot score models."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings about the submission, under the default options."""
        return (*self.read, *self.missing)

    @property
    def absent(self) -> tuple[str, ...]:
        """Patients for whom nothing was submitted."""
        has = np.array([patient in self.contents.layout.masks for patient in self.ids], bool)
        for codes in self.stage_codes.values():
            has |= codes != NO_STAGE
        for scores in self.scores.values():
            has |= ~np.isnan(scores.values) | scores.unusable
        return tuple(patient for patient, is_there in zip(self.ids, has, strict=True) if not is_there)

    @property
    def stage_codes(self) -> dict[str, Ints]:
        """Kind of stage -> codes [N]. Without a column of this kind, all stages are missing."""
        missing = np.full(len(self.ids), NO_STAGE)
        return {kind: missing if codes is None else codes for kind, codes in self.stages.items()}

    @property
    def fingerprint(self) -> Array:
        """SHA-256 of the matched submission as uint8 [32]. Equal submissions have the same fingerprint."""
        kinds = sorted(self.scores)
        parts = [
            np.array(self.masks.states),
            *(self.stages[kind] for kind in STAGES),
            np.array(kinds, str),
            *(self.scores[kind].values for kind in kinds),
        ]
        content = b"|".join(
            [*self.masks.digests, *(b"none" if part is None else part.tobytes() for part in parts)]
        )
        return np.frombuffer(hashlib.sha256(content).digest(), np.uint8)


def with_nodes(truth: HecktorTruth, submission: HecktorSubmission) -> HecktorSubmission:
    """Return the submission, with its lesions of GTVn counted and matched."""
    if submission.masks.nodes is not None:
        return submission
    counted, _ = mask_counts.count_all(truth.masks, truth.ids, submission.contents, with_nodes=True)
    return replace(submission, masks=counted)
