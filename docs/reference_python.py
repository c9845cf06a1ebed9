"""The reference page of the Python names: signatures, and docstrings as text and tables."""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin

import scoring
from scoring.challenges import REGISTRY
from scoring.comparison.compare import compare_cards
from scoring.core.options import Stage
from scoring.inputs.sources import SourceFiles
from scoring.statistics.interval_options import StatisticsOptions

SECTION = re.compile(r"^([A-Z][a-z]+):\n((?:(?: .*)?\n)+)", re.M)
"""A section of a docstring in Google style: title and indented text."""
LISTS = {"Args": "argument", "Attributes": "attribute", "Raises": "error"}


def python() -> str:
    """Return signature and docstring of every name that `scoring` offers."""
    lines = ["# Python", "", "After `import scoring`, these functions and classes are available.", ""]
    offered = {name: value for name in scoring.__all__ if callable(value := getattr(scoring, name))}
    for name, value in offered.items():
        lines += () if inspect.isclass(value) else _function(name, value)
    lines += _keywords()
    for name, value in offered.items():
        lines += _class(name, value) if inspect.isclass(value) else ()
    return "\n".join(lines)


def _function(name: str, value: Callable[..., Any]) -> Iterator[str]:
    yield from (f"## `scoring.{name}`", "", *_signature(name, value), *_docstring(value))


def _class(name: str, value: type) -> Iterator[str]:
    """Yield a class with its attributes and public methods. Its constructor is left out, because users get
    objects of the class from functions."""
    yield from (f"## `scoring.{name}`", "", *_docstring(value))
    for key, entry in vars(value).items():
        if key.startswith("_") or not inspect.getdoc(entry):
            continue
        if isinstance(entry, property):
            yield from (f"### `{name}.{key}`", "", *_docstring(entry))
        elif inspect.isfunction(entry) or isinstance(entry, classmethod):
            yield from (f"### `{name}.{key}()`", "")
            yield from (*_signature(key, getattr(value, key)), *_docstring(entry))


def _signature(name: str, value: Callable[..., Any]) -> list[str]:
    """Return a signature as code, with a line per parameter if there are several."""
    given = inspect.signature(value)
    entries = [entry for entry in given.parameters.values() if entry.name != "self"]
    parts = [_parameter(entry) for entry in entries]
    keyword_only = [index for index, entry in enumerate(entries) if entry.kind is entry.KEYWORD_ONLY]
    if keyword_only and not any(entry.kind is entry.VAR_POSITIONAL for entry in entries):
        parts.insert(keyword_only[0], "*")
    listed = ", ".join(parts) if len(parts) < 2 else "\n" + "".join(f"    {part},\n" for part in parts)
    return ["```python", f"{name}({listed}) -> {_type(given.return_annotation)}", "```", ""]


def _parameter(entry: inspect.Parameter) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(entry.kind.name, "")
    given = getattr(entry.default, "__name__", repr(entry.default))
    default = "" if entry.default is entry.empty else f" = {given}"
    return f"{stars}{entry.name}: {_type(entry.annotation)}{default}"


def _type(annotation: Any) -> str:
    """Return a type as users write it, without module names and without Benchside's own type of files."""
    if get_origin(annotation) in (Union, UnionType):
        kinds = (one for one in get_args(annotation) if one.__module__ != SourceFiles.__module__)
        return " | ".join(map(_type, kinds))
    if annotation is type(None):
        return "None"
    written = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", written)


def _docstring(value: Any) -> Iterator[str]:
    """Yield a docstring: paragraphs as text, and sections that list names as tables."""
    text = f"{inspect.getdoc(value)}\n"
    types = getattr(value, "__annotations__", {}) if inspect.isclass(value) else {}
    yield from (SECTION.sub("", text).strip(), "")
    for title, body in SECTION.findall(text):
        words = textwrap.dedent(body).strip()
        if title in LISTS:
            yield from _table(LISTS[title], entries(words), types if title == "Attributes" else {})
        else:
            yield from (f"**{title}:** {words}", "")


def entries(text: str) -> dict[str, str]:
    """Return the meaning of each name of a list in a docstring."""
    found = re.findall(r"^(\*{0,2}\w+): (.*(?:\n .*)*)", text, re.M)
    return {name: " ".join(meaning.split()) for name, meaning in found}


def _table(what: str, meanings: Mapping[str, str], types: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table of names and meanings. It contains every name that has a meaning or a type."""
    names = [*types, *(name for name in meanings if name not in types)]
    titles = (what, "type", "meaning") if types else (what, "meaning")
    yield from (f"| {' | '.join(titles)} |", "|---" * len(titles) + "|")
    for name in names:
        kind = f" `{_type(types[name])}` |" if name in types else " |" if types else ""
        yield f"| `{name}` |{kind} {cell(meanings.get(name, ''))} |"
    yield ""


def cell(text: str) -> str:
    """Return a text as the cell of a table."""
    return text.replace("|", "\\|")


def _keywords() -> Iterator[str]:
    """Yield tables of the keywords that `**options` and `**shared` accept."""
    yield from ("## Keywords of `score`, `compare` and `log`", "")
    yield from ("Every challenge accepts these keywords. In `compare`, a keyword applies to all teams.", "")
    shared = entries_of(StatisticsOptions, "Attributes")
    yield from _with_defaults(shared, inspect.signature(StatisticsOptions))
    yield from ("Some challenges accept further keywords:", "")
    yield from _of_challenges("truth", "predictions", "score")
    yield from ("Only `compare` accepts these keywords:", "")
    meanings = entries_of(compare_cards, "Args")
    chosen = {name: meanings[name] for name in ("pairs_metric", "pairs_test", "facts")}
    yield from _with_defaults(chosen, inspect.signature(compare_cards))
    yield from _of_challenges("compare")


def _of_challenges(*stages: Stage) -> Iterator[str]:
    """Yield a table of the options that single challenges have in some stages."""
    yield from ("| challenge | keyword | default | meaning |", "|---|---|---|---|")
    for challenge_id in REGISTRY:
        for option in scoring.load_challenge(challenge_id).options_of(*stages):
            yield f"| `{challenge_id}` | `{option.name}` | `{option.default!r}` | {cell(option.help)} |"
    yield ""


def entries_of(value: Any, title: str) -> dict[str, str]:
    """Return the names that a section of a docstring lists, with their meanings."""
    sections = dict(SECTION.findall(f"{inspect.getdoc(value)}\n"))
    return entries(textwrap.dedent(sections[title]))


def _with_defaults(meanings: Mapping[str, str], given: inspect.Signature) -> Iterator[str]:
    yield from ("| keyword | default | meaning |", "|---|---|---|")
    for name, meaning in meanings.items():
        yield f"| `{name}` | `{given.parameters[name].default!r}` | {cell(meaning)} |"
    yield ""
