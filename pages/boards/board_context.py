"""Board on a page, in the form that its tabs receive."""

from dataclasses import dataclass

from pages.display.render import BlockPath
from scoring.boards.board import OpenBoard
from scoring.boards.ranking.board_ranking import BoardRanking
from scoring.core.views import Section


@dataclass(frozen=True)
class BoardPage:
    """A board on the page. sections: the public sections; key: identifies everything that the page depends
    on."""

    ranking: BoardRanking
    sections: tuple[Section, ...]
    key: tuple[str, ...]

    @property
    def board(self) -> OpenBoard:
        """Return the board."""
        return self.ranking.board

    def path(self, path: str) -> BlockPath:
        """Return the path of a block that is drawn once per content."""
        return BlockPath(self.key, False, f"board/{path}")
