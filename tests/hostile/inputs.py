"""The inputs of `table.tsv`, by row: each makes one submission, or one file, and says what came of it."""

import codecs
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from PIL import Image

import scoring
from scoring.inference.image_sanitizer import decoders
from scoring.inference.model_process import ImageProcess
from scoring.inference.onnx_scan import ModelRefused, scan
from scoring.inference.preprocessing import ImageUnreadable
from scoring.inference.timed_worker import Limits
from scoring.inputs.sources import open_source
from tests.inference import builders
from tests.support import archives, category_tables, nuclei_lists, patients, photographs, volumes
from tests.support.archives import Member, archive

ISIC = scoring.load_challenge("isic")
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Came:
    """What came of an input. codes: of the problems where it was refused, else of warnings and notes."""

    refused: bool
    codes: frozenset[str]
    words: str = ""
    score: float | None = None


def attempt(work: Callable[[], object]) -> Came:
    """Nothing but a refusal may come out of a reader."""
    try:
        found = work()
    except scoring.InputRefused as refused:
        return Came(True, frozenset(p.code for p in refused.problems), str(refused))
    except ImageUnreadable as unreadable:
        return Came(True, frozenset({"image-unreadable"}), str(unreadable))
    except ModelRefused as refused:
        return Came(True, frozenset({refused.code}), refused.message)
    findings = getattr(found, "findings", ())
    words = " ".join(finding.message for finding in findings)
    return Came(False, frozenset(f.code for f in findings), words, getattr(found, "score", None))


def table(data: bytes, ids: tuple[str, ...] = category_tables.IDS, name: str = "p.csv") -> Came:
    """Predictions for the ISIC Challenge."""

    def work() -> object:
        truth = ISIC.read_truth(category_tables.truth(ids), name="t.csv")
        return ISIC.score(truth, ISIC.read_predictions(data, truth, name), resamples=0)

    return attempt(work)


def nuclei(data: bytes) -> Came:
    """A file of nuclei for PUMA."""

    def work() -> object:
        challenge, cases = nuclei_lists.CHALLENGE, nuclei_lists.files({"roi": NUCLEI})
        truth = challenge.read_truth(cases, name="truth")
        predictions = challenge.read_predictions({"roi.json": data}, truth, name="submission")
        return challenge.score(truth, predictions, resamples=0)

    return attempt(work)


def masks(data: bytes, name: str = "p1.nii.gz") -> Came:
    """A mask for HECKTOR."""

    def work() -> object:
        truth = patients.CHALLENGE.read_truth(patients.truth_folder([], {"p1": TUMOUR}))
        submission = {f"masks/{name}": data}
        return patients.CHALLENGE.score(
            truth, patients.CHALLENGE.read_predictions(submission, truth), resamples=0
        )

    return attempt(work)


def zipped(data: bytes) -> Came:
    """A zip, with all that is in it."""

    def work() -> object:
        files = open_source(data, "p.zip")
        for member in files.members:
            files.read(member)
        return files

    return attempt(work)


@cache
def decoder(modules: tuple[str, ...]) -> ImageProcess:
    return ImageProcess(Limits(decoders=modules))


def picture(data: bytes) -> Came:
    """A photograph."""
    return attempt(partial(decoder(decoders(data)).upright, data))


def model(data: bytes) -> Came:
    """A model, up to the scan."""
    return attempt(partial(scan, data))


NUCLEI = [nuclei_lists.nucleus("tumor", 10, 10), nuclei_lists.nucleus("lymphocytes", 40, 40)]
TUMOUR = patients.labels(1, 1, 2)
TEXT = category_tables.predictions().decode()
HEADER, *ROWS = TEXT.splitlines()
SQUARE = [[8, 8], [12, 8], [12, 12], [8, 12]]


def csv(*rows: str, header: str = HEADER, end: str = "\n") -> bytes:
    return end.join([header, *rows, ""]).encode()


def first(cell: str, place: int = 1) -> bytes:
    """The table with another cell in its first row."""
    cells = ROWS[0].split(",")
    cells[place] = cell
    return csv(",".join(cells), *ROWS[1:])


def named(ids: tuple[str, ...]) -> Came:
    return table(category_tables.predictions(ids), ids)


def workbook() -> bytes:
    return archives.archive_of({"[Content_Types].xml": b"<Types/>", "xl/workbook.xml": b"<workbook/>"})


