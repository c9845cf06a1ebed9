"""T and N stages: how tables write them, and their codes."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES
from scoring.common.findings import Finding, note
from scoring.inputs import tables
from scoring.inputs.tables import OTHER_FORMAT

NO_STAGE, UNKNOWN_STAGE = -1, -2
WRITTEN = re.compile(r"(?P<before>[cp]?)(?P<stage>[tn][0-4])(?P<after>[a-d]?)", re.IGNORECASE | re.ASCII)
NUMBER_ALONE = re.compile(r"([0-4])(\.0)?", re.ASCII)


@dataclass(frozen=True)
class Stages:
    """Stages read from some rows.

    Attributes:
        codes: Index of each stage in `STAGES` [n]; NO_STAGE for an empty cell, UNKNOWN_STAGE for a text that
            is not a stage.
        folded: Rows whose prefix or sub-stage was dropped.
        as_numbers: Whether all cells are plain numbers.
    """

    codes: np.ndarray
    folded: tuple[int, ...] = ()
    as_numbers: bool = False


def read_stages(cells: Sequence[str], kind: str) -> Stages:
    """Read T stages (kind "t": T0 to T4) or N stages ("n": N0 to N3). Case, a leading c or p and a trailing a
    to d are ignored (AJCC 7th edition). Plain numbers are stage numbers."""
    filled = [cell.strip() for cell in cells if cell.strip().lower() not in tables.MISSING]
    as_numbers = len(filled) > 0 and all(map(NUMBER_ALONE.fullmatch, filled))
    codes, folded = np.full(len(cells), NO_STAGE), []
    for row, cell in enumerate(cells):
        text = cell.strip()
        written = WRITTEN.fullmatch(f"{kind}{text[:1]}" if as_numbers else text)
        stage = written["stage"].upper() if written else None
        if written and stage in STAGES[kind]:
            codes[row] = STAGES[kind].index(stage)
            if written["before"] or written["after"]:
                folded.append(row)
        elif cell.strip().lower() not in tables.MISSING:
            codes[row] = UNKNOWN_STAGE
    return Stages(codes, tuple(folded), as_numbers)


def folded_note(read: Stages, cells: Sequence[str], kind: str, places: Sequence[str]) -> list[Finding]:
    """Return a finding `stage-folded` if prefixes or sub-stages were dropped, and `other-format` if all cells
    are numbers."""
    if read.as_numbers:
        message = (
            f"{kind.upper()} stages are numbers: 0 is read as {kind.upper()}0, 1 as {kind.upper()}1, ..."
        )
        return [note(OTHER_FORMAT, places[0], message)]
    if not read.folded:
        return []
    first = read.folded[0]
    message = (
        f"Benchside drops prefix and sub-stage of {len(read.folded)} {kind.upper()} "
        f"stage{'s' * (len(read.folded) > 1)}; the first is {cells[first]!r}."
    )
    return [note("stage-folded", places[first], message)]


def is_not_assessed(cell: str, kind: str) -> bool:
    """Return whether a true stage is TX or NX, which means that it could not be determined."""
    return cell.strip().lower() in (f"{kind}x", f"c{kind}x", f"p{kind}x")


def stage_name(code: int, kind: str) -> str | None:
    """Return the name of the stage with a code; None if there is none."""
    return STAGES[kind][code] if code >= 0 else None
