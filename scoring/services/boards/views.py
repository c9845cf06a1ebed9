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


def formula(ranking: BoardRanking, ranked: str = "") -> str:
    """Return what is scored and which submission is ranked (Markdown). ranked: where it is not by the rule of
    the board."""
    which = ranked or RULES[ranking.board.row.counts]
    return f"{ranking.board.challenge.words.formula}. Ranked is {which}; higher is better"


def sections(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return what can be published of a board."""
    value, scale = ranking.as_dict(), scales.of(ranking.board.challenge)
    phases = phase_table(ranking)
    if ranking.comparison is None:
        nobody = Text("Nobody is ranked yet.", "note")
        return (Section("Ranking", [nobody, *phases]), *_of_excluded(value))
    return (
        Section("Ranking", [*_ranking(ranking, value, scale), *phases]),
        Section("History", [_figure(ranking, value, scale), _history(value, scale), *excluded(value)]),
    )


def _of_excluded(value: Value) -> tuple[Section, ...]:
    blocks = excluded(value)
    return (Section("History", blocks),) if blocks else ()


def _ranking(ranking: BoardRanking, value: Value, scale: Scale) -> list[Block]:
    compared = ranking.comparison
    assert compared is not None
    table = _teams(ranking, value, scale)
    sentences = [
        summary_text.leaders(compared),
        summary_text.caveat(compared),
        summary_text.gap(compared, scale),
    ]
    text = " ".join(markdown(sentence, display.SENTENCE) for sentence in sentences if sentence)
    context = display.of(compared)
    blocks: list[Block] = [Text(text, question="Who is first?")]
    if compared.scored:
        blocks.append(replace(comparison_views.scores(context), data=table.rows))
    blocks.append(table)
    if any(fact != UNKNOWN for fact in compared.facts.values()):
        blocks.append(team_views.facts(compared))
    if value["unranked"]:
        names = ", ".join(markdown(name, 60) for name in value["unranked"])
        blocks.append(Text(f"Without a submission that counts: {names}."))
    return blocks


def phase_table(ranking: BoardRanking) -> list[Block]:
    """Return when the board takes submissions, where it has phases."""
    phases = ranking.phases
    if not phases:
        return []
    columns = [
        Column("phase", "phase"),
        Column("opens", "opens (UTC)"),
        Column("closes", "closes (UTC)"),
        Column("day", "of a team a day", "written", full="submissions of each team on a day (UTC) at most"),
        Column("total", "in all", "written", full="submissions of each team in the phase at most"),
    ]
    rows: Data = {
        "phase": [phase.name for phase in phases],
        "opens": [_minute(phase.opens) if phase.opens else "from the beginning" for phase in phases],
        "closes": [_minute(phase.closes) if phase.closes else "never" for phase in phases],
        "day": [str(phase.per_day or "any number") for phase in phases],
        "total": [str(phase.total or "any number") for phase in phases],
    }
    return [Table("When may teams submit?", columns, rows, key="board_phases")]


def _minute(time: str) -> str:
    return spoken(time).removesuffix(" UTC")


def remaining_quotas(ranking: BoardRanking) -> list[Block]:
    """Return what each team may still submit today, where the board has phases: for organizers."""
    if not ranking.phases:
        return []
    board = ranking.board
    teams = sorted({entry.team for entry in ranking.entries})
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
        "phase": [allowance.phase.name if allowance.phase else "none" for allowance in allowed],
        "today": [allowance.today for allowance in allowed],
        "total": [allowance.total for allowance in allowed],
        "left": [_left(allowance) for allowance in allowed],
    }
    return [Table("What may teams still submit?", columns, rows, key="board_left")]


def _left(allowance: Allowance) -> str:
    if allowance.problem is not None:
        return "0"
    return "any number" if allowance.remaining is None else str(allowance.remaining)


def refused(refused_files: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return the refused files that a board kept (`refused.listed`): for organizers."""
    if not refused_files:
        return []
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        Column("file", "file"),
        Column("problem", "first problem"),
        Column("problems", "problems", "number", 0),
    ]
    rows: Data = {
        "team": [file["team"] for file in refused_files],
        "submitted": [file["time"][:MINUTE].replace("T", " ") for file in refused_files],
        "file": [shortened(file["file"], 60) for file in refused_files],
        "problem": [
            shortened(file["problems"][0]["message"]) if file["problems"] else "" for file in refused_files
        ],
        "problems": [len(file["problems"]) for file in refused_files],
    }
    return [Table("What was refused?", columns, rows, "They count nothing.", key="board_refused")]


def leaderboard(board: ImportedBoard) -> list[Block]:
    """Return what is shown of an imported leaderboard."""
    ranked = board.ranked()
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team"),
        Column("score", str(board.leaderboard.score or "score"), "number", 4),
        Column("submitted", "submitted"),
    ]
    rows: Data = {
        "rank": [rank for rank, _, _ in ranked],
        "team": [entry.team for _, entry, _ in ranked],
        "score": [score for _, _, score in ranked],
        "submitted": [(entry.created or "")[:DAY] for _, entry, _ in ranked],
    }
    note = Text(markdown(board.words, 400), "caution")
    return [note, Table("Who is ranked where?", columns, rows, key="board_imported")]


