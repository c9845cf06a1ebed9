"""The sample of the PUMA challenge: eight tiles that look like melanoma, and what four invented teams found
on them."""

import io
import json
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image

from sample_data.generator.annotations import (
    PLATFORM_NAMES,
    Annotation,
    Detection,
    centroids,
    geojson,
    plain_polygons,
    platform_polygons,
    read_geojson,
    write_zip,
)
from sample_data.generator.detectors import Detector, detect
from sample_data.generator.histology import tile
from sample_data.generator.histology.tile import SIDE, Tile
from sample_data.generator.histology.tissue import Setting
from sample_data.generator.sample import Recipe
from sample_data.generator.testset import WORKERS, write_table

FIRST_SEED = 8_000_000
TEAM_SEED = 8_900_000
QUALITY = 85

# Rare classes are commoner than in PUMA, yet none is everywhere: what a class absent from a tile does to the
# score should be seen.
SETTINGS = {
    "sample_primary_roi_001": Setting(500, True, 0.45, 0.35, plasma=0.05, pigment=0.10, apoptosis=0.01),
    "sample_primary_roi_002": Setting(
        380, True, 0.20, 0.10, plasma=0.0, pigment=0.45, apoptosis=0.0, vessels=4
    ),
    "sample_primary_roi_003": Setting(
        560, False, 0.65, 0.20, plasma=0.1, pigment=0.25, apoptosis=0.02, spindle=0.9
    ),
    "sample_primary_roi_004": Setting(
        640, False, 0.50, 0.50, plasma=0.05, neutrophils=0.6, pigment=0.0, apoptosis=0.06
    ),
    "sample_metastatic_roi_001": Setting(
        1120, False, 0.40, 0.95, plasma=0.05, pigment=0.0, apoptosis=0.01, vessels=2
    ),
    "sample_metastatic_roi_002": Setting(
        620, False, 0.95, 0.05, plasma=0.0, pigment=0.05, apoptosis=0.06, vessels=1
    ),
    "sample_metastatic_roi_003": Setting(
        700, False, 0.45, 0.60, plasma=0.7, neutrophils=0.05, pigment=0.10, apoptosis=0.02, vessels=4
    ),
    "sample_metastatic_roi_004": Setting(
        340, False, 0.35, 0.15, plasma=0.1, pigment=0.0, apoptosis=0.0, spindle=0.5, vessels=6
    ),
}


def _on_the_platform(found: Mapping[str, list[Detection]]) -> dict[str, str]:
    return {f"{case}_nuclei.json": platform_polygons(detections) for case, detections in found.items()}


def _with_a_table(found: Mapping[str, list[Detection]]) -> dict[str, str]:
    places = {case: f"predictions/{case}.json" for case in found}
    table = "".join(f"{case},{place}\n" for case, place in places.items())
    return {"submission.csv": "case_id,predicted_nuclei_path\n" + table} | {
        place: plain_polygons(found[case]) for case, place in places.items()
    }


def _as_points(found: Mapping[str, list[Detection]]) -> dict[str, str]:
    return {f"tucana/{case}.json": centroids(detections) for case, detections in found.items()}


def _with_mixed_names(found: Mapping[str, list[Detection]]) -> dict[str, str]:
    names = {kind: PLATFORM_NAMES[kind] for kind in ("tumor", "lymphocytes", "stromal_cells")} | {
        "plasma_cells": "plasma cell"
    }
    return {f"{case}.json": plain_polygons(detections, names) for case, detections in found.items()}


TEAMS = {
    "rigel": Detector(
        title="Rigel",
        about=(
            "The strongest, but it predicts plasma cells as lymphocytes: this costs little micro F1, but a "
            "tenth of macro F1."
        ),
        missed=0.06,
        misnamed=0.06,
        spurious=0.06,
        jitter=1.5,
        context=0.95,
        blind={"plasma_cells": "lymphocytes"},
        files=_on_the_platform,
    ),
    "sirius": Detector(
        title="Sirius",
        about=(
            "Good, but all it finds lies 12 px too far to the right and 7 px too low: an offset in the "
            "tiling. Widen the radius and see."
        ),
        missed=0.09,
        misnamed=0.10,
        spurious=0.08,
        jitter=2.0,
        context=0.8,
        shift=(12.0, 7.0),
        files=_with_a_table,
    ),
    "tucana": Detector(
        title="Tucana",
        about=(
            "Misses little, but has many false alarms: most of its false alarms have low confidence, and a "
            "threshold would drop them."
        ),
        missed=0.05,
        misnamed=0.12,
        spurious=0.55,
        jitter=2.2,
        sure=3.0,
        files=_as_points,
    ),
    "octans": Detector(
        title="Octans",
        about=(
            "Two of eight cases are missing, every confidence is 1, and two forms of class names are mixed."
        ),
        missed=0.18,
        misnamed=0.20,
        spurious=0.15,
        jitter=3.0,
        sure=0.0,
        skipped=2,
        files=_with_mixed_names,
    ),
}


def seeds() -> dict[str, int]:
    """The seed of each tile."""
    return {case: FIRST_SEED + place for place, case in enumerate(SETTINGS)}


def encoded(picture: np.ndarray) -> bytes:
    """JPEG in a TIFF, as slide scanners write it."""
    buffer = io.BytesIO()
    Image.fromarray(picture).convert("YCbCr").save(buffer, "TIFF", compression="jpeg", quality=QUALITY)
    return buffer.getvalue()


def found_by(
    team: Detector, number: int, truth: Mapping[str, list[Annotation]]
) -> dict[str, list[Detection]]:
    """A team's detections by case. number: of the team, from 0 on."""
    found = {}
    for place, (case, annotations) in enumerate(truth.items()):
        common = np.random.default_rng(TEAM_SEED + place).standard_normal((len(annotations), 2))
        found[case] = detect(team, annotations, common, SIDE, TEAM_SEED + 1000 * (number + 1) + place)
    return dict(list(found.items())[: len(found) - team.skipped])


def write_teams(folder: Path) -> None:
    """teams.json and teams/*.zip, from the annotations in the folder's truth/."""
    truth = {
        case: read_geojson((folder / "truth" / f"{case}_nuclei.geojson").read_text(encoding="utf-8"))
        for case in SETTINGS
    }
    (folder / "teams").mkdir(exist_ok=True)
    for number, (name, team) in enumerate(TEAMS.items()):
        write_zip(folder / "teams" / f"{name}.zip", team.files(found_by(team, number, truth)))
    about = {name: {"title": team.title, "about": team.about} for name, team in TEAMS.items()}
    (folder / "teams.json").write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def write(folder: Path) -> None:
    """All but the model: pictures and annotations in truth/, drawing.csv, the teams."""
    (folder / "truth").mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(WORKERS) as pool:
        drawn: list[Tile] = list(pool.map(tile.draw, seeds().values(), SETTINGS.values()))
    rows = []
    for (case, seed), one in zip(seeds().items(), drawn, strict=True):
        (folder / "truth" / f"{case}.tif").write_bytes(encoded(one.picture))
        (folder / "truth" / f"{case}_nuclei.geojson").write_text(
            geojson(one.annotations, seed), encoding="utf-8"
        )
        rows.append([case, seed, len(one.annotations)])
    write_table(folder / "drawing.csv", ("case", "seed", "nuclei"), rows)
    write_teams(folder)


SAMPLE = Recipe(TEAMS, write)
