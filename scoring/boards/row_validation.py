"""Validation of a board's rows in a bundle or in the store: each column must have allowed values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.comparison.team_facts import LABELS, TeamFacts, parse
from scoring.inputs.sources import sha256
from scoring.store import schema
from scoring.store.kept_files import DIGEST

COUNTS = ("last", "best")
DETAILS = ("none", "score", "classes", "cases")
OPENED = "opened"
"""Disclosure level of a truth that was hidden and is open now. The ranked submissions stay the same as
before."""
WITHHELD = sha256(b"withheld")
"""Text that replaces the SHA-256 of a hidden truth in a bundle without the truth, because guesses could be
checked against the SHA-256. The bundle contains only the shown scores."""
LEFT_OUT = sha256(b"left out")
"""Text that replaces the SHA-256 of an open truth in a bundle without the truth. The bundle contains all
scores."""
DRAFT, PUBLIC = "draft", "public"
VISIBILITIES = (DRAFT, "unlisted", PUBLIC)
IMPORTED = "imported"
"""Option of a board that contains a leaderboard imported from a platform. This board has no test set and no
submissions."""
PARTS = ("score", "compare", "statistics")
"""Options that every board with a test set has."""
BOARD_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_TIME = re.compile(r"(19|20|21)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00")
_MOST = 2**31 - 1
"""Largest number that the tables can store."""
MOST_SUBMISSIONS = 1_000_000
"""Largest limit that a phase can set for the submissions of a team."""


@dataclass(frozen=True)
class Rule:
    """A rule for a value. `words` describes the rule; `holds` is the function that checks it."""

    words: str
    holds: Callable[[Any], bool]


def _number(least: int, most: int) -> Rule:
    return Rule(f"a number from {least} to {most}", lambda value: least <= value <= most)


def _pattern(words: str, pattern: re.Pattern[str]) -> Rule:
    return Rule(words, lambda value: bool(pattern.fullmatch(value)))


def _choice(*values: str) -> Rule:
    return Rule(f"one of {', '.join(values)}", lambda value: value in values)


def is_time(value: str) -> bool:
    """Return whether a text is a time as the tables hold it, in the years 1900 to 2199."""
    try:
        return bool(_TIME.fullmatch(value) and datetime.fromisoformat(value))
    except ValueError:
        return False


def _are_options(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if IMPORTED in value:
        return _is_leaderboard(value[IMPORTED])
    return all(isinstance(value.get(part), dict) for part in PARTS)


def _is_leaderboard(value: Any) -> bool:
    """Return whether a value is a leaderboard as `imported_leaderboards.keep` stores it."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("platform"), str)
        and isinstance(value.get("score"), str | None)
        and isinstance(value.get("ascending"), bool)
        and isinstance(value.get("columns"), list)
        and all(isinstance(name, str) for name in value["columns"])
        and _is_page(value.get("page"))
        and isinstance(value.get("entries"), list)
        and all(_is_entry(entry) for entry in value["entries"])
    )


def _is_page(page: Any) -> bool:
    return page is None or (isinstance(page, list) and [type(n) for n in page] == [int, int])


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, list) or len(entry) != 4 or not isinstance(entry[2], dict):
        return False
    team, time, values, rank = entry
    numbers = all(type(value) in (int, float) and abs(value) < 1e300 for value in values.values())
    return isinstance(team, str) and isinstance(time, str | None) and isinstance(rank, int | None) and numbers


def _are_problems(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), str) for key in ("code", "where", "message"))
        for entry in value
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, dict) and {*map(type, value.values())} <= {str}


def _is_change(value: Any) -> bool:
    is_pair = isinstance(value, dict) and value.keys() == {"time", "rule"}
    return is_pair and isinstance(value["time"], str) and is_time(value["time"]) and _are_texts(value["rule"])


def _is_ranked(value: Any) -> bool:
    if not isinstance(value, dict) or value.keys() != {"team", "rank", "score", "interval", "submission"}:
        return False
    texts = isinstance(value["team"], str) and isinstance(value["submission"], str)
    known = (value["rank"], *(value["interval"] or ()), value["score"] or 0)
    return texts and all(type(number) in (int, float) for number in known)


def _are_facts(value: Any) -> bool:
    try:
        return isinstance(value, dict) and facts_of_row(value) is not None
    except ValueError:
        return False


