"""Skin obeys the law it is drawn with: light that passes two layers is weakened by the product."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator import optics, surface
from sample_data.generator.canvas import Canvas

amounts = st.floats(0, 3, width=32)


def colour(melanin: float = 0, deep: float = 0, blood: float = 0, keratin: float = 0) -> np.ndarray:
    layers = [np.full((1, 1), amount, np.float32) for amount in (melanin, deep, blood, keratin)]
    return optics.render(optics.Skin(*layers, keratin_colour=(0.97, 0.93, 0.84), tone=0.1))[0, 0]


@given(amounts, amounts)
def test_absorbers_multiply(melanin, blood):
    expected = [
        dermis * np.exp(-melanin * by_melanin) * np.exp(-blood * by_blood)
        for dermis, by_melanin, by_blood in zip(optics.DERMIS, optics.MELANIN, optics.BLOOD, strict=True)
    ]
    assert colour(melanin=melanin, blood=blood) == pytest.approx(expected, abs=1e-6)


def test_melanin_browns_blood_reddens_and_deep_melanin_blues():
    bare, brown, red, blue = colour(), colour(melanin=1), colour(blood=1), colour(deep=1)
    assert (brown < bare).all()
    assert brown[0] / bare[0] > brown[2] / bare[2]
    assert red[0] / bare[0] > 0.9 > red[1] / bare[1]
    assert blue[2] / bare[2] > blue[0] / bare[0]


def test_full_keratin_hides_what_is_below():
    assert colour(melanin=3, keratin=1) == pytest.approx(colour(blood=3, keratin=1))


@pytest.mark.soak
@given(st.integers(0, 2**32 - 1), st.sampled_from(["Arm", "Feet", "Head"]))
def test_lighter_tones_are_lighter(seed, location):
    def brightness(tone: int) -> float:
        return float(
            optics.render(surface.bare(Canvas(np.random.default_rng(seed), 64, 64), tone, location)).mean()
        )

    shades = [brightness(tone) for tone in range(6)]
    assert shades == sorted(shades)


def test_shares_are_shares():
    assert sum(optics.TONE_SHARES) == pytest.approx(1)
    assert len(optics.TONE_SHARES) == len(optics.TONE_MELANIN)
