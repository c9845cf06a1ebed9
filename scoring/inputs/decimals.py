"""Numbers with a decimal comma in tables whose cells are separated by commas."""

import re
from collections.abc import Sequence

from scoring.common.fixes import InputChanges, SuggestedFix

COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
FRACTION = re.compile(r"\s*\d+\s*", re.ASCII)
AS_COMMAS = SuggestedFix("Read commas inside numbers as decimal commas", InputChanges(decimal_commas=True))


def mends_of(cells: Sequence[str]) -> tuple[SuggestedFix, ...]:
    """Return the mend for cells that are no numbers; none where no comma is why."""
    return (AS_COMMAS,) if any(map(COMMA.fullmatch, cells)) else ()


def cut_at_commas(cells: Sequence[str], width: int) -> bool:
    """Return whether a row looks as if every number after the first cell had been cut at a decimal comma."""
    return (
        width > 1
        and len(cells) == 2 * width - 1
        and all(map(WHOLE.fullmatch, cells[1::2]))
        and all(map(FRACTION.fullmatch, cells[2::2]))
    )
