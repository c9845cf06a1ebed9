"""Readers of leaderboards that Grand Challenge, Codabench, EvalAI or Kaggle export."""

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from scoring.common.findings import Finding, InputRefused, error, warning
from scoring.common.text import name_skeleton, shortened
from scoring.inputs.sources import Source, SourceFiles, open_source
from scoring.inputs.team_entries import name_problems

BYTES, ENTRIES, COLUMNS, DEPTH, LISTED = 20_000_000, 10_000, 60, 4, 5
TEAM_COLUMNS = ("username", "user", "team", "teamname", "participantteam", "participant", "creator", "name")
DATE_COLUMNS = (
    *("date", "created", "submitted", "submittedat", "created(utc)"),
    *("submissiondate", "lastsubmissiondate"),
)
"""Headings of columns with a date, in small letters, without blanks, hyphens and underscores."""
KAGGLE = {"teamid", "teamname"}
"""Columns that only leaderboards of Kaggle have."""
_NEXT_PAGE, _PRINTED = "Next Page Token = ", "Using competition: "
"""Two lines that Kaggle's command prints before the table."""
SCORE = "score"
_SUBMISSION = re.compile(r"-\d+$")


@dataclass(frozen=True)
class LeaderboardRow:
    """A row of a leaderboard.

    Attributes:
        created: Time of the submission in ISO 8601, with the time zone if the platform gives one; None if
            unknown.
        values: Numbers by column.
        rank: The platform's rank; None if unknown, 0 for a baseline without rank.
        unread: Cells that are left out, because they are no finite number or no time.
    """

    team: str
    created: str | None
    values: Mapping[str, float]
    rank: int | None = None
    unread: tuple[str, ...] = ()


@dataclass(frozen=True)
class Leaderboard:
    """A leaderboard exported by a platform.

    Attributes:
        score: The column that ranks the entries; None if the file does not name it.
        ascending: Columns for which the file says that lower is better.
        page: Number of rows in the file and on the platform (0: unknown), if the file is one of several
            pages.
    """

    platform: str
    entries: tuple[LeaderboardRow, ...]
    score: str | None = None
    columns: tuple[str, ...] = ()
    ascending: tuple[str, ...] = ()
    page: tuple[int, int] | None = None

    def findings(self) -> list[Finding]:
        """Return a warning if the file is one of several pages, and one about cells that are left out."""
        join = f"{of_page(self.page)}: join the pages, or export all rows at once (`limit`, `--download`)."
        unread = [f"{entry.team}, {cell}" for entry in self.entries for cell in entry.unread]
        listed = "; ".join(unread[:LISTED]) + f"; and {len(unread) - LISTED:,} more" * (len(unread) > LISTED)
        left_out = f"cells without a finite number or a time are left out: {listed}. Correct the file."
        texts = [text for text, applies in ((join, self.page), (left_out, unread)) if applies]
        return [warning("incomplete-leaderboard", self.platform, text) for text in texts]


def read_leaderboard(source: Source, score: str | None = None, team: str | None = None) -> Leaderboard:
    """Read a leaderboard that a platform exported as JSON, CSV, or a zip of one CSV.

    Args:
        score: The column to rank by; None: the column that the file names, the only one, or the one called
            "score".
        team: The column with the team names; None: a column with a known name.

    Raises:
        InputRefused: `bad-leaderboard` if the file is not a leaderboard or the column is unclear.
    """
    files = open_source(source)
    tables = [m for m in files.members if m.lower().endswith((".csv", ".json"))] or list(files.members)
    if len(tables) != 1:
        message = (
            f"the file contains {len(tables)} tables, but only one can be imported: import each phase "
            "separately."
        )
        raise _refusal(files, message)
    member = tables[0]
    if files.sizes[member] > BYTES:
        raise _refusal(files, f"the file has more than {BYTES // 1_000_000} MB.")
    try:
        text = files.read(member).decode("utf-8-sig")
        leaderboard = _of_json(json.loads(text)) if text.lstrip()[:1] in ("{", "[") else _of_csv(text, team)
    except _NoTeam as problem:
        listed = ", ".join(shortened(name, 40) for name in problem.columns[:12]) or "none"
        message = f"which column contains the team names? Name it with --team-column; columns: {listed}."
        raise _refusal(files, message) from problem
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error) as problem:
        message = (
            "the file is not a leaderboard of Grand Challenge (JSON of evaluations), Codabench (CSV or JSON "
            "of results), EvalAI (JSON) or Kaggle (CSV). A CSV file with a column of teams and a column of "
            "numbers is accepted too."
        )
        raise _refusal(files, message) from problem
    if not leaderboard.entries or len(leaderboard.entries) > ENTRIES:
        raise _refusal(
            files, f"the leaderboard has {len(leaderboard.entries)} entries; 1 to {ENTRIES} are allowed."
        )
    _require_distinct_teams(leaderboard, files.name)
    return _ranked_by(leaderboard, score, files)


