"""Sources of files: a path, bytes, a folder or a zip, whose files are read by name and within limits.

Nothing is unpacked to disk and no name of an archive or upload is ever used as a path.
"""

import hashlib
import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from scoring.common.file_opening import is_regular, read_file
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges
from scoring.inputs import case_ids, table_formats, tables
from scoring.inputs.archives import (
    MEMBER_BYTES,
    TABLE_ENDINGS,
    Archive,
    has_hidden,
    hidden_name,
    open_archive,
    shown,
)
from scoring.inputs.inflate import ByteFile
from scoring.inputs.table_edits import ANSWER_BYTES, fixed_answer, fixed_name, fixed_table
from scoring.inputs.table_text import TABLE_BYTES, refuse
from scoring.inputs.tables import TextTable

TEXT_TABLES = (".csv", ".tsv", ".tab", ".txt")
TABLES = (*TEXT_TABLES, ".md", *table_formats.ENDINGS)
"""Extensions of tables."""
TABLES_IN_FOLDERS = tuple(e for e in TABLES if not e.startswith((".json", ".md", ".npy")))
"""Extensions that count as tables in folders. JSON and arrays do not, because in folders they probably belong
to one case; Markdown is probably text."""
MOST_ARCHIVES = 4
"""Maximum number of zips inside a folder or zip that are opened."""


