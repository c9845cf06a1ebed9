"""Nuclei in the XML and tables of annotation tools: the same nuclei, and one sentence for what is wrong."""

import io
import json
import re
import zipfile

import numpy as np
import pytest

import scoring
from scoring.challenges.puma.nucleus_classes import position
from scoring.challenges.recognition import recognise
from scoring.inputs.nuclei import imagej_rois, xml_shapes
from tests.inputs.nuclei.test_tools import KINDS, MIDDLES, NAMES, OUTLINES, SCORES
from tests.support import nuclei_forms, nuclei_json
from tests.support.soak import FACTOR

NUCLEI = list(zip(OUTLINES, NAMES, SCORES, strict=True))
TILES = {"tile_1": NUCLEI, "tile_2": NUCLEI[:2]}
PUMA = scoring.load_challenge("puma")


def read(files: dict[str, bytes]):
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return PUMA.read_predictions(written.getvalue())


@pytest.mark.parametrize("tool", nuclei_forms.FORMS)
def test_nuclei_of_a_tool_are_read(tool):
    predictions = read(nuclei_forms.FORMS[tool](TILES))
    assert predictions.ids == ("tile_1", "tile_2")
    nuclei, fewer = predictions.nuclei
    order, of_fewer = np.argsort(nuclei.classes), np.argsort(fewer.classes)  # some tools write class by class
    assert nuclei.classes[order].tolist() == KINDS
    np.testing.assert_allclose(nuclei.centroids[order], MIDDLES)
    assert nuclei.confidences[order].tolist() == ([1.0] * 3 if tool in nuclei_forms.UNGRADED else SCORES)
    np.testing.assert_allclose(fewer.centroids[of_fewer], MIDDLES[:2])


@pytest.mark.parametrize("tool", nuclei_forms.FORMS)
def test_they_are_recognised(tool):
    files = nuclei_forms.FORMS[tool](TILES)
    (part,) = recognise(files if len(files) == 1 else {f"a/{name}": data for name, data in files.items()})
    assert part.readings[0].challenge == "puma"
    assert (
        tool in ("Supervisely", "Darwin, boxes") or part.readings[0].place == "submission"
    )  # its files may be of either


def test_an_image_without_nuclei_is_an_empty_prediction():
    for tool in ("CVAT", "ASAP", "Pascal VOC", "Roboflow", "Darwin", "Supervisely", "SuperAnnotate"):
        predictions = read(nuclei_forms.FORMS[tool]({**TILES, "tile_2": []}))
        assert [len(nuclei) for nuclei in predictions.nuclei] == [3, 0]
        assert not predictions.missing.any()


def image(shapes: str) -> bytes:
    return f'<annotations><image name="tile_1.png">{shapes}</image></annotations>'.encode()


IMAGES = ("runs/1/tile_1.tif", "runs/2/tile_1.tif")
LABELLED = {"x": 1, "y": 1, "width": 5, "height": 5, "rotation": 0, "rectanglelabels": ["tumor"]}
OF_TWO_FOLDERS = {
    "CVAT": '<annotations><image name="{}"/><image name="{}"/></annotations>',
    "COCO": json.dumps({
        "images": [{"id": k, "file_name": name} for k, name in enumerate(IMAGES)],
        "categories": [{"id": 1, "name": "tumor"}],
        "annotations": [{"image_id": k, "category_id": 1, "bbox": [1, 1, 5, 5]} for k in range(2)],
    }),
    "FiftyOne": json.dumps({"samples": [
        {"filepath": name, "p": {"detections": [{"label": "tumor", "bounding_box": [0.1, 0.1, 0.2, 0.2]}]}}
        for name in IMAGES
    ]}),
    "Label Studio": json.dumps([
        {"data": {"image": f"/data/local-files/?d={name}"}, "predictions": [{"result": [
            {"type": "rectanglelabels", "original_width": 9, "original_height": 9, "value": LABELLED}
        ]}]}
        for name in IMAGES
    ]),
    "GeoJSON": json.dumps({"features": [
        nuclei_json.feature(OUTLINES[0], image=name, type="tumor") for name in IMAGES
    ]}),
    "table": "image,x,y,class\n{},1,2,tumor\n{},3,4,tumor\n",
    "VIA": json.dumps({name: {"filename": name, "regions": [{
        "shape_attributes": {"name": "rect", "x": 1, "y": 1, "width": 5, "height": 5},
        "region_attributes": {"class": "tumor"},
    }]} for name in IMAGES}),
    "documents": json.dumps({name: {"boxes": [[1, 1, 5, 5]], "labels": ["tumor"]} for name in IMAGES}),
}  # fmt: skip
"""Two images of one name in different folders, in one file."""
ENDINGS = {"CVAT": "xml", "GeoJSON": "geojson", "table": "csv"}


