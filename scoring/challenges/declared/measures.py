"""Every quantity of a declared challenge, for many weights at once (row b of W [B, N] is one test set); and
sums of its score by unit, so that the swap test can tell teams apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

import numpy as np

from scoring.challenges.declared.declaration import Declaration, MetricUse
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import SCORE
from scoring.metrics import classification, subgroups
from scoring.metrics.curves import auc_without_each_unit
from scoring.metrics.subgroups import Groups, SubgroupShare
from scoring.metrics.task_cases import Cases, DetectionCases, LabelledCases, RegionCases
from scoring.statistics import permutation_test
from scoring.statistics.intervals import Range
from scoring.statistics.replicates import leave_one_out_weights
from scoring.statistics.sample_size import Basis, QuantityName, beyond, counted, mean

MEANS_OF_CLASSES = {("balanced_accuracy", None): "recall", ("f1", "macro"): "f1"}
"""Measure of classes whose plain mean a metric is, by its name and average."""
AREAS, DISTANCES = ("auc",), ("hd95", "assd")
AT_CHOSEN = {
    "sensitivity_at_specificity": (False, "min_specificity"),
    "specificity_at_sensitivity": (True, "min_sensitivity"),
}
"""Metrics at a threshold that is chosen on the test set: whether positives choose it, and the option of what
they reach."""
ONE = np.ones((1, 1))
MOST_CELLS = 256
"""Cells of a confusion matrix that are summed by unit, at most."""
MOST_LEFT_OUT = 1_000
"""Units above which several are left out, and exchanged, at once."""


@dataclass(frozen=True)
class Measured:
    """Cases with what is computed of them.

    Attributes:
        counted: Cases that count [N].
        by_use: Cases by the key of a metric, where each metric has its own.
        groups: Members [N] by column and group, for subgroups.
    """

    declaration: Declaration
    cases: Cases
    counted: Bools
    groups: Groups = field(default_factory=dict)
    by_use: Mapping[str, Cases] = field(default_factory=dict)

    def of(self, use: MetricUse) -> Cases:
        """Return the cases as a metric takes them."""
        return self.by_use.get(use.key, self.cases)

    @property
    def shares(self) -> Mapping[str, SubgroupShare]:
        """The score as a quantity of subgroups, with the cases that count."""
        return {SCORE: SubgroupShare(self.counted, self.counted, "n")}

    def score(self, weights: Floats, members: Bools | None = None) -> Floats:
        """Return the score alone [B]; NaN where a part is undefined. members: some of the cases [N]."""
        parts: dict[QuantityName, Floats] = {}
        for use in self.declaration.score:
            cases = self.of(use) if members is None else of_members(self.of(use), members)
            parts[use.key] = use.metric.compute(cases, weights, **use.options)
        return weighted(self.declaration.score, parts)

    def of_each_case(self, use: MetricUse) -> Floats:
        """Return a metric of each case by itself [N]; NaN where it is undefined."""
        values = [
            use.metric.compute(
                of_members(self.of(use), np.arange(len(self.counted)) == i), ONE, **use.options
            )
            for i in range(len(self.counted))
        ]
        return np.concatenate(values)

    def quantities(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return score, metrics, measures of classes and scores of subgroups, [B] by name."""
        found: dict[QuantityName, Floats] = {
            use.key: use.metric.compute(self.of(use), weights, **use.options) for use in self.declaration.uses
        }
        found[SCORE] = weighted(self.declaration.score, found)
        found |= self._of_classes(weights)
        for column, groups in self.groups.items():
            for name, members in groups.items():
                found["slice", column, name, SCORE] = self.score(weights[:, members], members)
        return found

    def basis(self, units: Ints) -> Basis:
        """Return the basis of `quantities`, from the unit number of each case [N]."""
        declaration, cases = self.declaration, self.cases
        ranges: dict[QuantityName, Range] = {use.key: use.metric.range for use in declaration.uses}
        ranges[SCORE] = declaration.range
        resting: dict[Any, Bools] = subgroups.members(self.groups, self.shares)
        curves = self._of_curves(units)
        worst = {use.key: 0.5 for use in declaration.uses if use.metric.name in AREAS}
        jumping = frozenset(use.key for use in declaration.uses if use.metric.name in AT_CHOSEN)
        ranges |= dict.fromkeys(resting, declaration.range)
        use = by_class(declaration)
        if use is not None:
            ranges |= {(use.metric.name, name): use.metric.range for name in declaration.names}
        if not isinstance(cases, LabelledCases) or cases.predicted is None:
            return Basis(counted(resting, units) | curves, {}, ranges, {}, worst, jumping)
        for k, name in enumerate(declaration.classes):
            held = self.counted & (cases.truth == k)
            resting |= dict.fromkeys((("recall", name), ("f1", name)), held)
            resting["precision", name] = self.counted & (cases.predicted == k)
        rests_on = counted(resting, units) | curves
        return Basis(rests_on, self._parts(rests_on), ranges, {}, worst, jumping)

    def highest(self, name: QuantityName) -> float:
        """Return the highest value that a quantity can have on these cases: no distance in an image is longer
        than what counts where a mask is missing."""
        first = SCORE if name[0] == "slice" else name if isinstance(name, str) else name[0]
        if first == SCORE:
            return sum(use.weight * self._highest_of(use) for use in self.declaration.score)
        uses = [use for use in self.declaration.uses if first in (use.key, use.metric.name)]
        return max(map(self._highest_of, uses), default=np.inf)

    def _highest_of(self, use: MetricUse) -> float:
        cases = self.of(use)
        if use.metric.name not in DISTANCES or not isinstance(cases, RegionCases):
            return use.metric.range[1]
        found = cases.measured[..., 0]
        longest = use.options.get("worst_mm") or cases.measured[..., 3].max(initial=0)
        return float(max(longest, found[np.isfinite(found)].max(initial=0)))

    def _of_curves(self, units: Ints) -> dict[QuantityName, int]:
        """Return what areas and chosen thresholds rest on, where there are two classes."""
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
        """Return the classes in metrics that are plain means over them, and in the score."""
        parts: dict[QuantityName, dict[QuantityName, float]] = {}
        for use in self.declaration.uses:
            measure = MEANS_OF_CLASSES.get((use.metric.name, use.options.get("average")))
            if measure:
                parts[use.key] = mean([(measure, name) for name in self.declaration.classes], rests_on)
        score: dict[QuantityName, float] = {}
        for use in self.declaration.score:
            for name, weight in parts.get(use.key, {}).items():
                score[name] = score.get(name, 0.0) + use.weight * weight
        return parts | ({SCORE: score} if score else {})

    def _of_classes(self, weights: Floats) -> dict[QuantityName, Floats]:
        """Return recall, precision and F1 of each class; where cases have several labels, the first part of
        the score by label."""
        classes = self.declaration.names
        if isinstance(self.cases, LabelledCases) and self.cases.predicted is not None:
            c = classification.counts(self.cases.truth, self.cases.predicted, weights, len(classes))
            f1 = classification.f_score(c.true_positive, c.support, c.predicted)
            f1 = np.where(c.support + c.predicted > 0, f1, np.nan)
            measures = {
                "recall": classification.recall(c),
                "precision": classification.precision(c),
                "f1": f1,
            }
            return {
                (m, name): values[:, k] for m, values in measures.items() for k, name in enumerate(classes)
            }
        use = by_class(self.declaration)
        if use is None:
            return {}
        options = {key: value for key, value in use.options.items() if key != "average"}
        return {
            (use.metric.name, name): use.metric.compute(self.of(use), weights, **options | {"class": name})
            for name in classes
        }


