"""Zip of everything that a paper needs from a result: LaTeX and CSV tables, SVG figures, methods,
references."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scoring.challenges import load_challenge
from scoring.challenges.classification_views import method
from scoring.common import file_opening, rendered_markdown
from scoring.common.citation import Citation
from scoring.common.text import file_name, shortened
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard, plain
from scoring.core.views import Block, Choice, Figure, Headline, Panels, Section, SideBySide, Table
from scoring.presentation.figures.theme import LIGHT
from scoring.presentation.html.report_blocks import Lines, panel_width
from scoring.presentation.html.scorecard import views_of
from scoring.presentation.paper import latex
from scoring.presentation.svg.draw_figure import WIDTH, svg
from scoring.version import __version__

BENCHSIDE = Citation("benchside", "Benchside", note=f"Version {__version__}")


def of_card(card: ScoreCard, lines: Lines = ()) -> bytes:
    """Return the zip for a paper about a scored submission. `lines` contains the lines of its report's front
    page, as names and texts."""
    challenge, views = load_challenge(card.challenge), views_of(card)
    first = views.headline.score
    sentences = (
        f"{first.name if 'submitted_part' in card.more else 'The score'} is {first.value}"
        f"{f' (95% interval {first.below})' if first.below else ''}.",
        card.official.words(challenge.words.official_source),
        rendered_markdown.plain(method(card)),
    )
    paragraph = methods(challenge, sentences, card.provenance, lines)
    return zipped(files(challenge, views.headline, views.sections, paragraph))


def files(
    challenge: Challenge[Any, Any], headline: Headline, sections: Iterable[Section], paragraph: str
) -> dict[str, str]:
    """Return the text of each file by its name.

    Args:
        headline: Headline of the result; its figure, if it has one, gets the number 01.
    """
    strip = [headline.strip] if headline.strip else []
    blocks = [*strip, *(block for section in sections for block in section.blocks)]
    written = {
        "methods.txt": paragraph,
        "references.bib": "\n".join(cited.bibtex() for cited in (*challenge.words.citations, BENCHSIDE)),
    }
    drawn_last, count = "", {"figure": 0, "table": 0}
    for block in _single(blocks):
        if isinstance(block, Table):
            count["table"] += 1
            question = block.question or drawn_last
            stem = f"{count['table']:02}-{file_name(question or block.key)}"
            caption = f"{question} {rendered_markdown.plain(block.caption)}".strip()
            written[f"tables/{stem}.tex"] = latex.table(block, caption, file_name(stem).lower())
            written[f"tables/{stem}.csv"] = latex.comma_separated(block)
        else:
            for title, drawn in _drawn(block):
                count["figure"] += 1
                drawn_last = title
                written[f"figures/{count['figure']:02}-{file_name(title)}.svg"] = drawn
    return written


def _single(blocks: Iterable[Block]) -> Iterator[Figure | Panels | Table]:
    """Yield figures and tables one by one."""
    for block in blocks:
        match block:
            case Figure() | Panels() | Table():
                yield block
            case SideBySide():
                for column in block.columns:
                    yield from _single(column)
            case Choice():
                yield from _single(block.options.values())


def _drawn(block: Figure | Panels) -> Iterator[tuple[str, str]]:
    """Yield question and SVG of a figure, or of each of several small ones."""
    if isinstance(block, Figure):
        figure = block.build(LIGHT)
        yield figure.question, svg(figure, WIDTH, alone=True)
        return
    for panel in block.panels:
        title = f"{block.question} {rendered_markdown.plain(panel.title)}"
        yield title, svg(panel.build(LIGHT), panel_width(block), alone=True)


def methods(
    challenge: Challenge[Any, Any], result: Iterable[str], source: Mapping[str, Any], lines: Lines
) -> str:
    """Return a paragraph for the methods section of a paper, which describes how the result was computed.

    Args:
        source: `provenance` of the result.
        lines: Lines of the front page of the result's report, as names and texts.
    """
    about = "; ".join(f"{shortened(name)}: {shortened(text)}" for name, text in lines if text)
    options = ", ".join(
        f"{name} = {json.dumps(plain(value), ensure_ascii=False)}"
        for name, value in sorted(source["options"].items())
        if value is not None
    )
    digests = ", ".join(f"{name.removesuffix('_sha256')} {source[name]}" for name in _digests(source))
    sentences = (
        f"{challenge.words.title} was scored with Benchside {source['version']}: "
        f"{challenge.formula(source['options'])}.",
        f"{about}." if about else "",
        *result,
        f"Settings: {options}." if options else "",
        f"SHA-256 of the files: {digests}." if digests else "",
        "References: " + " ".join(citation.words() for citation in challenge.words.citations),
    )
    return " ".join(" ".join(sentence for sentence in sentences if sentence).split()) + "\n"


def _digests(source: Mapping[str, Any]) -> list[str]:
    return [name for name in source if name.endswith("_sha256") and source[name]]


def zipped(texts: Mapping[str, str]) -> bytes:
    """Return a zip of texts by file name."""
    return file_opening.zipped(
        (name, text.encode("utf-8", "backslashreplace")) for name, text in texts.items()
    )
