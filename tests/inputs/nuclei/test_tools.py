"""Nuclei as tools of the field write them: the same nuclei, whatever the form."""

import io
import json
import zipfile

import numpy as np
import pytest

import scoring
from scoring.challenges.recognition import recognise
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
SIDE = 1024
"""Width and height of images whose sizes files do not have, px."""


def by_line(make) -> bytes:
    return "".join(f"{' '.join(map(repr, line))}\n" for line in each(make)).encode()


def box_line(name, score, box, outline, middle) -> list[float]:
    sides = (box[2] - box[0], box[3] - box[1])
    return [CLASSES.index(name), *(number / SIDE for number in (*middle, *sides)), score]


def outline_line(name, score, box, outline, middle) -> list[float]:
    return [CLASSES.index(name), *(number / SIDE for point in outline for number in point), score]


def via(name, score, box, outline, middle) -> tuple[dict, dict]:
    (xs, ys) = zip(*outline, strict=True)
    shape = {"name": "polygon", "all_points_x": list(xs), "all_points_y": list(ys)}
    return shape, {"Cell type": name, "score": str(score)}


def via_json() -> dict:
    regions = [dict(zip(("shape_attributes", "region_attributes"), pair, strict=True)) for pair in each(via)]
    return {"tile_1.tif100": {"filename": "tile_1.tif", "size": 100, "regions": regions}}


def via_csv() -> bytes:
    quoted = [['"' + json.dumps(part).replace('"', '""') + '"' for part in pair] for pair in each(via)]
    lines = [f"tile_1.tif,100,{{}},{len(quoted)},{k},{','.join(pair)}" for k, pair in enumerate(quoted)]
    header = "#filename,file_size,file_attributes,region_count,region_id,region_shape_attributes"
    return "\n".join([f"{header},region_attributes", *lines, 'tile_2.tif,1,"{}",0,0,"{}","{}"']).encode()


def label_studio(value, kind: str) -> list[dict]:
    results = each(
        lambda name, score, box, outline, middle: {
            "type": kind,
            "original_width": 200,
            "original_height": 100,
            "score": score,
            "value": {**value(box, outline, middle), kind: [name]},
        }
    )
    image = "/data/upload/1/0a1b2c3d-tile_1.tif"
    return [{"id": 1, "data": {"image": image}, "predictions": [{"result": results}], "annotations": []}]


SEVERAL_FORMS = {
    "transformers": {"images/tile_1.tif": each(
        lambda name, score, box, outline, middle: {
            "label": name,
            "score": score,
            "box": dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)),
        }
    )},
    "supervision": each(
        lambda name, score, box, outline, middle: {
            **dict(zip(("x_min", "y_min", "x_max", "y_max"), box, strict=True)),
            "class_id": 1, "confidence": score, "class_name": name, "source": "images/tile_1.tif",
        }
    ),
    "VIA": via_json(),
    "VIA, project": {"_via_settings": {}, "_via_img_metadata": via_json()},
    "Label Studio": label_studio(
        lambda box, outline, m: {"points": [[x / 2, y] for x, y in outline]}, "polygonlabels"
    ),
    "Label Studio, boxes": label_studio(
        lambda box, outline, m: {"x": box[0] / 2, "y": box[1], "width": (box[2] - box[0]) / 2,
                                 "height": box[3] - box[1], "rotation": 0}, "rectanglelabels"
    ),
    "Label Studio, ellipses": label_studio(
        lambda box, outline, m: {"x": m[0] / 2, "y": m[1], "radiusX": 1, "radiusY": 2}, "ellipselabels"
    ),
    "Label Studio, points": label_studio(
        lambda box, outline, m: {"x": m[0] / 2, "y": m[1], "width": 1}, "keypointlabels"
    ),
}  # fmt: skip


def vertices() -> bytes:
    rows = [f"{k},polygon,{n},{y},{x}" for k, ring in enumerate(OUTLINES) for n, (x, y) in enumerate(ring)]
    return "\n".join(["index,shape-type,vertex-index,axis-0,axis-1", *rows, ""]).encode()


def by_channel() -> bytes:
    rows = [
        f'7,tile_1.tif,{k},1,{name},{channel},{200 * channel},"{" ".join(f"{x},{y}" for x, y in ring)}"'
        for k, (name, ring) in enumerate(zip(NAMES, OUTLINES, strict=True))
        for channel in range(3)
    ]
    return "\n".join(["image_id,image_name,roi_id,shape_id,text,channel,mean,Points", *rows, ""]).encode()


FORMS = {
    "YOLO, outlines": ("labels/tile_1.txt", by_line(outline_line)),
    "YOLO, boxes": ("labels/tile_1.txt", by_line(box_line)),
    "VIA, table": ("via.csv", via_csv()),
    **{tool: ("export.json", json.dumps(form).encode()) for tool, form in SEVERAL_FORMS.items()},
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
    "OMERO, a row for each channel": ("rois.csv", by_channel()),
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
        start = f"ten classes, from {int(tool == 'torchvision')}"
        (fix,) = {fix for problem in refused.problems for fix in problem.fixes if start in fix.label}
        asked = dict(fix.changes.options)
        read = puma.read_predictions(data, **asked)
    assert bool(asked) == (tool in ("MMDetection", "torchvision", "YOLO, outlines", "YOLO, boxes"))
    assert read.ids == ("tile_1",)
    (nuclei,) = read.nuclei
    assert nuclei.classes.tolist() == KINDS
    np.testing.assert_allclose(nuclei.centroids, MIDDLES)
    graded = tool not in ("labelme", "HistomicsTK", "QuPath 0.6", "OMERO, a row for each channel")
    assert nuclei.confidences.tolist() == (SCORES if graded else [1.0] * 3)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("data.yaml", "path: ..\nnc: 10\nnames: ['" + "', '".join(CLASSES) + "']\n"),
        ("data.yml", "names: # ten\n" + "".join(f"  {k}: {n}\n" for k, n in enumerate(CLASSES)) + "nc: 10\n"),
        ("data.yaml", "names:\n" + "".join(f"- '{name}'  # nuclei\n" for name in CLASSES) + "train: a\n"),
        ("labels/classes.txt", "\n".join(CLASSES) + "\n"),
    ],
)
def test_a_file_beside_names_the_classes_of_yolo(name, text):
    files = {"labels/tile_1.txt": by_line(box_line), name: text.encode()}
    (nuclei,) = scoring.load_challenge("puma").read_predictions(files).nuclei
    assert nuclei.classes.tolist() == KINDS


