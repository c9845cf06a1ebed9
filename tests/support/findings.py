"""What was said about an input, in forms that are easy to compare."""

from collections.abc import Callable, Iterable

import pytest

from scoring import Finding, InputRefused


def codes(entries: Iterable[Finding]) -> list[str]:
    return [entry.code for entry in entries]


def places(entries: Iterable[Finding]) -> list[tuple[str, str]]:
    return [(entry.code, entry.where) for entry in entries]


def only(entries: Iterable[Finding], code: str) -> Finding:
    """The one entry of that code."""
    found = [entry for entry in entries if entry.code == code]
    assert len(found) == 1, [f"{entry.code} {entry.where}" for entry in entries]
    return found[0]


def outcome(call: Callable, *arguments) -> tuple[object, tuple[Finding, ...]]:
    """What a call gives, or the problems for which it refuses its input; nothing else may come out of it."""
    try:
        return call(*arguments), ()
    except InputRefused as refusal:
        return None, refusal.problems


def refused(call: Callable, *arguments, **options) -> InputRefused:
    """The refusal that a call ends in; its problems are errors, what else it holds is none."""
    with pytest.raises(InputRefused) as caught:
        call(*arguments, **options)
    assert caught.value.problems
    assert {p.level for p in caught.value.problems} == {"error"}
    assert all(f.level != "error" for f in caught.value.findings)
    return caught.value
