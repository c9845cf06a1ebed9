"""The picture of an image's nuclei for paper, pixel by pixel."""

import io

import numpy as np
import pytest
from PIL import Image

from scoring.presentation.figures import nuclei_pictures
from scoring.presentation.figures.nuclei_pictures import overlay_png

TP, FP, FN = (0, 158, 115), (213, 94, 0), (86, 180, 233)
SQUARE = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]])
CENTRES = np.array([[60, 60], [62, 62], [140, 60], [60, 140]])
KIND, STATUS = np.array([0, 1, 1, 0]), np.array([0, 0, 1, 2])


def columns(outlined: bool, centres=CENTRES, kind=KIND, status=STATUS) -> dict[str, np.ndarray]:
    n = len(kind)
    xy = (centres[:, None] + SQUARE).reshape(-1, 2) if outlined else np.empty((0, 2))
    start = 4 * np.arange(n + 1) if outlined else np.zeros(n + 1, int)
    return {"xy": xy, "start": start, "centroids": centres.astype(float), "kind": kind, "status": status}


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return np.asarray(image.convert("RGB")).astype(int)


def drawn(outlined: bool = True, ground: bytes | None = None, side: int = 200, **more) -> np.ndarray:
    return pixels(overlay_png(columns(outlined), (200, 200), "roi", 0.23, side, ground, **more))


def coloured(picture: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """Where the picture above its legend has about this colour."""
    return np.abs(picture[: -nuclei_pictures.STRIP] - colour).max(-1) < 30


def share_around(picture: np.ndarray, colour, centre, reach: int = 24) -> float:
    x, y = centre
    return coloured(picture, colour)[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach].mean()


@pytest.mark.parametrize("outlined", [True, False], ids=["outlines", "marks"])
def test_each_nucleus_has_the_colour_of_its_status_where_it_lies(outlined):
    picture = drawn(outlined)
    for colour, centre in ((TP, (61, 61)), (FP, (140, 60)), (FN, (60, 140))):
        assert share_around(picture, colour, centre) > 0.005
        rest = coloured(picture, colour).copy()
        x, y = centre
        rest[y - 26 : y + 26, x - 26 : x + 26] = False
        assert not rest.any()


def test_marks_and_lines_are_told_apart_without_colour():
    marks = columns(False, np.array([[40, 40], [40, 40], [120, 40], [40, 120]]))
    grey = (np.abs(pixels(overlay_png(marks, (160, 160), "", 0.23, 160)) - (244, 246, 247)).max(-1) > 40)[
        : -nuclei_pictures.STRIP
    ]
    found, spurious, missed = (
        grey[y - 8 : y + 8, x - 8 : x + 8] for x, y in ((40, 40), (120, 40), (40, 120))
    )
    assert found[6:10, 6:10].all()
    assert not missed[7:9, 7:9].any()
    assert spurious[6:10, 6:10].any()
    assert not spurious[2:5, 7:9].any()
    lines = drawn(True)
    edge = [
        coloured(lines, colour)[y - 20, x - 18 : x + 18].mean()
        for colour, (x, y) in ((TP, (62, 62)), (FP, (140, 60)), (FN, (60, 140)))
    ]
    assert edge[0] > edge[1] > edge[2] > 0


def test_the_tissue_lies_below():
    file = io.BytesIO()
    Image.new("RGB", (50, 50), (200, 100, 180)).save(file, "PNG")
    picture = drawn(True, file.getvalue())
    assert picture[180, 180] == pytest.approx((200, 100, 180), abs=2)
    assert drawn(True)[180, 180] == pytest.approx((244, 246, 247), abs=2)


@pytest.mark.parametrize(
    ("size", "shape"), [((200, 200), (150, 150)), ((400, 200), (75, 150)), ((1, 4000), (150, 1))]
)
def test_the_longer_side_is_as_long_as_asked(size, shape):
    picture = pixels(overlay_png(columns(False), size, "roi", 0.23, 150))
    assert picture.shape[:2] == (shape[0] + nuclei_pictures.STRIP, shape[1])


def test_few_colours_make_a_small_file():
    whole, small = (
        overlay_png(columns(True), (200, 200), "roi", 0.23, 200, None, colours) for colours in (None, 64)
    )
    assert len(small) < len(whole)
    assert len(np.unique(pixels(small).reshape(-1, 3), axis=0)) <= 64


def test_crowds_are_marks(monkeypatch):
    monkeypatch.setattr(nuclei_pictures, "MOST_OUTLINES", 3)
    assert (drawn(True)[: -nuclei_pictures.STRIP] == drawn(False)[: -nuclei_pictures.STRIP]).all()


def test_nothing_and_names_of_any_kind_are_drawn():
    nothing = columns(False, np.empty((0, 2)), np.empty(0, int), np.empty(0, int))
    assert (pixels(overlay_png(nothing, (10, 10), "名\n前" * 9, 0.23, 600))[:590] == (244, 246, 247)).all()
