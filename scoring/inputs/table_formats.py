"""Converts tables in other formats (workbooks, Parquet, NumPy archives, JSON, gzip) to CSV.

Sources of the formats: `pandas.DataFrame.to_json` and its `orient` (split, records, index, columns, table),
JSON Lines, `values` of the Google Sheets API, `numpy.savez`, `numpy.save` of `DataFrame.to_records`, Apache
Parquet, ECMA-376.
"""

import gzip
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from tokenize import TokenError
from typing import Any

import numpy as np

from scoring.common.findings import InputRefused
from scoring.common.strict_json import with_each_key_once
from scoring.common.text import csv_text
from scoring.inputs import exported_text, workbooks
from scoring.inputs.archives import open_archive
from scoring.inputs.table_text import CELLS, COLUMNS, LINES, TABLE_BYTES, refuse

GZIP, ZIP, PARQUET, FEATHER, NPY = b"\x1f\x8b", b"PK\x03\x04", b"PAR1", b"ARROW1", b"\x93NUMPY"
ARRAY = ".npy"
NOT_AN_ARRAY = (ValueError, EOFError, MemoryError, OverflowError, RecursionError, TypeError, TokenError)
"""Exceptions that NumPy raises for an invalid header of an array."""
ENDINGS = (
    workbooks.ENDING,
    ".xlsm",
    ".parquet",
    ".feather",
    ".npz",
    ".npy",
    ".json",
    ".jsonl",
    ".csv.gz",
    ".tsv.gz",
)
"""Extensions of tables that are not text."""
JSON_BYTES = 100_000_000
SAVE = "Save the table as CSV."
CASE = "image"
"""Name that a nameless column of case ids gets."""
OF_ARRAYS = ("class", "label", "categor", "column", "name")
"""Prefixes of names of arrays that contain the column names of another array."""
SCORES = ("probs", "probabilities", "scores", "predictions")
"""Names by which the array of scores is recognised if several arrays have the same shape."""
IN_IMAGES = (
    *("polygons", "nuclei", "features", "nuc", "cells", "annotations", "coord", "bboxes", "boxes", "shapes"),
    *("elements", "points"),
)
"""Keys of lists that contain objects in images; these lists are not tables."""
PLACES = frozenset(("geometry", "box", "bbox", "segmentation"))
"""Keys by which entries of a plain list are recognised as objects in images."""
IN_PLACES = frozenset((*IN_IMAGES, *PLACES, "x", "boundingBox", "bounding_box"))
"""Keys of an object in an image, or of a list of objects in an image."""
Columns = Mapping[str, Sequence[Any]]


class _NotATable(Exception):
    """A document of another shape."""


class _Number(str):
    """A number as its file writes it."""


def as_text(data: bytes, name: str) -> tuple[bytes, str]:
    """Return a table as text, and its original format. Text is returned unchanged, with "" as its format.

    Args:
        data: The file, or enough of its beginning to recognise the format.

    Raises:
        InputRefused: With `unreadable-file`, if the file is damaged or too large, or is not a table.
    """
    if data.startswith(GZIP):
        text, inner = as_text(_unpacked(data, name), name)
        return text, inner or "A gzip file"
    if data.startswith((PARQUET, FEATHER)):
        from scoring.inputs.parquet import read_columns  # loads pyarrow, which takes a second

        columns = _without_lists(read_columns(data, name), name)
        return _written(columns), "Parquet" if data.startswith(PARQUET) else "Feather"
    if data.startswith(NPY):
        return _written(_of_records_array(_array(data, name), name)), "A NumPy array"
    if data.startswith(ZIP):
        try:
            archive = open_archive(data, name)
        except InputRefused as refused:
            problem = refused.problems[0]
            if problem.code == "unreadable-file":
                raise
            message = f"it is a workbook or archive that cannot be read: {problem.message}"
            raise refuse(name, message) from refused
        if archive.sizes and all(member.endswith(ARRAY) for member in archive.sizes):
            arrays = {
                member.removesuffix(ARRAY): _array(archive.read(member), f"{name} › {member}")
                for member in archive.sizes
            }
            return _written(_of_arrays(arrays, name)), "A NumPy archive"
        return workbooks.as_csv(data, name), "An Excel workbook"
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return _written(_of_json(data, name)), "JSON"
    if western := exported_text.of_windows(data):
        return exported_text.as_commas(western)[0], exported_text.WINDOWS
    return exported_text.as_commas(data)


