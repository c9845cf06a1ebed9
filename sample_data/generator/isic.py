"""The samples of the ISIC challenges of 2018 and 2019: common and rare categories, some lesions in several
pictures."""

import numpy as np

from sample_data.generator.sample import Sample, Table
from sample_data.generator.teams import Step, Team, independent, probabilities, tempered
from sample_data.generator.testset import ClassPlan, Plan

# Category, the generator's class, lesions of it; in the order of the official columns. UNK is what is none of
# the other eight.
CLASSES_2018 = (
    ("MEL", "MEL", 34),
    ("NV", "NV", 88),
    ("BCC", "BCC", 20),
    ("AKIEC", "AKIEC", 18),
    ("BKL", "BKL", 28),
    ("DF", "DF", 16),
    ("VASC", "VASC", 16),
)
CLASSES_2019 = (
    ("MEL", "MEL", 44),
    ("NV", "NV", 92),
    ("BCC", "BCC", 34),
    ("AK", "AKIEC", 18),
    ("BKL", "BKL", 26),
    ("DF", "DF", 16),
    ("VASC", "VASC", 16),
    ("SCC", "SCCKA", 18),
    ("UNK", "INF", 2),
    ("UNK", "BEN_OTH", 2),
    ("UNK", "MAL_OTH", 2),
)
SITES = {
    "Arm": "upper extremity",
    "Feet": "palms/soles",
    "Genitalia": "oral/genital",
    "Hand": "palms/soles",
    "Head": "head/neck",
    "Leg": "lower extremity",
    "Torso": "anterior torso",
}
SEXES = {"m": "male", "f": "female"}
METADATA = ("isic_id", "age_approx", "sex", "anatom_site_general", "lesion_id", "patient_id")
OLDEST = 85  # the archive's ages are rounded to five years and end here
SHARED = 3  # every third lesion belongs to the patient of an earlier one, where age and sex allow it


def _plan(classes: tuple[tuple[str, str, int], ...], first_seed: int, retaken: int, name: str) -> Plan:
    return Plan(
        classes=tuple(ClassPlan(*a_class) for a_class in classes),
        sizes=((300, 225),),
        shares=(1,),
        first_seed=first_seed,
        retaken=retaken,
        quality=76,
        name=name,
    )


def one_decimal(log_scores: np.ndarray) -> np.ndarray:
    """Probabilities as somebody prints them: the largest is often shared, and rows sum to about 1."""
    return np.round(probabilities(log_scores), 1)


def shy_of(column: int) -> Step:
    """Probabilities of which one column never passes one half: what it loses goes to the others."""

    def present(log_scores: np.ndarray) -> np.ndarray:
        outputs = probabilities(log_scores)
        kept = 0.49 * outputs[:, column]
        others = np.delete(log_scores, column, axis=1)
        return np.insert((1 - kept)[:, None] * probabilities(others), column, kept, axis=1)

    return present


TEAMS_2018 = {
    "nova": Team(
        title="Nova",
        about="Strong and well calibrated.",
        skill=3.5,
        evidence=tempered(0.6),
        present=probabilities,
    ),
    "orion": Team(
        title="Orion",
        about=(
            "Writes one decimal. Where the largest score is shared, the official scorer counts the case "
            "as wrong."
        ),
        skill=3.4,
        evidence=tempered(0.35),
        present=one_decimal,
        decimals=1,
    ),
    "polaris": Team(
        title="Polaris",
        about=(
            "Never gives dermatofibroma more than 0.5: it finds none, and its precision for them is 1 "
            "by the official rule."
        ),
        skill=3.1,
        evidence=tempered(0.6),
        present=shy_of(5),
    ),
    "quasar": Team(
        title="Quasar",
        about="Ends in sigmoids: each category on its own, rows do not sum to 1. Weak.",
        skill=2.3,
        evidence=tempered(0.6),
        present=independent,
    ),
}
TEAMS_2019 = {
    "juno": Team(
        title="Juno",
        about=(
            "Strong and well calibrated, except on images of none of the eight diagnoses, which it hardly "
            "ever saw in training."
        ),
        skill=3.6,
        evidence=tempered(0.6),
        present=probabilities,
    ),
    "kepler": Team(
        title="Kepler",
        about=(
            "Writes one decimal. Where the largest score is shared, the official scorer counts the case "
            "as wrong."
        ),
        skill=3.5,
        evidence=tempered(0.35),
        present=one_decimal,
        decimals=1,
    ),
    "lyra": Team(
        title="Lyra",
        about=(
            "Never gives squamous cell carcinoma more than 0.5: it misses them, and its precision for "
            "them is 1 by the official rule."
        ),
        skill=3.2,
        evidence=tempered(0.6),
        present=shy_of(7),
    ),
    "meridian": Team(
        title="Meridian",
        about="Ends in sigmoids: each category on its own, rows do not sum to 1. Weak.",
        skill=2.5,
        evidence=tempered(0.6),
        present=independent,
    ),
}


def _ground_truth(plan: Plan, rows: list[dict]) -> Table:
    """One-hot over the plan's labels, in the official spelling."""
    return ("image", *plan.labels), [
        [row["name"], *(float(row["label"] == label) for label in plan.labels)] for row in rows
    ]


def patients(people: list[tuple[int, str]]) -> list[int]:
    """A patient's number for each lesion, from (age, sex): every SHARED-th lesion goes to an earlier patient
    of that age and sex."""
    numbers, latest = [], {}
    for lesion, person in enumerate(people):
        if lesion % SHARED or person not in latest:
            latest[person] = max(latest.values(), default=-1) + 1
        numbers.append(latest[person])
    return numbers


def _metadata(plan: Plan, rows: list[dict]) -> Table:
    """As the archive writes them: age rounded to five years, lesion and patient numbered."""
    people = {
        row["lesion"]: (min(OLDEST, 5 * round(int(row["age"]) / 5)), SEXES[row["gender"]]) for row in rows
    }
    patient = dict(zip(sorted(people), patients([people[lesion] for lesion in sorted(people)]), strict=True))
    thousands = plan.first_seed // 1000
    lines = [
        [
            row["name"],
            *people[row["lesion"]],
            SITES[row["location"]],
            f"IL_{thousands:04d}{row['lesion']:03d}",
            f"IP_{thousands:04d}{patient[row['lesion']]:03d}",
        ]
        for row in rows
    ]
    return METADATA, lines


def _sample(year: int, plan: Plan, teams: dict[str, Team], team_seed: int) -> Sample:
    def truth(rows: list[dict]) -> dict[str, Table]:
        return {
            f"ISIC_{year}_Sample_GroundTruth.csv": _ground_truth(plan, rows),
            "metadata.csv": _metadata(plan, rows),
        }

    return Sample(
        plan=plan, teams=teams, team_seed=team_seed, truth=truth, case="{}", header=("image", *plan.labels)
    )


SAMPLE_2018 = _sample(2018, _plan(CLASSES_2018, 3_000_000, 30, "ISIC_0098{:03d}"), TEAMS_2018, 3_900_000)
SAMPLE_2019 = _sample(2019, _plan(CLASSES_2019, 4_000_000, 36, "ISIC_0099{:03d}"), TEAMS_2019, 4_900_000)
