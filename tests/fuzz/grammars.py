"""Files that are valid but for one fault: most of what a reader does lies behind its first checks, which
random bytes do not pass."""

import contextlib
import json
import struct
import zipfile
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from io import BytesIO
from random import Random
from typing import Any

import onnx
from PIL import Image

from scoring.inference import slide
from scoring.inference.onnx_scan import walk
from tests.fuzz import bundle_grammar, exported_grammar, format_grammar, hecktor_grammar
from tests.hostile import inputs
from tests.hostile.inputs import Came, attempt
from tests.inference import builders
from tests.inference.test_foreign_pictures import dicom, half
from tests.support import archives, category_tables, nuclei_lists, photographs, slides, volumes, workbooks
from tests.support.archives import Member

CELLS = (
    "",
    " ",
    "nan",
    "inf",
    "-1",
    "1e999",
    "0x1",
    "1,5",
    '"',
    '""',
    "=1",
    "\u202e",
    "\0",
    "½",
    "1_0",
    "9" * 400,
    "ISIC_1",
    "MEL",
)
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1e308,
    2**70,
    "",
    "tumor",
    [],
    [[]],
    {},
    {"a": []},
    [1, 2],
    "\ud7ff",
    [[1, 2, 3, 4]],
)
NUMBERS = (0, 1, -1, 2, 127, 255, 32_767, -32_768, 2**31 - 1, -(2**31))
DICOM_TAGS: Mapping[str, tuple[Any, ...]] = {
    "Rows": (0, 1, 65_535),
    "Columns": (0, 1, 65_535),
    "SamplesPerPixel": (0, 1, 3, 4),
    "BitsAllocated": (0, 1, 8, 12, 16, 32, 64),
    "BitsStored": (0, 1, 7, 16, 99),
    "PixelRepresentation": (0, 1, 9),
    "PlanarConfiguration": (0, 1, 2),
    "PhotometricInterpretation": ("", "PALETTE COLOR", "YBR_FULL", "YBR_FULL_422", "MONOCHROME1", "RGB"),
    "NumberOfFrames": (0, 1, 2, -1, 2**31 - 1),
    "WindowCenter": (0, -1e300, [1, 2], "1e400"),
    "WindowWidth": (0, -1, 1e-300, [1, 2, 3]),
    "RescaleSlope": (0, -1, 1e300),
    "RescaleIntercept": (0, 1e300),
}
SLIDE_TAGS: Mapping[int, tuple[Any, ...]] = {
    256: (0, 1, 63, 65_535),
    257: (0, 1, 63, 65_535),
    258: (0, 1, 9, 16),
    259: (0, 1, 2, 5, 6, 7, 8, 33_003, 34_712, 50_001),
    262: (0, 1, 3, 5, 6, 8),
    277: (0, 1, 2, 4, 65_535),
    284: (0, 2, 3),
    322: (0, 1, 15, 17, 65_535),
    323: (0, 1, 15, 17, 65_535),
    324: (0, 8, 2**31),
    325: (0, 1, 2**31),
    330: (0, 8, 2**31),
}
NAMES = ("", "a/../b", "/a", "C:a", "a\\b", "a\0b", "\u202e", "a" * 70_000, "é", "A.csv", "a.csv/")


def table(random: Random) -> bytes:
    """Predictions for the ISIC Challenge."""
    ids = list(category_tables.IDS)
    random.shuffle(ids)
    rows = [list(map(str, row)) for row in category_tables.prediction_rows(ids)]
    rows.insert(0, ["image", *category_tables.CATEGORIES])
    row = random.randrange(len(rows))
    column = random.randrange(len(rows[row]))
    end, delimiter, encoding = random.choice(("\n", "\r\n", "\r")), random.choice(",,,;\t"), "utf-8"
    fault = random.randrange(9)
    if fault == 0:
        rows[row][column] = random.choice(CELLS)
    elif fault == 1:
        del rows[row][column]
    elif fault == 2:
        rows[row].insert(column, random.choice(CELLS))
    elif fault == 3:
        rows.insert(random.randrange(len(rows)), list(rows[row]))
    elif fault == 4:
        del rows[row]
    elif fault == 5:
        rows = [[*line[:column], *line[column + 1 :]] for line in rows]
    elif fault == 6:
        encoding = random.choice(("utf-8-sig", "utf-16", "utf-16-le", "latin-1"))
    text = end.join(delimiter.join(line) for line in rows) + end * random.randrange(3)
    data = text.encode(encoding, "replace")
    return touched(random, data) if fault == 7 else data