def _without_lists(columns: Columns, name: str) -> Columns:
    """Return columns in which each entry of lists and objects has a column."""
    if not any(isinstance(cell, (list, dict)) for cells in columns.values() for cell in cells):
        return columns
    try:
        return _of_records(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )
    except _NotATable as fault:
        raise refuse(
            name, f"a column contains lists or objects instead of numbers or text ({fault}). {SAVE}"
        ) from fault


def _unpacked(data: bytes, name: str) -> bytes:
    """Return what a gzip file holds, unpacked up to the limit of tables."""
    try:
        text = gzip.GzipFile(fileobj=io.BytesIO(data)).read(TABLE_BYTES + 1)
    except EOFError as fault:
        raise refuse(name, f"its gzip file is cut off. {SAVE}") from fault
    except (OSError, zlib.error) as fault:
        raise refuse(name, f"it is a damaged gzip file. {SAVE}") from fault
    if len(text) > TABLE_BYTES:
        raise refuse(name, f"it unpacks to more than {TABLE_BYTES / 1e6:.0f} MB. {SAVE}")
    if text.startswith(GZIP):
        raise refuse(name, f"its gzip file contains another gzip file. {SAVE}")
    return text


def _written(columns: Columns) -> bytes:
    """Return columns as CSV."""
    return csv_text(columns, zip(*columns.values(), strict=True)).encode("utf-8", "surrogatepass")


def _array(data: bytes, name: str) -> np.ndarray:
    try:
        array: np.ndarray = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except NOT_AN_ARRAY as fault:
        message = "it is not a NumPy array of numbers or text. Save ids as text: np.array(ids, str)."
        raise refuse(name, message) from fault
    return array


def _of_arrays(arrays: Mapping[str, np.ndarray], name: str) -> Columns:
    """Return the columns of arrays of one length: one of one dimension is a column, one of two dimensions is
    a column each, called by an array of as many texts; where several could be called so, by their own names
    as well, but for the only one that is called as one of `SCORES`."""
    rows = max((len(array) for array in arrays.values() if array.ndim), default=0)
    cells = sum(array.size for array in arrays.values())
    if not 0 < rows <= LINES or cells > CELLS:
        raise refuse(
            name, f"its arrays have {rows:,} rows and {cells:,} values, which is not a table. {SAVE}"
        )
    columns: dict[str, Sequence[Any]] = {}
    for key, array in arrays.items():
        if array.dtype.kind not in "biufU" or array.ndim not in (1, 2) or len(array) != rows:
            continue
        if array.ndim == 1:
            columns[key] = array.tolist()
        else:
            columns |= zip(_names(key, array.shape[1], arrays), array.T.tolist(), strict=True)
    if not columns or len(columns) > COLUMNS:
        raise refuse(
            name,
            f"it holds {', '.join(list(arrays)[:5])}: an array of ids and an array of scores are required. "
            f"{SAVE}",
        )
    return columns


def _of_records_array(array: np.ndarray, name: str) -> Columns:
    """Return the columns of an array whose fields have names."""
    if array.dtype.names is None:
        message = (
            "it is an array without the ids of its cases: np.savez(file, image=ids, scores=array) saves both."
        )
        raise refuse(name, message)
    return _of_arrays({field: array[field] for field in array.dtype.names}, name)


def _names(key: str, count: int, arrays: Mapping[str, np.ndarray]) -> list[str]:
    alike = [other for other, array in arrays.items() if array.shape == arrays[key].shape]
    whole = len(alike) == 1 or [other for other in alike if other.lower() in SCORES] == [key]
    named = (
        array.tolist() if whole else [f"{key}_{name}" for name in array.tolist()]
        for other, array in arrays.items()
        if array.shape == (count,) and array.dtype.kind == "U" and other.lower().startswith(OF_ARRAYS)
    )
    return next(named, [f"{key}_{k}" for k in range(count)])


