"""What the official program (the validator) does because of a table's format, and its score for the same
files."""

import codecs
import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from scoring.challenges.safe_scan.tables import (
    AGE,
    GENDER,
    LOCATION,
    OFFICIAL_IMAGE,
    OFFICIAL_LABEL,
    headings_there,
    several,
)
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, warning
from scoring.core.applied_fixes import FIXED
from scoring.core.scorecard import Official
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.sources import SourceFiles
from scoring.inputs.table_text import read_lines
from scoring.inputs.tables import TextTable

UNUSABLE = frozenset(("missing-value", "not-finite"))
"""Codes of predictions that exist but contain no number."""
RUNTIME = frozenset(("ir-version", "opset-version", "adapted-input"))
"""Codes of findings about models that the validator's runtime refuses, either themselves or because of the
inputs that it passes to them."""


@dataclass
class Reasons:
    """Reasons why the official validator gives another score, one sentence each.

    Attributes:
        stops: Reasons why it gives no score, or an unknown score.
        zero: Reasons why it gives the score 0.
    """

    stops: list[str] = field(default_factory=list)
    zero: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    def official(self, score: float | None) -> Official:
        """Compare a score with the result of the official validator."""
        gives = 0.0 if self.zero and not self.stops else None
        return Official.compare(score, gives, *self.stops, *self.zero, *self.unknown)


def of_files(findings: Iterable[Finding], truth: Iterable[Finding]) -> Reasons:
    """Return the reasons why the official validator gives another score for the files.

    Args:
        truth: Findings about the test set, which the loader reads unchanged.
    """
    codes, reasons = {finding.code for finding in findings}, Reasons()
    if any(finding.code == FIXED for finding in truth):
        reasons.stops.append(
            "The validator reads the test set as given, without the changes that Benchside made."
        )
    if OTHER_TABLE in codes:
        reasons.stops.append("The validator would read another table of this test set.")
    if "official-run-cancelled" in codes:
        reasons.stops.append("The validator would cancel the run on this test set.")
    if codes & RUNTIME:
        reasons.stops.append("The validator's runtime would refuse this model.")
    if codes & {"official-score-zero", "image-elsewhere"}:
        reasons.zero.append("The validator would give every model 0 on this test set.")
    if "images-not-opened" in codes:
        reasons.unknown.append("The validator opens every image; Benchside did not open some of them.")
    return reasons


def missing_words(labels: Ints) -> str:
    """Return a text that says how many predictions are missing; "" if none is missing.

    Args:
        labels: Class numbers [N], -1 if there is none.
    """
    n = int((labels < 0).sum())
    return f"{n} of {len(labels)} predictions missing, counted as wrong" if n else ""


def only_unusable(faults: Sequence[Finding]) -> bool:
    """Return whether there are problems and all of them concern predictions that exist but are not
    numbers."""
    return bool(faults) and all(fault.code in UNUSABLE for fault in faults)


METADATA_ERRORS_ALLOWED = 2
CANCELLED = "The validator would cancel the whole run."
ZERO = "The validator would give every model the score 0."


OFFICIAL_TABLES = ("labels.csv", "test.csv", "data.csv", "metadata.csv", "dataset.csv")
"""File names that the official loader looks for before it uses any other CSV."""


def place_consequences(files: SourceFiles, member: str) -> list[Finding]:
    """Return findings about what the official loader does because of the table's place in a folder or zip.
    `member` is the table that Benchside reads."""
    if files.kind == "file":
        return []
    near = [
        m
        for m in files.members
        if m.count("/") < 2 and m.endswith(".csv") and not (m.startswith("__") and "/" in m)
    ]
    if not near:
        sentence = "the official loader finds no table: it looks for .csv at the top and one folder down."
        return [_run_cancelled(member, sentence)]
    first = [m for m in near if _precedence(m) == min(map(_precedence, near))]
    if first == [member]:
        return []
    sentence = f"the official loader uses {' or '.join(map(repr, first[:3]))} as the table, not this file."
    return [warning(OTHER_TABLE, member, sentence)]


def _precedence(member: str) -> tuple[bool, int, int]:
    """Return how early the official loader looks for a table: first by name, at the top before folders."""
    name, depth = posixpath.basename(member), member.count("/")
    return (False, depth, OFFICIAL_TABLES.index(name)) if name in OFFICIAL_TABLES else (True, depth, 0)


OTHER_TABLE = "official-other-table"


