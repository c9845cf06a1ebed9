"""Reads the test set of an ISIC Challenge: cases, categories, weights, and which photographs belong to which
case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import ClassVar

import numpy as np

from scoring.challenges.isic import tables as category_tables
from scoring.challenges.isic.categories import EXCLUDED, SCORE_WEIGHT, SLICES, VALIDATION_WEIGHT
from scoring.challenges.isic.official_rejections import tolerated
from scoring.challenges.isic.tables import CategoryTable, NumberBlock
from scoring.common.findings import Finding, InputRefused, error, note
from scoring.core.challenge import Context
from scoring.inputs import case_ids
from scoring.inputs.case_images import image_members
from scoring.inputs.case_tables import IMAGE_ENDINGS, UNIT_COLUMNS, table_members
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import Source, SourceFiles, open_source
from scoring.inputs.tables import TextTable, key
from scoring.metrics.subgroups import age_groups

UNKNOWN_GROUP = ("", "unknown", "nan", "na", "n/a", "none", "null")
IMAGE = "image"
UNIT_COLUMN = "unit-column"
"""Code of the note about a column of units, which the official scorer would read as a category."""


@dataclass(frozen=True)
class CaseWeights:
    """Weights of the cases, float64 [N]; 0 for an excluded image.

    Attributes:
        score: Weight in the score.
        validation: Weight in the validation score.
        in_file: Whether the file contains a column with the weights in the score.
        validation_in_file: Whether the file contains a column with the weights in the validation score.
    """

    per_case: ClassVar[tuple[str, ...]] = ("score", "validation")
    score: np.ndarray
    validation: np.ndarray
    in_file: bool = False
    validation_in_file: bool = False


@dataclass(frozen=True)
class IsicCases:
    """Cases of a test set in file order. They may also be images alone; then they have no categories.

    Attributes:
        ids: Normalised ids.
        photographs: Names of each case's photographs in `pictures`.
        ambiguous: Cases with several photographs that cannot be distinguished.
        columns: Header (as `key` returns it) -> cells, for joined metadata and for columns that are not
            categories.
        positives: Whether each case belongs to each category, bool [N, K].
        written_ids: Ids as the table writes them.
    """

    per_case: ClassVar[tuple[str, ...]] = (
        "ids",
        "photographs",
        "ambiguous",
        "columns",
        "positives",
        "weights",
        "written_ids",
    )
    name: str
    files: SourceFiles
    ids: tuple[str, ...]
    pictures: SourceFiles
    photographs: tuple[tuple[str, ...], ...]
    ambiguous: frozenset[int]
    columns: Mapping[str, tuple[str, ...]]
    id_column: str
    digest_of: Mapping[str, str]
    findings: tuple[Finding, ...]
    categories: tuple[str, ...]
    positives: np.ndarray
    weights: CaseWeights
    written_ids: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def labels(self) -> np.ndarray:
        """Category number of each case [N]; -1 (undecided) if its row has no category or several."""
        if self.categories:
            return np.where(self.positives.sum(1) == 1, self.positives.argmax(1), -1)
        return np.full(len(self), -1)

    @property
    def score_weights(self) -> np.ndarray:
        """Weight of each case in the score [N]."""
        return self.weights.score

    @property
    def images(self) -> tuple[str | None, ...]:
        """Name of the first photograph of each case; None if there is none."""
        return tuple(members[0] if members else None for members in self.photographs)

    @property
    def id_name(self) -> str:
        """Heading of the id column in prediction files for the official scorer."""
        return "lesion_id" if self.id_column == "lesion" else self.id_column

    def picture(self, index: int) -> bytes | None:
        """Return the bytes of the first photograph of a case; None if there is none. Raises InputRefused if
        the file cannot be read."""
        return self.pictures.read(self.photographs[index][0]) if self.photographs[index] else None


def read_truth(source: Source, images: Source | None, context: Context) -> IsicCases:
    """Read the test set: a CSV, or a folder or zip with one CSV and images.

    The column that the option `group` names defines the units. It is not read as a category.

    Args:
        images: Folder or zip of the images, if they are not beside the table.

    Raises:
        InputRefused: If there are problems. It lists all of them; its `salvaged` contains the part that could
            be read.
    """
    files = open_source(source, context.name)
    pictures = files if images is None else open_source(images)
    source_table = category_tables.read(files)
    table = source_table.table
    units = _unit_columns(source_table, context.options["group"])
    roles = {
        source_table.id_column,
        *units,
        *(i for i, h in enumerate(table.header) if h in (SCORE_WEIGHT, VALIDATION_WEIGHT)),
    }
    places = [i for i, h in enumerate(table.header) if i not in roles and h and table.header.index(h) == i]
    categories = tuple(table.header[i] for i in places)
    answers = category_tables.numbers(table, places)
    weights = {h: table.header.index(h) for h in (SCORE_WEIGHT, VALIDATION_WEIGHT) if h in table.header}
    weighing = category_tables.numbers(table, list(weights.values()))
    problems = [
        *category_tables.duplicate_columns(table),
        *(
            error("extra-column", table.header_place, category_tables.NAMELESS.format(i + 1))
            for i, heading in enumerate(table.header)
            if not heading
        ),
        *_row_problems(source_table, places, answers, list(weights.values()), weighing),
    ]
    if len(categories) < 2:
        problems.append(_too_few(table, categories))
    values = dict(zip(weights, weighing.values.T, strict=True))
    cases = _cases(files, pictures, source_table, categories, answers, values, units)
    if not problems and not (cases.weights.score[cases.labels >= 0] > 0).any():
        sentence = "no case with a weight above 0 has exactly one category: nothing can be scored."
        problems.append(error("no-scored-case", table.name, sentence))
    findings = [
        *tolerated(source_table, categories, answers, truth=True),
        *(_unit_note(table, i, i in _usual_units(source_table)) for i in units),
    ]
    cases = replace(cases, findings=tuple(findings))
    if problems:
        raise InputRefused(problems, findings, salvaged=_named_once(cases))
    return cases


def read_images(source: Source, name: str | None = None) -> IsicCases:
    """Read cases without labels, for `predict`: the rows of the table if there is one, otherwise every image
    by its name. Raises InputRefused if the table has problems, or if there is neither table nor image."""
    files = open_source(source, name)
    if files.kind == "file" or table_members(files):
        source_table = category_tables.read(files)
        _, again = category_tables.repeated(source_table)
        lengths, empty, _ = category_tables.row_problems(source_table, again)
        if lengths or empty:
            raise InputRefused([*lengths, *empty])
        return _cases(
            files, files, source_table, (), NumberBlock(np.empty((len(source_table.ids), 0)), {}, 0), {}, []
        )
    by_stem: dict[str, list[str]] = {}
    for member in image_members(files):
        by_stem.setdefault(case_ids.stem(member), []).append(member)
    n, photographs = len(by_stem), tuple(map(tuple, by_stem.values()))
    several = frozenset(i for i, fits in enumerate(photographs) if len(fits) > 1)
    return IsicCases(
        files.name,
        files,
        tuple(by_stem),
        files,
        photographs,
        several,
        {},
        IMAGE,
        {},
        (),
        (),
        np.empty((n, 0), bool),
        CaseWeights(np.ones(n), np.ones(n)),
    )


def find_photographs(
    pictures: SourceFiles, ids: Sequence[str], lesions: bool
) -> tuple[tuple[tuple[str, ...], ...], frozenset[int]]:
    """Return the photographs of each case, and the cases whose photographs cannot be distinguished.

    Photographs are found by file name without extension, in any folder. With `lesions`, the photographs of a
    lesion are in a folder with its name.
    """
    if pictures.kind == "file":
        return ((),) * len(ids), frozenset()
    by_stem: dict[str, list[str]] = {}
    by_folder: dict[str, list[str]] = {}
    for member in (m for m in pictures.members if m.lower().endswith(IMAGE_ENDINGS)):
        by_stem.setdefault(case_ids.stem(member), []).append(member)
        for part in PurePosixPath(member).parts[:-1]:
            by_folder.setdefault(part, []).append(member)
    photographs, ambiguous = [], set()
    for i, name in enumerate(ids):
        together = by_folder.get(name, []) if lesions else []
        photographs.append(tuple(together or by_stem.get(name, ())))
        if not together and len(photographs[-1]) > 1:
            ambiguous.add(i)
    return tuple(photographs), frozenset(ambiguous)


def subgroups(columns: Mapping[str, Sequence[str]]) -> dict[str, dict[str, np.ndarray]]:
    """Return the subgroups by age band, sex and site: whether each case belongs to the group, bool [N]. Only
    columns that exist are used."""
    cells = {
        slice_name: next((columns[c] for c in names if c in columns), None)
        for slice_name, names in SLICES.items()
    }
    groups = {}
    for slice_name, column in cells.items():
        if column is not None:
            of_column = (
                age_groups(parse_numbers(column).values) if slice_name == "age" else _named_groups(column)
            )
            groups[slice_name] = {name: members for name, members in of_column.items() if members.any()}
    return groups


def _named_groups(cells: Sequence[str]) -> dict[str, np.ndarray]:
    named = np.array([_group(cell) for cell in cells])
    return {name: named == name for name in (*sorted(set(named) - {"unknown"}), "unknown")}


def _group(cell: str) -> str:
    name = cell.strip().lower()
    return "unknown" if name in UNKNOWN_GROUP else {"m": "male", "f": "female"}.get(name, name)


def _usual_units(source: CategoryTable) -> list[int]:
    """Columns that name a unit unasked: the patient, and the lesion where rows are images."""
    usual = [c for c in UNIT_COLUMNS if c != "lesion_id" or source.table.header[source.id_column] == IMAGE]
    return [i for i, k in enumerate(source.table.keys) if k in usual and i != source.id_column]


def _unit_columns(source: CategoryTable, group: str | None) -> list[int]:
    asked = (
        []
        if group is None
        else [i for i, k in enumerate(source.table.keys) if k == key(group) and i != source.id_column]
    )
    return sorted({*_usual_units(source), *asked})


def _unit_note(table: TextTable, column: int, usual: bool) -> Finding:
    why = "it groups the cases" if usual else "it was chosen to group the cases"
    message = (
        f"column {table.header[column]!r} is no category here: {why}. The official scorer takes it "
        "for a category."
    )
    return note(UNIT_COLUMN, table.name, message)


def _too_few(table: TextTable, categories: Sequence[str]) -> Finding:
    n = len(categories)
    message = (
        f"{n} category column{'s' * (n != 1)}: two or more are needed. With a single category, the official "
        "scorer gives 1.0 to any prediction."
    )
    return error("too-few-categories", table.name, message)


def _row_problems(
    source: CategoryTable,
    places: Sequence[int],
    answers: NumberBlock,
    weights: Sequence[int],
    weighing: NumberBlock,
) -> list[Finding]:
    _, again = category_tables.repeated(source)
    lengths, empty, settled = category_tables.row_problems(source, again)
    columns = [*places, *weights]
    faults = {
        **answers.faults,
        **{(row, len(places) + k): fault for (row, k), fault in weighing.faults.items()},
    }
    missing = category_tables.by_row(
        (cell for cell, fault in faults.items() if fault == "missing-value"), settled
    )
    labels = [
        cell
        for cell in zip(*np.nonzero(~np.isin(answers.values, (0, 1))), strict=True)
        if answers.faults.get((int(cell[0]), int(cell[1]))) != "missing-value"
    ]
    with np.errstate(invalid="ignore"):
        wrong = ~(weighing.values >= 0)
    heavy = [
        (row, len(places) + k)
        for row, k in zip(*np.nonzero(wrong), strict=True)
        if weighing.faults.get((int(row), int(k))) != "missing-value"
    ]
    fix = "is empty: every category needs 0 or 1, every weight a number."
    return [
        *lengths,
        *category_tables.in_row_order(
            [*empty, *category_tables.cell_problems(source, "missing-value", missing, columns, fix)]
        ),
        *category_tables.cell_problems(
            source, "bad-label", category_tables.by_row(labels, settled), columns, "is neither 0 nor 1."
        ),
        *category_tables.cell_problems(
            source,
            "bad-weight",
            category_tables.by_row(heavy, settled),
            columns,
            "is no weight: write a finite number, 0 or more.",
        ),
    ]


def _cases(
    files: SourceFiles,
    pictures: SourceFiles,
    source: CategoryTable,
    categories: tuple[str, ...],
    answers: NumberBlock,
    weights: Mapping[str, np.ndarray],
    units: Sequence[int],
) -> IsicCases:
    table, ids = source.table, source.ids
    included = np.array([name != EXCLUDED for name in ids], float) if EXCLUDED in ids else np.ones(len(ids))
    used = {
        h: included * np.nan_to_num(weights.get(h, np.ones(len(ids))))
        for h in (SCORE_WEIGHT, VALIDATION_WEIGHT)
    }
    id_column = table.header[source.id_column]
    columns = {table.keys[i]: tuple(table.cells(i)) for i in units} | {key(id_column): ids}
    photographs, ambiguous = find_photographs(pictures, ids, id_column != IMAGE)
    return IsicCases(
        files.name,
        files,
        ids,
        pictures,
        photographs,
        ambiguous,
        columns,
        id_column,
        source.digest_of,
        (),
        categories,
        answers.values == 1,
        CaseWeights(
            used[SCORE_WEIGHT], used[VALIDATION_WEIGHT], SCORE_WEIGHT in weights, VALIDATION_WEIGHT in weights
        ),
        tuple(source.table.columns[source.id_column]),
    )


def _named_once(cases: IsicCases) -> IsicCases:
    """Return the cases that predictions can be matched to, for `salvaged`: without nameless and repeated
    rows."""
    first: dict[str, int] = {}
    rows = [i for i, name in enumerate(cases.ids) if name and first.setdefault(name, i) == i]
    return replace(
        cases,
        ids=tuple(cases.ids[i] for i in rows),
        written_ids=tuple(cases.written_ids[i] for i in rows),
        photographs=tuple(cases.photographs[i] for i in rows),
        ambiguous=frozenset(),
        columns={},
        positives=cases.positives[rows],
        weights=replace(
            cases.weights, score=cases.weights.score[rows], validation=cases.weights.validation[rows]
        ),
    )