SIX = ("a", "b", "c", "d", "e")
CSV: Mapping[str, Callable[[], Came]] = {
    "C1": lambda: table(b""),
    "C2": lambda: table(csv()),
    "C3": lambda: table(b"\n\n \n"),
    "C4": lambda: table(codecs.BOM_UTF8 + TEXT.encode()),
    "C5": lambda: table(TEXT.replace(",", ";").encode()),
    "C6": lambda: table(TEXT.replace(",", ";").replace("0.", "0,").encode()),
    "C7": lambda: table(TEXT.replace(",", "\t").encode()),
    "C8": lambda: table(b"sep=;\n" + TEXT.replace(",", ";").encode()),
    "C9": lambda: table(first('"1,000"')),
    "C10": lambda: table(first("80%")),
    "C11": lambda: table(csv(*ROWS, ROWS[0].replace("0.8", "0.7"))),
    "C12": lambda: table(csv(*ROWS, ROWS[0])),
    "C13": lambda: table(csv(*ROWS[3:])),
    "C14": lambda: table(csv(*ROWS, "ISIC_99,0.8,0.1,0.1")),
    "C15": lambda: table(csv(*reversed(ROWS))),
    "C16": lambda: named(("00123", "00124", *SIX[:4])),
    "C17": lambda: named(("NA", "null", "nan", *SIX[:3])),
    "C18": lambda: named(("1E5", "1e5x", *SIX[:4])),
    "C19": lambda: table(TEXT.replace("ISIC_1,", " ISIC_1 ,").encode()),
    "C20": lambda: table(TEXT.replace("ISIC_", "isic_").encode()),
    "C21": lambda: table("\n".join(line.replace(",", ".jpg,", 1) for line in TEXT.splitlines()).encode()),
    "C22": lambda: table(TEXT.replace("ISIC_1,", ",").encode()),
    "C23": lambda: table(first("NaN")),
    "C24a": lambda: table(first("inf")),
    "C24b": lambda: table(first("1e400")),
    "C25": lambda: table(first("")),
    "C26": lambda: table(first("high")),
    "C27a": lambda: table(first("1_0")),
    "C27b": lambda: table(first("٠٫٨")),
    "C27c": lambda: table(first("−0.2")),
    "C27d": lambda: table(first("０.８")),
    "C27e": lambda: table(first("0x1")),
    "C28a": lambda: table(first("1.5")),
    "C28b": lambda: table(first("-0.2")),
    "C29": lambda: table(first("0.7")),
    "C30": lambda: table(TEXT.replace("BCC", "BCD").encode()),
    "C31": lambda: table(
        "\n".join(f"{line},{'x' if line == HEADER else 1}" for line in (HEADER, *ROWS)).encode()
    ),
    "C32": lambda: table(TEXT.replace(",NV,", ",MEL,").encode()),
    "C33": lambda: table(TEXT.replace("MEL,", " mel ,", 1).encode()),
    "C34": lambda: table(csv(*ROWS[1:], header=ROWS[0])),
    "C35": lambda: table(
        "\n".join(f"{'' if i == 0 else i - 1},{line}" for i, line in enumerate((HEADER, *ROWS))).encode()
    ),
    "C36": lambda: table(csv(ROWS[0] + ",", *ROWS[1:])),
    "C37": lambda: table(csv(ROWS[0].rsplit(",", 1)[0], *ROWS[1:])),
    "C38": lambda: table(csv('"' + ROWS[0], *ROWS[1:])),
    "C39": lambda: table(csv('"ISIC\n_1",0.8,0.1,0.1', *ROWS[1:])),
    "C40a": lambda: table(TEXT.replace("\n", "\r").encode()),
    "C40b": lambda: table(TEXT.replace("\n", "\r\n", 3).encode()),
    "C41a": lambda: table(TEXT.encode("utf-16")),
    "C41b": lambda: table(TEXT.encode("utf-16-le")),
    "C42": lambda: table(TEXT.replace("ISIC_1", "größe").encode("latin-1")),
    "C43a": lambda: table(TEXT.replace("ISIC_1", "ISIC\0").encode()),
    "C43b": lambda: table(workbook()),
    "C43c": lambda: table(b'{"a": 1}'),
    "C43d": lambda: table(b"<html><body>"),
    "C43e": lambda: table(gzip.compress(TEXT.encode())),
    "C44a": lambda: table(csv() + b"a,1,0,0\n" * 10_000_000),
    "C44b": lambda: table(b"," * 1_000_000 + b"\n" + b"," * 1_000_000),
    "C44c": lambda: table(csv(header="x" * 150 * MEGABYTE)),
    "C44d": lambda: table(b"," * 499 + b"\n" + (b"," * 499 + b"\n") * 380_000),
    "C44e": lambda: table(csv() + b"".join(b"I%d,1,0,0\n" % i for i in range(999_000))),
}