def _teams(ranking: BoardRanking, value: Value, scale: Scale) -> Table:
    compared, teams = ranking.comparison, value["teams"]
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
            rank_change(team["rank"], team["previous_rank"]) if ranking.previous_ranks else ""
            for team in teams
        ],
        "submissions": [len(team["history"]) for team in teams],
        "submitted": [team["time"][:DAY] for team in teams],
    }
    caption = f"Chance alters no rank; what it could do stands beside it. {MOVES}"
    return Table("Who is ranked where?", columns, rows, caption, key="board_teams")


def _figure(ranking: BoardRanking, value: Value, scale: Scale) -> Figure:
    teams = [
        (
            team["team"],
            [
                DatedScore(
                    submission["time"],
                    _scaled(submission["score"], scale),
                    scale.scaled(submission["interval"]),
                    submission["counts"],
                )
                for submission in team["history"]
                if submission["scored"] and not submission["excluded"]
            ],
        )
        for team in value["teams"]
    ]
    few = f"The first {MOST} of {len(teams)} teams are drawn. " if len(teams) > MOST else ""
    n = ranking.as_dict()["provenance"]["n_cases"]
    caption = f"Filled: the submission that counts. Whiskers: its own 95% interval. {few}n = {n}."
    return Figure(partial(_drawn, teams, scale), caption, key="board_history")


def _drawn(teams: Sequence[tuple[str, Sequence[DatedScore]]], scale: Scale, theme: Theme) -> go.Figure:
    question = "Do the teams get better?"
    return over_time(teams, theme, question, scale.unit, scale.digits_of_intervals)


def _history(value: Value, scale: Scale) -> Table:
    rows = list(zip(*history_rows(value["teams"]), strict=True))
    team, time, score, ends, rank, status = rows
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
        "state": status,
    }
    return Table("How did the teams get there?", columns, cells, key="board_submissions")


def excluded(value: Value) -> list[Block]:
    """Return the table of what was excluded, if anything."""
    rows_of = value["excluded"]
    if not rows_of:
        return []
    columns = [Column("team", "team"), Column("submitted", "submitted"), Column("reason", "reason")]
    rows: Data = {
        "team": [entry["team"] for entry in rows_of],
        "submitted": [entry["time"][:10] for entry in rows_of],
        "reason": [entry["reason"] for entry in rows_of],
    }
    return [Table("What was excluded?", columns, rows, key="board_excluded")]


def submissions(ranking: BoardRanking) -> Table | Text:
    """Return every submission with its file and what became of it, newest first: for organizers."""
    entries, scale = ranking.entries[::-1], scales.of(ranking.board.challenge)
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
        "state": [state(ranking, entry) for entry in entries],
        "id": [entry.id for entry in entries],
    }
    return Table("What became of each submission?", columns, rows, key="board_files")


def state(ranking: BoardRanking, entry: RankedSubmission) -> str:
    """Return what became of a submission, with the reason."""
    if entry.excluded is not None:
        return f"excluded: {entry.excluded}"
    if entry.card is None:
        return f"refused by this version of the test set: {entry.refused}".removesuffix(": ")
    return "counts" if ranking.counting.get(entry.team) == entry else "does not count"


def corrections(ranking: BoardRanking, changed: Sequence[TeamChange]) -> list[Block]:
    """Return what a version of the test set changed, and by which cases: for organizers."""
    scale, number = scales.of(ranking.board.challenge), ranking.board.test_set.number
    if not changed:
        return [Text("Nobody is ranked, so there is nothing to compare.", "note")]
    steps = sum(change.ranks[0] != change.ranks[1] for change in changed)
    cases = list(dict.fromkeys(case for change in changed for case in change.cases))
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
        "team": [change.team for change in changed],
        "rank before": [change.ranks[0] for change in changed],
        "rank": [change.ranks[1] for change in changed],
        "score before": [_scaled(change.scores[0], scale) for change in changed],
        "score": [_scaled(change.scores[1], scale) for change in changed],
        "change": [_difference(change, scale) for change in changed],
        "gained": [len(change.gained) for change in changed],
        "lost": [len(change.lost) for change in changed],
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
            "gained": [
                ", ".join(change.team for change in changed if case in change.gained) for case in cases
            ],
            "lost": [", ".join(change.team for change in changed if case in change.lost) for case in cases],
        },
        "Gained: the team has the case more right than with the version before; lost: less right.",
        key="board_cases",
    )
    changes = Table("What did the correction change?", columns, rows, caption, key="board_changes")
    return [changes, by_case] if cases else [changes]


def _difference(change: TeamChange, scale: Scale) -> float | None:
    before, now = change.scores
    return None if before is None or now is None else scale.factor * (now - before)


def _scaled(value: float | None, scale: Scale) -> float | None:
    return None if value is None else scale.factor * value
