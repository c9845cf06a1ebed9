"""Patients are drawn from their plan alone, and their facts hang together."""

from dataclasses import replace

import numpy as np
import pytest

from sample_data.generator.headneck import patient
from tests.sample_data.headneck.heads import ill


def test_the_same_plan_gives_the_same_patient():
    first = ill(9, "T2", "N1")
    again = patient.draw(first.plan)
    assert (again.disease.labels == first.disease.labels).all()
    assert (again.person, again.hazard, again.course) == (first.person, first.hazard, first.course)


def test_an_excised_primary_leaves_its_stage_and_its_nodes():
    shown = ill(9, "T2", "N1")
    excised = patient.draw(replace(shown.plan, excised=True))
    assert excised.disease.primary_mm == 0 < shown.disease.primary_mm
    assert len(excised.disease.nodes_mm) == len(shown.disease.nodes_mm)


@pytest.mark.parametrize(("site", "share"), [("tonsil", 0.72), ("hypopharynx", 0.12)])
def test_hpv_goes_with_the_site_is_sometimes_unknown_and_people_are_grown_up(site, share):
    random = np.random.default_rng(0)
    people = [patient.draw_person(site, random) for _ in range(1500)]
    assert np.mean([positive for _, positive in people]) == pytest.approx(share, abs=0.04)
    assert all(person.hpv in (None, positive) for person, positive in people)
    assert 0.1 < np.mean([person.hpv is None for person, _ in people]) < 0.2
    assert all(
        34 <= person.age <= 88 and person.performance in (0, 1, 2) and person.gender in "MF"
        for person, _ in people
    )
