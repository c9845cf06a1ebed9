"""Teams drawn at random on one truth, compared."""

from collections.abc import Sequence

import numpy as np

import scoring
from tests.support import risk_tables
from tests.support.lesion_tables import CLASSES, TRUTH_HEADER, table

LESIONS = scoring.load_challenge("tricorder3")


def lesion_truth(labels: np.ndarray) -> bytes:
    """A truth of class numbers [N] with ages, body sites and genders."""
    rows = (
        [f"c{i}.jpg", CLASSES[y], str(20 + 7 * i % 60), ("Arm", "Torso", "Leg")[i % 3], "mf"[i % 2]]
        for i, y in enumerate(labels)
    )
    return table(TRUTH_HEADER, *rows)


def outputs_table(outputs: np.ndarray) -> bytes:
    """Predictions of outputs [N, 11]."""
    return table(
        ("filename", *CLASSES), *([f"c{i}.jpg", *map(repr, row)] for i, row in enumerate(outputs.tolist()))
    )


def lesion_outputs(random: np.random.Generator, labels: np.ndarray, skill: float) -> np.ndarray:
    """Probabilities [N, 11] of a team that is right the more often the larger its skill."""
    outputs = random.dirichlet(np.full(len(CLASSES), 0.5), len(labels)) + skill * np.eye(len(CLASSES))[
        labels
    ] * random.random((len(labels), 1))
    return np.round(outputs / outputs.sum(1, keepdims=True), 4)


def team_name(place: int) -> str:
    """Name "a" to "z", then "z26" and so on, so that teams stand in the order of their names."""
    return chr(97 + place) if place < 26 else f"z{place}"


def lesion_teams(seed: int, n: int, skills: Sequence[float], /, **options) -> scoring.Comparison:
    """Teams "a", "b" ... of such skills on n cases; options of `scoring.compare`."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, len(CLASSES), n)
    truth = LESIONS.read_truth(lesion_truth(labels), name="truth.csv")
    sent = {
        team_name(k): outputs_table(lesion_outputs(random, labels, skill)) for k, skill in enumerate(skills)
    }
    return scoring.compare(
        LESIONS,
        truth,
        {name: LESIONS.read_predictions(data, truth, name=name) for name, data in sent.items()},
        **options,
    )


def risk_teams(seed: int, n: int, noises: Sequence[float], /, **options) -> scoring.Comparison:
    """Melanoma teams "a", "b" ... whose scores are the label under so much noise; options of
    `scoring.compare`."""
    random = np.random.default_rng(seed)
    positive = random.random(n) < 0.35
    truth = risk_tables.CHALLENGE.read_truth(risk_tables.truth_table(positive), name="truth.csv")
    sent = {}
    for k, noise in enumerate(noises):
        scores = np.clip(np.round(0.25 + 0.5 * positive + noise * random.normal(size=n), 2), 0, 1)
        sent[team_name(k)] = risk_tables.CHALLENGE.read_predictions(
            risk_tables.score_table(scores.tolist()), truth, name=team_name(k)
        )
    return scoring.compare(risk_tables.CHALLENGE, truth, sent, **options)
