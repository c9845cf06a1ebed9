"""Computes Dice, staging and C-index of HECKTOR 2026 for a submission that is matched to a truth, on many
replicates at once.

Row b of weights [B, N] states how often each patient is in test set b.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES, STRUCTURES, T0, HecktorOptions, weighted
from scoring.challenges.hecktor2026.stages import NO_STAGE
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.tables import oriented
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.arrays import Bools, Floats, Ints
from scoring.metrics import classification, dice_and_panoptic_quality, survival
from scoring.metrics.classification import ClassCounts, weighted_mean
from scoring.metrics.survival import ConcordancePairs
from scoring.statistics.interval_basis import Basis, QuantityName, counted, mean
from scoring.statistics.replicates import Quantities


@dataclass(frozen=True)
class HecktorEvaluation:
    """A submission matched to the truth, with the scoring options.

    Attributes:
        members: Which patients are evaluated, bool [N]; True: all patients.
    """

    truth: HecktorTruth
    submission: HecktorSubmission
    options: HecktorOptions
    members: Bools | bool = True

    @cached_property
    def once(self) -> Floats:
        """Weights [1, N] that count every patient once."""
        return np.ones((1, len(self.truth)), np.float32)

    @cached_property
    def point(self) -> Quantities:
        """Every measure on the test set itself, as arrays [1]."""
        return self.quantities(self.once)

    @cached_property
    def voxels(self) -> Mapping[str, tuple[Ints, Ints, Ints]]:
        """Numbers of voxels [N] of each structure: in both masks, in the true mask, and in the submitted
        mask."""
        tables = self.submission.masks.tables
        return {s: dice_and_panoptic_quality.overlap(tables, label) for s, (_, label) in STRUCTURES.items()}

    @cached_property
    def scored_voxels(self) -> Mapping[str, tuple[Ints, ...]]:
        """As `voxels`, but only for patients with a true mask."""
        return {s: tuple(v[self.truth.has_mask] for v in voxels) for s, voxels in self.voxels.items()}

    @cached_property
    def dices(self) -> Mapping[str, Floats]:
        """Dice of every patient [N] by structure. NaN without a true mask, and if both masks are empty and
        the rules leave this case out."""
        counts = self.truth.has_mask & self.members
        return {
            s: np.where(counts, dice_and_panoptic_quality.dice(*voxels, self.options.empty_masks), np.nan)
            for s, voxels in self.voxels.items()
        }

    @cached_property
    def true_stages(self) -> Mapping[str, Ints]:
        """True stages as codes [N] by kind; `NO_STAGE` for patients who are not evaluated."""
        codes = dict(self.truth.stages)
        if self.options.t0 == "exclude":
            codes["t"] = np.where(codes["t"] == T0, NO_STAGE, codes["t"])
        return {kind: np.where(self.members, codes[kind], NO_STAGE) for kind in STAGES}

    @cached_property
    def submitted_stages(self) -> Mapping[str, Ints]:
        """Submitted stages as codes [N] by kind; `NO_STAGE` for patients without a true stage."""
        codes = self.submission.stage_codes
        return {kind: np.where(true >= 0, codes[kind], NO_STAGE) for kind, true in self.true_stages.items()}

    @cached_property
    def risks(self) -> Floats:
        """Risk scores [N]; a higher score is a worse prognosis; NaN if a patient has no score."""
        return oriented(self.submission.scores, self.options.prognosis_direction, len(self.truth))

    @cached_property
    def pairs(self) -> ConcordancePairs:
        """Numbers of comparable pairs of patients that the risk scores order correctly, wrongly or not at
        all."""
        return self.pairs_of(self.once)

    def among(self, members: Bools) -> "HecktorEvaluation":
        """Return the same evaluation for only some patients, bool [N]."""
        return replace(self, members=members)

    def stage_counts(self, kind: str, weights: Floats) -> ClassCounts:
        """Count true, predicted and correctly predicted patients of each stage, among patients with a true
        stage. A missing or unusable prediction is not counted as a class."""
        true, submitted = self.true_stages[kind], self.submitted_stages[kind]
        return classification.counts(true, submitted, weights, len(STAGES[kind]))

    def pairs_of(self, weights: Floats) -> ConcordancePairs:
        """Count the comparable pairs that the risk scores order correctly, wrongly or not at all, among
        patients with known time and event."""
        truth = self.truth
        known = truth.has_survival & self.members
        return survival.pairs(
            truth.time[known], truth.event[known] == 1, self.risks[known], weights[:, known]
        )

    def concordance(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return the C-index [B]."""
        return {"c_index": survival.c_index(self.pairs_of(weights), self.options.missing_risk)}

    def quantities(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return every measure of `WITH_INTERVAL` as arrays [B]; NaN if undefined. Measures of a class have
        the key (measure, class)."""
        values: dict[QuantityName, Floats] = {
            f"dice_{s}": weighted_mean(dice, weights) for s, dice in self.dices.items()
        }
        of_classes: dict[QuantityName, Floats] = {
            ("mean_dice", name): values[f"dice_{s}"] for s, (name, _) in STRUCTURES.items()
        }
        values["segmentation"] = (values["dice_gtvp"] + values["dice_gtvn"]) / 2
        for kind in STAGES:
            counts = self.stage_counts(kind, weights)
            recall = classification.recall(counts)
            values[f"balanced_accuracy_{kind}"] = classification.mean_over_present(recall, counts)
            of_classes |= {("recall", name): recall[:, k] for k, name in enumerate(STAGES[kind])}
        values["staging"] = (values["balanced_accuracy_t"] + values["balanced_accuracy_n"]) / 2
        values |= self.concordance(weights)
        values["score"] = weighted(values["segmentation"], values["staging"], values["c_index"])
        return values | of_classes

    def basis(self, units: Ints) -> Basis:
        """Return how many units each quantity of `quantities` depends on. `units` contains the unit number of
        each patient [N]."""
        cases: dict[QuantityName, Bools] = {}
        for s, (name, _) in STRUCTURES.items():
            cases |= dict.fromkeys((f"dice_{s}", ("mean_dice", name)), np.isfinite(self.dices[s]))
        cases["segmentation"] = np.any([np.isfinite(dice) for dice in self.dices.values()], axis=0)
        died = self.truth.has_survival & self.members & (self.truth.event == 1)
        cases["c_index"] = died
        for kind, names in STAGES.items():
            cases |= {("recall", name): self.true_stages[kind] == k for k, name in enumerate(names)}
        rests_on = counted(cases, units)
        parts: dict[QuantityName, dict[QuantityName, float]] = {}
        for kind, names in STAGES.items():
            parts[f"balanced_accuracy_{kind}"] = mean([("recall", name) for name in names], rests_on)
        staging = {name: weight / 2 for of in parts.values() for name, weight in of.items()}
        share = weighted(0, 1, 0)
        wholes = {"c_index": weighted(0, 0, 1)} | {f"dice_{s}": weighted(0.5, 0, 0) for s in STRUCTURES}
        return Basis(
            rests_on,
            {**parts, "staging": staging, "score": {name: share * w for name, w in staging.items()}},
            wholes={"score": wholes},
        )
