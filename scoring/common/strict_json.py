"""Reads untrusted JSON strictly: no repeated keys, no NaN, and limits for nesting and length of texts."""

import json
from itertools import chain
from typing import Any

DEPTH = 40
"""Maximum nesting of lists and objects."""
TOO_LONG = "Exceeds the limit"
"""First words of Python's message about a number with more than 4,300 digits."""
_CONTAINERS = frozenset({list, dict})


class StrictJsonError(ValueError):
    """Raised for JSON that is not accepted; the message gives the reason without a full stop."""


def strict_loads(text: bytes | str, longest_text: int | None = None) -> Any:
    """Return the value of a JSON text.

    Args:
        longest_text: Maximum number of characters of a text or key; None: no limit.

    Raises:
        StrictJsonError: If the text is not JSON, or is JSON that different programs read differently.
    """
    try:
        value = json.loads(text, object_pairs_hook=with_each_key_once, parse_constant=_refuse_constant)
    except RecursionError:
        raise _too_deep() from None
    except StrictJsonError:
        raise
    except ValueError as problem:
        if str(problem).startswith(TOO_LONG):
            raise StrictJsonError("a number in it has more than 4,300 digits") from problem
        raise StrictJsonError(f"it is not JSON: {problem}") from problem
    _require_bounds(value, longest_text)
    return value


def with_each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values. Raises StrictJsonError if a key occurs twice."""
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise StrictJsonError(f"an object has the key {twice[:40]!a} twice")
    return value


def _refuse_constant(name: str) -> float:
    raise StrictJsonError(f"{name} is not a JSON number")


def _too_deep() -> StrictJsonError:
    return StrictJsonError(f"lists and objects are nested more than {DEPTH} deep")


def _require_bounds(value: Any, longest_text: int | None) -> None:
    """Do nothing if neither depth nor length of a value exceeds its limit. Raises StrictJsonError."""
    level: list[Any] = [[value]]
    for _ in range(DEPTH + 1):
        children = list(chain.from_iterable(c.values() if type(c) is dict else c for c in level))
        if longest_text is not None:
            keys = chain.from_iterable(container for container in level if type(container) is dict)
            texts = chain(keys, (child for child in children if type(child) is str))
            if any(len(text) > longest_text for text in texts):
                raise StrictJsonError(f"a text in it has more than {longest_text:,} characters")
        level = [child for child in children if type(child) in _CONTAINERS]
        if not level:
            return
    raise _too_deep()