def nuclei(random: Random) -> bytes:
    """Nuclei for PUMA, in any of its three formats."""

    def ring() -> list[list[float]]:
        x, y = random.uniform(0, 99), random.uniform(0, 99)
        return [[x + random.uniform(0, 9), y + random.uniform(0, 9)] for _ in range(random.randrange(3, 9))]

    names, count = nuclei_lists.CLASSES, random.randrange(1, 5)
    kind = random.randrange(3)
    if kind == 0:
        document: Any = {
            "type": "Multiple polygons",
            "polygons": [
                {"name": random.choice(names), "path_points": ring(), "score": random.random()}
                for _ in range(count)
            ],
        }
    elif kind == 1:
        document = {"nuclei": [nuclei_lists.nucleus(random.choice(names), *ring()[0]) for _ in range(count)]}
    else:
        document = {
            "type": "FeatureCollection",
            "features": [
                {
                    "type": "Feature",
                    "geometry": {"type": "Polygon", "coordinates": [ring()]},
                    "properties": {"classification": {"name": random.choice(names)}},
                }
                for _ in range(count)
            ],
        }
    if random.random() < 0.8:
        spoil(random, document)
        return json.dumps(document).encode()
    return touched(random, json.dumps(document, indent=random.choice((None, 1))).encode())


def spoil(random: Random, document: Any) -> None:
    """Change one place of a document."""
    places: list[tuple[Any, Any]] = []
    stack = [document]
    while stack:
        node = stack.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        places += [(node, key) for key in keys]
        stack += [node[key] for key in keys]
    node, key = random.choice(places)
    fault = random.randrange(4)
    if fault < 2:
        node[key] = deepcopy(random.choice(VALUES))
    elif fault == 2:
        del node[key]
    elif isinstance(node, dict):
        node[random.choice(("name", "class", "type", "x", "polygons"))] = node.pop(key)
    else:
        node.insert(key, node[key])


def archive(random: Random) -> bytes:
    """A zip of which one field, or one byte of its directory, is another."""
    members: list[Any] = [
        {
            "name": f"{random.choice(('', 'd/'))}m{i}.csv",
            "data": random.randbytes(random.randrange(99)),
            "method": random.choice((archives.STORED, archives.DEFLATED)),
        }
        for i in range(random.randrange(1, 5))
    ]
    one = random.choice(members)
    field = random.choice(
        ("name", "size", "packed_size", "checksum", "flags", "method", "attributes", "offset", "")
    )
    if field == "name":
        one["name"] = random.choice(NAMES)[:60_000]
    elif field == "method":
        one["method"] = random.choice((1, 9, 12, 14, 99))
    elif field:
        one[field] = abs(random.choice(NUMBERS)) % (1 << 16 if field == "flags" else 1 << 31)
    data = archives.archive(
        [Member(**m) for m in members], comment=random.randbytes(random.choice((0, 0, 9)))
    )
    return data if field else touched(random, data, last=120)


