"""A fourth generator: patients of a clinic, as the tables that users hand in.

Nothing of the method is used or restated: what is simulated goes through `scoring.score` and
`scoring.compare`, and what these say is read. Patients have one image or several, all of one class and much
alike, and are the units. How a patient looks is a place on a wheel, and each team fails the patients of a
class whose place lies in a window of its own. A window as long as the one of another team makes exactly as
many mistakes wherever it begins; how far the beginnings lie apart says how much neighbours' mistakes agree,
and teams far apart disagree. Teams of unequal profiles have their windows permuted among classes that are
equally frequent and weigh alike, and those of Melanoma thresholds on either side of the best one, so that
all have the same mean score.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri
from scipy.stats import binom

import scoring
from scoring.version import __version__
from tests.simulations.cells import is_seldom

ISIC = ("MEL", "NV", "BCC", "AKIEC", "BKL", "DF", "VASC")
TRICORDER3 = ("BCC", "MAL_OTH", "MEL", "SCCKA", "AKIEC", "BKL", "VASC", "BEN_OTH", "DF", "INF", "NV")
ALIKE = {"tricorder3": (range(4), range(4, 7), range(7, 11)), "isic": (range(7),)}
"""Classes that weigh alike; the last ones of a group are rare."""
OF_CLASS = np.array([0.1, 0.5, 0.2, 0.4, 0.15, 0.3, 0.25, 0.1, 0.5, 0.2, 0.4])
"""Share of a class that is missed."""
SKEWED = np.array([0.35, 0.25, 0.15, 0.1, 0.07, 0.05, 0.03])
Tables = tuple[pd.DataFrame, pd.DataFrame]
RARE, JITTER, SEPARATION, SHIFT, POSITIVE, MANY = 2, 0.03, 1.6, 0.3, 0.3, 40_000


@dataclass(frozen=True)
class Design:
    """A cell.

    Attributes:
        challenge: "tricorder3", "isic" or "melanoma".
        patients: Number of units.
        teams: Number of teams.
        profiles: "equal", "opposite" (two kinds of teams) or "unequal" (each its own).
        correlation: Of the mistakes of neighbouring teams.
        rare: Number of classes of two patients; one means the positives of Melanoma.
        images: Most images of a patient.
        skewed: Whether classes are unequally frequent.
        metric: What ISIC ranks by, of `--metric`; None: its usual one.
    """

    challenge: str
    patients: int
    teams: int
    profiles: str = "equal"
    correlation: float = 0.5
    rare: int = 0
    images: int = 1
    skewed: bool = False
    metric: str | None = None

    @property
    def options(self) -> dict[str, str]:
        return {"metric": self.metric} if self.metric else {}


def drawn(random: np.random.Generator, design: Design) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Draw the truth and the predictions of each team."""
    classes = {"tricorder3": len(TRICORDER3), "isic": len(ISIC), "melanoma": 2}[design.challenge]
    of_patient = _classes(random, design, classes)
    images = random.integers(1, design.images + 1, design.patients)
    images[np.isin(of_patient, _rare(design))] = 1
    patient = np.repeat(np.arange(design.patients), images)
    truth = of_patient[patient]
    looks = random.random(design.patients)[patient] + JITTER * random.random(len(patient))
    mistaken = random.random(design.patients)[patient]  # what a mistake takes the patient for
    ids = [f"images/c{number:06d}.jpg" for number in range(len(patient))]
    starts = np.arange(design.teams) * (1 - design.correlation) * OF_CLASS.mean() * (1 - OF_CLASS.mean())
    tables = {}
    for team, start in enumerate(starts):
        place = (looks - start) % 1
        if design.challenge == "melanoma":
            shift = _thresholds(design)[_turn(design, team) % 2]
            values = ndtr(ndtri(np.clip(place, 1e-9, 1 - 1e-9)) + SEPARATION * (truth - 0.5) + shift)
            tables[f"team{team:02d}"] = pd.DataFrame({"filename": ids, "value": values})
            continue
        missed = profile(design, team)[truth]
        steps = 1 + (mistaken * (classes - 1)).astype(int)
        called = np.where(place < missed, (truth + steps) % classes, truth)
        # The nearer to the edge of what the team knows, the less sure it is.
        edge = np.minimum(np.abs(place - missed), np.minimum(place, 1 - place))
        table = np.tile(np.linspace(0.10, 0.16, classes), (len(ids), 1)) + 0.01 * random.random((len(ids), 1))
        table += 0.02 * random.random(table.shape)
        table[np.arange(len(ids)), called] = 0.3 + edge
        tables[f"team{team:02d}"] = _table(design, ids, table)
    labels = _table(design, ids, np.eye(classes)[truth] if design.challenge == "isic" else truth)
    return labels.assign(patient_id=[f"p{number}" for number in patient]), tables


