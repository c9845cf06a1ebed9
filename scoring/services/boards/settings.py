"""What an organizer may change of a board later: title, which submission counts, refused files."""

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.services.boards.board import COUNTS, OpenBoard, opened, title_problems
from scoring.services.store import tables
from scoring.services.store.database import Store


def change(
    store: Store,
    board_id: str,
    title: str | None = None,
    counts: str | None = None,
    keep_refused: bool | None = None,
) -> OpenBoard:
    """Change a board; None leaves a setting as it is.

    Args:
        store: Where the board is.
        board_id: Its id.
        title: Above its page and report.
        counts: Which submission of a team is ranked: "last" or "best".
        keep_refused: Whether files that are refused from now on are kept. Those that are kept stay.

    Raises:
        InputRefused: `no-board` where there is none, `bad-option` with every setting that cannot be.
    """
    board = opened(store, board_id)
    problems = [] if title is None else title_problems(title)
    if counts not in (None, *COUNTS):
        words = f"{counts!r} is not one of {', '.join(COUNTS)}."
        problems.append(error("bad-option", "--counts", words))
    if problems:
        raise InputRefused(problems)
    with store.write() as session:
        row = session.get(tables.Board, board.row.id, with_for_update=True)
        if row is not None:
            row.title = row.title if title is None else shortened(title)
            row.counts = row.counts if counts is None else counts
            row.keep_refused = row.keep_refused if keep_refused is None else keep_refused
    return opened(store, board_id)
