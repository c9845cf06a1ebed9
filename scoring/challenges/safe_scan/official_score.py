"""Whether a score of a Safe-Scan challenge is what the validator gives for the same files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scoring.common.arrays import Ints
from scoring.common.findings import Finding
from scoring.core.scorecard import Official

UNUSABLE = frozenset(("missing-value", "not-finite"))
"""Codes of predictions that are there but hold no number."""
RUNTIME = frozenset(("ir-version", "opset-version"))
"""Codes of models that the validator's runtime refuses."""


@dataclass
class Reasons:
    """Why the validator gives another score, a sentence each.

    Attributes:
        stops: It gives none.
        zero: It gives 0.
        unknown: What it gives is not known here.
    """

    stops: list[str] = field(default_factory=list)
    zero: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def official(self, score: float | None) -> Official:
        """Return what they mean for a score."""
        gives = 0.0 if self.zero and not self.stops else None
        return Official.compare(score, gives, *self.stops, *self.zero, *self.unknown)


def of_files(findings: Iterable[Finding]) -> Reasons:
    """Return what the validator's loader and runtime make of the files. findings: of truth and submission."""
    codes, reasons = {finding.code for finding in findings}, Reasons()
    if "official-run-cancelled" in codes:
        reasons.stops.append("The validator would cancel the run on this test set.")
    if codes & RUNTIME:
        reasons.stops.append("The validator's runtime would refuse this model.")
    if "official-score-zero" in codes:
        reasons.zero.append("The validator would give every model 0 on this test set.")
    return reasons


def missing_words(labels: Ints) -> str:
    """Return how many predictions lack, "" where none does. labels: class numbers [N], -1 = none."""
    n = int((labels < 0).sum())
    return f"{n} of {len(labels)} predictions missing, counted as wrong" if n else ""


def only_unusable(faults: Sequence[Finding]) -> bool:
    """Return whether every fault is a prediction that is there and holds no number."""
    return bool(faults) and all(fault.code in UNUSABLE for fault in faults)
