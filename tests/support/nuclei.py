"""Files of nuclei, written in the plainest way."""

import json
from collections.abc import Iterable, Sequence

SQUARE = ((10, 10), (20, 10), (20, 20), (10, 20))


def polygon(name: object = "tumor", points: Sequence = SQUARE, **more) -> dict:
    """One item of a Multiple polygons file."""
    return {"name": name, "path_points": [list(point) for point in points], **more}


def feature(
    name: object = "nuclei_tumor", rings: Sequence = (SQUARE,), kind: str = "Polygon", **properties
) -> dict:
    """One feature of a GeoJSON file; `rings` are its coordinates."""
    return {
        "type": "Feature",
        "id": "5c1f",
        "geometry": {"type": kind, "coordinates": rings},
        "properties": {
            "objectType": "annotation",
            "classification": {"name": name, "color": [200, 0, 0]},
            **properties,
        },
    }


def nucleus(name: object = "tumor", centroid: object = (15, 15), **more) -> dict:
    """One item of a list of centroids."""
    return {"centroid": centroid, "class": name, **more}


def polygons(*items: object) -> bytes:
    return json.dumps({"type": "Multiple polygons", "polygons": items}).encode()


def features(*items: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", "features": items}).encode()


def nuclei(*items: object) -> bytes:
    return json.dumps({"nuclei": items}).encode()


def squares(centroids: Iterable[tuple[float, float]], name: str = "tumor", side: float = 8) -> bytes:
    """A Multiple polygons file of squares around centroids."""
    half = side / 2
    corners = ((-half, -half), (half, -half), (half, half), (-half, half))
    return polygons(*(polygon(name, [(x + dx, y + dy) for dx, dy in corners]) for x, y in centroids))
