"""Nuclei as files: the annotations of a tile as QuPath writes them, and detections in the forms in which
teams hand them in."""

import json
import uuid
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry import MultiPolygon, Polygon, shape

GRID = 0.1  # px, of written coordinates
TOLERANCE = 0.15  # px, by which outlines may be simplified
SMALLEST_PART = 4.0  # px^2
FIRST_DATE = (1980, 1, 1, 0, 0, 0)  # of a zip's members, so that the same content is the same file
DEPTH = 0.5  # the third coordinate of the platform's points, always this

# Class -> name in PUMA's files, and the colour (red, green, blue) that most of them give it.
NAMES = {
    "tumor": ("nuclei_tumor", (200, 0, 0)),
    "lymphocytes": ("nuclei_lymphocyte", (255, 0, 255)),
    "plasma_cells": ("nuclei_plasma_cell", (3, 193, 98)),
    "histiocytes": ("nuclei_histiocyte", (52, 4, 179)),
    "melanophages": ("nuclei_melanophage", (89, 165, 113)),
    "neutrophils": ("nuclei_neutrophil", (0, 255, 255)),
    "stromal_cells": ("nuclei_stroma", (150, 200, 150)),
    "epithelium": ("nuclei_epithelium", (99, 145, 164)),
    "endothelium": ("nuclei_endothelium", (0, 255, 0)),
    "apoptotic_cells": ("nuclei_apoptosis", (51, 0, 51)),
}
PLATFORM_NAMES = {kind: name for kind, (name, _) in NAMES.items()}


@dataclass(frozen=True)
class Annotation:
    """A nucleus as annotated: its class, and its outline in px."""

    kind: str
    outline: Polygon | MultiPolygon

    @property
    def main(self) -> np.ndarray:
        """The outline's largest part, vertices x 2, the first one not repeated."""
        parts = self.outline.geoms if isinstance(self.outline, MultiPolygon) else (self.outline,)
        return np.array(max(parts, key=lambda part: part.area).exterior.coords)[:-1]


def on_grid(outline: Polygon | MultiPolygon) -> Polygon | MultiPolygon | None:
    """The outline as it can be written: simplified, on the grid, valid, without holes and crumbs. None if
    nothing is left."""
    written = shapely.set_precision(outline.simplify(TOLERANCE), GRID)
    parts = [
        Polygon(part.exterior)
        for part in shapely.get_parts(written)
        if part.geom_type == "Polygon" and part.area >= SMALLEST_PART
    ]
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else MultiPolygon(parts)


def _rounded(points: np.ndarray) -> list[list[float]]:
    return [
        [int(value) if value == int(value) else value for value in point]
        for point in np.round(points, 1).tolist()
    ]


def _coordinates(outline: Polygon | MultiPolygon) -> list:
    if isinstance(outline, MultiPolygon):
        return [_coordinates(part) for part in outline.geoms]
    return [_rounded(np.array(outline.exterior.coords))]


def _compact(content: Mapping) -> str:
    return json.dumps(content, separators=(",", ":"))


def geojson(annotations: Sequence[Annotation], seed: int) -> str:
    """A QuPath FeatureCollection, its features numbered by random ids from the seed."""
    random = np.random.default_rng(seed)
    features = []
    for annotation in annotations:
        name, colour = NAMES[annotation.kind]
        properties = {"objectType": "annotation", "classification": {"name": name, "color": colour}}
        geometry = {"type": annotation.outline.geom_type, "coordinates": _coordinates(annotation.outline)}
        number = str(uuid.UUID(bytes=random.bytes(16), version=4))
        features.append({"type": "Feature", "id": number, "geometry": geometry, "properties": properties})
    return _compact({"type": "FeatureCollection", "features": features})


def read_geojson(text: str) -> list[Annotation]:
    """The annotations of a file that `geojson` wrote."""
    kinds = {name: kind for kind, name in PLATFORM_NAMES.items()}
    features = json.loads(text)["features"]
    return [
        Annotation(kinds[feature["properties"]["classification"]["name"]], shape(feature["geometry"]))
        for feature in features
    ]


@dataclass(frozen=True)
class Detection:
    """A nucleus as a team reports it. outline: vertices x 2 in px. confidence: 0..1, None if the team gives
    none."""

    kind: str
    outline: np.ndarray
    confidence: float | None


def _confidence(detection: Detection, key: str) -> dict[str, float]:
    return {} if detection.confidence is None else {key: round(detection.confidence, 3)}


def platform_polygons(detections: Iterable[Detection]) -> str:
    """Grand Challenge's "Multiple polygons": its names, points in three dimensions, `probability`."""
    polygons = [
        {
            "name": PLATFORM_NAMES[detection.kind],
            "path_points": [[*point, DEPTH] for point in _rounded(detection.outline)],
            **_confidence(detection, "probability"),
        }
        for detection in detections
    ]
    return _compact({"type": "Multiple polygons", "polygons": polygons, "version": {"major": 1, "minor": 0}})


def plain_polygons(detections: Iterable[Detection], names: Mapping[str, str] | None = None) -> str:
    """Polygons with `score`. names: what classes are called where it is not what they are called here."""
    polygons = [
        {
            "name": (names or {}).get(detection.kind, detection.kind),
            "path_points": _rounded(detection.outline),
            **_confidence(detection, "score"),
        }
        for detection in detections
    ]
    return _compact({"polygons": polygons})


def centroids(detections: Iterable[Detection]) -> str:
    """The short form: middles of nuclei with `confidence`."""
    nuclei = [
        {
            "centroid": np.round(detection.outline.mean(0), 2).tolist(),
            "class": detection.kind,
            **_confidence(detection, "confidence"),
        }
        for detection in detections
    ]
    return _compact({"nuclei": nuclei})


def write_zip(path: Path, members: Mapping[str, str]) -> None:
    """A zip archive of text files by name: the same bytes for the same content and the same version of
    zlib."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, FIRST_DATE)
            archive.writestr(member, content.encode(), zipfile.ZIP_DEFLATED, 9)
