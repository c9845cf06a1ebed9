"""Reads a whole slide that is stored as a pyramid of tiles (SVS, OME-TIFF, plain tiled TIFF): an overview and
one region.

It runs in the worker process. tifffile reads the tags; Pillow decodes single tiles.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tifffile
from PIL import Image
from PIL.TiffImagePlugin import ImageFileDirectory_v2

from scoring.inference.image_sanitizer import FURTHER, KINDS, UPRIGHT, kinds_of_tags, scale_of_tags
from scoring.inference.preprocessing import OVERVIEW_PIXELS, REGION, ImageUnreadable, Pixels

Box = tuple[int, int, int, int]
"""Left, top, width and height, px of the full resolution."""
DECODED_PIXELS = 48_000_000
"""Maximum number of pixels, in all tiles together, that are decoded for one overview or region."""
MOST_PAGES, MOST_SIDE, MOST_TEXT = 64, 1 << 24, 1 << 20
"""Maximum number of pictures in a file that are examined, of px along a side of a slide, and of characters of
a description."""
LEAST_COST = 4096
"""A tile counts as at least this number of pixels in the limit `DECODED_PIXELS`, because opening a tile takes
time too."""
COMPRESSIONS = (1, 5, 8, 32773, 32946)
"""TIFF codes of the compressions that libtiff decodes: none, LZW, two kinds of deflate, and PackBits. JPEG is
handled apart."""
_JPEG, JPEG_2000 = 7, (33003, 33005, 34712)
_YCC_2000 = 33003
READ = "uncompressed, JPEG, JPEG 2000, LZW, deflate and PackBits"
_RGB, _YCC = 2, 6
_RESOLUTIONS, _UNIT, _SUBSAMPLING, _ORIENTATION = (282, 283), 296, 530, 274
_ASIDE = ("label", "macro")
"""Words that describe pictures of a slide's label, which can show a patient's name."""
_LABEL = re.compile(rf"^[^\S\n]*({'|'.join(_ASIDE)})(\s+\d+x\d+)?[^\S\n]*$", re.MULTILINE | re.IGNORECASE)
"""Pattern of a line in the description of a picture of the label. The description of a slide may contain the
word elsewhere."""
_MAGNIFICATION = re.compile(r"\bAppMag\s*=\s*(\d{1,3}(?:\.\d{1,3})?)(?![\d.])")
DAMAGED = "The slide is damaged: its {} cannot be read. Export it again."


@dataclass(frozen=True)
class OpenSlide:
    """An open whole slide image.

    Attributes:
        levels: The whole image at several resolutions, as tifffile describes them, largest first.
        micrometres: Micrometres per pixel, 0 if unknown.
        magnification: Magnification of the objective according to SVS, 0 if unknown. The scale cannot be
            derived from it.
        dropped: Other contents of the file, from `image_sanitizer.KINDS`.
    """

    data: memoryview
    levels: list[Any]
    format: str
    micrometres: float
    magnification: float
    dropped: list[str]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the slide, px."""
        return self.levels[0].imagewidth, self.levels[0].imagelength