def by_class(declaration: Declaration) -> MetricUse | None:
    """Return the first part of the score that has a value for each class; None where none has, or where a
    class has one by its recall and precision."""
    if declaration.is_graded:
        return None
    uses = (use for use in declaration.score if "class" in use.metric.parameters)
    return next(uses, None)


def of_members(cases: Cases, members: Bools) -> Cases:
    """Return some of the cases. members: which [N]."""
    if isinstance(cases, DetectionCases):
        rows, number = members[cases.image], np.cumsum(members) - 1
        image, objects = number[cases.image[rows]], cases.objects[members]
        kind, score, hit = cases.kind[rows], cases.score[rows], cases.hit[rows]
        return DetectionCases(image, kind, score, hit, objects, cases.classes)
    arrays: dict[str, Any] = {
        entry.name: value[members]
        for entry in fields(cases)
        if isinstance(value := getattr(cases, entry.name), np.ndarray)
    }
    return cast(Cases, replace(cast(Any, cases), **arrays))


def weighted(uses: Sequence[MetricUse], values: Mapping[QuantityName, Floats]) -> Floats:
    """Return the weighted sum of parts [B], added in the order of the file."""
    parts = [use.weight * values[use.key] for use in uses]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def groups_of(
    columns: Mapping[str, Sequence[str]], names: Sequence[str], most: int = 50
) -> dict[str, dict[str, Bools]]:
    """Return the members [N] of the most frequent values of columns, at most `most` of each."""
    groups: dict[str, dict[str, Bools]] = {}
    for name in names:
        cells = np.array([cell.strip() or "unknown" for cell in columns[name]])
        values, counts = np.unique(cells, return_counts=True)
        order = np.lexsort((values, -counts))[:most]
        groups[name] = {str(values[i]): cells == values[i] for i in order.tolist()}
    return groups


