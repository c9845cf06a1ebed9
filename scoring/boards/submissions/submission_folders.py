"""Folder or zip of submissions: `team/date/files`, `team/date.csv`, or one entry per team."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from scoring.boards.serialization import packed
from scoring.boards.submissions.submitting import SubmissionRequest, time_of
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.sources import Source, SourceFiles, is_litter, open_source
from scoring.inputs.team_entries import part


@dataclass(frozen=True)
class FolderMember:
    """A file or folder among opened files.

    Attributes:
        path: Path without a final slash; "" for the folder that contains all files.
    """

    files: SourceFiles
    path: str = ""

    @property
    def name(self) -> str:
        """Return the name of the file or folder."""
        return PurePosixPath(self.path).name or self.files.name

    @property
    def stem(self) -> str:
        """Return the name without the extension."""
        return PurePosixPath(self.name).stem

    def is_file(self) -> bool:
        """Return whether the member is a file."""
        return self.path in self.files.sizes

    def is_dir(self) -> bool:
        """Return whether the member is a folder."""
        return not self.is_file()

    def iterdir(self) -> Iterator["FolderMember"]:
        """Yield the content of the folder."""
        prefix = f"{self.path}/" if self.path else ""
        names = {
            name[len(prefix) :].partition("/")[0] for name in self.files.members if name.startswith(prefix)
        }
        yield from (FolderMember(self.files, prefix + name) for name in names)

    def packed(self) -> tuple[str, bytes]:
        """Return the name and bytes of the member; a folder becomes a zip. Raises InputRefused if a file
        cannot be read."""
        if self.is_file():
            return self.name, self.files.read(self.path)
        prefix = f"{self.path}/"
        inside = [name for name in self.files.members if name.startswith(prefix)]
        return f"{self.name}.zip", packed(part(self.files, prefix, inside))[1]


FolderPlace = Path | FolderMember


def of_source(source: Source, name: str | None = None) -> Iterator[SubmissionRequest | Finding]:
    """Yield the submissions and findings of a dropped folder or zip, as `of_folder` does. A single outer
    folder is ignored, unless it is the folder of a team. Raises InputRefused if it cannot be opened."""
    top = FolderMember(open_source(source, name))
    inside = _entries(top)
    if len(inside) == 1 and inside[0].is_dir() and not _is_dated(_entries(inside[0])):
        top = inside[0]
    yield from of_folder(top)


def of_folder(folder: FolderPlace) -> Iterator[SubmissionRequest | Finding]:
    """Yield the submissions in a folder, oldest first, and a finding for each unreadable entry. The folder
    contains `team/date/files`, `team/date.csv`, or one entry per team."""
    dated: list[tuple[str, str, FolderPlace]] = []
    for entry in _entries(folder):
        inside = _entries(entry)
        if entry.is_dir() and _is_dated(inside):
            dated += [(_time(child) or "", entry.name, child) for child in inside]
        else:
            dated.append(("", entry.name if entry.is_dir() else entry.stem, entry))
    for time, team, member in sorted(dated, key=lambda row: (row[0] or "9999", row[1], _path(row[2]))):
        try:
            inside = _entries(member)
            only = inside[0] if len(inside) == 1 and inside[0].is_file() else member
            name, data = only.packed() if isinstance(only, FolderMember) else packed(str(only))
            yield SubmissionRequest(team, name, data, created=time or None)
        except InputRefused as refused:
            yield from (
                error(problem.code, f"{team}: {problem.where}", problem.message)
                for problem in refused.problems
            )
    if not dated:
        yield error("bad-option", folder.name, "it is empty: put a folder per team there.")


def _path(member: FolderPlace) -> str:
    return member.path if isinstance(member, FolderMember) else str(member)


def _time(member: FolderPlace) -> str | None:
    return time_of(member.name) or time_of(member.stem)


def _is_dated(entries: Sequence[FolderPlace]) -> bool:
    return bool(entries) and all(_time(entry) for entry in entries)


def _entries(folder: FolderPlace) -> list[Any]:
    """Return the entries of a folder, sorted, without files that operating systems add."""
    try:
        members = folder.iterdir() if folder.is_dir() else ()
        return sorted((member for member in members if not is_litter(member.name)), key=_path)
    except OSError as problem:
        message = f"it cannot be opened ({problem.strerror})."
        raise InputRefused([error("unreadable-file", folder.name, message)]) from problem