def mask(random: Random) -> bytes:
    """A mask for HECKTOR with one field of its header, or one byte, changed."""
    fields: dict[str, Any] = {}
    name = random.choice(
        (
            "dim",
            "datatype",
            "bitpix",
            "pixdim",
            "vox_offset",
            "scl_slope",
            "scl_inter",
            "qform_code",
            "sform_code",
            "srow_x",
            "quatern_b",
            "magic",
            "",
            "",
        )
    )
    if name == "dim":
        fields[name] = [random.choice((3, 3, 4, 7, -1)), *random.choices((3, 2, 2, 1, 0, -1, 32_767), k=7)]
    elif name in ("pixdim", "srow_x"):
        fields[name] = random.choices((0, 1, -1, 3, float("nan"), 1e30), k=8 if name == "pixdim" else 4)
    elif name == "magic":
        fields[name] = random.choice((b"ni1\0", b"n+2\0", b"\0\0\0\0"))
    elif name in ("datatype", "bitpix", "qform_code", "sform_code"):
        fields[name] = random.choice(NUMBERS[:8])
    elif name == "vox_offset":
        fields[name] = random.choice((0, 1, -1, 352, 10**9))
    elif name:
        fields[name] = random.choice((0, 1, -1, 0.5, 1e9, float("nan"), float("inf")))
    dtype = random.choice(("<u1", "<i2", ">i2", "<f4", "<f8"))
    data = volumes.nifti(
        inputs.TUMOUR, dtype=dtype, version=1 if name == "magic" else random.choice((1, 2)), fields=fields
    )
    if not name and random.random() < 0.5:
        data = volumes.metaimage(inputs.TUMOUR, dtype=dtype, packed=random.random() < 0.5)
    data = volumes.zipped(data) if random.random() < 0.5 else data
    return data if name else touched(random, data)


def model(random: Random) -> bytes:
    """A network of which one field is another."""
    names = sorted(MODELS)
    proto = onnx.ModelProto.FromString(MODELS[random.choice(names)])
    message = random.choice(list(walk(proto)))
    present = message.ListFields()
    if not present or random.random() < 0.2:
        return touched(random, proto.SerializeToString())
    field, value = random.choice(present)
    if field.is_repeated:
        kept = list(value)
        random.shuffle(kept)
        message.ClearField(field.name)
        getattr(message, field.name).extend(kept[: random.randrange(len(kept) + 1)])
    elif field.message_type is not None or random.random() < 0.5:
        message.ClearField(field.name)
    elif isinstance(value, int):
        with contextlib.suppress(ValueError):  # some numbers name something
            setattr(message, field.name, random.choice(NUMBERS[:5]))
    elif isinstance(value, str):
        setattr(message, field.name, random.choice(("", "Loop", "x", "Softmax")))
    return proto.SerializeToString()


def picture(random: Random) -> bytes:
    """A photograph of which one byte, or one piece, is another."""
    mode, kind = random.choice(
        (
            ("RGB", "JPEG"),
            ("RGB", "PNG"),
            ("P", "PNG"),
            ("L", "TIFF"),
            ("RGB", "TIFF"),
            ("RGB", "WEBP"),
            ("RGB", "BMP"),
            ("RGB", "GIF"),
        )
    )
    written = BytesIO()
    image = Image.fromarray(photographs.quarters(random.randrange(8, 90), random.randrange(8, 90))).convert(
        mode
    )
    image.save(written, kind)
    return touched(random, written.getvalue()) if random.random() < 0.9 else written.getvalue()


def clinical(random: Random) -> bytes:
    """A DICOM, HEIC or AVIF file of which one tag, byte or piece is another."""
    kind = random.choice(("DICOM", "DICOM", "HEIF", "AVIF"))
    pixels = half(random.randrange(8, 64), random.randrange(8, 64))
    if kind != "DICOM":
        return touched(random, photographs.encoded(pixels, kind))
    tag, grey = random.choice((*DICOM_TAGS, "", "")), random.random() < 0.5
    values = {tag: random.choice(DICOM_TAGS[tag])} if tag else {}
    data = dicom(pixels[..., 0] if grey else pixels, "MONOCHROME2" if grey else "RGB", **values)
    return data if tag else touched(random, data)