@pytest.mark.parametrize("tool", OF_TWO_FOLDERS)
def test_two_images_of_one_name_are_refused_and_both_named(tool):
    text = OF_TWO_FOLDERS[tool]
    text = text.format(*IMAGES) if tool in ("CVAT", "table") else text
    with pytest.raises(scoring.InputRefused) as refused:
        read({f"a.{ENDINGS.get(tool, 'json')}": text.encode()})
    (problem,) = refused.value.problems
    assert problem.code == "duplicate-case"
    assert all(name in problem.message for name in IMAGES), problem.message


@pytest.mark.parametrize(
    ("shapes", "middle"),
    [
        ('<box label="tumor" xtl="1" ytl="2" xbr="5" ybr="4"/>', [3, 3]),
        ('<ellipse label="tumor" cx="1" cy="2" rx="5" ry="4"/>', [1, 2]),
        ('<points label="tumor" points="1.5,2.5"/>', [1.5, 2.5]),
    ],
)
def test_other_shapes_of_cvat_are_read_as_their_boxes(shapes, middle):
    (nuclei,) = read({"a.xml": image(shapes)}).nuclei
    assert nuclei.centroids.tolist() == [middle]


def test_other_shapes_of_omero_are_read_as_their_boxes():
    header = "image_name,type,text,points,X,Y,Width,Height,Points"
    rows = [
        ("a.tif", "Polygon", "tumor", 3, "", "", "", "", "0,0 3,0 3,3"),
        ("a.tif", "Rectangle", "tumor", "", 1, 2, 4, 6, ""),
        ("a.tif", "Ellipse", "tumor", "", 7, 8, "", "", ""),
    ]
    (nuclei,) = read({"roi.csv": nuclei_forms.table(header, rows)}).nuclei
    assert nuclei.centroids.tolist() == [[2, 1], [3, 5], [7, 8]]


LAUGHS = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
DEEP = "<a>" * 100_000
POLYGON = '<polygon label="tumor" points="{}"/>'


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (LAUGHS.encode() + image("&b;"), "it has a document type"),
        (b'<!DOCTYPE a SYSTEM "file:///etc/passwd">' + image(""), "it has a document type"),
        (image(DEEP), "nested more than 32 deep"),
        (image("")[:-3], "it is not XML; was the file cut off"),
        ("<annotations>é</annotations>".encode("latin-1"), "byte 13 is not UTF-8"),
        (image("").decode().encode("utf-16"), "byte 0 is not UTF-8"),
        (image(POLYGON.format("1,2;nan,4;5,6")), "the outline holds"),
        (image(POLYGON.format("1,2;3,4;5")), "the outline holds"),
        (image(POLYGON.format("1,2;3,1e999;5,6")), "the outline holds"),
        (image('<polygon label="tumor"/>'), "it has no outline"),
        (image('<box label="tumor" xtl="1" ytl="2" xbr="x" ybr="4"/>'), "the outline holds"),
        (image('<ellipse label="tumor" cx="1" cy="2"/>'), "the outline holds"),
        (image('<polygon points="1,2;3,4;5,6"/>'), "Every nucleus needs its class"),
        (b"<annotation><object/></annotation>", "it has no outline"),
        (b"<html><body/></html>", "no file in it can be read as nuclei"),
        (b"", "it is not XML"),
    ],
)
def test_wrong_xml_is_refused_in_one_sentence(data, said):
    with pytest.raises(scoring.InputRefused, match=said) as refused:
        read({"a.xml": data})
    assert len(refused.value.problems) == 1


