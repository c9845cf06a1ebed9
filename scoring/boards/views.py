"""Views of a board as data, so that page and report show the same blocks.

`sections` can be published. It contains scores, intervals, ties and history, but no cases, confusion matrix
or predictions. `submissions` is only for organizers, because it names files.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

import plotly.graph_objects as go

from scoring.boards.imported_leaderboards import ImportedBoard
from scoring.boards.ranking.board_ranking import BoardRanking, history_rows, rank_change
from scoring.boards.ranking.ranked_submissions import LADDER, MINUTE, RankedSubmission
from scoring.boards.submissions.phases_and_limits import DAY, Allowance, allowance, spoken
from scoring.common.text import markdown, shortened, stopped
from scoring.comparison import display, summary_text, team_views
from scoring.comparison import score_units as scales
from scoring.comparison import views as comparison_views
from scoring.comparison.score_units import Scale
from scoring.comparison.team_facts import UNKNOWN
from scoring.core.comparison_spec import Ranking
from scoring.core.views import Block, Column, Figure, Section, Table, Text
from scoring.presentation.figures.scores_over_time import MOST, DatedScore, over_time
from scoring.presentation.figures.theme import Theme

FOR_ORGANIZERS = "Only the organizer sees these scores, which use the withheld cases."
RULES = {
    "last": "the last submission of each team",
    "best": "the best submission of each team",
    LADDER: "the best score of each team that the Ladder shows",
}
HISTORY = "board_submissions"
PARTS = {
    False: "ranked on the shown cases until the end, then on the withheld cases",
    True: "ranked on the withheld cases",
}
"""Whether the truth is open -> words for the cases on which teams are ranked."""
RULE = summary_text.RULE.replace(
    summary_text.TOLD_APART,
    "in at most 5%/(m (m − 1)²) of all test sets, chance alone gives two teams a difference this large "
    "(Student's t on the standard errors of the swap test). m is the number of scored submissions of all "
    "teams. Because the level depends on m, the error rate of the board stays at most 5%, however often it "
    "is viewed",
)
"""Explanation of the terms that a board uses (Markdown)."""
MOVES = (
    "Moved: by how many ranks a team rose or fell since the end of the day before the board's last "
    "submission."
)
RANK = Column("rank", "#", "number", 0, full="rank", width=36)
SUBMISSIONS = Column("submissions", "submissions", "number", 0, get=lambda team: len(team["history"]))
Value = Mapping[str, Any]
"""Result of `BoardRanking.as_dict`."""


def which_counts(ranking: BoardRanking) -> str:
    """Return a phrase that says which submission of a team is ranked, such as its last."""
    which = RULES[ranking.rule]
    if ranking.split is None:
        return which
    return f"the submission that a team nominated, or else {which}, {PARTS[ranking.hidden is None]}"


def formula(ranking: BoardRanking) -> str:
    """Return a text (Markdown) with the score formula, which submission is ranked, and how teams are
    ordered."""
    challenge, own = ranking.board.challenge, own_order(ranking)
    scored = challenge.formula(ranking.board.row.options["score"])
    order = own.words if own else challenge.comparison.order.strip()
    since = "" if ranking.hidden is None or not order else "Once the truth is open: "
    ranked = f"The ranking uses {which_counts(ranking)}. {since}{order}".strip()
    return f"{scored}, {challenge.scoring.direction}. {ranked}"


def own_order(ranking: BoardRanking) -> Ranking | None:
    """Return the ranking that the challenge defines itself; None if the score orders the teams."""
    compared = ranking.comparison if ranking.board.challenge.comparison.rank else None
    return None if compared is None or summary_text.by_score(compared) else compared.own_ranking


def sections(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return the sections of a board that can be published."""
    value, scale = ranking.as_dict(), scales.of(ranking.board.challenge)
    phases = phase_table(ranking)
    if ranking.comparison is None:
        nobody = Text("Nobody is ranked yet.", "note")
        lines = baselines(value, scale)
        return (Section("Ranking", [nobody, *lines, *phases]), *_of_excluded(value))
    return (
        Section("Ranking", [*_ranking(ranking, value, scale), *phases]),
        Section("History", [_figure(value, scale), history(value, scale), *excluded(value)]),
    )


def _of_excluded(value: Value) -> tuple[Section, ...]:
    blocks = excluded(value)
    return (Section("History", blocks),) if blocks else ()


def looks(ranking: BoardRanking) -> str:
    """Return sentences that say how the tests allow for repeated submissions: two teams need a larger lead
    after more submissions. "" without tests."""
    compared = ranking.comparison
    if compared is None or compared.result.test is None:
        return ""
    claims = (
        f"After {ranking.scored} submissions, two teams are told apart only by a larger lead than in a "
        "single comparison. So the error rate of the board stays at most 5%, however often it is viewed "
        "and whichever submission counts."
    )
    chosen = ranking.rule != "last" and any(len(ranking.by_team[team]) > 1 for team in compared.cards)
    optimism = (
        " The best score of several submissions of a team is likely too good. Its interval ignores the other "
        "submissions, so the interval covers the true score in less than 95% of test sets."
    )
    return claims + optimism * chosen


