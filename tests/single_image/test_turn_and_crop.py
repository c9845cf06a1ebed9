"""Turned, zoomed and cropped by hand: the pixels that are meant, and a sentence that says so."""

import numpy as np
import pytest

from scoring.single_image.turn_and_crop import Framing, framed, framing_line, not_applied_line
from tests.support.single_image import photograph

PIXELS = np.random.default_rng(0).integers(0, 256, (600, 900, 3), np.uint8)


def test_nothing_done_is_nothing_said():
    shown = photograph(PIXELS)
    assert framed(shown, Framing()) is shown
    assert framing_line(Framing(), 900, 600) == ""


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_turned_to_the_right(quarters):
    found = framed(photograph(PIXELS), Framing(quarters))
    assert np.array_equal(found.pixels, np.rot90(PIXELS, -quarters))
    assert found.framed == f"Changed by hand: turned by {90 * quarters} degrees to the right."
    assert not found.pixels.flags.writeable


@pytest.mark.parametrize(
    ("framing", "box"),
    [
        (Framing(part=(225, 150, 450, 300)), (225, 150, 450, 300)),
        (Framing(part=(-90, -9, 450, 300)), (0, 0, 450, 300)),
        (Framing(part=(800, 500, 450, 300)), (450, 300, 450, 300)),
        (Framing(square=True), (150, 0, 600, 600)),
        (Framing(part=(750, 225, 150, 100), square=True), (750, 200, 150, 150)),
        (Framing(part=(0, 0, 900, 10), square=True), (150, 0, 600, 600)),
        (Framing(part=(400, 300, 2, 3)), (385, 286, 32, 32)),
    ],
)
def test_the_part_that_is_meant(framing, box):
    left, top, wide, tall = box
    found = framed(photograph(PIXELS), framing)
    assert np.array_equal(found.pixels, PIXELS[top : top + tall, left : left + wide])
    assert f"cropped to {wide} x {tall} px" in found.framed
    assert "of 900 x 600 px" in found.framed
    assert min(found.small.shape[:2]) == 512


def test_the_crop_is_of_the_turned_photograph():
    found = framed(photograph(PIXELS), Framing(1, (0, 0, 300, 450)))
    assert np.array_equal(found.pixels, np.rot90(PIXELS, -1)[:450, :300])
    assert "turned by 90 degrees to the right, cropped to 300 x 450 px" in found.framed
    assert "of 600 x 900 px" in found.framed


def test_a_typed_frame_beyond_the_picture_is_explained():
    """Left 200 with the width of the whole picture silently showed the whole picture."""
    assert not_applied_line(Framing(part=(200, 0, 900, 600)), 900, 600) == (
        "The frame reaches beyond the picture and is not applied. Left 0, Top 0, Width 900 and Height 600 "
        "are used instead. At Left 200, the width can be at most 700 px."
    )
    assert "Left must be from 0 to 899 px." in not_applied_line(Framing(part=(5000, 0, 90, 60)), 900, 600)
    assert "Top must be from 0 to 599 px." in not_applied_line(Framing(part=(0, -1, 90, 60)), 900, 600)
    assert "At Top 500, the height can be at most 100 px." in not_applied_line(
        Framing(part=(0, 500, 9, 200)), 900, 600
    )
    assert (
        not_applied_line(Framing(part=(200, 0, 700, 600)), 900, 600)
        == not_applied_line(Framing(), 900, 600)
        == ""
    )


def test_a_typed_frame_that_is_too_small_is_explained():
    """A width of 2 px silently became 32 px."""
    assert not_applied_line(Framing(part=(400, 300, 2, 300)), 900, 600) == (
        "The frame is too small and is not applied. Left 385, Top 300, Width 32 and Height 300 are used "
        "instead. Each side must have at least 32 px."
    )
    both = not_applied_line(Framing(part=(0, 590, 9, 20)), 900, 600)
    assert both.startswith(
        "The frame reaches beyond the picture and is too small, and is not applied. Left 0"
    )
    assert both.endswith("the height can be at most 10 px. Each side must have at least 32 px.")
    assert not_applied_line(Framing(part=(400, 300, 2, 300), square=True), 900, 600) == ""
    assert "too small" in not_applied_line(Framing(part=(400, 300, 2, 3), square=True), 900, 600)
    assert not_applied_line(Framing(part=(0, 0, 20, 40)), 20, 40) == ""