def test_a_nucleus_of_many_vertices_is_read_and_many_elements_are_not(monkeypatch):
    monkeypatch.setattr(xml_shapes, "ELEMENTS", 10)
    ring = ";".join(f"{k % 1000},{k % 7}" for k in range(50_000 * FACTOR))  # a million in the long run
    (nuclei,) = read({"a.xml": image(POLYGON.format(ring))}).nuclei
    assert len(nuclei) == 1
    with pytest.raises(scoring.InputRefused, match="more than 10 elements"):
        read({"a.xml": image(POLYGON.format("1,2;3,4;5,6") * 30)})


def test_more_nuclei_than_are_read_for_a_case_are_refused(monkeypatch):
    monkeypatch.setattr(xml_shapes, "NUCLEI", 2)
    with pytest.raises(scoring.InputRefused, match="it lists 3 nuclei"):
        read(nuclei_forms.asap({"tile_1": NUCLEI}))


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("POLYGON ((1 2, 3 4", "the outline is 'POLYGON"),
        ("POLYGON EMPTY", "the outline is 'POLYGON EMPTY'"),
        ("POLYGON ((1 2, nan 4, 5 6, 1 2))", "the outline is 'POLYGON"),
        ("1,2 3,4 x,6", "the outline holds"),
        ("GEOMETRYCOLLECTION (" * 5000, "the outline holds"),
        ("POLYGON " + "(" * 100_000, "the outline is 'POLYGON"),
        ("", "the outline holds"),
    ],
)
def test_wrong_outlines_of_tables_are_refused_in_one_sentence(cell, said):
    rows = [("a.tif", "tumor", nuclei_forms.wkt(OUTLINES[0])), ("a.tif", "tumor", cell)]
    with pytest.raises(scoring.InputRefused, match=said) as refused:
        read({"nuclei.csv": nuclei_forms.table("image,class,geometry", rows)})
    assert len(refused.value.problems) == 1


def test_wkt_of_parts_and_of_points_is_read():
    parts = "MULTIPOLYGON (((0 0, 1 0, 1 1, 0 0)), ((0 0, 9 0, 9 9, 0 0), (5 4, 6 4, 6 5, 5 4)))"
    rows = [("a.tif", "tumor", parts), ("a.tif", "tumor", "POINT (3 4)")]
    (nuclei,) = read({"nuclei.csv": nuclei_forms.table("image,class,wkt", rows)}).nuclei
    assert nuclei.centroids.tolist() == [[6, 3], [3, 4]]


def test_an_image_for_which_hovernet_finds_nothing_is_an_empty_prediction():
    files = nuclei_json.hovernet({**TILES, "tile_2": []})
    assert [len(nuclei) for nuclei in read(files).nuclei] == [3, 0]


def test_the_classes_of_supervisely_are_no_case():
    files = nuclei_forms.FORMS["Supervisely"](TILES)
    predictions = read(
        {"meta.json": b'{"classes": []}', **{f"ds/ann/{n}": data for n, data in files.items()}}
    )
    assert predictions.ids == ("tile_1", "tile_2")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (3, "the outline is 3"),
        ({"name": "tumor"}, "it has no outline"),
        ({"name": "tumor", "points": {}}, "it has no outline"),
        ({"name": "tumor", "points": [{"x": 1}]}, "centroid is"),
        ({"name": "tumor", "points": [1, 2, 3]}, "the outline holds 1"),
        ({"name": "tumor", "points": [[], []]}, r"the outline holds \[\]"),
        ({"name": "tumor", "points": {"exterior": "1,2"}}, "the outline is '1,2'"),
        ({"name": "tumor", "polygon": {"paths": [[{"x": "a", "y": 1}, {}]]}}, "centroid|the outline holds"),
        ({"name": "tumor", "x": 1, "y": None}, "it has no outline"),
        ({"name": "tumor", "bbox": {"x1": 1, "y1": 2, "x2": "3", "y2": 4}}, "the outline holds"),
        ({"name": "tumor", "x": 1e300, "y": 1e300, "width": 1, "height": 1}, "Coordinates are finite"),
        ({"points": [1, 2, 3, 4, 5, 6]}, "Every nucleus needs its class"),
        ({"label": {}, "points": [1, 2, 3, 4, 5, 6]}, "Every nucleus needs its class"),
        ({"name": "tumor", "x": 1, "y": 2, "score": [0.5]}, "Write a number from 0 to 1"),
    ],
)
def test_wrong_objects_are_refused_in_one_sentence(entry, said):
    good = {"name": "tumor", "points": [1, 2, 3, 4, 5, 6]}
    with pytest.raises(scoring.InputRefused, match=said) as refused:
        read({"a.json": json.dumps({"predictions": [good, entry]}).encode()})
    assert len(refused.value.problems) == 1