class _Bytes(io.RawIOBase):
    """Bytes as a file, without a copy of them."""

    def __init__(self, data: memoryview) -> None:
        self._data, self._at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, len(self._data))[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        piece = self._data[self._at : self._at + len(buffer)]
        buffer[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)


def opened(data: memoryview, least_pixels: int) -> OpenSlide | None:
    """Open a TIFF file as a slide. Raises ImageUnreadable with one sentence.

    Return None for a file without readable images, and for an image in only one resolution, unless it has
    more than `least_pixels` pixels.
    """
    try:
        pages = _pages(data)
    except MemoryError:
        raise
    except Exception:  # tifffile raises anything on damaged files
        return None
    if not pages:
        return None
    if not all(map(_area, pages)):
        raise ImageUnreadable(DAMAGED.format("size"))
    base = max([page for page in pages if not _LABEL.search(_described(page))] or pages, key=_area)
    levels = [base, *sorted(_reduced(base, pages), key=_area, reverse=True)]
    if pages[0].is_ndpi:
        raise ImageUnreadable(f"NDPI slides are not read: save the slide as OME-TIFF, or {REGION}.")
    if _area(base) <= least_pixels and (len(levels) == 1 or not _is_tiled(base)):
        return None
    levels = [base, *(page for page in levels[1:] if not _unread(page))]
    if why := _unread(base):
        raise ImageUnreadable(why)
    kinds = kinds_of_tags({tag.code for page in pages for tag in page.tags})
    if len(pages) > len(levels):
        kinds |= {FURTHER}
    described = str(base.description or pages[0].description)[:MOST_TEXT]
    resolutions = [_ratio(base.tags.valueof(tag)) for tag in _RESOLUTIONS]
    name = "SVS" if pages[0].is_svs else "OME-TIFF" if pages[0].is_ome else "TIFF"
    micrometres = scale_of_tags(described, resolutions, _number(base.tags.valueof(_UNIT, 2)))
    magnified = _MAGNIFICATION.search(described)
    magnification = float(magnified[1]) if magnified else 0.0
    dropped = [kind for kind in KINDS if kind in kinds]
    return OpenSlide(data, levels, name, micrometres, magnification, dropped)


def _ratio(value: Any) -> float:
    """Return a fraction of a tag; 0 for anything else."""
    is_one = isinstance(value, tuple) and len(value) == 2 and all(value)
    return float(value[0] / value[1]) if is_one else 0.0


def _pages(data: memoryview) -> list[Any]:
    """Return the pictures of a file, and their reduced copies (SubIFD), each once."""
    found: dict[int, Any] = {}
    reader: Any = _Bytes(data)
    with tifffile.TiffFile(reader) as opened_file:
        file: Any = opened_file
        for number in range(MOST_PAGES):
            try:
                page = file.pages[number]
            except IndexError:
                break
            if page.offset in found:
                break
            found[page.offset] = page
            if getattr(page, "subifds", None):
                for reduced in page.pages[: MOST_PAGES - 1]:
                    found.setdefault(reduced.offset, reduced)
    return list(found.values())


def _described(page: Any) -> str:
    return str(page.description)[:MOST_TEXT]


def _area(page: Any) -> int:
    return _number(page.imagewidth) * _number(page.imagelength)


def _number(value: Any) -> int:
    """Return a whole number of a tag; 0 for anything else, as in damaged files."""
    return int(value) if isinstance(value, int) else 0


def _is_tiled(page: Any) -> bool:
    return _number(page.tilewidth) > 0


def _reduced(base: Any, pages: Sequence[Any]) -> list[Any]:
    """Return the reduced copies of a picture among those of a file: tiled as it is, and of its shape. Labels
    and pictures of the glass slide are not."""
    below = set() if not base.subifds else set(base.subifds)
    return [
        page
        for page in pages
        if _area(page) < _area(base)
        and (_is_tiled(page) or page.offset in below)
        and abs(page.imagewidth - page.imagelength * base.imagewidth / base.imagelength)
        <= 2 + page.imagewidth / 100
        and not any(word in _described(page).lower() for word in _ASIDE)
    ]


def _unread(page: Any) -> str:
    """Return why the tiles of a picture are not read; "" if they are."""
    if max(page.imagewidth, page.imagelength) > MOST_SIDE or page.imagedepth != 1:
        return DAMAGED.format("size")
    if _number(page.tags.valueof(_ORIENTATION, 1)) in UPRIGHT:
        return f"The slide is stored turned or mirrored, so Benchside would show it wrongly: {REGION}."
    colours = (page.samplesperpixel, page.bitspersample, _number(page.photometric) in (_RGB, _YCC))
    if colours != (3, 8, True):
        return f"The slide is not in RGB with 8 bits per channel: {REGION}."
    by_jpeg = _number(page.compression) in (_JPEG, *JPEG_2000)
    if not by_jpeg and (_number(page.compression) not in COMPRESSIONS or _number(page.photometric) == _YCC):
        return f"The slide's compression is not supported (only {READ} are): {REGION}."
    wide, tall = _tile_size(page)
    if not (0 < wide <= MOST_SIDE and 0 < tall <= MOST_SIDE):
        return DAMAGED.format("size of tiles")
    return ""


def _tile_size(page: Any) -> tuple[int, int]:
    """Return width and height of a picture's tiles, px. A strip is a tile of the picture's width."""
    wide, tall = ("tilewidth", "tilelength") if _is_tiled(page) else ("imagewidth", "rowsperstrip")
    return _number(getattr(page, wide)), _number(getattr(page, tall))


def overview(slide: OpenSlide) -> Pixels:
    """Return the whole slide, reduced to at most `OVERVIEW_PIXELS` from the smallest sufficient level. Raises
    ImageUnreadable if its pieces are too large."""
    fitting = [
        page for page in slide.levels[1:] or slide.levels if _cost(page, _whole(page)) <= DECODED_PIXELS
    ]
    if not fitting:
        sentence = f"The slide has no small level for an overview: save it as a pyramid, or {REGION}."
        raise ImageUnreadable(sentence)
    page = next((page for page in reversed(fitting) if _area(page) >= OVERVIEW_PIXELS), fitting[0])
    picture = _read(slide, page, _whole(page))
    shrink = (OVERVIEW_PIXELS / (picture.width * picture.height)) ** 0.5
    if shrink < 1:
        wide, tall = (max(1, int(side * shrink)) for side in picture.size)
        picture = picture.resize((wide, tall), Image.Resampling.BOX)
    return np.asarray(picture)


def region(slide: OpenSlide, box: Box) -> Pixels:
    """Return a part of the slide at full resolution. Raises ImageUnreadable if its pieces are too large."""
    if _cost(slide.levels[0], box) > DECODED_PIXELS:
        raise ImageUnreadable(f"The slide is stored in pieces too large to read a single region: {REGION}.")
    return np.asarray(_read(slide, slide.levels[0], box))


def stained(slide: OpenSlide, whole: Pixels, side: int) -> Box:
    """Return the square of `side` px with the strongest colour. `whole` is the overview."""
    (width, height), (rows, columns) = slide.size, whole.shape[:2]
    wide, tall = min(side, width), min(side, height)
    across, down = max(1, round(wide * columns / width)), max(1, round(tall * rows / height))
    sums = np.zeros((rows + 1, columns + 1))
    sums[1:, 1:] = (whole.max(2) - whole.min(2)).cumsum(0, np.int64).cumsum(1)
    part = sums[down:, across:] - sums[:-down, across:] - sums[down:, :-across] + sums[:-down, :-across]
    y, x = np.unravel_index(int(part.argmax()), part.shape)
    left, top = round(int(x) * width / columns), round(int(y) * height / rows)
    return min(left, width - wide), min(top, height - tall), wide, tall


def _whole(page: Any) -> Box:
    return 0, 0, page.imagewidth, page.imagelength


def _places(page: Any, box: Box) -> tuple[range, range]:
    """Return columns and rows of the tiles under a part."""
    (left, top, width, height), (wide, tall) = box, _tile_size(page)
    return range(left // wide, -(-(left + width) // wide)), range(top // tall, -(-(top + height) // tall))


def _cost(page: Any, box: Box) -> int:
    """Return the pixels of the tiles under a part."""
    (wide, tall), (columns, rows) = _tile_size(page), _places(page, box)
    return max(LEAST_COST, wide * tall) * len(columns) * len(rows)


def _read(slide: OpenSlide, page: Any, box: Box) -> Image.Image:
    picture = Image.new("RGB", box[2:], "white")
    wide, tall = _tile_size(page)
    columns, rows = _places(page, box)
    for row in rows:
        for column in columns:
            tile = _tile(slide, page, column, row)
            if tile is not None:
                picture.paste(tile, (column * wide - box[0], row * tall - box[1]))
    return picture


def _tile(slide: OpenSlide, page: Any, column: int, row: int) -> Image.Image | None:
    """Return a tile; None if the file leaves it out, as scanners do where there is only glass."""
    wide, tall = _tile_size(page)
    size = (wide, tall if _is_tiled(page) else min(tall, page.imagelength - row * tall))
    across, down = -(-page.imagewidth // wide), -(-page.imagelength // tall)
    place, planes = row * across + column, 3 if page.planarconfig == 2 else 1
    try:
        pieces = [_piece(slide, page, place + plane * across * down) for plane in range(planes)]
        if not all(pieces):
            return None
        tiles = [_decoded(page, piece, size, 3 // planes) for piece in pieces]
    except MemoryError:
        raise
    except Exception:  # decoders raise anything on damaged tiles
        raise ImageUnreadable(DAMAGED.format("tile")) from None
    return tiles[0] if planes == 1 else Image.merge("RGB", tiles)


def _piece(slide: OpenSlide, page: Any, place: int) -> bytes:
    start, count = page.dataoffsets[place], page.databytecounts[place]
    if start + count > len(slide.data):
        raise ValueError("beyond the end of the file")
    return bytes(slide.data[start : start + count])


def _decoded(page: Any, piece: bytes, size: tuple[int, int], samples: int) -> Image.Image:
    """Return a tile of `samples` channels."""
    compression = _number(page.compression)
    is_tiff = compression not in JPEG_2000
    kind, file = ("TIFF", _as_file(page, piece, size, samples)) if is_tiff else ("JPEG2000", piece)
    with Image.open(io.BytesIO(file), formats=(kind,)) as image:
        if image.size != size:
            raise ValueError("another size")
        image.load()
        if samples == 1:
            return image.convert("L")
        if compression == _YCC_2000 and _full_chroma(piece):
            return Image.merge("YCbCr", image.split()).convert("RGB")
        return image.convert("RGB")


def _full_chroma(piece: bytes) -> bool:
    """Return whether a JPEG 2000 tile has as many samples of colour as of brightness: Pillow converts
    others by itself."""
    return piece[:4] == b"\xff\x4f\xff\x51" and piece[46:47] == b"\1"


def _as_file(page: Any, piece: bytes, size: tuple[int, int], samples: int) -> bytes:
    """Return a tile as a TIFF file of its own, which libtiff decodes."""
    tags = ImageFileDirectory_v2()
    tags[256], tags[257], tags[278] = *size, size[1]
    tags[258], tags[277], tags[259] = (8,) * samples, samples, _number(page.compression)
    tags[262], tags[284], tags[317] = _number(page.photometric) if samples == 3 else 1, 1, int(page.predictor)
    if page.jpegtables:
        tags.tagtype[347] = 7
        tags[347] = page.jpegtables
    if _number(page.photometric) == _YCC:
        tags[_SUBSAMPLING] = tuple(page.tags.valueof(_SUBSAMPLING, (2, 2)))
    tags[273], tags[279] = 0, len(piece)  # Pillow adds the length of the directory to the first
    return b"II*\0\x08\0\0\0" + tags.tobytes(8) + piece
