"""Patterns take time in proportion to the text: one cell of 60,000 digits stopped the whole server."""

import ast
import importlib
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

import scoring
from tests.support.soak import FACTOR

ROOT = Path(scoring.__file__).parents[1]
SEARCHES = ("sub", "subn", "split", "findall", "finditer", "search")
METHODS = dict.fromkeys(SEARCHES, "search") | {"match": "match", "fullmatch": "fullmatch"}
LENGTH, MOST_SECONDS = 6_000, 0.04
"""Length of the texts, and the processor time that a pattern may take for one. Linear patterns take less than
0.002 s, quadratic patterns 0.1 to 2 s."""
SEEDS = ("9", " ", "a", "_", ",", ".", "-", '"', "x9", "9 ", "a,", "[", "\n", "'")
BOUNDED: dict[str, str] = {}
"""Pattern that is slow for long texts -> why it gets none."""


def used(file: Path) -> tuple[dict[str, set[str]], dict[tuple[str, str], str]]:
    """Return how a file calls the methods of patterns: name of the pattern -> methods; and (literal pattern,
    method) of `re.search("...", text)` and the like -> place."""
    names, literals = defaultdict(set), {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            names[ast.unparse(owner)].add(METHODS[node.attr])
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
            method, text = getattr(node.func, "attr", ""), node.args[0]
            if method in METHODS and isinstance(text, ast.Constant):
                literals[text.value, METHODS[method]] = f"{file.relative_to(ROOT)}:{node.lineno}"
    return names, literals


def held(value: Any) -> list[re.Pattern]:
    """Return the patterns in a value of a module."""
    parts = (
        value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else [value]
    )
    return [part for part in parts if isinstance(part, re.Pattern)]


def patterns() -> Iterator[tuple[str, re.Pattern, str]]:
    """Yield each pattern of the code with its place and a method that is called with it."""
    seen = set()
    for module in pkgutil.walk_packages(scoring.__path__, "scoring."):
        if module.name.endswith("__main__"):
            continue
        values = vars(importlib.import_module(module.name))
        names, literals = used(Path(str(values["__file__"])))
        found = [(place, re.compile(text), method) for (text, method), place in literals.items()]
        for name, methods in names.items():
            first, *rest = name.split(".")
            owner = values.get(first) if not rest else getattr(values.get(first), rest[0], None)
            found += [(f"{module.name}.{name}", p, method) for p in held(owner) for method in methods]
        for place, pattern, method in found:
            if (pattern, method) not in seen:
                seen.add((pattern, method))
                yield place, pattern, method


def matching(pattern: re.Pattern) -> list[Any]:
    """Return a few texts that match, and texts of single characters."""
    found: list[Any] = [seed.encode() if isinstance(pattern.pattern, bytes) else seed for seed in SEEDS]

    @settings(
        max_examples=2 * FACTOR,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(st.from_regex(pattern, fullmatch=True))
    def collect(text: Any) -> None:
        found.append(text[:60])

    if re.search(r"[*+]", str(pattern.pattern)):
        with suppress(Unsatisfiable):
            collect()
    return found


def pumped(text: Any) -> Iterator[Any]:
    """Yield long texts: a part of one or two characters many times, between what stands before and after."""
    step = max(1, len(text) // (8 * FACTOR))
    ends = ("", "!", "x") if isinstance(text, str) else (b"", b"!", b"x")
    for start in range(0, len(text), step):
        for size in (1, 2):
            unit, rest = text[start : start + size], text[start + size :]
            for end in (*ends, rest + ends[1]):
                yield text[:start] + unit * (LENGTH // size) + end


def seconds(call: Any, text: Any) -> float:
    """Return the least processor time of up to three calls."""
    found = float("inf")
    for _ in range(3):
        start = process_time()
        call(text)
        found = min(found, process_time() - start)
        if found < MOST_SECONDS:
            break
    return found


def slow() -> dict[str, str]:
    """Return the patterns that are slow for a text: the place -> method, pattern and text."""
    found = {}
    for place, pattern, method in patterns():
        for text in (long for seed in matching(pattern) for long in pumped(seed)):
            if seconds(getattr(pattern, method), text) > MOST_SECONDS:
                found[place] = f"{method} {pattern.pattern!r} {text[:20]!r} ... {text[-8:]!r}"
                break
    return found


def test_every_pattern_is_linear_in_the_length_of_its_text():
    found = slow()
    assert found.keys() <= BOUNDED.keys(), "\n".join(f"{place}: {what}" for place, what in found.items())
