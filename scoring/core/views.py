"""Views of a scorecard as data: pages, reports and notebooks show the same blocks with the same text.

Captions, explanations and `Text` are Markdown written by the project: names from files must be escaped by
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
"""Name of a column -> its values; all columns have the same length."""


@dataclass(frozen=True)
class Figure:
    """A figure that is drawn on demand, with a question that it answers.

    Attributes:
        caption: How to read the figure, number of cases and method.
        data: The drawn numbers, for a download.
        key: Text that tells figures with the same question apart.
        cases: Whether points carry their case name first in `customdata`, so that a click opens the case
            viewer.
        classes: Whether points carry a class, or true and predicted class, so that a click opens the cases of
            these classes.
    """

    build: Callable[[Theme], Drawing]
    caption: str = ""
    data: Data | None = None
    key: str = ""
    cases: bool = False
    classes: bool = False


@dataclass(frozen=True)
class Panel:
    """One of several small figures.

    Attributes:
        alt: Text for screen readers. If it is "", they read the question and the text below the figure.
    """

    title: str
    build: Callable[[Theme], Drawing]
    below: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Panels:
    """Small figures with a common question, one per class, center or similar group. `width` is the minimum
    width of a figure in px."""

    question: str
    panels: Sequence[Panel]
    caption: str = ""
    width: int = 155


Kind = Literal["text", "number", "bar", "count", "interval", "class", "written"]


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: Key of its values in `Table.rows`.
        full: Longer heading, used if there is room.
        kind: Type of the values: "text"; "number" with `digits` decimals; "bar", a number drawn as a bar from
            0 to `most`; "count", a number of cases, with a star below 15; "interval", pairs (low, high) or
            None; "class", class names with the symbol of their risk group; "written", numbers as text.
        unit: Text after a number.
        sign: Whether positive numbers are shown with a plus sign.
        width: Width in px, on a page.
        lighter: Whether the text is shown lighter.
        colour: Colour of bars: a colour or risk group of the theme.
        detail: Whether only reports show the column.
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
    """A table with the question that it answers; the question is "" if the table belongs to the block before
    it.

    Attributes:
        rows: Values by column name.
        risks: Risk group of each class, for "class" columns.
        key: Text that tells tables with the same question apart.
        detail: Whether only reports show the table.
        cases: Column with the case name of each row, whose selection opens the case viewer; "" for none.
        written: Whether a page shows the table as plain text, without sorting. This suits a few rows that
            follow a slider, because an interactive table costs ten times as much to send.
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
    """A number with its name and, in lighter type below it, its interval or number of cases (`below`).
    `explain` is a tooltip in Markdown."""

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
    """Sentences in Markdown, optionally under a question. The kind "note" says why something is not shown;
    "caution" is an important warning."""

    text: str
    kind: Literal["plain", "note", "caution"] = "plain"
    question: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn on demand. The function `build` returns the picture as PNG; `alt` is the text
    for screen readers."""

    build: Callable[[], bytes]
    alt: str
    caption: str


@dataclass(frozen=True)
class Gallery:
    """Pictures under the question that they answer."""

    question: str
    pictures: Sequence[Picture]
    caption: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Columns of blocks on a page, with relative widths. A report shows the columns one below the other."""

    columns: Sequence[Sequence[Block]]
    widths: Sequence[float]


@dataclass(frozen=True)
class Choice:
    """Alternative blocks, of which a page shows one at a time.

    Attributes:
        key: Name of the choice in the page's address.
        printed: A report shows this number of blocks, starting with the first; None: all blocks.
    """

    label: str
    key: str
    options: Mapping[str, Block]
    printed: int | None = None


Block = Figure | Panels | Table | Facts | Text | Gallery | SideBySide | Choice


@dataclass(frozen=True)
class Section:
    """Blocks that belong together: a tab of a page or a chapter of a report.

    Attributes:
        detail: Whether only reports show the blocks; the tab of the page then draws its own interactive
            content.
    """

    name: str
    blocks: Sequence[Block]
    detail: bool = False


@dataclass(frozen=True)
class Status:
    """Whether a score is official, in plain text.

    Attributes:
        official: Full sentences.
        official_score: The official score if it differs; "" if unknown.
        incomplete: Missing parts of the submission; "" for none.
    """

    official: str = ""
    is_official: bool = False
    official_score: str = ""
    incomplete: str = ""
    badge: str = ""
    official_name: str = "official"


@dataclass(frozen=True)
class Headline:
    """The score and its parts.

    Attributes:
        facts: Numbers beside the score.
        strip: Figure of the parts; its caption states their sum.
        arithmetic: The sum of the parts as Markdown text, if there is no figure.
        parts: What each part adds to the score.
        notes: Warnings to read before the score.
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
