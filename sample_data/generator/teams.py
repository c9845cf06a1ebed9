"""Predictions of invented teams with different skill and character.

Each team reads a case as a point in a space where the generator's eleven classes have their places: the place
of its class, blurred by noise. Part of the noise is common to all teams and all pictures of a lesion (some
are hard for everybody), the rest is their own. A team that knows how blurred its view is, and how frequent
the classes are, and applies Bayes' rule, is calibrated; the characters are departures from that.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.special import expit, log_softmax, logsumexp, softmax

from sample_data.generator.skin_image import LOOK_ALIKES, SYMBOLS
from sample_data.generator.testset import Plan, write_table

COMMON_NOISE = 0.6  # correlation between two teams' noise
PULL = 0.55  # how far a case that looks like another class is read as that class
NEARNESS = 0.30  # correlation between the places of look-alikes

Step = Callable[[np.ndarray], np.ndarray]


def places() -> np.ndarray:
    """Classes x dimensions: unit vectors, at right angles but for look-alikes, which are nearer to each
    other."""
    closeness = np.eye(len(SYMBOLS))
    for symbol, others in LOOK_ALIKES.items():
        for other in others:
            i, j = SYMBOLS.index(symbol), SYMBOLS.index(other)
            closeness[i, j] = closeness[j, i] = NEARNESS
    values, vectors = np.linalg.eigh(closeness)
    return vectors * np.sqrt(np.clip(values, 0.05, None))


@dataclass(frozen=True)
class Team:
    """title, about: for people. skill: distance of the classes' places in units of the noise.

    evidence: what the team makes of the log posterior (cases x labels of the plan). present: turns that into
    the numbers of its file (cases x columns). decimals: of these numbers. model_size_mib: of the model that
    the team would have submitted, MiB, where it counts.
    """

    title: str
    about: str
    skill: float
    evidence: Step
    present: Step
    decimals: int = 5
    model_size_mib: float | None = None


def tempered(factor: float) -> Step:
    """Evidence that is taken for more (factor above 1) or less than it is."""
    return lambda log_posterior: factor * log_posterior


def probabilities(log_scores: np.ndarray) -> np.ndarray:
    """Rows that sum to 1."""
    return softmax(log_scores, axis=1)


def independent(log_scores: np.ndarray) -> np.ndarray:
    """Each label against all others, as of networks that end in sigmoids: rows do not sum to 1."""
    return expit(1.3 * (log_scores - np.median(log_scores, axis=1, keepdims=True)) - 3.5)


def _log_posterior(seen: np.ndarray, where: np.ndarray, plan: Plan) -> np.ndarray:
    """Cases x labels of the plan, from points (cases x dimensions) and the classes' places; the prior is the
    plan's share of each class."""
    drawn = [SYMBOLS.index(a_class.symbol) for a_class in plan.classes]
    counts = np.array([a_class.count for a_class in plan.classes])
    distances = ((seen[:, None] - where[drawn]) ** 2).sum(axis=2)
    by_class = log_softmax(np.log(counts / counts.sum()) - distances / 2, axis=1)
    named = [
        [place for place, a_class in enumerate(plan.classes) if a_class.label == label]
        for label in plan.labels
    ]
    return np.column_stack([logsumexp(by_class[:, chosen], axis=1) for chosen in named])


def predictions(
    teams: Mapping[str, Team], plan: Plan, rows: Sequence[Mapping], seed: int
) -> dict[str, np.ndarray]:
    """One array per team, cases x columns, rounded as in its file. rows: `symbol`, `look` and `lesion` of
    each case."""
    random, where = np.random.default_rng(seed), places()
    truth, drawn = (np.array([SYMBOLS.index(row[key]) for row in rows]) for key in ("symbol", "look"))
    lesions = np.array([row["lesion"] for row in rows])
    middle = (1 - PULL) * where[truth] + PULL * where[drawn]
    common = random.standard_normal((lesions.max() + 1, where.shape[1]))[lesions]
    tables = {}
    for name, team in teams.items():
        own = random.standard_normal(middle.shape)
        seen = team.skill * middle + np.sqrt(COMMON_NOISE) * common + np.sqrt(1 - COMMON_NOISE) * own
        tables[name] = np.round(
            team.present(team.evidence(_log_posterior(seen, team.skill * where, plan))), team.decimals
        )
    return tables


def write(
    teams: Mapping[str, Team],
    header: Sequence[str],
    ids: Sequence[str],
    tables: Mapping[str, np.ndarray],
    folder: Path,
) -> None:
    """teams.json and teams/*.csv. header: of the id column and the others."""
    (folder / "teams").mkdir(exist_ok=True)
    for name, table in tables.items():
        write_table(
            folder / "teams" / f"{name}.csv",
            header,
            [[case, *values] for case, values in zip(ids, table.tolist(), strict=True)],
        )
    about = {name: {"title": team.title, "about": team.about, **_size(team)} for name, team in teams.items()}
    (folder / "teams.json").write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _size(team: Team) -> dict[str, float]:
    return {} if team.model_size_mib is None else {"model_size_mib": team.model_size_mib}