def _of_json(data: bytes, name: str) -> Columns:
    if len(data) > JSON_BYTES or data.count(b",") + data.count(b"{") > 2 * CELLS:
        limits = f"{JSON_BYTES / 1e6:.0f} MB and {CELLS:,} cells"
        raise refuse(name, f"it has {len(data) / 1e6:.0f} MB; JSON of at most {limits} is read. {SAVE}")
    try:
        document = _document(data.decode("utf-8-sig"))
        if isinstance(document, (list, dict)) and len(document) > LINES:
            raise refuse(name, f"it lists {len(document):,} entries, more than are read. {SAVE}")
        columns = _columns(document)
        if not columns:
            raise _NotATable("its objects are empty")
    except (ValueError, RecursionError) as fault:
        reason = "it is nested too deeply" if isinstance(fault, RecursionError) else str(fault)[:100]
        raise refuse(name, f"it is JSON that cannot be read ({reason}). {SAVE}") from fault
    except _NotATable as fault:
        message = "write a list of objects with id and scores, or one object that maps each id to its scores"
        raise refuse(name, f"it is JSON, but not a table ({fault}): {message}.") from fault
    rows = len(next(iter(columns.values())))
    if len(columns) > COLUMNS or rows > LINES or rows * len(columns) > CELLS:
        raise refuse(name, f"it has {rows:,} rows and {len(columns):,} columns, more than are read. {SAVE}")
    return columns


def columns_of(records: Sequence[Mapping[str, Any]]) -> Columns | None:
    """Return the values of JSON objects, one for each row, as columns by name, with numbers as Python writes
    them. None if the objects do not form a table."""
    try:
        return _of_records(records)
    except _NotATable:
        return None


def cells_of(data: bytes) -> dict[str, str] | None:
    """Return the values in the JSON file of a single case, by name. None for other JSON, such as a list of
    objects in an image."""
    try:
        document = _document(data.decode("utf-8-sig"))
        if not isinstance(document, dict):
            return None
        if isinstance(found := document.get("predictions"), dict):  # Roboflow's, of several classes
            document["predictions"] = [{"class": name, **value} for name, value in found.items()]
        inner = [document, *(e for v in document.values() if isinstance(v, list) for e in v)]
        if any(isinstance(entry, dict) and not IN_PLACES.isdisjoint(entry) for entry in inner):
            return None
        return {name: cells[0] for name, cells in _of_records([document]).items()}
    except (ValueError, TypeError, RecursionError, _NotATable):
        return None


def _document(text: str) -> Any:
    how: dict[str, Any] = dict.fromkeys(("parse_float", "parse_int", "parse_constant"), _Number)
    how["object_pairs_hook"] = with_each_key_once
    try:
        return json.loads(text, **how)
    except json.JSONDecodeError:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) < 2 or not all(line.lstrip().startswith("{") for line in lines):
            raise
        return [json.loads(line, **how) for line in lines]


def _columns(document: Any) -> Columns:
    """Return the columns of a document of any of the shapes that tables are written in."""
    if not document:
        raise _NotATable("it is empty")
    first = document[0] if isinstance(document, list) else None
    holders = [document.get(key) for key in IN_IMAGES] if isinstance(document, dict) else []
    in_image = isinstance(first, dict) and not PLACES.isdisjoint(first)
    if in_image or any(isinstance(holder, (list, dict)) for holder in holders):
        raise _NotATable("it lists objects in an image")
    if isinstance(document, dict) and _are_rows(document.get("values")):
        document = document["values"]
    if _are_rows(document):
        return _of_split({"columns": document[0], "data": document[1:]})
    if isinstance(document, dict) and {"columns", "data"} <= document.keys():
        return _of_split(document)
    if isinstance(document, dict) and isinstance(document.get("data"), list) and "schema" in document:
        records = [entry for entry in document["data"] if isinstance(entry, dict)]
        return _of_records([{k: v for k, v in entry.items() if k != "index"} for entry in records])
    if isinstance(document, dict) and len(document) == 1:
        ((_, inner),) = document.items()
        if isinstance(inner, list) and inner and isinstance(inner[0], dict):
            return _of_records(inner)
        if isinstance(inner, dict) and all(isinstance(value, (dict, list)) for value in inner.values()):
            return _columns(inner)
    if isinstance(document, list):
        return _of_records(document)
    return _of_records(listed) if (listed := _listed(document)) else _of_object(document)


