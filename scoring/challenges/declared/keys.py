"""Keys of a declaration by section, and values taken from them one by one with everything that is wrong."""

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from scoring.challenges.declared.toml_lines import Path, line_of
from scoring.common.findings import Finding, error
from scoring.common.text import shortened

TEXT_LENGTH, NAME_LENGTH = 2_000, 200
KEYS: Mapping[str, tuple[str, ...]] = {
    "": (
        *("id", "title", "about", "source", "task", "classes", "positive", "regions"),
        *("truth", "predictions", "score", "report", "subgroups", "ranking", "cite"),
    ),
    "truth": ("case", "label", "columns", "value", "time", "event", "unit", "places", "boxes", "radius"),
    "predictions": (
        *("case", "label", "scores", "score", "value", "risk"),
        *("threshold", "ties", "missing"),
    ),
    "score": ("metric", "parts"),
    "part": ("metric", "weight"),
    "report": ("metric",),
    "subgroups": ("columns",),
    "ranking": ("by", "ties", "metrics"),
    "cite": ("doi", "url", "text"),
}
"""Section -> its keys; those with a metric have its options beside it."""


def nearest(written: object, known: Iterable[str]) -> str:
    """Return what was probably meant, "" where nothing is near."""
    return next(iter(difflib.get_close_matches(str(written).lower(), list(known), 1, 0.6)), "")


def near(written: object, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" for what was probably meant, "" where nothing is near."""
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

    def refuse(self, code: str, path: Path, message: str) -> None:
        """Keep a problem of the value at a path."""
        where = f"{self.name}:{line_of(self.lines, path)}"
        self.problems.append(error(code, where, f"{dotted(path) or 'the file'}: {message}"))

    def section(self, key: str) -> Mapping[str, Any]:
        """Return a table of the file, an empty one where there is none, with its unknown keys refused."""
        if key not in self.sections:
            found = self.tree.get(key, {})
            if not isinstance(found, dict):
                self.refuse("bad-value", (key,), f"write it as a table, [{key}].")
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
                listing = f" Keys here: {', '.join(known)}." if not near(key, known) else near(key, known)
                self.refuse("unknown-key", (*path, key), f"there is no such key.{listing}")

    def required(self, path: Path, table: Mapping[str, Any], reason: str) -> bool:
        """Return whether a key is there, and refuse the file where it is not."""
        if path[-1] in table:
            return True
        self.refuse("missing-key", path, f"it is missing: {reason}")
        return False

    def text(
        self, path: Path, table: Mapping[str, Any], default: Any = None, longest: int = NAME_LENGTH
    ) -> Any:
        """Return a text as one line, the default where there is none."""
        value = table.get(str(path[-1]), default)
        if value is default:
            return default
        if not isinstance(value, str) or not shortened(value, longest).strip():
            self.refuse("bad-value", path, 'write a text in quotes, such as "stage".')
            return default
        if len(value) > longest:
            self.refuse("bad-value", path, f"it has {len(value):,} characters, at most {longest:,} fit.")
        return shortened(value, longest)

    def choice(
        self, path: Path, table: Mapping[str, Any], known: Iterable[str], default: str | None = None
    ) -> Any:
        """Return a text that is one of those known."""
        value, known = self.text(path, table, default), tuple(known)
        if value is not None and value not in known:
            self.refuse(
                "bad-value",
                path,
                f"{value!r} is none of {', '.join(known)}.{near(value, known)}",
            )
            return default
        return value

    def number(
        self,
        path: Path,
        table: Mapping[str, Any],
        default: float | None,
        low: float = -math.inf,
        high: float = math.inf,
    ) -> Any:
        """Return a finite number from low to high."""
        value = table.get(str(path[-1]), default)
        if value is default:
            return default
        wrong = isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1e300
        if wrong or not low <= value <= high:
            ends = {
                (True, True): f"a number from {low:g} to {high:g}",
                (True, False): f"a number, {low:g} or more",
            }.get((math.isfinite(low), math.isfinite(high)), "a number")
            self.refuse("bad-value", path, f"write {ends}.")
            return default
        return value

    def texts(self, path: Path, table: Mapping[str, Any], most: int = 1_000) -> tuple[str, ...]:
        """Return a list of different texts."""
        value = table.get(str(path[-1]), [])
        if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value):
            self.refuse("bad-value", path, 'write a list of texts, such as ["benign", "malignant"].')
            return ()
        if len(value) > most:
            self.refuse("bad-value", path, f"it has {len(value):,} entries, at most {most:,} are allowed.")
            return ()
        names = tuple(shortened(v, NAME_LENGTH) for v in value)
        if twice := sorted({name for name in names if names.count(name) > 1})[:3]:
            self.refuse("bad-value", path, f"{', '.join(map(repr, twice))} stands there twice.")
        return names
