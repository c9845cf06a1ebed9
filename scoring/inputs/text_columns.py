"""Text columns: all cells of a table are bytes in one array. Texts are made only when they are read.

A table of four million cells then takes as much memory as its file; as Python texts it would take 300 MB or
more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.transport import crosses

END = "\n"
"""Separator after each cell; no cell of a table contains it."""
STEP = 1 << 20
"""Number of bytes that are searched at once."""


@crosses
@dataclass(frozen=True, eq=False)
class TextColumns(Sequence["TextColumn"]):
    """Columns of a table.

    Attributes:
        text: All cells in UTF-8, column by column; `END` follows each cell; uint8 [bytes].
        starts: Start of each column, and the end of the last, int64 [columns + 1].
        n_rows: Number of cells in each column.
    """

    text: Ints
    starts: Ints
    n_rows: int

    def __post_init__(self) -> None:
        bounds = [0, *self.starts.tolist(), len(self.text)]
        cells = [sum(map(len, _ends(column._text))) for column in self._columns]
        if self.text.dtype != np.uint8 or bounds != sorted(bounds) or not {*cells} <= {self.n_rows}:
            raise ValueError("the columns of a table have as many cells")

    @classmethod
    def of(cls, columns: Iterable[Sequence[str]], n_rows: int) -> "TextColumns":
        """Store columns of cells without line ends. The input is iterated only once."""
        parts = [f"{END.join(cells)}{END}".encode() if n_rows else b"" for cells in columns]
        starts = np.cumsum([0, *map(len, parts)])
        return cls(np.frombuffer(b"".join(parts), np.uint8), starts, n_rows)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, index: int) -> "TextColumn": ...
    @overload
    def __getitem__(self, index: slice) -> tuple["TextColumn", ...]: ...
    def __getitem__(self, index: int | slice) -> "TextColumn | tuple[TextColumn, ...]":
        return self._columns[index]

    def __iter__(self) -> Iterator["TextColumn"]:
        return iter(self._columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._columns == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as of anything that compares by content and is large

    @cached_property
    def _columns(self) -> tuple["TextColumn", ...]:
        ends = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        return tuple(TextColumn(self.text[start:end], self.n_rows) for start, end in ends)


class TextColumn(Sequence[str]):
    """Cells of a column. Iterating over all cells is fast; each iteration decodes the texts again.

    Args:
        text: As in `TextColumns`.
    """

    def __init__(self, text: Ints, n_rows: int):
        self._text, self._n = text, n_rows

    @property
    def held_bytes(self) -> int:
        """Bytes of the column's cells."""
        return int(self._text.nbytes)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[str]:
        return iter(str(self._text[:-1].data, "utf-8").split(END) if self._n else ())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(self._n)[index])
        row = range(self._n)[index]
        start = self._ends.item(row - 1) + 1 if row else 0
        return str(self._text[start : self._ends.item(row)].data, "utf-8")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(other) != self._n:
            return False
        if isinstance(other, TextColumn):
            return bool(np.array_equal(self._text, other._text))
        return all(cell == there for cell, there in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    @cached_property
    def _ends(self) -> Ints:
        """Where each cell ends, uint32 [cells]."""
        return np.concatenate([np.empty(0, np.uint32), *_ends(self._text)])


def _ends(text: Ints) -> Iterator[Ints]:
    """Yield where cells end, uint32."""
    for start in range(0, len(text), STEP):
        yield (np.flatnonzero(text[start : start + STEP] == ord(END)) + start).astype(np.uint32)


class LazyColumns(Mapping[str, tuple[str, ...]]):
    """Cells by column name. A column is decoded only when it is requested, because most columns are never
    read.

    Args:
        readers: Functions that return the cells of each column.
    """

    def __init__(self, readers: Mapping[str, Callable[[], tuple[str, ...]]]):
        self._readers = readers

    @property
    def held_bytes(self) -> int:
        """Bytes of the underlying columns."""
        read = [cells for reader in self._readers.values() for cells in getattr(reader, "args", ())]
        return sum(cells.held_bytes for cells in read if isinstance(cells, TextColumn))

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return self._readers[name]()

    def __contains__(self, name: object) -> bool:
        return name in self._readers

    def __iter__(self) -> Iterator[str]:
        return iter(self._readers)

    def __len__(self) -> int:
        return len(self._readers)


def trimmed(cells: Sequence[str], rows: Sequence[int | None] | None = None) -> tuple[str, ...]:
    """Return cells without blanks at their ends.

    Args:
        rows: For each returned cell its row, or None for an empty cell. Without `rows`, all cells are
            returned in order.
    """
    texts = tuple(cell.strip() for cell in cells)
    return texts if rows is None else tuple("" if row is None else texts[row] for row in rows)
