"""Reads a truth that has no challenge file yet: the cells of its columns, or the values of its masks."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.case_tables import find_table, table_members
from scoring.inputs.masks.label_maps import masks_of_truth
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.sources import Source, SourceFiles, open_source
from scoring.inputs.tables import MISSING

NAME_LENGTH = 200
"""Maximum number of characters of the name of a mask value."""


@dataclass(frozen=True)
class TruthTable:
    """Content of a truth table, from which its columns are chosen.

    Attributes:
        columns: Heading -> trimmed cells.
        decimal_comma: Whether "0,5" is a number, which is possible only if commas do not separate cells.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]
    decimal_comma: bool = False

    def values(self, heading: str, beside: Sequence[str] = ()) -> list[str]:
        """Return the different values of a column, sorted. Rows count only if the columns `beside` are filled
        too."""
        rows = zip(*(self.columns[name] for name in (heading, *beside)), strict=True)
        return list(dict.fromkeys(cells[0] for cells in rows if not MISSING & {*map(str.lower, cells)}))

    def numbers(self, heading: str) -> set[float]:
        """Return the different numbers of a column; empty if a cell contains other text."""
        read = parse_numbers(self.values(heading), self.decimal_comma)
        return set() if read.fault.any() else {*read.values.tolist()}

    def is_flag(self, heading: str) -> bool:
        """Return whether a column contains only 0 and 1."""
        return set() < self.numbers(heading) <= {0.0, 1.0}

    def is_measured(self, heading: str) -> bool:
        """Return whether a column contains numbers with decimals, which are measurements rather than classes
        or years."""
        return not all(number.is_integer() for number in self.numbers(heading))


@dataclass(frozen=True)
class TruthMasks:
    """Content of truth masks, from which names for their values are chosen.

    Attributes:
        found: Mask value, except background -> number of masks that contain it.
        spacing: Edge lengths of voxels in mm, one text per combination that occurs.
        names: Mask value -> name, if a file `dataset.json` beside the masks names the values.
    """

    name: str
    cases: int
    found: Mapping[int, int]
    spacing: tuple[str, ...]
    names: Mapping[int, str]

    def called(self, value: int) -> str:
        """Return the suggested name of a value."""
        return self.names.get(value, "structure" if len(self.found) == 1 else f"structure {value}")


def read_truth(source: Source, name: str | None = None) -> TruthTable | TruthMasks:
    """Read the content of a truth, from which columns or names of mask values are chosen. Raises InputRefused
    if the truth cannot be read, has no case, or has only empty masks."""
    files = open_source(source, name, streamed=MASK_ENDINGS)
    if any(member.lower().endswith(MASK_ENDINGS) for member in files.members):
        return _found_in_masks(files)
    if files.kind != "file" and not table_members(files):
        message = f"it holds neither a table nor a mask: convert masks in other formats to {MASK_ENDINGS[0]}."
        raise InputRefused([error("no-table", files.name, message)])
    _, table = files.read_table(find_table(files))
    if not table.columns or not table.columns[0]:
        raise InputRefused([error("empty-truth", table.name, "it has no case: write a row for each case.")])
    columns = {heading: tuple(table.cells(i)) for i, heading in enumerate(table.header) if heading}
    return TruthTable(table.name, columns, table.delimiter != ",")


def _found_in_masks(files: SourceFiles) -> TruthMasks:
    """Return the content of the masks of a truth. Raises InputRefused with every problem."""
    masks, read = masks_of_truth(files)
    counts = Counter(value for _, values, _ in read for value in sorted(values) if value)
    if not counts:
        message = "every mask holds only the value 0 (background)."
        raise InputRefused([error("empty-truth", files.name, message)])
    grids = dict.fromkeys(" x ".join(f"{edge:.3g}" for edge in grid.spacing) for *_, grid in read)
    return TruthMasks(files.name, len(masks), dict(sorted(counts.items())), tuple(grids), _names(files))


def _names(files: SourceFiles) -> Mapping[int, str]:
    """Return names of values in `dataset.json`: {"liver": 1} of nnU-Net, {"1": "liver"} of the Decathlon."""
    listings = [member for member in files.members if PurePosixPath(member).name == "dataset.json"]
    names: dict[int, str] = {}
    with suppress(InputRefused, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        for pair in json.loads(files.read(listings[0] if listings else ""))["labels"].items():
            number, name = pair if str(pair[0]).isdecimal() else pair[::-1]
            is_name = isinstance(name, str) and name.strip() and name not in names.values()
            if is_name and str(number).isdecimal():
                names[int(number)] = shortened(name, NAME_LENGTH)
    return names
