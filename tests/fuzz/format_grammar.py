"""The same content, right or with a fault, as a plain file and in a format of the field: where both are
read, they give the same score. Each example is a zip of the file and, where its bytes are whole, of the plain
one."""

import csv
import gzip
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from scoring.challenges.declared import library
from scoring.core.import_preview import chosen, preview, score_of
from scoring.metrics.registry import METRICS
from tests.challenges.puma import test_foreign_lists as programs
from tests.hostile import inputs
from tests.hostile.inputs import Came, attempt
from tests.support import (
    archives,
    category_tables,
    nuclei_forms,
    nuclei_lists,
    odd_tables,
    workbooks,
)
from tests.support.declared_kinds import KINDS

PLAIN = "plain.csv"
JSON_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
Rows = list[list[str]]
Touch = Callable[[Random, bytes], bytes]
Spoil = Callable[[Random, Any], None]


def unpacked(data: bytes) -> dict[str, bytes]:
    """Return the members of an example."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def agree(plain: Came, other: Came) -> Came:
    """Return what came of a format, after a comparison with what came of the plain file."""
    if not plain.refused and not other.refused:
        same = np.array_equal([plain.score], [other.score], equal_nan=True)
        assert same, f"the plain file scores {plain.score}, the other one {other.score}"
    return other


def table_content(random: Random) -> Rows:
    """Return a heading and rows for the ISIC Challenge, three times in four with a fault or two."""
    ids = random.sample(category_tables.IDS, len(category_tables.IDS))
    rows = [
        [name, *(f"{random.random() ** 3:.{random.choice((1, 3, 17))}f}" for _ in category_tables.CATEGORIES)]
        for name in ids
    ]
    sheet = odd_tables.Sheet([["image", *category_tables.CATEGORIES], *rows])
    for fault in random.choices(OF_CONTENT, k=random.choice((0, 1, 1, 2))):
        fault(random, sheet)
    return sheet.rows


OF_CONTENT = (
    odd_tables.number,
    odd_tables.number,
    odd_tables.two_spellings_of_a_tie,
    odd_tables.column_of_numbers,
    odd_tables.columns_in_another_order,
    odd_tables.column_more,
    odd_tables.column_away,
    odd_tables.other_id,
    odd_tables.row_twice,
    odd_tables.row_away,
    odd_tables.row_more,
    odd_tables.numbers_as_ids,
    odd_tables.blank_beside_cell,
)


def plain_csv(rows: Rows) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def typed(column: Sequence[str]) -> list[Any]:
    """Return a column as numbers where all of its cells are plain ones, else as text."""
    if all(JSON_NUMBER.fullmatch(cell) for cell in column):
        return [float(cell) for cell in column]
    return list(column)


def as_json(random: Random, rows: Rows) -> tuple[str, bytes]:
    """One of the shapes in which tables are written as JSON."""
    header, *body = rows
    written = [[json_cell(cell) for cell in row] for row in body]
    records = [f"{{{members(header, row)}}}" for row in written]
    by_case = [
        f"{json.dumps(case)}: {{{members(header[1:], row[1:])}}}"
        for (case, *_), row in zip(body, written, strict=True)
    ]
    apart = [f'{{{members(header[:1], row)}, "s": {{{members(header[1:], row[1:])}}}}}' for row in written]
    columns = [
        f"{json.dumps(name)}: [{', '.join(row[k] for row in written)}]" for k, name in enumerate(header)
    ]
    lists = ", ".join(f"[{', '.join(row)}]" for row in written)
    shapes = (
        f"[{', '.join(records)}]",
        f'{{"predictions": [{", ".join(records)}]}}',
        "\n".join(records),
        f"{{{', '.join(by_case if header[0] == 'image' else columns)}}}",
        f"{{{', '.join(columns)}}}",
        f'{{"columns": {json.dumps(header)}, "data": [{lists}]}}',
        f'{{"columns": {json.dumps(header)}, "index": {[*range(len(body))]}, "data": [{lists}]}}',
        f"[{', '.join(apart)}]",
    )  # fmt: skip
    return "p.json", random.choice(shapes).encode()


def members(header: Sequence[str], row: Sequence[str]) -> str:
    return ", ".join(f"{json.dumps(name)}: {cell}" for name, cell in zip(header, row, strict=False))


def json_cell(cell: str) -> str:
    return cell if JSON_NUMBER.fullmatch(cell) else "null" if cell == "" else json.dumps(cell)


def as_arrays(random: Random, rows: Rows) -> tuple[str, bytes]:
    header, *body = rows
    columns = [typed(column) for column in zip(*body, strict=True)]
    arrays: dict[str, Any] = {name: np.array(c) for name, c in zip(header, columns, strict=True)}
    matrix = np.array(columns[1:]).T
    if random.random() < 0.6 and matrix.dtype.kind == "f":
        arrays = {header[0]: arrays[header[0]], "probs": matrix, "classes": np.array(header[1:])}
    file = io.BytesIO()
    np.savez(file, **{name or "none": array for name, array in arrays.items()})
    return "p.npz", file.getvalue()


def as_parquet(random: Random, rows: Rows) -> tuple[str, bytes]:
    header, *body = rows
    frame = pd.DataFrame(dict(zip(header, map(typed, zip(*body, strict=True)), strict=True)))
    if random.random() < 0.3:
        frame = frame.set_index(header[0])
    return "p.parquet", frame.to_parquet()


def as_gzip(random: Random, rows: Rows) -> tuple[str, bytes]:
    return "p.csv.gz", gzip.compress(plain_csv(rows), random.choice((1, 9)))


def as_workbook(_random: Random, rows: Rows) -> tuple[str, bytes]:
    header, *body = rows
    cells = [list(row) for row in zip(*map(typed, zip(*body, strict=True)), strict=True)]
    safe = [[c if isinstance(c, float) else re.sub(r"[<&>\x00-\x1f]", "", c) for c in row] for row in cells]
    return "p.xlsx", workbooks.workbook({"a": workbooks.sheet([header, *safe])})


def as_long(random: Random, rows: Rows) -> tuple[str, bytes]:
    header, *body = rows
    long = [[row[0], name, cell] for row in body for name, cell in zip(header[1:], row[1:], strict=True)]
    if random.random() < 0.5:
        random.shuffle(long)
    return "p.csv", plain_csv([["image", "class", "score"], *long])


def as_lists(random: Random, rows: Rows) -> tuple[str, bytes]:
    """All scores of a case in one cell, as an array's text or as a list of Parquet."""
    header, *body = rows
    cells = typed([cell for row in body for cell in row[1:]])  # Parquet has one type for all lists
    lists = [cells[k : k + len(header) - 1] for k in range(0, len(cells), len(header) - 1)]
    beside = {"labels": [header[1:]] * len(body)} if random.random() < 0.7 else {}
    frame = pd.DataFrame({header[0]: [row[0] for row in body], "probabilities": lists, **beside})
    if random.random() < 0.5:
        return "p.parquet", frame.to_parquet()
    return "p.csv", frame.to_csv(index=False).encode()


