"""Compares predictions with a truth, and makes the parts of a scorecard that both challenges share."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from scoring.challenges.safe_scan import demographics
from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.tables import CODES
from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, InputRefused, ordered
from scoring.core.challenge_parts import ScoreSettings
from scoring.core.submission import Predictions, grade, provenance, truth_digest
from scoring.inputs.case_tables import UNIT_COLUMNS, find_units, joined_columns
from scoring.metrics.calibration import Reliability
from scoring.statistics import permutation_test
from scoring.statistics.interval_basis import Basis
from scoring.statistics.replicates import Quantities, Replicates, replicate


@dataclass(frozen=True)
class SafeScanEvaluation:
    """Measures of predictions on the test set and on its bootstrap replicates.

    Attributes:
        point: Measures on the test set itself, [1] each.
        units: Unit number of each case [N].
        source: `provenance` of the scorecard.
    """

    truth: SafeScanCases
    predictions: Predictions
    point: Quantities
    replicates: Replicates
    units: Ints
    source: Mapping[str, Any]
    read: tuple[Finding, ...]

    @property
    def measured(self) -> dict[str, float]:
        """Measures on the whole test set by name, except the score."""
        return {k: float(v[0]) for k, v in self.point.items() if isinstance(k, str) and k != "score"}

    @property
    def intervals(self) -> dict[str, list[float] | None]:
        """Intervals of the measures in `measured`."""
        return {name: bounds for name, bounds in self.replicates.intervals.items() if isinstance(name, str)}

    @property
    def n_missing(self) -> int:
        """Number of cases without a usable prediction."""
        return int((self.predictions.labels < 0).sum())

    def case_rows(self, classes: Sequence[str]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield for each case the first fields of its row in the scorecard, and its demographics."""
        about = demographics.described(self.truth.demographics)
        labels = zip(self.truth.true_labels.tolist(), self.predictions.labels.tolist(), strict=True)
        for name, (y, p), described in zip(self.truth.ids, labels, about, strict=True):
            row = {
                "case": name,
                "truth": classes[y],
                "predicted": classes[p] if p >= 0 else None,
                "correct": y == p,
            }
            yield row, described

    def class_row(self, hits: int, support: int, predicted: int, f1: float) -> dict[str, Any]:
        """Return the values of a class that both competitions report."""
        others = len(self.truth) - support
        return {
            "support": support,
            "predicted": predicted,
            "precision": hits / predicted if predicted else None,
            "recall": hits / support if support else None,
            "f1": f1,
            "specificity": (others - predicted + hits) / others if others else None,
        }

    def arrays(self, more: Mapping[str, Array], reached: Reliability | None) -> dict[str, Array]:
        """Return read-only arrays for figures, which the JSON file does not contain.

        Args:
            more: Arrays that the challenge adds to outputs and labels, such as curves.
            reached: Reliability of the outputs as probabilities, if it is defined.
        """
        arrays: dict[str, Array] = {
            "outputs": self.predictions.outputs,
            "truth": self.truth.true_labels,
            "predicted": self.predictions.labels,
            **more,
        }
        if reached:
            arrays |= reached.arrays
        for array in arrays.values():
            array.flags.writeable = False
        return arrays

    def exchange(self, unit_sums: Callable[[], Floats]) -> dict[str, Array]:
        """Return the replicates, and the input of the permutation test (swap test), as arrays. `unit_sums` is
        the function that returns the parts of the score by unit."""
        drawn = self.replicates
        return {**drawn.arrays, **permutation_test.card_arrays(bool(drawn.values), self.units, unit_sums)}


def evaluate(
    truth: SafeScanCases,
    predictions: Predictions,
    settings: ScoreSettings,
    quantities: Callable[[Floats], Quantities],
    basis: Callable[[Ints], Basis],
    published: Callable[[Quantities], Quantities] = lambda _point: {},
    wrong_options: Sequence[Finding] = (),
) -> SafeScanEvaluation:
    """Compute measures on the test set and on its bootstrap replicates.

    Args:
        quantities: Function from weights [B, N] to measures [B] by name.
        basis: Function from the unit number of each case [N] to the basis of the measures.
        published: Measures of the test set that are published with other rounding. Intervals are centred on
            these published values.
        wrong_options: Findings `bad-option` in addition to those about the settings.

    Raises:
        InputRefused: If there are problems that the option `missing` does not allow; it lists all of them.
    """
    statistics, metadata = settings.statistics, settings.metadata
    hard, soft = grade(predictions.faults, settings.options["missing"])
    problems = [*hard, *settings.problems, *wrong_options]
    read = [*truth.findings, *ordered([*predictions.findings, *soft], CODES)]
    if problems:
        raise InputRefused(problems, read)
    columns = joined_columns(truth, metadata)
    unit, units = find_units(columns, len(truth), UNIT_COLUMNS, truth.id_column, statistics.group)
    point = quantities(np.ones((1, len(truth)), np.float32))
    known = {**point, **published(point)}
    rests_on = replace(basis(units), ranges=settings.ranges)
    replicates = replicate(quantities, known, units, statistics, basis=lambda _units: rests_on)
    digest = truth_digest(truth, predictions)
    source = provenance(digest, predictions, settings.options, statistics, metadata, unit, units)
    return SafeScanEvaluation(truth, predictions, point, replicates, units, source, tuple(read))
