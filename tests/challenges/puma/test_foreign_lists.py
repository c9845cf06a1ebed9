"""Lists of nuclei as HoVer-Net, CellViT, StarDist, QuPath, COCO and tables of points write them.

Each file is written by what the program's own source says (`scoring/inputs/nuclei/foreign.py` names it), from
the nuclei of a sample team, and gives what the team's own files give.
"""

import csv
import io
import json
import zipfile
from functools import cache

import numpy as np
import pytest

import scoring
from scoring.challenges import samples
from scoring.challenges.recognition import recognise
from scoring.common.findings import distinct
from scoring.inputs.sources import FixedSource

PUMA = scoring.load_challenge("puma")
SAMPLE = next(iter(samples.test_sets("puma").values()))
CASES = ("sample_metastatic_roi_004", "sample_primary_roi_001", "sample_primary_roi_002")
with zipfile.ZipFile(
    next(t.path for t in SAMPLE.submissions.values() if t.path.name == "rigel.zip")
) as rigel:
    TEAM = {name: rigel.read(name) for name in (f"{case}_nuclei.json" for case in CASES)}
TRUTH = PUMA.read_truth(
    {name: (SAMPLE.path / name).read_bytes() for name in (f"{case}_nuclei.geojson" for case in CASES)}
)
NAMES = [
    "nuclei_tumor", "nuclei_lymphocyte", "nuclei_plasma_cell", "nuclei_histiocyte", "nuclei_melanophage",
    *("nuclei_neutrophil", "nuclei_stroma", "nuclei_epithelium", "nuclei_endothelium", "nuclei_apoptosis"),
]  # fmt: skip


def tiles() -> dict[str, list[tuple[list, str, float]]]:
    """Outline, class and confidence of the nuclei of each tile."""
    found = {}
    for case, data in zip(CASES, TEAM.values(), strict=True):
        polygons = json.loads(data)["polygons"]
        found[case] = [
            (
                [point[:2] for point in item["path_points"]],
                item["name"],
                next(item[key] for key in ("score", "confidence", "probability") if key in item),
            )
            for item in polygons
        ]
    return found


TILES = tiles()


def centre(ring: list) -> list[float]:
    return [sum(point[axis] for point in ring) / len(ring) for axis in (0, 1)]


def box(ring: list) -> list:
    return [
        [min(p[1] for p in ring), min(p[0] for p in ring)],
        [max(p[1] for p in ring), max(p[0] for p in ring)],
    ]


def hovernet(nuclei) -> object:
    return {"mag": None, "nuc": {
        str(number): {"bbox": box(ring), "centroid": centre(ring), "contour": ring, "type_prob": p,
                      "type": NAMES.index(name) + 1}
        for number, (ring, name, p) in enumerate(nuclei, 1)
    }}  # fmt: skip


def cellvit(nuclei) -> object:
    cells = [
        {"bbox": box(ring), "centroid": centre(ring), "contour": ring, "type_prob": p,
         "type": NAMES.index(name), "patch_coordinates": [0, 0], "cell_status": 0, "offset_global": [0, 0]}
        for ring, name, p in nuclei
    ]  # fmt: skip
    return {"wsi_metadata": {"base_mpp": 0.23}, "type_map": dict(enumerate(NAMES)), "cells": cells}


def cellvit_geojson(nuclei) -> object:
    return [
        {"type": "Feature", "id": name,
         "geometry": {"type": "MultiPolygon", "coordinates": [[ring] for ring, k, _ in nuclei if k == name]},
         "properties": {"objectType": "annotation", "classification": {"name": name, "color": [0, 0, 0]}}}
        for name in sorted({name for _, name, _ in nuclei})
    ]  # fmt: skip


def stardist(nuclei) -> object:
    return {
        "coord": [[[y for _, y in ring], [x for x, _ in ring]] for ring, _, _ in nuclei],
        "points": [centre(ring)[::-1] for ring, _, _ in nuclei],
        "prob": [p for *_, p in nuclei],
        "class_id": [NAMES.index(name) + 1 for _, name, _ in nuclei],
    }


def qupath(nuclei, measurements) -> object:
    return [
        {"type": "Feature", "id": "1", "geometry": {"type": "Polygon", "coordinates": [ring]},
         "properties": {"objectType": "detection", "classification": {"name": name, "color": [1, 2, 3]},
                        "measurements": measurements(p)}}
        for ring, name, p in nuclei
    ]  # fmt: skip


def measured(p: float) -> dict:
    return {"Detection probability": p, "Area µm^2": 20.5}


def measured_as_list(p: float) -> list:
    return [{"name": "Area µm^2", "value": 20.5}, {"name": "Detection probability", "value": p}]


