"""Nuclei as tools write them in JSON of their own, and what those of `nuclei_forms` share.

What the tools' own sources say stands in `scoring/inputs/nuclei`: `foreign` and `via_label_studio_yolo`.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Nucleus = tuple[list[list[float]], str, Any]
Tiles = Mapping[str, Sequence[Nucleus]]
Files = dict[str, bytes]


def each(tiles: Tiles, ending: str, write: Callable[[Sequence[Nucleus]], str]) -> Files:
    return {f"{case}{ending}": write(nuclei).encode() for case, nuclei in tiles.items()}


def box(ring: list[list[float]]) -> tuple[float, float, float, float]:
    xs, ys = zip(*ring, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def centre(ring: list[list[float]]) -> list[float]:
    return [sum(point[axis] for point in ring) / len(ring) for axis in (0, 1)]


def top_left(ring: list[list[float]]) -> dict[str, float]:
    left, top, right, bottom = box(ring)
    return {"x": left, "y": top, "w": right - left, "h": bottom - top}


def torchvision(tiles: Tiles) -> Files:
    return {"preds.json": json.dumps({
        f"{case}.tif": {
            "boxes": [box(ring) for ring, *_ in nuclei],
            "labels": [name for _, name, _ in nuclei],
            "scores": [p for *_, p in nuclei],
        }
        for case, nuclei in tiles.items()
    }).encode()}  # fmt: skip


def hovernet(tiles: Tiles) -> Files:
    """With type_info.json in an order of its own."""
    names = ["nolabe", *sorted({name for nuclei in tiles.values() for _, name, _ in nuclei})]

    def write(nuclei: Sequence[Nucleus]) -> str:
        cells = [
            {"centroid": centre(ring), "contour": ring, "type": names.index(n), "type_prob": p}
            for ring, n, p in nuclei
        ]
        return json.dumps({"mag": None, "nuc": {str(k): cell for k, cell in enumerate(cells, 1)}})

    types = {str(k): [name, [0, 0, 20 * k]] for k, name in enumerate(names)}
    return {"type_info.json": json.dumps(types).encode(), **each(tiles, ".json", write)}


def json_min(tiles: Tiles) -> Files:
    """Label Studio's JSON_MIN of key points, in percent."""
    rows = [
        {"image": f"/data/upload/1/6ddb2495-{case}.png", "id": k, "kp-1": [
            {"x": centre(ring)[0] / 10.24, "y": centre(ring)[1] / 10.24, "width": 0.4,
             "keypointlabels": [name], "original_width": 1024, "original_height": 1024}
            for ring, name, _ in nuclei
        ], "annotator": 1, "created_at": "2026-01-01"}
        for k, (case, nuclei) in enumerate(tiles.items())
    ]  # fmt: skip
    return {"project-1.json": json.dumps(rows).encode()}


def fiftyone(tiles: Tiles) -> Files:
    """Fractions of the image, with a truth beside the predictions."""
    samples = [
        {"filepath": f"/home/u/{case}.png", "metadata": {"width": 1024, "height": 512},
         "ground_truth": {"_cls": "Detections", "detections": [
             {"label": "tumor", "bounding_box": [0, 0, 0.5, 0.5]}
         ]},
         "predictions": {"_cls": "Detections", "detections": [
             {"label": name, "confidence": p, "bounding_box": [
                 number / side for number, side in zip(top_left(ring).values(), (1024, 512) * 2, strict=True)
             ]}
             for ring, name, p in nuclei
         ]}}
        for case, nuclei in tiles.items()
    ]  # fmt: skip
    return {"samples.json": json.dumps({"samples": samples}).encode()}


def feature(ring: list[list[float]], **properties: Any) -> dict[str, Any]:
    geometry = {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def geojson(tiles: Tiles) -> Files:
    """geopandas: one file, whose features name their image."""
    features = [
        feature(ring, image=case, label=name, score=p)
        for case, nuclei in tiles.items()
        for ring, name, p in nuclei
    ]
    document = {"type": "FeatureCollection", "name": "nuclei", "features": features}
    return {"nuclei.geojson": json.dumps(document).encode()}


def tiatoolbox(tiles: Tiles) -> Files:
    """A feature in each line."""

    def write(nuclei: Sequence[Nucleus]) -> str:
        return "".join(f"{json.dumps(feature(ring, prob=p, type=name))}\n" for ring, name, p in nuclei)

    return each(tiles, ".ndjson", write)


def stardist(tiles: Tiles) -> Files:
    """With the names of the numbers in classes.json."""
    names = sorted({name for nuclei in tiles.values() for _, name, _ in nuclei})

    def write(nuclei: Sequence[Nucleus]) -> str:
        return json.dumps({
            "coord": [[[y for _, y in ring], [x for x, _ in ring]] for ring, *_ in nuclei],
            "prob": [p for *_, p in nuclei],
            "class_id": [names.index(name) + 1 for _, name, _ in nuclei],
        })  # fmt: skip

    return {
        "classes.json": json.dumps(dict(enumerate(names, 1))).encode(),
        **each(tiles, ".json", write),
    }


def container(tiles: Tiles) -> Files:
    """Multiple points, as a container of Grand Challenge writes them."""

    def write(nuclei: Sequence[Nucleus]) -> str:
        points = [{"name": name, "point": [*centre(ring), 0.5], "probability": p} for ring, name, p in nuclei]
        return json.dumps({"name": "nuclei", "type": "Multiple points", "points": points})

    return each(tiles, "/output/melanoma-10-class-nuclei-segmentation.json", write)
