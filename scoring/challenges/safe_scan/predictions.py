"""Reads prediction tables, matches their rows to the cases of a truth, and returns outputs or labels."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.tables import CODES
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, InputRefused, ordered
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, grade, ignored
from scoring.inputs import case_tables, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.case_tables import WITH_METADATA, AlignedRows, find_table
from scoring.inputs.sources import Source, open_source, sha256
from scoring.inputs.tables import TextTable

UNUSABLE_NUMBER = (
    " The official code takes NaN for the largest value. Fill it in, or let missing cases count as "
    "wrong (--missing wrong)."
)
MISSING_CASE = (
    "; the official code then gives score 0. Add a row, or let missing cases count as wrong "
    "(--missing wrong)."
)


@dataclass(frozen=True)
class Values:
    """Predictions that a table contains for n cases.

    Attributes:
        outputs: Numbers [n, K], NaN if missing.
        labels: Class numbers [n], -1 if missing.
        faults: Cases without a usable prediction, as errors.
        labels_only: Whether the table contains labels and no outputs.
    """

    outputs: Floats
    labels: Ints
    faults: list[Finding]
    labels_only: bool = False


ReadRows = Callable[[AlignedRows, list[Finding], list[Finding]], Values]
"""Function that reads the predictions of matched rows. It adds to the problems and findings of the table."""
ChooseColumns = Callable[[TextTable, int | None, list[Finding], list[Finding]], ReadRows | None]
"""Function from (table, id column, problems, findings) to the function that reads the challenge's columns;
None if the columns are missing."""


def read_predictions(
    choose: ChooseColumns, source: Source, truth: SafeScanCases | None, context: Context
) -> Predictions:
    """Read a prediction table and match it to the cases of the truth. Without a truth, predictions have the
    order of the file.

    Args:
        source: The table, or a folder or zip that contains one.
        context: Its option `missing` decides whether unusable predictions are listed if the table has
            problems.

    Returns:
        The predictions. Cases without a usable one are in `faults`; `score` decides whether these are errors
        or warnings.

    Raises:
        InputRefused: If the table has problems.
    """
    files = open_source(source, context.name)
    member = find_table(files, WITH_METADATA, "keep only the file of predictions")
    data, table = files.read_table(member)
    problems: list[Finding] = list(table.problems)
    findings: list[Finding] = table.notes
    id_column, twice = tables.find_column(table, ID_COLUMNS)
    problems += twice
    if id_column is None:
        subject = "the case id (rows are never matched by position)"
        problems.append(tables.missing_column(table, subject, ("filename", "case", "image"), "id"))
    read = choose(table, id_column, problems, findings)
    if id_column is None or read is None:
        raise InputRefused(ordered(problems, CODES), ordered(findings, CODES))
    findings += ignored(files, {member})
    rows = case_tables.align(table, id_column, truth, problems, findings)
    values = read(rows, problems, findings)
    faults = values.faults
    if truth is not None:
        faults += case_tables.missing_cases(rows, truth, MISSING_CASE, problems)
    if problems:
        hard, soft = grade(faults, context.options["missing"])
        raise InputRefused(
            ordered(tables.settled(table, [*problems, *hard]), CODES), ordered([*findings, *soft], CODES)
        )
    return Predictions(
        files.name,
        values.outputs,
        values.labels,
        values.labels_only,
        tuple(ordered(faults, CODES)),
        tuple(ordered(findings, CODES)),
        files.digest({member: sha256(data)}),
    )


def read_numbers(
    rows: AlignedRows, columns: list[int], problems: list[Finding], findings: list[Finding]
) -> tuple[np.ndarray, list[Finding]]:
    """Read the numbers of each case [n, columns]; see `case_tables.read_numbers`."""
    return case_tables.read_numbers(rows, columns, UNUSABLE_NUMBER, problems, findings)