def _ranking(ranking: BoardRanking, value: Value, scale: Scale) -> list[Block]:
    compared = ranking.comparison
    assert compared is not None
    table = _teams(ranking, value, scale)
    sentences = [
        summary_text.leaders(compared),
        summary_text.caveat(compared),
        looks(ranking),
        summary_text.gap(compared, scale),
    ]
    text = " ".join(markdown(sentence, display.SENTENCE) for sentence in sentences if sentence)
    context = display.of(compared)
    blocks: list[Block] = [Text(text, question="Who is first?")]
    if compared.scored:
        lines = {line["team"]: line for line in value["baselines"] if line["score"] is not None}
        blocks.append(replace(comparison_views.scores(context, lines), data=table.rows))
    blocks += [table, *baselines(value, scale)]
    if any(fact != UNKNOWN for fact in compared.facts.values()):
        blocks.append(team_views.facts(compared))
    if value["unranked"]:
        names = ", ".join(markdown(name, 60) for name in value["unranked"])
        blocks.append(Text(stopped(f"Teams without a submission that counts: {names}")))
    return blocks


def score_column(
    scale: Scale, score: Callable[[Any], float | None] = itemgetter("score"), digits: int | None = None
) -> Column:
    """Return the column of scores. `digits` is the number of decimals, if it differs from that of the
    scale."""
    digits = scale.digits if digits is None else digits
    column = Column("score", "score", "number", digits, scale.better, full=scale.unit)
    return replace(column, get=lambda row: scale.points(score(row)))


def _interval(scale: Scale, ends: Callable[[Any], Any] = itemgetter("interval")) -> Column:
    column = Column("interval", "95% interval", "interval", scale.digits_of_intervals, lighter=True)
    return replace(column, get=lambda row: scale.scaled(ends(row)))


def phase_table(ranking: BoardRanking) -> list[Block]:
    """Return a table of the phases of the board; empty if it has none."""
    a_day = "maximum submissions per team and day (UTC)"
    in_all = "maximum submissions per team in the phase"
    columns = [
        Column("phase", "phase", get=attrgetter("name")),
        Column("opens", "opens (UTC)", get=lambda phase: _minute(phase.opens, "from the beginning")),
        Column("closes", "closes (UTC)", get=lambda phase: _minute(phase.closes, "never")),
        Column("day", "per team and day", "written", full=a_day, get=lambda phase: _limit(phase.per_day)),
        Column("total", "in all", "written", full=in_all, get=lambda phase: _limit(phase.total)),
    ]
    table = Table.of("When may teams submit?", ranking.phases, columns, key="board_phases")
    return [table] if ranking.phases else []


def _minute(time: str | None, without: str) -> str:
    return spoken(time).removesuffix(" UTC") if time else without


def _limit(submissions: int | None) -> str:
    return "any number" if submissions is None else str(submissions)


def remaining_quotas(ranking: BoardRanking) -> list[Block]:
    """Return a table for organizers that says how many more submissions each team may make today; empty if
    the board has no phases."""
    if not ranking.phases:
        return []
    board = ranking.board
    teams = sorted(ranking.by_team)
    columns = [
        Column("team", "team", get=itemgetter(0)),
        Column("phase", "open phase", get=lambda row: row[1].phase.name if row[1].phase else "none"),
        Column("today", "submitted today", "number", 0, get=lambda row: row[1].today),
        Column("total", "in the phase", "number", 0, get=lambda row: row[1].total),
        Column("left", "left today", "written", get=lambda row: _remaining(row[1])),
    ]
    rows = [(team, allowance(board.store, board.row.id, team)) for team in teams]
    return [Table.of("How often may teams still submit?", rows, columns, key="board_left")]


def _remaining(allowed: Allowance) -> str:
    return "0" if allowed.problem is not None else _limit(allowed.remaining)


