"""The sample of the eleven-class challenge: every class as often, teams from calibrated to careless."""

import numpy as np
from scipy.special import log_expit

from sample_data.generator.sample import Sample, Table
from sample_data.generator.skin_image import SYMBOLS
from sample_data.generator.teams import Team, probabilities, tempered
from sample_data.generator.testset import ClassPlan, Plan

# Twenty cases per class: class-conditional prediction sets at 95 % need at least nineteen.
PER_CLASS = 20
SIZES = ((512, 512), (640, 512), (512, 640), (768, 576), (576, 768), (1024, 768), (768, 1024))
SHARES = (0.32, 0.20, 0.12, 0.14, 0.06, 0.10, 0.06)
PLAN = Plan(
    classes=tuple(ClassPlan(symbol, symbol, PER_CLASS) for symbol in SYMBOLS),
    sizes=SIZES,
    shares=SHARES,
    first_seed=1_000_000,
    turned=6,
)


def logits(log_scores: np.ndarray) -> np.ndarray:
    """Scores of any size, of mean 0 in each row."""
    return log_scores - log_scores.mean(axis=1, keepdims=True)


def nevus_for_melanoma(log_posterior: np.ndarray) -> np.ndarray:
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
        skill=3.7,
        evidence=tempered(0.55),
        present=probabilities,
        model_size_mib=43.7,
    ),
    "borealis": Team(
        title="Borealis",
        about=(
            "Over-confident: nearly always above 0.95, right or wrong. The model is large and loses points "
            "for its size."
        ),
        skill=3.7,
        evidence=tempered(3.0),
        present=probabilities,
        model_size_mib=96.4,
    ),
    "cygnus": Team(
        title="Cygnus",
        about="Forgot the softmax: its file holds logits, not probabilities.",
        skill=3.2,
        evidence=tempered(0.9),
        present=logits,
        decimals=4,
        model_size_mib=28.2,
    ),
    "delphi": Team(
        title="Delphi",
        about="Good at everything but one thing: it predicts melanomas as nevi.",
        skill=3.7,
        evidence=nevus_for_melanoma,
        present=probabilities,
        model_size_mib=12.3,
    ),
    "equinox": Team(
        title="Equinox",
        about="Weak and unsure: a very small model that has not learnt much.",
        skill=1.9,
        evidence=tempered(0.7),
        present=probabilities,
        model_size_mib=1.6,
    ),
}


def truth(rows: list[dict]) -> dict[str, Table]:
    """labels.csv in the official spelling."""
    labels = [
        [SAMPLE.case.format(row["name"]), *(row[key] for key in ("label", "age", "location", "gender"))]
        for row in rows
    ]
    return {"labels.csv": (("NewFileName", "Class", "Age", "Location", "Gender"), labels)}


SAMPLE = Sample(
    plan=PLAN,
    teams=TEAMS,
    team_seed=1_900_009,  # of the first forty, one where chance on 220 cases hides no team's character
    truth=truth,
    case="images/{}.jpg",
    header=("filename", *SYMBOLS),
)
