"""Consequences at the official validator: of how a table is written, and for the score of the same files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scoring.challenges.safe_scan.tables import OFFICIAL_IMAGE, OFFICIAL_LABEL, several
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, warning
from scoring.core.scorecard import Official
from scoring.inputs.case_tables import ID_COLUMNS
from scoring.inputs.tables import TextTable

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


METADATA_ERRORS_ALLOWED = 2
CANCELLED = "The validator would cancel the whole run."
ZERO = "The validator would give every model the score 0."


def file_consequences(table: TextTable) -> list[Finding]:
    """Return the consequences of how the file is written: byte order mark, tabs."""
    findings = []
    if table.written.byte_order_mark:
        sentence = (
            "the file begins with a byte order mark, which hides the first header from the "
            "official loader. Save as UTF-8 without it."
        )
        findings += [
            warning("bom", table.header_place, sentence),
            score_zero(table.header_place, "byte order mark."),
        ]
    if table.delimiter == "\t":
        sentence = "the delimiter is a tab, which the official loader does not read."
        findings.append(_run_cancelled(table.header_place, sentence))
    return findings


def column_consequences(
    table: TextTable, cancelling_labels: Sequence[str] | None, metadata_errors: Sequence[int]
) -> list[Finding]:
    """Return the consequences of headers, labels and metadata.

    Args:
        table: The table of a test set.
        cancelling_labels: Places of labels that the official loader does not know; None for a table that is
            read without labels, whose metadata errors count for nothing.
        metadata_errors: Row of every metadata error, ascending.
    """
    findings = []
    image = next((key for key in ID_COLUMNS if key in table.keys), None)
    if image not in OFFICIAL_IMAGE:
        sentence = "the image column is not called NewFileName, FilePath or FileName."
        findings.append(score_zero(table.header_place, sentence))
    if cancelling_labels is None:
        return findings
    if not any(key in table.keys for key in OFFICIAL_LABEL):
        sentence = "the label column is not called Class or Label."
        findings.append(_run_cancelled(table.header_place, sentence))
    elif cancelling_labels:
        sentence = f"{len(cancelling_labels)} labels are not written as the exact symbol."
        findings.append(_run_cancelled(cancelling_labels[0], sentence))
    if len(metadata_errors) > METADATA_ERRORS_ALLOWED:
        rows = several(table, sorted(set(metadata_errors)))
        sentence = (
            f"{len(metadata_errors)} metadata errors ({rows}); more than {METADATA_ERRORS_ALLOWED} "
            "are too many."
        )
        findings.append(_run_cancelled(table.place(metadata_errors[0]), sentence))
    return findings


def score_zero(where: str, reason: str) -> Finding:
    """Return `official-score-zero`: every model would get the score 0 there."""
    return warning("official-score-zero", where, f"{reason} {ZERO}")


def _run_cancelled(where: str, reason: str) -> Finding:
    return warning("official-run-cancelled", where, f"{reason} {CANCELLED}")
