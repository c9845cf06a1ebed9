"""Readers of declared challenges of points and boxes: a table with a row per object."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.keys import near
from scoring.common.arrays import Array, Floats, Ints
from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.text import shortened
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, ignored
from scoring.inputs import matching, tables
from scoring.inputs.case_tables import find_table
from scoring.inputs.cells import parse_numbers
from scoring.inputs.jobs import open_table
from scoring.inputs.sources import Source, open_source, sha256
from scoring.inputs.tables import TextTable, key
from scoring.metrics.found_objects import detection_cases
from scoring.metrics.task_cases import DetectionCases, Objects

MOST_PROBLEMS = 50


@dataclass(frozen=True)
class Detections(Predictions):
    """Detections of every image of the truth."""

    objects: tuple[Objects, ...] = ()

    @property
    def fingerprint(self) -> Array:
        """SHA-256, uint8 [32], equal for equal detections in the same order."""
        digest = hashlib.sha256()
        for found in self.objects:
            for part in (found.places, found.kinds, found.scores):
                digest.update(b"|" if part is None else np.ascontiguousarray(part).tobytes())
        return np.frombuffer(digest.digest(), np.uint8)


@dataclass(frozen=True)
class _Rows:
    """Objects of a table. ids: image of each row; held: whether a row holds an object."""

    ids: list[str]
    held: Array
    places: Floats
    kinds: Ints
    scores: Floats | None
    radii: Floats | None

    def of_image(self, rows: Ints) -> Objects:
        """Return the objects in some rows."""
        rows = rows[self.held[rows]]
        scores, radii = (part if part is None else part[rows] for part in (self.scores, self.radii))
        return Objects(self.places[rows], self.kinds[rows], scores, radii)


def read_truth(
    declaration: Declaration, source: Source, images: Source | None, context: Context
) -> DeclaredCases:
    """Read the objects of the truth; a row without coordinates is an image without one. Raises InputRefused
    with every problem."""
    files = open_source(source, context.name)
    member = find_table(files)
    data, table = files.read_table(member)
    problems = list(table.problems)
    rows = _rows(declaration, table, problems, of_truth=True)
    if rows is None or problems:
        raise InputRefused(problems)
    numbers: dict[str, list[int]] = {}
    for row, name in enumerate(rows.ids):
        numbers.setdefault(name, []).append(row)
    first = [found[0] for found in numbers.values()]
    columns = {
        name: tuple(cells[i].strip() for i in first)
        for name, cells in zip(table.keys, table.columns, strict=True)
    }
    return DeclaredCases(
        files.name,
        tuple(numbers),
        files,
        open_source(images) if images is not None else files,
        {member: sha256(data)},
        columns,
        key(declaration.truth.case),
        np.full(len(numbers), -1),
        np.zeros((len(numbers), 0)),
        objects=tuple(rows.of_image(np.array(found)) for found in numbers.values()),
    )


def read_predictions(
    declaration: Declaration, source: Source, truth: DeclaredCases | None, context: Context
) -> Detections:
    """Read detections; an image without a row has none. Raises InputRefused with every problem."""
    files = open_table(source, context.name)
    member = find_table(files)
    data, table = files.read_table(member)
    problems: list[Finding] = list(table.problems)
    rows = _rows(declaration, table, problems, of_truth=False)
    if rows is None or problems:
        raise InputRefused(problems)
    findings = ignored(files, {member})
    ids = tuple(dict.fromkeys(rows.ids)) if truth is None else truth.ids
    image_of = matching.match(rows.ids, ids).case
    extra = np.flatnonzero(image_of < 0).tolist()
    if len(extra) == len(rows.ids):
        text = f"Here: {', '.join(rows.ids[:3])}. There: {', '.join(ids[:3])}."
        problem = error("no-common-case", table.name, f"no row is of an image of the truth. {text}")
        raise InputRefused([problem], findings)
    if extra:
        message = f"{len(extra)} rows of images that the truth does not have: left out."
        findings.append(warning("extra-case", table.place(extra[0]), message))
    order = np.argsort(image_of, kind="stable")
    edges = np.searchsorted(image_of[order], np.arange(len(ids) + 1))
    objects = tuple(rows.of_image(order[edges[i] : edges[i + 1]]) for i in range(len(ids)))
    counts = np.array([[float(len(found.places))] for found in objects])
    return Detections(
        files.name,
        counts,
        np.zeros(len(ids), int),
        findings=tuple(findings),
        digest=files.digest({member: sha256(data)}),
        objects=objects,
    )


def _rows(
    declaration: Declaration, table: TextTable, problems: list[Finding], of_truth: bool
) -> _Rows | None:
    """Return the objects of a table, None where a column is missing; append what is wrong."""
    truth, answers = declaration.truth, declaration.predictions
    label = truth.label if of_truth else (answers.label or truth.label)
    wanted = [truth.case if of_truth else answers.case, *truth.places]
    wanted += filter(None, [None if of_truth else answers.score, truth.radius if of_truth else None, label])
    found: dict[str, int] = {}
    for name in dict.fromkeys(wanted):
        place, twice = tables.find_column(table, (key(name),))
        problems += twice
        if place is None:
            problems.append(tables.missing_column(table, f"{name!r}", (name,)))
        else:
            found[name] = place
    if len(found) < len(set(wanted)):
        return None
    ids = table.cells(found[wanted[0]])
    problems += [
        error("missing-value", table.place(i), "the case id is empty: every row needs its image.")
        for i, name in enumerate(ids)
        if not name
    ][:MOST_PROBLEMS]
    cells = [table.cells(found[name]) for name in truth.places]
    held = np.array([any(row) for row in zip(*cells, strict=True)]) if of_truth else np.ones(len(ids), bool)
    places = np.column_stack([_numbers(table, found[name], held, problems) for name in truth.places])
    if declaration.task == "boxes":
        places[:, 2:] -= places[:, :2]
        for i in np.flatnonzero(held & (places[:, 2:] <= 0).any(1)).tolist()[:MOST_PROBLEMS]:
            problems.append(error("bad-label", table.place(i), "a corner lies at or before the first one."))
    scores = None if of_truth else _numbers(table, found[str(answers.score)], held, problems)
    radii = _numbers(table, found[truth.radius], held, problems) if of_truth and truth.radius else None
    kinds = np.zeros(len(ids), int)
    if label:
        kinds = _kinds(declaration.classes, table, found[label], held, problems)
    return _Rows(ids, held, places, kinds, scores, radii)


def _numbers(table: TextTable, column: int, held: Array, problems: list[Finding]) -> Floats:
    read = parse_numbers(table.cells(column), table.delimiter != ",")
    for i in np.flatnonzero(held & np.isnan(read.values)).tolist()[:MOST_PROBLEMS]:
        cell = shortened(table.columns[column][i], 40)
        message = f"column {table.header[column]!r} holds {cell!r}, which is no number."
        problems.append(error("not-a-number", table.place(i), message))
    return read.values


def _kinds(
    classes: Sequence[str], table: TextTable, column: int, held: Array, problems: list[Finding]
) -> Ints:
    number_of = {name: k for k, name in enumerate(classes)}
    kinds = np.array([number_of.get(cell, -1) for cell in table.cells(column)])
    for i in np.flatnonzero(held & (kinds < 0)).tolist()[:MOST_PROBLEMS]:
        cell = shortened(table.columns[column][i], 40)
        listing = near(cell, classes) or f" Classes: {', '.join(classes[:20])}."
        problems.append(error("bad-label", table.place(i), f"{cell!r} is none of the classes.{listing}"))
    return kinds


def matched_cases(
    declaration: Declaration, truth: DeclaredCases, predictions: Detections
) -> dict[str, DetectionCases]:
    """Return the detections matched to the truth, by the key of each metric."""
    images = list(zip(truth.objects, predictions.objects, strict=True))
    classes = declaration.classes or ("object",)
    return {use.key: detection_cases(use.metric, images, classes, **use.options) for use in declaration.uses}