def _require_distinct_teams(leaderboard: Leaderboard, name: str) -> None:
    """Refuse team names that are unreadable or look alike, as submissions' are."""
    known: dict[str, str] = {}
    for team in sorted({entry.team for entry in leaderboard.entries}):
        twin = known.setdefault(name_skeleton(team), team)
        if problems := list(name_problems(team, name, [twin])):
            raise InputRefused(problems)


def _ranked_by(leaderboard: Leaderboard, score: str | None, files: SourceFiles) -> Leaderboard:
    columns = tuple(dict.fromkeys(name for entry in leaderboard.entries for name in entry.values))[:COLUMNS]
    named = score or leaderboard.score or (columns[0] if len(columns) == 1 else SCORE)
    exact = [name for name in columns if name == named] or [
        name for name in columns if name.rpartition("-")[2].lower() == named.lower()
    ]
    if len(exact) != 1:
        listed = ", ".join(shortened(name, 40) for name in columns[:12]) or "none"
        message = f"which column is the score? Name it with --score; columns of numbers: {listed}."
        raise _refusal(files, message)
    return replace(leaderboard, score=exact[0], columns=columns)


def of_page(page: tuple[int, int] | None) -> str:
    """Return how many of a platform's entries a file has; "" if it has all."""
    if not page:
        return ""
    there = f"the platform's {page[1]:,}" if page[1] else "more"
    return f"The file holds {page[0]:,} of {there} entries"


def _refusal(files: SourceFiles, message: str) -> InputRefused:
    return InputRefused([error("bad-leaderboard", files.name, message)])


def _of_json(value: Any) -> Leaderboard:
    """Read the JSON of a platform. Raises various exceptions if the JSON has another form."""
    if isinstance(value, dict) and "results" not in value:
        return _codabench(value)
    rows = value["results"] if isinstance(value, dict) else value
    is_evalai = "submission__participant_team__team_name" in rows[0]
    leaderboard = _evalai(rows) if is_evalai else _grand_challenge(rows)
    there = int(value.get("count") or 0) if isinstance(value, dict) else 0
    return replace(leaderboard, page=(len(rows), there)) if there > len(rows) else leaderboard


def _evalai(rows: Sequence[Mapping[str, Any]]) -> Leaderboard:
    layout = rows[0]["leaderboard__schema"]
    entries = tuple(
        _entry(
            row["submission__participant_team__team_name"],
            row.get("submission__submitted_at"),
            zip(layout["labels"], row["result"], strict=True),
            0 if row.get("submission__is_baseline") else None,
        )
        for row in rows
    )
    columns = (layout.get("metadata") or {}).items()
    ascending = tuple(name for name, how in columns if how.get("sort_ascending"))
    return Leaderboard("EvalAI", entries, layout.get("default_order_by"), ascending=ascending)


def _grand_challenge(rows: Sequence[Mapping[str, Any]]) -> Leaderboard:
    entries = []
    for row in rows:
        submission = row["submission"]
        creator = submission["creator"]
        name = creator["username"] if isinstance(creator, dict) else creator
        values = [output["value"] for output in row["outputs"] if isinstance(output["value"], dict)]
        numbers = dict(pair for value in values for pair in _flat(value))
        rank = row.get("rank")
        if rank:  # unranked evaluations are not on the leaderboard
            entries.append(_entry(name, submission.get("created"), numbers.items(), rank))
    return Leaderboard("Grand Challenge", tuple(entries))