def coco(tiles=TILES) -> bytes:
    images = [
        {"id": k, "file_name": f"{case}.png", "width": 1024, "height": 1024} for k, case in enumerate(tiles)
    ]
    annotations = [
        {"id": 0, "image_id": k, "category_id": NAMES.index(name), "score": p, "iscrowd": 0, "area": 1,
         "segmentation": [[number for point in ring for number in point]], "bbox": [0, 0, 1, 1]}
        for k, nuclei in enumerate(tiles.values()) for ring, name, p in nuclei
    ]  # fmt: skip
    categories = [{"id": k, "name": name} for k, name in enumerate(NAMES)]
    return json.dumps({"images": images, "annotations": annotations, "categories": categories}).encode()


def points(delimiter: str = ",", tiles=TILES) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(["image", "x", "y", "class", "score"])
    writer.writerows(
        [f"{case}.tif", *map(repr, centre(ring)), name, repr(p)]
        for case, nuclei in tiles.items() for ring, name, p in nuclei
    )  # fmt: skip
    return text.getvalue().encode()


def results(tiles=TILES, image=lambda k, case: case, **more) -> bytes:
    """A bare list, as COCO's "results" and `sahi predict` write them, the latter with `category_name`
    (obss/sahi at 2d8de479, sahi/prediction.py `to_coco_prediction`)."""
    return json.dumps([
        {"image_id": image(k, case), "category_id": NAMES.index(name), "score": p, "bbox": [0, 0, 1, 1],
         "segmentation": [[number for point in ring for number in point]],
         **{key: value(name) for key, value in more.items()}}
        for k, (case, nuclei) in enumerate(tiles.items()) for ring, name, p in nuclei
    ]).encode()  # fmt: skip


def cellvit_points(nuclei) -> object:
    cells = [{"bbox": box(ring), "centroid": centre(ring), "type": NAMES.index(n)} for ring, n, _ in nuclei]
    return {"wsi_metadata": {"base_mpp": 0.23}, "type_map": dict(enumerate(NAMES)), "cells": cells}


def slides(called: str) -> dict[str, bytes]:
    """A run of CellViT (TIO-IKIM/CellViT-Inference at 30e72988, cellvit/inference/inference.py
    `process_wsi`): four files of each slide, and one of the run."""
    writers = {"cells.json": cellvit, "cell_detection.json": cellvit_points, "cells.geojson": cellvit_geojson}
    run = {
        called.format(case, name): json.dumps(write(nuclei)).encode()
        for case, nuclei in TILES.items() for name, write in writers.items()
    }  # fmt: skip
    return run | {"processed_files.json": json.dumps([f"{case}.tif" for case in TILES]).encode()}


def folder(write, ending: str = ".json") -> dict[str, bytes]:
    return {f"{case}{ending}": json.dumps(write(nuclei)).encode() for case, nuclei in TILES.items()}


WRITTEN = {
    "HoVer-Net": folder(hovernet),
    "CellViT": folder(cellvit),
    "StarDist": folder(stardist),
    "QuPath": folder(lambda nuclei: qupath(nuclei, measured), ".geojson"),
    "QuPath 0.3": folder(lambda nuclei: qupath(nuclei, measured_as_list), ".geojson"),
    "QuPath as a collection": folder(
        lambda nuclei: {"type": "FeatureCollection", "features": qupath(nuclei, measured)}, ".geojson"
    ),
    "CellViT as GeoJSON": folder(cellvit_geojson, ".geojson"),
    "COCO": {"predictions.json": coco()},
    "COCO's results beside its images": {
        "results.json": results(image=lambda k, _: k),
        "test.json": json.dumps({**json.loads(coco({c: [] for c in TILES})), "annotations": []}).encode(),
    },
    "SAHI": {"result.json": results(category_name=lambda name: name)},
    "StarDist with names": folder(lambda nuclei: {**stardist(nuclei), "class_names": NAMES}),
    "StarDist with names and background": folder(
        lambda nuclei: {**stardist(nuclei), "class_names": ["background", *NAMES]}
    ),
    "StarDist, each named": folder(
        lambda nuclei: {**stardist(nuclei), "class_id": None, "class_name": [name for _, name, _ in nuclei]}
    ),
    "a run of CellViT": slides("{}/{}"),
    "a run of its first version": slides("{}/cell_detection/{}"),  # TIO-IKIM/CellViT, cell_detection.py
    "a run with slides in the names": slides("{}_{}"),
    "a file of one name for each tile": {f"{name[:-5]}/out.json": d for name, d in folder(cellvit).items()},
    "points": {"points.csv": points()},
    "points of a German Excel": {"points.csv": points(";").replace(b".", b",").replace(b",tif", b".tif")},
}
NUMBERS = ",".join(f"{k}={name.removeprefix('nuclei_')}" for k, name in enumerate(NAMES, 1))


