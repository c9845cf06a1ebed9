"""Tables as psql, R, Weka and dumps of SQL write them, or with an object in a cell: the content of
`format_grammar`, and the same score as the plain file."""

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random

from tests.fuzz import format_grammar
from tests.fuzz.format_grammar import JSON_NUMBER, Rows
from tests.support import archives, category_tables


def lines(*rows: str) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def of_psql(random: Random, rows: Rows) -> bytes:
    header, *body = (" " + " | ".join(f"{cell:>9}" for cell in row) for row in rows)
    below = [f"({len(body)} rows)"] if random.random() < 0.7 else []
    return lines(header, "+".join("-" * 11 for _ in rows[0]), *body, *below)


def of_r(random: Random, rows: Rows) -> bytes:
    header, *body = ([number_or(cell, '"{}"', "NA") for cell in row] for row in rows)
    names = [[f'"{number}"'] if random.random() < 0.99 else [] for number in range(1, len(body) + 1)]
    named = names if random.random() < 0.7 else [[] for _ in body]
    return lines(" ".join(header), *(" ".join([*n, *row]) for n, row in zip(named, body, strict=True)))


def of_weka(random: Random, rows: Rows) -> bytes:
    header, *body = rows
    kinds = ["string", *("numeric" for _ in header[1:])]
    named = (f"@attribute {name} {kind}" for name, kind in zip(header, kinds, strict=True))
    mark = random.choice(("'{}'", '"{}"'))
    cells = (",".join(number_or(cell, mark, "?") for cell in row) for row in body)
    comment = ["% a comment"] if random.random() < 0.5 else []
    return lines(*comment, "@relation p", "", *named, "@data", *cells, *comment)


def of_dump(random: Random, rows: Rows) -> bytes:
    header, *body = rows
    names = ", ".join(header)
    if random.random() < 0.3:
        cells = ("\t".join(cell or r"\N" for cell in row) for row in body)
        return lines("--", f"COPY p ({names}) FROM stdin;", *cells, *(["\\."] * (random.random() < 0.8)))
    values = [f"({', '.join(number_or(cell, QUOTED, 'NULL') for cell in row)})" for row in body]
    if random.random() < 0.5:
        values.insert(random.randrange(len(values) + 1), random.choice(ODD_ROWS))
    begun = f"INSERT INTO p ({names}) VALUES"
    if random.random() < 0.5:
        return lines("-- a dump", *(f"{begun} {row};" for row in values))
    return lines("-- a dump", begun, ",\n".join(values) + ";")


def of_objects(random: Random, rows: Rows) -> bytes:
    """A case and all of its scores in one cell, as JSON or as Python writes them."""
    header, *body = rows
    objects = [
        {n: float(c) if JSON_NUMBER.fullmatch(c) else c for n, c in zip(header[1:], row[1:], strict=True)}
        for row in body
    ]
    write = random.choice((json.dumps, repr))
    cells = [
        [row[0], write({"s": each} if random.random() < 0.1 else each)]
        for row, each in zip(body, objects, strict=True)
    ]
    return format_grammar.plain_csv([[header[0], "scores"], *cells])


def number_or(cell: str, mark: str, missing: str) -> str:
    """Return a number as it is, nothing as what stands for it, and other text between marks."""
    return cell if JSON_NUMBER.fullmatch(cell) else mark.format(cell) if cell else missing


QUOTED = "'{}'"
ODD_ROWS = (
    "('a''b', 1, 0, 0)",
    "(now(), 1, 0, 0)",
    "()",
    "('x' || 'y', 1, 0, 0)",
    "('" + "a''" * 999 + "' z, 1)",
)
LAYOUTS: Mapping[str, Callable[[Random, Rows], bytes]] = {
    "p.txt": of_psql,
    "p.dat": of_r,
    "p.arff": of_weka,
    "p.sql": of_dump,
    "p.csv": of_objects,
}


def table(random: Random, touched: format_grammar.Touch) -> bytes:
    """Predictions for the ISIC Challenge."""
    rows = format_grammar.table_content(random)
    if not are_plain(rows):
        rows = [["image", *category_tables.CATEGORIES], *category_tables.prediction_rows()]
        rows = [[str(cell) for cell in row] for row in rows]
    name = random.choice(list(LAYOUTS))
    data = LAYOUTS[name](random, rows)
    if random.random() < 0.4:
        return archives.archive_of({name: touched(random, data)})
    return archives.archive_of({format_grammar.PLAIN: format_grammar.plain_csv(rows), name: data})


def are_plain(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a layout can write the cells: one name a column, and no marks of a layout."""
    header = rows[0]
    is_even = len({len(row) for row in rows}) == 1 and 1 < len({*header}) == len(header)
    text = "".join(cell for row in rows for cell in row)
    return is_even and all(header) and not {*text} & {*"|'\"\\\t ,()[]{}%?;"}