def refused(refused_files: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return a table of the stored refused files of a board, for organizers; empty if there are none."""
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)", get=lambda file: file["time"][:MINUTE].replace("T", " ")),
        Column("file", "file", get=lambda file: shortened(file["file"], 60)),
        Column("problem", "first problem", get=lambda file: _first_problem(file["problems"])),
        Column("problems", "problems", "number", 0, get=lambda file: len(file["problems"])),
    ]
    caption = "Refused submissions do not count for the ranking."
    table = Table.of("What was refused?", refused_files, columns, caption, key="board_refused")
    return [table] if refused_files else []


def _first_problem(problems: Sequence[Mapping[str, Any]]) -> str:
    return shortened(problems[0]["message"]) if problems else ""


def leaderboard(board: ImportedBoard) -> list[Block]:
    """Return the blocks of an imported leaderboard."""
    columns = [
        replace(RANK, get=itemgetter(0)),
        Column("team", "team", get=lambda row: row[1].team),
        Column("score", str(board.leaderboard.score or "score"), "number", 4, get=itemgetter(2)),
        Column("submitted", "submitted", get=lambda row: (row[1].created or "")[:DAY]),
    ]
    note = Text(markdown(board.words, 400), "caution")
    return [note, Table.of("Who is ranked where?", board.ranked(), columns, key="board_imported")]


def baselines(value: Value, scale: Scale, digits: int | None = None) -> list[Block]:
    """Return a table of the entries without a rank; empty if there are none. `digits` is as in `history`."""
    columns = [
        Column("team", "baseline"),
        score_column(scale, digits=digits),
        *((_interval(scale),) if digits is None else ()),
        Column("submitted", "submitted", lighter=True, get=lambda line: line["time"][:DAY]),
    ]
    caption = "Baselines have no rank and are not part of any test."
    lines = value["baselines"]
    table = Table.of("Which scores should submissions beat?", lines, columns, caption, key="board_baselines")
    return [table] if lines else []


def _teams(ranking: BoardRanking, value: Value, scale: Scale) -> Table:
    compared = ranking.comparison
    level, own = summary_text.tied(compared) if compared else (), own_order(ranking)
    tie = summary_text.tie(compared) if compared and len(level) > 1 else ""
    day = "day (UTC) of the submission that counts"

    def moved(team: Mapping[str, Any]) -> str:
        return rank_change(team["rank"], team["previous_rank"]) if ranking.previous_ranks else ""

    columns = [
        RANK,
        Column("team", "team"),
        *(team_views.order_columns(compared) if compared and own else []),
        score_column(scale),
        _interval(scale),
        Column(
            "could hold",
            "possible ranks",
            "written",
            lighter=True,
            get=lambda team: summary_text.places(team["rank_interval"]),
        ),
        *([Column("tie", tie, get=lambda team: "yes" if team["team"] in level else "")] if tie else []),
        Column("moved", "moved", get=moved),
        SUBMISSIONS,
        Column("submitted", "submitted", full=day, lighter=True, get=lambda team: team["time"][:DAY]),
    ]
    told = [own.words if own else "", summary_text.decides(compared) if compared else "", MOVES]
    caption = " ".join(filter(None, told))
    return Table.of("Who is ranked where?", value["teams"], columns, caption, key="board_teams")


def _figure(value: Value, scale: Scale) -> Figure:
    teams = [
        (
            team["team"],
            [
                DatedScore(
                    submission["time"],
                    scale.points(submission["score"]),
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
    n = value["provenance"]["n_cases"]
    caption = (
        f"Filled: the submission that counts for the ranking. Whiskers: 95% interval of a submission. {few}n "
        f"= {n}."
    )
    return Figure(partial(_drawn, teams, scale), caption, key="board_history")


def _drawn(teams: Sequence[tuple[str, Sequence[DatedScore]]], scale: Scale, theme: Theme) -> go.Figure:
    question = "Do the teams' scores improve?"
    return over_time(teams, theme, question, scale.unit, scale.digits_of_intervals)


def history(value: Value, scale: Scale, digits: int | None = None) -> Table:
    """Return a table of every submission of the ranked teams.

    Args:
        digits: Number of decimals of scores if the truth is hidden; the table then has no intervals and
            ranks. None: everything is shown.
    """
    rank = Column(
        "rank",
        "rank that day",
        "number",
        0,
        full="rank at the end of that day",
        get=itemgetter("rank_that_day"),
    )
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)"),
        score_column(scale, digits=digits),
        *((_interval(scale), rank) if digits is None else ()),
        Column("state", "state"),
    ]
    rows = history_rows(value["teams"])
    return Table.of("How did the ranks change over time?", rows, columns, key=HISTORY)


def excluded(value: Value) -> list[Block]:
    """Return the table of excluded submissions and teams; empty if there are none."""
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted", get=lambda row: row["time"][:DAY]),
        Column("reason", "reason"),
    ]
    table = Table.of("What was excluded?", value["excluded"], columns, key="board_excluded")
    return [table] if value["excluded"] else []


def submissions(ranking: BoardRanking) -> Table | Text:
    """Return a table of every submission with its file and its result, newest first, for organizers."""
    entries, scale = ranking.entries[::-1], scales.of(ranking.board.challenge)
    if not entries:
        return Text("Nothing was submitted yet.", "note")
    columns = [
        Column("team", "team"),
        Column("submitted", "submitted (UTC)", get=attrgetter("minute")),
        Column("file", "file", get=lambda entry: shortened(entry.name, 60)),
        score_column(scale, attrgetter("score")),
        _interval(scale, attrgetter("interval")),
        Column("state", "state", get=partial(state, ranking)),
        Column("id", "id", lighter=True),
    ]
    return Table.of("What is the status of each submission?", entries, columns, key="board_files")


def state(ranking: BoardRanking, entry: RankedSubmission) -> str:
    """Return the status of a submission as text; if it is excluded or refused, with the reason."""
    if entry.excluded is not None:
        return f"excluded: {entry.excluded}"
    if entry.card is None:
        return f"refused by this version of the test set: {entry.refused}".removesuffix(": ")
    if ranking.lines.get(entry.team) == entry:
        return "baseline"
    return "counts" if ranking.counting.get(entry.team) == entry else "does not count"
