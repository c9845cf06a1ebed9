"""Detections of invented teams: the annotations, as somebody with a certain skill and certain faults would
have found them.

How hard a nucleus is to find and to name is partly the same for all teams, so that they fail at the same ones
more often than by chance.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import norm

from sample_data.generator.annotations import Annotation, Detection

VERTICES = 20
COMMON = 0.5  # share of the variance of a nucleus's hardness that all teams have in common
SPLIT = 0.4  # share of the spurious detections that are a second one on a true nucleus

# How much oftener than tumour and lymphocytes a class is missed or misnamed.
HARD = {
    "tumor": 0.8,
    "lymphocytes": 0.7,
    "plasma_cells": 1.5,
    "histiocytes": 1.6,
    "melanophages": 1.5,
    "neutrophils": 1.5,
    "stromal_cells": 1.2,
    "epithelium": 1.1,
    "endothelium": 1.7,
    "apoptotic_cells": 1.6,
}
LOOK_ALIKES = {
    "tumor": ("histiocytes", "epithelium", "stromal_cells"),
    "lymphocytes": ("plasma_cells", "apoptotic_cells", "neutrophils"),
    "plasma_cells": ("lymphocytes", "histiocytes"),
    "histiocytes": ("tumor", "stromal_cells", "melanophages"),
    "melanophages": ("histiocytes", "tumor"),
    "neutrophils": ("lymphocytes", "apoptotic_cells"),
    "stromal_cells": ("endothelium", "histiocytes", "tumor"),
    "epithelium": ("tumor", "tumor", "histiocytes"),
    "endothelium": ("stromal_cells", "stromal_cells", "lymphocytes"),
    "apoptotic_cells": ("lymphocytes", "neutrophils", "tumor"),
}
# What is seen where there is nothing, and how often.
PHANTOMS = {
    "tumor": 0.40,
    "lymphocytes": 0.20,
    "stromal_cells": 0.18,
    "histiocytes": 0.12,
    "apoptotic_cells": 0.06,
    "endothelium": 0.04,
}


@dataclass(frozen=True)
class Detector:
    """title, about: for people. Shares 0..1 of the annotated nuclei: missed, misnamed, spurious, the latter
    two of what is found.

    jitter: standard deviation of the error of a middle, px. shift: by which all middles are off, px (x, y).
    blind: classes that are always called something else. context: chance that a wrong name is one that does
    occur on the tile. sure: how far confidences of right and wrong detections lie apart; 0 gives everything
    the same one. skipped: how many cases, the last ones, are not handed in. files: from case -> detections,
    the archive's members by name.
    """

    title: str
    about: str
    missed: float
    misnamed: float
    spurious: float
    jitter: float
    files: Callable[[Mapping[str, list[Detection]]], Mapping[str, str]]
    shift: tuple[float, float] = (0.0, 0.0)
    blind: Mapping[str, str] = field(default_factory=dict)
    context: float = 0.5
    sure: float = 2.0
    skipped: int = 0


def _hardness(common: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """0..1, uniform over all nuclei: the part in common and this team's own."""
    return norm.cdf(COMMON**0.5 * common + (1 - COMMON) ** 0.5 * random.standard_normal(common.shape))


def _look_alike(kind: str, present: set[str], context: float, random: np.random.Generator) -> str:
    """A wrong name, or the right one where context leaves no other."""
    names = LOOK_ALIKES[kind]
    if random.random() < context:
        names = tuple(name for name in names if name in present) or (kind,)
    return str(random.choice(names))


def _drawn(outline: np.ndarray, middle: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """An outline with VERTICES vertices, a little larger or smaller and smoother than the true one, around
    another middle."""
    closed = np.vstack([outline, outline[:1]])
    along = np.r_[0, np.cumsum(np.hypot(*np.diff(closed, axis=0).T))]
    places = np.linspace(0, along[-1], VERTICES, endpoint=False)
    resampled = np.stack([np.interp(places, along, closed[:, axis]) for axis in (0, 1)], 1)
    return (
        (resampled - outline.mean(0)) * random.normal(1, 0.07)
        + random.normal(0, 0.4, resampled.shape)
        + middle
    )


def _confidences(wrongness: np.ndarray, sure: float, random: np.random.Generator) -> np.ndarray:
    """0..1 from how doubtful each detection is (standard deviation about 1): the more so, the lower."""
    if sure == 0:
        return np.ones(len(wrongness))
    return np.clip(
        1 / (1 + np.exp(sure * (wrongness - 0.8) + random.normal(0, 0.5, len(wrongness)))), 0.02, 0.999
    )


def _phantom(
    annotations: Sequence[Annotation], side: float, random: np.random.Generator
) -> tuple[str, np.ndarray, np.ndarray]:
    """Class, outline and middle of something that is not there: half of a large nucleus again, or a shadow
    anywhere."""
    model = annotations[int(random.integers(len(annotations)))]
    if random.random() < SPLIT:
        angle, far = random.uniform(0, 2 * np.pi), random.uniform(6, 13)
        return (
            model.kind,
            0.7 * model.main,
            model.main.mean(0) + far * np.array([np.cos(angle), np.sin(angle)]),
        )
    kind = str(random.choice(list(PHANTOMS), p=list(PHANTOMS.values())))
    return kind, model.main, random.uniform(10, side - 10, 2)


def detect(
    detector: Detector, annotations: Sequence[Annotation], common: np.ndarray, side: float, seed: int
) -> list[Detection]:
    """What the team finds on one tile of side x side px, in no order. common: annotations x 2, the hardness
    to find and to name that all teams have in common, standard normal. Everything found lies on the tile.
    """
    random = np.random.default_rng(seed)
    hard_to_find, hard_to_name = _hardness(common, random).T
    present = {annotation.kind for annotation in annotations}
    kinds, outlines, middles, doubts = [], [], [], []
    for annotation, finding, naming in zip(annotations, hard_to_find, hard_to_name, strict=True):
        factor = HARD[annotation.kind]
        if finding > 1 - min(0.9, factor * detector.missed):
            continue
        wrong = naming > 1 - min(0.9, factor * detector.misnamed)
        kind = _look_alike(annotation.kind, present, detector.context, random) if wrong else annotation.kind
        kinds.append(detector.blind.get(kind, kind))
        outlines.append(annotation.main)
        middles.append(annotation.main.mean(0) + random.normal(0, detector.jitter, 2))
        doubts.append(norm.ppf(np.clip(max(finding, naming), 0.01, 0.99)) - 0.6)
    for _ in range(random.poisson(detector.spurious * len(kinds))):
        kind, outline, middle = _phantom(annotations, side, random)
        kinds.append(detector.blind.get(kind, kind))
        outlines.append(outline)
        middles.append(middle)
        doubts.append(random.normal(1.4, 0.6))
    confidences = _confidences(np.array(doubts), detector.sure, random)
    detections = [
        Detection(kind, np.clip(_drawn(outline, middle + detector.shift, random), 0, side), float(confidence))
        for kind, outline, middle, confidence in zip(kinds, outlines, middles, confidences, strict=True)
    ]
    return [detections[index] for index in random.permutation(len(detections))]
