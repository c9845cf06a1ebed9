"""Nuclei lie where their class belongs, and not on top of each other."""

from dataclasses import replace

import numpy as np
import pytest

from sample_data.generator.histology.placement import populate
from sample_data.generator.histology.tissue import lay, sampled
from tests.sample_data.histology.support import MIXED, SKIN, canvas


def placed(setting, side=512):
    field = canvas(5, side)
    tissue = lay(field, setting)
    return tissue, populate(field, setting, tissue)


@pytest.mark.soak
def test_there_are_as_many_as_asked_for_where_there_is_room():
    assert len(placed(replace(MIXED, nuclei=150))[1]) == 150
    crowded = len(placed(replace(MIXED, nuclei=3000))[1])
    assert 150 < crowded < 3000


def test_none_is_on_top_of_another():
    centres = np.array([nucleus.centre for nucleus in placed(replace(MIXED, nuclei=250))[1]])
    away = np.hypot(*(centres[:, None] - centres).transpose(2, 0, 1)) + 1e9 * np.eye(len(centres))
    assert away.min() > 7


def test_epithelium_is_in_the_epidermis_and_nothing_but_endothelium_at_a_lumen():
    tissue, nuclei = placed(replace(SKIN, nuclei=250))
    kinds = np.array([nucleus.kind for nucleus in nuclei])
    x, y = np.array([nucleus.centre for nucleus in nuclei]).T
    assert (kinds == "epithelium").sum() > 20
    assert (sampled(tissue.epidermis, x, y)[kinds == "epithelium"] > 0.5).all()
    assert (sampled(tissue.lumen, x, y)[kinds != "endothelium"] <= 0.31).all()


@pytest.mark.soak
@pytest.mark.parametrize(
    ("without", "kind"),
    [
        ("neutrophils", "neutrophils"),
        ("plasma", "plasma_cells"),
        ("pigment", "melanophages"),
        ("apoptosis", "apoptotic_cells"),
    ],
)
def test_what_the_setting_does_without_is_absent(without, kind):
    counted = [
        sum(nucleus.kind == kind for nucleus in placed(replace(MIXED, nuclei=250, **{without: share}))[1])
        for share in (0.0, 0.6)
    ]
    assert counted[0] == 0
    assert counted[1] > 3
