"""A second generator of simulated teams, which shares nothing with `designs` but the interface compared.

Scores are restated here as plain sums. Teams agree by copying: in each case a team takes with a probability
of its own the outcome that all such teams share, else one of its own, so that the chance of a right answer
stays what the profile says. Profiles are permuted among classes that weigh alike, so that teams of unequal
profiles have exactly the same true score.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.statistics.permutation_test import Categories

RARE = 2
"""Cases of each class that is rare."""


@dataclass(frozen=True)
class Design:
    """A cell. profiles: "equal", "unequal" (each team has its own) or "opposite" (two kinds of teams).
    copying: probability of a shared outcome; "unequal": 0, 0.5 and 0.95 in turns. rare: number of classes
    of exactly two cases."""

    score: str
    units: int
    teams: int
    profiles: str
    copying: float | str
    rare: int = 0

    def shares(self) -> np.ndarray:
        """Probability of a shared outcome, by team."""
        turns = (0.0, 0.5, 0.95) if self.copying == "unequal" else (float(self.copying),)
        return np.resize(turns, self.teams)


@dataclass(frozen=True)
class TestSet:
    """Sums [A, n, K] that the score is made of, by team and unit, the score of added sums, and what counts
    the answers to categories that it averages."""

    __test__ = False
    sums: np.ndarray
    score: Callable[[np.ndarray], np.ndarray]
    categories: Categories


def _profiles(design: Design, recalls: np.ndarray, alike: list[list[int]]) -> np.ndarray:
    """Recalls [A, K]: of each team its own permutation among classes that weigh alike."""
    profiles = np.tile(recalls, (design.teams, 1))
    for team in range(design.teams):
        turn = {"equal": 0, "unequal": team, "opposite": team % 2}[design.profiles]
        for members in alike:
            step = turn * (len(members) // 2 if design.profiles == "opposite" else 1)
            profiles[team, members] = np.roll(recalls[members], step)
    return profiles


def _answers(random, design: Design, truth: np.ndarray, profiles: np.ndarray) -> np.ndarray:
    """Labels [n, A]; wrong ones are drawn evenly from the other classes."""
    n, teams, classes = len(truth), design.teams, profiles.shape[1]
    copied = random.random((n, teams)) < design.shares()
    luck = np.where(copied, random.random((n, 1)), random.random((n, teams)))
    steps = np.where(copied, random.integers(1, classes, (n, 1)), random.integers(1, classes, (n, teams)))
    return np.where(luck < profiles[:, truth].T, truth[:, None], (truth[:, None] + steps) % classes)


def _truth(random, design: Design, classes: int) -> np.ndarray:
    """Labels [n]: rare classes first, the others in equal parts."""
    rare = np.repeat(np.arange(design.rare), RARE)
    common = np.resize(np.arange(design.rare, classes), design.units - len(rare))
    return random.permutation(np.concatenate([rare, common]))


def _one_hot(labels: np.ndarray, classes: int) -> np.ndarray:
    return (labels[..., None] == np.arange(classes)).astype(float)


def balanced_accuracy(random, design: Design) -> TestSet:
    """Mean recall of six classes."""
    recalls = np.array([0.9, 0.5, 0.75, 0.6, 0.85, 0.7])
    profiles = _profiles(design, recalls, [list(range(6))])
    truth = _truth(random, design, 6)
    is_true = _one_hot(truth, 6)
    hits = _answers(random, design, truth, profiles) == truth[:, None]
    sums = np.stack([np.hstack([is_true * right[:, None], is_true]) for right in hits.T])

    def score(added: np.ndarray) -> np.ndarray:
        right, cases = added[..., :6], added[..., 6:]
        present = cases > 0
        return np.divide(right, cases, out=np.zeros_like(right), where=present).sum(-1) / present.sum(-1)

    hits = np.arange(6)
    return TestSet(sums, score, Categories(hits, (hits + 6,), (hits,)))


def weighted_f1(random, design: Design) -> TestSet:
    """0.45 accuracy + 0.45 F1 of eleven classes in three groups that weigh 3, 2 and 1."""
    groups, weights = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9, 10]], (3, 2, 1)
    recalls = np.array([0.9, 0.6, 0.75, 0.5, 0.8, 0.55, 0.7, 0.85, 0.6, 0.9, 0.5])
    # Rare and common classes of a group do not weigh alike: only classes of one kind are permuted.
    kinds = [[k for k in group if (k < design.rare) == rare] for group in groups for rare in (True, False)]
    profiles = _profiles(design, recalls, [kind for kind in kinds if kind])
    truth = _truth(random, design, 11)
    is_true, answers = _one_hot(truth, 11), _answers(random, design, truth, profiles)
    called = [_one_hot(answer, 11) for answer in answers.T]
    sums = np.stack([np.hstack([is_true * chosen, chosen, is_true]) for chosen in called])

    def score(added: np.ndarray) -> np.ndarray:
        hits, chosen, cases = added[..., :11], added[..., 11:22], added[..., 22:]
        both = chosen + cases
        f1 = np.divide(2 * hits, both, out=np.zeros_like(hits), where=both > 0)
        means = [weight * f1[..., group].mean(-1) for group, weight in zip(groups, weights, strict=True)]
        return 0.45 * hits.sum(-1) / cases.sum(-1) + 0.45 * sum(means) / sum(weights)

    hits = np.arange(11)
    return TestSet(sums, score, Categories(hits, (hits + 22,), (hits, hits + 11), unseen=0.75))


def image_f1(random, design: Design) -> TestSet:
    """Mean over six classes of the mean F1 of the images with the class; image sizes vary tenfold."""
    means = np.full(6, 4.0)
    means[: design.rare] = 0.3
    skills = np.array([0.85, 0.5, 0.7, 0.6, 0.8, 0.65])
    kinds = [list(range(design.rare)), list(range(design.rare, 6))]
    profiles = _profiles(design, skills, [kind for kind in kinds if kind])
    size = random.lognormal(0, 0.8, (design.units, 1))
    held = random.poisson(size * means)
    wobble = random.normal(0, 0.12, (design.units, 1, 6))
    own = random.normal(0, 0.12, (design.units, design.teams, 6))
    common = np.sqrt(design.shares())[None, :, None]
    chance = np.clip(profiles[None] + common * wobble + np.sqrt(1 - common**2) * own, 0.02, 0.98)
    hits = random.binomial(held[:, None], chance)
    false = random.poisson(size[:, None] * means * (1 - chance) * 0.6)
    both = held[:, None] + hits + false
    f1 = np.divide(2 * hits, both, out=np.zeros(both.shape), where=both > 0)
    occurs = (held[:, None] > 0) * np.ones_like(f1)
    sums = np.concatenate([f1 * occurs, occurs], axis=2).transpose(1, 0, 2)

    def score(added: np.ndarray) -> np.ndarray:
        values, images = added[..., :6], added[..., 6:]
        present = images > 0
        return np.divide(values, images, out=np.zeros_like(values), where=present).sum(-1) / present.sum(-1)

    found = np.arange(6)
    return TestSet(sums, score, Categories(found, (found + 6,), (found,)))


def mean_overlap(random, design: Design) -> TestSet:
    """Mean of a value per patient that fails (0) in a share of them: skewed, with a lump."""
    kinds = {"equal": [(0.08, 3.0)], "unequal": [(0.03, 2.1), (0.08, 2.4), (0.15, 2.9), (0.2, 3.4)]}
    chosen = kinds["equal" if design.profiles == "equal" else "unequal"]
    chosen = [chosen[0], chosen[-1]] if design.profiles == "opposite" else chosen
    failing, shape = np.resize(chosen, (design.teams, 2)).T
    copied = random.random((design.units, design.teams)) < design.shares()
    luck = np.where(copied, random.random((design.units, 1)), random.random((design.units, design.teams)))
    # Beta(shape, 1) has mean shape / (shape + 1); all kinds are scaled to a mean of 0.6.
    inside = np.clip((luck - failing) / (1 - failing), 0, 1)
    values = np.where(luck < failing, 0.0, inside ** (1 / shape))
    values *= 0.6 / ((1 - failing) * shape / (shape + 1))
    sums = np.stack([values.T, np.ones_like(values.T)], axis=2)
    value = np.array([0])
    categories = Categories(value, cases=(), gains=(value,), unseen=0.5)
    return TestSet(sums, lambda added: added[..., 0] / added[..., 1], categories)


SCORES: dict[str, Callable[..., TestSet]] = {
    "balanced accuracy": balanced_accuracy,
    "weighted F1": weighted_f1,
    "F1 of images": image_f1,
    "mean overlap": mean_overlap,
}
