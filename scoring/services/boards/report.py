"""A board as one HTML file that can be published: scores, intervals, ties and history, but no case."""

from markupsafe import Markup

from scoring.comparison import summary_text
from scoring.presentation.html import blocks, front
from scoring.presentation.html.document import Figures, document, rule
from scoring.services.boards import publishing
from scoring.services.boards.ranking import BoardRanking


def html(found: BoardRanking) -> str:
    """Return the report of a board. The same board gives the same bytes; names are escaped."""
    row, challenge = found.board.row, found.board.challenge
    lines = [
        ("Challenge", challenge.words.title),
        ("Test set", f"version {found.board.test_set.number} of {row.version}"),
    ]
    if found.phase is not None:
        lines.append(("Phase", found.phase))
    parts = [
        front.front(row.title, publishing.formula(found), lines),
        *blocks.sections(publishing.sections(found), Figures()),
        rule(f"{summary_text.RULE}\n\n{challenge.words.rule.strip()}"),
    ]
    return document(row.title, [Markup(part) for part in parts])
