"""The sample of HECKTOR 2026: 48 patients of three centers, four of them with CT and PET, and what four teams
send in."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from sample_data.generator.headneck import submissions
from sample_data.generator.headneck.grid import Grid, block_means
from sample_data.generator.headneck.patient import Patient, Plan, draw
from sample_data.generator.headneck.phantom import computed_tomography, positron_emission
from sample_data.generator.headneck.readings import Reading, Skill, outlined, readings
from sample_data.generator.headneck.submissions import Drawn
from sample_data.generator.headneck.volumes import archive, compressed, nifti
from sample_data.generator.sample import Recipe
from sample_data.generator.testset import WORKERS, write_table

FIRST_SEED, TEAM_SEED = 8_000_000, 8_900_000
# Stages and how many patients have them; both lists are shuffled, then paired.
T_STAGES = {"T0": 2, "T1": 9, "T2": 15, "T3": 10, "T4": 11, "TX": 1}
N_STAGES = {"N0": 7, "N1": 10, "N2a": 3, "N2b": 13, "N2c": 10, "N3": 5}


@dataclass(frozen=True)
class Center:
    """patients: how many. visit_days: times are known to this many days. grid: of its masks."""

    patients: int
    visit_days: int
    grid: Grid


CENTERS = {
    "ALD": Center(21, 1, Grid((96, 96, 72), (2.5, 2.5, 3.0))),
    "BIR": Center(15, 1, Grid((104, 104, 66), (2.34, 2.34, 3.27))),
    "CED": Center(12, 30, Grid((88, 88, 80), (2.73, 2.73, 2.7), (1, 1, 1))),
}
IMAGED = (2, 9, 25, 40)  # patients with CT and PET, by their place in the table
COARSE_PET = 25  # whose PET has voxels of its own, as a scanner gives them
IMAGED_GRID = Grid((120, 120, 72), (2.0, 2.0, 3.0))
EXCISED = 14  # a T1 tumour that was taken out before the scan: a stage, but nothing to outline
LOST = 19  # whose time is not known
SUV_STEP = 0.02
DRAWING = ("PatientID", "seed", "site", "primary_mm", "nodes_mm", "n_stage", "log_hazard")
PERSON = ("Age", "Gender", "Tobacco Consumption", "Alcohol Consumption", "Performance Status", "HPV Status")
CLINICAL = ("PatientID", "CenterID", *PERSON, "T-stage", "N-stage", "Relapse", "RFS")


@dataclass(frozen=True)
class Team:
    """title, about: for people. send: of its masks and its reading, the members of its zip file."""

    title: str
    about: str
    skill: Skill
    send: Callable[[Sequence[Drawn], Reading], dict[str, bytes]]


TEAMS = {
    "vega": Team(
        title="Vega",
        about=(
            "Strong in all three subtasks: masks side by side with predictions.csv, the risk as a "
            "probability."
        ),
        skill=Skill(
            wobble=2.5,
            shift=0.3,
            overlooked=0.35,
            invented=0.20,
            confused=0.02,
            t_noise=0.55,
            n_noise=0.5,
            risk_noise=0.35,
        ),
        send=lambda masks, reading: submissions.flat(masks, reading, 4),
    ),
    "umbra": Team(
        title="Umbra",
        about=(
            "Every mask is empty: its Dice comes from patients with nothing to find. Stages and risk "
            "are good; the risk has one decimal, so many are equal."
        ),
        skill=Skill(
            wobble=0, shift=0, overlooked=0, invented=0, confused=0, t_noise=0.6, n_noise=0.55, risk_noise=0.3
        ),
        send=lambda masks, reading: submissions.flat(
            [replace(mask, labels=np.zeros_like(mask.labels)) for mask in masks], reading, 1
        ),
    ),
    "altair": Team(
        title="Altair",
        about=(
            "Sends the container's folders: .mha masks and JSON, and days until recurrence instead of a "
            "risk. Its outlines are too wide."
        ),
        skill=Skill(
            wobble=3.0,
            shift=1.6,
            overlooked=0.45,
            invented=0.45,
            confused=0.05,
            t_noise=0.7,
            n_noise=0.65,
            risk_noise=0.9,
        ),
        send=submissions.container,
    ),
    "mira": Team(
        title="Mira",
        about=(
            "Careless: masks, stages and scores are missing, one mask lies on another grid, and the table "
            "has semicolons, sub-stages and labels such as TX."
        ),
        skill=Skill(
            wobble=3.4,
            shift=-0.6,
            overlooked=0.6,
            invented=0.35,
            confused=0.10,
            t_noise=0.8,
            n_noise=0.8,
            risk_noise=1.4,
        ),
        send=submissions.careless,
    ),
}


def plans() -> list[Plan]:
    """All patients in the order of the table: center after center, stages at random."""
    random = np.random.default_rng(FIRST_SEED)
    t_stages, n_stages = (
        random.permutation([stage for stage, count in counts.items() for _ in range(count)])
        for counts in (T_STAGES, N_STAGES)
    )
    centers = [
        (name, number, center) for name, center in CENTERS.items() for number in range(1, center.patients + 1)
    ]
    return [
        Plan(
            name=f"{name}-{number:03d}",
            center=name,
            seed=FIRST_SEED + place,
            grid=IMAGED_GRID if place in IMAGED else center.grid,
            t_stage=str(t_stages[place]),
            n_stage=str(n_stages[place]),
            excised=place == EXCISED,
            visit_days=center.visit_days,
        )
        for place, (name, number, center) in enumerate(centers)
    ]


def mask_path(place: int, name: str) -> str:
    """Patients with images lie as the training data do, the others flat."""
    return f"{name}/{name}.nii.gz" if place in IMAGED else f"masks/{name}.nii.gz"


def scans(place: int, patient: Patient) -> dict[str, bytes]:
    """CT and PET by their paths. Files are small: CT in steps of 4 HU, PET in steps of SUV_STEP."""
    plan, random = patient.plan, np.random.default_rng((patient.plan.seed, 1))
    emission, grid = positron_emission(patient.body, random), plan.grid
    if place == COARSE_PET:
        emission, grid = block_means(emission, 2), grid.coarser(2)
    activity = np.rint(emission / SUV_STEP).astype(np.int16)
    return {
        f"{plan.name}/{plan.name}__CT.nii.gz": compressed(
            nifti(computed_tomography(patient.body, random), plan.grid)
        ),
        f"{plan.name}/{plan.name}__PT.nii.gz": compressed(nifti(activity, grid, SUV_STEP)),
    }


def clinical_row(place: int, patient: Patient) -> list:
    """As in clinical.csv."""
    plan, person, course = patient.plan, patient.person, patient.course
    hpv = "" if person.hpv is None else int(person.hpv)
    about = [
        plan.name,
        plan.center,
        person.age,
        person.gender,
        int(person.tobacco),
        int(person.alcohol),
        person.performance,
        hpv,
    ]
    return [
        *about,
        plan.t_stage,
        plan.n_stage[:2],
        int(course.relapsed),
        "" if place == LOST else course.days,
    ]


def _drawing(patient: Patient) -> list:
    plan, disease = patient.plan, patient.disease
    nodes = " ".join(f"{extent:.1f}" for extent in disease.nodes_mm)
    return [
        plan.name,
        plan.seed,
        disease.site,
        f"{disease.primary_mm:.1f}",
        nodes,
        plan.n_stage,
        f"{patient.hazard:.3f}",
    ]


def drawn_masks(name: str, patients: Sequence[Patient]) -> list[Drawn]:
    """A team's masks of all patients."""
    skill, number = TEAMS[name].skill, list(TEAMS).index(name)
    return [
        Drawn(
            patient.plan.name,
            patient.plan.grid,
            outlined(
                patient.disease.labels,
                patient.plan.grid,
                skill,
                np.random.default_rng((TEAM_SEED, number, patient.plan.seed)),
            ),
        )
        for patient in patients
    ]


