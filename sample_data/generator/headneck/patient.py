"""Patients with head-and-neck cancer, drawn from a plan: body, disease, scans, clinical facts and course."""

from dataclasses import dataclass

import numpy as np

from sample_data.generator.headneck import phantom, survival, tumours
from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.phantom import Body
from sample_data.generator.headneck.survival import Course
from sample_data.generator.headneck.tumours import Disease

HPV_SHARE = {"tonsil": 0.72, "base of tongue": 0.68, "": 0.6}  # elsewhere OTHER_HPV_SHARE
OTHER_HPV_SHARE = 0.12
UNKNOWN_STAGE = 2  # what a stage that nobody knows counts for in the hazard


@dataclass(frozen=True)
class Plan:
    """name: PatientID. t_stage: T0 to T4 or TX. n_stage: N0 to N3, N2 with its letter. excised: the primary
    was taken out before the scan. visit_days: see `survival.course`.
    """

    name: str
    center: str
    seed: int
    grid: Grid
    t_stage: str
    n_stage: str
    excised: bool = False
    visit_days: int = 1


@dataclass(frozen=True)
class Person:
    """hpv: None where it was not tested."""

    age: int
    gender: str
    tobacco: bool
    alcohol: bool
    performance: int
    hpv: bool | None


@dataclass(frozen=True)
class Patient:
    """body: as scanned, with its disease. hazard: log hazard that the course was drawn from."""

    plan: Plan
    body: Body
    disease: Disease
    person: Person
    hazard: float
    course: Course


def draw_person(site: str, random: np.random.Generator) -> tuple[Person, bool]:
    """A person, and whether the tumour is truly HPV-positive."""
    hpv = bool(random.random() < HPV_SHARE.get(site, OTHER_HPV_SHARE))
    person = Person(
        age=int(np.clip(random.normal(59 if hpv else 64, 9), 34, 88)),
        gender="M" if random.random() < 0.8 else "F",
        tobacco=bool(random.random() < (0.4 if hpv else 0.75)),
        alcohol=bool(random.random() < 0.45),
        performance=int(random.choice((0, 1, 2), p=(0.5, 0.38, 0.12))),
        hpv=None if random.random() < 0.15 else hpv,
    )
    return person, hpv


def draw(plan: Plan) -> Patient:
    """Everything about a patient; the same plan gives the same patient."""
    anatomy, illness, person_random, course_random = np.random.default_rng(plan.seed).spawn(4)
    body = phantom.healthy(plan.grid, anatomy)
    disease = tumours.draw(body, "" if plan.excised else plan.t_stage, plan.n_stage, illness)
    tumours.show(body, disease, illness)
    person, hpv = draw_person(disease.site, person_random)
    tumour_ml = np.count_nonzero(disease.labels) * plan.grid.voxel_ml
    t_number = UNKNOWN_STAGE if plan.t_stage == "TX" else int(plan.t_stage[1])
    hazard = survival.log_hazard(
        tumour_ml, t_number, int(plan.n_stage[1]), hpv, person.performance, person.age
    )
    return Patient(
        plan, body, disease, person, hazard, survival.course(hazard, plan.visit_days, course_random)
    )
