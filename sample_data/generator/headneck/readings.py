"""What invented teams make of a patient: outlines that are a little off, stages and a risk that are nearly
right."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import distance_transform_edt, label

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.patient import Patient
from sample_data.generator.headneck.tumours import GTVN, GTVP

COMMON_NOISE = 0.5  # correlation between two teams' noise: some patients are hard for everybody
UNKNOWN = 2  # the T stage that teams see where there is no primary to measure or nobody knows it
# Healthy places that take up glucose: tonsils, submandibular and parotid glands.
DECOYS = ((18, 14, 20), (27, 34, 4), (53, 8, 27))
OUTLINE_MM = 9  # over how much of an outline an error of its place extends


@dataclass(frozen=True)
class Skill:
    """wobble, shift: standard deviation and mean of the distance between a team's outline and the true one,
    mm, outwards positive. overlooked: share of lesions of 10 mm that it does not see. invented: false lesions
    per patient. confused: share of nodes that it calls GTVp. t_noise, n_noise: standard deviation of the
    stages it sees. risk_noise: of its risk, in standard deviations of the true one.
    """

    wobble: float
    shift: float
    overlooked: float
    invented: float
    confused: float
    t_noise: float
    n_noise: float
    risk_noise: float


def _box(mask: np.ndarray, margin: np.ndarray) -> tuple[slice, ...]:
    places = np.argwhere(mask)
    low, high = np.maximum(places.min(0) - margin, 0), places.max(0) + margin + 1
    return tuple(slice(int(first), int(last)) for first, last in zip(low, high, strict=True))


def _pieces(labels: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Label and voxels of each lesion."""
    for kind in (GTVP, GTVN):
        pieces, count = label(labels == kind, np.ones((3, 3, 3)))
        yield from ((kind, pieces == number) for number in range(1, count + 1))


def _decoy(grid: Grid, random: np.random.Generator) -> np.ndarray:
    """A small ball where nothing is wrong."""
    right, front, up = DECOYS[random.integers(len(DECOYS))]
    centre = random.choice((-1, 1)) * right, front, up
    radius = random.uniform(4, 8)
    return sum((where - middle) ** 2 for where, middle in zip(grid.axes(), centre, strict=True)) < radius**2


def outlined(labels: np.ndarray, grid: Grid, skill: Skill, random: np.random.Generator) -> np.ndarray:
    """A team's label map for the true one: every lesion it sees with an outline that lies a little off, and
    what it invents."""
    drawn, wobble = np.zeros_like(labels), skill.wobble * grid.noise(random, OUTLINE_MM)
    margin = np.ceil((3 * skill.wobble + abs(skill.shift)) / np.array(grid.spacing)).astype(int) + 1
    for kind, mask in sorted(_pieces(labels), key=lambda piece: piece[0], reverse=True):
        across = 2 * (3 * mask.sum() * grid.voxel_ml * 1000 / (4 * np.pi)) ** (1 / 3)
        if random.random() < skill.overlooked * np.exp((10 - across) / 8):
            continue
        box = _box(mask, margin)
        inside = distance_transform_edt(mask[box], grid.spacing) - distance_transform_edt(
            ~mask[box], grid.spacing
        )
        seen = GTVP if kind == GTVN and random.random() < skill.confused else kind
        drawn[box][inside + skill.shift + wobble[box] > 0] = seen
    for _ in range(random.poisson(skill.invented)):
        drawn[_decoy(grid, random) & (drawn == 0)] = GTVN if random.random() < 0.7 else GTVP
    return drawn


@dataclass(frozen=True)
class Reading:
    """Of all patients in their order. t_stages 1 to 4, n_stages 0 to 3. risk: larger is worse, about mean 0
    and standard deviation 1."""

    t_stages: np.ndarray
    n_stages: np.ndarray
    risk: np.ndarray


def readings(
    patients: Sequence[Patient], skills: dict[str, Skill], random: np.random.Generator
) -> dict[str, Reading]:
    """One per team. Part of the noise is common to the teams."""
    t_truth = np.array(
        [
            UNKNOWN if patient.plan.t_stage in ("T0", "TX") else int(patient.plan.t_stage[1])
            for patient in patients
        ]
    )
    n_truth = np.array([int(patient.plan.n_stage[1]) for patient in patients])
    hazard = np.array([patient.hazard for patient in patients])
    risk = (hazard - hazard.mean()) / hazard.std()
    common = random.standard_normal((3, len(patients)))
    found = {}
    for name, skill in skills.items():
        noise = np.sqrt(COMMON_NOISE) * common + np.sqrt(1 - COMMON_NOISE) * random.standard_normal(
            common.shape
        )
        t_seen, n_seen = t_truth + skill.t_noise * noise[0], n_truth + skill.n_noise * noise[1]
        found[name] = Reading(
            t_stages=np.clip(np.rint(t_seen), 1, 4).astype(int),
            n_stages=np.clip(np.rint(n_seen), 0, 3).astype(int),
            risk=(risk + skill.risk_noise * noise[2]) / np.hypot(1, skill.risk_noise),
        )
    return found
