"""Boards that show an imported leaderboard of another platform.

They have no scorecards. They therefore show no intervals, ties or history, and accept no submissions.
"""

import math
from dataclasses import dataclass
from typing import Any

from scoring.access.roles import Role
from scoring.boards.board import new_board_problems
from scoring.boards.foreign_leaderboards import Leaderboard, LeaderboardRow, of_page
from scoring.boards.row_validation import DRAFT, IMPORTED, require_readable
from scoring.common.findings import InputRefused
from scoring.common.text import shortened
from scoring.store import schema
from scoring.store.database import Store

WORDS = (
    "Imported scores of {platform}: without predictions there are no intervals and no ties, "
    "so small differences between teams may be chance."
)


@dataclass(frozen=True)
class ImportedBoard:
    """A leaderboard imported from a platform. `is_ascending` is True if lower scores are better."""

    id: str
    title: str
    created: str
    leaderboard: Leaderboard
    is_ascending: bool = False

    @property
    def words(self) -> str:
        """Return a sentence that says where these scores come from and what is missing."""
        baselines = ", ".join(entry.team for entry in self.leaderboard.entries if entry.rank == 0)
        more = (of_page(self.leaderboard.page), f"Baselines without a rank: {baselines}" * bool(baselines))
        words = WORDS.format(platform=self.leaderboard.platform)
        return " ".join((words, *(f"{sentence}." for sentence in more if sentence)))

    def ranked(self) -> list[tuple[int | None, LeaderboardRow, float | None]]:
        """Return rank, row and score of each entry, ordered by rank. The rank is the platform's; without one
        it follows from the score, and equal scores share it. It is None for baselines, and for entries with
        neither rank nor score; these come last."""
        name = str(self.leaderboard.score)
        scored = [(entry, entry.values.get(name)) for entry in self.leaderboard.entries]
        known = [score for entry, score in scored if score is not None and entry.rank != 0]
        ranked = []
        for entry, score in scored:
            rank = entry.rank
            if rank is None and score is not None:
                rank = 1 + sum(other < score if self.is_ascending else other > score for other in known)
            ranked.append((rank or None, entry, score))
        return sorted(ranked, key=lambda row: (row[0] is None, row[0] or 0, row[1].team))

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON value that `board show` prints for an imported leaderboard."""
        board = {"id": self.id, "title": self.title, "created": self.created, "score": self.leaderboard.score}
        names = ("team", "rank", "score", "interval", "time", "values")
        teams = [
            dict(zip(names, (entry.team, rank, score, None, entry.created, dict(entry.values)), strict=True))
            for rank, entry, score in self.ranked()
        ]
        platform = self.leaderboard.platform
        return {"board": board, "imported_from": platform, "note": self.words, "teams": teams}


def keep(
    store: Store, board_id: str, title: str, leaderboard: Leaderboard, is_ascending: bool = False
) -> ImportedBoard:
    """Store a leaderboard as a board. If the entries have no rank, only the best of each team is stored.
    Raises InputRefused `bad-option` for an invalid id or title, `board-exists` if a board has this id."""
    problems = new_board_problems(store, board_id, title)
    if problems:
        raise InputRefused(problems)
    is_ascending = is_ascending or leaderboard.score in leaderboard.ascending
    value = {
        "platform": leaderboard.platform,
        "score": leaderboard.score,
        "columns": list(leaderboard.columns),
        "ascending": is_ascending,
        "page": leaderboard.page and list(leaderboard.page),
        "entries": [
            [entry.team, entry.created, dict(entry.values), entry.rank]
            for entry in _one_of_a_team(leaderboard, is_ascending)
        ],
    }
    row = schema.Board(
        id=board_id,
        challenge=leaderboard.platform,
        title=shortened(title),
        counts="last",
        options={IMPORTED: value},
        created=schema.now(),
        version=1,
    )
    with store.write() as session:
        session.add(row)
    return _of_row(row)


def _one_of_a_team(leaderboard: Leaderboard, is_ascending: bool) -> list[LeaderboardRow]:
    """Return the best entry of each team. If the platform gives ranks, return every ranked entry."""

    def key(entry: LeaderboardRow) -> float:
        score = entry.values.get(str(leaderboard.score), math.nan)
        return math.inf if math.isnan(score) else score if is_ascending else -score

    best: dict[tuple[str, int | None], LeaderboardRow] = {}
    for entry in sorted(leaderboard.entries, key=key):
        best.setdefault((entry.team, entry.rank), entry)
    return list(best.values())


def find(store: Store, board_id: str) -> ImportedBoard | None:
    """Return the imported leaderboard with an id. Return None if no board has this id or the board was not
    imported from a platform. Raises InputRefused `board-damaged` if its row cannot be read."""
    with store.read() as session:
        row = session.get(schema.Board, board_id)
    if row is None or (row.visibility == DRAFT and store.actor.role < Role.ORGANIZER):
        return None
    require_readable(board_id, [row])
    return _of_row(row) if IMPORTED in row.options else None


def _of_row(row: schema.Board) -> ImportedBoard:
    value = row.options[IMPORTED]
    entries = tuple(LeaderboardRow(*entry) for entry in value["entries"])
    page = tuple(value["page"]) if value.get("page") else None
    leaderboard = Leaderboard(value["platform"], entries, value["score"], tuple(value["columns"]), page=page)
    return ImportedBoard(row.id, row.title, row.created, leaderboard, value["ascending"])
