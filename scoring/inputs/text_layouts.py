"""Text tables in special layouts: Orange, Weka, Markdown, and fixed-width columns, converted to CSV.

Sources of the layouts: Orange's `io` documentation, Weka's `output.prediction.CSV`,
`pandas.DataFrame.to_markdown` and `to_string`.
"""

import codecs
import csv
import io
import re

from scoring.common.text import csv_text
from scoring.inputs import exported_text
from scoring.inputs.table_text import COLUMNS, DELIMITERS, FOREIGN, LINES, TABLE_BYTES

LAYOUT_HEAD = 20_000
WEKA_LIST = "Weka's list of predictions"
WEKA = b"inst#,actual,predicted,error,"
NUMBERED = re.compile(r"(\d+):(.*)", re.ASCII | re.DOTALL)
"""Pattern of a class as Weka writes it."""
KINDS = frozenset((b"continuous", b"discrete", b"string", b"time", b"c", b"d", b"s", b"t"))
ROLES = frozenset((b"meta", b"class", b"ignore", b"m", b"i"))
"""Entries for a column in lines 2 and 3 of Orange's tables."""
RULE = re.compile(r"\|?[ :|]*-[ :|-]*", re.ASCII)
"""The line below the header of a Markdown table."""
CP1252 = codecs.lookup("cp1252")
"""Found on import, as confined processes open no file."""
WINDOWS = "Text in Windows-1252, not UTF-8,"
OTHER = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, *FOREIGN)
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LEAST = 3
"""Minimum columns for treating blanks as separators."""


def as_commas(data: bytes) -> tuple[bytes, str]:
    """Return a table as CSV with the same lines, and its layout; any other file unchanged, and "".

    Args:
        data: The file.
    """
    head = data[:LAYOUT_HEAD]
    header, *kinds = head.split(b"\n", 3)
    if len(kinds) == 3 and _are_roles(*kinds[:2]):
        return header + b"\n\n\n" + data[len(header) + len(kinds[0]) + len(kinds[1]) + 3 :], "An Orange table"
    if header.lstrip(b"\xef\xbb\xbf").startswith(WEKA) and len(data) <= TABLE_BYTES:
        return _of_weka(data.decode("utf-8-sig", "replace")), WEKA_LIST
    is_marked = header.lstrip(b"\xef\xbb\xbf \t").startswith(b"|")
    is_wide = b"  " in head and not any(mark.encode() in header for mark in DELIMITERS)
    if exported := exported_text.as_commas(data) if len(data) <= TABLE_BYTES else None:
        return exported
    if len(data) > TABLE_BYTES or not (is_marked or is_wide):
        return data, ""
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        return data, ""
    if is_marked and len(lines) > 1 and RULE.fullmatch(lines[1].strip()):
        rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
        rows[1], named = [], "A Markdown table"
    elif is_wide and '"' not in lines[0] and LEAST <= (width := len(lines[0].split())) <= COLUMNS:
        rows = [line.split(maxsplit=width + 1) for line in lines[: LINES + 2]]
        named = "A table with blanks between its columns"
        numbered = {width + 1} == {len(row) for row in rows[1:] if row}
        rows[0] = [""] * numbered + rows[0]
        if {len(row) for row in rows if row} != {width + numbered}:
            return data, ""
    else:
        return data, ""
    return csv_text(rows[0], rows[1:]).encode(), named


def of_windows(data: bytes) -> bytes | None:
    """Return text in Windows-1252, as Excel saves CSV in Western Europe, in UTF-8; None for anything else.

    Args:
        data: The file. One that holds characters of UTF-8 too is damaged UTF-8.
    """
    if data.isascii() or len(data) > TABLE_BYTES or data.startswith(OTHER) or CONTROL.search(data):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as problem:
        is_cut = problem.reason == "unexpected end of data"
        if is_cut or not data.decode("utf-8", "ignore").isascii():
            return None
    else:
        return None
    try:
        return CP1252.decode(data)[0].encode()
    except UnicodeDecodeError:
        return None


def _are_roles(kinds: bytes, roles: bytes) -> bool:
    """Return whether two lines say of columns what they hold and are for, as Orange writes below a header."""
    said = {cell.strip() for cell in roles.split(b"\t")} - {b""}
    return bool(said) and said <= ROLES and not KINDS.isdisjoint(map(bytes.strip, kinds.split(b"\t")))


def _of_weka(text: str) -> bytes:
    """Return Weka's list with names of classes without their numbers, and the columns of the distribution
    named by their classes; that of the predicted one is starred."""
    rows = [row for row in csv.reader(io.StringIO(text)) if row]
    header, body = rows[0], rows[1:]
    named = [NUMBERED.fullmatch(cell) for row in body for cell in row[1:3]]
    classes = {int(match[1]): match[2] for match in named if match and match[2] != "?"}
    first = header.index("distribution") if "distribution" in header else len(header)
    count = next((i for i, name in enumerate(header[first + 1 :]) if name), len(header) - first - 1) + 1
    for place in range(first, min(first + count, len(header))):
        header[place] = classes.get(place - first + 1, str(place - first + 1))
    cells = [
        [
            m[2] if k in (1, 2) and (m := NUMBERED.fullmatch(cell)) else cell.lstrip("*")
            for k, cell in enumerate(row)
        ]
        for row in body
    ]
    return csv_text(header, cells).encode()