def test_rectangles_of_two_corners_are_read():
    shape = {"label": "tumor", "shape_type": "rectangle", "points": [[1, 2], [5, 6]]}
    (nuclei,) = read({"a.json": json.dumps({"shapes": [shape]}).encode()}).nuclei
    assert nuclei.centroids.tolist() == [[3, 4]]


@pytest.mark.parametrize("types", [b"[1]", b"{", b'{"1": [], "2": 3}'])
def test_wrong_names_of_types_leave_numbers_to_be_asked_about(types):
    files = {**nuclei_json.hovernet(TILES), "type_info.json": types}
    with pytest.raises(scoring.InputRefused, match="a number as class") as refused:
        read(files)
    assert {problem.code for problem in refused.value.problems} == {"unknown-class"}


def test_files_of_matlab_lead_to_the_json_beside_them():
    with pytest.raises(scoring.InputRefused, match="give its folder json"):
        read({"mat/tile_1.mat": b"MATLAB 5.0 MAT-file"})


def test_a_column_of_remarks_is_not_taken_for_the_class():
    rows = [("a.tif", 1, 2, "seen twice", "tumor")]
    (nuclei,) = read({"nuclei.csv": nuclei_forms.table("image,x,y,text,class", rows)}).nuclei
    assert nuclei.classes.tolist() == [0]


POINTS = b"axis-0,axis-1\n1,2\n"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a/t/tumor.csv": POINTS, "b/t/tumor.csv": POINTS}, "another file lists the same nuclei"),
        ({"t/tumor.csv": POINTS, "u/tumor.csv": POINTS, "u/tumor.tsv": POINTS}, "another file lists"),
        ({"t/tumor.csv": POINTS, "u/tumor.csv": POINTS, "u/rest.csv": POINTS}, "of class 'rest'"),
        ({"t/tumor.csv": POINTS, "u/tumor.csv": POINTS, "u.csv": b"x,y,class\n1,2,tumor\n"}, "another file"),
        ({"runs/t.csv": POINTS, "u.csv": POINTS}, "Every nucleus needs its class"),
        ({"t.csv": b"x,y,class\n1,2,tumor\n", "t.json": b'{"nuclei": []}'}, "t: another file lists"),
    ],
)
def test_files_of_classes_are_joined_only_where_they_are_of_one_image(files, said):
    with pytest.raises(scoring.InputRefused, match=said):
        read(files)


def test_cellprofiler_needs_the_table_of_images():
    files = nuclei_forms.cellprofiler(TILES)
    assert read({"MyExpt_Nuclei.csv": files["MyExpt_Nuclei.csv"]}).ids == ("1", "2")
    named = b"x,y,class\n1,2,tumor\n"
    assert read({"a_image.csv": named, "b.csv": named}).ids == ("a_image", "b")


@pytest.mark.parametrize("ticks", ["0,0", "1,1"])
def test_a_nucleus_of_no_class_or_two_is_refused(ticks):
    table = f"x,y,Classify_tumor,Classify_stroma\n1,2,1,0\n3,4,{ticks}\n".encode()
    with pytest.raises(scoring.InputRefused, match="Every nucleus needs its class"):
        read({"a.csv": table})


def test_labels_of_imagej_name_the_image_only_where_they_are_files():
    (nuclei,) = read({"a.csv": b"Label,X,Y\ntumor,1,2\n"}).nuclei
    assert nuclei.classes.tolist() == [0]
    predictions = read({"a.csv": b"Label,X,Y,Type\nb.tif:0001-0002,1,2,tumor\n"})
    assert predictions.ids == ("b",)


