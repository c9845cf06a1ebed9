"""Nuclei of several images in one document, table, workbook or folder, whatever its keys and columns are."""

import json

import numpy as np
import pytest

import scoring
from scoring.challenges.puma.truth import PumaTruth
from scoring.inputs.nuclei import nested
from scoring.inputs.sources import FixedSource
from tests.support import workbooks
from tests.support.archives import archive_of

PUMA = scoring.load_challenge("puma")
CASES = ("roi_1", "roi_2")
NUCLEI = {
    "roi_1": [("tumor", 0.9, (100, 20, 108, 30)), ("lymphocytes", 0.8, (40, 500, 52, 508))],
    "roi_2": [("stromal_cells", 0.7, (700, 10, 708, 22))],
}
"""Class, confidence, and left, top, right and bottom of the nuclei of each image."""
SIDE = 1024


@pytest.fixture(scope="module")
def truth() -> PumaTruth:
    files = {f"{case}.json": documented(case) for case in CASES}
    return PUMA.read_truth(files)


def ring(box) -> list[list[int]]:
    a, b, c, d = box
    return [[a, b], [c, b], [c, d], [a, d]]


def documented(case: str) -> bytes:
    items = [{"name": kind, "score": share, "path_points": ring(box)} for kind, share, box in NUCLEI[case]]
    return json.dumps({"type": "Multiple polygons", "polygons": items, "version": {"major": 1}}).encode()


def rows(make) -> list:
    return [make(case, kind, share, box) for case in CASES for kind, share, box in NUCLEI[case]]


def edges(box) -> dict:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True))


def relative(box) -> dict:
    a, b, c, d = box
    return {"left": a / SIDE, "top": b / SIDE, "width": (c - a) / SIDE, "height": (d - b) / SIDE}


def wkt(box) -> str:
    points = [f"{x} {SIDE - y}" for x, y in [*ring(box), ring(box)[0]]]
    return f"POLYGON (({', '.join(points)}))"


def by_image(make) -> dict:
    return {case: [make(*nucleus) for nucleus in NUCLEI[case]] for case in CASES}


def vertex(case: str) -> dict:
    boxes = [[a / SIDE, c / SIDE, b / SIDE, d / SIDE] for _, _, (a, b, c, d) in NUCLEI[case]]
    kinds, shares = ([each[k] for each in NUCLEI[case]] for k in (0, 1))
    lists = {"ids": ["7"] * len(boxes), "displayNames": kinds, "confidences": shares, "bboxes": boxes}
    return {"instance": {"content": f"gs://bucket/{case}.tif"}, "prediction": lists}


def datumaro() -> dict:
    kinds = ["lymphocytes", "tumor", "stromal_cells"]
    items = [
        {
            "id": case,
            "annotations": [
                {
                    "type": "polygon",
                    "label_id": kinds.index(kind),
                    "points": [n for p in ring(box) for n in p],
                }
                for kind, _, box in NUCLEI[case]
            ],
        }
        for case in CASES
    ]
    return {"categories": {"label": {"labels": [{"name": kind} for kind in kinds]}}, "items": items}


def labelbox(case: str) -> dict:
    objects = [
        {"name": kind, "polygon": [{"x": x, "y": y} for x, y in ring(box)]} for kind, _, box in NUCLEI[case]
    ]
    labels = [{"id": "l", "annotations": {"objects": objects}}]
    return {"data_row": {"id": "r", "external_id": f"{case}.tif"}, "projects": {"p": {"labels": labels}}}


def lines(documents) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in documents).encode()


def table(header: str, make, between: str = ",") -> bytes:
    return "\n".join([header, *(between.join(map(str, row)) for row in rows(make)), ""]).encode()


def workbook() -> bytes:
    tables = {
        case: [
            ["x", "y", "class", "score"],
            *([*middle(box), kind, share] for kind, share, box in NUCLEI[case]),
        ]
        for case in CASES
    }
    return workbooks.workbook({case: workbooks.sheet(listed) for case, listed in tables.items()})


def measured(case: str) -> bytes:
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [[*ring(box), ring(box)[0]]]},
            "properties": {
                "classification": kind,
                "measurements": [{"name": "Label", "value": 3}, {"name": "Probability", "value": share}],
            },
        }
        for kind, share, box in NUCLEI[case]
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def by_class(make) -> dict:
    """Files by case and class, an empty one where an image has none of a class."""
    kinds = ("tumor", "lymphocytes", "stromal_cells")
    return {
        (case, kind): [make(box) for name, _, box in NUCLEI[case] if name == kind]
        for case in CASES
        for kind in kinds
    }


