"""Columns of Parquet and Feather files, read by pyarrow in one thread and within the limits for tables."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from scoring.inputs.table_text import CELLS, COLUMNS, LINES, TABLE_BYTES, refuse

with suppress(ImportError):  # the package is a part of the app, and of no command but this
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

SAVE = "Save the table as CSV."


def _parquet(data: bytes) -> tuple[list[str], int, Iterator[Any]]:
    file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), memory_map=False, pre_buffer=False)
    return file.schema_arrow.names, file.metadata.num_rows, file.iter_batches(1000, use_threads=False)


def _feather(data: bytes) -> tuple[list[str], int, Iterator[Any]]:
    file = pyarrow.ipc.open_file(
        pyarrow.BufferReader(data), options=pyarrow.ipc.IpcReadOptions(use_threads=False)
    )
    batches = [file.get_batch(i) for i in range(min(file.num_record_batches, LINES))]
    return file.schema.names, sum(batch.num_rows for batch in batches), iter(batches)


def read_columns(data: bytes, name: str) -> Mapping[str, Sequence[Any]]:
    """Return the cells of a Parquet or Feather file by column, "" for missing values; lists and objects
    unchanged.

    Raises:
        InputRefused: `unreadable-file`: damaged, too large, or pyarrow is missing.
    """
    if "pyarrow" not in globals():
        raise refuse(
            name, "Parquet needs the extra 'parquet' (pyarrow): install it, or save the table as CSV."
        )
    try:
        names, rows, batches = _feather(data) if data.startswith(b"ARROW1") else _parquet(data)
        if rows > LINES or len(names) > COLUMNS or rows * len(names) > CELLS:
            raise refuse(name, f"it has {rows:,} rows and {len(names):,} columns, too many. {SAVE}")
        columns: dict[str, list[Any]] = {entry: [] for entry in names}
        size = cells = 0
        for batch in batches:
            for column in batch.columns:
                more, unpacked = _extent(column, name)
                cells, size = cells + more, size + unpacked
            if cells > CELLS:
                raise refuse(name, f"its lists hold more than {CELLS:,} cells. {SAVE}")
            if size > TABLE_BYTES:
                raise refuse(name, f"it unpacks to more than {TABLE_BYTES / 1e6:.0f} MB. {SAVE}")
            for entry, column in zip(batch.schema.names, batch.columns, strict=True):
                columns[entry] += ["" if cell is None else cell for cell in column.to_pylist()]
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError) as fault:
        raise refuse(name, f"its Parquet or Feather cannot be read ({str(fault)[:100]}). {SAVE}") from fault
    return columns


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
    if types.is_string_view(kind) or types.is_binary_view(kind):
        views = np.frombuffer(column.buffers()[1], np.int32).reshape(-1, 4)
        return len(column), int(views[column.offset : column.offset + len(column), 0].clip(0).sum(dtype=int))
    texts = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    numbers = (types.is_null, types.is_boolean, types.is_integer, types.is_floating, types.is_decimal)
    plain = (*texts, *numbers, types.is_temporal, types.is_fixed_size_binary)
    values = column.dictionary if types.is_dictionary(kind) else column
    if not any(is_plain(values.type) for is_plain in plain):
        raise refuse(name, f"a column has the type {str(kind)[:60]}, which is not read. {SAVE}")
    if values is not column and any(is_text(values.type) for is_text in texts):
        lengths = pyarrow.compute.take(pyarrow.compute.binary_length(values), column.indices)
        return len(column), int(pyarrow.compute.sum(lengths).as_py() or 0)
    return len(column), column.nbytes
