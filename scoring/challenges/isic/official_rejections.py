"""What the official scorer refuses, in its words: its twelve checks, and files that only Benchside can read.

Source: `isic-challenge-scoring` 5.8.0, load_csv.py. The official scorer reads files with pandas and reports
only the first check that fails. This module does the same.
"""

import codecs
import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from scoring.challenges.isic.categories import OFFICIAL_ID_COLUMNS, WEIGHTS
from scoring.challenges.isic.tables import SHOWN, CategoryTable, NumberBlock, find_table
from scoring.common.findings import Finding, note, warning
from scoring.common.transport import isolated
from scoring.inputs.exported_text import WEKA_LIST
from scoring.inputs.grand_challenge_jobs import open_table
from scoring.inputs.long_tables import FORMAT as LONG
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source
from scoring.inputs.table_text import DELIMITERS
from scoring.inputs.tables import MISSING, OTHER_FORMAT, TextTable

AS_GIVEN = "refused-as-given"
REFUSES = "The official scorer refuses this file: "
NO_ID = 'Missing column in CSV: "image" or "lesion_id".'
NOT_UTF8, NO_NEWLINES = "Could not parse CSV: could not decode file as UTF-8.", "No newlines detected in CSV."
CHECKS = (
    "could not decode",
    "No newlines",
    "Could not parse",
    NO_ID,
    "Duplicate image rows",
    "Missing columns",
    "Extra columns",
    "Missing value(s)",
    "non-floating-point",
    "outside the interval",
    "Missing images",
    "Extra images",
)
"""Part of the message of each check of the official scorer, in the order of the checks."""
TEXT_FORMATS = ("JSON", LONG, WEKA_LIST)
"""Other table formats whose bytes are text."""
HEAD_CHARACTERS, HEAD_LINES = 2000, 2
INTEGER = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
WHOLE = re.compile(r"\d+", re.ASCII)
NUMERIC = re.compile(r"[+-]?((\d++\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)", re.ASCII | re.IGNORECASE)
TRUTH_VALUES = {"true", "false"}
NOT_THERE = frozenset((
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "1.#IND", "1.#QNAN", "<NA>", "N/A", "n/a", "NA",
    *("NaN", "nan", "-NaN", "-nan", "NULL", "null", "None"),
))  # fmt: skip
"""Cells that pandas reads as missing."""
SPELLING = "id-spelling"
SPELLED_ALIKE = "id-spelling-alike"
"""Code of the note about unusual ids that the official scorer matches, as they are equal in both files."""
DECLARED = re.compile(rb"(\xef\xbb\xbf)?\s*sep=", re.IGNORECASE)
JPG = re.compile(r"\.jpg$", re.IGNORECASE)


def tolerated(
    source: CategoryTable, categories: Sequence[str], block: NumberBlock, truth: bool
) -> list[Finding]:
    """Return warnings about contents of a table that Benchside reads but the official scorer refuses.

    Args:
        categories: Categories whose numbers are in `block`.
        truth: Whether there is a truth. If so, `spelled_alike` checks the ids of predictions.
    """
    table = source.table
    checks = [
        ("delimiter", _delimiter(source)),
        (OTHER_FORMAT, _format(table)),
        ("encoding", _encoding(source.data)),
        ("header-alias", _alias(source)),
        ("header-spelling", _spelling(source)),
        ("trailing-delimiter", _trailing(source, truth)),
        ("decimal-comma", _commas(block, categories)),
        ("odd-space", _odd_spaces(block, categories)),
        ("integer-column", "" if truth else _integers(table, categories, block)),
        (SPELLING, _id_spelling(source, truth)),
        ("numeric-ids", _numeric_ids(source)),
        ("missing-ids", _missing_ids(source)),
        ("short-file", "" if truth or table.written.other_format else _short(source.data)),
    ]
    return [warning(code, table.name, text) for code, text in checks if text]


