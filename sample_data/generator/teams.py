"""Predictions of five invented teams with different skill and character.

Each team reads a case as a point in a space where the eleven classes have their places: the place of its class, blurred by noise. Part of
the noise is common to all teams (some cases are hard for everybody), the rest is their own. A team that knows how blurred its view is and
applies Bayes' rule is calibrated; the characters are departures from that.
"""
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import log_expit, log_softmax, softmax

from sample_data.generator.case import LOOK_ALIKES, SYMBOLS

COMMON_NOISE = 0.6  # correlation between two teams' noise
PULL = 0.55  # how far a case that looks like another class is read as that class
NEARNESS = 0.30  # correlation between the places of look-alikes


def places() -> np.ndarray:
    """Classes x dimensions: unit vectors, at right angles but for look-alikes, which are nearer to each other."""
    closeness = np.eye(len(SYMBOLS))
    for symbol, others in LOOK_ALIKES.items():
        for other in others:
            i, j = SYMBOLS.index(symbol), SYMBOLS.index(other)
            closeness[i, j] = closeness[j, i] = NEARNESS
    values, vectors = np.linalg.eigh(closeness)
    return vectors * np.sqrt(np.clip(values, 0.05, None))


@dataclass(frozen=True)
class Team:
    """title, about: for people. model_size_mib: of the model that the team would have submitted, MiB.

    skill: distance of the classes' places in units of the noise. evidence: what the team makes of the log posterior (cases x classes).
    present: turns that into the numbers of its file. decimals: of these numbers.
    """

    title: str
    about: str
    model_size_mib: float
    skill: float
    evidence: Callable[[np.ndarray], np.ndarray]
    present: Callable[[np.ndarray], np.ndarray]
    decimals: int


def _probabilities(log_scores: np.ndarray) -> np.ndarray:
    return softmax(log_scores, axis=1)


def _logits(log_scores: np.ndarray) -> np.ndarray:
    return log_scores - log_scores.mean(axis=1, keepdims=True)


def _tempered(factor: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda log_posterior: factor * log_posterior


def _nevus_for_melanoma(log_posterior: np.ndarray) -> np.ndarray:
    """Melanoma and nevus are nearly one thing to this team, and it would rather say nevus."""
    melanoma, nevus = SYMBOLS.index("MEL"), SYMBOLS.index("NV")
    either = np.logaddexp(log_posterior[:, melanoma], log_posterior[:, nevus])
    for_nevus = 0.12 * (log_posterior[:, nevus] - log_posterior[:, melanoma]) + 1.4
    confused = log_posterior.copy()
    confused[:, nevus], confused[:, melanoma] = either + log_expit(for_nevus), either + log_expit(-for_nevus)
    return confused


TEAMS = {
    "aurora": Team(
        title="Aurora",
        about="Well calibrated: when it says 0.7, it is right in about seven of ten cases.",
        model_size_mib=43.7, skill=3.7, evidence=_tempered(0.55), present=_probabilities, decimals=5,
    ),
    "borealis": Team(
        title="Borealis",
        about="Over-confident: nearly always above 0.95, right or wrong. A large model, and it pays for its size.",
        model_size_mib=96.4, skill=3.7, evidence=_tempered(3.0), present=_probabilities, decimals=5,
    ),
    "cygnus": Team(
        title="Cygnus",
        about="Forgot the softmax: its file holds logits, not probabilities.",
        model_size_mib=28.2, skill=3.2, evidence=_tempered(0.9), present=_logits, decimals=4,
    ),
    "delphi": Team(
        title="Delphi",
        about="Good at everything but one thing: it calls melanomas nevi.",
        model_size_mib=12.3, skill=3.7, evidence=_nevus_for_melanoma, present=_probabilities, decimals=5,
    ),
    "equinox": Team(
        title="Equinox",
        about="Weak and unsure: a very small model that has not learnt much.",
        model_size_mib=1.6, skill=1.9, evidence=_tempered(0.7), present=_probabilities, decimals=5,
    ),
}


def predictions(symbols: list[str], looks: list[str], seed: int) -> dict[str, np.ndarray]:
    """One array per team, cases x 11 in the order of SYMBOLS, rounded as in its file. symbols: true classes; looks: those drawn."""
    random, where = np.random.default_rng(seed), places()
    truth, drawn = (np.array([SYMBOLS.index(name) for name in names]) for names in (symbols, looks))
    middle = (1 - PULL) * where[truth] + PULL * where[drawn]
    common = random.standard_normal(middle.shape)
    tables = {}
    for name, team in TEAMS.items():
        own = random.standard_normal(middle.shape)
        noise = np.sqrt(COMMON_NOISE) * common + np.sqrt(1 - COMMON_NOISE) * own
        seen = team.skill * middle + noise
        distances = ((seen[:, None] - team.skill * where[None]) ** 2).sum(axis=2)
        tables[name] = np.round(team.present(team.evidence(log_softmax(-distances / 2, axis=1))), team.decimals)
    return tables
