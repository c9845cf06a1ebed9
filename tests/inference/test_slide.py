"""Slides in pyramids: what is read equals what was written, from the level that serves; hostile files get one
sentence. In this process: a worker takes a second to start; `test_whole_slide` goes through one."""

import io
import struct
import time
import zlib

import numpy as np
import pytest
import tifffile
from PIL import Image

from scoring.inference import slide
from scoring.inference.preprocessing import OVERVIEW_PIXELS, ImageUnreadable
from tests.support.slides import APERIO, SCALE, changed, packed, pyramid, tissue

TISSUE = tissue()
PART = (900, 700, 512, 400)
HERE = (slice(700, 1100), slice(900, 1412))
LEAST = 26_300_000


def opened(data, least_pixels=LEAST):
    return slide.opened(memoryview(data), least_pixels)


def everything(data, least_pixels=0):
    """Overview and region, as the worker asks for them."""
    found = opened(data, least_pixels)
    assert found is not None
    whole = slide.overview(found)
    return whole, slide.region(found, slide.stained(found, whole, 1024))


def refusal(data):
    with pytest.raises(ImageUnreadable) as caught:
        everything(data)
    assert str(caught.value).count(". ") <= 1
    return str(caught.value)


@pytest.mark.parametrize("bigtiff", [False, True])
@pytest.mark.parametrize("compression", [None, "zlib", "lzw", "packbits", "jpeg-2000"])
def test_a_region_has_the_pixels_of_the_file(compression, bigtiff):
    found = opened(pyramid(TISSUE, compression, bigtiff=bigtiff))
    assert (found.size, len(found.levels)) == ((2100, 1600), 3)
    assert np.array_equal(slide.region(found, PART), TISSUE[HERE])


@pytest.mark.parametrize("compression", ["jpeg", "jpeg-2000-ycc"])
def test_brightness_and_colour_become_red_green_and_blue(compression):
    found = slide.region(opened(pyramid(TISSUE, compression)), PART)
    assert np.abs(found.astype(int) - TISSUE[HERE]).mean() < 2


def test_jpeg_tiles_share_the_tables_of_the_file():
    """As scanners write them: quantisation and Huffman tables once in a tag, and tiles without."""
    whole = packed(Image.fromarray(TISSUE[:1024, :1024]), "jpeg")
    starts = [i for i in range(len(whole)) if whole[i : i + 2] in (b"\xff\xdb", b"\xff\xc4")]
    segments = [whole[i : i + 2 + int.from_bytes(whole[i + 2 : i + 4], "big")] for i in starts[:8]]
    bare = whole
    for segment in segments:
        bare = bare.replace(segment, b"", 1)
    tables = b"\xff\xd8" + b"".join(segments) + b"\xff\xd9"
    data = pyramid(
        TISSUE[:1024, :1024], "jpeg", levels=1, tile=1024, extratags=[(347, 7, None, tables, True)]
    )
    with tifffile.TiffFile(io.BytesIO(data)) as file:
        page = file.pages[0]
        start, count = page.dataoffsets[0], page.databytecounts[0]
    data = data[:start] + bare.ljust(count, b"\0") + data[start + count :]
    expected = np.asarray(Image.open(io.BytesIO(whole)))
    assert len(bare) < len(whole) - 300
    assert np.array_equal(slide.region(opened(data, 0), (0, 0, 1024, 1024)), expected)


def test_colours_may_lie_in_planes():
    file = io.BytesIO()
    planes = np.ascontiguousarray(TISSUE.transpose(2, 0, 1))
    tifffile.imwrite(file, planes, photometric="rgb", planarconfig="separate", tile=(256, 256), metadata=None)
    assert np.array_equal(slide.region(opened(file.getvalue(), 0), PART), TISSUE[HERE])


@pytest.mark.parametrize(
    ("tags", "kind", "micrometres"),
    [
        (SCALE, "TIFF", 0.25),
        ({}, "TIFF", 0),
        ({"description": APERIO.format(0.2527)}, "SVS", 0.2527),
        ({"ome": {"axes": "YXS", "PhysicalSizeX": 0.23, "PhysicalSizeXUnit": "µm"}}, "OME-TIFF", 0.23),
    ],
)
def test_micrometres_are_the_file_s(tags, kind, micrometres):
    found = opened(pyramid(TISSUE, **tags))
    assert (found.format, found.micrometres) == (kind, pytest.approx(micrometres))


def test_levels_may_follow_each_other():
    assert len(opened(pyramid(TISSUE, below=False)).levels) == 3


def test_pixels_that_are_not_square_have_no_scale():
    """The scale of x alone made densities twice too high."""
    assert opened(pyramid(TISSUE, resolution=(40_000, 20_000), resolutionunit="CENTIMETER")).micrometres == 0


