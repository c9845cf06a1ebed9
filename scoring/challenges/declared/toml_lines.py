"""Lines of the keys of a TOML text, which `tomllib` does not tell."""

import re
from collections import Counter
from collections.abc import Mapping

Path = tuple[str | int, ...]
"""Keys from the top of a file down to a value; numbers are positions in `[[arrays]]`, from 0."""
_NAME = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'')


def key_lines(text: str) -> Mapping[Path, int]:
    """Return the line, from 1, of every table and key.

    Args:
        text: A text that `tomllib` reads.
    """
    lines: dict[Path, int] = {(): 1}
    counts: Counter[Path] = Counter()
    table: Path = ()
    quote, depth = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        if not depth and (header := _HEADER.match(line)):
            table = _names(header[2])
            if header[1] == "[[":
                counts[table] += 1
                table = (*table, counts[table] - 1)
            lines.setdefault(table, number)
            continue
        if not depth and (found := _KEY.match(line)):
            lines.setdefault((*table, *_names(found[1])), number)
        quote, depth = _open(line, depth)
    return lines


def line_of(lines: Mapping[Path, int], path: Path) -> int:
    """Return the line of a key, of the nearest table around it where it has none of its own."""
    while path not in lines:
        path = path[:-1]
    return lines[path]


def _names(dotted: str) -> Path:
    return tuple(name.strip().strip("\"'") for name in re.findall(_NAME, dotted))


def _open(line: str, depth: int) -> tuple[str, int]:
    """Return the quotation mark of a text that goes on below the line, and how many brackets are open."""
    for quote in ('"""', "'''"):
        if line.count(quote) % 2:
            return quote, depth
    bare = _TEXT.sub("", line).partition("#")[0]
    return "", max(0, depth + sum(map(bare.count, "[{")) - sum(map(bare.count, "]}")))
