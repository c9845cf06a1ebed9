"""A visitor's slide through the confined worker: its overview and one region, or one sentence why not."""

import struct

import numpy as np
import pytest

from scoring.common.findings import InputRefused
from scoring.inference.preprocessing import OVERVIEW_PIXELS
from scoring.single_image import whole_slide
from scoring.single_image.photograph import CALLED, received
from scoring.single_image.whole_slide import around, opened, region, region_line
from tests.inference.test_foreign_pictures import dicom
from tests.inference.test_slide import HOSTILE, TISSUE, circular
from tests.support import photographs
from tests.support.slides import APERIO, pyramid


def refusal(data, is_tile=True):
    with pytest.raises(InputRefused) as caught:
        opened(data, is_tile)
    (problem,) = caught.value.problems
    assert (problem.code, problem.where) == ("image-unreadable", CALLED)
    return problem.message


@pytest.mark.parametrize("compression", ["jpeg", "jpeg-2000", "lzw"])
def test_a_slide_gives_an_overview_and_a_region(compression):
    found, first = opened(pyramid(TISSUE, compression, description=APERIO.format(0.2527)))
    assert (found.size, found.levels, found.micrometres) == ((2100, 1600), 3, 0.2527)
    assert found.overview.shape[0] * found.overview.shape[1] <= OVERVIEW_PIXELS
    assert first.size == (1024, 1024)
    assert first.seen.micrometres == 0.2527
    assert "name or comment" in first.dropped
    assert first.of_slide
    other = region(found, (900, 500, 1024, 1024))
    assert np.abs(other.pixels.astype(int) - TISSUE[500:1524, 900:1924]).mean() < 2
    assert other.framed == (
        "Region of a slide of 2,100 × 1,600 px: 1,024 × 1,024 px at x 900, y 500, level 0 of 3 (full "
        "resolution), 0.2527 µm per px."
    )


def test_a_slide_with_a_magnification_alone_has_no_scale():
    text = APERIO.partition("|MPP")[0]
    found, first = opened(pyramid(TISSUE, "jpeg", description=text))
    assert first.seen.micrometres == found.micrometres == 0
    assert first.framed.endswith("magnification 40x, micrometres per pixel unknown.")


def test_a_slide_smaller_than_a_tile_gives_all_of_it():
    small = pyramid(TISSUE[:600, :900], "jpeg", levels=2)
    found, first = opened(small)
    assert first.size == found.box[2:] == (900, 600)
    assert "900 × 600 px at x 0, y 0" in first.framed
    assert whole_slide.smaller_line(found) == (
        "The slide is smaller than 1,024 × 1,024 px, so the region has 900 × 600 px. A model that needs more "
        "receives the region continued by its mirror image."
    )
    assert whole_slide.smaller_line(opened(pyramid(TISSUE, "jpeg"))[0]) == ""


@pytest.mark.parametrize("name", ["fewer tiles", "no width", "2**31 tiles"])
def test_a_hostile_slide_is_refused_in_one_sentence(name):
    data, why = HOSTILE[name]
    assert why in refusal(data)


def test_circular_directories_end():
    assert opened(circular())[0].levels == 3


def test_a_slide_is_no_photograph_of_skin():
    assert refusal(pyramid(TISSUE, "jpeg"), is_tile=False) == whole_slide.NO_TISSUE


def test_other_pictures_are_no_slide():
    assert opened(photographs.encoded(TISSUE, "TIFF")) is None
    assert opened(photographs.encoded(TISSUE, "JPEG")) is None
    assert opened(b"II*\0") is None


def test_a_dicom_file_that_begins_as_a_tiff_is_no_damaged_slide():
    """Its first 128 bytes may be the header of a TIFF, whose directory lies behind the pixels."""
    data = dicom(TISSUE, "RGB", NumberOfFrames=2)
    entries = ((256, 4, 1, 0), (257, 4, 1, 0))
    directory = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
    data = b"II*\0" + struct.pack("<I", len(data)) + data[8:] + directory + bytes(4)
    assert opened(data) is None
    with pytest.raises(InputRefused, match="holds 2 frames"):
        received(data)


@pytest.mark.parametrize(
    ("point", "box"),
    [
        ((0, 0), (0, 0, 1024, 1024)),
        ((1050, 800), (538, 288, 1024, 1024)),
        ((9e9, 9e9), (1076, 576, 1024, 1024)),
    ],
)
def test_a_region_lies_within_the_slide(point, box):
    slide = whole_slide.WholeSlide(b"", (2100, 1600), TISSUE, (0, 0, 1, 1), 1, 0.0)
    assert around(slide, *point) == box
    assert "micrometres per pixel unknown" in region_line(slide, box)
