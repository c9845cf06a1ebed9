"""What the official scorer would say of a prediction file: its twelve checks in its order, of which it
reports the first that fails.

Source: `isic-challenge-scoring` 5.8.0, load_csv.py. The files are read by pandas, as there, so that its own
words about them are right.
"""

import io
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from scoring.challenges.isic.categories import OFFICIAL_ID_COLUMNS
from scoring.challenges.isic.official_rejections import HEAD_CHARACTERS, HEAD_LINES, NO_ID
from scoring.challenges.isic.tables import find_table
from scoring.inputs.jobs import open_table
from scoring.inputs.sources import Source, open_source

WEIGHTS = ("score_weight", "validation_weight")
FINAL_JPG = re.compile(r"\.jpg$", re.IGNORECASE)


def message(predictions: Source, truth: Source, name: str | None = None) -> str | None:
    """Return the official scorer's one message about a prediction file; None where it accepts it. Raises
    InputRefused where a source cannot be opened.

    A truth that it cannot read is told as its exception.
    """
    files = open_table(predictions, name)
    data = files.read(find_table(files))
    truth_files = open_source(truth)
    answers = truth_files.read(find_table(truth_files))
    try:
        categories, ids = _truth(answers)
    except (ValueError, KeyError, UnicodeError) as problem:
        return f"{type(problem).__name__}: {str(problem).strip(chr(39))}"
    return next(_checks(data, categories, ids), None)


def _truth(data: bytes) -> tuple[list[str], set[Any]]:
    import pandas  # only this comparison needs it

    table = pandas.read_csv(_text(data), header=0, index_col=False)
    id_name = next((n for n in OFFICIAL_ID_COLUMNS if n in table.columns), None)
    if id_name is None:
        raise KeyError(NO_ID)
    return [c for c in table.columns if c not in (id_name, *WEIGHTS)], set(table[id_name])


def _text(data: bytes) -> io.StringIO:
    """Return the file as Python opens a text: strict UTF-8, every line end a line feed."""
    return io.StringIO(data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"))


def _checks(data: bytes, categories: list[str], ids: set[Any]) -> Iterator[str]:
    """Yield the message of every check that fails, in order; checks that build on a failed one are not
    made."""
    import pandas

    try:
        text = _text(data)
    except UnicodeDecodeError:
        yield "Could not parse CSV: could not decode file as UTF-8."
        return
    if text.read(HEAD_CHARACTERS).count("\n") < HEAD_LINES:
        yield "No newlines detected in CSV."
    text.seek(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", pandas.errors.ParserWarning
            )  # of cells beyond the heading, which it drops
            table = pandas.read_csv(text, header=0, index_col=False)
    except (pandas.errors.ParserError, pandas.errors.EmptyDataError) as problem:
        yield f'Could not parse CSV: "{problem}".'
        return
    id_name = next((n for n in OFFICIAL_ID_COLUMNS if n in table.columns), None)
    if id_name is None:
        yield NO_ID
        return
    names = [FINAL_JPG.sub("", str(value)) for value in table.pop(id_name)]
    repeated = (
        [name for i, name in enumerate(names) if name in names[:i]] if len(set(names)) < len(names) else []
    )
    if repeated:
        yield f"Duplicate image rows detected in CSV: {list(dict.fromkeys(repeated))}."
    missing, extra = (
        sorted(set(categories) - set(table.columns)),
        sorted(set(table.columns) - set(categories)),
    )
    if missing:
        yield f"Missing columns in CSV: {missing}."
    if extra:
        yield f"Extra columns in CSV: {extra}."
    if missing or extra:
        return
    table = table[categories]
    yield from _values(table, names)
    yield from _rows(names, ids)


def _values(table: Any, names: list[str]) -> Iterator[str]:
    empty = table.isnull().any(axis="columns").to_numpy()
    if empty.any():
        yield f"Missing value(s) in CSV for images: {[names[i] for i in np.flatnonzero(empty)]}."
    texts = [c for c in table.columns if table[c].dtype != np.float64]
    if texts:
        yield f"CSV contains non-floating-point value(s) in columns: {texts}."
        return
    values = table.to_numpy()
    outside = ((values < 0) | (values > 1)).any(axis=1)
    if outside.any():
        yield (
            "Values in CSV are outside the interval [0.0, 1.0] for images: "
            f"{[names[i] for i in np.flatnonzero(outside)]}."
        )


def _rows(names: list[str], ids: set[Any]) -> Iterator[str]:
    missing, extra = ids - set(names), set(names) - ids
    if missing:
        yield f"Missing images in CSV: {sorted(missing)}."
    if extra:
        yield f"Extra images in CSV: {sorted(extra)}."