def file_consequences(table: TextTable, data: bytes, is_run: bool) -> list[Finding]:
    """Return findings about what the official loader does because of the format of the table.

    Args:
        table: The table of a test set.
        is_run: Whether a line without image and label cancels the run. If not, every model gets 0.
    """
    if table.written.byte_order_mark:
        sentence = (
            "the file begins with a byte order mark, which hides the first header from the "
            "official loader. Save as UTF-8 without it."
        )
        findings = [warning("bom", table.header_place, sentence)]
    else:
        findings = []
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        sentence = "the file is UTF-16, which the official loader does not read."
        return [*findings, _run_cancelled(table.header_place, sentence)]
    if table.written.byte_order_mark and table.keys[0] in ID_COLUMNS:
        findings.append(
            score_zero(
                table.header_place,
                "the file begins with a byte order mark, so the official loader does not find the images.",
            )
        )
    findings += [_run_cancelled(table.header_place, sentence) for sentence in _other_cells(table)]
    longer = [i for i, cells in table.written.lengths.items() if cells > len(table.written.header)]
    if set(longer) - table.ragged:
        rows = several(table, sorted(longer))
        sentence = f"the official loader stops at {rows} with more cells than the header."
        findings.append(_run_cancelled(table.place(min(longer)), sentence))
    blank = [i for i, line in enumerate(read_lines(data, table.name), 1) if line.isspace()]
    if blank and table.delimiter != "\t":
        where = f"{table.name}:{blank[0]}"
        sentence = "the official loader reads a line of blanks as a case without image and label."
        findings.append((_run_cancelled if is_run else score_zero)(where, sentence))
    return findings


def _other_cells(table: TextTable) -> Iterator[str]:
    """Yield why the official loader cuts the table into other cells."""
    if table.delimiter == "\t":
        yield "the delimiter is a tab, which the official loader does not read."
    if table.delimiter == "," and any(";" in heading for heading in table.written.header):
        yield "a header contains a semicolon, so the official loader uses it as the delimiter."
    if table.header_line > 1:
        yield f"the headers are on line {table.header_line}; the official loader expects them on line 1."


def column_consequences(
    table: TextTable, cancelling_labels: Sequence[str] | None, metadata_errors: Sequence[int]
) -> list[Finding]:
    """Return findings about what the official loader does because of headers, labels and metadata.

    Args:
        table: The table of a test set.
        cancelling_labels: Rows with labels that the official loader does not know. None for a table that is
            read without labels; its metadata errors do not count.
        metadata_errors: Row of every metadata error, ascending.
    """
    findings, seen = _hidden(table), headings_there(table)
    image = next((key for key in ID_COLUMNS if key in table.keys), None)
    if image not in OFFICIAL_IMAGE:
        sentence = "the image column is not called NewFileName, FilePath or FileName."
        findings.append(score_zero(table.header_place, sentence))
    elif seen.isdisjoint(OFFICIAL_IMAGE) and not (table.written.byte_order_mark and table.keys[0] == image):
        sentence = f"a blank before or after the header {image!r} hides the images."
        findings.append(score_zero(table.header_place, sentence))
    if cancelling_labels is None:
        return findings
    if not any(key in table.keys for key in OFFICIAL_LABEL):
        sentence = "the label column is not called Class or Label."
        findings.append(_run_cancelled(table.header_place, sentence))
    elif seen.isdisjoint(OFFICIAL_LABEL):
        sentence = "a blank or a byte order mark beside the header of the label column hides this column."
        findings.append(_run_cancelled(table.header_place, sentence))
    elif cancelling_labels:
        sentence = f"{len(cancelling_labels)} labels are not written as the exact symbol."
        findings.append(_run_cancelled(cancelling_labels[0], sentence))
    if len(metadata_errors) > METADATA_ERRORS_ALLOWED:
        rows = several(table, sorted(set(metadata_errors)))
        sentence = (
            f"the metadata have {len(metadata_errors)} errors ({rows}); at most {METADATA_ERRORS_ALLOWED} "
            "are allowed."
        )
        findings.append(_run_cancelled(table.place(metadata_errors[0]), sentence))
    return findings


def _hidden(table: TextTable) -> list[Finding]:
    """Return `header-spelling` for blanks beside headers that the official loader looks for."""
    known = {*OFFICIAL_IMAGE, *OFFICIAL_LABEL, AGE[0], LOCATION[0], GENDER[0]}
    padded = [
        heading
        for heading in table.written.header
        if heading != heading.strip() and heading.strip().lower() in known
    ]
    if not padded:
        return []
    sentence = (
        f"Benchside ignores blanks beside the header{'s' * (len(padded) > 1)} "
        f"{', '.join(map(repr, padded))}; the official loader does not, so it does not find such "
        "a column."
    )
    return [warning("header-spelling", table.header_place, sentence)]


def path_consequences(table: TextTable, cells: Sequence[str]) -> list[Finding]:
    """Return findings about what the official loader does if a cell spells the name of an image differently
    from the file. `cells` contains the names of images, as the table writes them."""
    odd = [
        i
        for i, cell in enumerate(cells)
        if cell != cell.strip() or "\\" in cell or cell.strip().startswith("/")
    ]
    if not odd:
        return []
    sentence = (
        f"{several(table, odd)}: the official loader looks for a file with exactly the name "
        f"{cells[odd[0]][:80]!r}."
    )
    return [score_zero(table.place(odd[0]), sentence)]


def score_zero(where: str, reason: str) -> Finding:
    """Return the finding `official-score-zero`: the official program would give every model the score 0."""
    return warning("official-score-zero", where, f"{reason} {ZERO}")


def _run_cancelled(where: str, reason: str) -> Finding:
    return warning("official-run-cancelled", where, f"{reason} {CANCELLED}")
