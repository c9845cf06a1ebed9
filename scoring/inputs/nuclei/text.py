"""Parse a JSON file, and find where it is broken."""

import codecs
import json
import re
from typing import Any

from scoring.common.findings import Finding, error

STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]++|\\.)*+"|(?P<constant>NaN|-?Infinity)', re.DOTALL)
EXACT_DIGITS = 18


class _Constant(Exception):
    """NaN or Infinity, which JSON does not have."""


def document(data: bytes, where: str) -> tuple[Any, Finding | None]:
    """Return the objects of a JSON file, or None and why it cannot be read (`bad-json`). Of keys that occur
    twice the last one holds, as everywhere in Python. Integers beyond 18 digits become floats."""
    mark = len(codecs.BOM_UTF8) if data.startswith(codecs.BOM_UTF8) else 0
    try:
        text = data[mark:].decode("utf-8")
        return json.loads(text, parse_constant=_refuse_constant, parse_int=_integer), None
    except UnicodeDecodeError as fault:
        return None, bad_json(where, f"byte {fault.start + mark} is not UTF-8. Save it as JSON in UTF-8.")
    except _Constant as fault:
        found = next(match for match in STRING_OR_CONSTANT.finditer(text) if match["constant"])
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        return None, bad_json(
            where, f"line {line}, column {column}: {fault} is no number in JSON. Leave such nuclei out."
        )
    except json.JSONDecodeError as fault:
        return None, bad_json(where, _broken(fault, text))
    except RecursionError:
        return None, bad_json(
            where, "its lists or objects are nested too deeply to be read. Write the nuclei as one list."
        )


def bad_json(where: str, message: str) -> Finding:
    """Return `bad-json`."""
    return error("bad-json", where, message)


def _broken(fault: json.JSONDecodeError, text: str) -> str:
    if not text.strip():
        return f"it is empty ({len(text)} characters). Was the upload cut off?"
    cut = (
        " It ends there: was the upload cut off?"
        if fault.pos >= len(text.rstrip()) or "Unterminated" in fault.msg
        else ""
    )
    return (
        f"line {fault.lineno}, column {fault.colno}: it is not JSON "
        f"({fault.msg}).{cut or ' Write the file with a JSON library.'}"
    )


def _refuse_constant(word: str) -> None:
    raise _Constant(word)


def _integer(digits: str) -> int | float:
    # int() takes quadratic time for very long ones, and refuses them; as float they are the same number
    return int(digits) if len(digits) <= EXACT_DIGITS else float(digits)
