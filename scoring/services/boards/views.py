"""Views of a board, as data: page and report draw the same blocks.

`sections` can be published: scores, intervals, ties and history, but no case, no matrix and no prediction.
`submissions` and `corrections` are for organizers: they name files and cases.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import plotly.graph_objects as go

from scoring.common.text import markdown, shortened
from scoring.comparison import display, summary_text, team_views
from scoring.comparison import scale as scales
from scoring.comparison import views as comparison_views
from scoring.comparison.scale import Scale
from scoring.comparison.team_facts import UNKNOWN
from scoring.core.views import Block, Column, Data, Figure, Section, Table, Text
from scoring.presentation.figures.over_time import MOST, DatedScore, over_time
from scoring.presentation.figures.theme import Theme
from scoring.services.boards.imported import ImportedBoard
from scoring.services.boards.phases import DAY, Allowance, allowance, spoken
from scoring.services.boards.ranking import MINUTE, BoardRanking, RankedSubmission, history_rows, rank_change
from scoring.services.boards.rescoring import TeamChange

RULES = {"last": "the last submission of each team", "best": "the best submission of each team"}
MOVES = "Moved: since the end of the day before the last submissions."
Value = Mapping[str, Any]
"""What `BoardRanking.as_dict` gives."""


def formula(found: BoardRanking, ranked: str = "") -> str:
    """Return what is scored and which submission is ranked (Markdown). ranked: where it is not by the rule of
    the board."""
    which = ranked or RULES[found.board.row.counts]
    return f"{found.board.challenge.words.formula}. Ranked is {which}; higher is better"


def sections(found: BoardRanking) -> tuple[Section, ...]:
    """Return what can be published of a board."""
    value, scale = found.as_dict(), scales.of(found.board.challenge)
    phases = phase_table(found)
    if found.comparison is None:
        nobody = Text("Nobody is ranked yet.", "note")
        return (Section("Ranking", [nobody, *phases]), *_of_excluded(value))
    return (
        Section("Ranking", [*_ranking(found, value, scale), *phases]),
        Section("History", [_figure(found, value, scale), _history(value, scale), *excluded(value)]),
    )


def _of_excluded(value: Value) -> tuple[Section, ...]:
    blocks = excluded(value)
    return (Section("History", blocks),) if blocks else ()


def _ranking(found: BoardRanking, value: Value, scale: Scale) -> list[Block]:
    compared = found.comparison
    assert compared is not None
    table = _teams(found, value, scale)
    words = [
        summary_text.standing(compared),
        summary_text.caveat(compared),
        summary_text.gap(compared, scale),
    ]
    text = " ".join(markdown(sentence, display.SENTENCE) for sentence in words if sentence)
    shown = display.of(compared)
    blocks: list[Block] = [Text(text, question="Who is first?")]
    if compared.scored:
        blocks.append(replace(comparison_views.scores(shown), data=table.rows))
    blocks.append(table)
    if any(fact != UNKNOWN for fact in compared.facts.values()):
        blocks.append(team_views.facts(compared))
    if value["unranked"]:
        names = ", ".join(markdown(name, 60) for name in value["unranked"])
        blocks.append(Text(f"Without a submission that counts: {names}."))
    return blocks


def phase_table(found: BoardRanking) -> list[Block]:
    """Return when the board takes submissions, where it has phases."""
    known = found.phases
    if not known:
        return []
    columns = [
        Column("phase", "phase"),
        Column("opens", "opens (UTC)"),
        Column("closes", "closes (UTC)"),
        Column("day", "of a team a day", "written", full="submissions of each team on a day (UTC) at most"),
        Column("total", "in all", "written", full="submissions of each team in the phase at most"),
    ]
    rows: Data = {
        "phase": [one.name for one in known],
        "opens": [_minute(one.opens) if one.opens else "from the beginning" for one in known],
        "closes": [_minute(one.closes) if one.closes else "never" for one in known],
        "day": [str(one.per_day or "any number") for one in known],
        "total": [str(one.total or "any number") for one in known],
    }
    return [Table("When may teams submit?", columns, rows, key="board_phases")]


def _minute(time: str) -> str:
    return spoken(time).removesuffix(" UTC")


def left(found: BoardRanking) -> list[Block]:
    """Return what each team may still submit today, where the board has phases: for organizers."""
    if not found.phases:
        return []
    board = found.board
    teams = sorted({entry.team for entry in found.entries})
    allowed = [allowance(board.store, board.row.id, team) for team in teams]
    columns = [
        Column("team", "team"),
        Column("phase", "open phase"),
        Column("today", "submitted today", "number", 0),
        Column("total", "in the phase", "number", 0),
        Column("left", "left today", "written"),
    ]
    rows: Data = {
        "team": teams,
        "phase": [one.phase.name if one.phase else "none" for one in allowed],
        "today": [one.today for one in allowed],
        "total": [one.total for one in allowed],
        "left": [_left(one) for one in allowed],
    }
    return [Table("What may teams still submit?", columns, rows, key="board_left")]


def _left(one: Allowance) -> str:
    if one.problem is not None:
        return "0"
    return "any number" if one.left is None else str(one.left)


def refused(kept: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return the refused files that a board kept (`refused.listed`): for organizers."""
    if not kept:
        return []
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        Column("file", "file"),
        Column("problem", "first problem"),
        Column("problems", "problems", "number", 0),
    ]
    rows: Data = {
        "team": [one["team"] for one in kept],
        "submitted": [one["time"][:MINUTE].replace("T", " ") for one in kept],
        "file": [shortened(one["file"], 60) for one in kept],
        "problem": [shortened(one["problems"][0]["message"]) if one["problems"] else "" for one in kept],
        "problems": [len(one["problems"]) for one in kept],
    }
    return [Table("What was refused?", columns, rows, "They count nothing.", key="board_refused")]


