"""The scorecard of a declared challenge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases, as_metric_cases, has_prediction
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.mask_readers import region_cases
from scoring.challenges.declared.measures import Measured, unit_sums
from scoring.challenges.declared.object_readers import Detections, matched_cases
from scoring.challenges.declared.table_readers import graded
from scoring.challenges.doubtful_results import constant_output, few_cases
from scoring.common.arrays import Array, Bools, Floats, Ints
from scoring.common.direction_and_range import SCORE
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.text import did_you_mean, nearest
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.core.submission import Predictions, provenance, truth_digest
from scoring.inputs.case_tables import find_units, joined_columns
from scoring.inputs.sources import Source
from scoring.inputs.tables import key
from scoring.metrics import calibration, classification, curves, subgroups, task_cases
from scoring.metrics.task_cases import LabelledCases, MultilabelCases
from scoring.statistics import permutation_test
from scoring.statistics.replicates import Quantities, Replicates, replicate

MOST_CURVES = 30
"""Curves are computed if there are at most this many classes."""


def score(
    declaration: Declaration, truth: DeclaredCases, predictions: Predictions, settings: ScoreSettings
) -> ScoreCard:
    """Score predictions. Raises InputRefused with every problem."""
    missing, statistics, metadata = declaration.predictions.missing, settings.statistics, settings.metadata
    hard, soft = graded(predictions.faults, missing)
    problems = [*hard, *settings.problems, *missing_columns(declaration, truth, metadata)]
    if problems:
        raise InputRefused(problems, [*truth.findings, *predictions.findings, *soft])
    columns = joined_columns(truth, metadata)
    group = statistics.group or declaration.truth.unit
    unit, units = find_units(columns, len(truth), (), truth.id_column, group)
    counted = has_prediction(declaration, predictions) | (missing != "ignore")
    of_metrics: Mapping[str, task_cases.Cases] = {}
    if declaration.task == "segmentation":
        of_metrics = region_cases(declaration, predictions)
    elif isinstance(predictions, Detections):
        of_metrics = matched_cases(declaration, truth, predictions)
    cases = of_metrics.get(declaration.score[0].key) or as_metric_cases(declaration, truth, predictions)
    groups = {k: subgroups.frequent_groups(columns[k]) for k in map(key, declaration.subgroups)}
    measured = Measured(declaration, cases, counted, groups, of_metrics)
    weights = counted.astype(float)
    point = measured.quantities(weights[None])
    weights_of_some = None if counted.all() else weights
    drawn = replicate(measured.quantities, point, units, statistics, weights_of_some, measured.basis)
    if declaration.task == "segmentation":
        ends = {name: measured.possible(name, bounds) for name, bounds in drawn.intervals.items()}
        drawn = replace(drawn, intervals=ends)
    options, digest = {**settings.options, "declaration": declaration.tree}, truth_digest(truth, predictions)
    source = provenance(digest, predictions, options, statistics, metadata, unit, units)
    card = _Card(declaration, truth, predictions, measured, point, drawn, units, source, soft)
    return card.made(settings.with_curves)


def missing_columns(declaration: Declaration, truth: DeclaredCases, metadata: Source | None) -> list[Finding]:
    """Return a problem for each column of subgroups or units that neither the table nor the metadata has."""
    try:
        columns = joined_columns(truth, metadata)
    except InputRefused as refused:
        return list(refused.problems)
    wanted = [("subgroups.columns", name) for name in declaration.subgroups]
    wanted += [("truth.unit", declaration.truth.unit)] if declaration.truth.unit else []
    listing = f" Columns here: {', '.join([*columns][:20])}."
    return [
        error(
            "missing-column",
            truth.name,
            f"there is no column {name!r}, but {at} in the challenge's file names this column. "
            "Add the column here or to a table of metadata, or change the challenge's "
            f"file.{did_you_mean(nearest(name, columns)) or listing}",
        )
        for at, name in wanted
        if key(name) not in columns
    ]


@dataclass(frozen=True)
class _Card:
    """The data from which one scorecard is made."""

    declaration: Declaration
    truth: DeclaredCases
    predictions: Predictions
    measured: Measured
    point: Quantities
    drawn: Replicates
    units: Ints
    source: Mapping[str, Any]
    gaps: Sequence[Finding]

    @cached_property
    def has(self) -> Bools:
        """Whether each case has a usable prediction [N]."""
        return has_prediction(self.declaration, self.predictions)

    def made(self, with_curves: bool) -> ScoreCard:
        """Return the scorecard. `with_curves` says whether to compute ROC and precision-recall curves with
        bands."""
        declaration, drawn = self.declaration, self.drawn
        value, n_missing = float(self.point[SCORE][0]), int((~self.has).sum())
        findings = (*self.truth.findings, *self.predictions.findings, *self.gaps, *self._noticed())
        sums = partial(unit_sums, declaration, self.measured, self.units)
        arrays = self._arrays() | (self._curves() if with_curves else {}) | drawn.arrays
        arrays |= permutation_test.card_arrays(bool(drawn.values), self.units, sums)
        for array in arrays.values():
            array.flags.writeable = False
        confusion = None
        if declaration.is_graded:
            truth, labels = self.truth.labels, list(declaration.classes)
            counts = classification.confusion_matrix(truth, self.predictions.labels, len(labels))
            confusion = {"labels": labels, "counts": counts.tolist()}
        gaps = f"{n_missing} of {len(self.truth)} cases {'has' if n_missing == 1 else 'have'} no prediction"
        counted = "are left out" if declaration.predictions.missing == "ignore" else "count as wrong"
        return ScoreCard(
            declaration.id,
            plain(value),
            plain({use.key: self.point[use.key][0] for use in declaration.uses}),
            plain(self._per_class()),
            len(self.truth),
            self._cases(),
            (*findings, *drawn.findings),
            self.source,
            confusion,
            {name: bounds for name, bounds in drawn.intervals.items() if isinstance(name, str)},
            plain(self._more(n_missing)),
            arrays,
            official=Official.compare(value, value),
            incomplete=f"{gaps} and {counted}" if n_missing else "",
        )

    def _noticed(self) -> Iterator[Finding]:
        classes, cases = self.declaration.classes, self.measured.cases
        for use in self.declaration.uses:
            if np.isnan(self.point[use.key][0]):
                when = use.metric.defined[:1].lower() + use.metric.defined[1:]
                message = f"it is undefined for this truth and these predictions. It is {when}"
                yield warning("undefined-metric", use.key, message)
        kinds = (getattr(cases, kind, None) for kind in ("scores", "risk", "predicted"))
        outputs = next((of_kind for of_kind in kinds if of_kind is not None), None)
        if outputs is not None:
            yield from constant_output(outputs, self.predictions.name)
        if self.drawn.values and self.declaration.is_graded:
            supports = np.bincount(self.truth.labels, minlength=len(classes)).tolist()
            yield from few_cases(dict(zip(classes, supports, strict=True)), self.source["interval"])

    def _per_class(self) -> dict[str, dict[str, Any]]:
        """Return the measures of each class, its number of cases, and the interval of the first measure."""
        rows: dict[str, dict[str, Any]] = {}
        for k, name in enumerate(self.declaration.names):
            of_class = [m for m in self.point if isinstance(m, tuple) and m[1:] == (name,)]
            if of_class:
                rows[name] = self._support(k) | {m[0]: float(self.point[m][0]) for m in of_class}
            if of_class and self.drawn.values:
                rows[name] |= {f"{m[0]}_interval": self.drawn.intervals[m] for m in of_class}
        return rows

    def _support(self, k: int) -> dict[str, Any]:
        """Return the number of cases of a class, the number of its predictions, and its AUC."""
        cases, counted = self.measured.cases, self.measured.counted
        if isinstance(cases, MultilabelCases):
            return {"support": int(cases.truth[counted, k].sum())}
        if not isinstance(cases, LabelledCases):
            return {}
        has = (cases.truth == k)[counted]
        row = {"support": int(has.sum()), "predicted": int((self.predictions.labels == k)[counted].sum())}
        if cases.scores is None or k >= MOST_CURVES:
            return row
        return row | {"auc": curves.auc(cases.scores[counted, k], has)}

    def _cases(self) -> tuple[dict[str, Any], ...]:
        """Return a row for each case, with the number that says how wrong it is."""
        columns = {name: c if isinstance(c, list) else plain(c) for name, c in self.columns[0].items()}
        rows = zip(self.truth.ids, *columns.values(), strict=True)
        return tuple(dict(zip(("case", *columns), row, strict=True)) for row in rows)

    @cached_property
    def columns(self) -> tuple[dict[str, Any], Floats]:
        """Columns of the case table [N] by name, and the error of each case [N]. The error is empty if the
        class already tells whether a prediction is right."""
        cases, has, outputs = self.measured.cases, self.has, self.predictions.outputs
        columns: dict[str, Any]
        if isinstance(cases, LabelledCases):
            names, labels = np.array([*self.declaration.classes, None], object), self.predictions.labels
            columns = {"truth": names[cases.truth].tolist(), "predicted": names[labels].tolist()}
            columns["correct"] = (cases.truth == labels).tolist()
            if not self.predictions.labels_only:
                own = outputs[np.arange(len(outputs)), cases.truth]
                columns["truth_score"] = np.where(has, own, np.nan)
            return columns, np.zeros(0)
        if isinstance(cases, MultilabelCases):
            names, shown = np.array(cases.classes, object), (cases.truth, np.asarray(cases.predicted))
            listed = ([" + ".join(names[row]) or "none" for row in has_label] for has_label in shown)
            true, said = (np.array(column, object) for column in listed)
            said[~has], wrong = None, cases.truth != cases.predicted
            columns = {"truth": true.tolist(), "predicted": said.tolist(), "correct": has & ~wrong.any(1)}
            return columns | {"wrong_labels": wrong.sum(1)}, wrong.mean(1)
        if isinstance(cases, task_cases.RegionCases):
            columns = {use.key: self.case_values[:, i] for i, use in enumerate(self.declaration.uses)}
            sign = -self.declaration.score[0].quantity.sign
            parts = [use.weight * sign * columns[use.key] for use in self.declaration.score]
            return columns, np.sum(parts, axis=0) - min(0, sign)
        if isinstance(cases, task_cases.DetectionCases):
            found = np.asarray(np.bincount(cases.image, cases.hit[:, 0], len(self.truth)), float)
            objects = cases.objects.sum(1).astype(float)
            return {"objects": objects, "detections": outputs[:, 0], "found": found}, objects - found
        numbers = np.where(has, outputs[:, 0], np.nan)
        if isinstance(cases, task_cases.ValueCases):
            columns = {"truth": cases.truth, "predicted": numbers, "error": abs(numbers - cases.truth)}
            return columns, abs(cases.predicted - cases.truth)
        return {"time": cases.time, "event": cases.event.astype(float), "risk": numbers}, np.zeros(len(has))

    def _more(self, n_missing: int) -> dict[str, Any]:
        more: dict[str, Any] = {"n_missing": n_missing, "better": self.declaration.quantity.better}
        parts, measured = self.declaration.score, self.measured
        if len(parts) > 1:
            more["points"] = {use.key: use.weight * float(self.point[use.key][0]) for use in parts}
        if measured.groups:
            more["slices"] = subgroups.rows(
                measured.groups, measured.shares, self.point, self.drawn.intervals
            )
        if self.reliability is not None:
            error_of_bins = self.reliability.expected_calibration_error
            more["calibration"] = {"expected_calibration_error": error_of_bins}
        return more | ({"model": dict(self.predictions.model)} if self.predictions.model else {})

    def _arrays(self) -> dict[str, Array]:
        """Return the data that figures and comparisons need and the JSON does not contain."""
        cases, counted = self.measured.cases, self.measured.counted
        arrays: dict[str, Array] = {"units": self.units, "score_weights": counted.astype(float)}
        if not isinstance(cases, (task_cases.RegionCases, task_cases.DetectionCases)):
            arrays["outputs"] = self.predictions.outputs
        if isinstance(cases, LabelledCases):
            arrays |= {"truth": self.truth.labels, "predicted": self.predictions.labels}
            return arrays | (self.reliability.arrays if self.reliability is not None else {})
        if isinstance(cases, task_cases.RegionCases):
            arrays["case_losses"] = self.case_values * [-use.quantity.sign for use in self.declaration.uses]
        elif isinstance(cases, (task_cases.ValueCases, task_cases.SurvivalCases)):
            arrays["values"] = self.truth.values
        return arrays | {"case_errors": np.where(counted, self.columns[1], np.nan)}

    @cached_property
    def reliability(self) -> calibration.Reliability | None:
        """Reliability of the largest probability in ten bins; None if scores are not probabilities."""
        if not self.declaration.is_graded or self.predictions.labels_only:
            return None
        known = self.predictions.outputs[self.has]
        return calibration.of_largest(known, self.truth.labels[self.has] == known.argmax(1))

    @cached_property
    def case_values(self) -> Floats:
        """Every metric computed on each single case [N, metrics]; NaN without a prediction."""
        values = np.column_stack([self.measured.of_each_case(use) for use in self.declaration.uses])
        return np.where(self.measured.counted[:, None], values, np.nan)

    def _curves(self) -> dict[str, Array]:
        """Return ROC and precision-recall curves with bands; none without scores or replicates."""
        cases = self.measured.cases
        if not isinstance(cases, LabelledCases) or cases.scores is None or len(cases.classes) > MOST_CURVES:
            return {}
        scores, labels, positive = cases.scores, cases.truth, cases.the_positive
        if positive is not None:
            scores, labels = scores[:, [positive]], np.where(labels == positive, 0, 1)
        return curves.card_curves(scores, labels, self.measured.counted, self.units, self.source)
