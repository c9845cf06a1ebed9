"""Views of a scorecard as data: pages, reports and notebooks show the same blocks with the same text.

Captions, explanations and `Text` are Markdown written by the project: names from files must pass through
`text.markdown` first. All other text (labels, questions, names and values of facts, cells) is plain text.
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
    """A figure that is drawn on demand.

    build: draws it in a theme. The figure's question says what it answers. caption: how to read it, n and
    method. data: the drawn numbers, for a download. key: distinguishes figures with the same question. cases:
    whether points carry their case name first in `customdata`; a click then opens the case viewer. classes:
    whether points carry a class, or true and predicted class; a click then opens the cases of these classes.
    """

    build: Callable[[Theme], Drawing]
    caption: str = ""
    data: Data | None = None
    key: str = ""
    cases: bool = False
    classes: bool = False


@dataclass(frozen=True)
class Panel:
    """One of several small figures. title: Markdown above it. below: plain text under it. alt: text for
    screen readers; "" uses the question and the text below."""

    title: str
    build: Callable[[Theme], Drawing]
    below: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Panels:
    """Small multiples: one figure per class, center or similar group. width: minimum width in px."""

    question: str
    panels: Sequence[Panel]
    caption: str = ""
    width: int = 155


Kind = Literal["text", "number", "bar", "count", "interval", "class", "written"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    name: key of its values in `Table.rows`. label: its heading; full: a longer heading, used if there is
    room. kind: type of the values: "text"; "number" with `digits` decimals; "bar", a number drawn as a bar
    from 0 to `most`; "count", a number of cases, with a star below 15; "interval", pairs (low, high) or None;
    "class", class names with the symbol of their risk group; "written", numbers as text. better: the better
    direction. unit: text after a number. sign: whether to write a plus sign. width: in pixels, on a page.
    lighter: whether to use lighter type. colour: of bars, a colour or risk group of the theme. detail:
    whether only reports show it.
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
    """A table under the question that it answers; "" if it belongs to the block before it.

    rows: values by column name. risks: class -> risk group, for "class" columns. key: distinguishes tables
    with the same question. detail: whether only reports show it. cases: the column with the case name of each
    row, "" for none; choosing a row then opens the case viewer. written: whether a page shows the table as
    plain text, without sorting. This suits a few rows that follow a slider, because a grid costs ten times as
    much to send.
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
            items: One item per row; the function `get` of each column takes its value from the item.
            columns: Their names and how they are shown.
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
    """A number with its name and, in lighter type, its interval or basis. explain: tooltip in Markdown."""

    name: str
    value: str
    below: str = ""
    explain: str | None = None
    better: Better | None = None


@dataclass(frozen=True)
class Facts:
    """Numbers side by side, optionally under a question."""

    facts: Sequence[Fact]
    question: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Text:
    """Sentences in Markdown, optionally under a question. kind: "note" says why something is not shown;
    "caution" is an important warning."""

    text: str
    kind: Literal["plain", "note", "caution"] = "plain"
    question: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn on demand. build: makes the PNG. alt: text for screen readers. caption: plain
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
    """Alternative blocks; a page shows one at a time. label: text of the choice. key: its name in the
    address. printed: number of blocks, from the first, that a report shows; None: all."""

    label: str
    key: str
    options: Mapping[str, Block]
    printed: int | None = None


Block = Figure | Panels | Table | Facts | Text | Gallery | SideBySide | Choice


@dataclass(frozen=True)
class Section:
    """Blocks that belong together: a tab of a page or a chapter of a report.

    detail: whether only reports show it; the page's tab of that name draws its own interactive content.
    """

    name: str
    blocks: Sequence[Block]
    detail: bool = False


@dataclass(frozen=True)
class Status:
    """Whether a score is official, in plain text. badge: the short label shown everywhere; official: full
    sentences. is_official: whether the score is official. official_score: the official score if it differs,
    "" if unknown. official_name: its name. incomplete: missing parts of the submission, "" for none."""

    official: str = ""
    is_official: bool = False
    official_score: str = ""
    incomplete: str = ""
    badge: str = ""
    official_name: str = "official"


@dataclass(frozen=True)
class Headline:
    """The score and its parts.

    facts: numbers beside it. strip: figure of the parts, with the arithmetic as its caption. arithmetic: the
    same as text (Markdown), without a figure. parts: what each part adds to the score. notes: warnings to
    read before the score.
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
    """All sections that page, report and notebook show of a scorecard."""

    headline: Headline
    sections: Sequence[Section]

    def section(self, name: str) -> Section | None:
        """Return the section with a name, None if there is none."""
        return next((section for section in self.sections if section.name == name), None)


def directed(name: str, better: Better | None) -> str:
    """Return the name of a number with an arrow in the better direction.

    Args:
        better: "higher" or "lower"; None for no direction.
    """
    return f"{name} {'↑' if better == 'higher' else '↓'}" if better else name