def leaderboard(found: ImportedBoard) -> list[Block]:
    """Return what is shown of an imported leaderboard."""
    ranked = found.ranked()
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team"),
        Column("score", str(found.leaderboard.score or "score"), "number", 4),
        Column("submitted", "submitted"),
    ]
    rows: Data = {
        "rank": [rank for rank, _, _ in ranked],
        "team": [entry.team for _, entry, _ in ranked],
        "score": [score for _, _, score in ranked],
        "submitted": [(entry.created or "")[:DAY] for _, entry, _ in ranked],
    }
    note = Text(markdown(found.words, 400), "caution")
    return [note, Table("Who is ranked where?", columns, rows, key="board_imported")]


def _teams(found: BoardRanking, value: Value, scale: Scale) -> Table:
    compared, teams = found.comparison, value["teams"]
    level = summary_text.tied(compared) if compared else ()
    tie = summary_text.tie(compared) if compared else ""
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team"),
        Column("score", "score", "number", scale.digits, "higher", full=scale.unit),
        Column("interval", "95% interval", "interval", scale.digits_of_intervals, lighter=True),
        Column("could hold", "could hold ranks", "written", lighter=True),
        Column("tie", "tie"),
        Column("moved", "moved"),
        Column("submissions", "submissions", "number", 0),
        Column("submitted", "submitted", full="day (UTC) of the submission that counts", lighter=True),
    ]
    rows: Data = {
        "rank": [team["rank"] for team in teams],
        "team": [team["team"] for team in teams],
        "score": [_scaled(team["score"], scale) for team in teams],
        "interval": [scale.scaled(team["interval"]) for team in teams],
        "could hold": [summary_text.places(team["rank_interval"]) for team in teams],
        "tie": [tie if len(level) > 1 and team["team"] in level else "" for team in teams],
        "moved": [
            rank_change(team["rank"], team["previous_rank"]) if found.previous_ranks else "" for team in teams
        ],
        "submissions": [len(team["history"]) for team in teams],
        "submitted": [team["time"][:DAY] for team in teams],
    }
    caption = f"Chance alters no rank; what it could do stands beside it. {MOVES}"
    return Table("Who is ranked where?", columns, rows, caption, key="board_teams")


def _figure(found: BoardRanking, value: Value, scale: Scale) -> Figure:
    teams = [
        (
            team["team"],
            [
                DatedScore(
                    one["time"], _scaled(one["score"], scale), scale.scaled(one["interval"]), one["counts"]
                )
                for one in team["history"]
                if one["scored"] and not one["excluded"]
            ],
        )
        for team in value["teams"]
    ]
    few = f"The first {MOST} of {len(teams)} teams are drawn. " if len(teams) > MOST else ""
    n = found.as_dict()["provenance"]["n_cases"]
    caption = f"Filled: the submission that counts. Whiskers: its own 95% interval. {few}n = {n}."
    return Figure(partial(_drawn, teams, scale), caption, key="board_history")


def _drawn(teams: Sequence[tuple[str, Sequence[DatedScore]]], scale: Scale, theme: Theme) -> go.Figure:
    question = "Do the teams get better?"
    return over_time(teams, theme, question, scale.unit, scale.digits_of_intervals)


def _history(value: Value, scale: Scale) -> Table:
    rows = list(zip(*history_rows(value["teams"]), strict=True))
    team, time, score, ends, rank, fate = rows
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        Column("score", "score", "number", scale.digits, "higher", full=scale.unit),
        Column("interval", "95% interval", "interval", scale.digits_of_intervals, lighter=True),
        Column("rank", "rank that day", "number", 0, full="rank at the end of that day"),
        Column("state", "state"),
    ]
    cells: Data = {
        "team": team,
        "submitted": time,
        "score": [_scaled(one, scale) for one in score],
        "interval": [scale.scaled(end) for end in ends],
        "rank": rank,
        "state": fate,
    }
    return Table("How did the teams get there?", columns, cells, key="board_submissions")


