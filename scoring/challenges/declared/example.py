"""Examples of submissions to a declared challenge: they follow from the names of its cases alone."""

import csv
import io
from functools import partial

import numpy as np

from scoring.challenges.declared.cases import DeclaredCases
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.prediction_table import prediction_table
from scoring.common.zips import zipped
from scoring.core.submission import Predictions
from scoring.inputs.masks.label_maps import read_label_map
from scoring.inputs.masks.writing import box_mask


def example(declaration: Declaration, truth: DeclaredCases) -> tuple[str, bytes]:
    """Return the name and the bytes of a submission that takes nothing but names and grids from the truth.

    Its classes, scores and numbers go round from case to case, so that every metric is defined.
    """
    if declaration.task == "segmentation":
        return "example.zip", _masks(declaration, truth)
    ids = sorted(truth.ids)
    if declaration.truth.places:
        return "example.csv", _objects(declaration, ids)
    n, n_classes = len(ids), max(1, len(declaration.classes))
    labels = np.arange(n) % n_classes
    if declaration.is_graded or declaration.task == "multilabel":
        outputs = np.full((n, n_classes), 0.5 / n_classes)
        outputs[np.arange(n), labels] += 0.5
    else:
        outputs = (np.arange(n) % 10 + 1.0)[:, None]
    table = prediction_table(declaration, ids, Predictions("example.csv", outputs, labels))
    return "example.csv", table.encode()


def _objects(declaration: Declaration, ids: list[str]) -> bytes:
    """Return one object an image, the first half of whose coordinates is 0 and, of a box, the other 1."""
    wanted, truth = declaration.predictions, declaration.truth
    ends = len(truth.places) // 2 if declaration.task == "boxes" else len(truth.places)
    cells: dict[str, object] = {name: int(k >= ends) for k, name in enumerate(truth.places)}
    cells[str(wanted.score)] = 0.5
    if label := wanted.label or truth.label:
        cells[label] = declaration.classes[0]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([wanted.case, *cells])
    writer.writerows([case, *cells.values()] for case in ids)
    return text.getvalue().encode()


def _masks(declaration: Declaration, truth: DeclaredCases) -> bytes:
    label = next(iter(declaration.regions.values()))[0]
    grids = (
        (case, read_label_map(partial(truth.files.open, member))[1])
        for case, member in sorted(truth.masks.items())
    )
    return zipped((f"{case}.mha", box_mask(grid, label)) for case, grid in grids)