@dataclass(frozen=True)
class SourceFiles:
    """Files of a source by name (with `/`), sorted. Files that operating systems add are left out.

    Attributes:
        kind: "file", "folder" or "zip".
        sizes: Bytes of each member.
        read: Function that returns the bytes of a member. It raises InputRefused if the member cannot be
            read.
        open: Function that returns a file for reading a member in pieces. It raises InputRefused if the
            member cannot be opened; reading a damaged zip raises any exception of zipfile.
        whole: SHA-256 of the file or zip itself. None for a folder, whose digest depends on the members that
            are read.
    """

    name: str
    kind: str
    sizes: Mapping[str, int]
    read: Callable[[str], bytes]
    open: Callable[[str], ByteFile]
    whole: str | None
    _parsed: dict[str, tuple[bytes, TextTable]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def members(self) -> tuple[str, ...]:
        return tuple(self.sizes)

    def called(self, member: str) -> str:
        """Return the name of a member in messages."""
        return (
            self.name if self.kind == "file" else f"{self.name} › {member}" if self.kind == "zip" else member
        )

    def read_table(self, member: str, name: str | None = None) -> tuple[bytes, TextTable]:
        """Return the bytes of a table, and the parsed table. A table from `keep_table` is returned only once.

        Args:
            name: Name of the table in messages; None: the result of `called`.

        Raises:
            InputRefused: If the table cannot be read.
        """
        parsed, name = self._parsed.pop(member, None), name or self.called(member)
        if parsed is not None and parsed[1].name == name:
            return parsed
        data = self.read(member)
        return data, tables.read_table(data, name)

    def keep_table(self, member: str, data: bytes, table: TextTable) -> None:
        """Store a parsed table until `read_table` is called for its member."""
        self._parsed[member] = (data, table)

    def digest(self, used: Mapping[str, str]) -> str:
        """Return the SHA-256 of the source. `used` contains the SHA-256 of the members that were read, on
        which the digest of a folder depends."""
        if self.whole is not None:
            return self.whole
        listing = "".join(f"{used[member]}  {member}\n" for member in sorted(used))
        return hashlib.sha256(listing.encode()).hexdigest()

    def digest_of(self, used: Iterable[str]) -> str:
        """Return the result of `digest` for the members that were read. Members are hashed in pieces. They
        are not read again if the whole file was hashed already."""
        return self.digest({} if self.whole is not None else {m: self.sha256_of(m) for m in used})

    def sha256_of(self, member: str) -> str:
        """Return the SHA-256 of a member, hashed in pieces. Raises InputRefused if the member cannot be
        read."""
        try:
            with self.open(member) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as problem:
            raise _unreadable(self.called(member), problem) from problem


PlainSource = str | os.PathLike[str] | bytes | Mapping[str, bytes]
"""A path, bytes, or a dropped folder `{relative name: bytes}`."""


@dataclass(frozen=True)
class FixedSource:
    """A source with changes that are applied when it is read. Digests are those of the unchanged files."""

    source: PlainSource | SourceFiles
    changes: InputChanges


Source = PlainSource | FixedSource | SourceFiles
"""A path, bytes, a dropped folder, a source with changes, or an open source."""


def open_source(
    source: Source,
    name: str | None = None,
    streamed: tuple[str, ...] = (),
    table_bytes: int | None = None,
    archives: bool = False,
) -> SourceFiles:
    """Open a source of files.

    Args:
        source: A path, bytes, a dropped folder, or an open source.
        streamed: Extensions (in lower case) of members that are read in pieces. In a zip, they may have any
            compression ratio.
        table_bytes: Maximum bytes of tables and JSON files. Larger ones are refused with `unreadable-file`
            when they are read.
        archives: Whether zips among other files are opened too, each as a folder.

    Raises:
        InputRefused: With `unreadable-file`, `bad-zip` or `unsafe-path`.
    """
    if isinstance(source, SourceFiles):
        return source
    if isinstance(source, FixedSource):
        files = open_source(source.source, name, streamed, table_bytes, archives)
        return _fixed(files, source.changes)
    files = _opened(source, name, streamed)
    files = _with_archives(files, streamed) if archives else files
    if table_bytes is None:
        return files
    return replace(files, read=lambda member: _read_small(files, member, table_bytes))


def _fixed(files: SourceFiles, changes: InputChanges) -> SourceFiles:
    """Return files with changes applied: members renamed, tables rewritten as they are read."""
    names = {member: fixed_name(member, changes) for member in files.members}
    uses = Counter(names.values())
    is_case = files.kind == "file" and files.name.lower().endswith(case_ids.ENDINGS)
    if is_case:
        files = replace(files, name=names[files.name])
    elif files.kind == "file" or max(uses.values(), default=1) > 1:  # never one file over another
        names = {member: member for member in files.members}
    original = {new: member for member, new in names.items()}

    def read(member: str) -> bytes:
        data, called = files.read(original[member]), files.called(original[member])
        if is_table(member):
            return fixed_table(data, called, changes)
        is_answer = changes.columns and member.lower().endswith(".json") and len(data) < ANSWER_BYTES
        return fixed_answer(data, called, changes) if is_answer else data

    def is_table(member: str) -> bool:
        return files.kind == "file" or member.lower().endswith(TABLES_IN_FOLDERS)

    def open_member(member: str) -> ByteFile:
        if member.lower().endswith(TABLES):
            return io.BytesIO(read(member))
        return files.open(original[member])

    sizes = {member: files.sizes[original[member]] for member in sorted(original)}
    return replace(files, sizes=sizes, read=read, open=open_member)


def _opened(source: PlainSource, name: str | None, streamed: tuple[str, ...]) -> SourceFiles:
    if isinstance(source, Mapping):
        return _dropped(source, name or "the folder")
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _of_bytes(bytes(source), name or "the file", streamed)
    path = Path(source)
    name = name or path.name or str(path)
    try:
        if path.is_dir():
            return _folder(path, name)
        if not is_regular(path):
            return _of_bytes(_of_pipe(path, name), name, streamed)
        with path.open("rb") as file:
            head = file.read(4)
            if not is_zip(head, name):
                _check_size(path, name)
            file.seek(0)
            whole = hashlib.file_digest(file, "sha256").hexdigest()
        if is_zip(head, name):
            return _zip(path, name, whole, streamed)
        size = path.stat().st_size
    except (OSError, ValueError) as problem:
        raise _unreadable(name, problem) from problem
    return SourceFiles(
        name,
        "file",
        {name: size},
        lambda _member: _bytes_of(path, name),
        lambda _member: _file_of(path, name),
        whole,
    )


def _with_archives(files: SourceFiles, streamed: tuple[str, ...]) -> SourceFiles:
    """Return files in which each zip that lies beside others, but in no folder of them, is a folder of its
    name, without one folder that holds all of it; a zip within it stays a file.

    Args:
        files: The members; more than `MOST_ARCHIVES` zips stay files.
        streamed: As of `open_source`.

    Raises:
        InputRefused: A zip cannot be read, or has a name of another member.
    """
    depth = min((member.count("/") for member in files.members), default=0)
    zips = [m for m in files.members if m.lower().endswith(".zip") and m.count("/") == depth]
    if files.kind == "file" or not 0 < len(zips) <= MOST_ARCHIVES:
        return files
    sizes = {member: size for member, size in files.sizes.items() if member not in zips}
    place: dict[str, tuple[Archive, str]] = {}
    for member in zips:
        archive = open_archive(files.read(member), files.called(member), streamed)
        inside = _kept(archive.sizes.items())
        tops = {name.partition("/")[0] for name in inside if "/" in name}
        around = f"{tops.pop()}/" if len(tops) == 1 and all("/" in name for name in inside) else ""
        for name, size in inside.items():
            outside = f"{member[: -len('.zip')]}/{name.removeprefix(around)}"
            if outside in sizes:
                raise refuse(files.called(member), f"{outside} occurs twice: keep one.")
            sizes[outside], place[outside] = size, (archive, name)

    def read(member: str) -> bytes:
        archive, name = place.get(member, (None, member))
        return archive.read(name) if archive else files.read(name)

    def open_member(member: str) -> ByteFile:
        archive, name = place.get(member, (None, member))
        return archive.open(name) if archive else files.open(name)

    return replace(files, sizes=dict(sorted(sizes.items())), read=read, open=open_member)


def is_zip(head: bytes, name: str) -> bool:
    """Return whether a file is to be read as a zip. The name of the file decides, or its first bytes
    (`head`). Names of Office documents and tables are never read as zips."""
    return name.lower().endswith(".zip") or (
        head[:4] in (b"PK\x03\x04", b"PK\x05\x06") and not name.lower().endswith((".docx", *TABLES))
    )


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def is_litter(member: str) -> bool:
    """Return whether a file was added by an operating system: in `__MACOSX`, or with a leading dot."""
    parts = PurePosixPath(member).parts
    return any(part == "__MACOSX" or part.startswith(".") for part in parts) or parts[-1:] in (
        ("Thumbs.db",),
        ("desktop.ini",),
    )


def _of_bytes(data: bytes, name: str, streamed: tuple[str, ...]) -> SourceFiles:
    if is_zip(data[:4], name):
        return _zip(data, name, sha256(data), streamed)
    return SourceFiles(
        name, "file", {name: len(data)}, lambda _member: data, lambda _member: io.BytesIO(data), sha256(data)
    )


def _zip(source: Path | bytes, name: str, whole: str, streamed: tuple[str, ...]) -> SourceFiles:
    archive = open_archive(source, name, streamed)
    files = SourceFiles(name, "zip", _kept(archive.sizes.items()), archive.read, archive.open, whole)
    return replace(files, read=lambda member: _read_small(files, member, TABLE_BYTES, TEXT_TABLES))


def _dropped(files: Mapping[str, bytes], name: str) -> SourceFiles:
    names = {member.replace("\\", "/").removeprefix("./").lstrip("/"): member for member in files}
    sizes = _kept((member, len(files[original])) for member, original in names.items())
    return SourceFiles(
        name,
        "folder",
        sizes,
        lambda member: bytes(files[names[member]]),
        lambda member: io.BytesIO(files[names[member]]),
        None,
    )


def _folder(path: Path, name: str) -> SourceFiles:
    paths = {
        _as_utf8(file.relative_to(path).as_posix()): file
        for parent, _folders, names in os.walk(path)
        for file in (Path(parent) / n for n in names)
        if file.is_file()
    }
    return SourceFiles(
        name,
        "folder",
        _kept((member, file.stat().st_size) for member, file in paths.items()),
        lambda member: _bytes_of(paths[member], member),
        lambda member: _file_of(paths[member], member),
        None,
    )


def _as_utf8(path: str) -> str:
    """Return a path as UTF-8 reads its bytes, whatever the locale makes of them (LC_ALL=C: only ASCII)."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def _kept(sizes: Iterable[tuple[str, int]]) -> dict[str, int]:
    visible = {member: size for member, size in sorted(sizes) if not is_litter(member)}
    hidden = [hidden_name(shown(member)) for member in visible if has_hidden(member)]
    if hidden:
        raise InputRefused(hidden)
    return visible


def _read_small(
    files: SourceFiles, member: str, table_bytes: int, endings: tuple[str, ...] = TABLE_ENDINGS
) -> bytes:
    """Read a member; a table that is too large is refused before it is unpacked."""
    if member.lower().endswith(endings):
        _within(files.sizes[member], table_bytes, files.called(member), "table")
    return files.read(member)


def _check_size(path: Path, name: str) -> None:
    _within(path.stat().st_size, MEMBER_BYTES, name, "file")


def _within(size: int, limit: int, name: str, kind: str) -> None:
    if size > limit:
        message = f"it has {size / 1e6:,.0f} MB; a {kind} may have at most {limit / 1e6:.0f} MB."
        raise refuse(name, message)


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        _check_size(path, name)
        return path.read_bytes()
    except OSError as problem:
        raise _unreadable(name, problem) from problem


def _of_pipe(path: Path, name: str) -> bytes:
    """Read a pipe, which has no size and may never end."""
    data = read_file(path, MEMBER_BYTES + 1)
    _within(len(data), MEMBER_BYTES, name, "file")
    return data


def _file_of(path: Path, name: str) -> ByteFile:
    try:
        _check_size(path, name)
        return path.open("rb")
    except OSError as problem:
        raise _unreadable(name, problem) from problem


def _unreadable(name: str, problem: Exception) -> InputRefused:
    if isinstance(problem, FileNotFoundError):
        return refuse(name, "there is no such file or folder: check the path.")
    return refuse(name, f"it cannot be opened ({getattr(problem, 'strerror', None) or problem}).")
