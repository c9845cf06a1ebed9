"""Computes every measure of a declared challenge for many replicates at once: row b of the weights [B, N] is
one test set. Also computes the sums by unit that the swap test between teams needs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from scoring.challenges.declared.declaration import Declaration, MetricUse
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import SCORE
from scoring.metrics import classification, subgroups
from scoring.metrics.curves import auc_without_each_unit
from scoring.metrics.subgroups import Groups, SubgroupShare
from scoring.metrics.task_cases import Cases, LabelledCases, RegionCases, some_of
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis, QuantityName, beyond, counted, mean
from scoring.statistics.intervals import Range
from scoring.statistics.replicates import leave_one_out_weights

MEANS_OF_CLASSES = {("balanced_accuracy", None): "recall", ("f1", "macro"): "f1"}
"""Name of a metric and its `average` -> the measure of a class of which the metric is the unweighted mean."""
AREAS, DISTANCES = ("auc",), ("hd95", "assd")
AT_CHOSEN = {
    "sensitivity_at_specificity": (False, "min_specificity"),
    "specificity_at_sensitivity": (True, "min_sensitivity"),
}
"""Metric whose threshold is chosen on the test set -> whether the positive cases determine this threshold,
and the option that states the value to reach."""
ONE = np.ones((1, 1))
MOST_CELLS = 256
"""Maximum number of cells of a confusion matrix for which sums by unit are computed."""
MOST_LEFT_OUT = 1_000
"""Maximum number of units that are left out, or exchanged, one by one. If there are more, units are
grouped."""


@dataclass(frozen=True)
class Measured:
    """Cases with the values that their metrics need.

    Attributes:
        counted: Which cases count for the score [N].
        groups: Column -> group -> whether each case belongs to the group [N].
        by_use: Key of a metric -> its cases, if each metric has cases of its own.
    """

    declaration: Declaration
    cases: Cases
    counted: Bools
    groups: Groups = field(default_factory=dict)
    by_use: Mapping[str, Cases] = field(default_factory=dict)

    def of(self, use: MetricUse) -> Cases:
        """Return the cases in the form that a metric needs."""
        return self.by_use.get(use.key, self.cases)

    @property
    def shares(self) -> Mapping[str, SubgroupShare]:
        """The cases that count for the score, under the name of the score, in the form in which subgroups are
        computed."""
        return {SCORE: SubgroupShare(self.counted, self.counted, "n")}

    def of_each_case(self, use: MetricUse) -> Floats:
        """Return a metric computed on each single case [N]; NaN if undefined."""
        places, cases = np.arange(len(self.counted)), self.of(use)
        return np.concatenate([use.compute(some_of(cases, places == i), ONE) for i in places])

    def quantities(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return score, metrics, class measures and subgroup scores for every row of weights [B, N], as
        arrays [B] by name."""
        uses = self.declaration.score
        values: dict[QuantityName, Floats] = {
            use.key: use.compute(self.of(use), weights) for use in self.declaration.uses
        }
        values[SCORE] = weighted(uses, values)
        values |= self._of_classes(weights)
        for column, groups in self.groups.items():
            for name, members in groups.items():
                some = weights[:, members]
                parts: dict[QuantityName, Floats] = {
                    use.key: use.compute(some_of(self.of(use), members), some) for use in uses
                }
                values["slice", column, name, SCORE] = weighted(uses, parts)
        return values

    def basis(self, units: Ints) -> Basis:
        """Return how many units each quantity of `quantities` depends on. `units` contains the unit number of
        each case [N]."""
        declaration, cases = self.declaration, self.cases
        ranges: dict[QuantityName, Range] = {use.key: use.metric.range for use in declaration.uses}
        resting: dict[Any, Bools] = subgroups.members(self.groups, self.shares)
        curves = self._of_curves(units)
        worst = {use.key: 0.5 for use in declaration.uses if use.metric.name in AREAS}
        jumping = frozenset(use.key for use in declaration.uses if use.metric.name in AT_CHOSEN)
        ranges |= dict.fromkeys([SCORE, *resting], declaration.quantity.range)
        if use := by_class(declaration):
            ranges |= {(use.metric.name, name): use.metric.range for name in declaration.names}
        if not isinstance(cases, LabelledCases) or cases.predicted is None:
            return Basis(counted(resting, units) | curves, {}, ranges, {}, worst, jumping)
        for k, name in enumerate(declaration.classes):
            held = self.counted & (cases.truth == k)
            resting |= {("recall", name): held, ("f1", name): held}
            resting["precision", name] = self.counted & (cases.predicted == k)
        rests_on = counted(resting, units) | curves
        return Basis(rests_on, self._parts(rests_on), ranges, {}, worst, jumping)

    def possible(self, name: QuantityName, bounds: list[float] | None) -> list[float] | None:
        """Return an interval (None stays None) cut off at the highest possible value of a quantity. For
        distances this is the value of a missing mask."""
        first = SCORE if name[0] == "slice" else name if isinstance(name, str) else name[0]
        if first == SCORE:
            highest = sum(use.weight * self._highest_of(use) for use in self.declaration.score)
        else:
            uses = [use for use in self.declaration.uses if first in (use.key, use.metric.name)]
            highest = max(map(self._highest_of, uses), default=np.inf)
        return bounds and [min(end, highest) for end in bounds]

    def _highest_of(self, use: MetricUse) -> float:
        cases = self.of(use)
        if use.metric.name not in DISTANCES or not isinstance(cases, RegionCases):
            return use.metric.range[1]
        measured = cases.measured[..., 0]
        longest = use.options.get("worst_mm") or cases.measured[..., 3].max(initial=0)
        return float(max(longest, measured[np.isfinite(measured)].max(initial=0)))

    def _of_curves(self, units: Ints) -> dict[QuantityName, int]:
        """Return the number of units on which each area under a curve and each metric at a chosen threshold
        depends. Empty unless there is a positive class."""
        cases, found = self.cases, dict[QuantityName, int]()
        if not isinstance(cases, LabelledCases) or cases.the_positive is None:
            return found
        ill = cases.truth == cases.the_positive
        of = counted({True: self.counted & ill, False: self.counted & ~ill}, units)
        for use in self.declaration.uses:
            if use.metric.name in AREAS:
                found[use.key] = min(of.values())
            elif use.metric.name in AT_CHOSEN:
                side, option = AT_CHOSEN[use.metric.name]
                found[use.key] = beyond(of[side], float(use.option(option)), of[not side])
        return found

    def _parts(self, rests_on: Mapping[QuantityName, int]) -> dict[QuantityName, dict[QuantityName, float]]:
        """Return the weight of each class in metrics that are plain means over classes, and in the score."""
        parts: dict[QuantityName, dict[QuantityName, float]] = {}
        for use in self.declaration.uses:
            if measure := MEANS_OF_CLASSES.get((use.metric.name, use.options.get("average"))):
                parts[use.key] = mean([(measure, name) for name in self.declaration.classes], rests_on)
        score: dict[QuantityName, float] = {}
        for use in self.declaration.score:
            for name, weight in parts.get(use.key, {}).items():
                score[name] = score.get(name, 0.0) + use.weight * weight
        return parts | ({SCORE: score} if score else {})

    def _of_classes(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return recall, precision and F1 of each class. For other tasks, return the first metric of the
        score for each class or region."""
        names = self.declaration.names
        if isinstance(self.cases, LabelledCases) and self.cases.predicted is not None:
            c = classification.counts(self.cases.truth, self.cases.predicted, weights, len(names))
            f1 = classification.f_score(c.true_positive, c.support, c.predicted)
            f1 = np.where(c.support + c.predicted > 0, f1, np.nan)
            measures = {
                "recall": classification.recall(c),
                "precision": classification.precision(c),
                "f1": f1,
            }
            return {(m, name): of[:, k] for m, of in measures.items() for k, name in enumerate(names)}
        if (use := by_class(self.declaration)) is None:
            return {}
        options = {key: value for key, value in use.options.items() if key not in ("average", "class")}
        compute, cases = use.metric.compute, self.of(use)
        return {(use.metric.name, n): compute(cases, weights, **options, **{"class": n}) for n in names}


def by_class(declaration: Declaration) -> MetricUse | None:
    """Return the first metric of the score that has a value for each class; None for ordinal classes."""
    uses = (use for use in declaration.score if "class" in use.metric.parameters)
    return None if declaration.is_graded else next(uses, None)


def weighted(uses: Sequence[MetricUse], values: Mapping[QuantityName, Floats]) -> Floats:
    """Return the weighted sum [B] of metrics, added in the order of the file. The sum is NaN if a metric is
    undefined."""
    total = uses[0].weight * values[uses[0].key]
    for use in uses[1:]:
        total = total + use.weight * values[use.key]
    return total


def of_counts(declaration: Declaration) -> tuple[MetricUse, ...]:
    """Return the metrics of the score that can be computed from the confusion matrix alone."""
    is_small = declaration.is_graded and len(declaration.classes) ** 2 <= MOST_CELLS
    return tuple(use for use in declaration.score if is_small and use.metric.needs == "labels")


def unit_sums(declaration: Declaration, measured: Measured, units: Ints) -> Floats:
    """Return values for each unit [n, ...]; the score is computed from their sums over the units. The values
    are cells of the confusion matrix and, for other parts of the score, jackknife pseudo-values."""
    counted, columns = of_counts(declaration), []
    rest = tuple(use for use in declaration.score if use not in counted)
    weights, cases = measured.counted.astype(float), measured.cases
    units = units % MOST_LEFT_OUT if rest and units.max() >= MOST_LEFT_OUT else units
    if counted and isinstance(cases, LabelledCases):
        k = len(declaration.classes)
        cells = np.zeros((int(units.max()) + 1, k * k))
        np.add.at(cells, (units, cases.truth * k + np.asarray(cases.predicted)), weights)
        columns.append(cells)
    if rest:
        point = sum(use.weight * use.compute(measured.of(use), weights[None]) for use in rest)
        left = sum(use.weight * _left_out(measured, use, units, weights) for use in rest)
        values = permutation_test.pseudo_values(float(np.sum(point)), np.asarray(left))
        columns.append(values[:, None] / len(values))
    return np.hstack(columns)


def _left_out(measured: Measured, use: MetricUse, units: Ints, weights: Floats) -> Floats:
    """Return the metric with each unit left out in turn [n]."""
    cases = measured.of(use)
    if use.metric.name == "auc" and not use.options and isinstance(cases, LabelledCases):
        place = cases.the_positive
        if place is not None and cases.scores is not None:
            return auc_without_each_unit(cases.scores[:, place], cases.truth == place, units, weights)
    return np.concatenate([use.compute(cases, block) for block in leave_one_out_weights(units, weights)])


def score_of_sums(declaration: Declaration) -> Callable[[Floats], Floats]:
    """Return the function that computes the score from sums [..., K] of `unit_sums`."""
    counted, classes = of_counts(declaration), declaration.classes
    k, places = len(classes), np.arange(len(classes))
    of_cells = np.repeat(places, k), np.tile(places, k)
    cells = LabelledCases(*of_cells, None, classes, declaration.positive_place)

    def score(sums: Floats) -> Floats:
        if not counted:
            return np.asarray(sums[..., 0])
        flat = sums[..., : k * k].reshape(-1, k * k)
        total = sum(use.weight * use.compute(cells, flat) for use in counted)
        shaped = np.asarray(total).reshape(sums.shape[:-1])
        return shaped + sums[..., k * k] if sums.shape[-1] > k * k else shaped

    return score
