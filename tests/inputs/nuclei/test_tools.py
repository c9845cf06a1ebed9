"""Nuclei as tools of the field write them: the same nuclei, whatever the form."""

import io
import json
import zipfile

import numpy as np
import pytest

import scoring
from scoring.common.fixes import InputChanges
from scoring.inputs.sources import FixedSource

CLASSES = ("tumor", "lymphocytes", "plasma_cells", "histiocytes", "melanophages")
CLASSES += ("neutrophils", "stromal_cells", "epithelium", "endothelium", "apoptotic_cells")
BOXES = [(10, 20, 18, 30), (40, 50, 52, 58), (70, 10, 78, 22)]
"""Left, top, right and bottom of each nucleus."""
KINDS, SCORES = [0, 1, 6], [0.9, 0.8, 0.7]
OUTLINES = [[[a, b], [c, b], [c, d], [a, d]] for a, b, c, d in BOXES]
MIDDLES = [((a + c) / 2, (b + d) / 2) for a, b, c, d in BOXES]
NAMES = [CLASSES[k] for k in KINDS]
NUMBERED = {name: number for number, name in enumerate(("Background", *CLASSES))}


def each(make) -> list:
    return [make(*entry) for entry in zip(NAMES, SCORES, BOXES, OUTLINES, MIDDLES, strict=True)]


def csv(header: str, make) -> bytes:
    rows = each(lambda *entry: ",".join(map(str, make(*entry))))
    return "\n".join([header, *rows, ""]).encode()


def features(properties) -> list[dict]:
    return each(
        lambda name, score, box, outline, middle: {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [outline]},
            "properties": properties(name, score),
        }
    )


def geojson(properties) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": features(properties)}).encode()


JSON_FORMS = {
    "CellViT, numbers of names": {
        "type_map": NUMBERED,
        "cells": each(
            lambda name, score, box, outline, middle: {
                "contour": outline,
                "type": NUMBERED[name],
                "type_prob": score,
            }
        ),
    },
    "Ultralytics": each(
        lambda name, score, box, outline, middle: {
            "name": name,
            "class": 0,
            "confidence": score,
            "box": dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)),
            "segments": {"x": [x for x, _ in outline], "y": [y for _, y in outline]},
        }
    ),
    "Ultralytics, boxes": each(
        lambda name, score, box, outline, middle: {
            "name": name,
            "confidence": score,
            "box": dict(zip(("x1", "y1", "x2", "y2"), box, strict=True)),
        }
    ),
    "MMDetection": {"labels": KINDS, "scores": SCORES, "bboxes": BOXES},
    "torchvision": {"boxes": BOXES, "labels": [k + 1 for k in KINDS], "scores": SCORES},
    "labelme": {"shapes": each(lambda name, score, box, outline, middle: {"label": name, "points": outline})},
    "HistomicsTK": {
        "elements": each(
            lambda name, score, box, outline, middle: {
                "type": "polyline",
                "points": [[*point, 0] for point in outline],
                "group": name,
                "label": {"value": name},
            }
        )
    },
    "Multiple points": {
        "type": "Multiple points",
        "points": each(
            lambda name, score, box, outline, middle: {
                "name": name,
                "point": [*middle, 0.5],
                "probability": score,
            }
        ),
    },
}
FORMS = {
    **{tool: ("tile_1.json", json.dumps(form).encode()) for tool, form in JSON_FORMS.items()},
    "geopandas": ("tile_1.geojson", geojson(lambda name, score: {"cell_type": name, "prob": score})),
    "TIAToolbox": ("tile_1.geojson", geojson(lambda name, score: {"type": name, "prob": score})),
    "QuPath 0.6": ("tile_1.geojson", geojson(lambda name, score: {"classification": {"names": [name]}})),
    "napari": (
        "tile_1.csv",
        csv("axis-0,axis-1,class,confidence", lambda name, score, box, outline, m: (m[1], m[0], name, score)),
    ),
    "CellProfiler": (
        "nuclei.csv",
        csv(
            "FileName_HE,Location_Center_X,Location_Center_Y,Predicted_Class,Probability",
            lambda name, score, box, outline, m: ("tile_1.tif", *m, name, score),
        ),
    ),
    "boxes": (
        "nuclei.csv",
        csv(
            "filename,xmin,ymin,xmax,ymax,class,score",
            lambda name, score, box, outline, m: ("tile_1.tif", *box, name, score),
        ),
    ),
}


def packed(name: str, data: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, data)
    return written.getvalue()


@pytest.mark.parametrize("tool", FORMS)
def test_nuclei_of_a_tool_are_read_with_one_question_at_most(tool):
    puma = scoring.load_challenge("puma")
    data, asked = packed(*FORMS[tool]), {}
    try:
        read = puma.read_predictions(data)
    except scoring.InputRefused as refused:
        start = "from 1" if tool == "torchvision" else "from 0"
        (fix,) = {fix for problem in refused.problems for fix in problem.fixes if start in fix.label}
        asked = dict(fix.changes.options)
        read = puma.read_predictions(data, **asked)
    assert bool(asked) == (tool in ("MMDetection", "torchvision"))
    assert read.ids == ("tile_1",)
    (nuclei,) = read.nuclei
    assert nuclei.classes.tolist() == KINDS
    np.testing.assert_allclose(nuclei.centroids, MIDDLES)
    graded = tool not in ("labelme", "HistomicsTK", "QuPath 0.6")
    assert nuclei.confidences.tolist() == (SCORES if graded else [1.0] * 3)


def test_places_in_micrometres_are_asked_about_and_read_in_px():
    puma = scoring.load_challenge("puma")
    table = csv(
        "Image,Classification,Centroid X µm,Centroid Y µm",
        lambda name, score, box, outline, m: ("tile_1.tif", name, m[0] * 0.23, m[1] * 0.23),
    )
    source = packed("measurements.csv", table)
    with pytest.raises(scoring.InputRefused, match="coordinates are in µm") as refused:
        puma.read_predictions(source)
    (fix,) = refused.value.problems[0].fixes
    (nuclei,) = puma.read_predictions(FixedSource(source, fix.changes)).nuclei
    np.testing.assert_allclose(nuclei.centroids, MIDDLES)


def test_a_list_of_coco_is_still_one_after_its_tiles_are_renamed():
    puma = scoring.load_challenge("puma")
    entries = each(
        lambda name, score, box, outline, middle: {
            "image_id": 7,
            "category_id": CLASSES.index(name),
            "bbox": [box[0], box[1], box[2] - box[0], box[3] - box[1]],
            "score": score,
        }
    )
    source = FixedSource(json.dumps(entries).encode(), InputChanges(cases=(("7", "tile_1"),)))
    with pytest.raises(scoring.InputRefused) as refused:
        puma.read_predictions(source, name="results.json")
    (fix,) = {fix for problem in refused.value.problems for fix in problem.fixes if "from 0" in fix.label}
    assert puma.read_predictions(source, name="results.json", **dict(fix.changes.options)).ids == ("tile_1",)