TABLES = (
    as_lists,
    as_json,
    as_json,
    as_json,
    as_arrays,
    as_arrays,
    as_parquet,
    as_gzip,
    as_workbook,
    as_long,
)


def table(random: Random, touched: Touch) -> bytes:
    """Predictions for the ISIC Challenge."""
    rows = table_content(random)
    if len({len(row) for row in rows}) > 1 or len({*rows[0]}) < len(rows[0]) or len(rows[0]) < 2:
        rows = [["image", *category_tables.CATEGORIES], *category_tables.prediction_rows()]
    name, data = random.choice(TABLES)(random, rows)
    if random.random() < 0.3:
        return archives.archive_of({name: touched(random, data)})
    return archives.archive_of({PLAIN: plain_csv(rows), name: data})


def read_table(data: bytes) -> Came:
    files = unpacked(data)
    plain = files.pop(PLAIN, None)
    ((name, other),) = files.items()
    came = inputs.table(other, name=name)
    return came if plain is None else agree(inputs.table(plain, name=PLAIN), came)


def outlines(random: Random) -> list[tuple[list, str, Any]]:
    """Return outline, class and confidence of a few nuclei near those of the truth."""
    found: list[tuple[list, str, Any]] = []
    for _ in range(random.randrange(1, 6)):
        x, y = random.choice(((10, 10), (40, 40), (70, 20)))
        x, y, side = x + random.uniform(-12, 12), y + random.uniform(-12, 12), random.choice((4, 6.5))
        ring = [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
        confidence = random.choice((random.random(), random.random(), 0, 1, 0.5, -1, 2, 1e300, "0.9"))
        found.append((ring, random.choice(programs.NAMES[:3]), confidence))
    fault = random.randrange(8)
    if fault == 0:
        found.append(found[0])
    elif fault == 1:
        found[-1] = (random.choice(([], [[1, 2]], [[1, 2], [3, 4]])), *found[-1][1:])
    elif fault == 2:
        found[-1][0][1][0] = random.choice((1e400, 10**20, -5, 3, 0.1 + 0.2))
    return found


def polygons(nuclei: Any) -> object:
    """The platform's own format."""
    items = [{"name": name, "path_points": ring, "score": p} for ring, name, p in nuclei]
    return {"type": "Multiple polygons", "polygons": items}


LISTS: Mapping[str, Callable[[Any], object]] = {
    "hovernet.json": programs.hovernet,
    "cellvit.json": programs.cellvit,
    "stardist.json": programs.stardist,
    "qupath.geojson": lambda nuclei: programs.qupath(nuclei, programs.measured),
    "qupath3.geojson": lambda nuclei: programs.qupath(nuclei, programs.measured_as_list),
    "collection.geojson": lambda nuclei: {
        "type": "FeatureCollection",
        "features": programs.qupath(nuclei, programs.measured),
    },
    "classes.geojson": programs.cellvit_geojson,
}
NUMBERED = ("hovernet.json", "stardist.json")
CASE = "roi"


def nuclei(random: Random, touched: Touch, spoil: Spoil) -> bytes:
    """Nuclei of one image for PUMA."""
    found = outlines(random)
    if random.random() < 0.5:
        return of_a_tool(random, found, touched, spoil)
    name = random.choice((*LISTS, "coco.json", "points.csv"))
    if name != "qupath.geojson":  # others cannot write an outline of no points, or count it
        found = [entry for entry in found if len(entry[0]) > (2 if name == "points.csv" else 0)]
    if not found:
        return nuclei(random, touched, spoil)
    if name == "classes.geojson":
        found = [(ring, kind, 1.0) for ring, kind, _ in sorted(found, key=lambda entry: entry[1])]
    tiles = {CASE: found}
    document: Any = json.loads(programs.coco(tiles)) if name == "coco.json" else None
    document = LISTS[name](found) if name in LISTS else document
    if document is None:
        data = programs.points(tiles=tiles)
    elif random.random() < 0.4:
        spoil(random, document)
        return archives.archive_of({name: json.dumps(document).encode()})
    else:
        data = json.dumps(document).encode()
    if random.random() < 0.2:
        return archives.archive_of({name: touched(random, data)})
    return archives.archive_of({PLAIN: json.dumps(polygons(found)).encode(), name: data})


def of_a_tool(random: Random, found: Any, touched: Touch, spoil: Spoil) -> bytes:
    """Nuclei in XML, a table with outlines or a list of objects, perhaps spoilt."""
    tool = random.choice(list(nuclei_forms.FORMS))
    found = [entry for entry in found if len(entry[0]) > 2]
    if tool in nuclei_forms.BOXES:  # they write the box of an outline alone
        found = [entry for entry in found if len({x for x, _ in entry[0]}) == 2]
    if tool.startswith("ImageJ's regions"):  # they are of 16 bits
        found = [entry for entry in found if max(map(max, entry[0])) < 2**15]
    if not found:
        return nuclei(random, touched, spoil)
    if tool in nuclei_forms.UNGRADED:
        found = [(ring, kind, 1.0) for ring, kind, _ in found]
    files = nuclei_forms.FORMS[tool]({CASE: found})
    plain = {PLAIN: json.dumps(polygons(found)).encode()} if random.random() < 0.5 else {}
    if not plain:
        name = random.choice(list(files))
        if name.endswith(".json") and random.random() < 0.8:
            document = json.loads(files[name])
            spoil(random, document)
            files[name] = json.dumps(document).encode()
        else:
            files[name] = touched(random, files[name])
    return archives.archive_of({**plain, **files})


def read_nuclei(data: bytes) -> Came:
    files = unpacked(data)
    plain = files.pop(PLAIN, None)
    came = _scored(files)
    return came if plain is None else agree(_scored({"polygons.json": plain}), came)


def _scored(files: Mapping[str, bytes]) -> Came:
    name, data = list(files.items())[-1]

    def work() -> object:
        challenge = nuclei_lists.CHALLENGE
        truth = challenge.read_truth(nuclei_lists.files({CASE: inputs.NUCLEI}), name="truth")
        options = {"class_map": programs.NUMBERS} if name in NUMBERED else {}
        alone = name in ("coco.json", "points.csv")
        renamed = {f"{CASE}{name[name.index('.') :]}": data} if name in LISTS or name[:4] == "poly" else files
        source: Any = data if alone else renamed
        read = challenge.read_predictions(source, truth, name if alone else "folder", **options)
        return challenge.score(truth, read, resamples=0, **options)

    return attempt(work)


def preview_of(random: Random, touched: Touch) -> bytes:
    """A table whose headings, or more, are not what the ISIC Challenge asks for."""
    rows = [["image", *category_tables.CATEGORIES], *category_tables.prediction_rows()]
    data, _ = odd_tables.odd(random, rows)
    if random.random() < 0.5:
        names = random.sample(("case", "p_mel", "melanoma", "Nevus", "bcc ", "0", "1", "2", "", "MEL"), 4)
        name, data = random.choice(TABLES)(random, [names, *rows[1:]])
        return archives.archive_of({name: data if random.random() < 0.8 else touched(random, data)})
    return archives.archive_of({"p.csv": data})


def read_preview(data: bytes) -> Came:
    ((name, table),) = unpacked(data).items()

    def work() -> None:
        truth = inputs.ISIC.read_truth(category_tables.truth(), name="t.csv")
        form = inputs.ISIC.readers.form
        assert form is not None
        found = preview(table, form(truth), truth, name)
        if found is not None:
            fix = chosen(found, found.guess.case, found.guess.columns)
            if fix is not None:
                score_of(inputs.ISIC, table, fix.changes, truth, name)

    return attempt(work)


TOML = (
    *('""', '"x"', "-1", "0", "1e400", "nan", "inf", "9223372036854775808", "true", "[]", "[[]]", "{}"),
    *('["a", "a"]', '["a", 1]', "1979-05-27", '"\\u202e"', f'"{"x" * 400}"', '{metric = "auc"}', '"id"'),
)  # fmt: skip
TOML_KEYS = ("radius", "iou", "positive", "missing", "x", "weight")
TABLE_KINDS = [name for name in KINDS if name not in ("masks", "distance")]


def declared(random: Random, touched: Touch) -> bytes:
    """A challenge's file with a fault or two, a truth and a submission."""
    kind = KINDS[random.choice(TABLE_KINDS)]
    lines = kind.text.splitlines()
    for _ in range(random.choice((1, 1, 2))):
        at, fault = random.randrange(len(lines)), random.randrange(6)
        key, equals, _ = lines[at].partition(" = ")
        if fault == 0 and len(lines) > 1:
            del lines[at]
        elif fault == 1:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif fault == 2:
            lines.insert(
                at,
                f"{random.choice(TOML_KEYS)} = {random.choice(TOML)}",
            )
        elif fault == 3:
            lines[at] = re.sub(r'metric = "\w+"', f'metric = "{random.choice(METRICS).name}"', lines[at])
        elif equals:
            lines[at] = f"{key} = {random.choice(TOML)}"
    text = "\n".join(lines).encode()
    made = {
        part: kind.made(np.random.default_rng(k), share).encode()
        for k, (part, share) in enumerate((("t.csv", 0.0), ("p.csv", 0.3)))
    }
    return archives.archive_of({"c.toml": text if random.random() < 0.9 else touched(random, text), **made})


def read_declared(data: bytes) -> Came:
    files = unpacked(data)

    def work() -> object:
        challenge = library.of_text(files["c.toml"], "c.toml")
        truth = challenge.read_truth(files["t.csv"], name="t.csv")
        read = challenge.read_predictions(files["p.csv"], truth, name="p.csv")
        return challenge.score(truth, read, resamples=5)

    return attempt(work)
