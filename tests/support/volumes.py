"""Label maps written as files, also such as no ordinary program writes. Arrays are [x, y, z]; affines lead
from index to mm in RAS."""

import gzip
import io
import itertools
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping

import nibabel
import numpy as np

AFFINE = np.array([[0.98, 0, 0, -120.0], [0, 0.98, 0, 30], [0, 0, 3, -5], [0, 0, 0, 1]])
RAS_FROM_LPS = np.diag([-1.0, -1.0, 1.0, 1.0])
TYPES = {
    "u1": "MET_UCHAR",
    "i1": "MET_CHAR",
    "i2": "MET_SHORT",
    "u2": "MET_USHORT",
    "i4": "MET_INT",
    "u4": "MET_UINT",
    "f4": "MET_FLOAT",
}
TYPES |= {"i8": "MET_LONG_LONG", "u8": "MET_ULONG_LONG", "f8": "MET_DOUBLE"}

WAYS = [
    (axes, back)
    for axes in itertools.permutations(range(3))
    for back in itertools.product((False, True), repeat=3)
]
"""Every way to store an array: its axes reordered, then each reversed or not."""


def opener(data: bytes) -> Callable[[], io.BytesIO]:
    return lambda: io.BytesIO(data)


def random_labels(random: np.random.Generator, shape: tuple[int, ...], filled: float = 0.5) -> np.ndarray:
    """Labels 0, 1, 2, of which the share `filled` is not 0."""
    return np.where(random.random(shape) < filled, random.integers(1, 3, shape), 0).astype(np.uint8)


def counted(true: np.ndarray, guess: np.ndarray) -> list[list[int]]:
    """Voxels by true label (rows) and guessed label, one after the other."""
    pairs = Counter(zip(true.ravel().tolist(), guess.ravel().tolist(), strict=True))
    return [[pairs[row, column] for column in range(3)] for row in range(3)]


def nifti(
    labels: np.ndarray,
    affine: np.ndarray = AFFINE,
    dtype: str = "<u1",
    version: int = 1,
    slope: float = float("nan"),
    intercept: float = 0,
    extension: bytes = b"",
    fields: Mapping[str, object] | None = None,
) -> bytes:
    """An uncompressed .nii that holds `labels` as they are, with a header of that scaling; `fields` of the
    header are overwritten at last."""
    kind = (nibabel.Nifti1Image, nibabel.Nifti2Image)[version - 1]
    header = kind.header_class(endianness=dtype[0])
    header.set_data_dtype(np.dtype(dtype))
    header.set_data_shape(labels.shape)
    header.set_sform(affine, 1)
    header.set_qform(affine, 1, strip_shears=True)
    if extension:
        header.extensions.append(nibabel.nifti1.Nifti1Extension(6, extension))
    header.set_data_offset(0)
    header["magic"] = header.single_magic
    begin = (352, 544)[version - 1]
    header["vox_offset"] = begin + header.extensions.get_sizeondisk()
    header["scl_slope"], header["scl_inter"] = slope, intercept
    for name, value in (fields or {}).items():
        header[name] = value
    written = io.BytesIO()
    written.write(header.binaryblock)
    written.write(b"\1\0\0\0" if extension else b"\0\0\0\0")
    header.extensions.write_to(written, byteswap=dtype[0] != "<")
    return written.getvalue() + labels.astype(dtype).tobytes(order="F")


def metaimage(
    labels: np.ndarray,
    affine: np.ndarray = AFFINE,
    dtype: str = "<u1",
    packed: bool = False,
    **entries: object,
) -> bytes:
    """A .mha as ITK writes it, raw or compressed; `entries` replace lines of the header, None leaves them
    out."""
    data = labels.astype(dtype).tobytes(order="F")
    data = zlib.compress(data) if packed else data
    placed = RAS_FROM_LPS @ affine
    spacing = np.linalg.norm(placed[:3, :3], axis=0)
    header = {
        "ObjectType": "Image",
        "NDims": labels.ndim,
        "BinaryData": True,
        "BinaryDataByteOrderMSB": dtype[0] == ">",
        "CompressedData": packed,
        "CompressedDataSize": len(data) if packed else None,
        "TransformMatrix": spaced((placed[:3, :3] / spacing).T.ravel()),
        "Offset": spaced(placed[:3, 3]),
        "CenterOfRotation": "0 0 0",
        "AnatomicalOrientation": "RAI",
        "ElementSpacing": spaced(spacing),
        "DimSize": spaced(labels.shape),
        "ElementType": TYPES[dtype[1:]],
    } | entries
    lines = "".join(f"{name} = {value}\n" for name, value in header.items() if value is not None)
    return (lines + "ElementDataFile = LOCAL\n").encode() + data


def zipped(data: bytes, level: int = 1) -> bytes:
    return gzip.compress(data, level, mtime=0)


def spaced(numbers) -> str:
    return " ".join(repr(number.item()) if hasattr(number, "item") else str(number) for number in numbers)


def nrrd(values, names=(), offset=(0, 0, 0), encoding="gzip", space="left-posterior-superior", **changes):
    """An NRRD of a part of a volume that begins at `offset`, as vtkMRMLSegmentationStorageNode of Slicer
    writes it; names: those of segments 1, 2, ..."""
    to = {"left-posterior-superior": RAS_FROM_LPS, "RAS": np.eye(4)}[space]
    affine = to @ changes.get("affine", AFFINE)
    origin = affine @ [*offset, 1]
    data = values.astype(changes.get("dtype", "u1")).tobytes(order="F")
    lines = {
        "type": changes.get("type", "unsigned char"),
        "dimension": values.ndim,
        "space": space,
        "sizes": spaced(values.shape),
        "space directions": " ".join(f"({','.join(map(repr, v))})" for v in affine[:3, :3].T.tolist()),
        "kinds": "domain domain domain",
        "endian": "little",
        "encoding": encoding,
        "space origin": f"({','.join(map(repr, origin[:3].tolist()))})",
    } | changes.get("lines", {})
    text = "NRRD0004\n# a comment\n" + "".join(f"{k}: {v}\n" for k, v in lines.items() if v is not None)
    for number, name in enumerate(names):
        text += f"Segment{number}_Name:={name}\nSegment{number}_LabelValue:={number + 1}\n"
        text += f"Segment{number}_Layer:={number if changes.get('layers') else 0}\n"
    if names:
        text += f"Segmentation_ReferenceImageExtentOffset:={spaced(offset)}\n"
    if groups := changes.get("groups"):
        text += f"org.mitk.multilabel.segmentation.labelgroups:={json.dumps(groups)}\n"
    return text.encode() + b"\n" + (gzip.compress(data) if encoding in ("gzip", "gz") else data)