@pytest.mark.parametrize("orientation", [2, 3, 4, 5, 6, 7, 8])
def test_a_slide_that_lies_otherwise_is_refused(orientation):
    """It was read as if the tag were not there: mirrored, or on its side."""
    assert "turned or mirrored" in refusal(pyramid(TISSUE, extratags=[(274, 3, 1, orientation, True)]))


@pytest.mark.parametrize("orientation", [1, 99])
def test_an_upright_slide_may_say_so(orientation):
    assert opened(pyramid(TISSUE, extratags=[(274, 3, 1, orientation, True)])).size == (2100, 1600)


@pytest.mark.parametrize(("text", "magnification"), [("AppMag = 40", 40), ("AppMag=20|x", 20), ("", 0)])
def test_a_magnification_is_no_scale(text, magnification):
    found = opened(pyramid(TISSUE, description=f"Aperio Image Library v12\r\n1000x800|{text}"))
    assert (found.format, found.micrometres, found.magnification) == ("SVS", 0, magnification)


def test_the_program_that_wrote_a_slide_is_no_camera():
    found = opened(pyramid(TISSUE, software="Scanner 1.2", extratags=[(65_000, 4, 1, 1, True)]))
    assert found.dropped == ["program", "other tags"]


def test_a_label_larger_than_the_slide_is_not_the_slide():
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        how = {"photometric": "rgb", "tile": (256, 256), "metadata": None}
        writer.write(TISSUE, description="Scanner\r\nlabel 2100x1600", **how)
        for side in (1024, 512):
            writer.write(np.ascontiguousarray(TISSUE[:side, :side]), description="Scan", **how)
    assert opened(file.getvalue()).size == (1024, 1024)


def test_a_label_is_no_level():
    """Pictures of the glass slide can show a name."""
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for side, text, tile in ((1600, None, (256, 256)), (800, None, (256, 256)), (400, "label 1x1", None)):
            square = np.ascontiguousarray(TISSUE[:side, :side])
            writer.write(square, photometric="rgb", tile=tile, description=text, metadata=None)
        writer.write(
            square[:320, :320], photometric="rgb", tile=(256, 256), description="macro", metadata=None
        )
    found = opened(file.getvalue())
    assert [page.imagewidth for page in found.levels] == [1600, 800]
    assert "further pictures" in found.dropped


def test_a_picture_in_one_resolution_is_no_slide_unless_it_is_large():
    assert opened(pyramid(TISSUE, levels=1)) is None
    assert opened(pyramid(TISSUE, levels=1), 1600 * 2100 - 1) is not None
    file = io.BytesIO()
    Image.fromarray(TISSUE).save(file, "TIFF")
    assert opened(file.getvalue()) is None


def test_an_overview_never_decodes_the_full_resolution():
    """Every tile of the first level is damaged; the overview does not notice."""
    data = pyramid(TISSUE, "zlib")
    with tifffile.TiffFile(io.BytesIO(data)) as file:
        pieces = list(zip(file.pages[0].dataoffsets, file.pages[0].databytecounts, strict=True))
    spoilt = bytearray(data)
    for start, count in pieces:
        spoilt[start : start + count] = b"\xff" * count
    found = opened(bytes(spoilt))
    whole = slide.overview(found)
    assert whole.shape[0] * whole.shape[1] <= OVERVIEW_PIXELS
    assert np.array_equal(whole, TISSUE[::2, ::2])
    with pytest.raises(ImageUnreadable, match="tile cannot be read"):
        slide.region(found, PART)


def test_an_overview_is_bounded():
    whole = slide.overview(opened(pyramid(np.repeat(np.repeat(TISSUE, 2, 0), 2, 1), "jpeg", levels=2)))
    assert 0.98 * OVERVIEW_PIXELS < whole.shape[0] * whole.shape[1] <= OVERVIEW_PIXELS


def test_the_first_region_is_where_the_tissue_is():
    found = opened(pyramid(TISSUE))
    left, top, wide, tall = slide.stained(found, slide.overview(found), 512)
    assert (wide, tall) == (512, 512)
    assert abs(left + 256 - 0.75 * 2100) < 60
    assert abs(top + 256 - 0.7 * 1600) < 60


def test_tiles_that_are_left_out_are_glass():
    data = changed(pyramid(TISSUE), 325, [0] * 63)
    assert (slide.region(opened(data), PART) == 255).all()


def without_levels():
    """A file of 64,000 x 64,000 px that says of its tiles what it likes."""
    data = pyramid(TISSUE, "zlib", levels=1)
    return changed(changed(data, 256, 64_000), 257, 64_000)


def test_without_a_small_level_a_large_slide_is_refused():
    assert "no small level" in refusal(without_levels())


def grey():
    file = io.BytesIO()
    tifffile.imwrite(file, TISSUE[..., 0], tile=(256, 256), photometric="minisblack", metadata=None)
    return file.getvalue()


def wide():
    file = io.BytesIO()
    deep = TISSUE.astype(np.uint16)
    tifffile.imwrite(file, deep, tile=(256, 256), photometric="rgb", metadata=None)
    return file.getvalue()


