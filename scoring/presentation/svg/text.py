"""Text of figures in SVG: interprets the HTML that Plotly allows in labels, and estimates the width of
text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape, unescape
from html.parser import HTMLParser

LINE_HEIGHT = 1.3
"""Line height, relative to the font size."""
BASELINE = 0.35
"""Distance from the middle of a line down to its baseline, relative to the font size."""
BOLD = 1.06
OTHER_LETTERS, WIDE_LETTERS = 600, 1000
ROOM = 1.2
"""Factor by which a font that replaces Helvetica may be wider."""
FROM_WIDE = 0x2E80
"""Characters from this Unicode number on are as wide as high, such as Chinese characters."""
WIDTHS: Mapping[int, str] = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "-()`r−–",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jckssvxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~×",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1015: "@",
}
"""Width in Helvetica, in thousandths of the font size -> the characters with this width."""
WIDTH_OF = {character: width for width, characters in WIDTHS.items() for character in characters}
COLOUR, SIZE = (re.compile(rf"{name}:\s*([^;'\"]+)") for name in ("color", "font-size"))
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML forbids."""
SAFE_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|rgba?\([0-9., ]+\)")


@dataclass(frozen=True)
class TextRun:
    """Characters with the same style and font size in pixels. If `colour` is None, the colour of the whole
    text is used."""

    text: str
    size: float
    colour: str | None = None
    bold: bool = False

    @property
    def width(self) -> float:
        """Width of the characters in pixels."""
        return sum(map(_width, self.text)) * ROOM * self.size / 1000 * (BOLD if self.bold else 1)


@dataclass(frozen=True)
class TextLines:
    """A text as lines, each of which is a sequence of `TextRun`, with the font size in pixels."""

    lines: tuple[tuple[TextRun, ...], ...]
    size: float

    @property
    def width(self) -> float:
        """Width of the longest line in pixels."""
        return max((sum(run.width for run in line) for line in self.lines), default=0.0)

    @property
    def height(self) -> float:
        """Height of all lines in pixels."""
        return LINE_HEIGHT * self.size * len(self.lines)

    def __bool__(self) -> bool:
        return any(run.text.strip() for line in self.lines for run in line)

    def svg(
        self, x: float, y: float, colour: str, anchor: str = "middle", turned: float = 0, bold: bool = False
    ) -> str:
        """Return the text, vertically centred at y.

        Args:
            x: Start, centre or end of the text, depending on `anchor`.
            y: Vertical centre of all lines.
            colour: Colour of those parts of the text that have no own colour.
            anchor: "start", "middle" or "end".
            turned: Rotation around (x, y) in degrees, clockwise.
            bold: Whether the whole text is bold.
        """
        first = y + BASELINE * self.size - LINE_HEIGHT * self.size * (len(self.lines) - 1) / 2
        at = f' transform="rotate({number(turned)} {number(x)} {number(y)})"' if turned else ""
        weight = ' font-weight="bold"' if bold else ""
        return "".join(
            f'<text x="{number(x)}" y="{number(first + k * LINE_HEIGHT * self.size)}" fill="{paint(colour)}" '
            f'font-size="{number(self.size)}" text-anchor="{anchor}"{weight}{at}>{_spans(line, self.size)}'
            "</text>"
            for k, line in enumerate(self.lines)
            if line
        )


def words(text: object, size: float = 12) -> TextLines:
    """Parse a text in which only `<b>`, `<br>` and spans with colour and size are interpreted.

    Args:
        text: A label for Plotly, in which names from files are escaped.
        size: Font size in pixels.
    """
    reader = _Reader(size)
    reader.feed(str(text))
    reader.close()
    return TextLines(tuple(tuple(line) for line in reader.lines), size)


def number(value: float) -> str:
    """Return a length as text with at most one decimal."""
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def paint(colour: str) -> str:
    """Return a colour as an attribute value; black for invalid colours."""
    return colour if SAFE_COLOUR.fullmatch(colour) else "#000000"


def _width(character: str) -> int:
    known = WIDTH_OF.get(character)
    if known is not None:
        return known
    return WIDE_LETTERS if ord(character) >= FROM_WIDE else OTHER_LETTERS


def _spans(line: tuple[TextRun, ...], size: float) -> str:
    parts = []
    for run in line:
        looks = f' fill="{paint(run.colour)}"' if run.colour else ""
        looks += ' font-weight="bold"' if run.bold else ""
        looks += f' font-size="{number(run.size)}"' if run.size != size else ""
        # Of several blanks only one would be seen.
        text = escape(NO_XML.sub("", run.text).replace("  ", "\u00a0 "), quote=False)
        parts.append(f"<tspan{looks}>{text}</tspan>" if looks else text)
    return "".join(parts)


class _Reader(HTMLParser):
    """Collects the runs of a label."""

    def __init__(self, size: float) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[TextRun]] = [[]]
        self.bold = 0
        self.spans: list[tuple[str | None, float]] = [(None, size)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.lines.append([])
        elif tag == "b":
            self.bold += 1
        elif tag == "span":
            style = unescape(dict(attrs).get("style") or "")
            colour, size = COLOUR.search(style), SIZE.search(style)
            before = self.spans[-1]
            self.spans.append(
                (
                    colour.group(1).strip() if colour else before[0],
                    float(size.group(1).removesuffix("px")) if size else before[1],
                )
            )

    def handle_endtag(self, tag: str) -> None:
        if tag == "b":
            self.bold = max(0, self.bold - 1)
        elif tag == "span" and len(self.spans) > 1:
            self.spans.pop()

    def handle_data(self, data: str) -> None:
        colour, size = self.spans[-1]
        self.lines[-1].append(TextRun(data, size, colour, self.bold > 0))
