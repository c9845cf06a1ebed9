"""Dyes take away the light that they should."""

import numpy as np
import pytest

from sample_data.generator.histology.stain import Layers, photograph
from tests.sample_data.histology.support import canvas


def mean_colour(**amounts: float) -> np.ndarray:
    """Red, green and blue, 0..255, of a field with these amounts all over."""
    names = ("haematoxylin", "eosin", "melanin", "blood", "cleared")
    layers = Layers(**{name: np.full((256, 256), amounts.get(name, 0.0), np.float32) for name in names})
    return photograph(canvas(), layers).mean((0, 1))


def test_clean_glass_is_nearly_white():
    assert (mean_colour() > 240).all()
    assert mean_colour(haematoxylin=1, eosin=1, cleared=1) == pytest.approx(mean_colour(), abs=1)


@pytest.mark.parametrize("dye", ["haematoxylin", "eosin", "melanin", "blood"])
def test_more_of_a_dye_is_darker_in_every_colour(dye):
    little, much = mean_colour(**{dye: 0.3}), mean_colour(**{dye: 0.9})
    assert (much < little).all()


def test_nuclei_are_blue_to_purple_cytoplasm_is_pink_melanin_is_brown():
    red, green, blue = mean_colour(haematoxylin=0.8)
    assert blue > red > green
    red, green, blue = mean_colour(eosin=0.5)
    assert red > blue > green
    red, green, blue = mean_colour(melanin=0.8)
    assert red > green > blue