def write_teams(patients: Sequence[Patient], folder: Path) -> None:
    """teams/*.zip and teams.json."""
    (folder / "teams").mkdir(parents=True, exist_ok=True)
    found = readings(
        patients, {name: team.skill for name, team in TEAMS.items()}, np.random.default_rng(TEAM_SEED)
    )
    for name, team in TEAMS.items():
        (folder / "teams" / f"{name}.zip").write_bytes(
            archive(team.send(drawn_masks(name, patients), found[name]))
        )
    about = {name: {"title": team.title, "about": team.about} for name, team in TEAMS.items()}
    (folder / "teams.json").write_text(
        json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )


def _write_patient(place: int, plan: Plan, folder: Path) -> Patient:
    patient = draw(plan)
    files = {mask_path(place, plan.name): compressed(nifti(patient.disease.labels, plan.grid))} | (
        scans(place, patient) if place in IMAGED else {}
    )
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return patient


def write(folder: Path) -> None:
    """Everything: masks, scans, tables and teams."""
    planned = plans()
    with ProcessPoolExecutor(WORKERS) as pool:
        patients = list(pool.map(_write_patient, range(len(planned)), planned, [folder] * len(planned)))
    write_table(
        folder / "clinical.csv",
        CLINICAL,
        [clinical_row(place, patient) for place, patient in enumerate(patients)],
    )
    write_table(folder / "drawing.csv", DRAWING, [_drawing(patient) for patient in patients])
    write_teams(patients, folder)


SAMPLE = Recipe(TEAMS, write)
