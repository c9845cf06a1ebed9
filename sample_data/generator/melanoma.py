"""The sample of the melanoma challenge: photographs as a phone takes them, a third of them melanomas."""

import numpy as np
from scipy.special import expit

from sample_data.generator.sample import Sample, Table
from sample_data.generator.skin_image import PHONE
from sample_data.generator.teams import Step, Team, tempered
from sample_data.generator.testset import ClassPlan, Plan

POSITIVE, NEGATIVE = "True", "False"  # the official spelling; any other text counts as negative there
OTHERS = {"NV": 38, "BKL": 18, "BCC": 12, "AKIEC": 7, "DF": 7, "INF": 7, "VASC": 6, "BEN_OTH": 5, "SCCKA": 5}
PLAN = Plan(
    classes=(
        ClassPlan(POSITIVE, "MEL", 45),
        *(ClassPlan(NEGATIVE, symbol, count) for symbol, count in OTHERS.items()),
    ),
    sizes=((480, 360), (360, 480), (400, 400), (640, 480)),
    shares=(0.40, 0.30, 0.20, 0.10),
    first_seed=2_000_000,
    view=PHONE,
    turned=8,
    name="M{:04d}",
)
SCREENED = 0.002  # share of melanomas among the people whom Gemini expects


def log_odds(log_scores: np.ndarray) -> np.ndarray:
    """Of melanoma against all else, cases x 1."""
    return log_scores[:, :1] - log_scores[:, 1:]


def risk(log_scores: np.ndarray) -> np.ndarray:
    return expit(log_odds(log_scores))


def as_in_screening(log_scores: np.ndarray) -> np.ndarray:
    """The risk of somebody from a population with few melanomas: the same order, far lower numbers."""
    positive = PLAN.classes[0].count / sum(a_class.count for a_class in PLAN.classes)
    return expit(log_odds(log_scores) - np.log(positive / (1 - positive)) + np.log(SCREENED / (1 - SCREENED)))


def decided(threshold: float) -> Step:
    """1 where the risk is above the threshold, else 0."""
    return lambda log_scores: (risk(log_scores) > threshold).astype(float)


TEAMS = {
    "fornax": Team(
        title="Fornax",
        about="Well calibrated: of ten spots that it gives 0.3, about three are melanomas.",
        skill=3.0,
        evidence=tempered(0.6),
        present=risk,
    ),
    "gemini": Team(
        title="Gemini",
        about=(
            "Ranks best, with a badly placed threshold: it expects one melanoma in five hundred, so "
            "hardly any score reaches 0.5."
        ),
        skill=3.7,
        evidence=tempered(0.6),
        present=as_in_screening,
    ),
    "helios": Team(
        title="Helios",
        about="Over-confident: nearly always close to 0 or 1, right or wrong.",
        skill=2.3,
        evidence=tempered(4.0),
        present=risk,
    ),
    "iris": Team(
        title="Iris",
        about="Gives decisions, not scores: 0 or 1, so they cannot rank the cases.",
        skill=2.0,
        evidence=tempered(0.6),
        present=decided(0.3),
        decimals=1,
    ),
}


def truth(rows: list[dict]) -> dict[str, Table]:
    """labels.csv in the official spelling; age, location and gender are extra."""
    labels = [
        [SAMPLE.case.format(row["name"]), *(row[key] for key in ("label", "age", "location", "gender"))]
        for row in rows
    ]
    return {"labels.csv": (("filename", "label", "Age", "Location", "Gender"), labels)}


SAMPLE = Sample(
    plan=PLAN,
    teams=TEAMS,
    team_seed=2_900_005,  # of the first twelve, one where Fornax and Helios score alike: who leads is chance
    truth=truth,
    case="images/{}.jpg",
    header=("filename", "score"),
)
