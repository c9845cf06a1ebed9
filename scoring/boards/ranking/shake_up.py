"""Shake-up of a board with a split test set: ranks in the shown part beside ranks in the withheld part."""

from functools import partial
from typing import Any

from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.common.text import markdown
from scoring.comparison import score_units as scales
from scoring.comparison import summary_text
from scoring.comparison.display import MANY
from scoring.core.scorecard import plain
from scoring.core.views import Block, Column, Figure, Section, Table, Text
from scoring.presentation.figures.team_ranges import RankMove, rank_moves

NAME = "Shake-up"
OF_PART = ("rank", "rank_interval", "score", "interval")
"""Keys of a team's entry in a comparison that describe each part."""


def shake_up(ranking: BoardRanking) -> list[dict[str, Any]]:
    """Return each team's rank, score and possible ranks in both parts, ordered by the withheld part; empty if
    the test set is not split. Only organizers see this until the truth is open."""
    before, after = ranking.shown_comparison, ranking.comparison
    if before is None or after is None:
        return []
    rows = []
    for team in after.cards:
        shown, final = before.team(team) if team in before.cards else {}, after.team(team)
        rows.append({"team": team, **{name: final[name] for name in OF_PART}})
        rows[-1]["shown"] = {name: shown.get(name) for name in OF_PART}
    return [plain(row) for row in rows]


def section(ranking: BoardRanking) -> tuple[Section, ...]:
    """Return the section with figure and table, if the test set is split."""
    rows = [row for row in shake_up(ranking) if row["shown"]["rank"] is not None]
    if not rows:
        return ()
    scale, moved = scales.of(ranking.board.challenge), sum(r["rank"] != r["shown"]["rank"] for r in rows)
    leader = next(row for row in rows if row["rank"] == min(row["rank"] for row in rows))
    first = "was first" if leader["shown"]["rank"] == 1 else f"was number {leader['shown']['rank']}"
    text = (
        f"{moved} of {len(rows)} teams have a different rank by the withheld part, which decides the final "
        "ranking. "
        f"{markdown(leader['team'], 60)}, first by the withheld part, {first} by the shown part."
    )
    columns = [
        Column("rank", "#", "number", 0, full="rank by the withheld part", width=36),
        Column("team", "team"),
        Column("score", "withheld part", "number", scale.digits, scale.better, full=scale.unit),
        Column("could", "could hold ranks", "written", lighter=True),
        Column("shown rank", "# shown", "number", 0, full="rank by the shown part"),
        Column("shown score", "shown part", "number", scale.digits, scale.better, full=scale.unit),
        Column("shown could", "could hold ranks", "written", lighter=True),
    ]
    values = [
        {
            "rank": row["rank"],
            "team": row["team"],
            "score": scale.points(row["score"]),
            "could": summary_text.places(row["rank_interval"]),
            "shown rank": row["shown"]["rank"],
            "shown score": scale.points(row["shown"]["score"]),
            "shown could": summary_text.places(row["shown"]["rank_interval"]),
        }
        for row in rows
    ]
    few = f"The first {MANY} of {len(rows)} teams are drawn. " if len(rows) > MANY else ""
    caption = (
        f"The same submissions by both parts. Whiskers: ranks that each could hold. {few}"
        "Solid: rises; dashed: falls; dotted: stays."
    )
    moves = [
        RankMove(
            row["team"], shown_part["rank"], row["rank"], shown_part["rank_interval"], row["rank_interval"]
        )
        for row in rows[:MANY]
        if (shown_part := row["shown"])
    ]
    question, parts = "How does the withheld part change the ranks?", ("shown part", "withheld part")
    build = partial(rank_moves, moves, question=question, parts=parts)
    table = Table.of("Which teams change rank?", values, columns, key="board_moves")
    blocks: list[Block] = [Text(text), Figure(build, caption, table.rows, key="board_shake_up"), table]
    return (Section(NAME, blocks),)