@pytest.mark.parametrize("tool", [*SEVERAL_FORMS, "VIA, table", "YOLO, outlines", "YOLO, boxes"])
def test_files_of_annotation_tools_are_recognised(tool):
    name, data = FORMS[tool]
    (part,) = recognise({name: data})
    assert (part.readings[0].challenge, part.readings[0].place) == ("puma", "submission")


@pytest.mark.parametrize(
    "data",
    [
        b"0 1.5 0.5 0.5 0.5\n",  # no fraction
        b"0 .1 .1 .1 .1\nno number\n",
        b"0 0.1 0.1 0.1 0.1 0.9 12\n0 0.1 0.1 0.1 0.1 0.9 13\n",  # with the number of a track
        b"9" * 5000 + b" .1 .1 .1 .1\n",
        b"0 1.2.3 .1 .1 .1\n",
    ],
)
def test_other_text_is_no_file_of_yolo(data):
    with pytest.raises(scoring.InputRefused, match="no file in it can be read as nuclei"):
        scoring.load_challenge("puma").read_predictions({"labels/tile_1.txt": data, "a.txt": b"a"})


def test_an_unreadable_table_in_a_folder_says_why():
    with pytest.raises(scoring.InputRefused, match=r"predictions.csv: it is not UTF-8 \(byte 0\)"):
        scoring.load_challenge("puma").read_predictions({"predictions.csv": b"\x81x,y\n", "a.txt": b"a"})


def test_two_annotators_of_an_image_are_refused():
    (task,) = SEVERAL_FORMS["Label Studio"]
    twice = [{**task, "predictions": task["predictions"] * 2}]
    with pytest.raises(scoring.InputRefused, match="keep one"):
        scoring.load_challenge("puma").read_predictions(json.dumps(twice).encode(), name="export.json")


@pytest.mark.parametrize(
    "document",
    [
        {"a": {"filename": "a.tif", "regions": [{"region_attributes": 3}, 4]}, "b": None},
        {"_via_img_metadata": [], "region_attributes": 1},
        [{"data": {"image": "a.tif"}, "predictions": [{"result": [{"value": {"points": 3}}]}]}],
        [{"data": {"image": "a.tif"}, "predictions": 5, "annotations": [{"result": [{"value": 1}, 2]}]}, 7],
    ],
)
def test_broken_files_of_annotation_tools_are_refused(document):
    with pytest.raises(scoring.InputRefused):
        scoring.load_challenge("puma").read_predictions(json.dumps(document).encode(), name="a.json")


def test_places_in_micrometres_are_asked_about_and_read_in_px():
    puma = scoring.load_challenge("puma")
    table = csv(
        "Image,Classification,Centroid X µm,Centroid Y µm",
        lambda name, score, box, outline, m: ("tile_1.tif", name, m[0] * 0.23, m[1] * 0.23),
    )
    source = packed("measurements.csv", table)
    (part,) = recognise({"measurements.csv": table})
    assert [reading.challenge for reading in part.readings[:1]] == ["puma"]
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
    (fix,) = {
        fix
        for problem in refused.value.problems
        for fix in problem.fixes
        if "ten classes, from 0" in fix.label
    }
    assert puma.read_predictions(source, name="results.json", **dict(fix.changes.options)).ids == ("tile_1",)


def test_vertices_of_a_layer_of_shapes_are_outlines():
    files = {"tile_1/tumor.csv": vertices(), "tile_1/stroma.csv": vertices(), "tile_2/tumor.csv": vertices()}
    read = scoring.load_challenge("puma").read_predictions(files)
    assert [nuclei.classes.tolist() for nuclei in read.nuclei] == [[6, 6, 6, 0, 0, 0], [0, 0, 0]]
    np.testing.assert_allclose(read.nuclei[1].centroids, MIDDLES)


@pytest.mark.parametrize("kind", ["detection", "cell"])
def test_a_region_in_which_qupath_found_nuclei_is_none(kind):
    found = features(lambda name, score: {"objectType": kind, "classification": {"name": name}})
    region = {**found[0], "properties": {**found[0]["properties"], "objectType": "annotation"}}
    puma = scoring.load_challenge("puma")
    for document in ([region, *found], {"type": "FeatureCollection", "features": [region, *found]}):
        read = puma.read_predictions({"tile_1.geojson": json.dumps(document).encode(), "a.md": b"a"})
        assert read.nuclei[0].classes.tolist() == KINDS
        assert "regions-left-out" in [finding.code for finding in read.findings]
    drawn = json.dumps([region] * 2).encode()
    assert len(puma.read_predictions({"tile_1.geojson": drawn, "a.md": b"a"}).nuclei[0]) == 2
