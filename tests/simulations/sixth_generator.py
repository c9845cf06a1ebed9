"""A sixth generator: regions of tissue (PUMA) and patients with masks (HECKTOR), as the files that users hand
in, of very many units; a test set is some of these, drawn without replacement.

The files are read once by the public readers. `of_cases` takes the units of a test set, which score what
files of these alone score (`tests/core/test_case_subset.py`). The true value is that of all units.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr

import scoring
from scoring.challenges.hecktor2026 import rescoring
from scoring.comparison import class_measures, two_submissions
from scoring.core.submitted_part import of_cases
from scoring.version import __version__
from tests.simulations.fourth_generator import Held, card_held, held
from tests.support import patients
from tests.support.odd_nuclei import PLATFORM
from tests.support.soak import FACTOR

RESAMPLES = 200
REGIONS, PATIENTS = (1000, 1200) if FACTOR == 1 else (5000, 6000)
"""Units of the population: reading them takes most of the time of the short version."""
TEAMS = {"first": 0.25, "second": 0.0}
"""Skill of each team in latent standard deviations; half of the luck in a unit is common to both."""
CELL, JITTER = 32, 4.0
"""Nuclei lie one in a cell of this many pixels, off its middle by at most so many."""
TISSUES = np.array(
    [
        [14, 3, 0.5, 0.5, 0.3, 0.05, 1.5, 0, 0.4, 0.3],
        [4, 8, 2.0, 1.5, 0.1, 0.40, 3.0, 0, 1.0, 0.2],
        [0, 2, 0.2, 0.3, 0.0, 0.02, 4.0, 9, 0.5, 0.1],
    ]
)
"""Mean number of nuclei of each class in a region of each kind of tissue; the rarest is in one of ten."""
FOUND = np.array([1.2, 0.9, 0.2, 0.3, 0.5, -0.2, 0.4, 1.5, 0.1, -0.4])
"""How well a class is found, in latent standard deviations."""
T_SHARES, N_SHARES = [0.03, 0.27, 0.3, 0.25, 0.15], [0.2, 0.25, 0.4, 0.15]
RIGHT = {"t": np.array([0.3, 0.9, 0.2, 0.5, 0.8]), "n": np.array([0.9, 0.3, 0.7, 0.1])}
SHAPE = (40, 1, 1)


@dataclass(frozen=True)
class Cell:
    """A cell: a challenge, its number of units, and options of its score."""

    challenge: str
    units: int
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True)
class Population:
    """What was read of all units: the truth, and the predictions of each team."""

    truth: Any
    teams: dict[str, Any]

    def of(self, chosen: np.ndarray) -> "Population":
        teams = {name: of_cases(team, chosen) for name, team in self.teams.items()}
        return Population(of_cases(self.truth, chosen), teams)


@cache
def population(challenge: str) -> Population:
    random = np.random.default_rng([*__version__.encode(), *challenge.encode()])
    truth, teams = regions(random) if challenge == "puma" else clinic(random)
    opened = scoring.load_challenge(challenge)
    read = opened.read_truth(truth)
    return Population(read, {name: opened.read_predictions(files, read) for name, files in teams.items()})


def luck(random: np.random.Generator, *shape: int) -> dict[str, np.ndarray]:
    """Normal values of a team around its skill."""
    common = random.standard_normal(shape)
    return {
        name: skill + np.sqrt(0.5) * (common + random.standard_normal(shape)) for name, skill in TEAMS.items()
    }


def regions(random: np.random.Generator) -> tuple[dict[str, bytes], dict[str, dict[str, bytes]]]:
    """Draw regions of tissue: the truth and each team's nuclei, one file a region."""
    kinds = TISSUES[random.integers(0, len(TISSUES), REGIONS)]
    counts = random.poisson(kinds * random.gamma(2, 0.5, (REGIONS, 1)))
    looks = luck(random, REGIONS)
    files: dict[str, dict[str, bytes]] = {name: {} for name in ("truth", *TEAMS)}
    for region, of_class in enumerate(counts):
        name = f"roi_{region:05d}_nuclei.json"
        labels = np.repeat(np.arange(len(FOUND)), of_class)
        cells = random.permutation(1024)
        places = np.stack(np.divmod(cells, 32), axis=1) * CELL + CELL / 2
        places += random.uniform(-JITTER, JITTER, places.shape)
        radius = random.uniform(6, 10, len(labels))
        files["truth"][name] = _nuclei(labels, places[: len(labels)], radius)
        for team, look in looks.items():
            seen = FOUND[labels] + 0.6 * look[region] + random.standard_normal(len(labels))
            called = np.where(seen > 0, labels, random.integers(0, len(FOUND), len(labels)))
            false = random.choice(len(FOUND), random.poisson(2 * np.exp(-0.3 * look[region])))
            chosen = np.r_[np.flatnonzero(seen > -0.7), len(labels) + np.arange(len(false))]
            sizes = np.r_[radius, random.uniform(6, 10, len(false))] * np.exp(
                0.15 * random.standard_normal(len(labels) + len(false))
            )
            moved = places[: len(sizes)] + random.normal(0, 2, (len(sizes), 2))
            files[team][name] = _nuclei(np.r_[called, false][chosen], moved[chosen], sizes[chosen])
    return files["truth"], {team: files[team] for team in TEAMS}


