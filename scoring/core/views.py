"""Views of a scorecard, as data: pages, reports and notebooks draw the same blocks with the same words.

Captions, explanations and `Text` are Markdown of our own: names from files go through `text.markdown`
first. All other words (labels, questions, names and values of facts, cells) are plain text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from scoring.common.direction_and_range import Better

if TYPE_CHECKING:
    from scoring.presentation.figures.plotly_figure import Drawing
    from scoring.presentation.figures.theme import Theme

Data = Mapping[str, Sequence[Any]]
"""Columns of equal length by name."""


@dataclass(frozen=True)
class Figure:
    """A figure, drawn when it is needed.

    build: draws it in a theme; the figure says which question it answers. caption: how
    it is read, n and method. data: the numbers that are drawn, for a download. key: tells figures with one
    question apart. cases: whether points carry the name of their case first in `customdata`; where there is a
    viewer of cases, a click opens it. classes: whether they carry a class, or truth and call; a click leads
    to the cases of these.
    """

    build: Callable[[Theme], Drawing]
    caption: str = ""
    data: Data | None = None
    key: str = ""
    cases: bool = False
    classes: bool = False


@dataclass(frozen=True)
class Panel:
    """One of several small figures. title: Markdown, above it. below: plain text under it. alt: what is read
    aloud instead of it; "": its question and what is below."""

    title: str
    build: Callable[[Theme], Drawing]
    below: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Panels:
    """Small multiples: one figure per class, center or the like. width: least px of one."""

    question: str
    panels: Sequence[Panel]
    caption: str = ""
    width: int = 155


Kind = Literal["text", "number", "bar", "count", "interval", "class", "written"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    name: key of its values in `Table.rows`. label: its head; full: the same in full, where there is room.
    kind: what the values are: "text"; "number" with `digits` decimals; "bar", a number drawn as a bar from 0
    to `most`; "count", cases that a row rests on, with a star below 15; "interval", pairs (low, high) or
    None; "class", names of classes, which carry the shape of their risk group; "written", numbers as text.
    better: which direction is. unit: written after a number. sign: whether a plus is written too. width: in
    pixels, on a page. lighter: in lighter type. colour: of bars, a colour or risk group of the theme. detail:
    for reports only, which have room for all of them.
    """

    name: str
    label: str
    kind: Kind = "text"
    digits: int = 3
    better: Better | None = None
    full: str = ""
    help: str | None = None
    unit: str = ""
    sign: bool = False
    width: int | None = None
    lighter: bool = False
    most: float = 1.0
    colour: str = "accent"
    detail: bool = False
    get: Callable[[Any], Any] | None = None


@dataclass(frozen=True)
class Table:
    """A table under the question it answers ("": it belongs to the block before it).

    rows: values by the name of their column. risks: class -> risk group, for the "class" columns. key: tells
    tables with one question apart. detail: for reports only, which cannot answer a click. cases: the column
    that names the case of each row, "" for none; where there is a viewer of cases, choosing a row opens it.
    written: whether a page shows it as text, which cannot be sorted, for few rows that follow a slider: a
    grid costs ten times as much to send.
    """

    question: str
    columns: Sequence[Column]
    rows: Data
    caption: str = ""
    risks: Mapping[str, str] = field(default_factory=dict)
    key: str = ""
    detail: bool = False
    cases: str = ""
    written: bool = False

    @classmethod
    def of(
        cls, question: str, items: Iterable[Any], columns: Sequence[Column], caption: str = "", **more: Any
    ) -> Table:
        """Return a table with a row per item.

        Args:
            items: One per row; each column takes its value of an item by its `get`.
            columns: Their `name`, and how they are shown.
        """
        listed = list(items)
        rows = {column.name: [_value(item, column) for item in listed] for column in columns}
        return cls(question, [replace(column, get=None) for column in columns], rows, caption, **more)


def _value(item: Any, column: Column) -> Any:
    if column.get is not None:
        return column.get(item)
    return item[column.name] if isinstance(item, Mapping) else getattr(item, column.name)


@dataclass(frozen=True)
class Fact:
    """A number with its name, and in lighter type its interval or its basis. explain: Markdown, a
    tooltip."""

    name: str
    value: str
    below: str = ""
    explain: str | None = None
    better: Better | None = None


@dataclass(frozen=True)
class Facts:
    """Numbers side by side, under a question if they answer one."""

    facts: Sequence[Fact]
    question: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Text:
    """Sentences (Markdown), under a question if they answer one. kind: "note" says why something is not
    shown, "caution" what must not be overlooked."""

    text: str
    kind: Literal["plain", "note", "caution"] = "plain"
    question: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture, drawn when it is needed. build: makes the PNG. alt: for who cannot see it. caption: plain
    text."""

    build: Callable[[], bytes]
    alt: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Pictures under the question that they answer. caption: above them."""

    question: str
    pictures: Sequence[Picture]
    caption: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Columns of blocks on a page; a report stacks them. widths: relative, one per column."""

    columns: Sequence[Sequence[Block]]
    widths: Sequence[float]


@dataclass(frozen=True)
class Choice:
    """Blocks of which a page shows one. label: of the choice. key: its name in the address. printed: how many
    of them, from the first, a report shows; None: all."""

    label: str
    key: str
    options: Mapping[str, Block]
    printed: int | None = None


Block = Figure | Panels | Table | Facts | Text | Gallery | SideBySide | Choice


@dataclass(frozen=True)
class Section:
    """Blocks that belong together: a tab of a page, a chapter of a report.

    detail: for reports only; the tab of that name on a page answers clicks and draws what it needs itself.
    """

    name: str
    blocks: Sequence[Block]
    detail: bool = False


@dataclass(frozen=True)
class Status:
    """What a score is worth, in plain text. badge: in a few words, as everywhere; official: in sentences, and
    is_official: whether it is the official one. official_score: the official one where it is another, ""
    where that is unknown. incomplete: what the submission lacks. "" where there is nothing to say."""

    official: str = ""
    is_official: bool = False
    official_score: str = ""
    incomplete: str = ""
    badge: str = ""


@dataclass(frozen=True)
class Headline:
    """The score and what made it.

    facts: the numbers beside it. strip: where the points come from, its caption the arithmetic. arithmetic:
    in words (Markdown), where there is no strip. parts: what each part of the score adds to it. notes: what
    must be known before the score is read.
    """

    score: Fact
    facts: Sequence[Fact] = ()
    strip: Figure | None = None
    arithmetic: str = ""
    notes: Sequence[Block] = ()
    parts: Sequence[Block] = ()
    status: Status = Status()


@dataclass(frozen=True)
class Views:
    """Everything that is shown of one scorecard, whoever shows it."""

    headline: Headline
    sections: Sequence[Section]

    def section(self, name: str) -> Section | None:
        """Return the section of that name, None where there is none."""
        return next((section for section in self.sections if section.name == name), None)


def directed(name: str, better: Better | None) -> str:
    """Return the name of a number with an arrow in the direction that is better.

    Args:
        better: "higher" or "lower"; None for neither.
    """
    return f"{name} {'↑' if better == 'higher' else '↓'}" if better else name