def first_refusal(findings: Iterable[Finding]) -> str | None:
    """Return the message of the first check that the files fail; None if the official scorer accepts them."""
    findings = list(findings)
    alike = any(finding.code == SPELLED_ALIKE for finding in findings)
    refusals = [
        f.message.split(REFUSES, 1)[1]
        for f in findings
        if REFUSES in f.message and not (alike and f.code == SPELLING)
    ]
    return min(
        refusals,
        key=lambda refusal: next((i for i, check in enumerate(CHECKS) if check in refusal), len(CHECKS)),
        default=None,
    )


def spelled_alike(
    written: Sequence[str], cases: Sequence[int], there: Sequence[str], name: str
) -> Finding | None:
    """Return a note if ids are spelled unusually, but in the same way in predictions and truth, so that the
    official scorer matches them; otherwise None.

    Args:
        written: Ids of the predictions; the official scorer removes a final .jpg.
        cases: Index of each row's case.
        there: Ids of the truth as they are written.
    """
    if any(JPG.sub("", cell) != there[case] for cell, case in zip(written, cases, strict=True)):
        return None
    text = "ids are written in the same unusual way in both files: the official scorer matches them."
    return note(SPELLED_ALIKE, name, text)


def as_given(source: Source, truth: SourceFiles, name: str) -> list[Finding]:
    """Return a warning with the message of the official scorer about the original file, if Benchside reads
    the file with fixes and the official scorer refuses it without them; otherwise an empty list. May raise
    InputRefused."""
    if not isinstance(source, FixedSource):
        return []
    refusal = message(source.source, truth, name)
    if refusal is None:
        return []
    return [warning(AS_GIVEN, name, f"Benchside reads this file with changes. {REFUSES}{refusal}")]


def _delimiter(source: CategoryTable) -> str:
    table = source.table
    if table.delimiter == ",":
        named = DECLARED.match(source.data) is not None
        return f"the first line names the delimiter, where the heading is expected. {REFUSES}{NO_ID}" * named
    return f"{DELIMITERS[table.delimiter]}s, not commas, separate the cells. {REFUSES}{NO_ID}"


def _format(table: TextTable) -> str:
    kind = table.written.other_format
    refusal = NO_ID if kind in TEXT_FORMATS else NOT_UTF8
    return kind and f"the file is not CSV but another format ({kind}). {REFUSES}{refusal}"


def _encoding(data: bytes) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return f"the file is in UTF-16, not UTF-8. {REFUSES}{NOT_UTF8}" if wide else ""


def _alias(source: CategoryTable) -> str:
    name = source.table.header[source.id_column]
    if name in OFFICIAL_ID_COLUMNS:
        return ""
    return f"Benchside reads column {name!r} as the case id: call it lesion_id. {REFUSES}{NO_ID}"


def _spelling(source: CategoryTable) -> str:
    table = source.table
    padded = [
        i
        for i, (written, name) in enumerate(zip(table.written.header, table.header, strict=False))
        if written != name
    ]
    if not padded:
        return ""
    names = [table.header[i] for i in padded]
    message = NO_ID if source.id_column in padded else f"Missing columns in CSV: {sorted(names)}."
    return (
        f"Benchside ignores spaces around the heading{'s' * (len(names) > 1)} "
        f"{', '.join(map(repr, names))}. {REFUSES}{message}"
    )


def _trailing(source: CategoryTable, truth: bool) -> str:
    table = source.table
    width = len(table.header)
    if len(table.written.header) > width:
        unnamed = [f"Unnamed: {i}" for i in range(width, len(table.written.header))]
        return (
            f"Benchside ignores {len(unnamed)} empty cell{'s' * (len(unnamed) > 1)} at the end of "
            f"the heading. {REFUSES}Extra columns in CSV: {unnamed}."
        )
    if not table.written.padded:
        return ""
    if 0 in table.written.padded:  # its reader takes the width of the first row
        if not truth:
            return ""
        moved = sorted({*table.columns[source.id_column + 1]}) if source.id_column + 1 < width else ["nan"]
        return (
            "the first row ends with more empty cells than the heading, so the official scorer gives each "
            f"column the heading to its left. {REFUSES}Missing images in CSV: [{', '.join(moved[:SHOWN])}]."
        )
    row = min(table.written.padded)
    difference = (
        f"Benchside ignores additional empty cells at the end of {len(table.written.padded)} "
        f"row{'s' * (len(table.written.padded) > 1)} (first: line {table.lines[row]})"
    )
    return f"{difference}. {REFUSES}Could not parse CSV: Error tokenizing data."


