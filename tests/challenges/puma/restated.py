"""The evaluator of the Grand Challenge once more: what it gives files of nuclei. Written from its published
code, without the project's own."""

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import Any


class Stops(Exception):
    """The evaluator ends with an error."""


Nucleus = tuple[str, tuple[float, float], float]
"""Name as written, centroid, score."""


def nuclei(data: bytes) -> list[Nucleus]:
    try:
        found: list[Nucleus] = []
        for item in json.loads(data.decode("utf-8")).get("polygons", []):
            name, score, points = item["name"], item.get("score", 1), item["path_points"]
            if len(points) >= 3:
                x, y = (sum(0.0 + point[axis] for point in points) / len(points) for axis in (0, 1))
                found.append((name, (x, y), score))
        return found
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as fault:
        raise Stops from fault


def f1_by_name(truth: list[Nucleus], predicted: list[Nucleus]) -> Mapping[str, float]:
    """F1 in one image of every name that occurs in it."""
    left, hits = list(predicted), Counter[str]()
    for name, place, _ in truth:
        near = [
            (-score, math.dist(place, where), i)
            for i, (other, where, score) in enumerate(left)
            if other == name and math.dist(place, where) < 15
        ]
        if near:
            where = left[min(near)[2]][1]
            hits[name] += 1
            left.pop(next(i for i, other in enumerate(left) if other[:2] == (name, where)))
    counts = Counter(name for name, _, _ in [*truth, *predicted])
    return {name: 2 * hits[name] / count for name, count in counts.items()}


def macro_f1(truth: Mapping[str, bytes], submitted: Mapping[str, bytes]) -> float:
    """The mean over all names of the sum of their F1 / all images. Files by case. Raises Stops."""
    if set(truth) != set(submitted):
        raise Stops("a job without its truth, or a truth without its job")
    try:
        images: list[Mapping[str, Any]] = [
            f1_by_name(nuclei(truth[case]), nuclei(submitted[case])) for case in truth
        ]
    except TypeError as fault:  # a score that is no number, where nuclei meet
        raise Stops from fault
    names = {name for image in images for name in image}
    values = [sum(image.get(name, 0) for image in images) / len(images) for name in names]
    return sum(values) / len(values) if values else math.nan