def _flat(value: Mapping[str, Any], before: str = "", depth: int = DEPTH) -> Iterator[tuple[str, Any]]:
    """Yield the numbers of nested objects, with names such as `aggregates.dice`."""
    for key, inner in value.items():
        if isinstance(inner, dict) and depth > 1:
            yield from _flat(inner, f"{before}{key}.", depth - 1)
        elif isinstance(inner, (int, float)):
            yield f"{before}{key}", inner


def _codabench(value: Mapping[str, Any]) -> Leaderboard:
    ((_, rows),) = [(title, rows) for title, rows in value.items() if rows]  # one phase
    return Leaderboard("Codabench", _of_users({name: dict(row) for name, row in rows.items()}))


def _of_users(rows: Mapping[str, Mapping[str, Any]]) -> tuple[LeaderboardRow, ...]:
    """Return one entry per user. Newer exports append the number of the submission (`user-123`)."""
    numbered = all(_SUBMISSION.search(name) for name in rows)
    return tuple(
        _entry(_SUBMISSION.sub("", name) if numbered else name, None, row.items())
        for name, row in rows.items()
    )


class _NoTeam(ValueError):
    """Raised if no column of a table contains team names. `columns` lists its columns."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__("no column contains team names")
        self.columns = columns


def _of_csv(text: str, team: str | None = None) -> Leaderboard:
    has_more = False
    while text.startswith((_NEXT_PAGE, _PRINTED)):
        has_more |= text.startswith(_NEXT_PAGE)
        text = text.partition("\n")[2]
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    rows, names = list(reader), list(reader.fieldnames or ())
    known = {re.sub(r"[\s_-]", "", name).lower(): name for name in names}
    if names[:2] == ["Username", "fact_sheet_answers"] and team is None:
        users = {row["Username"]: {k: v for k, v in row.items() if k in names[2:]} for row in rows}
        if len(users) != len(rows):
            raise ValueError("a user twice")
        return Leaderboard("Codabench", _of_users(users))
    wanted = [name for name in names if name == team] if team is not None else []
    if team is None:
        wanted = [known[name] for name in (*TEAM_COLUMNS, "") if name in known]
    if not wanted:
        raise _NoTeam(names)
    is_kaggle = set(known) >= KAGGLE
    date = next((known[name] for name in DATE_COLUMNS if name in known), None)
    rank = known.get("rank") if is_kaggle else None
    apart = (wanted[0], date, rank, known["teamid"] if is_kaggle else None)
    others = [name for name in names if name not in apart]
    entries = tuple(
        _entry(
            row[wanted[0]],
            row[date] if date else None,
            ((name, row[name]) for name in others),
            int(row[rank]) if rank else None,
        )
        for row in rows
    )
    page = (len(rows), 0) if has_more else None
    return Leaderboard("Kaggle" if is_kaggle else "CSV", entries, page=page)


def _entry(
    team: Any, created: Any, cells: Iterable[tuple[Any, Any]], rank: int | None = None
) -> LeaderboardRow:
    """Return a row with the finite numbers among its cells. Raises ValueError without a team name."""
    name = shortened(str(team), 128)
    if not name or team is None:
        raise ValueError("no name")
    values, unread, time = {}, [], _time(created)
    for column, cell in cells:
        try:
            number = float(cell)
        except OverflowError:
            number = math.inf
        except (TypeError, ValueError):
            continue
        if math.isfinite(number) and not isinstance(cell, bool):
            values[shortened(str(column), 128)] = number
        elif not isinstance(cell, bool):
            unread.append(shortened(f"{column}: {cell}"))
    if time is None and created not in (None, ""):
        unread.append(shortened(f"time: {created}"))
    return LeaderboardRow(name, time, values, rank, tuple(unread))


def _time(text: Any) -> str | None:
    """Return a time in ISO 8601; None if the text is not a time."""
    try:
        return datetime.fromisoformat(str(text).strip()).isoformat()
    except ValueError:
        return None
