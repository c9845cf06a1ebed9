"""What the official loader would make of a table that is read here all the same."""

from collections.abc import Sequence

from scoring.challenges.safe_scan.tables import OFFICIAL_IMAGE, OFFICIAL_LABEL, several
from scoring.common.findings import Finding, warning
from scoring.inputs.case_tables import ID_COLUMNS
from scoring.inputs.tables import TextTable

METADATA_ERRORS_ALLOWED = 2
CANCELLED = "The validator would cancel the whole run."
ZERO = "The validator would give every model the score 0."


def file_consequences(table: TextTable) -> list[Finding]:
    """Return the consequences of how the file is written: byte order mark, tabs."""
    found = []
    if table.written.byte_order_mark:
        words = (
            "the file begins with a byte order mark, which hides the first header from the "
            "official loader. Save as UTF-8 without it."
        )
        found += [
            warning("bom", table.header_place, words),
            score_zero(table.header_place, "byte order mark."),
        ]
    if table.delimiter == "\t":
        words = "the delimiter is a tab, which the official loader does not read."
        found.append(_run_cancelled(table.header_place, words))
    return found


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
    found = []
    image = next((key for key in ID_COLUMNS if key in table.keys), None)
    if image not in OFFICIAL_IMAGE:
        words = "the image column is not called NewFileName, FilePath or FileName."
        found.append(score_zero(table.header_place, words))
    if cancelling_labels is None:
        return found
    if not any(key in table.keys for key in OFFICIAL_LABEL):
        words = "the label column is not called Class or Label."
        found.append(_run_cancelled(table.header_place, words))
    elif cancelling_labels:
        words = f"{len(cancelling_labels)} labels are not written as the exact symbol."
        found.append(_run_cancelled(cancelling_labels[0], words))
    if len(metadata_errors) > METADATA_ERRORS_ALLOWED:
        rows = several(table, sorted(set(metadata_errors)))
        words = (
            f"{len(metadata_errors)} metadata errors ({rows}); more than {METADATA_ERRORS_ALLOWED} "
            "are too many."
        )
        found.append(_run_cancelled(table.place(metadata_errors[0]), words))
    return found


def score_zero(where: str, words: str) -> Finding:
    """Return `official-score-zero`: every model would get the score 0 there."""
    return warning("official-score-zero", where, f"{words} {ZERO}")


def _run_cancelled(where: str, words: str) -> Finding:
    return warning("official-run-cancelled", where, f"{words} {CANCELLED}")
