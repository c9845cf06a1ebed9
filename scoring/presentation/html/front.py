"""The front page of a report: what was scored, the score with its interval, three figures, how to cite it."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from markupsafe import Markup

from scoring.common.finding_groups import tally
from scoring.common.findings import Finding
from scoring.core.challenge import Challenge
from scoring.core.views import Block, Choice, Figure, Section, SideBySide
from scoring.presentation.html.document import Figures, render
from scoring.version import __version__

FIGURES = 3
"""Figures on the front page."""
HALF = 440
"""Pixels for which a figure is drawn that shares its row with another; it is shown smaller."""

Lines = Sequence[tuple[str, str]]
"""Names and texts that stand below the title: test set, submission, team, date."""


def chosen(strip: Figure | None, sections: Iterable[Section]) -> list[Figure]:
    """Return the figures of the front page: where the score comes from, then the first figure of each
    section."""
    firsts = (next(_figures(section.blocks), None) for section in sections)
    return [figure for figure in (strip, *firsts) if figure is not None][:FIGURES]


def _figures(blocks: Iterable[Block]) -> Iterator[Figure]:
    for block in blocks:
        match block:
            case Figure():
                yield block
            case SideBySide():
                for column in block.columns:
                    yield from _figures(column)
            case Choice():
                yield from _figures(list(block.options.values())[:1])


def front(title: str, formula: str, lines: Lines) -> str:
    """Return title, what is scored and how it is read, the lines of the caller, and what the report is
    not."""
    return render("front", title=title, formula=formula, lines=[line for line in lines if line[1]])


def pictures(figures: Figures, shown: Sequence[Figure]) -> str:
    """Return the first figure over the whole width and two more side by side; none of them comes again."""
    drawn = [
        (question, Markup(drawing), figure.caption)
        for place, figure in enumerate(shown)
        for drawing, question in (figures.draw(figure.build, None if not place else HALF),)
    ]
    figures.shown.extend(shown)
    return render("pictures", first=drawn[:1], others=drawn[1:]) if drawn else ""


def noticed(entries: Iterable[Finding]) -> str:
    """Return in a sentence how much was noticed, "" for nothing."""
    words = tally(entries)
    return render("noticed", words=words) if words else ""


def cite(challenge: Challenge[Any, Any]) -> str:
    """Return how to cite the challenge and the program that scored."""
    words = " ".join(citation.words() for citation in challenge.words.citations)
    return render("cite", citation=words, version=__version__)
