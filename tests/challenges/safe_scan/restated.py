"""The validator once more: what its loader takes a table for, and what it gives outputs. Written from the
challenge's published code and rules, without the project's own."""

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence

from tests.support import restated, risk_tables
from tests.support.lesion_tables import CLASSES

IMAGE, LABEL = ("newfilename", "filepath", "filename"), ("class", "label")
PLACES = ("arm", "feet", "genitalia", "hand", "head", "leg", "torso")
Row = Mapping[str, str]
Exists = Callable[[str], bool]
"""Whether there is an image at a path of the table."""


class Stops(Exception):
    """The validator ends with an error."""


def loaded(data: bytes) -> list[Row]:
    """Rows by heading in lower case; headings are not trimmed. Raises Stops."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
        lines = list(csv.reader(io.StringIO(text), delimiter=";" if ";" in text.split("\n")[0] else ","))
    except (UnicodeDecodeError, csv.Error) as fault:
        raise Stops from fault
    header, *rest = lines or [[]]
    rows = [line for line in rest if line]
    if any(len(line) > len(header) for line in rows):
        raise Stops("a cell without a heading")
    return [dict(zip([heading.lower() for heading in header], line, strict=False)) for line in rows]


def first(row: Row, names: Sequence[str]) -> str:
    return next((row[name] for name in names if row.get(name)), "")


def mistakes(row: Row) -> int:
    """How often the validator shakes its head at age, gender and location of a row."""
    try:
        age = int(row.get("age") or "")
    except ValueError:
        age = -1
    gender = row.get("gender", "").strip().lower()
    return (
        (not 0 <= age <= 120)
        + (gender not in ("m", "f", "male", "female"))
        + (row.get("location", "").strip().lower() not in PLACES)
    )


def tricorder3(
    data: bytes, outputs: Mapping[str, Sequence[float] | None], size: float, exists: Exists
) -> float:
    """The score. outputs: by path of the table. Raises Stops where the run is cancelled."""
    rows = loaded(data)
    labels = [first(row, LABEL) for row in rows]
    if not set(labels) <= set(CLASSES) or sum(map(mistakes, rows)) > 2:
        raise Stops
    paths = [first(row, IMAGE) for row in rows]
    found = [outputs.get(path.strip()) for path in paths if exists(path)]
    given = [row for row in found if row is not None]
    if len(given) < len(labels):
        return 0.0
    return restated.score(labels, [CLASSES[list(row).index(max(row))] for row in given], size)


def melanoma(data: bytes, outputs: Mapping[str, float | None], exists: Exists) -> float:
    """The score, NaN where the AUC is. outputs: by path of the table."""
    rows = loaded(data)
    found = [outputs.get(path.strip()) for row in rows if exists(path := first(row, IMAGE))]
    given = [score for score in found if score is not None]
    if len(given) < len(rows) or not given:
        return 0.0
    score = risk_tables.score(risk_tables.metrics([first(row, LABEL) == "True" for row in rows], given))
    return math.nan if score is None else score
