"""Reads a folder or zip with one entry per team: a file or folder that has the name of the team."""

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import name_skeleton
from scoring.inputs.archives import has_hidden, shown
from scoring.inputs.sources import Source, SourceFiles, is_litter, is_zip, open_source

MODEL = ".onnx"


@dataclass(frozen=True)
class TeamEntry:
    """A team's submission.

    Attributes:
        name: Name of the submission in messages; None: the name of the file.
        is_model: Whether the submission is a model.
    """

    source: Source
    name: str | None = None
    is_model: bool = False


def name_problems(team: str, where: str, others: Iterable[str] = ()) -> Iterator[Finding]:
    """Yield a finding `bad-option` for a team name that is unreadable or looks like the name of another
    team."""
    skeleton = name_skeleton(team)
    twin = next((other for other in others if other != team and name_skeleton(other) == skeleton), None)
    if not skeleton:
        yield error(
            "bad-option", where, "a team's name is empty or invisible: give each team a visible name."
        )
    elif has_hidden(team):
        sentence = f"the team's name {shown(team)} has control or hidden characters: choose another name."
        yield error("bad-option", where, sentence)
    elif twin is not None:
        message = (
            f"the team's name {team!a} looks like the name of another team, {twin!a}: choose another name."
        )
        yield error("bad-option", where, message)


def clean_name(name: str) -> str:
    """Return a file's name without control and hidden characters, for use as a team name."""
    return "".join(c for c in name if not has_hidden(c)).strip() or "unnamed"


def of_path(path: str) -> TeamEntry:
    """Return the entry of a file or folder."""
    return TeamEntry(path, is_model=path.lower().endswith(MODEL))


def of_teams(
    source: Source, name: str | None = None, streamed: tuple[str, ...] = ()
) -> tuple[dict[str, TeamEntry], list[Finding]]:
    """Read the submissions of several teams from a folder or zip.

    The name of a team is the file name without extension. In a zip, a single outer folder is ignored.

    Args:
        streamed: As in `sources.open_source`.

    Returns:
        Team -> entry, sorted by name; and problems (`bad-option`, `bad-zip`).

    Raises:
        InputRefused: If the folder or zip cannot be opened.
    """
    entries: list[tuple[str, TeamEntry | None]]
    if isinstance(source, (str, os.PathLike)) and Path(source).is_dir():
        where, entries = name or Path(source).name, list(_of_folder(Path(source)))
    else:
        files = open_source(source, name, streamed)
        where, entries = files.name, list(_of_files(files))
    teams: dict[str, TeamEntry] = {}
    problems = []
    for team, entry in entries:
        strange = list(name_problems(team, f"{where} › {shown(team)}"))
        if strange:
            problems += strange
        elif team in teams:
            problems.append(
                error(
                    "bad-option",
                    f"{where} › {team}",
                    f"two entries are named {team!r}: keep one entry per team.",
                )
            )
        elif entry is None:
            message = "a zip inside a zip is not opened: unpack the inner zip into a folder of the same name."
            problems.append(error("bad-zip", f"{team}: {where}", message))
        else:
            teams[team] = entry
    if not entries:
        problems.append(error("bad-option", where, "it is empty: put one file or folder per team into it."))
    return teams, problems


def _of_folder(folder: Path) -> Iterator[tuple[str, TeamEntry]]:
    try:
        paths = sorted(folder.iterdir())
    except OSError as problem:
        raise InputRefused(
            [error("unreadable-file", folder.name, f"it cannot be opened ({problem.strerror}).")]
        ) from problem
    for path in paths:
        if not is_litter(path.name):
            yield path.name if path.is_dir() else path.stem, of_path(str(path))


def _of_files(files: SourceFiles) -> Iterator[tuple[str, TeamEntry | None]]:
    around = _folder_around(files.members)
    tops: dict[str, list[str]] = {}
    for member in files.members:
        tops.setdefault(member.removeprefix(around).partition("/")[0], []).append(member)
    for top, members in tops.items():
        if members != [around + top]:
            yield top, TeamEntry(part(files, f"{around}{top}/", members))
        elif is_zip(b"", top):
            yield PurePosixPath(top).stem, None
        else:
            yield PurePosixPath(top).stem, TeamEntry(files.read(members[0]), top, top.lower().endswith(MODEL))


def _folder_around(members: tuple[str, ...]) -> str:
    """Return the one folder that holds everything, with its slash; "" if there is none."""
    tops = {member.partition("/")[:2] for member in members}
    (name, mark), *others = tops or {("", "")}
    return f"{name}/" if mark and not others else ""


def part(files: SourceFiles, prefix: str, members: list[str]) -> SourceFiles:
    """Return the files below a folder of `files`, as a separate folder.

    Args:
        prefix: The folder, with its slash.
        members: Members of `files` in this folder.
    """
    sizes: Mapping[str, int] = {member.removeprefix(prefix): files.sizes[member] for member in members}
    return SourceFiles(
        prefix.rstrip("/"),
        "folder",
        sizes,
        lambda member: files.read(prefix + member),
        lambda member: files.open(prefix + member),
        None,
    )
