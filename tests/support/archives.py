"""Zip archives written byte by byte, also such as no ordinary program writes."""

import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

STORED, DEFLATED, DEFLATE64, BZIP2, LZMA = 0, 8, 9, 12, 14
ENCRYPTED, UTF8 = 0x1, 0x800
LINK = 0o120777 << 16


@dataclass(frozen=True)
class Member:
    """name and data as they shall stand there. size, packed_size, checksum, offset: what the directory says,
    where it is not the truth."""

    name: str | bytes
    data: bytes = b""
    method: int = DEFLATED
    flags: int = 0
    attributes: int = 0
    size: int | None = None
    packed_size: int | None = None
    checksum: int | None = None
    offset: int | None = None

    @property
    def raw_name(self) -> bytes:
        return self.name if isinstance(self.name, bytes) else self.name.encode()

    @property
    def all_flags(self) -> int:
        return self.flags | (UTF8 if isinstance(self.name, str) and not self.name.isascii() else 0)

    @property
    def packed(self) -> bytes:
        if self.method != DEFLATED:
            return self.data
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflate.compress(self.data) + deflate.flush()

    def fields(self) -> bytes:
        """What local header and directory have in common, from the flags to the length of the extra field."""
        checksum = zlib.crc32(self.data) if self.checksum is None else self.checksum
        packed_size = len(self.packed) if self.packed_size is None else self.packed_size
        size = len(self.data) if self.size is None else self.size
        return struct.pack(
            "<HHHHIIIHH",
            self.all_flags,
            self.method,
            0,
            33,
            checksum,
            packed_size,
            size,
            len(self.raw_name),
            0,
        )


def archive(members: Iterable[Member], count: int | None = None, comment: bytes = b"") -> bytes:
    """A zip of the members. count: what the end record says, where it is not the truth."""
    members, content, directory = list(members), b"", b""
    for member in members:
        offset = len(content) if member.offset is None else member.offset
        if member.offset is None:
            content += (
                b"PK\x03\x04" + struct.pack("<H", 20) + member.fields() + member.raw_name + member.packed
            )
        directory += (
            b"PK\x01\x02"
            + struct.pack("<HH", 0x314, 20)
            + member.fields()
            + struct.pack("<HHHII", 0, 0, 0, member.attributes, offset)
            + member.raw_name
        )
    number = len(members) if count is None else count
    return (
        content
        + directory
        + b"PK\x05\x06"
        + struct.pack("<HHHHIIH", 0, 0, number, number, len(directory), len(content), len(comment))
        + comment
    )


def archive_of(files: Mapping[str, bytes]) -> bytes:
    return archive(Member(name, data) for name, data in files.items())


def archive_of_folder(folder: Path) -> bytes:
    """All files below a folder, by their paths in it."""
    return archive_of(
        {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
    )
