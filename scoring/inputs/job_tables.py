"""One table of the answers of many jobs, for challenges that take a table: each job wrote one JSON."""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.jobs import by_case
from scoring.inputs.sources import Mended, Source, SourceFiles, open_source, sha256

CASE, NUMBER, LABEL = "image", "score", "prediction"
"""Columns: the case; a single number; a single text."""
ANSWER_BYTES = 1_000_000


def open_table(source: Source, name: str | None = None) -> SourceFiles:
    """Open the source of a table; answers of job folders are read as one table.

    Args:
        source: A table, job folders, or a folder or zip with a table.
        name: What messages call it.

    Raises:
        InputRefused: It cannot be opened, or an answer of a job is no row.
    """
    files = open_source(source.source if isinstance(source, Mended) else source, name)
    table = as_table(files)
    if table is not None:
        written: bytes = table
        files = SourceFiles(
            files.name,
            "file",
            {files.name: len(written)},
            lambda _member: written,
            lambda _member: io.BytesIO(written),
            files.whole or sha256(written),
        )
    return open_source(Mended(files, source.changes)) if isinstance(source, Mended) else files


def as_table(files: SourceFiles) -> bytes | None:
    """Return the answers of job folders as a CSV table, numbers as they are written; None where the files are
    no job folders.

    Args:
        files: What a platform gave.

    Raises:
        InputRefused: With every job whose answer is no object of names and numbers, no number and no text.
    """
    named, original = by_case(files)
    if not original:
        return None
    answers: dict[str, Mapping[str, str]] = {}
    problems: list[Finding] = []
    several = Counter(
        member.split("/")[0] for member in named.members if "/" in member and member.endswith(".json")
    )
    for case in several:
        words = f"its job wrote {several[case]} JSON files: one answer is expected."
        problems.append(error("unreadable-file", shortened(case, 64), words))
    for member in named.members:
        if "/" in member or not member.lower().endswith(".json"):
            continue
        try:
            answers[member[: -len(".json")]] = _row(named, member)
        except (ValueError, RecursionError):
            words = 'write an object of names and numbers ({"MEL": 0.7, "NV": 0.3}), a number or a class.'
            problems.append(error("unreadable-file", shortened(original[member], 120), words))
    if problems:
        raise InputRefused(problems)
    columns = list(dict.fromkeys(name for row in answers.values() for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, [CASE, *columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows({CASE: case, **row} for case, row in answers.items())
    return text.getvalue().encode()


def _row(files: SourceFiles, member: str) -> Mapping[str, str]:
    """Return the cells of an answer. Raises ValueError where it is none."""
    if files.sizes[member] > ANSWER_BYTES:
        raise ValueError
    value: Any = json.loads(
        files.read(member), parse_float=_Number, parse_int=_Number, parse_constant=_Number
    )
    if isinstance(value, _Number):
        return {NUMBER: value}
    if isinstance(value, str):
        return {LABEL: value}
    if not isinstance(value, dict) or CASE in value or not all(isinstance(v, str) for v in value.values()):
        raise ValueError
    return value


class _Number(str):
    """A number as its file writes it."""
