"""Contents of files, for any challenge: their tables, their model, and the beginning of their JSON."""

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any, Literal

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.common.transport import isolated
from scoring.core.challenge_parts import Lazy
from scoring.inference.worker_results import ModelFacts, ModelFailed
from scoring.inputs import case_ids
from scoring.inputs.case_tables import IMAGE_ENDINGS
from scoring.inputs.grand_challenge_jobs import as_table, by_case
from scoring.inputs.masks.detached import ENDINGS
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import TABLES, TABLES_IN_FOLDERS, TEXT_TABLES, SourceFiles, open_source
from scoring.inputs.tables import TextTable, read_table

InputSlot = Literal["truth", "submission", "second", "metadata", "tile_model", "board", "teams"]
"""Kinds of input for which a file can be used."""
POSSIBLE, LIKELY, SURE = 1, 2, 3
"""How certain it is that a file is a truth, or predictions, of a challenge: possible, likely or sure."""

BOARD_FORMAT, BOARD_MANIFEST = "benchside-board/1", "manifest.json"
"""Format of an exported board's manifest, and name of the manifest file."""
MODEL = ".onnx"
OPEN_MODEL = Lazy("scoring.inference.model_process:ModelProcess")
TABLE_HEAD = 20_000_000
"""Maximum bytes that are read of one table, and of all tables together."""
MOST_TABLES, MOST_JSON, JSON_HEAD = 20, 3, 100_000
SAMPLE = 1000
"""Number of rows, spread over a table, that decide the kinds of its columns."""
PICTURES = (*IMAGE_ENDINGS, ".svs", ".heic", ".heif", ".avif", ".dcm")


def is_picture(name: str, data: bytes) -> bool:
    """Return whether a file is an image, by its extension or, as DICOM files often have none, the DICOM
    marker.

    Args:
        data: The bytes of the file, or at least the first 132.
    """
    return name.lower().endswith(PICTURES) or data[128:132] == b"DICM"


@dataclass(frozen=True)
class Candidate:
    """A challenge and an input (truth or predictions) that dropped files probably belong to.

    Attributes:
        words: Description for visitors: "a prediction file for ISIC 2018: 7 columns, 250 images".
        certainty: `POSSIBLE`, `LIKELY` or `SURE`.
        ids: The case ids, as `case_key` writes them.
        test_set: Key of the sample test set with these cases; None if no sample has them.
    """

    challenge: str
    place: InputSlot
    words: str
    certainty: int
    ids: frozenset[str] = frozenset()
    test_set: str | None = None


@dataclass(frozen=True)
class FileContents:
    """Contents of dropped files.

    Attributes:
        model: The inputs and outputs that a model declares; None without a model.
        json_heads: The beginnings of some JSON files, by file name.
        problem: Why a file could not be read; "" if all could.
    """

    files: SourceFiles
    tables: tuple[TextTable, ...] = ()
    model: ModelFacts | None = None
    json_heads: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""
    _keys: dict[tuple[int, int], frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def keys_of(self, table: TextTable, column: int) -> frozenset[str]:
        """Return the cases that a column names; the result is cached for all challenges.

        Args:
            table: One of the tables, N rows.
            column: Position of the column, from 0.

        Returns:
            The cases as `case_key` writes them, at most N; empty cells are left out.
        """
        place = id(table), column
        if place not in self._keys:
            self._keys[place] = frozenset(map(case_key, filter(None, table.cells(column))))
        return self._keys[place]

    def ending_in(self, *endings: str) -> tuple[str, ...]:
        """Return the files whose names have one of these extensions."""
        return tuple(member for member in self.files.members if member.lower().endswith(endings))

    @cached_property
    def pictures(self) -> tuple[str, ...]:
        """Members that are images."""
        return self.ending_in(*PICTURES)

    @property
    def output_width(self) -> int | None:
        """Number of values that a model returns per image; None if the model does not declare it or returns
        maps."""
        shape = self.model.outputs[0].shape if self.model and self.model.outputs else None
        return shape[-1] if shape and len(shape) <= 2 else None

    @property
    def gives_maps(self) -> bool:
        """Whether a model returns maps with a number per pixel."""
        shape = self.model.outputs[0].shape if self.model and self.model.outputs else None
        return shape is not None and len(shape) == 4


def read_contents(files: SourceFiles) -> FileContents:
    """Read the parts of files that show which challenge they belong to. A confined process opens models.
    Folders of platform jobs are read case by case."""
    tables, problem = _answers(files)
    files, _ = by_case(files)
    heads: dict[str, str] = {}
    model, n_bytes = None, 0
    for member in files.members:
        ending = PurePosixPath(member).suffix.lower()
        endings = TABLES if files.kind == "file" else TABLES_IN_FOLDERS
        try:
            if ending in (".json", ".geojson") and len(heads) < MOST_JSON:
                heads[member] = _head(files, member, JSON_HEAD).decode("utf-8", "replace")
            elif ending == MODEL and len(files.members) == 1:
                with OPEN_MODEL(files.read(member)) as process:
                    model = process.facts
            if member.lower().endswith(endings) and len(tables) < MOST_TABLES and n_bytes < TABLE_HEAD:
                n_bytes += files.sizes[member]
                tables.append(_read_table(files, member))
        except InputRefused as refused:
            is_text = ending == ".md"  # notes, and no table
            problem = problem or ("" if is_text else refused.problems[0].message)
        except ModelFailed as failed:
            problem = failed.message
    return FileContents(files, tuple(tables), model, heads, problem)


def _answers(files: SourceFiles) -> tuple[list[TextTable], str]:
    """Return the answers of job folders as a table, none where they are not rows, and why they are none."""
    try:
        table = as_table(files)
        return ([read_table(table.data, files.name)] if table is not None else []), ""
    except InputRefused as refused:
        return [], refused.problems[0].message


def _read_table(files: SourceFiles, member: str) -> TextTable:
    """Return a table, of a large one the first lines; one that was dropped alone is kept for its reader."""
    if files.sizes[member] > TABLE_HEAD and member.lower().endswith(TEXT_TABLES):
        return read_table(_head(files, member, TABLE_HEAD).rpartition(b"\n")[0], files.called(member))
    data, table = files.read_table(member)
    if files.kind == "file":
        files.keep_table(member, data, table)
    return table


def _head(files: SourceFiles, member: str, most: int) -> bytes:
    try:
        with files.open(member) as file:
            return file.read(most)
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error):
        return b""  # a damaged zip: the challenge that reads it says so


