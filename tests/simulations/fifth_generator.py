"""A fifth generator: a ward in which each patient has two to eight images, as the tables that users hand in.

It shares nothing with the others: outputs are a softmax of normal logits that carry an effect of the patient
and of the patient and class, made sharper and rounded to two digits, so that they are skewed and tie. Most
images of a patient are of one class, some of another; the rarest class has two images of a hundred.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, softmax

from scoring.version import __version__
from tests.simulations.fourth_generator import ISIC, TRICORDER3, Held, Tables, of_intervals

RAREST, OF_MAIN_CLASS, SHARPER, MOST = 0.02, 0.7, 1.5, 10_000
POSITIVE_PATIENTS, POSITIVE_IMAGES, NEGATIVES = 0.25, 0.4, -1.2
NAMES = {"isic": ISIC, "tricorder3": TRICORDER3}
GROUPS = ("male", "female", "female")


@dataclass(frozen=True)
class Ward:
    """A cell: a challenge and its number of patients, who are the units."""

    challenge: str
    patients: int


@cache
def prevalences(classes: int) -> np.ndarray:
    """Shares of classes that fall by a constant factor to the rarest."""
    steps = np.arange(classes)
    factor = brentq(lambda factor: RAREST * (factor**steps).sum() - 1, 1, 10)
    return RAREST * factor**steps


def drawn(random: np.random.Generator, ward: Ward) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Draw the truth and the predictions of one team."""
    patient = np.repeat(np.arange(ward.patients), 2 + random.binomial(6, 0.35, ward.patients))
    ids = [f"images/c{number:06d}.jpg" for number in range(len(patient))]
    groups = {
        "patient_id": [f"p{number}" for number in patient],
        "gender": np.resize(GROUPS, ward.patients)[patient],
    }
    if ward.challenge == "melanoma":
        ill = random.random(ward.patients) < POSITIVE_PATIENTS
        positive = ill[patient] & (random.random(len(patient)) < POSITIVE_IMAGES)
        logits = NEGATIVES + 1.8 * positive + _with_patient(random, patient, 1)[:, 0]
        predictions = pd.DataFrame({"filename": ids, "value": np.round(expit(SHARPER * logits), 2)})
        return pd.DataFrame({"filename": ids, "label": positive, **groups}), predictions
    names = NAMES[ward.challenge]
    k, n = len(names), len(patient)
    main = random.choice(k, ward.patients, p=prevalences(k))[patient]
    truth = np.where(random.random(n) < OF_MAIN_CLASS, main, random.choice(k, n, p=prevalences(k)))
    logits = 2.6 * np.eye(k)[truth] + _with_patient(random, patient, k)
    outputs = np.round(softmax(SHARPER * logits, axis=1), 2)
    columns = pd.DataFrame(outputs / outputs.sum(1, keepdims=True), columns=names)
    if ward.challenge == "isic":
        ids = [name[7:-4] for name in ids]
        truth_table = pd.DataFrame(np.eye(k)[truth], columns=names).assign(
            image=ids, patient_id=groups["patient_id"]
        )
        return truth_table[["image", *names, "patient_id"]], columns.assign(image=ids)[["image", *names]]
    labels = pd.DataFrame({"NewFileName": ids, "Class": np.array(names)[truth], **groups})
    return labels, columns.assign(filename=ids)[["filename", *sorted(names)]]


def coverage(ward: Ward, runs: int) -> dict[str, Held]:
    """Return whether the interval of each quantity of a card holds what very many patients give."""
    random = np.random.default_rng([runs, *__version__.encode(), *str(ward).encode()])

    def one(random: np.random.Generator, patients: int) -> Tables:
        return drawn(random, Ward(ward.challenge, min(patients, MOST)))

    return of_intervals(ward.challenge, one, ward.patients, runs, random)


def _with_patient(random: np.random.Generator, patient: np.ndarray, k: int) -> np.ndarray:
    """Normal values [n, K] of which half the variance is the patient's."""
    common, own = random.standard_normal((patient[-1] + 1, k)), random.standard_normal((len(patient), k))
    return (common[patient] + own) / np.sqrt(2)
