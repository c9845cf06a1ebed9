"""Decodes the text of tables and finds the header line. Tables with too many lines or cells are refused. For
columns see `tables`."""

import codecs
import re
from collections.abc import Sequence

from scoring.common.findings import InputRefused, error

TABLE_BYTES, LINES, COLUMNS, LINE_BYTES = 200_000_000, 200_000, 1000, 1_000_000
CELLS = 4_000_000
"""Maximum number of cells of a table, for example 40 columns of 100,000 cases. A cell takes about 100 bytes
while it is read, so that such a table takes 400 MB."""
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
NUMBER = re.compile(r'[\s"]*[+-]?(?:\d++(?:[.,]\d+)?|[.,]\d+)\s*+%?[\s"]*', re.ASCII)
FOREIGN = {
    b"SQLite format 3": "a database of SQLite",
    b"PK\x03\x04": "a zip or an Excel workbook",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"PAR1": "a Parquet file",
    b"\x89HDF": "an HDF5 file",
    b"\xd0\xcf\x11\xe0": "an old or locked Excel workbook",
    b"\x80": "a Python pickle",
    **dict.fromkeys((b"X\n\0\0\0\2", b"X\n\0\0\0\3"), "an R data file (.rds)"),
    **dict.fromkeys((b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"), "an R workspace (.RData)"),
    **dict.fromkeys((b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"), "a file compressed by bzip2, xz or zstd"),
    b"$FL2": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"MATLAB 5.0 MAT-file": "a MATLAB file",
    b"\xff\xff\xff\xff": "a stream of Apache Arrow",
}
HALF = re.compile(rb'[^,;"\t\r\n\x80-\xff]{,40}(?:\xed[\xa0-\xbf][\x80-\xbf])+[^,;"\t\r\n\x80-\xff]{,40}')
"""Pattern of a half of a Unicode surrogate pair, as JSON may contain it."""
SAVE = "Save it as CSV, UTF-8."


def find_header(lines: Sequence[str]) -> tuple[int, str] | None:
    """Return the index of the header line and its delimiter: comma, semicolon or tab. None if there is no
    text. The delimiter is the one that Excel declares in the first line, otherwise the most frequent one."""
    filled = (i for i, line in enumerate(lines) if line.strip())
    first = next(filled, None)
    if first is not None and lines[first].startswith("#"):
        below = next((i for i in filled if not lines[i].startswith("#")), first)
        plain = (re.sub(r'"[^"]*"', "", lines[i]) for i in (first, below))
        cells, others = (max(map(line.count, DELIMITERS)) for line in plain)
        first = below if cells < others else first
    if first is None:
        return None
    first = _below_title(lines, first)
    declared = re.fullmatch(r"(?i)sep=([,;\t])", lines[first].strip(" \ufeff"))
    if declared:
        return next(filled, first), declared[1]
    return first, max(DELIMITERS, key=lines[first].count)


def _below_title(lines: Sequence[str], first: int) -> int:
    """Return the line of the header: the one below a title, as Numbers writes it, where all lines but the
    title have as many cells, and the next names them."""
    if any(mark in lines[first] for mark in DELIMITERS):
        return first
    rows = [line for line in lines[first + 1 :] if line.strip()]
    between = max(DELIMITERS, key=rows[0].count) if rows else ","
    is_named = len(rows) > 1 and not any(map(NUMBER.fullmatch, rows[0].split(between)))
    counts = {re.sub(r'"[^"]*"', "", line).count(between) for line in rows} if is_named else {0}
    return lines.index(rows[0], first + 1) if len(counts) == 1 and 0 not in counts else first


def is_markup(data: bytes) -> bool:
    """Return whether a file looks like JSON, HTML or XML."""
    return data[:200].lstrip()[:1] in (b"{", b"[", b"<")


def refuse(name: str, message: str) -> InputRefused:
    """Return the refusal of a file that cannot be read."""
    return InputRefused([error("unreadable-file", name, message)])


def read_lines(data: bytes, name: str) -> list[str]:
    """Return the lines of a table. Raises InputRefused (`unreadable-file`) if the file is too large or is not
    text."""
    if len(data) > TABLE_BYTES:
        raise refuse(
            name, f"it has {len(data) / 1e6:.0f} MB; a table of at most {TABLE_BYTES / 1e6:.0f} MB is read."
        )
    text = _text(data, name)
    if "\0" in text:
        raise refuse(name, f"it is not text: it holds NUL characters. {SAVE}")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    count = text.count("\n")
    if count > LINES:
        # Far more than any test set has cases: rows of a few bytes would grow to fifty times the file's size
        # in memory.
        raise refuse(name, f"it has {count:,} lines; at most {LINES:,} are read.")
    cells = max(map(text.count, DELIMITERS)) + count
    if cells > CELLS:
        raise refuse(name, f"it has {cells:,} cells; at most {CELLS:,} are read.")
    lines = text.split("\n")
    lengths = list(map(len, lines))
    if max(lengths) > LINE_BYTES:
        longest = lengths.index(max(lengths))
        message = (
            f"line {longest + 1} has {len(lines[longest]) / 1e6:.1f} million characters; at most 1 "
            "million are read."
        )
        raise refuse(name, message)
    return lines


def _text(data: bytes, name: str) -> str:
    for magic, kind in FOREIGN.items():
        if data.startswith(magic):
            raise refuse(name, f"it is {kind}, not a table of text. {SAVE}")
    if is_markup(data):
        raise refuse(name, f"it looks like JSON, HTML or XML, not a table. {SAVE}")
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        if half := HALF.search(data[max(0, problem.start - 100) : problem.start + 100]):
            cell = half[0].decode("utf-8", "surrogatepass")
            message = (
                f"its cell {cell!a} has half of a character (a lone surrogate): write the whole character."
            )
            raise refuse(name, message) from problem
        message = (
            f"it is not {encoding.upper().removesuffix('-SIG')} (byte {problem.start}). {SAVE} In "
            "Excel: Save as, CSV UTF-8."
        )
        raise refuse(name, message) from problem