def card(source, **options):
    return PUMA.score(TRUTH, PUMA.read_predictions(source, TRUTH, **options), resamples=0)


@cache
def team_score() -> float:
    return card(TEAM).score


@pytest.mark.parametrize("program", WRITTEN)
def test_lists_of_the_field_give_the_score_of_the_same_nuclei(program):
    files = WRITTEN[program]
    numbered = program in ("HoVer-Net", "StarDist")
    source = next(iter(files.values())) if len(files) == 1 else files
    name = next(iter(files)) if len(files) == 1 else "folder"
    options = {"class_map": NUMBERS} if numbered else {}
    predictions = PUMA.read_predictions(source, TRUTH, name, **options)
    found = PUMA.score(TRUTH, predictions, resamples=0, **options)
    exact = {"CellViT as GeoJSON"}  # it has no confidences, by which the usual rule sorts
    if program not in exact:
        assert found.score == pytest.approx(team_score(), abs=1e-12)
        confidences = np.sort(np.concatenate([nuclei.confidences for nuclei in predictions.nuclei]))
        assert confidences == pytest.approx(sorted(p for nuclei in TILES.values() for *_, p in nuclei))
    assert sum(map(len, predictions.nuclei)) == sum(map(len, TILES.values()))
    assert not found.official.same


@pytest.mark.parametrize(
    ("files", "labels"),
    [
        ({"a.json": results()}, ["Read numbers as the ten classes, from 0"]),
        (folder(stardist), ["Read numbers as the ten classes, from 1"]),
        (
            {"a.json": results(image=lambda k, _: k, category_name=lambda name: name)},
            ["Read cases “0” as sample_metastatic_roi_004"],
        ),
        (
            {"a.json": results(image=lambda k, _: 10 + k)},
            ["Read cases “10” as sample_metastatic_roi_004", "Read numbers as the ten classes, from 0"],
        ),
    ],
)
def test_numbers_in_place_of_names_are_asked_about(files, labels):
    source = files
    options: dict = {}
    for label in labels:
        with pytest.raises(scoring.InputRefused) as refused:
            PUMA.read_predictions(source, TRUTH, "a.json", **options)
        fix, *others = distinct(fix for problem in refused.value.problems for fix in problem.fixes)
        assert fix.label.startswith(label)
        assert all("in alphabetical order" in other.label for other in others)
        assert len({problem.code for problem in refused.value.problems}) == len(refused.value.problems)
        source = FixedSource(source, fix.changes) if fix.changes.of_files else source
        options |= dict(fix.changes.options)
    assert card(source, **options).score == pytest.approx(team_score(), abs=1e-12)


def test_nothing_is_offered_that_leaves_most_nuclei_out():
    foreign = {name: data.replace(b"nuclei_", b"kind ") for name, data in folder(cellvit).items()}
    with pytest.raises(scoring.InputRefused) as refused:
        PUMA.read_predictions(foreign, TRUTH)
    assert not [fix for problem in refused.value.problems for fix in problem.fixes]


def test_two_files_that_list_one_image_are_refused():
    with pytest.raises(scoring.InputRefused) as refused:
        PUMA.read_predictions({"a.json": coco(), "b.json": coco()}, TRUTH)
    assert [problem.code for problem in refused.value.problems] == ["duplicate-case"]


@pytest.mark.parametrize("program", WRITTEN)
def test_they_are_recognised_as_submissions_to_puma(program):
    (part,) = recognise(
        {
            f"tiles/{name}" if len(WRITTEN[program]) > 1 else name: data
            for name, data in WRITTEN[program].items()
        }
    )
    assert part.readings, part.why_not
    assert (part.readings[0].challenge, part.readings[0].place) in (("puma", "submission"), ("puma", "truth"))
    if program != "CellViT as GeoJSON":
        assert part.readings[0].place == "submission"
    assert part.readings[0].test_set is not None


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"nuc": {"1": {"contour": [[1, 2], [3, 4], [5, 1]], "type": None}}}, "missing-class"),
        ({"nuc": {"1": "nothing"}}, "bad-nucleus"),
        ({"cells": [{"type": 1, "type_map": 3}]}, "bad-nucleus"),
        ({"coord": [[[1, 2], 3]], "class_id": [1]}, "bad-nucleus"),
        ({"coord": [5], "class_id": {}}, "bad-nucleus"),
        ([{"geometry": None}], "bad-geometry"),
        ([{"geometry": {"type": "MultiPolygon", "coordinates": 4}, "properties": []}], "bad-nucleus"),
    ],
)
def test_what_is_wrong_in_them_is_named(document, code):
    with pytest.raises(scoring.InputRefused) as refused:
        PUMA.read_predictions(json.dumps(document).encode(), None, "a.json")
    assert code in {problem.code for problem in refused.value.problems}
