"""Keys of a declaration by section, and values taken from them one by one with everything that is wrong;
`parser` has the rules between keys."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.challenges.declared.declaration import BOXES, EQUAL, MISSING, RANKINGS, TIES
from scoring.challenges.declared.toml_lines import Path, line_of
from scoring.common.findings import Finding, error
from scoring.common.text import shortened
from scoring.metrics.metric import TASKS

NAME_LENGTH, TEXT_LENGTH = 200, 2_000
NAME, TEXT, LIST, NUMBER = "name", "text", "list", "number"
"""Kinds of values: texts of these lengths, a list of different names, a finite number. A kind that is a tuple
lists the names that are allowed."""
Kind = str | tuple[str, ...]
KEYS: Mapping[str, Mapping[str, Kind]] = {
    "": {
        "id": NAME,
        "title": NAME,
        "about": TEXT,
        "source": TEXT,
        "task": TASKS,
        "classes": LIST,
        "positive": NAME,
        **dict.fromkeys(
            ("regions", "truth", "predictions", "score", "report", "subgroups", "ranking", "cite"), ""
        ),
    },
    "truth": {
        **dict.fromkeys(("case", "label", "value", "time", "event", "unit", "radius"), NAME),
        "columns": ("classes",),
        "places": LIST,
        "boxes": BOXES,
    },
    "predictions": {
        **dict.fromkeys(("case", "label", "score", "value", "risk"), NAME),
        "scores": ("classes",),
        "threshold": NUMBER,
        "ties": EQUAL,
        "missing": MISSING,
    },
    "score": {"metric": NAME, "parts": ""},
    "part": {"metric": NAME, "weight": NUMBER},
    "report": {"metric": NAME},
    "subgroups": {"columns": LIST},
    "ranking": {"by": RANKINGS, "ties": TIES, "metrics": LIST},
    "cite": dict.fromkeys(("doi", "url", "text"), TEXT),
}
"""Section -> its keys with their kinds, "" for tables; those with a metric have its options beside it."""
MOST = {"subgroups.columns": 20, "ranking.metrics": 50}
"""Most entries of a list; of others 1,000."""


def nearest(written: object, known: Iterable[str]) -> str:
    """Return the most similar known key, "" if none is similar."""
    return next(iter(difflib.get_close_matches(str(written).lower(), list(known), 1, 0.6)), "")


def near(written: object, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" for the most similar known word, "" if none is similar."""
    found = nearest(written, known)
    return f" Did you mean {found!r}?" if found else ""


def dotted(path: Path) -> str:
    """Return a path as people write it: `score.parts[2].metric`."""
    text = "".join(f"[{key + 1}]" if isinstance(key, int) else f".{shortened(key, 40)}" for key in path)
    return text.removeprefix(".")


class KeyReader:
    """Values of a file by key; what is wrong with one is kept, and its default stands for it."""

    def __init__(self, name: str, tree: Mapping[str, Any], lines: Mapping[Path, int]) -> None:
        self.name, self.tree, self.lines = name, tree, lines
        self.problems: list[Finding] = []
        self.sections: dict[str, Mapping[str, Any]] = {}
        self.read: dict[str, dict[str, Any]] = {}

    def refuse(self, code: str, path: Path, message: str) -> None:
        """Keep a problem of the value at a path."""
        where = f"{self.name}:{line_of(self.lines, path)}"
        self.problems.append(error(code, where, f"{dotted(path) or 'the file'}: {message}"))

    def bad(self, path: Path, message: str) -> None:
        """Keep a problem of a value that cannot be meant."""
        self.refuse("bad-value", path, message)

    def section(self, key: str) -> Mapping[str, Any]:
        """Return a table of the file, an empty one where there is none, with its unknown keys refused."""
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
        """Refuse keys that are none of those known."""
        known = tuple(known)
        for key in table:
            if key not in known:
                listing = near(key, known) or f" Keys here: {', '.join(known)}."
                self.refuse("unknown-key", (*path, key), f"there is no such key.{listing}")

    def required(self, path: Path, reason: str, table: Mapping[str, Any] | None = None) -> bool:
        """Return whether a key is there and no empty list, and refuse the file where it is not."""
        if table is None:
            table = self.section(str(path[0])) if len(path) > 1 else self.tree
        if table.get(str(path[-1]), []) != []:
            return True
        self.refuse("missing-key", path, f"it is missing: {reason}")
        return False

    def values(self, section: str) -> dict[str, Any]:
        """Return the values of a section, "" for the top, whose keys are written and right."""
        if section not in self.read:
            table, above = (self.section(section), (section,)) if section else (self.tree, ())
            kinds = ((key, kind) for key, kind in KEYS[section].items() if kind and key in table)
            found = {key: self.value((*above, key), table[key], kind) for key, kind in kinds}
            self.read[section] = {key: value for key, value in found.items() if value is not None}
        return self.read[section]

    def value(self, path: Path, value: Any, kind: Kind) -> Any:
        """Return a value of a kind; None, and a problem, where it is another."""
        try:
            taken = _taken(path, value, kind)
        except ValueError as advice:
            self.bad(path, str(advice))
            return None
        if kind == LIST and (twice := sorted({name for name in taken if taken.count(name) > 1})[:3]):
            self.bad(path, f"{', '.join(map(repr, twice))} appears twice.")
        return taken


def _taken(path: Path, value: Any, kind: Kind) -> Any:
    """Return a value of a kind. Raises ValueError: it is of another, with what to write."""
    if kind == LIST:
        most = MOST.get(dotted(path), 1_000)
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            raise ValueError('write a list of texts, such as ["benign", "malignant"].')
        if len(value) > most:
            raise ValueError(f"it has {len(value):,} entries, at most {most:,} are allowed.")
        return tuple(shortened(v, NAME_LENGTH) for v in value)
    if kind == NUMBER:
        if type(value) not in (int, float) or not abs(value) < 1e300 or (path[-1] == "weight" and value < 0):
            raise ValueError(f"write a number{', 0 or more' * (path[-1] == 'weight')}.")
        return value
    longest = TEXT_LENGTH if kind == TEXT else NAME_LENGTH
    if not isinstance(value, str) or not shortened(value, longest).strip():
        raise ValueError('write a text in quotes, such as "stage".')
    if len(value) > longest:
        raise ValueError(f"it has {len(value):,} characters, at most {longest:,} fit.")
    text = shortened(value, longest)
    if isinstance(kind, tuple) and text not in kind:
        raise ValueError(f"{text!r} is not one of {', '.join(kind)}.{near(text, kind)}")
    return text