def of_counts(declaration: Declaration) -> tuple[MetricUse, ...]:
    """Return the parts of the score that counts of true and predicted class decide."""
    k = len(declaration.classes)
    if not declaration.is_graded or k * k > MOST_CELLS:
        return ()
    return tuple(use for use in declaration.score if use.metric.needs == "labels")


def unit_sums(declaration: Declaration, measured: Measured, units: Ints) -> Floats:
    """Return sums [n, ...] by unit, or by group of units: the cells of the confusion matrix, and the
    pseudo-values of the rest of the score."""
    counted, columns = of_counts(declaration), []
    rest = tuple(use for use in declaration.score if use not in counted)
    weights, cases = measured.counted.astype(float), measured.cases
    n_units = int(units.max()) + 1
    units = units % MOST_LEFT_OUT if rest and n_units > MOST_LEFT_OUT else units
    if counted and isinstance(cases, LabelledCases):
        k = len(declaration.classes)
        cells = np.zeros((int(units.max()) + 1, k * k))
        np.add.at(cells, (units, cases.truth * k + np.asarray(cases.predicted)), weights)
        columns.append(cells)
    if rest:
        whole = weights[None]
        parts = [use.weight * use.metric.compute(measured.of(use), whole, **use.options) for use in rest]
        point = float(np.sum(parts))
        left = sum(use.weight * _left_out(measured, use, units, weights) for use in rest)
        values = permutation_test.pseudo_values(point, np.asarray(left))
        columns.append(values[:, None] / len(values))
    return np.hstack(columns)


def _left_out(measured: Measured, use: MetricUse, units: Ints, weights: Floats) -> Floats:
    """Return a metric without each unit [n]."""
    cases = measured.of(use)
    if use.metric.name == "auc" and not use.options and isinstance(cases, LabelledCases):
        place = cases.the_positive
        if place is not None and cases.scores is not None:
            return auc_without_each_unit(cases.scores[:, place], cases.truth == place, units, weights)
    blocks = leave_one_out_weights(units, weights)
    return np.concatenate([use.metric.compute(cases, block, **use.options) for block in blocks])


def score_of_sums(declaration: Declaration) -> Callable[[Floats], Floats]:
    """Return the function of sums [..., K] that gives the score."""
    counted, k = of_counts(declaration), len(declaration.classes)
    places = np.arange(k)
    cells = LabelledCases(
        np.repeat(places, k),
        np.tile(places, k),
        None,
        declaration.classes,
        declaration.positive_place,
    )

    def score(sums: Floats) -> Floats:
        if not counted:
            return np.asarray(sums[..., 0])
        flat = sums[..., : k * k].reshape(-1, k * k)
        total = sum(use.weight * use.metric.compute(cells, flat, **use.options) for use in counted)
        shaped = np.asarray(total).reshape(sums.shape[:-1])
        return shaped + sums[..., k * k] if sums.shape[-1] > k * k else shaped

    return score
