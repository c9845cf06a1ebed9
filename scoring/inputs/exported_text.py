r"""Converts text tables that other programs export to CSV: listings of psql, R's `write.table`, ARFF, SQL
dumps, and layouts of Weka, Orange and Markdown.

The layouts are those of psql's `\pset format aligned`, R's `write.table` with its defaults, Weka's
description of ARFF, `pg_dump` with and without `--inserts`, and pandas' `to_csv` of a MultiIndex.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Mapping

from scoring.common.text import csv_text
from scoring.inputs.table_text import COLUMNS, DELIMITERS, FOREIGN, LINES, NUMBER, TABLE_BYTES

HEAD = 20_000
ARFF, OF_R, SQL, OF_PSQL = "Weka's ARFF", "R's write.table", "An SQL dump of a database", "A listing of psql"
TWO_LEVELS = "A table of pandas with two lines of headings"
BLANKS = re.compile(r'"[^"]*"(?: "[^"]*")+')
"""Pattern of a header line in which names are quoted and separated by blanks."""
CASE = "image"
MARKS = "\t;"
"""Separators other than blanks. Commas are left out, because a decimal comma would split a number."""
BELOW_HEADER = re.compile(r"-+(?:\+-+)+", re.ASCII)
COUNT = re.compile(r"\(\d+ rows?\)", re.ASCII)
"""Pattern of the line that psql writes below a table."""
ONE_NAME = re.compile(r"[^,]+,+")
"""Pattern of a line that contains only the name of the first column."""
ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s.*""", re.IGNORECASE)
STATEMENTS = ("--", "/*", "set ", "create ", "begin", "insert into ", "copy ", "pragma ", "drop ", "lock ")
INSERT = re.compile(r"insert\s+into\s+(\S+)\s*\(([^()]*)\)\s*values\s*", re.IGNORECASE)
COPY = re.compile(r"copy\s+(\S+)\s*\(([^()]*)\)\s+from\s+stdin;", re.IGNORECASE)
ROW = re.compile(r"\s*\(((?:'[^']*+'|[^'()])*+)\)\s*([,;]?)")
CELL = re.compile(r"\s*+((?:'[^']*+')++|[^,']*+)\s*+,")
NULLS = ("null", r"\n")
Rows = list[list[str]]
"""Cells of each line, the header first; [] for a line that is not a row."""


def exported_as_commas(data: bytes) -> tuple[bytes, str] | None:
    """Return an exported table as CSV, and its original layout; None for any other text. Rows keep their line
    numbers if possible."""
    head = data[:HEAD].decode("utf-8-sig", "replace").splitlines()
    layout = _layout([line.strip() for line in head if line.strip()])
    if layout is None:
        return None
    try:
        rows = READERS[layout](data.decode("utf-8-sig").splitlines()[: LINES + 2])
    except (UnicodeDecodeError, csv.Error):
        return None
    if len(rows) < 2 or len({len(row) for row in rows if row}) != 1:
        return None
    return csv_text(rows[0], rows[1:]).encode(), layout


def _layout(lines: list[str]) -> str | None:
    first, second, third = [*lines, "", "", ""][:3]
    if first.startswith(",") and second.startswith(",") and ONE_NAME.fullmatch(third):
        return TWO_LEVELS
    if BELOW_HEADER.fullmatch(second):
        return OF_PSQL
    if BLANKS.fullmatch(first) or _is_one_short(first, second, third or second):
        return OF_R
    opening = next((line.lower() for line in lines if not line.startswith("%")), "")
    if opening.startswith("@relation"):
        return ARFF
    return SQL if first.lower().startswith(STATEMENTS) else None


def _is_one_short(header: str, *rows: str) -> str:
    """Return the separator of a table whose header lacks the heading of names of rows; "" for another."""
    if not rows or header.startswith(("sep=", "#")):
        return ""
    numbers = any(mark in header for mark in MARKS) or NUMBER.fullmatch(re.split(f"[{MARKS}]", rows[0])[-1])
    short = (mark for mark in MARKS if {row.count(mark) for row in rows} == {header.count(mark) + 1})
    mark = next(short, "") if numbers else ""
    return "" if mark and any(row.startswith(mark) or row.endswith(mark) for row in rows) else mark


def _of_psql(lines: list[str]) -> Rows:
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return [
        [] if i == 1 or not line.strip() or COUNT.fullmatch(line.strip()) else row
        for i, (line, row) in enumerate(zip(lines, rows, strict=True))
    ]


def _of_r(lines: list[str]) -> Rows:
    """Return the rows; names of rows, which have no heading, are left out where they count the rows, and are
    those of the cases elsewhere."""
    filled = [line.strip() for line in lines if line.strip()]
    rows = list(csv.reader(lines, delimiter=_is_one_short(*filled[:2]) or " "))
    header, body = rows[0], rows[1:]
    named = {len(row) for row in body if row} == {len(header) + 1}
    if not named:
        return rows
    counted = [row[0] for row in body if row] == [str(i + 1) for i in range(sum(map(bool, body)))]
    if counted:
        return [header, *(row[1:] for row in body)]
    return [["" if CASE in map(str.lower, header) else CASE, *header], *body]


