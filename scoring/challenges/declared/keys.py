"""Keys of a declaration by section; their values are checked one by one, and all problems are collected.
`parser` has the rules between keys."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.challenges.declared.declaration import FORMAT
from scoring.common.findings import Finding, error
from scoring.common.text import did_you_mean, nearest, shortened
from scoring.common.toml_text import Path, dotted

NAME_LENGTH, TEXT_LENGTH = 200, 2_000
Kind = str | list[str]
"""Kind of a value, as named in `format.toml`; for a list, the allowed words."""
KEYS: Mapping[str, Mapping[str, Kind]] = FORMAT["keys"]
"""Section -> its keys with their kinds; sections with a metric also contain its options."""


class KeyReader:
    """Values of a file by key; a wrong value is reported and replaced by its default."""

    def __init__(self, name: str, tree: Mapping[str, Any], lines: Mapping[Path, int]) -> None:
        self.name, self.tree, self.lines = name, tree, lines
        self.problems: list[Finding] = []
        self.sections: dict[str, Mapping[str, Any]] = {}
        self.read: dict[str, dict[str, Any]] = {}

    def refuse(self, code: str, path: Path, message: str, when: object = True) -> None:
        """Record a problem of a value, if there is one, at its line or the line of the enclosing table."""
        if not when:
            return
        line = next(self.lines[above] for n in range(len(path), -1, -1) if (above := path[:n]) in self.lines)
        self.problems.append(error(code, f"{self.name}:{line}", f"{dotted(path) or 'the file'}: {message}"))

    def bad(self, path: Path, message: str, when: object = True) -> None:
        """Record a problem of a value that cannot be right."""
        self.refuse("bad-value", path, message, when)

    def known(self, path: Path, name: str | None, names: Sequence[str]) -> None:
        """Record a problem of a name that is not a class."""
        listing = ", ".join(names[:20]) or "none are named"
        wrong = name is not None and name not in names
        self.bad(path, f"{name!r} is not one of the classes: {listing}.", wrong)

    def section(self, key: str) -> Mapping[str, Any]:
        """Return a table of the file (empty if missing), and refuse its unknown keys."""
        if key not in self.sections:
            found = self.tree.get(key, {})
            if not isinstance(found, dict):
                self.bad((key,), f"write it as a table, [{key}].")
                found = {}
            elif key in KEYS and "metric" not in KEYS[key]:
                self.unknown((key,), found, KEYS[key])
            self.sections[key] = found
        return self.sections[key]

    def unknown(self, path: Path, table: Mapping[str, Any], known: Iterable[str]) -> None:
        """Refuse unknown keys."""
        known = tuple(known)
        for key in (key for key in table if key not in known):
            listing = did_you_mean(nearest(key, known)) or f" Keys here: {', '.join(known)}."
            self.refuse("unknown-key", (*path, key), f"this key is unknown.{listing}")

    def required(self, path: Path, reason: str, table: Mapping[str, Any] | None = None) -> bool:
        """Return whether a key exists and is not an empty list; otherwise refuse the file."""
        if table is None:
            table = self.section(str(path[0])) if len(path) > 1 else self.tree
        there = bool(table.get(str(path[-1]), []) != [])
        self.refuse("missing-key", path, f"it is missing: {reason}", not there)
        return there

    def values(self, section: str) -> dict[str, Any]:
        """Return the valid values of a section, "" for the top level."""
        if section not in self.read:
            table, above = (self.section(section), (section,)) if section else (self.tree, ())
            kinds = ((key, kind) for key, kind in KEYS[section].items() if kind != "table" and key in table)
            found = {key: self.value((*above, key), table[key], kind) for key, kind in kinds}
            self.read[section] = {key: value for key, value in found.items() if value is not None}
        return self.read[section]

    def value(self, path: Path, value: Any, kind: Kind) -> Any:
        """Return a value of a kind; None, with a problem, if it has another kind."""
        try:
            taken = _taken(path, value, kind)
        except ValueError as advice:
            self.bad(path, str(advice))
            return None
        if kind == "list" and (twice := sorted({name for name in taken if taken.count(name) > 1})[:3]):
            self.bad(path, f"{', '.join(map(repr, twice))} appears twice.")
        return taken


def _taken(path: Path, value: Any, kind: Kind) -> Any:
    """Return a value of a kind. Raises ValueError: it is of another, with what to write."""
    if kind == "list":
        most = FORMAT["most"].get(dotted(path), 1_000)
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            raise ValueError('write a list of texts, such as ["benign", "malignant"].')
        if len(value) > most:
            raise ValueError(f"it has {len(value):,} entries, at most {most:,} are allowed.")
        return tuple(shortened(v, NAME_LENGTH) for v in value)
    if kind == "number":
        if type(value) not in (int, float) or not abs(value) < 1e300 or (path[-1] == "weight" and value < 0):
            raise ValueError(f"write a number{', 0 or more' * (path[-1] == 'weight')}.")
        return value
    longest = TEXT_LENGTH if kind == "text" else NAME_LENGTH
    if not isinstance(value, str) or not (text := shortened(value, longest)).strip():
        raise ValueError('write a text in quotes, such as "stage".')
    if len(value) > longest:
        raise ValueError(f"it has {len(value):,} characters, at most {longest:,} fit.")
    if isinstance(kind, list) and text not in kind:
        raise ValueError(f"{text!r} is not one of {', '.join(kind)}.{did_you_mean(nearest(text, kind))}")
    return text