def _listed(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the one list of records of an object that says how the request went beside it; None for
    others."""
    lists = [value for value in document.values() if isinstance(value, list)]
    is_alone = len(lists) == 1 and len(lists[0]) > 1 and all(isinstance(entry, dict) for entry in lists[0])
    return lists[0] if is_alone else None


def _are_rows(document: Any) -> bool:
    """Return whether a document lists rows of cells, as Google Sheets and `orient="values"` write them."""
    return isinstance(document, list) and len(document) > 1 and all(isinstance(row, list) for row in document)


def _of_split(document: Mapping[str, Any]) -> Columns:
    header, rows = document["columns"], document["data"]
    if not isinstance(header, list) or not isinstance(rows, list):
        raise _NotATable("columns and data are not lists")
    index = document.get("index")
    named = isinstance(index, list) and not all(isinstance(entry, _Number) for entry in index)
    keys = ([CASE] if named else []) + [str(key) for key in header]
    starts = [[entry] for entry in index] if named and index is not None else [[] for _ in rows]
    if len(starts) != len(rows) or any(not isinstance(row, list) for row in rows):
        raise _NotATable("index and data differ in length")
    joined = ([*start, *row] for start, row in zip(starts, rows, strict=True))
    return _of_records([dict(zip(keys, row, strict=False)) for row in joined])


def _of_object(document: Mapping[str, Any]) -> Columns:
    """Return the columns of an object: of lists (a column each), or of one entry for each case."""
    values = list(document.values())
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        flat = not any(isinstance(entry, (list, dict)) for value in values for entry in value)
        if flat and any(isinstance(e, str) and not isinstance(e, _Number) for v in values for e in v):
            return {key: [_cell(entry) for entry in value] for key, value in document.items()}
    if all(isinstance(value, dict) for value in values) and _by_column(document):
        ids = list(dict.fromkeys(chain.from_iterable(values)))
        written = not all(re.fullmatch(r"\d+", key) for key in ids)
        columns = {key: [_cell(value.get(i)) for i in ids] for key, value in document.items()}
        return {**({CASE: ids} if written else {}), **columns}
    if len(document) < 2:
        raise _NotATable("it has only one entry")
    return _of_records([{CASE: case, **_entry(value)} for case, value in document.items()])


def _by_column(document: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether the outer keys are columns, as pandas writes them, and the inner ones rows; a column may
    lack some."""
    inner = list(next(iter(document.values())))
    longest = max(map(len, document.values()))
    same = len({*chain.from_iterable(document.values())}) < 2 * longest
    return same and bool(inner) and (inner == [str(i) for i in range(len(inner))] or longest > len(document))


def _entry(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and value and all(map(_is_ranked, value)):
        return {"classes": [dict(zip(("label", "score"), entry[-2:], strict=True)) for entry in value]}
    name = "score" if isinstance(value, _Number) else "scores" if isinstance(value, list) else "label"
    return {name: value}


def _is_ranked(entry: Any) -> bool:
    """Return whether an entry of a list is a class with its score, as `decode_predictions` of Keras gives
    them."""
    is_pair = isinstance(entry, list) and len(entry) in (2, 3) and isinstance(entry[-1], _Number)
    return is_pair and all(isinstance(part, str) and not isinstance(part, _Number) for part in entry[:-1])


def _of_records(records: Sequence[Any]) -> Columns:
    if not records or not all(isinstance(record, dict) for record in records):
        raise _NotATable("it lists items that are not objects")
    cells = [list(_flat(record)) for record in records]
    counts = [Counter(name for name, _, _ in row) for row in cells]
    twice = {name for count in counts for name, n in count.items() if n > 1}
    rows = [{path if name in twice else name: cell for name, path, cell in row} for row in cells]
    if any(len(row) < len(pairs) for row, pairs in zip(rows, cells, strict=True)):
        raise _NotATable("two values of a case have the same name")
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    if len(names) > COLUMNS:
        raise _NotATable(f"{len(names):,} names")
    return {name: [_cell(row.get(name)) for row in rows] for name in names}


def _flat(record: Mapping[str, Any], above: str = "") -> Iterable[tuple[str, str, Any]]:
    """Yield the cells of a record with their names, and those with the names of what they are in: those of an
    object in it by their own names, those of a list by number, and those of objects in a list by both."""
    for key, value in record.items():
        path = f"{above}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{path}.")
        elif isinstance(value, list):
            for k, entry in enumerate(value):
                inner = _flat(entry, f"{path}.") if isinstance(entry, dict) else ((key, path, entry),)
                yield from ((f"{name}_{k}", f"{whole}_{k}", cell) for name, whole, cell in inner)
        else:
            yield key, path, value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (dict, list)):
        raise _NotATable("a cell holds a list or an object")
    return str(value)