def excluded(value: Value) -> list[Block]:
    """Return the table of what was excluded, if anything."""
    rows_of = value["excluded"]
    if not rows_of:
        return []
    columns = [Column("team", "team"), Column("submitted", "submitted"), Column("reason", "reason")]
    rows: Data = {
        "team": [one["team"] for one in rows_of],
        "submitted": [one["time"][:10] for one in rows_of],
        "reason": [one["reason"] for one in rows_of],
    }
    return [Table("What was excluded?", columns, rows, key="board_excluded")]


def submissions(found: BoardRanking) -> Table | Text:
    """Return every submission with its file and what became of it, newest first: for organizers."""
    entries, scale = found.entries[::-1], scales.of(found.board.challenge)
    if not entries:
        return Text("Nothing was submitted yet.", "note")
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        Column("file", "file"),
        Column("score", "score", "number", scale.digits, "higher", full=scale.unit),
        Column("interval", "95% interval", "interval", scale.digits_of_intervals, lighter=True),
        Column("state", "state"),
        Column("id", "id", lighter=True),
    ]
    rows: Data = {
        "team": [entry.team for entry in entries],
        "submitted": [entry.minute for entry in entries],
        "file": [shortened(entry.name, 60) for entry in entries],
        "score": [_scaled(entry.score, scale) for entry in entries],
        "interval": [scale.scaled(entry.interval) for entry in entries],
        "state": [state(found, entry) for entry in entries],
        "id": [entry.id for entry in entries],
    }
    return Table("What became of each submission?", columns, rows, key="board_files")


def state(found: BoardRanking, entry: RankedSubmission) -> str:
    """Return what became of a submission, with the reason."""
    if entry.excluded is not None:
        return f"excluded: {entry.excluded}"
    if entry.card is None:
        return f"refused by this version of the test set: {entry.refused}".removesuffix(": ")
    return "counts" if found.counting.get(entry.team) == entry else "does not count"


def corrections(found: BoardRanking, changed: Sequence[TeamChange]) -> list[Block]:
    """Return what a version of the test set changed, and by which cases: for organizers."""
    scale, number = scales.of(found.board.challenge), found.board.test_set.number
    if not changed:
        return [Text("Nobody is ranked, so there is nothing to compare.", "note")]
    steps = sum(one.ranks[0] != one.ranks[1] for one in changed)
    cases = list(dict.fromkeys(case for one in changed for case in one.cases))
    columns = [
        Column("team", "team"),
        Column("rank before", "rank before", "number", 0),
        Column("rank", "rank", "number", 0),
        Column("score before", "score before", "number", scale.digits, "higher", full=scale.unit),
        Column("score", "score", "number", scale.digits, "higher", full=scale.unit),
        Column("change", "change", "number", scale.digits, sign=True),
        Column("gained", "cases gained", "number", 0, full="cases on which it is more right than before"),
        Column("lost", "cases lost", "number", 0, full="cases on which it is less right than before"),
    ]
    rows: Data = {
        "team": [one.team for one in changed],
        "rank before": [one.ranks[0] for one in changed],
        "rank": [one.ranks[1] for one in changed],
        "score before": [_scaled(one.scores[0], scale) for one in changed],
        "score": [_scaled(one.scores[1], scale) for one in changed],
        "change": [_difference(one, scale) for one in changed],
        "gained": [len(one.gained) for one in changed],
        "lost": [len(one.lost) for one in changed],
    }
    caption = (
        f"{steps} of {len(changed)} teams have another rank with version {number} of the test set than with "
        f"version {number - 1}."
    )
    by_case = Table(
        "By which cases?",
        [Column("case", "case"), Column("gained", "gained by"), Column("lost", "lost by")],
        {
            "case": cases,
            "gained": [", ".join(one.team for one in changed if case in one.gained) for case in cases],
            "lost": [", ".join(one.team for one in changed if case in one.lost) for case in cases],
        },
        "Gained: the team has the case more right than with the version before; lost: less right.",
        key="board_cases",
    )
    changes = Table("What did the correction change?", columns, rows, caption, key="board_changes")
    return [changes, by_case] if cases else [changes]


def _difference(one: TeamChange, scale: Scale) -> float | None:
    before, now = one.scores
    return None if before is None or now is None else scale.factor * (now - before)


def _scaled(value: float | None, scale: Scale) -> float | None:
    return None if value is None else scale.factor * value