def _commas(block: NumberBlock, categories: Sequence[str]) -> str:
    if not block.decimal_commas:
        return ""
    have = "s have" if block.decimal_commas > 1 else " has"
    return f"{block.decimal_commas} number{have} a decimal comma. {REFUSES}{_not_floating(categories)}"


def _odd_spaces(block: NumberBlock, categories: Sequence[str]) -> str:
    if not block.odd_spaces:
        return ""
    several = block.odd_spaces > 1
    difference = f"Benchside ignores an unusual space beside {block.odd_spaces} number{'s' * several}"
    return f"{difference}. {REFUSES}{_not_floating(categories)}"


def _integers(table: TextTable, categories: Sequence[str], block: NumberBlock) -> str:
    whole = [
        name
        for k, name in enumerate(categories)
        if name in table.header
        and np.array_equal(block.values[:, k], np.round(block.values[:, k]))
        and all(INTEGER.fullmatch(cell) for cell in set(table.columns[table.header.index(name)]))
    ]
    if not whole:
        return ""
    difference = (
        f"column{'s' * (len(whole) > 1)} {', '.join(whole)} {'have' if len(whole) > 1 else 'has'} "
        "only whole numbers: write 0.0 and 1.0"
    )
    return f"{difference}. {REFUSES}{_not_floating(whole)}"


def _not_floating(names: Sequence[str]) -> str:
    return f"CSV contains non-floating-point value(s) in columns: {list(names)}."


def _id_spelling(source: CategoryTable, truth: bool) -> str:
    written = source.table.columns[source.id_column]
    if written == source.ids:
        return ""
    odd = [
        i
        for i, cell in enumerate(written)
        if cell != source.ids[i] and (truth or JPG.sub("", cell) != source.ids[i])
    ]
    if not odd:
        return ""
    examples = ", ".join(repr(written[i]) for i in odd[:SHOWN]) + (", ..." if len(odd) > SHOWN else "")
    missing = [JPG.sub("", written[i]) if truth else source.ids[i] for i in odd[:SHOWN]]
    difference = (
        f"Benchside compares {len(odd)} id{'s' * (len(odd) > 1)} without folder, file ending and "
        f"spaces ({examples})"
    )
    return f"{difference}. {REFUSES}Missing images in CSV: {missing}."


def _numeric_ids(source: CategoryTable) -> str:
    written = source.table.cells(source.id_column)
    numeric = all(NUMERIC.fullmatch(name) or name.lower() in MISSING for name in written)
    if not numeric and not all(name.lower() in TRUTH_VALUES for name in written):
        return ""
    kind = "whole numbers" if all(WHOLE.fullmatch(name) for name in written) else "numbers"
    kind = kind if numeric else "True or False"
    message = f"Missing images in CSV: {list(source.ids[:SHOWN])}."
    return (
        f"all ids are {kind}; the official scorer reads them as numbers in one file and as text "
        f"in the other. {REFUSES}{message}"
    )


def _missing_ids(source: CategoryTable) -> str:
    ids = sorted(NOT_THERE.intersection(source.table.columns[source.id_column]))
    if len(ids) < 2:
        return ""
    return (
        f"the official scorer takes {len(ids)} id{'s' * (len(ids) > 1)} for missing values "
        f"({', '.join(map(repr, ids[:SHOWN]))}). {REFUSES}Duplicate image rows detected in CSV: [nan]."
    )


