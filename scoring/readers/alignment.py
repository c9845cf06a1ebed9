"""Rows of a prediction table aligned with the cases of a truth, and their numbers."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.findings import Finding, InputRefused, error, note, ordered, warning
from scoring.readers import matching, tables
from scoring.readers.lesions import CODES, IMAGE, Cases, find_table
from scoring.readers.sources import Source, open_source, sha256
from scoring.readers.tables import Table
from scoring.submission import Predictions, grade

NOT_A_NUMBER = (
    " The official code takes NaN for the largest value. Fill it in, or let missing cases count as "
    "wrong (--missing wrong)."
)


@dataclass(frozen=True)
class Rows:
    """The rows of a table that count, and the case of every row (negative: none). n: number of cases."""

    table: Table
    rows: list[int]
    case_of: np.ndarray
    n: int


@dataclass(frozen=True)
class Values:
    """What a challenge read by case: outputs [N, K] (NaN where there is none), labels [N] (-1), and the
    faults of cases that cannot be used."""

    outputs: np.ndarray
    labels: np.ndarray
    faults: list[Finding]
    labels_only: bool = False


Read = Callable[[Rows, list[Finding], list[Finding]], Values]
Choose = Callable[[Table, int | None, list[Finding], list[Finding]], Read | None]
"""Finds a challenge's columns (table, column of the ids, problems, findings) and gives what reads them; None
where they are not there."""


def read_predictions(
    source: Source, truth: Cases | None, name: str | None, missing: str, choose: Choose
) -> Predictions:
    """Read a prediction table and align it with the truth's cases; without a truth in file order.

    Raises InputRefused where the table is at fault. Cases without a usable prediction are `faults` of the
    result, refused or taken as wrong by the challenge's `score`; where the table is at fault they stand in
    the same answer, as `missing` grades them.
    """
    files = open_source(source, name)
    member = find_table(files)
    data = files.read(member)
    table = tables.read_table(data, files.called(member))
    problems, findings = list(table.problems), []
    id_column, twice = tables.find_column(table, IMAGE)
    problems += twice
    if id_column is None:
        problems.append(
            tables.missing_column(
                table, "the case id (rows are never matched by position)", ("filename", "case", "image")
            )
        )
    read = choose(table, id_column, problems, findings)
    if id_column is None or read is None:
        raise InputRefused(ordered(problems, CODES), ordered(findings, CODES))
    case_of = cases_of_rows(table, table.cells(id_column), truth, problems, findings)
    n = len(table) if truth is None else len(truth)
    values = read(
        Rows(table, [i for i in np.flatnonzero(case_of >= 0) if i not in table.ragged], case_of, n),
        problems,
        findings,
    )
    faults = values.faults
    if truth is not None:
        faults += _unpredicted(table, truth, id_column, problems)
    if problems:
        hard, soft = grade(faults, missing)
        raise InputRefused(
            ordered(tables.settled(table, [*problems, *hard]), CODES), ordered([*findings, *soft], CODES)
        )
    digest = files.digest({member: sha256(data)})
    return Predictions(
        files.name,
        values.outputs,
        values.labels,
        values.labels_only,
        tuple(ordered(faults, CODES)),
        tuple(ordered(findings, CODES)),
        digest,
    )


def _unpredicted(table: Table, truth: Cases, id_column: int, problems: list[Finding]) -> list[Finding]:
    """`missing-case` for every case that no row names; where no row names any, that is the problem
    instead."""
    named = {case for case in claimed(table, truth, id_column) if case >= 0}
    if not named and len(truth):
        problems.append(nothing_in_common(table, table.cells(id_column), truth))
        return []
    return [
        error(
            "missing-case",
            case,
            f"case {case} has no prediction in {table.name}; the official code then gives score 0. "
            "Add a row, or let missing cases count as wrong (--missing wrong).",
        )
        for i, case in enumerate(truth.ids)
        if i not in named
    ]


def cases_of_rows(
    table: Table, ids: list[str], truth: Cases | None, problems: list[Finding], findings: list[Finding]
) -> np.ndarray:
    """The case of each row [rows]; negative where there is none. A repeated row is reported and left out."""
    nameless = [i for i, name in enumerate(ids) if name.lower() in tables.MISSING]
    problems += [
        error("missing-value", table.place(i), "the case id is empty: every row needs its case.")
        for i in nameless
        if i not in table.ragged
    ]
    names = ids if truth is None else truth.ids
    found = matching.match(ids, truth.ids) if truth is not None else matching.Matches(_first_of_each(ids), {})
    case_of = found.case.copy()
    case_of[nameless] = matching.AMBIGUOUS
    for i, candidates in found.candidates.items():
        problems.append(
            error(
                "ambiguous-case",
                table.place(i),
                (
                    f"{ids[i]!r} fits {len(candidates)} cases "
                    f"({', '.join(names[c] for c in candidates[:3])}): write the id as the truth does."
                ),
            )
        )
    first: dict[int, int] = {}
    for i, case in enumerate(case_of):
        if case >= 0 and case in first:
            problems.append(
                error(
                    "duplicate-case",
                    table.place(i),
                    (
                        f"case {names[case]} stands on line {table.lines[first[case]]} already: keep "
                        "one row per case."
                    ),
                )
            )
            case_of[i] = matching.AMBIGUOUS
        elif case >= 0:
            first[case] = i
    extra = list(np.flatnonzero(case_of == matching.EXTRA))
    if extra and len(extra) < len(ids):
        findings.append(
            warning(
                "extra-case",
                table.place(extra[0]),
                f"{len(extra)} row{'s' * (len(extra) > 1)} for ids that the truth does not have "
                f"({', '.join(ids[i] for i in extra[:3])}{', ...' if len(extra) > 3 else ''}): left out.",
            )
        )
    return case_of


def _first_of_each(ids: list[str]) -> np.ndarray:
    seen: dict[str, int] = {}
    return np.array([seen.setdefault(matching.as_written(name), i) for i, name in enumerate(ids)], dtype=int)


def claimed(table: Table, truth: Cases, id_column: int) -> set[int]:
    """Cases that some row names, however faulty the row: they are not reported as missing too."""
    found = matching.match(table.cells(id_column), truth.ids)
    return set(found.case.tolist()) | {
        case for candidates in found.candidates.values() for case in candidates
    }


def read_numbers(
    rows: Rows, columns: list[int], problems: list[Finding], findings: list[Finding]
) -> tuple[np.ndarray, list[Finding]]:
    """The numbers of `columns` by case [n, columns], a row of NaN where a case has no usable one, and the
    faults that make a case unusable.

    Text where a number is needed is a problem of the table. A decimal comma is read where the delimiter is
    another character.
    """
    table, case_of = rows.table, rows.case_of
    read = [tables.numbers(table.cells(column), table.delimiter != ",") for column in columns]
    values, fault = np.column_stack([r.values for r in read]), np.column_stack([r.fault for r in read])
    commas = sum(r.decimal_commas for r in read)
    if commas:
        findings.append(
            note("decimal-comma", table.place(0), f"{commas} numbers have a decimal comma: read as a point.")
        )
    numbers, faults = np.full((rows.n, len(columns)), np.nan), []
    numbers[case_of[rows.rows]] = values[rows.rows]
    ids = table.cells(tables.find_column(table, IMAGE)[0])
    for i in (i for i in rows.rows if (fault[i] != "").any()):
        numbers[case_of[i]] = np.nan
        for code, (entries, words) in {
            "missing-value": (faults, f"holds no number.{NOT_A_NUMBER}"),
            "not-a-number": (problems, "is not a number: write e.g. 0.73."),
            "not-finite": (faults, f"is not finite.{NOT_A_NUMBER}"),
        }.items():
            hit = np.flatnonzero(fault[i] == code)
            if len(hit):
                cells = ", ".join(
                    f"{table.header[columns[k]]} {table.columns[columns[k]][i].strip()[:40]!r}"
                    for k in hit[:3]
                )
                entries.append(error(code, table.place(i), f"case {ids[i]}, column {cells} {words}"))
    return numbers, faults


def nothing_in_common(table: Table, ids: list[str], truth: Cases) -> Finding:
    """`no-common-case` with three ids of each side."""
    return error(
        "no-common-case",
        table.name,
        (
            f"no row matches a case of {truth.name}. Here: {', '.join(ids[:3])}. There: "
            f"{', '.join(truth.ids[:3])}."
        ),
    )