def _nuclei(labels: np.ndarray, places: np.ndarray, radius: np.ndarray) -> bytes:
    """Nuclei as hexagons in a file of Multiple polygons."""
    turns = np.linspace(0, 2 * np.pi, 6, endpoint=False)
    corners = places[:, None] + radius[:, None, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    drawn = np.dstack([np.round(corners, 1), np.full(corners.shape[:2], 0.5)]).tolist()
    polygons = [
        {"name": PLATFORM[label], "path_points": points} for label, points in zip(labels, drawn, strict=True)
    ]
    return json.dumps(
        {"type": "Multiple polygons", "polygons": polygons, "version": {"major": 1, "minor": 0}}
    ).encode()


def clinic(random: np.random.Generator) -> tuple[dict[str, bytes], dict[str, dict[str, bytes]]]:
    """Draw patients: masks, stages, and relapses of whom a third is seen; three centers of unequal size."""
    n, ids = PATIENTS, [f"P{number:05d}" for number in range(PATIENTS)]
    center = random.choice(3, n, p=[0.6, 0.3, 0.1])
    stages = {"t": random.choice(5, n, p=T_SHARES), "n": random.choice(4, n, p=N_SHARES)}
    hazard = random.standard_normal(n) + 0.2 * stages["n"]
    died, censored = random.exponential(2000 * np.exp(-0.8 * hazard)), random.exponential(900, n)
    seen = died <= censored
    sizes = 1 + random.binomial(15, 0.5, n), random.binomial(15, 0.3, n) * (random.random(n) > 0.25)
    rows = [
        {
            "PatientID": ids[i],
            "CenterID": "ABC"[center[i]],
            "T_stage": f"T{stages['t'][i]}",
            "N_stage": f"N{stages['n'][i]}",
            "Relapse": int(seen[i]),
            "RFS": round(float(min(died[i], censored[i])), 2),
        }
        for i in range(n)
    ]
    true = [_mask(gtvp, gtvn) for gtvp, gtvn in zip(*sizes, strict=True)]
    masks_luck, risk_luck = luck(random, n, 2), luck(random, n)
    stage_luck = {kind: luck(random, n) for kind in stages}
    sent = {}
    for team in TEAMS:
        told = {}
        for kind, of in stages.items():
            right = stage_luck[kind][team] > -_normal(RIGHT[kind])[of]
            told[kind] = np.where(right, of, np.clip(of + random.choice([-1, 1], n), 0, 4 - (kind == "n")))
        risk = hazard + 1.2 * (risk_luck[team] - TEAMS[team]) / (1 + TEAMS[team])
        of_team = [
            {"PatientID": p, "T_stage": f"T{t}", "N_stage": f"N{k}", "risk": round(float(r), 4)}
            for p, t, k, r in zip(ids, told["t"], told["n"], risk, strict=True)
        ]
        shift = [np.maximum(0, np.round(2 - 2 * look)).astype(int) for look in masks_luck[team].T]
        guessed = [
            _mask(*size, *moved)
            for size, moved in zip(zip(*sizes, strict=True), zip(*shift, strict=True), strict=True)
        ]
        sent[team] = patients.submission_folder(of_team, dict(zip(ids, guessed, strict=True)))
    return patients.truth_folder(rows, dict(zip(ids, true, strict=True))), sent


def _mask(gtvp: int, gtvn: int, p_moved: int = 0, n_moved: int = 0) -> np.ndarray:
    """Two runs of voxels, each moved along the row by that many; what is moved by eight is not found."""
    labels = np.zeros(SHAPE, np.uint8)
    for label, begin, length, moved in ((1, 0, gtvp, p_moved), (2, 20, gtvn, n_moved)):
        if moved < 8:
            labels[begin + moved : min(begin + moved + length, begin + 20)] = label
    return labels


def _normal(shares: np.ndarray) -> np.ndarray:
    grid = np.linspace(-3, 3, 601)
    return np.interp(shares, ndtr(grid), grid)


def drawn(cell: Cell, runs: int) -> Iterator[Population]:
    """Draw test sets. The seed changes with the version."""
    random = np.random.default_rng([runs, *__version__.encode(), *str(cell).encode()])
    everybody = population(cell.challenge)
    for _ in range(runs):
        chosen = random.choice(len(everybody.truth.ids), cell.units, replace=False)
        yield everybody.of(np.sort(chosen))


def scored(cell: Cell, of: Population, team: str = "first", **options: Any) -> scoring.ScoreCard:
    opened = scoring.load_challenge(cell.challenge)
    return opened.score(of.truth, of.teams[team], **dict(cell.options), **options)


def coverage(cell: Cell, runs: int) -> dict[str, Held]:
    """Return whether the interval of each quantity of a card holds what all units give; of HECKTOR also what
    its page says of centers."""
    everybody, found = population(cell.challenge), {}
    true = scored(cell, everybody, resamples=0)
    for seed, of in enumerate(drawn(cell, runs)):
        card = scored(cell, of, resamples=RESAMPLES, seed=seed)
        card_held(found, true, card)
        if cell.challenge == "hecktor2026":
            between = rescoring.center_intervals(of.truth, of.teams["first"], card)
            for center, ends in between.items():
                for name, interval in ends.items():
                    value = true.more["per_center"][center][name]
                    held(found, f"{center}/{name}", interval, value)
    return found


def coverage_of_differences(cell: Cell, runs: int) -> dict[str, Held]:
    """Return the same of the differences of two teams in score, metrics and classes."""
    found: dict[str, Held] = {}
    opened = scoring.load_challenge(cell.challenge)
    true = _differences(_comparison(opened, cell, population(cell.challenge), resamples=0))
    for seed, of in enumerate(drawn(cell, runs)):
        compared = _comparison(opened, cell, of, resamples=RESAMPLES, seed=seed)
        for name, (_, interval) in _differences(compared).items():
            held(found, name, interval, true[name][0])
    return found


def _comparison(opened: Any, cell: Cell, of: Population, **options: Any) -> Any:
    from scoring.comparison.compare import compare

    return compare(opened, of.truth, of.teams, **dict(cell.options), **options)


def _differences(comparison: Any) -> dict[str, tuple[float, list[float] | None]]:
    names = ("score", *comparison.spec.metrics)
    changes = [two_submissions.change(comparison, *TEAMS, name) for name in names]
    of_classes = class_measures.differences(comparison, *TEAMS)
    return {c.name: (c.value, c.interval) for c in changes if c} | {
        f"{d.name}/{d.measure}": (d.difference, d.interval) for d in of_classes
    }
