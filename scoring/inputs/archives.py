"""Untrusted ZIP archives. They are unpacked in memory after checks against zip bombs and unsafe paths."""

import copy
import io
import re
import stat
import struct
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import normalized
from scoring.inputs.inflate import ByteFile, Inflated

MEMBERS = 20_000
MEMBER_BYTES = 500_000_000
RATIO, RATIO_FROM = 200, 50_000_000
TABLE_BYTES = 4_000_000_000
TABLE_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".geojson")
AGAIN = "Zip the folder again without password, links or nested archives."
DIRECTORY_BYTES = 16_000_000
NAME_BYTES, EXTRA_BYTES = 4_096, 2_048
"""Maximum bytes of a member's name, and of its extra fields. The time that Python's zipfile needs for extra
fields grows with the square of their size."""
ENTRY_BYTES = 46  # of a member in the directory, without its name, extra fields and comment
TAIL = 65_557  # the end record is 22 bytes and a comment of at most 65,535
UTF8 = 0x800  # the flag of a name in UTF-8; others are read as code page 437
DOCUMENTS = {
    "META-INF/manifest.xml": "an OpenDocument file, such as .ods",
    "xl/workbook.bin": "a binary Excel workbook",
    "Index/Document.iwa": "a document of Apple Numbers, Pages or Keynote",
    "word/document.xml": "a Word document",
}
"""Name of a member that occurs in documents that are zips -> kind of document, such as a Word file."""
HIDDEN = ("Cc", "Cf", "Cs", "Co")


@dataclass(frozen=True)
class Archive:
    """A zip that passed the checks of `open_archive`. `sizes` contains the unpacked bytes of each member."""

    name: str
    sizes: Mapping[str, int]
    _zip: zipfile.ZipFile
    _entries: Mapping[str, zipfile.ZipInfo]

    def read(self, member: str) -> bytes:
        """Return the unpacked bytes of a member. Raises InputRefused (`bad-zip`) if it is damaged."""
        entry = self._entries[member]
        try:
            with self._zip.open(entry) as file:
                data = file.read(min(entry.file_size, MEMBER_BYTES))
            if len(data) != entry.file_size:
                raise EOFError(f"{len(data)} bytes instead of {entry.file_size}")
            return data
        except MemoryError:
            raise
        except (
            Exception
        ) as problem:  # zipfile lets a dozen kinds through: zlib.error, EOFError, ValueError ...
            raise InputRefused(
                [_bad(f"{self.name} › {member}", f"it is damaged ({_words(problem)}). {AGAIN}")]
            ) from problem

    def open(self, member: str) -> ByteFile:
        """Open a member that is unpacked while it is read. The opened file can only be rewound to its start.
        Raises InputRefused `bad-zip` if the member cannot be opened. If its data are damaged, reading raises
        zipfile.BadZipFile, zlib.error or EOFError."""
        entry = self._entries[member]
        try:
            if entry.compress_type == zipfile.ZIP_STORED:
                return cast(io.BufferedIOBase, self._zip.open(entry))
            packed = cast(io.BufferedIOBase, self._zip.open(_as_packed(entry)))
            return io.BufferedReader(Inflated(packed, bare=True, checksum=entry.CRC, size=entry.file_size))
        except MemoryError:
            raise
        except Exception as problem:
            raise InputRefused(
                [_bad(f"{self.name} › {member}", f"it is damaged ({_words(problem)}). {AGAIN}")]
            ) from problem


def open_archive(source: Path | bytes, name: str, streamed: tuple[str, ...] = ()) -> Archive:
    """Open a zip and check every member.

    Args:
        source: Path or bytes of the zip.
        streamed: Extensions (in lower case) of members that may have any compression ratio, because they are
            never fully unpacked in memory.

    Raises:
        InputRefused: With all problems `bad-zip` and `unsafe-path`; with `unreadable-file` if the zip is a
            document of another program.
    """
    file = io.BytesIO(source) if isinstance(source, bytes) else open(source, "rb")  # noqa: SIM115  kept open: members are read later
    try:
        _check_count(file, name)
        file.seek(0)
        archive = zipfile.ZipFile(file)
        entries = archive.infolist()
        for entry in entries:
            entry.filename = _as_written(entry)
        problems = [
            *_path_problems(name, entries),
            *_content_problems(name, entries, archive.start_dir, streamed),
        ]
    except InputRefused:
        file.close()
        raise
    except Exception as problem:
        file.close()
        raise InputRefused(
            [_bad(name, f"it cannot be read as a zip ({_words(problem)}): was the upload cut off? {AGAIN}")]
        ) from problem
    if problems:
        file.close()
        raise InputRefused(problems)
    files = {normalized("NFC", e.filename): e for e in entries if not e.is_dir()}
    if kind := next((kind for member, kind in DOCUMENTS.items() if member in files), ""):
        file.close()
        message = f"it is {kind}, which is not read. Export the table as CSV or Excel (.xlsx)."
        raise InputRefused([error("unreadable-file", name, message)])
    return Archive(name, {member: e.file_size for member, e in files.items()}, archive, files)


