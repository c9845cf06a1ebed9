"""Reads tables of the ISIC Challenges: column names, ids and cells. A warning says what the official scorer
would refuse.

Source: `isic-challenge-scoring` 5.8.0, load_csv.py; comments number its checks in the order in which it makes
them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from scoring.challenges.isic.categories import (
    ID,
    ID_COLUMNS,
    PRESETS,
    SLICES,
    UNKNOWN,
    WEIGHTS,
    compared,
    of_width,
    preset,
)
from scoring.challenges.lesion_names import names_of
from scoring.common.arrays import Floats
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.fixes import editing
from scoring.common.text import did_you_mean, nearest
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    are_labels,
    counted,
    sample_of,
    share_of_numbers,
    values_of,
    with_pictures,
)
from scoring.inputs import case_ids, fix_suggestions, tables
from scoring.inputs.case_tables import UNIT_COLUMNS, table_members
from scoring.inputs.column_guess import TableForm
from scoring.inputs.fix_suggestions import renamings
from scoring.inputs.foreign_table_shapes import shape_problem
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import SourceFiles, sha256
from scoring.inputs.tables import TextTable, repeated_row

DROPPED = " The official scorer silently drops the cells beyond the heading and scores the rest."
NAMELESS = "column {} has no name (an index column?): leave it out."
SHOWN = 3
GROUND_TRUTH = "groundtruth"
NUMBERS = 0.9
"""A column counts as a category if at least this share of its cells are numbers."""


@dataclass(frozen=True)
class CategoryTable:
    """A table with an id column.

    Attributes:
        ids: Normalised ids [rows].
        digest_of: Function that returns the SHA-256 of the file.
    """

    table: TextTable
    id_column: int
    ids: tuple[str, ...]
    data: bytes
    digest_of: dict[str, str]

    @property
    def name(self) -> str:
        return self.table.name

    def place(self, name: str) -> int | None:
        """Return the index of the first column with exactly this name, apart from surrounding spaces; None if
        there is none."""
        return self.table.header.index(name) if name in self.table.header else None


@dataclass(frozen=True)
class NumberBlock:
    """Numbers of some columns of a table.

    Attributes:
        values: float64 [rows, columns]; NaN if a cell is not a number.
        faults: (row, column) of a cell that is not a number -> "missing-value", "not-a-number" or
            "not-finite".
        decimal_commas: Number of cells with a decimal comma.
        odd_spaces: Number of cells with unusual spaces.
    """

    values: np.ndarray
    faults: dict[tuple[int, int], str]
    decimal_commas: int
    odd_spaces: int = 0


def find_table(files: SourceFiles) -> str:
    """Return the only CSV file, or the only one with GroundTruth in its name. Raises InputRefused
    (`no-table`, `ambiguous-table`)."""
    if files.kind == "file":
        return files.members[0]
    members = table_members(files)
    named = [m for m in members if GROUND_TRUTH in m.rsplit("/", 1)[-1].lower()]
    for candidates in (members, named):
        if len(candidates) == 1:
            return candidates[0]
    if not members:
        sentence = f"it holds {len(files.members)} files and no CSV table: put the table in it."
        raise InputRefused([error("no-table", files.name, sentence)])
    sentence = (
        f"it holds {len(members)} tables ({', '.join(members[:5])}): keep one, or write "
        "GroundTruth into its name."
    )
    raise InputRefused([error("ambiguous-table", files.name, sentence)])


def read(files: SourceFiles, preferred: Sequence[str] = ()) -> CategoryTable:
    """Read a table and find its id column by the `preferred` names, or else by the usual ones. Raises
    InputRefused if the table cannot be read or has no such column."""
    member = find_table(files)
    data, table = files.read_table(member)
    id_name = next((n for n in (*preferred, *ID_COLUMNS) if n in table.header), None)
    if id_name is None:
        raise InputRefused(
            [
                tables.missing_column(
                    table, "the case id (rows are never matched by position)", ID_COLUMNS, "id"
                )
            ]
        )
    id_column = table.header.index(id_name)
    return CategoryTable(table, id_column, compared(table.columns[id_column]), data, {member: sha256(data)})


def duplicate_columns(table: TextTable) -> list[Finding]:
    """Return a finding `duplicate-column` for each column name that occurs twice."""
    names = [name for name, n in Counter(table.header).items() if n > 1 and name]
    return [
        tables.duplicate_column(table, [i for i, h in enumerate(table.header) if h == name]) for name in names
    ]


def missing_category(table: TextTable, name: str, known: Collection[str] = ()) -> Finding:
    """Return a finding `missing-column` about a category; it names the header that was probably meant.
    `known` contains the headers of other columns."""
    hint = did_you_mean(nearest(name, filter(None, table.header), 0.75))
    message = f"there is no column for category {name!r}. The truth uses exactly this name.{hint}"
    missing = error("missing-column", table.header_place, message)
    fixes = renamings(table.header, f"category {name}", (name,), known, exact=True)
    if name == UNKNOWN and not fixes:
        fixes = (editing("zeros", name, f"Use 0 as each score of {name}, which the model does not predict"),)
    return missing.with_fixes(*fixes)


def numbers(table: TextTable, columns: Sequence[int]) -> NumberBlock:
    """Read the numbers of the given columns. A decimal comma is accepted unless the comma separates cells."""
    values, commas, spaces = np.empty((len(table), len(columns))), 0, 0
    faults: dict[tuple[int, int], str] = {}
    for k, column in enumerate(columns):
        read_cells = parse_numbers(table.columns[column], table.delimiter != ",")
        values[:, k], commas = read_cells.values, commas + read_cells.decimal_commas
        spaces += read_cells.odd_spaces
        faults |= {(int(i), k): str(read_cells.fault[i]) for i in np.flatnonzero(np.isnan(read_cells.values))}
    return NumberBlock(values, faults, commas, spaces)


def by_row(cells: Iterable[tuple[int, int]], skipped: frozenset[int] | set[int]) -> dict[int, list[int]]:
    """Return row -> columns of its cells, both ascending. Rows in `skipped`, which have a finding already,
    are left out."""
    rows: dict[int, list[int]] = {}
    for row, column in sorted(cells):
        if row not in skipped:
            rows.setdefault(row, []).append(column)
    return rows


def cell_problems(
    source: CategoryTable,
    code: str,
    cells: dict[int, list[int]],
    columns: Sequence[int],
    fix: Callable[[str], str] | str,
) -> list[Finding]:
    """Return one finding per row. It names the case, the columns with invalid cells, and the values of these
    cells."""
    table, problems = source.table, []
    for row, places in cells.items():
        values = [(table.header[columns[k]], table.columns[columns[k]][row].strip()) for k in places]
        names = ", ".join(f"{name} {cell[:40]!r}" for name, cell in values[:SHOWN]) + (
            ", ..." if len(values) > SHOWN else ""
        )
        advice = fix if isinstance(fix, str) else fix(values[0][1])
        problem = error(code, table.place(row), f"case {source.ids[row]}, column {names} {advice}")
        fixes = fix_suggestions.fixes_of([cell for _, cell in values]) if code == "not-a-number" else ()
        problems.append(problem.with_fixes(*fixes))
    return problems


def in_row_order(problems: Iterable[Finding]) -> list[Finding]:
    """Return findings sorted by line."""
    return sorted(problems, key=lambda p: int(p.where.rsplit(":", 1)[1]))


def repeated(source: CategoryTable) -> tuple[dict[str, int], dict[int, int]]:
    """Return id -> its first row, and each later row with the same id -> the first row."""
    first = dict(zip(source.ids, range(len(source.ids)), strict=True))
    if len(first) == len(source.ids):
        return first, {}
    first = {}
    again = {i: first[name] for i, name in enumerate(source.ids) if first.setdefault(name, i) != i}
    return first, again


def row_problems(
    source: CategoryTable, again: dict[int, int]
) -> tuple[list[Finding], list[Finding], frozenset[int]]:
    """Return problems of whole rows, and the rows to skip.

    Returns:
        Findings `row-length` and `duplicate-case`; findings `missing-value` about rows without an id; and the
        rows to skip.
    """
    table = source.table
    nameless = [i for i, name in enumerate(source.ids) if not name] if "" in source.ids else []
    twice = [
        repeated_row(table, i, first, source.id_column, f"case {source.ids[i]}")
        for i, first in again.items()
        if i not in nameless
    ]
    empty = [
        error(
            "missing-value",
            table.place(i),
            f"column {table.header[source.id_column]!r} is empty: every row needs its case.",
        )
        for i in nameless
        if i not in table.ragged
    ]
    dropped = {table.place(row) for row in _dropped_there(table)}
    lengths = [
        replace(p, message=p.message + DROPPED) if p.where in dropped else p
        for p in table.problems
        if p.where not in {t.where for t in twice}
    ]
    return [*lengths, *twice], empty, frozenset(table.ragged | set(again) | set(nameless))


def _dropped_there(table: TextTable) -> list[int]:
    """Return the rows whose cells beyond the heading the official scorer drops: its reader takes the first
    row's length for that of all, and stops at a longer one."""
    width = len(table.written.header)
    first = table.written.lengths.get(0, width)
    if first <= width or max(table.written.lengths.values()) > first:
        return []
    return [row for row in table.ragged if table.written.lengths[row] > width]