LINE = json.dumps(nuclei_json.feature(OUTLINES[0], type="tumor")).encode()
TWICE = nuclei_json.json_min(TILES)["project-1.json"].replace(b"tile_2", b"tile_1")
TRUTHS = nuclei_json.fiftyone(TILES)["samples.json"].replace(b'"confidence"', b'"other"')


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.ndjson": LINE + b"\n\n{"}, "line 1, column 2: it is not JSON"),
        ({"a.ndjson": LINE + b'\n{"a": 1, "a": 2}'}, "Write each key once"),
        ({"a.ndjson": b"[1]\n"}, "no file in it can be read as nuclei"),
        ({"project.json": TWICE}, "the image has 2 predictions or annotations"),
        ({"samples.json": TRUTHS}, r"several lists of detections \(ground_truth, predictions\)"),
    ],
)
def test_what_cannot_be_told_in_json_is_refused(files, said):
    with pytest.raises(scoring.InputRefused, match=said) as refused:
        read(files)
    assert len(refused.value.problems) == 1


def test_features_are_divided_only_where_one_file_names_several_images():
    def written(*images: str) -> bytes:
        features = [nuclei_json.feature(OUTLINES[0], image=image, type="tumor") for image in images]
        return json.dumps({"type": "FeatureCollection", "features": features}).encode()

    assert read({"a.geojson": written("b.png", "c.png")}).ids == ("b", "c")
    assert read({"a.geojson": written("b.png", "b.png")}).ids == ("a",)
    patches = {"a.geojson": written("p1", "p2"), "b.geojson": written("p1", "p2")}
    assert read(patches).ids == ("a", "b")


def test_numbers_of_classes_are_offered_in_both_orders():
    boxes = json.dumps({"labels": [0, 9], "scores": [1, 1], "bboxes": [[0, 0, 2, 2], [4, 4, 6, 6]]}).encode()
    with pytest.raises(scoring.InputRefused, match="name the class of each number") as refused:
        read({"a.json": boxes})
    of_set, by_alphabet = (fix.label for fix in refused.value.problems[0].fixes)
    assert "0 tumor" in of_set
    assert "0 apoptotic cells" in by_alphabet
    assert by_alphabet.startswith("Read numbers as the ten classes in alphabetical order, from 0")
    (nuclei,) = read({"a.json": boxes, "classes.json": b'{"0": "stroma", "9": "tumor"}'}).nuclei
    assert nuclei.classes.tolist() == [6, 0]
    with pytest.raises(scoring.InputRefused, match="name the class of each number"):
        read({"a.json": boxes, "classes.json": b'["stroma", "tumor"]'})


def regions(**files: bytes) -> dict[str, bytes]:
    return {"a.zip": nuclei_forms.zipped({f"{name}.roi": data for name, data in files.items()})}


def test_regions_of_whole_pixels_and_points_are_read():
    files = regions(tumor=nuclei_forms.roi(OUTLINES[0], 0, 0), stroma=nuclei_forms.roi([[3.5, 4.5]], 10))
    (nuclei,) = read(files).nuclei
    assert sorted(nuclei.centroids.tolist()) == [[3.5, 4.5], list(MIDDLES[0])]
    assert sorted(nuclei.classes.tolist()) == [0, 6]


ROI = nuclei_forms.roi(OUTLINES[0])
SET = nuclei_forms.zipped({f"{k:04}-0015.roi": ROI for k in range(2)})
CELLS = nuclei_forms.zipped({f"{name}.roi": ROI for name in ("Cell1", "Trace 2")})