def _as_packed(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return the entry as if its deflated bytes were its content: zipfile itself inflates ten times as slowly
    as `Inflated`."""
    packed = copy.copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    packed.CRC = None  # type: ignore[assignment]  # zipfile then verifies nothing
    return packed


def _check_count(file: io.BufferedIOBase, name: str) -> None:
    """Refuse by the end record alone: reading the directory of a million members takes seconds."""
    file.seek(0)
    if file.read(4) not in (b"PK\x03\x04", b"PK\x05\x06"):
        kind = "empty (0 bytes)" if file.seek(0, 2) == 0 else "not a zip file"
        raise InputRefused([_bad(name, f"it is {kind}. {AGAIN}")])
    size = file.seek(0, 2)
    before_tail = max(0, size - TAIL)
    file.seek(before_tail)
    tail = file.read()
    end = at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 22:
        raise InputRefused([_bad(name, f"its end is missing: was the upload cut off? {AGAIN}")])
    count, directory, offset = struct.unpack("<HII", tail[at + 10 : at + 20])
    wide = tail.rfind(b"PK\6\6")
    if (
        (count == 0xFFFF or directory == 0xFFFFFFFF or offset == 0xFFFFFFFF)
        and wide >= 0
        and len(tail) >= wide + 56
    ):
        count, directory = struct.unpack("<QQ", tail[wide + 32 : wide + 48])
        end = wide
    if count > MEMBERS:
        raise InputRefused([_bad(name, f"it holds {count:,} files; at most {MEMBERS:,} are read.")])
    if directory > DIRECTORY_BYTES:
        message = f"its list of files takes {directory / 1e6:,.0f} MB; at most {DIRECTORY_BYTES / 1e6:.0f} MB"
        raise InputRefused([_bad(name, f"{message} are read. {AGAIN}")])
    problem = _directory_problem(file, before_tail + end - directory, before_tail + end)
    if problem:
        raise InputRefused([_bad(name, f"{problem} {AGAIN}")])


def _directory_problem(file: io.BufferedIOBase, start: int, end: int) -> str:
    """Return why the directory between two places is not read, "" if it is, by walking over it: its end
    record may lie about the number of members, and zipfile believes none but what it finds."""
    count, at = 0, start
    while 0 <= at < end:
        file.seek(at)
        head = file.read(ENTRY_BYTES)
        if len(head) < ENTRY_BYTES or head[:4] != b"PK\1\2":
            break  # zipfile stops there too, and says why
        count += 1
        if count > MEMBERS:
            return f"it contains more than {MEMBERS:,} files, and more than its directory lists."
        sizes = struct.unpack("<HHH", head[28:34])
        if sizes[0] > NAME_BYTES or sizes[1] > EXTRA_BYTES:
            longest = f"a name of {sizes[0]:,} bytes and {sizes[1]:,} bytes of extra fields"
            return f"file {count:,} has {longest}; at most {NAME_BYTES:,} and {EXTRA_BYTES:,} are allowed."
        at += ENTRY_BYTES + sum(sizes)
    return ""


def _as_written(entry: zipfile.ZipInfo, name: str | None = None) -> str:
    """Return a member's name: one without the flag of UTF-8 whose bytes are UTF-8 is such a name all the
    same, as many programs write it. name: as zipfile read it; None: that of the entry."""
    name = entry.filename if name is None else name
    if entry.flag_bits & UTF8 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return name


def _path_problems(name: str, entries: list[zipfile.ZipInfo]) -> Iterator[Finding]:
    for entry in entries:
        written = _as_written(entry, entry.orig_filename)
        where = f"{name} › {shown(written) if written.strip() else repr(written[:40])}"
        parts = (written[:-1] if written.endswith("/") else written).split("/")
        if has_hidden(written):
            yield hidden_name(where)
        elif written.startswith("/") or re.match(r"[A-Za-z]:", written) or "\\" in written:
            message = (
                "the name is an absolute path or has a backslash: zip the folder itself, with relative names."
            )
            yield error("unsafe-path", where, message)
        elif any(part.strip() in ("", ".", "..") for part in parts):
            message = (
                "the name leaves its folder or has an empty part: zip the folder itself, with relative names."
            )
            yield error("unsafe-path", where, message)
        elif stat.S_ISLNK(entry.external_attr >> 16):
            yield error("unsafe-path", where, "it is a link: put the file itself into the zip.")


def _content_problems(
    name: str, entries: list[zipfile.ZipInfo], directory_start: int, streamed: tuple[str, ...]
) -> Iterator[Finding]:
    files = [e for e in entries if not e.filename.endswith("/")]
    if len(files) > MEMBERS:
        yield _bad(name, f"it holds {len(files):,} files; at most {MEMBERS:,} are read.")
    for entry in files:
        where = f"{name} › {shown(entry.filename)}"
        if entry.flag_bits & 0x1:
            yield _bad(where, f"it is encrypted. {AGAIN}")
        elif entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            yield _bad(
                where,
                f"it is compressed by method {entry.compress_type}; only stored and deflated are "
                f"read. {AGAIN}",
            )
        elif entry.file_size > MEMBER_BYTES:
            yield _bad(
                where,
                f"it would unpack to {entry.file_size / 1e6:,.0f} MB; at most "
                f"{MEMBER_BYTES / 1e6:.0f} MB are read.",
            )
        elif not entry.filename.lower().endswith(streamed) and _is_bomb(entry):
            yield _bad(
                where,
                f"it expands {entry.file_size // max(1, entry.compress_size):,}-fold; more than {RATIO}:1 "
                "is treated as a zip bomb.",
            )
    tables = sum(e.file_size for e in files if e.filename.lower().endswith(TABLE_ENDINGS))
    if tables > TABLE_BYTES:
        yield _bad(
            name, f"its tables unpack to {tables / 1e9:.1f} GB; at most {TABLE_BYTES / 1e9:.0f} GB are read."
        )
    twins = Counter(normalized("NFC", e.filename).casefold() for e in files)
    for entry in files:
        if twins[normalized("NFC", entry.filename).casefold()] > 1:
            yield _bad(
                f"{name} › {shown(entry.filename)}",
                "its name occurs twice (upper and lower case count as the same): keep one.",
            )
    yield from _overlaps(name, files, directory_start)


def _is_bomb(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > RATIO_FROM and entry.file_size > RATIO * max(1, entry.compress_size)


def _overlaps(name: str, files: list[zipfile.ZipInfo], directory_start: int) -> Iterator[Finding]:
    spans = sorted((e.header_offset, e.header_offset + 30 + _name_bytes(e) + e.compress_size) for e in files)
    ends = [start for start, _ in spans[1:]] + [directory_start]
    if any(end > following for (_, end), following in zip(spans, ends, strict=False)):
        yield _bad(name, f"its entries overlap; ordinary programs never write such a zip. {AGAIN}")


def _name_bytes(entry: zipfile.ZipInfo) -> int:
    return len(entry.orig_filename.encode("utf-8" if entry.flag_bits & UTF8 else "cp437", "replace"))


def _bad(where: str, message: str) -> Finding:
    return error("bad-zip", where, message)


def has_hidden(member: str) -> bool:
    """Return whether a name contains control or hidden characters, or bytes that are not text."""
    return not member.isprintable() and any(unicodedata.category(c) in HIDDEN for c in member)


def hidden_name(where: str) -> Finding:
    """Return the finding that refuses a name with hidden characters."""
    return error("unsafe-path", where, "the name has control or hidden characters: rename the file.")


def shown(member: str) -> str:
    """Return a member's name for messages: shortened, with hidden characters written as numbers."""
    start = member[:121]
    plain = start
    if not start.isprintable():
        plain = "".join(c if unicodedata.category(c) not in HIDDEN else f"\\u{ord(c):04x}" for c in start)
    return plain if len(plain) <= 120 else plain[:117] + "..."


def _words(problem: Exception) -> str:
    return (str(problem).splitlines() or [""])[0][:120] or type(problem).__name__