@pytest.mark.parametrize("data", [grey(), wide()], ids=["grey", "16 bits"])
def test_other_colours_are_refused_with_what_to_do(data):
    assert refusal(data) == (
        "The slide is not in RGB with 8 bits per channel: export the region of interest as PNG, at full "
        "resolution."
    )


def test_ndpi_is_refused_by_name():
    tags = [(65420, 4, 1, 1, True), (271, 2, None, "Hamamatsu", True)]
    assert "NDPI slides are not read" in refusal(pyramid(TISSUE, below=False, extratags=tags))


def first_directory(data):
    return struct.unpack("<I", data[4:8])[0]


def circular(data=None):
    """The last directory is followed by the first."""
    data = bytearray(data or pyramid(TISSUE, below=False))
    at = first = first_directory(data)
    while True:
        end = at + 2 + 12 * struct.unpack_from("<H", data, at)[0]
        following = struct.unpack_from("<I", data, end)[0]
        if not following:
            break
        at = following
    struct.pack_into("<I", data, end, first)
    return bytes(data)


def test_circular_directories_end():
    assert len(opened(circular()).levels) == 3


def counted(code, count):
    """A slide of which a tag says to have so many values."""
    data = bytearray(pyramid(TISSUE, description="x" * 99))
    at = first_directory(data)
    for entry in range(at + 2, at + 2 + 12 * struct.unpack_from("<H", data, at)[0], 12):
        if struct.unpack_from("<H", data, entry)[0] == code:
            struct.pack_into("<I", data, entry + 4, count)
    return bytes(data)


def bomb():
    """Tiles that unpack to 64 MB each instead of 196 kB."""
    packed_tile = zlib.compress(bytes(64 << 20), 9)
    file = io.BytesIO()
    with tifffile.TiffWriter(file) as writer:
        for side in (2048, 1024):
            tiles = iter([packed_tile] * (side // 256) ** 2)
            options = {"tile": (256, 256), "photometric": "rgb", "compression": "zlib", "metadata": None}
            writer.write(tiles, shape=(side, side, 3), dtype=np.uint8, **options)
    return file.getvalue()


def test_a_tile_that_unpacks_to_more_is_cut_at_its_size():
    whole, region = everything(bomb())
    assert not whole.any()
    assert region.shape == (1024, 1024, 3)


FULL = pyramid(TISSUE, "zlib")
TILE, SIZE, PNG = "its tile cannot be read", "its size cannot be read", "export the region of interest as PNG"
HOSTILE = {
    "offsets beyond the end": (changed(FULL, 324, [1 << 30] * 63), TILE),
    "sizes beyond the end": (changed(FULL, 325, [1 << 30] * 63), TILE),
    "2**31 tiles": (counted(324, 1 << 31), TILE),
    "2**31 sizes": (counted(325, 1 << 31), TILE),
    "fewer tiles": (counted(324, 1), TILE),
    "2**32 bits": (counted(258, (1 << 32) - 1), PNG),
    "no width": (changed(FULL, 256, 0), SIZE),
    "no height": (changed(FULL, 257, 0), SIZE),
    "no width of tiles": (changed(FULL, 322, 0), "its size of tiles"),
    "no height of tiles": (changed(FULL, 323, 0), "its size of tiles"),
    "four thousand million px": (changed(changed(FULL, 256, 65_535), 257, 65_535), "no small level"),
    "tiles of one column": (changed(FULL, 322, 1), TILE),
    "tiles as large as a slide": (changed(changed(FULL, 322, 60_000), 323, 60_000), "pieces too large"),
    "65,535 colours": (changed(FULL, 277, 65_535), PNG),
    "another compression": (changed(FULL, 259, 50_001), "slide's compression is not supported"),
    "tiles that are no JPEG": (changed(FULL, 259, 7), TILE),
    "tiles that are no JPEG 2000": (changed(FULL, 259, 33_005), TILE),
    "cut off": (FULL[: len(FULL) // 2], TILE),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_slide_gets_one_sentence_with_what_to_do(name):
    data, why = HOSTILE[name]
    sentence = refusal(data)
    assert why in sentence
    assert "xport" in sentence


@pytest.mark.parametrize(
    "data", [FULL[:4], FULL[:8], FULL[:4] + struct.pack("<I", 1 << 31) + FULL[8:], changed(FULL, 277, 0)]
)
def test_a_file_without_a_readable_directory_is_no_slide(data):
    assert opened(data, 0) is None


def test_a_level_below_itself_ends():
    assert len(opened(changed(FULL, 330, [8, 8]), 0).levels) == 1


def test_a_description_of_50_mb_takes_no_second():
    data = pyramid(TISSUE, "zlib", description="MPP = " * (8 << 20))
    begun = time.process_time()
    assert opened(data).micrometres == 0
    assert time.process_time() - begun < 5