def listed(*polygons: object, **more: object) -> bytes:
    return json.dumps({"type": "Multiple polygons", "polygons": list(polygons), **more}).encode()


def polygon(name: object = "tumor", points: object = SQUARE, **more: object) -> dict[str, object]:
    return {"name": name, "path_points": points, **more}


GOOD = listed(polygon())
JSON: Mapping[str, Callable[[], Came]] = {
    "J1": lambda: nuclei(b""),
    "J2": lambda: nuclei(GOOD[: len(GOOD) // 2]),
    "J3": lambda: nuclei(GOOD.replace(b"]}]}", b"]},]}")),
    "J4": lambda: nuclei(GOOD.replace(b'"', b"'")),
    "J5": lambda: nuclei(b"// nuclei\n" + GOOD),
    "J6": lambda: nuclei(GOOD + b"\n" + GOOD),
    "J7": lambda: nuclei(GOOD + GOOD),
    "J8a": lambda: nuclei(b"3"),
    "J8b": lambda: nuclei(b"[]"),
    "J9": lambda: nuclei(listed(polygon(points=[[float("nan"), 1], [2, 2], [3, 1]]))),
    "J10": lambda: nuclei(GOOD.replace(b"12", b"1e999", 1)),
    "J11": lambda: nuclei(b"[" * 100_000),
    "J12": lambda: nuclei(b'{"polygons": ' + b"[" * 1000 + b"]" * 1000 + b"}"),
    "J13": lambda: nuclei(GOOD.replace(b"12", b"1" * 5000, 1)),
    "J14": lambda: nuclei(b'{"polygons": [], "polygons": [], "type": "x"}'),
    "J15": lambda: nuclei(codecs.BOM_UTF8 + GOOD),
    "J16": lambda: nuclei(GOOD.decode().encode("utf-16")),
    "J17": lambda: nuclei(GOOD.replace(b'"tumor"', b'"\\ud800"')),
    "J18a": lambda: nuclei(b'{"polygons": null}'),
    "J18b": lambda: nuclei(b'{"polygons": {}}'),
    "J18c": lambda: nuclei(b'{"polygons": ["a"]}'),
    "J19a": lambda: nuclei(listed(polygon(3))),
    "J19b": lambda: nuclei(listed(polygon("unheard of"))),
    "J19c": lambda: nuclei(listed(polygon("Tumor"))),
    "J19d": lambda: nuclei(listed(polygon(" tumor"))),
    "J20": lambda: nuclei(listed({"path_points": SQUARE})),
    "J21a": lambda: nuclei(listed(polygon(points=[]))),
    "J21b": lambda: nuclei(listed(polygon(points=SQUARE[:2]))),
    "J22a": lambda: nuclei(listed(polygon(points=[[1, 2], [3], [4, 5]]))),
    "J22b": lambda: nuclei(listed(polygon(points=[["1", "2"]] * 3))),
    "J23": lambda: nuclei(listed(polygon(points=[[None, 1], [2, 2], [3, 1]]))),
    "J24": lambda: nuclei(listed(polygon(points=[[1e7, 1], [1e7, 2], [1e7 + 3, 1]]))),
    "J25": lambda: nuclei(listed(polygon(points=[[0, 0], [4, 4], [4, 0], [0, 4]]))),
    "J26": lambda: nuclei(
        listed(polygon(points=np.random.default_rng(0).uniform(0, 99, (6000, 2)).tolist()))
    ),
    "J27": lambda: nuclei(
        listed(polygon(points=np.random.default_rng(0).uniform(0, 99, (300_000, 2)).tolist()))
    ),
    "J28a": lambda: nuclei(listed(polygon(score="0.9"))),
    "J28b": lambda: nuclei(listed(polygon(score=7))),
    "J29": lambda: nuclei(listed(*[polygon(points=[[5, 5], [6, 5], [5, 6]])] * 20_001)),
    "J30": lambda: nuclei(listed(polygon(), nuclei=[])),
    "J31": lambda: nuclei(b"[" * 128_000_000),
}

ZIP: Mapping[str, Callable[[], Came]] = {
    "Z1": lambda: zipped(b""),
    "Z2": lambda: zipped(archives.archive_of({"a.csv": b"x" * 999})[:-30]),
    "Z3a": lambda: zipped(b"7z\xbc\xaf\x27\x1c" + bytes(99)),
    "Z3b": lambda: zipped(b"Rar!\x1a\x07\x00" + bytes(99)),
    "Z3c": lambda: zipped(gzip.compress(bytes(99))),
    "Z4": lambda: table(archive([]), name="p.zip"),
    "Z5": lambda: table(archives.archive_of({"notes.md": b"x"}), name="p.zip"),
    "Z6": lambda: table(archives.archive_of({"team/p.csv": TEXT.encode()}), name="p.zip"),
    "Z7": lambda: table(archives.archive_of({"a.csv": TEXT.encode(), "b.csv": TEXT.encode()}), name="p.zip"),
    "Z8": lambda: zipped(archives.archive_of({"../a.csv": b"x"})),
    "Z9": lambda: zipped(archives.archive_of({"/etc/passwd": b"x"})),
    "Z10": lambda: zipped(archives.archive_of({"..\\a.csv": b"x"})),
    "Z11": lambda: zipped(archives.archive_of({"C:\\a.csv": b"x"})),
    "Z12": lambda: zipped(archive([Member("a.csv", b"/etc/passwd", attributes=archives.LINK)])),
    "Z13": lambda: zipped(archive([Member("a\0.csv", b"x")])),
    "Z14": lambda: zipped(archives.archive_of({"gpj.\u202ecsv": b"x"})),
    "Z15": lambda: zipped(archives.archive_of({"a\n.csv": b"x"})),
    "Z16": lambda: zipped(archive([Member(b"\xff\xfe.csv", b"x", flags=archives.UTF8)])),
    "Z17": lambda: zipped(archive([Member("结果.csv".encode("gbk"), b"x")])),
    "Z18a": lambda: zipped(archive([Member("a.csv", b"x"), Member("a.csv", b"y")])),
    "Z18b": lambda: zipped(archive([Member("a.csv", b"x"), Member("A.csv", b"y")])),
    "Z19": lambda: table(
        archives.archive_of({"p.csv": TEXT.encode(), "__MACOSX/p.csv": b"x", ".DS_Store": b"x"}), name="p.zip"
    ),
    "Z20": lambda: zipped(archive([Member("a.csv", b"x", flags=archives.ENCRYPTED)])),
    "Z21": lambda: zipped(archive([Member("a.csv", b"x", method=archives.DEFLATE64)])),
    "Z22": lambda: zipped(archive([Member("a.csv", b"x", checksum=1)])),
    "Z23": lambda: zipped(archive([Member("a.csv", b"x", size=2_000_000_000)])),
    "Z24": lambda: table(
        archives.archive_of({"p.zip": archives.archive_of({"p.csv": TEXT.encode()})}), name="p.zip"
    ),
    "Z25": lambda: zipped(
        archive([Member("a.csv", b"x" * 99), *(Member(f"{i}.csv", b"x" * 99, offset=0) for i in range(50))])
    ),
    "Z26": lambda: zipped(archive([Member(f"{i}", b"") for i in range(20_001)])),
    "Z27": lambda: zipped(archive([Member("a.csv", b"x", method=archives.LZMA)])),
    "Z28": lambda: table(archives.archive_of({"d/" * 2000 + "p.csv": TEXT.encode()}), name="p.zip"),
    "Z29": lambda: zipped(archive([Member("a.csv", b"x")], count=0xFFFF)),
    "Z30": lambda: zipped(
        photographs.encoded(photographs.quarters(64, 48)) + archives.archive_of({"a.csv": b"x"})
    ),
    "Z31": lambda: zipped(bomb(400 * MEGABYTE)),
    "Z32": lambda: zipped(quine()),
}


def bomb(size: int) -> bytes:
    """A zip of some 400 KB that unpacks to zeros without end."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made, made.open("a.csv", "w") as member:
        for _ in range(size // MEGABYTE):
            member.write(bytes(MEGABYTE))
    return packed.getvalue()


def quine() -> bytes:
    """A zip inside a zip, as those that hold themselves: none inside is ever opened."""
    inner = archives.archive_of({"r.zip": bytes(99)})
    for _ in range(50):
        inner = archives.archive_of({"r.zip": inner})
    return inner


def png(width: int, height: int, bits: int = 8, colour: int = 2, is_whole: bool = False) -> bytes:
    """A PNG that says it is large and holds next to nothing, or all of its black pixels (of one channel)."""
    import struct
    import zlib

    head = struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0)
    rows = bytes((width * bits // 8 + 1) * height if is_whole else 64)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


def saved(image: Image.Image, kind: str, **options: object) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


def photograph(kind: str = "PNG", **options: object) -> bytes:
    return saved(Image.fromarray(photographs.quarters(96, 80)), kind, **options)


def in_mode(mode: str, kind: str = "PNG") -> bytes:
    return saved(Image.fromarray(photographs.quarters(96, 80)).convert(mode), kind)


def pages(kind: str, sizes: tuple[int, ...]) -> bytes:
    frames = [Image.fromarray(photographs.quarters(side, side)) for side in sizes]
    return saved(frames[0], kind, save_all=True, append_images=frames[1:])


IMAGE: Mapping[str, Callable[[], Came]] = {
    "I1": lambda: picture(b""),
    "I2a": lambda: picture(b"<html>"),
    "I2b": lambda: picture(b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "I3": lambda: picture(photograph("JPEG")[:900]),
    "I4": lambda: picture(photograph()[:200]),
    "I5": lambda: picture(png(13_400, 13_400)),
    "I6": lambda: picture(png(30_000, 30_000)),
    "I7": lambda: picture(png(1, 180_000_000)),
    "I11": lambda: picture(photographs.animated("GIF")),
    "I12": lambda: picture(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"),
    "I13a": lambda: picture(photographs.animated("PNG")),
    "I13b": lambda: picture(photographs.animated("WEBP")),
    "I14": lambda: picture(photographs.sixteen_bits("PNG")),
    "I16": lambda: picture(in_mode("CMYK", "JPEG")),
    "I17": lambda: picture(in_mode("P")),
    "I18": lambda: picture(in_mode("RGBA")),
    "I19a": lambda: picture(in_mode("LA")),
    "I19b": lambda: picture(in_mode("1")),
    "I20": lambda: picture(photographs.phone(photographs.quarters(96, 80))),
    "I21": lambda: picture(photograph("JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\x7f")),
    "I23": lambda: picture(pages("TIFF", (80, 80))),
    "I25": lambda: picture(pages("TIFF", (16, 80))),
    "I26": lambda: picture(saved(Image.fromarray(np.ones((80, 96), np.float32)), "TIFF")),
    "I27": lambda: picture(
        b"II*\0\x08\0\0\0\x02\0" + b"\0\1\4\0\1\0\0\0\0\0\x10\0" + b"\1\1\4\0\1\0\0\0\0\0\x10\0" + bytes(4)
    ),
    "I31": lambda: picture(photograph("JPEG", icc_profile=bytes(200_000))),
}


def nifti(**more: object) -> bytes:
    return volumes.zipped(volumes.nifti(TUMOUR, **more))


def header(**fields: object) -> bytes:
    return volumes.zipped(volumes.nifti(TUMOUR, fields=fields))


def flipped() -> bytes:
    affine = volumes.AFFINE @ np.diag([-1.0, 1, 1, 1])
    affine[:3, 3] = (volumes.AFFINE @ [TUMOUR.shape[0] - 1, 0, 0, 1])[:3]
    return volumes.zipped(volumes.nifti(TUMOUR[::-1], affine))


NIFTI: Mapping[str, Callable[[], Came]] = {
    "N0": lambda: masks(nifti()),
    "N1": lambda: masks(b""),
    "N2": lambda: masks(bytes(128) + b"DICM" + bytes(400)),
    "N3": lambda: masks(volumes.nifti(TUMOUR)),
    "N4": lambda: masks(nifti(), "p1.nii"),
    "N5": lambda: masks(nifti()[:-20]),
    "N6": lambda: masks(nifti()[:-8] + bytes(8)),
    "N7": lambda: masks(
        volumes.zipped(
            volumes.nifti(np.zeros((2, 2, 2), np.uint8), fields={"dim": [3, 1000, 1000, 1000, 1, 1, 1, 1]})
            + bytes(50 * MEGABYTE),
            9,
        )
    ),
    "N8": lambda: masks(header(dim=[3, 30_000, 30_000, 1000, 1, 1, 1, 1])),
    "N8b": lambda: masks(header(dim=[7] + [32_767] * 7)),
    "N8c": lambda: masks(header(vox_offset=1e9)),
    "N9": lambda: masks(header(dim=[3, 2, 2, 1, 1, 1, 1, 1])),
    "N10": lambda: masks(header(dim=[3, -3, 2, 2, 1, 1, 1, 1])),
    "N11": lambda: masks(patients.mask(np.zeros((4, 4, 4), np.uint8))),
    "N12": lambda: masks(patients.mask(TUMOUR[:, :, :1])),
    "N13": lambda: masks(patients.mask(TUMOUR[..., None])),
    "N14": lambda: masks(patients.mask(np.stack([TUMOUR, TUMOUR], 3))),
    "N15": lambda: masks(flipped()),
    "N16": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR, np.diag([2.0, 2, 2, 1])))),
    "N17": lambda: masks(header(srow_x=[np.nan] * 4)),
    "N18": lambda: masks(header(pixdim=[1, 2, 2, 2, 0, 0, 0, 0])),
    "N19a": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR * 0.999, dtype="<f4"))),
    "N19b": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR * 0.5, dtype="<f4"))),
    "N20": lambda: masks(
        volumes.zipped(volumes.nifti(np.random.default_rng(0).random(TUMOUR.shape), dtype="<f4"))
    ),
    "N21": lambda: masks(patients.mask(np.where(TUMOUR == 2, 7, TUMOUR).astype(np.uint8))),
    "N22": lambda: masks(volumes.zipped(volumes.nifti(np.where(TUMOUR == 2, np.nan, TUMOUR), dtype="<f4"))),
    "N23": lambda: masks(header(datatype=128, bitpix=24)),
    "N24a": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR, dtype=">i2"))),
    "N24b": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR, version=2))),
    "N24c": lambda: masks(volumes.zipped(volumes.nifti(TUMOUR * 2, slope=0.5))),
    "N24d": lambda: masks(b"\x89HDF\r\n\x1a\n" + bytes(400)),
}
CLASSIFIER = builders.classifier()
ONNX: Mapping[str, Callable[[], Came]] = {
    "O1": lambda: model(b""),
    "O2": lambda: model(b"\x80\x04\x95" + bytes(99)),
    "O3": lambda: model(archives.archive_of({"archive/data.pkl": b"x"})),
    "O4": lambda: model(b"\x89HDF\r\n\x1a\n" + bytes(99)),
    "O5": lambda: model(b"<!doctype html>"),
    "O6": lambda: model(CLASSIFIER[: len(CLASSIFIER) // 2]),
    "O8": lambda: model(np.random.default_rng(0).bytes(10_000)),
    "O12": lambda: model(builders.external_initializer("../../etc/passwd")),
    "O13": lambda: model(builders.external_initializer("/etc/passwd")),
    "O14": lambda: model(builders.external_initializer(".streamlit/secrets.toml")),
    "O15": lambda: model(builders.external_initializer("other.onnx")),
    "O16": lambda: model(builders.external_constant("x")),
    "O17": lambda: model(builders.external_in_branch("x")),
    "O18": lambda: model(builders.external_in_function("x")),
    "O19": lambda: model(builders.external_in_sparse("x")),
    "O20": lambda: model(builders.external_initializer("*/_ORT_MEM_ADDR_/*")),
    "O23": lambda: model(builders.sparse_bomb()),
    "O28": lambda: model(builders.function_bomb()),
    "O29": lambda: model(builders.recursive_function()),
    "O30": lambda: model(builders.chain(60_000)),
    "O31": lambda: model(builders.custom_operator()),
}
INPUTS: Mapping[str, Callable[[], Came]] = {**ONNX, **ZIP, **IMAGE, **CSV, **JSON, **NIFTI}
