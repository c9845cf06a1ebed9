"""Converts Markdown in captions and sentences to HTML or plain text. For safe text from files see
`common.text`.

It supports tables, lists, paragraphs, **bold**, `code`, Streamlit's colours and sizes (`:red[▲]`,
`:small[...]`, `:orange-badge[...]`), line breaks (two blanks at the end of a line) and backslash escapes.
Everything else, including HTML, is plain text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from scoring.common.text import WORD_JOINER

CLASSES = {"red": "malignant", "orange": "medium", "green": "benign", "gray": "soft", "small": "small"}
_TOKEN = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])|`(?P<code>[^`]+)`|(?P<bold>\*\*)|:(?P<span>[a-z]+(?:-badge)?)\[|(?P<end>\])"
    r"|(?<! ) {2,}+\n(?P<line>)|&(?P<blank>nbsp);"
)


@dataclass(frozen=True)
class Node:
    """A part of a line of Markdown. `kind` is "text", "code", "bold", "line", or the name of a span."""

    kind: str
    text: str = ""
    parts: "Sequence[Node]" = ()


def html(text: str) -> str:
    """Return the Markdown as HTML: tables, lists and paragraphs."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text.strip())]
    return "".join(_block(lines) for lines in blocks if lines)


def inline_html(text: str) -> str:
    """Return one paragraph of Markdown as HTML, without an enclosing element."""
    return "".join(map(_html, parse(text)))


def plain(text: str) -> str:
    """Return one paragraph of Markdown as plain text, for tooltips and screen readers."""
    return "".join(map(_plain, parse(text)))


def parse(text: str) -> list[Node]:
    """Return the parts of a paragraph. An opening mark without a closing one is plain text."""
    tokens: list[Node | re.Match[str]] = []
    start = 0
    for match in _TOKEN.finditer(text):
        tokens += [Node("text", text[start : match.start()]), match]
        start = match.end()
    tokens.append(Node("text", text[start:]))
    parts, _ = _until(iter(tokens), None)
    return parts


def _until(tokens: Iterator[Node | re.Match[str]], closes: str | None) -> tuple[list[Node], bool]:
    """Return the parts up to the token that closes them, and whether there was one."""
    parts: list[Node] = []
    for token in tokens:
        if isinstance(token, Node):
            parts.append(token)
        elif token.lastgroup == closes:
            return parts, True
        elif token.lastgroup in ("bold", "span"):
            inner, closed = _until(tokens, "bold" if token.lastgroup == "bold" else "end")
            kind = token["span"] or "bold"
            parts += [Node(kind, parts=inner)] if closed else [Node("text", token[0]), *inner]
        else:
            parts.append(_leaf(token))
    return parts, False


def _leaf(token: re.Match[str]) -> Node:
    if token["code"] is not None:
        return Node("code", token["code"])
    if token["line"] is not None:
        return Node("line")
    if token["blank"]:
        return Node("text", "\u00a0")
    return Node("text", token["escaped"] or token[0])


def _html(node: Node) -> str:
    visible = escape(node.text.replace(WORD_JOINER, "").replace("\n", " "), quote=False)
    inner = "".join(map(_html, node.parts))
    shapes: dict[str, Callable[[], str]] = {
        "text": lambda: visible,
        "line": lambda: "<br>",
        "code": lambda: f"<code>{visible}</code>",
        "bold": lambda: f"<strong>{inner}</strong>",
    }
    if node.kind in shapes:
        return shapes[node.kind]()
    colour = CLASSES.get(node.kind.removesuffix("-badge"), "")
    badge = "badge " if node.kind.endswith("-badge") else ""
    return f'<span class="{badge}{colour}">{inner}</span>'


def _plain(node: Node) -> str:
    visible = node.text.replace(WORD_JOINER, "").replace("\n", " ")
    return (" " if node.kind == "line" else visible) + "".join(map(_plain, node.parts))


def _block(lines: Sequence[str]) -> str:
    if lines[0].startswith("|"):
        return _table(lines)
    if all(line.startswith("- ") for line in lines):
        return "<ul>" + "".join(f"<li>{inline_html(line[2:])}</li>" for line in lines) + "</ul>"
    return f"<p>{inline_html(chr(10).join(lines))}</p>"


def _table(lines: Sequence[str]) -> str:
    cells = [[inline_html(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    head = "".join(f'<th scope="col">{cell}</th>' for cell in cells[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells[2:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
