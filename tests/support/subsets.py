"""Whether a JSON value holds at least what is expected of it."""

from collections.abc import Iterator


def differences(expected, found, tolerance: float, path: str = "$") -> Iterator[str]:
    """Where `found` departs from `expected`: objects may hold more keys, numbers differ by at most
    `tolerance`."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key in found:
                yield from differences(value, found[key], tolerance, f"{path}.{key}")
            else:
                yield f"{path}.{key} is not there"
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{path} has {len(found)} entries, {len(expected)} expected"
        for i, (value, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(value, other, tolerance, f"{path}[{i}]")
    elif _is_number(expected) and _is_number(found):
        if not abs(expected - found) <= tolerance:
            yield f"{path} is {found!r}, {expected!r} expected"
    elif expected != found or type(expected) is not type(found):
        yield f"{path} is {found!r}, {expected!r} expected"


def _is_number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
