"""What `tomllib` does not do with TOML: read untrusted files safely, find the line of each key, and write
TOML text."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.strict_json import TOO_LONG
from scoring.common.text import shortened

Path = tuple[str | int, ...]
"""Keys that lead from the top of a file to a value. Numbers are positions in `[[arrays]]`, from 0."""
_NAME = r"""(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_NAME}(?:\s*\.\s*{_NAME})*"
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")
_TEXT = re.compile(r'"(?:\\.|[^"\\])*+(?:"|$)|\'[^\']*(?:\'|$)')
BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Pattern of keys that need no quotes."""
PART = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')[ \t]*"""
DIGITS = re.compile(r"[\d_]{4301}")
LONG_KEY = re.compile(rf"(?<![\w-]){PART}(?:\.[ \t]*{PART}){{20}}")
"""Pattern of a key with more than 20 parts. For such keys, the time and memory of `tomllib` grow with the
square of the length."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Pattern of characters that are not allowed: control characters, and those that are invisible or reverse the
direction of text."""


def read_toml(
    data: bytes | str, name: str, largest: int, advice_of: Mapping[str, str]
) -> tuple[dict[str, Any], Mapping[Path, int]]:
    """Return the content of an untrusted file, and the line of each key. Raises InputRefused (`bad-toml`) if
    it has more than `largest` bytes or is not TOML.

    Args:
        advice_of: Start of a message of `tomllib` -> advice that is added to it.
    """
    where = name
    try:
        if len(data) > largest:
            raise ValueError(f"it has more than {largest:,} bytes, the limit for such files: shorten it.")
        if (b"\0" in data) if isinstance(data, bytes) else ("\0" in data):
            raise ValueError("it holds NUL characters: save it as plain text in UTF-8.")
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        if long := LONG_KEY.search(text):
            where = f"{name}:{text.count(chr(10), 0, long.start()) + 1}"
            raise ValueError("a key has more than 20 parts: keys of this file have at most three.")
        return tomllib.loads(text), key_lines(text)
    except UnicodeDecodeError:
        message = (
            "it is not text in UTF-8: save the file as UTF-8. If it is a truth, give it as the truth instead."
        )
    except RecursionError:
        message = "its lists and tables are nested too deep."
    except tomllib.TOMLDecodeError as problem:
        words, line = str(problem).split(" (at ")[0][:200], re.search(r"\(at line (\d+)", str(problem))
        where = f"{name}:{line[1] if line else len(text.splitlines())}"
        advice = next((f" {a}" for start, a in advice_of.items() if words.startswith(start)), "")
        message = f"it is not TOML: {words}.{advice}"
    except ValueError as problem:
        message = str(problem)
        if message.startswith(TOO_LONG):
            where = f"{name}:{next(i for i, line in enumerate(text.splitlines(), 1) if DIGITS.search(line))}"
            message = "a number has more than 4,300 digits: shorten it."
    raise InputRefused([error("bad-toml", where, message)])


def key_lines(text: str) -> Mapping[Path, int]:
    """Return the line, from 1, of every table and key in a valid TOML text."""
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
        quote = next((mark for mark in ('"""', "'''") if line.count(mark) % 2), "")
        if not quote:
            bare = _TEXT.sub("", line).partition("#")[0]
            depth = max(0, depth + sum(map(bare.count, "[{")) - sum(map(bare.count, "]}")))
    return lines


def _names(dotted: str) -> Path:
    return tuple(name.strip().strip("\"'") for name in re.findall(_NAME, dotted))


def dotted(path: Path) -> str:
    """Return a path in readable form: `score.parts[2].metric`."""
    text = "".join(f"[{key + 1}]" if isinstance(key, int) else f".{shortened(key, 40)}" for key in path)
    return text.removeprefix(".")


def texts_of(value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield every text and every key in a value, with its path."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield (*path, key), key
            yield from texts_of(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from texts_of(inner, (*path, i) if isinstance(inner, Mapping) else path)


def hidden_characters(value: object) -> Iterator[tuple[Path, str]]:
    """Yield the path of each text or key in a value that contains a hidden character, and a message that
    names the character."""
    for path, text in texts_of(value):
        if found := HIDDEN.search(text):
            character = f"U+{ord(found[0]):04X}"
            yield path, f"it contains the hidden character {character}: write it without that character."


def toml_of(tree: Mapping[str, Any]) -> str:
    """Return nested keys and values as TOML text; empty values are left out."""
    tables = [(key, value) for key, value in tree.items() if value]
    lines = _pairs({key: value for key, value in tables if not _is_table(value)})
    for key, value in tables:
        for table in (value if isinstance(value, list) else [value]) if _is_table(value) else ():
            if pairs := _pairs(table):
                lines += ["", f"[[{key}]]" if isinstance(value, list) else f"[{key}]", *pairs]
    return "\n".join(lines) + "\n"


def _is_table(value: object) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and isinstance(value[0], Mapping))


def _pairs(pairs: Mapping[str, Any]) -> list[str]:
    """Return keys with values as TOML; empty ones are left out."""
    return [
        f"{name if BARE.fullmatch(name) else _value(name)} = {_value(value)}"
        for name, value in pairs.items()
        if value not in ("", [], (), None)
    ]


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):  # the escapes of JSON are those of TOML, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