def _table(design: Design, ids: list[str], values: np.ndarray) -> pd.DataFrame:
    if design.challenge == "melanoma":
        return pd.DataFrame({"filename": ids, "label": values == 1})
    if values.ndim == 1:
        return pd.DataFrame({"NewFileName": ids, "Class": np.array(TRICORDER3)[values]})
    if design.challenge == "tricorder3":
        table = pd.DataFrame(values, columns=TRICORDER3)[sorted(TRICORDER3)]
        table.insert(0, "filename", ids)
    else:
        table = pd.DataFrame(values, columns=ISIC)
        table.insert(0, "image", [name[7:-4] for name in ids])
    return table


def _rare(design: Design) -> np.ndarray:
    if design.challenge == "melanoma":
        return np.array([1] * design.rare, dtype=int)
    last = max(ALIKE[design.challenge][-1]) + 1
    return np.arange(last - design.rare, last)


def _classes(random: np.random.Generator, design: Design, classes: int) -> np.ndarray:
    """Class of each patient: two of each rare class, the others by chance."""
    rare = np.repeat(_rare(design), RARE)
    common = np.setdiff1d(np.arange(classes), rare)
    shares = np.full(len(common), 1 / len(common))
    if design.challenge == "melanoma" and not design.rare:
        shares = np.array([1 - POSITIVE, POSITIVE])
    elif design.skewed:
        shares = np.resize(SKEWED, len(common)) / np.resize(SKEWED, len(common)).sum()
    left = design.patients - len(rare)
    if design.challenge == "melanoma":  # as many positives as `_thresholds` counts on
        drawn = np.resize(common, left) if design.rare else np.arange(left) < _positives(design)
        return random.permutation(np.concatenate([rare, drawn.astype(int)]))
    return random.permutation(np.concatenate([rare, random.choice(common, left, p=shares)]))


def _positives(design: Design) -> int:
    return RARE if design.rare else round(POSITIVE * design.patients)


def _turn(design: Design, team: int) -> int:
    return {"equal": 0, "opposite": team % 2, "unequal": team}[design.profiles]


def profile(design: Design, team: int) -> np.ndarray:
    """Share of each class that a team misses: permuted among the classes that are alike."""
    missed, rare = OF_CLASS.copy(), _rare(design)
    for group in ALIKE[design.challenge]:
        for members in (np.setdiff1d(group, rare), np.intersect1d(group, rare)):
            step = len(members) // 2 if design.profiles == "opposite" else 1
            missed[members] = np.roll(missed[members], _turn(design, team) * step)
    return missed


@cache
def _thresholds(design: Design) -> tuple[float, float]:
    """Two shifts of the risk with the same mean of 0.6 F2 + 0.3 accuracy for this many patients."""
    if design.profiles == "equal":
        return SHIFT, SHIFT
    positives = _positives(design)
    negatives = design.patients - positives

    def mean(shift: float) -> float:
        found = binom.pmf(np.arange(positives + 1), positives, ndtr(SEPARATION / 2 + shift))
        false = binom.pmf(np.arange(negatives + 1), negatives, ndtr(shift - SEPARATION / 2))
        hits, wrong = np.arange(positives + 1)[:, None], np.arange(negatives + 1)
        f2 = 5 * hits / (4 * positives + hits + wrong)
        right = (hits + negatives - wrong) / design.patients
        return float(found @ (0.6 * f2 + 0.3 * right) @ false)

    grid = np.linspace(-1.5, 2.5, 161)
    best = float(grid[np.argmax([mean(shift) for shift in grid])])
    low = best - 0.5
    return low, brentq(lambda shift: mean(shift) - mean(low), best, best + 3)


