"""Reads columns of Parquet and Feather files with pyarrow, in one thread and within the limits for tables."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from scoring.common.text import shortened
from scoring.inputs.table_text import CELLS, COLUMNS, LINES, TABLE_BYTES, refuse

with suppress(ImportError):  # the package is a part of the app, and of no command but this
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

SAVE = "Save the table as CSV."
UNPACKED, PACKED = 2, 3
"""Numbers of two fields of a page's header: its uncompressed and its compressed bytes."""
GROUPS, CHUNKS, DESCRIBED = 4, 1, 3
"""Fields of the footer: its row groups, the columns of a group, and what describes a column there."""
CHUNK_UNPACKED, CHUNK_PACKED, FIRST_DATA, FIRST_DICTIONARY = 6, 7, 9, 11
"""Fields of a column in a row group: its uncompressed and compressed bytes, and where its pages start."""
BOOLEAN, WHOLE, TEXT, LISTS, STRUCTURE = (1, 2), (4, 5, 6), 8, (9, 10), 12
"""Types of fields in Thrift's compact protocol."""
SIZES = {1: 1, 2: 1, 3: 1, 7: 8}
"""Bytes of a value of other types: of a truth value in a list, of a byte and of a fraction."""
LONG = 15
"""First half byte of a list whose number of values comes after it."""
PARQUET_END = 8
"""Bytes after the footer: its length and `PAR1`."""
TOO_LARGE = f"it unpacks to more than {TABLE_BYTES / 1e6:.0f} MB. {SAVE}"
FEATHER_START, FOOTER_END = b"ARROW1\0\0", 10
"""First bytes of a Feather file; number of bytes after its footer (the footer's length and `ARROW1`)."""
DICTIONARIES, BATCHES = 2, 3
"""Fields of the footer that state where the messages are."""


class _Table(NamedTuple):
    """A table before it is read. size: bytes that it unpacks to."""

    names: list[str]
    rows: int
    size: int
    batches: Iterator[Any]


def _parquet(data: bytes) -> _Table:
    """Return a Parquet file whose texts are read once each, however many rows share them. pyarrow is not
    asked for the sizes of columns: it ends the process where the statistics of a column are damaged."""
    source = pyarrow.BufferReader(data)
    leaves = pyarrow.parquet.ParquetFile(source).schema
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY"]
    file = pyarrow.parquet.ParquetFile(source, read_dictionary=texts, memory_map=False, pre_buffer=False)
    footer, _ = _structure(data, len(data) - PARQUET_END - _number("<I", data, len(data) - PARQUET_END))
    chunks = [chunk[DESCRIBED] for group in footer[GROUPS] for chunk in group[CHUNKS]]
    size = sum(max(chunk[CHUNK_UNPACKED], _of_pages(data, chunk)) for chunk in chunks)
    batches = file.iter_batches(1000, use_threads=False)
    return _Table(file.schema_arrow.names, file.metadata.num_rows, size, batches)


def _of_pages(data: bytes, chunk: Mapping[int, Any]) -> int:
    """Return how many bytes the pages of a column unpack to, as each says itself: a footer may lie. Source:
    PageHeader of parquet.thrift, in Thrift's compact protocol."""
    starts = [chunk[FIRST_DATA], chunk.get(FIRST_DICTIONARY) or chunk[FIRST_DATA]]
    at, size = min(starts), 0
    end = min(at + chunk[CHUNK_PACKED], len(data))
    for _ in range(LINES):
        if not 0 <= at < end:
            return size
        header, at = _structure(data, at)
        size += max(0, header.get(UNPACKED, 0))
        at += max(0, header.get(PACKED, 0))
    raise ValueError("there are more pages than rows")


def _structure(data: bytes, at: int) -> tuple[dict[int, Any], int]:
    """Return the fields of a structure in Thrift's compact protocol by number, and its end: whole numbers,
    lists and structures. Raises IndexError where it is cut off."""
    fields, field = dict[int, Any](), 0
    while head := data[at]:
        at, kind = at + 1, head & 15
        if head >> 4:
            field += head >> 4
        else:
            field, at = _zigzag(data, at)
        if field in fields:
            raise ValueError("a field occurs twice")
        fields[field], at = (None, at) if kind in BOOLEAN else _value(data, at, kind)
    return fields, at + 1