_SHA256 = _pattern("64 hexadecimal digits", DIGEST)
_WHEN = Rule("a time in UTC such as 2026-12-31T18:00:00.000000+00:00", is_time)
_FINITE = Rule("a finite number", lambda value: abs(value) < 1e300)
RULES: Mapping[str, Rule] = {
    "board.id": _pattern("small letters, digits and hyphens, at most 64", BOARD_ID),
    "board.options": Rule(f"an object with {', '.join(PARTS)}", _are_options),
    "submission.options": Rule("an object", lambda value: isinstance(value, dict)),
    "counts": _choice(*COUNTS),
    "detail": _choice(*DETAILS, OPENED),
    "decimals": _number(1, 3),
    "spent": Rule("a number from 0", lambda value: 0 <= value < 1e300),
    "visibility": _choice(*VISIBILITIES),
    "version": _number(1, _MOST),
    "number": _number(1, _MOST),
    "per_day": _number(1, MOST_SUBMISSIONS),
    "total": _number(1, MOST_SUBMISSIONS),
    "refused_per_day": _number(1, 1000),
    "step": Rule("a number of 0.001 or more", lambda value: 0.001 <= value < 1e300),
    **dict.fromkeys(("sha256", "metadata_sha256", "card"), _SHA256),
    **dict.fromkeys(("created", "opens", "closes"), _WHEN),
    **dict.fromkeys(("score", "low", "high"), _FINITE),
    "problems": Rule("a list of findings", _are_problems),
    "cases": Rule("a list of ids", lambda value: isinstance(value, list) and {*map(type, value)} <= {str}),
    "rule": Rule("an object of texts", _are_texts),
    "later": Rule("a list of times with rules", lambda value: all(map(_is_change, value))),
    "ranking": Rule("a list of ranks", lambda value: all(map(_is_ranked, value))),
    "share": Rule("a share between 0 and 1", lambda value: 0 < value < 1),
    "seed": _number(0, _MOST),
    "facts": Rule("facts about a team", _are_facts),
}
"""Rules by column, or by table and column. They apply to values that have the column's type."""
_TYPES: Mapping[type, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
}


@cache
def _columns(table: type[schema.Base]) -> tuple[tuple[str, bool, tuple[type, ...], str, Rule | None], ...]:
    """Return for each column of a table: its name, whether it may be missing, its types and their name, and
    its rule."""
    return tuple(
        (
            column.name,
            bool(column.nullable),
            *_TYPES.get(column.type.python_type, ((dict, list), "an object or a list")),
            RULES.get(f"{table.__tablename__}.{column.name}") or RULES.get(column.name),
        )
        for column in table.__table__.columns
    )


def row_problems(table: type[schema.Base], values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and the problem of each invalid column of a row. The texts of the problems end without a
    full stop."""
    for name, is_optional, types, type_name, rule in _columns(table):
        value = values.get(name)
        if value is None:
            if not is_optional:
                yield name, "it is missing"
        elif not isinstance(value, types) or (value.__class__ is bool and bool not in types):
            yield name, f"it is not {type_name}"
        elif rule is not None and not rule.holds(value):
            text = "it" if isinstance(value, (dict, list)) else shortened(value, 40)
            yield name, f"{text} is not {rule.words}"


def plain(row: schema.Base) -> dict[str, Any]:
    """Return the values of a database row by column."""
    return {column.name: getattr(row, column.name) for column in row.__table__.columns}


def require_readable(board_id: str, rows: Iterable[schema.Base]) -> None:
    """Check that a board's rows in the store follow the rules. Raises InputRefused `board-damaged` with the
    first invalid value."""
    for row in rows:
        for name, problem in row_problems(type(row), plain(row)):
            raise damaged(board_id, f"{row.__tablename__}, {name}: {problem}")


def damaged(board_id: str, problem: str) -> InputRefused:
    """Return the exception that refuses a board with unreadable rows. `problem` is a sentence without a full
    stop."""
    message = f"this board cannot be read ({problem}): delete it, or restore the last backup."
    return InputRefused([error("board-damaged", shortened(board_id, 64), message)])


def facts_of_row(values: Mapping[str, Any]) -> TeamFacts:
    """Return the facts about a team that a row contains.

    Raises:
        ValueError: If the facts are invalid. This can happen, because anybody can write the rows of a bundle.
    """
    texts = {fact: "" if value is None else str(value) for fact, value in values.items()}
    if set(texts) != set(LABELS):
        raise ValueError("these are not facts about a team")
    facts, problems = parse("", texts)
    if problems:
        raise ValueError(problems[0].message)
    return facts
