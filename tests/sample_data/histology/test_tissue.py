"""Tissue lies where its setting says."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sample_data.generator.histology.tissue import Vessel, followed, lay, sampled
from tests.sample_data.histology.support import MIXED, SKIN, canvas

SHARES = ("tumour", "epidermis", "horn", "basal", "inflamed", "lumen", "cleft", "stroma")


@given(
    st.floats(30, 200),
    st.floats(30, 200),
    st.floats(10, 40),
    st.floats(10, 25),
    st.floats(0, 3.1),
    st.floats(0, 6.2),
)
@settings(max_examples=30)
def test_the_wall_of_a_vessel_is_at_no_distance_from_it_and_runs_as_said(x, y, long, short, turn, angle):
    vessel = Vessel((x, y), (long, short), turn)
    px, py, direction = vessel.at(angle)
    ahead = vessel.at(angle + 1e-4)
    assert (
        np.arctan2(ahead[1] - py, ahead[0] - px) == pytest.approx(direction, abs=0.01) or abs(direction) > 3.1
    )
    reach = np.hypot(
        ((px - x) * np.cos(turn) + (py - y) * np.sin(turn)) / long,
        ((py - y) * np.cos(turn) - (px - x) * np.sin(turn)) / short,
    )
    assert reach == pytest.approx(1)


def test_distance_to_a_vessel_is_negative_inside():
    away = Vessel((100, 60), (30, 20), 0.0).distance(canvas())
    assert away[60, 100] == pytest.approx(-20)
    assert away[60, 130] == pytest.approx(0, abs=1e-4)
    assert away[60, 200] > 40


@pytest.mark.parametrize("setting", [MIXED, SKIN], ids=["mixed", "skin"])
def test_shares_are_shares(setting):
    tissue = lay(canvas(3, 512), setting)
    for name in SHARES:
        assert getattr(tissue, name).shape == (512, 512)
        assert -1e-6 <= getattr(tissue, name).min() <= getattr(tissue, name).max() <= 1 + 1e-6


def test_tumour_covers_its_share():
    for share in (0.2, 0.7):
        assert lay(canvas(1, 512), replace(MIXED, tumour=share)).tumour.mean() == pytest.approx(
            share, abs=0.06
        )


def test_epidermis_lies_on_top_or_nowhere():
    skin = lay(canvas(2, 512), SKIN)
    assert skin.epidermis[60].mean() > 0.9
    assert skin.epidermis[400:].max() < 0.01
    assert skin.horn[2].mean() > 0.9
    assert (skin.tumour * skin.epidermis).max() < 0.3
    none = lay(canvas(2, 512), MIXED)
    assert none.epidermis.max() == none.horn.max() == none.basal.max() == 0


@pytest.mark.parametrize(("angle", "axis"), [(0.0, 1), (np.pi / 2, 0)])
def test_threads_run_along_the_direction(angle, axis):
    field = canvas()
    grain = field.random.standard_normal(field.shape, dtype=np.float32)
    threads = followed(field, np.full(field.shape, angle), grain)
    roughness = [np.abs(np.diff(threads, axis=one)).mean() for one in (axis, 1 - axis)]
    assert roughness[0] < 0.5 * roughness[1]


def test_samples_are_of_the_pixel_that_holds_the_position():
    values = np.arange(12).reshape(3, 4)
    assert sampled(values, [0.1, 3.9], [0.1, 2.9]).tolist() == [0, 11]
