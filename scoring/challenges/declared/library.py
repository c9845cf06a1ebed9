"""Library of declared challenges: files that this process has read, files in the folder
`BENCHSIDE_CHALLENGES`, and the gallery in the package. It also finds challenges whose columns a dropped table
has."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import platformdirs

from scoring.challenges import REGISTRY
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.definition import challenge_of
from scoring.challenges.declared.parser import LARGEST, parse, parse_tree
from scoring.challenges.declared.table_readers import label_column, number_columns, truth_columns
from scoring.common import file_opening
from scoring.common.findings import InputRefused, error, writing
from scoring.core.challenge import Challenge
from scoring.inputs.named_columns import Columns
from scoring.inputs.tables import key

ENDING = ".toml"
FOLDER = "BENCHSIDE_CHALLENGES"
"""Environment variable that names the folder of the user's challenge files; the default is in the user's data
folder."""
GALLERY = Path(__file__).parent / "gallery"
REMEMBERED = 500
"""Maximum number of declarations that a process keeps in memory; the oldest is dropped first."""
_read: dict[str, tuple[Declaration, Challenge[Any, Any]]] = {}


class DeclaredFile(NamedTuple):
    """A file that declares a challenge. `is_own` says whether a user added it; otherwise it belongs to the
    gallery."""

    path: Path
    is_own: bool

    @property
    def name(self) -> str:
        """Id of the challenge, which is also the name of the file."""
        return self.path.stem

    @property
    def declaration(self) -> Declaration:
        """Parsed declaration. Raises InputRefused if the file cannot be read or is no valid declaration."""
        return _parsed(read_file(self.path), self.path.name)


def own_folder() -> Path:
    """Return the folder of challenge files that users added."""
    usual = Path(platformdirs.user_data_dir("benchside", appauthor=False)) / "challenges"
    return Path(os.environ.get(FOLDER) or usual)


def known() -> Iterator[DeclaredFile]:
    """Yield the files that users added, then the files of the gallery, both sorted by name."""
    for folder, is_own in ((own_folder(), True), (GALLERY, False)):
        with suppress(OSError):
            for path in sorted(folder.glob(f"*{ENDING}")):
                yield DeclaredFile(path, is_own)


def find(name: str) -> Challenge[Any, Any] | None:
    """Return the challenge with this id, with or without its digest; None if no readable file has it."""
    if name in _read:
        return _read[name][1]
    for file in known():
        if file.name == name.partition("@")[0]:
            with suppress(InputRefused):
                challenge = of_file(file.path)
                if name in (file.name, challenge.id):
                    return challenge
    return None


def found(name: str) -> Challenge[Any, Any]:
    """Return the challenge with an id, or in a file named "FILE.toml". Raises KeyError if no readable file
    has the id, InputRefused if the named file cannot be read or is no valid declaration."""
    challenge = of_file(name) if name.endswith(ENDING) else find(name)
    if challenge is None:
        raise KeyError(name)
    return challenge


def of_file(path: str | os.PathLike[str]) -> Challenge[Any, Any]:
    """Return the challenge that a file declares. Raises InputRefused with all problems of the file."""
    return of_text(read_file(Path(path)), Path(path).name)


def of_text(data: bytes | str, name: str) -> Challenge[Any, Any]:
    """Return the challenge that a text declares, and register it. Raises InputRefused with every problem."""
    return _remembered(_parsed(data, name))


def add(data: bytes, name: str, may_replace: bool = False) -> Path:
    """Store a challenge file in the user's folder, so that commands accept its id, and return its path.
    Raises InputRefused if the file is no valid declaration, if its id is built in or in the gallery, if the
    user has a challenge with this id (unless `may_replace`), or if the folder cannot be written."""
    wanted = _parsed(data, name).about.id
    target = own_folder() / f"{wanted}{ENDING}"
    if wanted in REGISTRY or (GALLERY / target.name).exists():
        message = f"{wanted} is the id of a challenge that is built in or in the gallery: choose another id."
        raise InputRefused([error("bad-value", name, message)])
    if target.exists() and not may_replace:
        message = (
            f"a challenge with this id exists already ({target}): add --replace to overwrite it, or "
            "choose another id."
        )
        raise InputRefused([error("bad-option", name, message)])
    with writing(target, FOLDER):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return target


def remember(tree: object) -> str:
    """Register the challenge of a parsed declaration that is stored elsewhere; ignore values that are no
    declaration. Return the first problem of a declaration, without a full stop; "" if there is none."""
    if isinstance(tree, dict):
        try:
            _remembered(_of_json(json.dumps(tree, sort_keys=True)))
        except InputRefused as refused:
            return refused.problems[0].message.removesuffix(".")
    return ""


def _remembered(declaration: Declaration) -> Challenge[Any, Any]:
    if declaration.id not in _read:
        while len(_read) >= REMEMBERED:
            _read.pop(next(iter(_read)))
        _read[declaration.id] = declaration, challenge_of(declaration)
    return _read[declaration.id][1]


def declaration_of(challenge_id: str) -> Declaration | None:
    """Return the declaration of a challenge, by its id with digest; None for a built-in or unknown
    challenge."""
    return _read[challenge_id][0] if "@" in challenge_id and find(challenge_id) else None


_of_json = lru_cache(maxsize=64)(lambda text: parse_tree(json.loads(text), "declaration"))
_parsed = lru_cache(maxsize=64)(parse)


def read_file(path: Path) -> bytes:
    """Return the bytes of a file. Of a file that is too large, one byte more than the maximum size is
    returned. Raises InputRefused `unreadable-file` if the file cannot be opened."""
    try:
        return file_opening.read_file(path, LARGEST + 1)
    except OSError as problem:
        reason = problem.strerror or "it cannot be opened"
        raise InputRefused([error("unreadable-file", path.name, f"{reason}.")]) from None


class Fit(NamedTuple):
    """An input (`slot`) of a challenge whose columns a dropped table has. `challenge` is the id of the
    challenge."""

    challenge: str
    title: str
    slot: Literal["truth", "submission"]


def fits(header: Sequence[str], opened: Iterable[str] = ()) -> list[Fit]:
    """Return the inputs of challenges whose columns a table has: first of challenges that were opened, then
    of the user's files, then of the gallery."""
    columns, fitting = {key(heading) for heading in header}, dict[Fit, None]()
    declarations = list(filter(None, map(declaration_of, opened)))
    for file in known():
        with suppress(InputRefused):
            declarations.append(file.declaration)
    for declaration in declarations:
        if declaration.task == "segmentation":
            continue
        predicted = [*label_column(declaration), *number_columns(declaration)]
        slots: dict[Literal["truth", "submission"], Columns] = {
            "truth": [(declaration.truth.case, ""), *truth_columns(declaration)],
            "submission": [(declaration.predictions.case, ""), *predicted],
        }
        for slot, needed in slots.items():
            if {key(name) for name, _ in needed} <= columns:
                fitting[Fit(declaration.id, declaration.about.title, slot)] = None
    return [*fitting]