def middle(box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def points_of_class(kind: str, boxes) -> bytes:
    return "".join(["x\ty\tname\tcolor\n", *(f"{x}\t{y}\t{kind}\t-256\n" for x, y in boxes)]).encode()


def outline_twice(box) -> str:
    return ",".join(map(str, np.ravel([*ring(box), *ring(box)]))) + "\n"


def ticked(case, kind, share, box) -> tuple:
    a, b, c, d = box
    return (
        f"\\\\server\\{case}.tif",
        "Layer",
        a,
        c,
        b,
        d,
        *(int(kind == k) for k in ("tumor", "lymphocytes", "stromal_cells")),
    )


FORMS = {
    "flat list": json.dumps(
        rows(lambda case, kind, share, box: {**edges(box), "class_id": 7, "class_name": kind,
             "confidence": share, "source": f"/data/{case}.tif"})
    ),
    "items": json.dumps(datumaro()),
    "WKT from the bottom": json.dumps(
        {"collection": rows(lambda case, kind, share, box: {"class": "be.AlgoAnnotation", "image": 5,
         "imageName": f"{case}.tif", "location": wkt(box), "term": [7], "termName": kind})}
    ),
    "keys": json.dumps(
        {f"data/{case}.tif": listed for case, listed in
         by_image(lambda kind, share, box: {"score": share, "label": kind, "box": edges(box)}).items()}
    ),
    "lists side by side": {"out.jsonl": lines(map(vertex, CASES))},
    "deep": {"export.ndjson": lines(map(labelbox, CASES))},
    "relative boxes": {
        f"{case}.json": json.dumps({"predictions": listed}).encode() for case, listed in
        by_image(lambda kind, share, box: {"probability": share, "tagName": kind,
                                           "boundingBox": relative(box)}).items()
    },
    "relative boxes, capitals": {
        f"{case}.json": json.dumps({"CustomLabels": listed}).encode() for case, listed in
        by_image(lambda kind, share, box: {"Name": kind, "Confidence": share, "Geometry": {"BoundingBox":
                 {name.title(): value for name, value in relative(box).items()}}}).items()
    },
    "column by its values": {"cells.csv": table(
        "label,centroid-0,centroid-1,fov,cell_cluster",
        lambda case, kind, share, box: (rows(lambda *each: each).index((case, kind, share, box)) + 100,
                                        *middle(box)[::-1], case, kind))},
    "ticks": {"halo.csv": table(
        "Image Location,Region,XMin,XMax,YMin,YMax,Tumor,Lymphocytes,Stromal cells", ticked)},
    "words beside the axes": {"seg.txt": table(
        "Sample Name\tTissue Category\tPhenotype\tCell X Position\tCell Y Position\tConfidence",
        lambda case, kind, share, box: (f"{case}.tif", "Stroma", kind, *middle(box), f"{100 * share:.2f}%"),
        "\t")},
    "sheets": {"book.xlsx": workbook()},
    "zips": {f"{case}.zip": archive_of({f"{case}.geojson": measured(case)}) for case in CASES},
    "measurements": {f"{case}.geojson": measured(case) for case in CASES},
    "tables of classes": {
        f"{case}/pred_{kind}.tsv": points_of_class(kind, boxes)
        for (case, kind), boxes in by_class(middle).items()
    },
    "outlines of classes": {
        f"{kind}/{case}_cp_outlines.txt": "".join(boxes).encode()
        for (case, kind), boxes in by_class(outline_twice).items()
    },
    "pairs": {
        f"{case}/class_inst.json": json.dumps({str(n): [kind, list(middle(box)[::-1])]
                                               for n, (kind, _, box) in enumerate(NUCLEI[case])}).encode()
        for case in CASES
    },
}  # fmt: skip
GRADED = (
    *("flat list", "keys", "lists side by side", "relative boxes", "relative boxes, capitals"),
    *("words beside the axes", "sheets", "zips", "measurements"),
)


def read(data, truth: PumaTruth):
    return PUMA.read_predictions(data if isinstance(data, dict) else {"export.json": data.encode()}, truth)


@pytest.mark.parametrize("form", FORMS)
def test_images_and_classes_are_found_wherever_they_are_named(form, truth):
    nuclei = read(FORMS[form], truth).nuclei
    for case, found in zip(CASES, nuclei, strict=True):
        # files of classes are joined in the order of their names
        expected = sorted((middle(box), kind, share) for kind, share, box in NUCLEI[case])
        order = np.lexsort(found.centroids.T[::-1])
        np.testing.assert_allclose(found.centroids[order], [place for place, _, _ in expected], atol=1e-6)
        kinds = [scoring.challenges.puma.nucleus_classes.CLASSES[k] for k in found.classes[order]]
        assert kinds == [kind for _, kind, _ in expected]
        shares = [share if form in GRADED else 1.0 for _, _, share in expected]
        np.testing.assert_allclose(found.confidences[order], shares)


def test_numbers_of_the_nuclei_of_each_image_are_no_classes(truth):
    kinds = ("tumor", "lymphocytes")
    lines = [f"{n},{n},{n},{case},{kinds[k - (n > 9)]}" for k, case in enumerate(CASES) for n in range(30)]
    (first, second) = read({"a.csv": "\n".join(["label,x,y,fov,kind_of", *lines]).encode()}, truth).nuclei
    assert first.classes.tolist() == [0] * 10 + [1] * 20
    assert second.classes.tolist() == [1] * 10 + [0] * 20


def test_boxes_beside_masks_of_the_same_nuclei_are_left_out_with_a_note(truth):
    found = rows(lambda case, kind, share, box: {"image_id": CASES.index(case), "category_id": 1,
                                                 "score": share, "bbox": [*box[:2], 8, 10]})  # fmt: skip
    masks = [
        {**each, "segmentation": [[x, y, x + 6, y, x + 6, y + 3]]}
        for each in found
        for x, y, *_ in [each["bbox"]]
    ]
    listing = {"images": [{"id": k, "file_name": f"{case}.tif"} for k, case in enumerate(CASES)],
               "categories": [{"id": 1, "name": "tumor"}]}  # fmt: skip
    files = {"r.bbox.json": found, "r.segm.json": masks, "test.json": listing}
    files = {name: json.dumps(each).encode() for name, each in files.items()}
    predictions = read(files, truth)
    np.testing.assert_allclose(predictions.nuclei[1].centroids, [[704, 11]])
    said = " ".join(finding.message for finding in predictions.findings)
    assert "r.bbox.json (boxes of the masks in r.segm.json)" in said
    other = json.dumps([{**each, "score": 0.5} for each in found]).encode()
    with pytest.raises(scoring.InputRefused, match=r"roi_1, roi_2: another file .* \(r.bbox.json\)"):
        read({**files, "r.bbox.json": other}, truth)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (json.dumps([{"label": "tumor", "box": {"xmin": 1, "ymin": 2, "xmax": 3, "ymax": 9}, "a": "roi_1.tif",
                      "b": "roi_2.tif"}]), "names several images"),
        (json.dumps({"roi_1.tif": [{"label": "tumor", "point": [1, 2]}],
                     "rest": [{"label": "tumor", "point": [1, 2]}]}), "have no image name"),
        (json.dumps({"roi_1.tif": [{"label": "tumor", "bbox": [1, 2, 3, 9]}]}), "the four numbers"),
        (json.dumps({"roi_1.tif": [{"label": "tumor", "point": [1, 2]}, {"label": "x"}]}), "1 of 2 "),
        ({"a.csv": b"x,y,one,two\n1,2,tumor,stroma\n3,4,stroma,tumor\n"}, "'one' and 'two' name classes"),
        ({"a.csv": b"x,y,class,one,two\n1,2,tumor,roi_1,roi_2\n"}, "'one' and 'two' name images"),
    ],
)  # fmt: skip
def test_what_can_be_read_in_two_ways_is_asked_about(data, said, truth):
    with pytest.raises(scoring.InputRefused, match=said):
        read(data, truth)


