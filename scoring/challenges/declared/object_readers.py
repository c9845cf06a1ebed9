"""Readers for declared challenges with points or boxes: tables with a row per object."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from scoring.challenges.declared import table_readers
from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.table_readers import ReadTable, label_column, number_columns
from scoring.common.arrays import Array, Ints
from scoring.common.findings import InputRefused, error, warning
from scoring.core.challenge import Context
from scoring.core.submission import Predictions, ignored
from scoring.inputs import case_ids
from scoring.inputs.case_tables import AlignedRows, nothing_in_common
from scoring.inputs.sources import Source
from scoring.metrics.detection_matching import detection_cases
from scoring.metrics.task_cases import DetectionCases, Objects


@dataclass(frozen=True)
class Detections(Predictions):
    """Detections of every image of the truth."""

    per_case: ClassVar[tuple[str, ...]] = ("outputs", "labels", "objects")
    objects: tuple[Objects, ...] = ()

    @property
    def fingerprint(self) -> Array:
        """SHA-256 of the detections as uint8 [32]. Equal detections in the same order have the same
        fingerprint."""
        digest = hashlib.sha256()
        for found in self.objects:
            for part in (found.places, found.kinds, found.scores):
                digest.update(b"|" if part is None else np.ascontiguousarray(part).tobytes())
        return np.frombuffer(digest.digest(), np.uint8)


def read_truth(
    declaration: Declaration, source: Source, images: Source | None, context: Context
) -> DeclaredCases:
    """Read the true objects. A row without coordinates stands for an image without objects. Raises
    InputRefused with every problem."""
    columns = [(declaration.truth.case, "the case id"), *table_readers.truth_columns(declaration)]
    read = ReadTable.opened(source, context.name, columns)
    places = read.places(columns)
    ids, in_rows = _objects(declaration, read, places, bool(declaration.truth.label), of_truth=True)
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(ids):
        rows.setdefault(name, []).append(row)
    objects = tuple(in_rows(np.array(of_image)) for of_image in rows.values())
    first, findings = [of_image[0] for of_image in rows.values()], tuple(read.findings)
    return read.cases(places[0], tuple(rows), images, first, findings=findings, objects=objects)


def read_predictions(
    declaration: Declaration, source: Source, truth: DeclaredCases | None, context: Context
) -> Detections:
    """Read detections. An image without a row has no detections. Raises InputRefused with every problem."""
    numbered, called = number_columns(declaration), label_column(declaration)
    columns = [(declaration.predictions.case, table_readers.CASE_ID), *numbered, *called]
    read = ReadTable.opened(source, context.name, columns)
    named, in_rows = _objects(declaration, read, read.places(columns), bool(called), of_truth=False)
    findings = [*read.findings, *ignored(read.files, set(read.digest_of))]
    ids = tuple(dict.fromkeys(named)) if truth is None else truth.ids
    image_of = case_ids.match(named, ids).case
    extra = np.flatnonzero(image_of < 0).tolist()
    if truth is not None and extra and len(extra) == len(named):
        problem = nothing_in_common(read.table.name, "no row belongs to an image of", named, truth)
        raise InputRefused([problem], findings)
    if extra:
        message = (
            f"{len(extra)} "
            f"row{'s name images that are' if len(extra) > 1 else ' names an image that is'} not in "
            f"the truth, and {'do' if len(extra) > 1 else 'does'} not count."
        )
        findings.append(warning("extra-case", read.table.place(extra[0]), message))
    order = np.argsort(image_of, kind="stable")
    of_images = np.split(order, np.searchsorted(image_of[order], np.arange(len(ids) + 1)))[1:-1]
    objects = tuple(map(in_rows, of_images))
    counts = np.array([[float(len(found.places))] for found in objects])
    digest, labels = read.files.digest(read.digest_of), np.zeros(len(ids), int)
    found = (read.files.name, counts, labels, False, (), tuple(findings), digest)
    return Detections(*found, objects=objects)


def _objects(
    declaration: Declaration, read: ReadTable, places: list[int], with_label: bool, of_truth: bool
) -> tuple[list[str], Callable[[Ints], Objects]]:
    """Return the image of each row, and a function that returns the objects of some rows. `places` contains
    the positions of the columns: case id, numbers, and class."""
    table, n = read.table, len(declaration.truth.places)
    id_column, *numbered = places[:-1] if with_label else places
    ids = table.cells(id_column)
    message = "the case id is empty: every row needs its image."
    nameless = [i for i, name in enumerate(ids) if not name]
    read.problems += [error("missing-value", table.place(i), message) for i in nameless]
    cells = [table.cells(column) for column in numbered[:n]]
    held = np.array([any(row) for row in zip(*cells, strict=True)]) if of_truth else np.ones(len(ids), bool)
    own = [i for i in np.flatnonzero(held).tolist() if i not in table.ragged]
    rows = AlignedRows(table, id_column, own, np.arange(len(ids)), len(ids))
    numbers, faults = read.numbers(numbered, rows, " Write a number.")
    kinds = np.zeros(len(ids), int)
    if with_label:
        kinds, empty = read.labels(places[-1], declaration.classes, rows)
        faults += empty
    read.problems += faults
    if declaration.task == "boxes":
        wrong = "width or height is 0 or less."
        if declaration.truth.boxes == "corners":
            numbers[:, 2:4] -= numbers[:, :2]
            wrong = "the second corner must be to the right of and below the first corner."
        read.refuse_cases(np.any(numbers[:, 2:4] <= 0, axis=1), rows, wrong)
    read.settle()
    further = numbers[:, n] if numbers.shape[1] > n else None

    def in_rows(some: Ints) -> Objects:
        some = some[held[some]]
        more = {"radii" if of_truth else "scores": None if further is None else further[some]}
        return Objects(numbers[some, :n], kinds[some], **more)

    return ids, in_rows


def matched_cases(
    declaration: Declaration, truth: DeclaredCases, predictions: Detections
) -> dict[str, DetectionCases]:
    """Return key of a metric -> the detections, matched to the true objects."""
    images = list(zip(truth.objects, predictions.objects, strict=True))
    classes = declaration.classes or ("object",)
    return {use.key: detection_cases(use.metric, images, classes, **use.options) for use in declaration.uses}