def _short(data: bytes) -> str:
    start = (
        data[: 8 * HEAD_CHARACTERS]
        .decode("utf-8-sig", "replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")[:HEAD_CHARACTERS]
    )
    if start.count("\n") >= HEAD_LINES:
        return ""
    return f"the first 2,000 characters have fewer than two line ends. {REFUSES}{NO_NEWLINES}"


def message(predictions: Source, truth: Source, name: str | None = None) -> str | None:
    """Return the official scorer's message about a prediction file, or its exception if it cannot read the
    truth; None if it accepts both. Raises InputRefused if a source cannot be opened or is too large."""
    files, truth_files = open_table(predictions, name), open_source(truth)
    data = files.read(find_table(files))
    return _first_message(data, name or "predictions", truth_files.read(find_table(truth_files)))


@isolated
def _first_message(data: bytes, _name: str, answers: bytes) -> str | None:
    try:
        categories, ids = _truth(answers)
    except (ValueError, KeyError, UnicodeError) as problem:
        return f"{type(problem).__name__}: {str(problem).strip(chr(39))}"
    return next(_checks(data, categories, ids), None)


def _truth(data: bytes) -> tuple[list[str], set[Any]]:
    import pandas  # only this comparison needs it

    table = pandas.read_csv(_text(data), header=0, index_col=False)
    id_name = next((n for n in OFFICIAL_ID_COLUMNS if n in table.columns), None)
    if id_name is None:
        raise KeyError(NO_ID)
    return [c for c in table.columns if c not in (id_name, *WEIGHTS)], set(table[id_name])


def _text(data: bytes) -> io.StringIO:
    """Return the file as Python opens a text: strict UTF-8, every line end a line feed."""
    return io.StringIO(data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"))


def _checks(data: bytes, categories: list[str], ids: set[Any]) -> Iterator[str]:
    """Yield the messages of failed checks in order; checks that need the result of a failed one are left
    out."""
    import pandas

    try:
        text = _text(data)
    except UnicodeDecodeError:
        yield "Could not parse CSV: could not decode file as UTF-8."
        return
    if text.read(HEAD_CHARACTERS).count("\n") < HEAD_LINES:
        yield "No newlines detected in CSV."
    text.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", pandas.errors.ParserWarning
            )  # of cells beyond the heading, which it drops
            table = pandas.read_csv(text, header=0, index_col=False)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError) as problem:
        yield f'Could not parse CSV: "{problem}".'
        return
    id_name = next((n for n in OFFICIAL_ID_COLUMNS if n in table.columns), None)
    if id_name is None:
        yield NO_ID
        return
    names = [JPG.sub("", str(value)) for value in table.pop(id_name)]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        repeated = dict.fromkeys(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        yield f"Duplicate image rows detected in CSV: {[*repeated]}."
    missing = sorted(set(categories) - set(table.columns))
    extra = sorted(set(table.columns) - set(categories))
    if missing:
        yield f"Missing columns in CSV: {missing}."
    if extra:
        yield f"Extra columns in CSV: {extra}."
    if missing or extra:
        return
    table = table[categories]
    yield from _values(table, names)
    yield from _rows(names, ids)


def _values(table: Any, names: list[str]) -> Iterator[str]:
    empty = table.isnull().any(axis="columns").to_numpy()
    if empty.any():
        yield f"Missing value(s) in CSV for images: {[names[i] for i in np.flatnonzero(empty)]}."
    texts = [c for c in table.columns if table[c].dtype != np.float64]
    if texts:
        yield f"CSV contains non-floating-point value(s) in columns: {texts}."
        return
    values = table.to_numpy()
    outside = ((values < 0) | (values > 1)).any(axis=1)
    if outside.any():
        yield (
            "Values in CSV are outside the interval [0.0, 1.0] for images: "
            f"{[names[i] for i in np.flatnonzero(outside)]}."
        )


def _rows(names: list[str], ids: set[Any]) -> Iterator[str]:
    missing, extra = ids - set(names), set(names) - ids
    if missing:
        yield f"Missing images in CSV: {sorted(missing)}."
    if extra:
        yield f"Extra images in CSV: {sorted(extra)}."