def _of_two_levels(lines: list[str]) -> Rows:
    """Return the rows below the second line of headings, with the first before those that are there twice."""
    rows = list(csv.reader(lines))
    above, names, (index, *_) = rows[:3]
    whole = names if len({*names}) == len(names) else [f"{a}_{b}" for a, b in zip(above, names, strict=False)]
    return [[index, *whole[1:]], [], [], *rows[3:]]


def _of_arff(lines: list[str]) -> Rows:
    start = next((i for i, line in enumerate(lines) if line.strip().lower() == "@data"), len(lines))
    names = [match[1].strip("'\"") for line in lines[:start] if (match := ATTRIBUTE.fullmatch(line.strip()))]
    if not names or any(line.lstrip().startswith("{") for line in lines[start + 1 :]):
        return []  # a sparse table, or none
    quote = "'" if any("'" in line for line in lines[start + 1 :]) else '"'
    body = ("" if line.lstrip().startswith("%") else line for line in lines[start + 1 :])
    rows = csv.reader(body, quotechar=quote, skipinitialspace=True)
    cells = [["" if cell.strip() == "?" else cell.strip() for cell in row] for row in rows]
    return [names, *([] for _ in range(start)), *cells]


def _of_sql(lines: list[str]) -> Rows:
    """Return the rows of the one table that a dump fills."""
    text = "\n".join(lines)
    if copied := COPY.search(text):
        body = text[copied.end() :].lstrip("\n").partition("\n\\.")[0]
        rows = [line.split("\t") for line in body.split("\n")]
        return [] if COPY.search(text, copied.end()) else [_names(copied[2]), *map(_known, rows)]
    tables, rows = set(), []
    for statement in INSERT.finditer(text):
        tables.add((statement[1], statement[2]))
        at, follows = statement.end(), ","
        while follows == ",":
            match = ROW.match(text, at)
            if match is None or not (row := _cells_of(match[1])):
                return []  # a row that is not read must not be missing
            rows.append(_known(row))
            at, follows = match.end(), match[2]
    return [_names(next(iter(tables))[1]), *rows] if len(tables) == 1 else []


def _cells_of(row: str) -> list[str]:
    """Return the cells between the brackets of a row, [] if it is none."""
    text, cells, at = row + ",", list[str](), 0
    while at < len(text):
        match = CELL.match(text, at)
        if match is None:
            return []
        cells.append(match[1].strip())
        at = match.end()
    return cells


def _names(columns: str) -> list[str]:
    return [name.strip().strip('"`[]') for name in columns.split(",")]


def _known(cells: list[str]) -> list[str]:
    """Return cells without quotation marks, "" for one that holds nothing."""
    return [
        "" if cell.lower() in NULLS else cell[1:-1].replace("''", "'") if cell[:1] == "'" else cell
        for cell in cells
    ]


READERS: Mapping[str, Callable[[list[str]], Rows]] = {
    OF_PSQL: _of_psql,
    OF_R: _of_r,
    TWO_LEVELS: _of_two_levels,
    ARFF: _of_arff,
    SQL: _of_sql,
}


LAYOUT_HEAD = 20_000
WEKA_LIST = "Weka's list of predictions"
WEKA = b"inst#,actual,predicted,error,"
NUMBERED = re.compile(r"(\d{1,9}):(.*)", re.ASCII | re.DOTALL)
"""Pattern of a class in Weka's output: its number and its name."""
KINDS = frozenset((b"continuous", b"discrete", b"string", b"time", b"c", b"d", b"s", b"t"))
ROLES = frozenset((b"meta", b"class", b"ignore", b"m", b"i"))
"""Entries that Orange writes in line 2 (types of columns) and line 3 (roles of columns) of a table."""
RULE = re.compile(r"\|?[ :|]*-[ :|-]*", re.ASCII)
"""The line below the header of a Markdown table."""
CP1252 = codecs.lookup("cp1252")
"""Codec of Windows-1252. It is loaded on import, because confined processes cannot open files later."""
WINDOWS = "Text in Windows-1252, not UTF-8,"
OTHER = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, *FOREIGN)
CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LEAST = 3
"""Blanks count as separators only if a table then has at least this number of columns."""


def as_commas(data: bytes) -> tuple[bytes, str]:
    """Return a table as CSV with the same lines, and its original layout. Any other file is returned
    unchanged, with ""."""
    head = data[:LAYOUT_HEAD]
    header, *kinds = head.split(b"\n", 3)
    if len(kinds) == 3 and _are_roles(*kinds[:2]):
        return header + b"\n\n\n" + data[len(header) + len(kinds[0]) + len(kinds[1]) + 3 :], "An Orange table"
    if header.lstrip(b"\xef\xbb\xbf").startswith(WEKA) and len(data) <= TABLE_BYTES:
        return _of_weka(data.decode("utf-8-sig", "replace")), WEKA_LIST
    is_marked = header.lstrip(b"\xef\xbb\xbf \t").startswith(b"|")
    is_wide = b"  " in head and not any(mark.encode() in header for mark in DELIMITERS)
    if exported := exported_as_commas(data) if len(data) <= TABLE_BYTES else None:
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
    """Convert text from Windows-1252, the encoding of Excel's CSV in Western Europe, to UTF-8; None for
    anything else.

    Args:
        data: The file. A file that also contains UTF-8 characters is damaged UTF-8, and is not converted.
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