def pyramid(random: Random) -> bytes:
    """A slide of which one tag, byte or piece is another."""
    pixels = photographs.quarters(random.randrange(40, 150), random.randrange(40, 150))
    kind = random.choice((None, "zlib", "lzw", "jpeg", "jpeg-2000", "jpeg-2000-ycc"))
    below, bigtiff = random.random() < 0.5, random.random() < 0.3
    data = slides.pyramid(pixels, kind, random.randrange(1, 4), 32, below=below, bigtiff=bigtiff)
    code = random.choice((*SLIDE_TAGS, 0, 0, 0))
    with contextlib.suppress(KeyError, struct.error):  # a slide without the tag, or with a narrow one
        return slides.changed(data, code, random.choice(SLIDE_TAGS[code]))
    return touched(random, data)


def read_pyramid(data: bytes) -> Came:
    """Overview and region in this process: a worker would end and say so, whatever was raised."""

    def work() -> object:
        found = slide.opened(memoryview(data), 0)
        return found and slide.region(found, slide.stained(found, slide.overview(found), 64))

    return attempt(work)


def workbook(random: Random) -> bytes:
    """An Excel workbook of which one byte of one part is another."""
    rows = [line.split(",") for line in (inputs.HEADER, *inputs.ROWS)]
    with zipfile.ZipFile(BytesIO(workbooks.workbook({"a": workbooks.sheet(rows)}))) as made:
        parts = {name: made.read(name) for name in made.namelist()}
    spoilt = random.choice(["", *parts])
    if spoilt:
        parts[spoilt] = touched(random, parts[spoilt])
    return archives.archive_of(parts)


def touched(random: Random, data: bytes, last: int = 0) -> bytes:
    """Data with one byte, number or stretch changed. last: only so many bytes at its end."""
    found, at = bytearray(data), random.randrange(max(0, len(data) - last) if last else 0, max(1, len(data)))
    fault = random.randrange(5)
    if fault == 0:
        found[at : at + 1] = random.randbytes(1)
    elif fault == 1:
        found[at : at + 4] = struct.pack("<i", random.choice(NUMBERS))
    elif fault == 2:
        del found[at : at + random.randrange(1, 9)]
    elif fault == 3:
        found[at:at] = found[at : at + random.randrange(1, 99)]
    else:
        del found[at:]
    return bytes(found)


MODELS = {
    "linear": builders.classifier(),
    "image": builders.classifier(vector=False),
    **builders.architectures(),
}
Make, Read = Callable[[Random], bytes], Callable[[bytes], Came]
PARSERS: Mapping[str, tuple[Make, Read]] = {
    "table": (table, inputs.table),
    "workbook": (workbook, lambda data: inputs.table(data, name="p.xlsx")),
    "nuclei": (nuclei, inputs.nuclei),
    "zip": (archive, inputs.zipped),
    "mask": (mask, inputs.masks),
    "model": (model, inputs.model),
    "picture": (picture, inputs.picture),
    "clinical": (clinical, inputs.picture),
    "slide": (pyramid, read_pyramid),
    "table-formats": (partial(format_grammar.table, touched=touched), format_grammar.read_table),
    "exported-text": (partial(exported_grammar.table, touched=touched), format_grammar.read_table),
    "nuclei-formats": (
        partial(format_grammar.nuclei, touched=touched, spoil=spoil),
        format_grammar.read_nuclei,
    ),
    "preview": (partial(format_grammar.preview_of, touched=touched), format_grammar.read_preview),
    "declared": (partial(format_grammar.declared, touched=touched), format_grammar.read_declared),
    "nrrd": (partial(hecktor_grammar.nrrd, touched=touched), hecktor_grammar.read_nrrd),
    "survival": (partial(hecktor_grammar.survival, touched=touched), hecktor_grammar.read_survival),
    "bundle": (bundle_grammar.faulty, bundle_grammar.read),
}