@dataclass
class Held:
    """Of how many statements how many are true."""

    true: int = 0
    of: int = 0

    def add(self, is_true: bool) -> None:
        self.true, self.of = self.true + bool(is_true), self.of + 1

    @property
    def share(self) -> float:
        return self.true / self.of if self.of else np.nan


def told_apart(design: Design, runs: int) -> dict[str, Held]:
    """Compare equal teams: whether any two are told apart, each pair's interval holds no difference, and all
    simultaneous ones do."""
    random, found = _random(design, runs), {name: Held() for name in ("wrong", "pairs", "all pairs")}
    for seed in range(runs):
        truth, teams = drawn(random, design)
        options = {"resamples": 200, "seed": seed, "interval": "percentile"}  # the quickest; not of pairs
        pairs = scoring.compare(design.challenge, truth, teams, **options, **design.options).result.pairs
        found["wrong"].add(any(pair.separated for pair in pairs))
        for pair in pairs:
            found["pairs"].add(_holds(pair.interval, 0.0))
        found["all pairs"].add(all(_holds(pair.simultaneous_interval, 0.0) for pair in pairs))
        if is_seldom(found["wrong"].true, seed + 1):
            break
    return found


def coverage(design: Design, runs: int) -> dict[str, Held]:
    """Score one team: whether the interval of each quantity holds what very many patients give."""

    def one(random: np.random.Generator, patients: int) -> Tables:
        truth, teams = drawn(random, replace(design, patients=patients))
        return truth, teams["team00"]

    return of_intervals(design.challenge, one, design.patients, runs, _random(design, runs))


def of_intervals(
    challenge: str,
    drawn_of: Callable[[np.random.Generator, int], Tables],
    patients: int,
    runs: int,
    random: np.random.Generator,
) -> dict[str, Held]:
    """Return the same of a truth and predictions that are drawn for any number of patients."""
    found: dict[str, Held] = {}
    truth, predictions = drawn_of(random, MANY)
    true = scoring.score(challenge, truth=truth, predictions=predictions, resamples=0)
    for seed in range(runs):
        truth, predictions = drawn_of(random, patients)
        card = scoring.score(challenge, truth=truth, predictions=predictions, resamples=200, seed=seed)
        card_held(found, true, card)
    return found


def card_held(found: dict[str, Held], true: scoring.ScoreCard, card: scoring.ScoreCard) -> None:
    """Add whether each interval of a card holds the value of the true one."""
    intervals = {f"{name}_interval": ends for name, ends in card.intervals.items()} | shown(card)
    for name, value in shown(true).items():
        held(found, name, intervals.get(f"{name}_interval"), value)


def held(found: dict[str, Held], name: str, interval: list[float] | None, value: float | None) -> None:
    """Add whether an interval, where there is one, holds a value."""
    if interval and value is not None:
        found.setdefault(name, Held()).add(_holds(interval, value))


def shown(card: scoring.ScoreCard) -> dict[str, object]:
    """Return what a card says of all cases, of each class and of each subgroup, by name."""
    rows = dict(card.per_class)
    for column, groups in card.more.get("slices", {}).items():
        rows |= {f"{column}/{group}": row for group, row in groups.items()}
    of_rows = {f"{name}/{key}": value for name, row in rows.items() for key, value in row.items()}
    return {**card.metrics, "score": card.score, **of_rows}


def _random(design: Design, runs: int) -> np.random.Generator:
    return np.random.default_rng([runs, *__version__.encode(), *str(design).encode()])


def _holds(interval: list[float] | None, value: float) -> bool:
    return interval is None or interval[0] - 1e-9 <= value <= interval[1] + 1e-9
