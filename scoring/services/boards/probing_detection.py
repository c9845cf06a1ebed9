"""Submissions by which a hidden truth may be probed, for its organizer to know."""

import io
import zipfile

import numpy as np

from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused
from scoring.common.text import shortened
from scoring.inputs.cells import parse_numbers
from scoring.inputs.sources import is_zip, sha256
from scoring.inputs.tables import TextTable, read_table
from scoring.services.boards.ranking import BoardRanking, RankedSubmission
from scoring.services.store.database import Store

NEAR_SHARE, NEAR_LOOKED_AT = 0.01, 10
"""Two submissions of a team are near each other where at most this share of cases, or one case, is more or
less right; of so many earlier submissions."""
FEWEST_ROWS = 3
MOST_BYTES = 1 << 24
"""Of a file in which constant columns are looked for; in a larger one nobody probes case by case."""
MOST_KNOWN = 10_000
_known: dict[str, str] = {}
"""What was found in a file, by its SHA-256."""
EVERYTHING = "every case has the same answer"


def near(found: BoardRanking, entry: RankedSubmission) -> str | None:
    """Return the submission of the same team from which one differs in hardly a case; None without."""
    correct = found.board.challenge.comparison.correct
    values = correct(found.card(entry))
    most = max(1, NEAR_SHARE * len(values))
    before = [
        one
        for one in found.entries
        if one.team == entry.team and one.id != entry.id and one.card and one.card != entry.card
    ]
    for one in before[-NEAR_LOOKED_AT:]:
        other = correct(found.card(one))
        if np.shape(other) == np.shape(values) and int(np.sum(~np.isclose(other, values))) <= most:
            return one.id
    return None


def constant(data: bytes) -> str:
    """Return what is the same in all cases of a submission, as a phrase; "" where nothing is.

    A column of zeros is a class that a model never names, and not told; in a zip the answers of all cases
    are compared as they are.
    """
    if len(data) > MOST_BYTES:
        return ""
    if is_zip(data[:4], ""):
        return EVERYTHING if _has_one_answer(data) else ""
    try:
        table = read_table(data, "submission")
    except InputRefused:
        return ""
    return _constant_columns(table)


def constant_file(store: Store, digest: str) -> str:
    """Return `constant` of a file of a store; "" where it is gone."""
    if digest not in _known:
        try:
            found = constant(store.files.read(digest))
        except (InputRefused, OSError):
            return ""
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[digest] = found
    return _known[digest]


def _has_one_answer(data: bytes) -> bool:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            files = [one for one in packed.infolist() if not one.is_dir()]
            if len({one.CRC for one in files}) != 1 or sum(one.file_size for one in files) > MOST_BYTES:
                return False
            return len(files) >= FEWEST_ROWS and len({sha256(packed.read(one)) for one in files}) == 1
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, OSError):
        return False


def _constant_columns(table: TextTable) -> str:
    numbers = {
        name: values
        for name, cells in zip(table.header, table.columns, strict=True)
        if len(values := parse_numbers(cells).values) >= FEWEST_ROWS and _are_answers(values)
    }
    same = [name for name, values in numbers.items() if np.ptp(values) == 0]
    if same and len(same) == len(numbers):
        return EVERYTHING
    told = [shortened(name, 40) for name in same if numbers[name][0] != 0]
    return f"the same number stands in all of {', '.join(told)}" if told else ""


def _are_answers(values: Floats) -> bool:
    """Return whether all are numbers, and not the numbers of the cases."""
    if not np.isfinite(values).all():
        return False
    return len(np.unique(values)) < len(values) or not np.equal(values, np.round(values)).all()
