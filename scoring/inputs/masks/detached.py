"""Volumes in two files, a header and its voxels, are read as one file: NIfTI pairs, MetaImage, NRRD.

The voxels are in the file that the header names. If there is no such file, they are in the file with the same
name as the header and another extension. Both files are in one folder.
"""

import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from scoring.inputs.inflate import ByteFile, GzipFile, Inflated, gunzipped
from scoring.inputs.masks.blocks import opened
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.joined import made_file
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.sources import SourceFiles

WHOLE = {".hdr": ".nii", ".mhd": ".mha", ".nhdr": ".nrrd"}
"""Extension of a header file -> extension of the single file that replaces header and voxels."""
VOXELS = (".img.gz", ".img", ".raw.gz", ".raw", ".zraw")
ENDINGS = (*MASK_ENDINGS, *WHOLE, *VOXELS)
"""Extensions of masks, headers and voxel files."""
HEADER_BYTES, PIECE = 1 << 20, 1 << 20
NAMES_VOXELS = re.compile(rb"^[ \t]*(?:ElementDataFile\s*=|data ?file:)[ \t]*([^\r\n]*)\r?\n?", re.M | re.I)
IS_PACKED = re.compile(
    rb"^[ \t]*(?:CompressedData\s*=\s*True|encoding:[ \t]*gz(?:ip)?)[ \t]*\r?$", re.M | re.I
)
PACKED_SIZE = re.compile(
    rb"^[ \t]*CompressedDataSize[ \t]*=[ \t]*+([^\s]*+(?:[ \t]++[^\s]++)*+)[ \t]*\r?$", re.M
)
IS_LATE = re.compile(rb"^[ \t]*HeaderSize\s*=\s*-?[1-9]", re.M)
LOCAL = b"local"


class _Kind(NamedTuple):
    """A NIfTI header: its bytes, format of its voxels' first byte, that byte's place, magic and its place."""

    length: int
    offset: str
    at: int
    magic: tuple[bytes, bytes]
    magic_at: int


KINDS = (
    _Kind(348, "f", 108, (b"ni1\0", b"n+1\0"), 344),
    _Kind(540, "q", 168, (b"ni2\0", b"n+2\0"), 4),
)


def attached(files: SourceFiles) -> tuple[SourceFiles, Mapping[str, tuple[str, ...]]]:
    """Join detached headers with their voxel files.

    Returns:
        The files, and the two members of each joined file.
    """
    written: dict[str, tuple[str, ...]] = {}
    for member in files.members if files.kind != "file" else ():
        path = PurePosixPath(member)
        ending = path.suffix.lower()
        name = f"{member[: -len(ending)]}{WHOLE.get(ending, '')}"
        if ending in WHOLE and name not in files.sizes:
            voxels = _voxels(files, member)
            written[name] = (member, voxels) if voxels else (member,)
    if not written:
        return files, {}
    used = {member for members in written.values() for member in members}
    sizes = {member: size for member, size in files.sizes.items() if member not in used}
    sizes |= {name: sum(files.sizes[m] for m in members) for name, members in written.items()}
    joined = replace(
        files,
        sizes=dict(sorted(sizes.items())),
        open=lambda m: made_file(partial(_pieces, files, *written[m])) if m in written else files.open(m),
    )
    return joined, written


def _voxels(files: SourceFiles, member: str) -> str | None:
    """Return the member with the voxels of a header; None without one."""
    folder, mark, _ = member.rpartition("/")
    stem = member[: -len(PurePosixPath(member).suffix)]
    try:
        named = NAMES_VOXELS.search(_header(files, member))
    except MaskError:  # told when the mask is read
        return None
    names = (
        [f"{folder}{mark}{PurePosixPath(named[1].decode('utf-8', 'replace').strip()).name}"] if named else []
    )
    names += [f"{stem}{ending}" for ending in VOXELS]
    return next((name for name in names if name in files.sizes and name != member), None)


def _header(files: SourceFiles, member: str) -> bytes:
    with opened(partial(files.open, member)) as file:
        return bytes(file.read(HEADER_BYTES))


def _pieces(files: SourceFiles, member: str, voxels: str | None = None) -> Iterator[bytes]:
    """Yield a header that says that its voxels follow, and then these, unpacked. Raises MaskError."""
    head = _header(files, member)
    named = NAMES_VOXELS.search(head)
    if named and named[1].strip().lower() == LOCAL:
        yield head
        return
    if voxels is None:
        name = named[1].decode("utf-8", "replace").strip()[:60] if named else "a .img file with the same name"
        raise MaskError(
            "unreadable-file",
            f"its voxels are missing ({name}): submit voxels and header in the same folder.",
        )
    is_packed = IS_PACKED.search(head)
    yield _nifti(head) if named is None else _text(head, named, voxels)
    with opened(partial(files.open, voxels)) as raw:
        content: ByteFile = raw
        if named is None:
            content = gunzipped(raw)
        elif is_packed:
            if head[named.start() :].lstrip()[:1] in b"Ee":
                stated = PACKED_SIZE.search(head)
                content = Inflated(raw, stated=stated[1].decode("latin-1") if stated else "")
            else:
                content = GzipFile(fileobj=raw)
        while piece := content.read(PIECE):
            yield piece


def _text(head: bytes, named: re.Match[bytes], voxels: str) -> bytes:
    """Return a header of MetaImage or NRRD with unpacked voxels after it."""
    if IS_LATE.search(head):
        raise MaskError(
            "unreadable-file", f"its voxels do not begin at the start of {voxels[-60:]}: write one .mha file."
        )
    if named[0].lstrip().lower().startswith(b"element"):
        unpacked = re.sub(rb"(?im)^[ \t]*CompressedData[^\r\n]*\r?\n", b"", head[: named.start()])
        return unpacked + b"ElementDataFile = LOCAL\n"
    others = head[: named.start()] + head[named.end() :]
    return re.sub(rb"(?im)^[ \t]*encoding:[ \t]*gz(ip)?", b"encoding: raw", others).rstrip() + b"\n\n"


def _nifti(head: bytes) -> bytes:
    """Return the header of a NIfTI pair as that of one file. Raises MaskError for another header."""
    for kind in KINDS:
        block = bytearray(head[: kind.length])
        before, after = kind.magic
        if len(block) < kind.length or bytes(block[kind.magic_at :][:4]) != before:
            continue
        order = "<" if int.from_bytes(block[:4], "little") == kind.length else ">"
        (offset,) = struct.unpack_from(order + kind.offset, block, kind.at)
        block[kind.magic_at : kind.magic_at + 4] = after
        struct.pack_into(order + kind.offset, block, kind.at, kind.length + 4 + offset)
        return bytes(block) + bytes(4)
    message = (
        "it is not a NIfTI header. Headers of Analyze 7.5 state no position of the voxels. Save the mask as "
        ".nii.gz."
    )
    raise MaskError("unreadable-file", message)