def _value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    """Return a whole number, list or structure, None for other values, and its end."""
    if at >= len(data):
        raise IndexError(at)
    if kind in WHOLE:
        return _zigzag(data, at)
    if kind == STRUCTURE:
        return _structure(data, at)
    if kind in LISTS:
        count, each = data[at] >> 4, data[at] & 15
        at += 1
        if count == LONG:
            count, at = _varint(data, at)
        values = []
        for _ in range(count):
            value, at = _value(data, at, each)
            values.append(value)
        return values, at
    if kind == TEXT:
        length, at = _varint(data, at)
        return None, at + length
    return None, at + SIZES[kind]


def _zigzag(data: bytes, at: int) -> tuple[int, int]:
    number, at = _varint(data, at)
    return (number >> 1) ^ -(number & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of seven bits a byte, and its end."""
    number = 0
    for shift in range(0, 70, 7):
        number |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return number, at
    raise ValueError("a number is too long")


def _feather(data: bytes) -> _Table:
    """Return a Feather file, whose footer says where its messages are: the schema before them may be missing,
    as in files of Polars.

    Source: Footer and Block of File.fbs of Apache Arrow.

    Raises:
        ValueError: If it lists more messages than a table has lines.
    """
    source = pyarrow.BufferReader(data)
    end = len(data) - FOOTER_END
    footer = data[end - _number("<i", data, end) : end]
    rows = size = count = 0
    for number in (DICTIONARIES, BATCHES):
        field = _field(footer, _reference(footer, 0), number)
        start = _reference(footer, field) if field else 0
        blocks = _number("<I", footer, start) if field else 0
        count += blocks
        if count > LINES:
            raise ValueError("there are more batches than rows")
        for (offset,) in struct.iter_unpack("<q16x", footer[start + 4 : start + 4 + 24 * blocks]):
            source.seek(offset)
            more, unpacked = _of_message(pyarrow.ipc.read_message(source))
            rows, size = rows + more, size + unpacked
    reader = pyarrow.ipc.open_file(data, options=pyarrow.ipc.IpcReadOptions(use_threads=False))
    return _Table(reader.schema.names, rows, size, map(reader.get_batch, range(reader.num_record_batches)))


def _of_message(message: Any) -> tuple[int, int]:
    """Return how many rows a message of Arrow's stream format has, and how many bytes its buffers unpack to:
    each begins with that number, or with -1 if it is not packed.

    Source: Message.fbs of Apache Arrow; numbers of fields are those of its tables.
    """
    if message.type not in ("record batch", "dictionary"):
        return 0, 0
    data, body = message.metadata, message.body
    batch = _reference(data, _field(data, _reference(data, 0), 2))
    if message.type == "dictionary":
        batch = _reference(data, _field(data, batch, 1))
    rows, buffers, packed = (_field(data, batch, number) for number in (0, 2, 3))
    count = _number("<q", data, rows) if rows and message.type == "record batch" else 0
    if not buffers or not packed:
        return count, len(body)
    start = _reference(data, buffers)
    pairs = struct.iter_unpack("<qq", data[start + 4 : start + 4 + 16 * _number("<I", data, start)])
    sizes = [_number("<q", body, offset) for offset, length in pairs if length >= 8]
    return count, sum(size for size in sizes if size > 0)


def _field(data: Any, table: int, number: int) -> int:
    """Return the place of a field of a table in FlatBuffers, 0 without."""
    listing, place = table - _number("<i", data, table), 4 + 2 * number
    offset = _number("<H", data, listing + place) if place < _number("<H", data, listing) else 0
    return table + offset if offset else 0


def _reference(data: Any, place: int) -> int:
    return place + _number("<I", data, place)


def _number(kind: str, data: Any, place: int) -> int:
    value: int = struct.unpack_from(kind, data, place)[0]
    return value


def read_columns(data: bytes, name: str) -> Mapping[str, Sequence[Any]]:
    """Return the cells of a Parquet or Feather file by column, "" for missing values; lists and objects
    unchanged. Raises InputRefused `unreadable-file` if the file is damaged or too large, or if pyarrow is not
    installed."""
    if "pyarrow" not in globals():
        raise refuse(
            name,
            'reading Parquet needs pyarrow. Save the table as CSV, or run: pip install "benchside[parquet]"',
        )
    try:
        table = _feather(data) if data.startswith(FEATHER_START) else _parquet(data)
        rows, names = table.rows, table.names
        if rows > LINES or len(names) > COLUMNS or rows * len(names) > CELLS:
            raise refuse(name, f"it has {rows:,} rows and {len(names):,} columns, too many. {SAVE}")
        if table.size > TABLE_BYTES:
            raise refuse(name, TOO_LARGE)
        if twin := next((entry for entry in names if names.count(entry) > 1), ""):
            raise refuse(name, f"two columns are called {shortened(twin)!r}: rename or remove one of them.")
        columns: dict[str, list[Any]] = {entry: [] for entry in names}
        size = cells = 0
        for batch in table.batches:
            for column in batch.columns:
                more, unpacked = _extent(column, name)
                cells, size = cells + more, size + unpacked
            if cells > CELLS:
                raise refuse(name, f"its lists hold more than {CELLS:,} cells. {SAVE}")
            if size > TABLE_BYTES:
                raise refuse(name, TOO_LARGE)
            for entry, column in zip(batch.schema.names, batch.columns, strict=True):
                columns[entry] += [_cell(cell) for cell in column.to_pylist()]
    except pyarrow.ArrowNotImplementedError as fault:
        message = f"a column has a type or compression that is not read, or it is damaged. {SAVE}"
        raise refuse(name, message) from fault
    except (
        pyarrow.ArrowException,
        OSError,
        TypeError,
        ValueError,
        LookupError,
        MemoryError,
        RecursionError,
        struct.error,
    ) as fault:
        raise refuse(name, f"the Parquet or Feather file is damaged or cut off. {SAVE}") from fault
    return columns


def _cell(value: Any) -> Any:
    """Return the content of a cell; bytes as text if they are UTF-8."""
    if isinstance(value, bytes):
        with suppress(UnicodeDecodeError):
            return value.decode()
    return "" if value is None else value


def _extent(column: Any, name: str) -> tuple[int, int]:
    """Return how many cells a column has, those of its lists and objects counted each, and the bytes of all
    of them once they are unpacked: many rows may share one text of a dictionary or of views.

    Raises:
        InputRefused: For other types, as runs, of which a million may be written in a few bytes.
    """
    kind, types = column.type, pyarrow.types
    lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    if types.is_struct(kind):
        parts = [_extent(part, name) for part in column.flatten()]
        return sum(cells for cells, _ in parts), sum(size for _, size in parts)
    if any(is_list(kind) for is_list in lists):
        return _extent(column.flatten(), name)
    views = (types.is_string_view, types.is_binary_view)
    texts = (*views, types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    numbers = (types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal)
    plain = (*texts, *numbers, types.is_temporal, types.is_fixed_size_binary)
    values = column.dictionary if types.is_dictionary(kind) else column
    if not any(is_plain(values.type) for is_plain in plain):
        raise refuse(name, f"a column has the type {str(kind)[:60]}, which is not read. {SAVE}")
    if not any(is_text(values.type) for is_text in texts):
        return len(column), column.nbytes
    lengths = _lengths(values)
    if values is not column:
        lengths = pyarrow.compute.take(lengths, column.indices)
    return len(column), int(pyarrow.compute.sum(lengths).as_py() or 0)


def _lengths(texts: Any) -> Any:
    """Return the bytes of each text; those of views stand in the first of four numbers of each."""
    if not (pyarrow.types.is_string_view(texts.type) or pyarrow.types.is_binary_view(texts.type)):
        return pyarrow.compute.binary_length(texts)
    views = np.frombuffer(texts.buffers()[1], np.int32).reshape(-1, 4)
    return pyarrow.array(views[texts.offset : texts.offset + len(texts), 0].clip(0).astype(np.int64))