TITLES = {"2018": "ISIC 2018", "2019": "ISIC 2019", "milk10k": "MILK10k"}
SAMPLES = {"2018": "isic2018", "2019": "isic2019"}
"""Preset (year) -> key of the sample test set of this year."""
METADATA_IDS = ("isic_id", *ID_COLUMNS)
PERSON = (*UNIT_COLUMNS, *(name for names in SLICES.values() for name in names))


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield the inputs of an ISIC Challenge that the files may be: a table of categories with or without
    images, metadata, or a model. A model must have one output per category of a challenge year."""
    width = contents.output_width
    if width and of_width(width):
        year = preset(of_width(width) or ()) or ""
        alone = len(contents.model.inputs) == 1 if contents.model else False
        certainty = LIKELY if alone else POSSIBLE
        description = f"a model for {TITLES[year]}: {width} outputs"
        yield Candidate(ID, "submission", description, certainty, test_set=SAMPLES.get(year))
    elif width and width > 1:
        description = f"a model for the ISIC Challenge with own categories: {width} outputs"
        yield Candidate(ID, "submission", description, POSSIBLE)
    for table in contents.tables:
        yield from _of_table(table, contents)


def _of_table(table: TextTable, contents: FileContents) -> Iterator[Candidate]:
    id_column = next((table.header.index(name) for name in ID_COLUMNS if name in table.header), None)
    person = {i for i, key in enumerate(table.keys) if key in PERSON}
    weights = {i for i, header in enumerate(table.header) if header in WEIGHTS}
    others = [i for i, h in enumerate(table.header) if h and i not in person | weights and i != id_column]
    values = values_of(table, others, sample_of)
    names = tuple(table.header[i] for i in others)
    too_few = len(others) < 2 and not _usual(names)
    if id_column is None or too_few or any(map(partial(_is_other, table), others, values)):
        yield from _metadata(table, contents, len(person))
        yield from _labels(table, contents)
        return
    year = preset(names)
    title = TITLES[year] if year else f"the ISIC Challenge ({_known(names)})"
    n = counted(len(table), "lesion" if table.header[id_column] != "image" else "image")
    ids = contents.keys_of(table, id_column)
    size = f"{len(names)} categories, {n}" if len(names) > 1 else f"1 category, {n}"
    predictions = f"a prediction file for {title}: {size}"
    truth = f"a test set for {title}: {size}{with_pictures(contents)}"
    certainty = _certainty(table, names, year)
    if are_labels(values) or weights:
        yield Candidate(ID, "truth", truth, certainty, ids)
        yield Candidate(ID, "submission", predictions, POSSIBLE, ids)
    else:
        yield Candidate(ID, "submission", predictions, certainty, ids)
        yield Candidate(ID, "truth", truth, POSSIBLE, ids)


def _is_other(table: TextTable, column: int, values: Floats) -> bool:
    """Return whether the cells of a column that hold something are rarely numbers."""
    if share_of_numbers(values) >= NUMBERS:
        return False
    return share_of_numbers(values[np.array(sample_of(table, column)) != ""]) < NUMBERS


def _labels(table: TextTable, contents: FileContents) -> Iterator[Candidate]:
    """Yield that a table without scores can be one of labels, which its reader takes after a change."""
    column, _ = tables.find_column(table, (*METADATA_IDS, *case_ids.ID_COLUMNS))
    forms = (TableForm("image", names_of(PRESETS[year])) for year in ("2018", "2019"))
    if column is not None and any(shape_problem(table, form, (), {"missing-column"}) for form in forms):
        description = f"a prediction file for the ISIC Challenge: a label for {counted(len(table), 'image')}"
        yield Candidate(ID, "submission", description, POSSIBLE, contents.keys_of(table, column))


def _certainty(table: TextTable, names: tuple[str, ...], year: str | None) -> int:
    """Return how certain it is that columns are categories of the ISIC Challenge. MILK10k's are those of
    TRICORDER-3, but for the ids of lesions."""
    if year:
        return LIKELY if year == "milk10k" and "lesion_id" not in table.header else SURE
    return LIKELY if _usual(names) else POSSIBLE


def _usual(names: tuple[str, ...]) -> set[str]:
    return {name for members in PRESETS.values() for name in members} & set(names)


def _known(names: tuple[str, ...]) -> str:
    usual = len(_usual(names))
    return f"own categories, {usual} of them standard" if usual else "own categories"


def _metadata(table: TextTable, contents: FileContents, about_person: int) -> Iterator[Candidate]:
    id_column = next((i for i, key in enumerate(table.keys) if key in METADATA_IDS), None)
    if id_column is not None and about_person >= 2:
        n = counted(len(table), "image")
        description = f"metadata for the ISIC Challenge: {counted(about_person, 'column')} about {n}"
        yield Candidate(ID, "metadata", description, SURE, contents.keys_of(table, id_column))
