"""A submission compared with a truth under given options, and its measures on many test sets at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from scoring.challenges.isic import measures
from scoring.challenges.isic.measures import CategoryScores
from scoring.challenges.isic.options import IsicOptions
from scoring.challenges.isic.truth import IsicCases
from scoring.common.arrays import Bools, Floats, Ints
from scoring.core.submission import Predictions
from scoring.metrics import subgroups
from scoring.metrics.subgroups import Groups, SubgroupShare
from scoring.statistics.interval_basis import Basis, counted


@dataclass(frozen=True)
class IsicEvaluation:
    """Predictions and truth with the options.

    Attributes:
        groups: Subgroups to compute shares for; empty without metadata.
    """

    truth: IsicCases
    predictions: Predictions
    options: IsicOptions
    groups: Groups = field(default_factory=dict)

    @cached_property
    def answers(self) -> CategoryScores:
        """Truth and scores side by side."""
        return measures.answers(self.truth, self.predictions, self.options.malignant, self.options.inclusive)

    @cached_property
    def scored(self) -> Bools:
        """Cases with a weight [N]."""
        return np.asarray(self.truth.weights.score > 0)

    @cached_property
    def supports(self) -> dict[str, int]:
        """Number of cases with a weight in each category."""
        counts = (self.answers.positives & self.scored[:, None]).sum(0).tolist()
        return dict(zip(self.answers.categories, counts, strict=True))

    @cached_property
    def shares(self) -> Mapping[str, SubgroupShare]:
        """Counts of every subgroup."""
        a = self.answers
        places = [k for k, name in enumerate(a.categories) if name in self.options.malignant]
        labelled, ill = a.labels >= 0, np.isin(a.labels, places)
        return {
            "accuracy": SubgroupShare(labelled & (a.labels == a.predicted), labelled),
            "malignant_sensitivity": SubgroupShare(ill & np.isin(a.predicted, places), ill, "n_malignant"),
        }

    @cached_property
    def point(self) -> dict[Any, Floats]:
        """Every measure on the test set itself, [1] each."""
        return self.quantities(self.truth.weights.score[None])

    def basis(self, units: Ints) -> Basis:
        """Return the basis of `quantities`, from the unit number of each case [N]."""
        of_measures = measures.basis(self.answers, units, self.options.ranked_by)
        inside = counted(subgroups.members(self.groups, self.shares), units)
        return replace(of_measures, units={**of_measures.units, **inside})

    def quantities(self, weights: Floats) -> dict[Any, Floats]:
        """Return every measure with an interval, [B] by name."""
        values = measures.quantities(self.answers, weights, self.options.ranked_by)
        return values | subgroups.quantities(self.groups, self.shares, weights)