SETS = (
    *("{1}/RoiSet_{0}", "{1}_RoiSet_{0}", "{1}_{0}", "RoiSet_{1}-{0}", "{1}_{0}_RoiSet", "{0}_{1}"),
    *("{1}/{0}", "{1}/{1}_{0}", "{0}/{1}", "{0}/RoiSet_{1}", "out/{0}/{1}_RoiSet"),
)
"""Names of zips of a class and a case."""


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("kinds", [("tumor", "stroma"), ("plasma_cells", "nuclei_tumor")])
def test_the_name_of_a_set_of_regions_tells_the_class_where_no_region_does(name, kinds):
    first, second = kinds
    files = {f"{name.format(first, 'tile_1')}.zip": SET, f"{name.format(second, 'tile_1')}.zip": CELLS}
    files |= {f"{name.format(first, 'tile_2')}.zip": SET}
    predictions = read(files)
    assert predictions.ids == ("tile_1", "tile_2")
    numbers = [position(kind) for kind in kinds]
    assert sorted(predictions.nuclei[0].classes.tolist()) == sorted([*numbers] * 2)
    assert predictions.nuclei[1].classes.tolist() == [numbers[0]] * 2


def test_regions_that_tell_their_class_are_read_by_their_names():
    named = nuclei_forms.zipped({f"{name}.roi": ROI for name in ("tumor-1", "stroma-2")})
    assert sorted(read({"tile_1_tumor.zip": named}).nuclei[0].classes.tolist()) == [0, 6]
    with pytest.raises(scoring.InputRefused, match="of class 'Vessel'"):
        read({"t/tumor.zip": nuclei_forms.zipped({"tumor-1.roi": ROI, "Vessel-2.roi": ROI})})


def test_a_case_whose_name_ends_like_a_class_is_that_case():
    truth = PUMA.read_truth({"skin_tumor.geojson": json.dumps({"features": [
        {**nuclei_json.feature(OUTLINES[0]), "properties": {"classification": {"name": "nuclei_tumor"}}}
    ], "type": "FeatureCollection"}).encode()})  # fmt: skip
    files = {"skin_tumor.zip": nuclei_forms.zipped({"stroma-1.roi": ROI}), "other.zip": SET}
    found = PUMA.read_predictions({"skin_tumor.zip": files["skin_tumor.zip"], "a.txt": b"a"}, truth)
    assert [nuclei.classes.tolist() for nuclei in found.nuclei] == [[6]]


@pytest.mark.parametrize("name", ["tile_1_tumor.csv", "tumor/tile_1.csv", "tile_1/tumor.csv"])
def test_so_does_the_name_of_a_table_of_places(name):
    (nuclei,) = read({name: POINTS, "notes.md": b"a"}).nuclei
    assert nuclei.classes.tolist() == [0]


COMPOSITE = ROI[:36] + b"\0\0\0\7" + ROI[40:]
MANY = ROI[:16] + b"\xff\xff" + ROI[18:]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (regions(tumor=nuclei_forms.roi(OUTLINES[0], 2)), r"of the kind oval; only"),
        (regions(tumor=nuclei_forms.roi(OUTLINES[0], 99)), r"of the kind type 99; only"),
        (regions(tumor=COMPOSITE), r"of the kind composite; only"),
        (regions(tumor=MANY), "65,535 vertices, but it holds fewer"),
        (regions(tumor=ROI[:16] + bytes(2) + ROI[18:]), "0 vertices, but it holds fewer"),
        (regions(tumor=ROI[:40]), "not a region of ImageJ: was the file cut off"),
        (regions(tumor=b"PK" + ROI), "not a region of ImageJ"),
        (regions(tumor=ROI + bytes(1_000_000)), "more than 1 MB each"),
        ({"a.zip": regions(tumor=ROI)["a.zip"][:-30]}, "a.zip: its end is missing|cannot be read as a zip"),
        (regions(**{"0001-0002": ROI}), "Every nucleus needs its class"),
        ({"a/1.roi": ROI}, "of each image into a zip"),
        ({"a/RoiSet.zip": b"x", "b.ndjson": b"[]"}, "no file in it can be read as nuclei"),
    ],
)
def test_wrong_regions_are_refused_in_one_sentence(files, said):
    with pytest.raises(scoring.InputRefused) as refused:
        read(files)
    (problem,) = refused.value.problems
    assert re.search(said, f"{problem.where}: {problem.message}")


def test_more_regions_than_are_read_are_refused(monkeypatch):
    monkeypatch.setattr(imagej_rois, "NUCLEI", 2)
    with pytest.raises(scoring.InputRefused, match="it lists 3 nuclei"):
        read(nuclei_forms.roi_set_of_image({"tile_1": NUCLEI}))
