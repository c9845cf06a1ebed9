"""Leaderboards of other platforms, kept as boards: shown as they were exported.

There are no scorecards behind them, so they have no intervals, no ties and no history, and take no
submissions.
"""

from dataclasses import dataclass
from typing import Any

from scoring.common.findings import InputRefused
from scoring.common.text import shortened
from scoring.services.boards.board import IMPORTED, name_problems
from scoring.services.platforms.leaderboards import Leaderboard, LeaderboardRow
from scoring.services.store import tables
from scoring.services.store.database import Store

WORDS = (
    "Imported scores of {platform}: without predictions there are no intervals and no ties, "
    "so that small differences between teams may be chance."
)


@dataclass(frozen=True)
class ImportedBoard:
    """A leaderboard that is kept. is_ascending: lower scores are better."""

    id: str
    title: str
    created: str
    leaderboard: Leaderboard
    is_ascending: bool = False

    @property
    def words(self) -> str:
        """Return what these scores are, and what they are not."""
        return WORDS.format(platform=self.leaderboard.platform)

    def ranked(self) -> list[tuple[int | None, LeaderboardRow, float | None]]:
        """Return rank, entry and score, best first: ranks of the platform where it gives them.

        Equal scores have one rank, entries without a score none.
        """
        name = str(self.leaderboard.score)
        scored = [(entry, entry.values.get(name)) for entry in self.leaderboard.entries]
        known = [score for _, score in scored if score is not None]
        found = []
        for entry, score in scored:
            rank = entry.rank
            if rank is None and score is not None:
                rank = 1 + sum(other < score if self.is_ascending else other > score for other in known)
            found.append((rank, entry, score))
        return sorted(found, key=lambda one: (one[0] is None, one[0] or 0, one[1].team))

    def as_dict(self) -> dict[str, Any]:
        """Return what `board show --json` writes of it."""
        board = {"id": self.id, "title": self.title, "created": self.created, "score": self.leaderboard.score}
        teams = [
            {
                "team": entry.team,
                "rank": rank,
                "score": score,
                "interval": None,
                "time": entry.created,
                "values": dict(entry.values),
            }
            for rank, entry, score in self.ranked()
        ]
        return {
            "board": board,
            "imported_from": self.leaderboard.platform,
            "note": self.words,
            "teams": teams,
        }


def keep(
    store: Store, board_id: str, title: str, leaderboard: Leaderboard, is_ascending: bool = False
) -> ImportedBoard:
    """Keep a leaderboard as a board.

    Raises:
        InputRefused: `bad-option` for the id or title, `board-exists` where there is a board of that id.
    """
    problems = name_problems(store, board_id, title)
    if problems:
        raise InputRefused(problems)
    value = {
        "platform": leaderboard.platform,
        "score": leaderboard.score,
        "columns": list(leaderboard.columns),
        "ascending": is_ascending,
        "entries": [
            [entry.team, entry.created, dict(entry.values), entry.rank] for entry in leaderboard.entries
        ],
    }
    row = tables.Board(
        id=board_id,
        challenge=leaderboard.platform,
        title=shortened(title),
        counts="last",
        options={IMPORTED: value},
        created=tables.now(),
        version=1,
    )
    with store.write() as session:
        session.add(row)
    return _of_row(row)


def find(store: Store, board_id: str) -> ImportedBoard | None:
    """Return the imported leaderboard of an id; None where there is none, or where it is another board."""
    with store.read() as session:
        row = session.get(tables.Board, board_id)
    return _of_row(row) if row is not None and IMPORTED in row.options else None


def _of_row(row: tables.Board) -> ImportedBoard:
    value = row.options[IMPORTED]
    entries = tuple(LeaderboardRow(*entry) for entry in value["entries"])
    leaderboard = Leaderboard(value["platform"], entries, value["score"], tuple(value["columns"]))
    return ImportedBoard(row.id, row.title, row.created, leaderboard, value["ascending"])
