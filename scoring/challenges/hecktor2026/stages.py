"""T and N stages as people write them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenges.hecktor2026.formula import STAGES
from scoring.common.findings import Finding, note
from scoring.inputs import tables

MISSING, UNKNOWN = -1, -2
WRITTEN = re.compile(r"(?P<before>[cp]?)(?P<stage>[tn][0-4])(?P<after>[a-d]?)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class Stages:
    """Stages of some rows. codes: index in `STAGES` [n], MISSING for an empty cell, UNKNOWN for a text that
    is no stage.

    folded: rows whose prefix or sub-stage was dropped.
    """

    codes: np.ndarray
    folded: tuple[int, ...] = ()


def read_stages(cells: Sequence[str], kind: str) -> Stages:
    """Read T stages (kind "t": T0 to T4) or N stages ("n": N0 to N3): case, a leading c or p and a trailing a
    to d are dropped (AJCC 7th edition)."""
    codes, folded = np.full(len(cells), MISSING), []
    for row, cell in enumerate(cells):
        written = WRITTEN.fullmatch(cell.strip())
        stage = written["stage"].upper() if written else None
        if written and stage in STAGES[kind]:
            codes[row] = STAGES[kind].index(stage)
            if written["before"] or written["after"]:
                folded.append(row)
        elif cell.strip().lower() not in tables.MISSING:
            codes[row] = UNKNOWN
    return Stages(codes, tuple(folded))


def folded_note(found: Stages, cells: Sequence[str], kind: str, places: Sequence[str]) -> list[Finding]:
    """`stage-folded` where prefixes or sub-stages were dropped."""
    if not found.folded:
        return []
    first = found.folded[0]
    words = (
        f"{kind.upper()} stages with a prefix or a sub-stage, which is dropped: {len(found.folded)}, "
        f"the first is {cells[first]!r}."
    )
    return [note("stage-folded", places[first], words)]


def is_not_assessed(cell: str, kind: str) -> bool:
    """Return whether a cell of the truth says TX or NX: no stage could be determined."""
    return cell.strip().lower() in (f"{kind}x", f"c{kind}x", f"p{kind}x")


def name(code: int, kind: str) -> str | None:
    """Return the stage of a code, None where there is none."""
    return STAGES[kind][code] if code >= 0 else None