@isolated
def read_board_manifest(data: bytes, _name: str) -> tuple[str, int, Any] | None:
    """Return challenge, number of teams and challenge file (if the challenge is declared) of an exported
    board; None for any other file.

    Args:
        _name: The file's name in messages.
    """
    try:
        manifest = json.loads(data)
        about = manifest["board"]
        board = (about["challenge"], len(manifest["teams"]), about.get("options", {}).get("declaration"))
        return board if manifest["format"] == BOARD_FORMAT and isinstance(board[0], str) else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def case_key(name: str) -> str:
    """Return a case's name without folder and extension, to compare names of different files."""
    return case_ids.stem(name).lower()


def sample_of(table: TextTable, column: int) -> list[str]:
    """Return the trimmed cells of a column in about `SAMPLE` rows, from which callers infer what the column
    contains.

    Args:
        column: Position of the column, from 0.
    """
    return [cell.strip() for cell in table.columns[column][:: max(1, len(table) // SAMPLE)]]


def values_of(
    table: TextTable,
    columns: Sequence[int],
    cells: Callable[[TextTable, int], list[str]] = TextTable.cells,
) -> list[Floats]:
    """Return columns as numbers.

    Args:
        table: The table. If the cells are not separated by commas, a comma counts as a decimal point.
        columns: Positions of the columns, from 0.
        cells: Function that returns the N cells of a column to read.

    Returns:
        An array [N] per column; NaN for a cell without a number.
    """
    if table.delimiter == ",":
        return [parse_numbers(cells(table, column)).values for column in columns]
    return [
        parse_numbers([cell.replace(",", ".") for cell in cells(table, column)]).values for column in columns
    ]


def are_labels(values: Sequence[Floats]) -> bool:
    """Return whether all columns contain only 0 and 1; one row in fifty may differ."""
    whole = sum((value == 0) | (value == 1) for value in values) == len(values)
    return bool(values) and float(np.mean(whole)) >= 0.98


def share_of_numbers(values: Floats) -> float:
    """Return the share of cells that are numbers."""
    return float((values == values).mean()) if len(values) else 0.0


def counted(count: int, word: str) -> str:
    """Return a count with its noun: "1 image" or "220 images".

    Args:
        count: The number, 0 or more.
        word: The singular of the noun; its plural ends with s.
    """
    return f"{count:,} {word}{'s' * (count != 1)}"


def with_pictures(contents: FileContents) -> str:
    """Return the number of image files as text: ", 220 image files"; "" if there are none."""
    return f", {counted(len(contents.pictures), 'image file')}" if contents.pictures else ""


def within(folder: str, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """Return the files of a dropped folder by their paths relative to the folder. Return other files
    unchanged.

    Args:
        files: Bytes by path.
    """
    inside = all(name.startswith(f"{folder}/") for name in files)
    return {name.removeprefix(f"{folder}/"): data for name, data in files.items()} if inside else files


def opened(files: Mapping[str, bytes]) -> SourceFiles:
    """Open dropped files: a single file by itself, several files as a folder. Raises InputRefused as
    `open_source` does."""
    (name, data), *others = files.items()
    if others or "/" in name:
        folder = re.split(r"[/\\]", name)[0] if "/" in name else "the dropped files"
        return open_source(within(folder, files), folder)
    return open_source(data, name, streamed=ENDINGS)
