"""The evaluation of matched cases, the score of the official scorer for the same files, and findings if this
score differs or the official scorer stops."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import le
from typing import Any

import numpy as np

from scoring.challenges.doubtful_results import constant_output, copied_truth, few_cases
from scoring.challenges.isic import measures
from scoring.challenges.isic.categories import EXCLUDED, UNKNOWN, preset
from scoring.challenges.isic.measures import CategoryScores
from scoring.challenges.isic.official_float_parsing import ROUNDING
from scoring.challenges.isic.official_rejections import AS_GIVEN, REFUSES, first_refusal
from scoring.challenges.isic.options import METRIC, IsicOptions
from scoring.challenges.isic.truth import UNIT_COLUMN, IsicCases
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import Finding, note, warning
from scoring.common.fixes import InputChanges, SuggestedFix, editing
from scoring.core.applied_fixes import FIXED, changes_in, n_changes
from scoring.core.scorecard import Official
from scoring.core.submission import Predictions
from scoring.metrics import subgroups
from scoring.metrics.subgroups import Groups, SubgroupShare
from scoring.metrics.thresholds import HALF, decided
from scoring.statistics.interval_basis import Basis, counted
from scoring.statistics.replicates import Replicates


@dataclass(frozen=True)
class IsicEvaluation:
    """Predictions and truth, with the scoring options.

    Attributes:
        groups: Subgroups to compute shares for; empty without metadata.
    """

    truth: IsicCases
    predictions: Predictions
    options: IsicOptions
    groups: Groups = field(default_factory=dict)

    @cached_property
    def answers(self) -> CategoryScores:
        """Truth and scores of the same cases."""
        return measures.answers(self.truth, self.predictions, self.options.malignant, self.options.inclusive)

    @cached_property
    def scored(self) -> Bools:
        """Cases with a weight above 0, bool [N]."""
        return np.asarray(self.truth.weights.score > 0)

    @cached_property
    def supports(self) -> dict[str, int]:
        """Number of cases with a weight above 0 in each category."""
        counts = (self.answers.positives & self.scored[:, None]).sum(0).tolist()
        return dict(zip(self.answers.categories, counts, strict=True))

    @cached_property
    def shares(self) -> Mapping[str, SubgroupShare]:
        """The shares that are computed for every subgroup."""
        a = self.answers
        places = [k for k, name in enumerate(a.categories) if name in self.options.malignant]
        labelled, ill = a.labels >= 0, np.isin(a.labels, places)
        return {
            "accuracy": SubgroupShare(labelled & (a.labels == a.predicted), labelled),
            "malignant_sensitivity": SubgroupShare(ill & np.isin(a.predicted, places), ill, "n_malignant"),
        }

    @cached_property
    def point(self) -> dict[Any, Floats]:
        """Every measure on the test set itself, as arrays [1]."""
        return self.quantities(self.truth.weights.score[None])

    def basis(self, units: Ints) -> Basis:
        """Return how many units each quantity of `quantities` depends on. `units` contains the unit number of
        each case [N]."""
        of_measures = measures.basis(self.answers, units, self.options.ranked_by)
        inside = counted(subgroups.members(self.groups, self.shares), units)
        return replace(of_measures, units={**of_measures.units, **inside})

    def quantities(self, weights: Floats) -> dict[Any, Floats]:
        """Return every measure that has an interval, as arrays [B] by name."""
        values = measures.quantities(self.answers, weights, self.options.ranked_by)
        return values | subgroups.quantities(self.groups, self.shares, weights)


GOALS = {"2018": "balanced_accuracy", "2019": "balanced_accuracy", "milk10k": "dice"}
"""Preset (year of the challenge) -> metric by which the challenge ranks submissions."""
ROUNDED = (
    "Tied scores differ only in the last of 16 or more digits, and the official scorer reads that digit "
    "differently."
)
YEARS = {"2018": "ISIC 2018", "2019": "ISIC 2019", "milk10k": "MILK10k"}


def official(e: IsicEvaluation, score: float | None) -> Official:
    """Return whether the official scorer gives the same score, for the metric that the challenge used in this
    year.

    Args:
        score: Benchside's score; None or NaN if undefined.
    """
    truth, options = e.truth, e.options
    goal = GOALS.get(preset(truth.categories) or "", options.ranked_by)
    stops, order = list(_stops(e)), out_of_order(truth)
    rounded = any(finding.code == ROUNDING for finding in e.predictions.findings)
    reasons = [*stops, *([ROUNDED] * rounded), *_otherwise(truth, options, goal, order is not None)]
    if stops or rounded or not reasons:
        return replace(Official.compare(score, None, *reasons), changes=_curable(e, reasons))
    as_there = e.answers if not options.inclusive else strictly_above(e.answers)
    weights = truth.weights.score
    if order is not None:
        return Official.compare(score, measures.by_position(as_there, weights, order, goal), *reasons)
    return Official.compare(score, measures.ranked_value(as_there, weights, goal), *reasons)


def _curable(e: IsicEvaluation, reasons: Sequence[str]) -> int:
    """Return the number of changes of the predictions after which the score is official; 0 if something
    else prevents it."""
    codes = {finding.code for finding in e.predictions.findings if REFUSES in finding.message} - {AS_GIVEN}
    of_truth = any(REFUSES in finding.message or finding.code == FIXED for finding in e.truth.findings)
    if len(reasons) != 1 or of_truth or not e.predictions.has_outputs.all():
        return 0
    return len(codes) + n_changes(changes_in(e.predictions.findings))


def out_of_order(truth: IsicCases) -> Ints | None:
    """Return the order of the cases by id [N] if the official scorer would apply weights to wrong cases;
    otherwise None."""
    varying = any(np.ptp(w) > 0 for w in (truth.weights.score, truth.weights.validation))
    if not varying or all(map(le, truth.ids, truth.ids[1:])):
        return None
    return np.array(sorted(range(len(truth)), key=truth.ids.__getitem__))


def strictly_above(a: CategoryScores) -> CategoryScores:
    """Return a copy in which a score of exactly 0.5 is negative, as in the official scorer."""
    return replace(a, predicted_positive=decided(a.outputs, HALF, False))


def _stops(e: IsicEvaluation) -> Iterator[str]:
    findings = [*e.truth.findings, *e.predictions.findings]
    refusal = first_refusal(findings)
    if refusal:
        yield f"The official scorer refuses the files: {refusal}"
    if not refusal and any(finding.code == UNIT_COLUMN for finding in findings):
        yield (
            "The official scorer reads the column that groups the cases as a category, and refuses "
            "the predictions."
        )
    if not refusal and any(finding.code == FIXED for finding in findings):
        yield "The official scorer reads the files as given, without the changes that Benchside made."
    if not (e.truth.weights.validation > 0).any():
        yield "The official scorer stops with an error: every validation weight is 0."
    absent = [name for name, n in e.supports.items() if not n]
    if absent:
        yield f"The official scorer stops with an error: there is no case of {', '.join(absent)}."


def _otherwise(truth: IsicCases, options: IsicOptions, goal: str, moved: bool) -> Iterator[str]:
    if goal != options.ranked_by:
        year, (there, here) = YEARS[preset(truth.categories) or ""], map(_name, (goal, options.ranked_by))
        yield f"{year} is ranked by {there}, but this score is {here}."
    if options.inclusive:
        yield "This score counts 0.5 itself as positive; the official scorer counts only scores above 0.5."
    if moved:
        yield (
            "The official scorer sorts the rows by id but applies the weights in file order, so "
            "the weights go to other rows."
        )


def _name(metric: str) -> str:
    return METRIC.value_labels.get(metric) or METRIC.value_labels[None]


SWAP_GAIN = 0.2
"""A warning says that columns are interchanged if this would raise balanced accuracy by at least this
gain."""


def findings(e: IsicEvaluation, metrics: Mapping[str, float], replicates: Replicates) -> Iterator[Finding]:
    """Yield warnings about a score.

    Args:
        metrics: Metrics by name; NaN if undefined.
    """
    truth, a = e.truth, e.answers
    yield from _cases(truth, a, e.options)
    yield from _undecided(e.predictions, a)
    yield from _one_sided(e)
    yield from _malignant(e, metrics["malignant_auc"])
    if np.isnan(metrics["validation_score"]) and not (truth.weights.validation > 0).any():
        message = "every validation_weight is 0: there is no validation score."
        yield warning("no-validation-weight", "validation_score", message)
    if preset(truth.categories) == "milk10k" and e.options.metric is None:
        message = "MILK10k is ranked by macro F1 on its site: --metric dice gives that score."
        yield note("milk10k-ranked-by-dice", "score", message)
    yield from _swapped(e)
    yield from copied_truth(e.predictions.outputs, a.positives, e.predictions.name)
    yield from constant_output(e.predictions.outputs, e.predictions.name)
    if replicates.values:
        yield from few_cases(e.supports, replicates.kind, "intervals of its measures")


def _cases(truth: IsicCases, a: CategoryScores, options: IsicOptions) -> Iterator[Finding]:
    if EXCLUDED in truth.ids:
        message = "this image has the weight 0, as in the official scorer, whatever weight the file states."
        yield note("excluded-image", EXCLUDED, message)
    undecided = int((a.labels < 0).sum())
    if undecided:
        message = (
            f"{undecided} row{'s have' if undecided > 1 else ' has'} no category or several "
            "categories. Such rows count if one category is compared with the rest, but not in "
            "recall, accuracy and malignant AUC."
        )
        yield warning("undecided-truth", truth.name, message)
    yield from _out_of_order(truth, a, options)


def _out_of_order(truth: IsicCases, a: CategoryScores, options: IsicOptions) -> Iterator[Finding]:
    order = out_of_order(truth)
    if order is None:
        return
    figures = [
        measures.by_position(a, w, order, options.ranked_by)
        for w in (truth.weights.score, truth.weights.validation)
    ]
    score, validation = (f"{figure!r}" if np.isfinite(figure) else "no number" for figure in figures)
    message = (
        "Benchside applies each weight to its own row. The official scorer sorts the rows by id "
        f"but applies the weights in file order, and prints {score} (validation {validation}) for "
        "this file. Sort the truth by id, and both programs agree."
    )
    yield warning("weights-out-of-order", truth.name, message)


def _undecided(predictions: Predictions, a: CategoryScores) -> Iterator[Finding]:
    tied, n = int((a.predicted < 0).sum()), len(a.predicted)
    if tied:
        message = (
            f"in {tied} of {n} rows ({tied / n:.1%}), several categories share the largest score. "
            "Such a row is undecided and counts as wrong. Rounding can cause this: give more "
            "decimals."
        )
        yield warning("undecided", predictions.name, message)


def _one_sided(e: IsicEvaluation) -> Iterator[Finding]:
    for name, n in e.supports.items():
        if not n:
            message = (
                f"no case of {name} has a weight above 0: metrics that need such a case are "
                "undefined, and averages do not include them. The official scorer stops with an error "
                "here."
            )
            yield warning("absent-class", name, message)
        elif n == e.scored.sum():
            yield warning(
                "no-negatives",
                name,
                f"every case is {name}: specificity, npv and the areas under curves are undefined.",
            )


def _malignant(e: IsicEvaluation, auc: float) -> Iterator[Finding]:
    left_out, malignant = int((e.answers.malignancy.left_out & e.scored).sum()), e.options.malignant
    if left_out:
        message = (
            f"the malignant AUC leaves out {left_out} case{'s' * (left_out > 1)} of {UNKNOWN}, "
            "because “none of the above” is not a benign diagnosis."
        )
        yield note("unknown-left-out", UNKNOWN, message)
    if np.isnan(auc):
        reason = (
            f"needs malignant cases ({', '.join(malignant)}) and others"
            if malignant
            else "needs malignant categories: name them with --malignant"
        )
        yield warning(
            "malignant-undefined", "malignant_auc", f"the AUC of malignant against benign {reason}."
        )


def _swapped(e: IsicEvaluation) -> Iterator[Finding]:
    a = e.answers
    swap = measures.swapped(a.labels, a.predicted, e.scored, a.categories, SWAP_GAIN)
    if swap:
        message = (
            f"{', '.join(f'{name} seems to stand in column {column}' for name, column in swap[1])}: "
            f"exchanging these columns would raise balanced accuracy by {swap[0]:.3f}. Benchside "
            "did not exchange them; check the order of the columns."
        )
        yield warning("columns-may-be-swapped", e.predictions.name, message).with_fixes(*_in_place(e, swap))


def _in_place(e: IsicEvaluation, swap: tuple[float, list[tuple[str, str]]]) -> list[SuggestedFix]:
    """Return what reads each column as the category that seems to stand there; nothing for a model that names
    its outputs."""
    gain, moved = swap
    names, column_of = e.answers.categories, dict(moved)
    label = f"Exchange them: balanced accuracy +{gain:.4f}"
    if any(finding.code == "category-order" for finding in e.predictions.findings):
        return []
    if e.predictions.model is None:
        changes = InputChanges(columns=tuple((column, name) for name, column in moved))
        return [SuggestedFix(label, changes)]
    order = " ".join(str(names.index(column_of.get(name, name)) + 1) for name in names)
    return [editing("order", order, label)]