def test_the_question_about_two_columns_is_answered_by_leaving_one_out(truth):
    source = {"a.csv": b"x,y,class,one,two\n1,2,tumor,roi_1,roi_2\n"}
    with pytest.raises(scoring.InputRefused) as refused:
        read(source, truth)
    found = [
        [len(each) for each in PUMA.read_predictions(FixedSource(source, fix.changes), truth).nuclei]
        for fix in refused.value.problems[0].fixes
    ]
    assert found == [[1, 0], [0, 1]]


def test_deep_and_empty_documents_hold_no_nuclei():
    deep = {"label": "tumor", "point": [1, 2]}
    for _ in range(2 * nested.DEPTH):
        deep = [deep]
    for document in (deep, {}, [], {"a": {"bboxes": []}} and [1, "roi_1.tif"]):
        assert nested.cells_of(document, "a", {"": (1.0, 1.0)}, (), "a.json") is None


def test_other_tables_and_maps_are_refused_in_true_sentences(truth):
    runs = b"ImageId,ClassName,EncodedPixels\nroi_1,tumor,1 3 9 3\n"
    with pytest.raises(scoring.InputRefused, match="cannot read this list") as refused:
        PUMA.read_predictions(runs, truth, name="runs.csv")
    assert "case_id" not in str(refused.value)
    with pytest.raises(scoring.InputRefused, match="Maps of pixels"):
        read({"labels/roi_1.npy": b"\x93NUMPY"}, truth)
