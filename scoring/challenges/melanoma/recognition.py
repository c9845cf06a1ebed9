"""Recognition of files of Melanoma."""

from collections.abc import Iterator

from scoring.challenges.melanoma.formula import ID
from scoring.challenges.melanoma.tables import OTHER_CLASSES, SCORE_COLUMNS, parse_label
from scoring.challenges.safe_scan.recognition import CaseTable, case_tables
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    counted,
    share_of_numbers,
    values_of,
    with_pictures,
)
from scoring.inputs.tables import key

MOST_COLUMNS = 2
"""Of scores: for other lesions and melanoma."""


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield what files can be for Melanoma: a table, alone or with images, or a model with one output."""
    if contents.output_width in (1, 2):
        words = f"a Melanoma model: {counted(contents.output_width or 0, 'output')}"
        yield Candidate(ID, "submission", words, SURE if contents.output_width == 1 else POSSIBLE)
    for found in case_tables(contents.tables):
        yield from _of_table(found, contents)


def _of_table(found: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = found.table, counted(len(found.table), "image")
    labels = table.cells(found.label) if found.label is not None else []
    known = sum(parse_label(cell) is not None for cell in labels) > 0.9 * len(labels) if labels else False
    if known:
        diagnoses = any(key(cell) in OTHER_CLASSES for cell in labels)
        words = f"a Melanoma test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", words, POSSIBLE if diagnoses else SURE, found.ids)
    if len(found.others) > MOST_COLUMNS:
        return
    column = found.column(SCORE_COLUMNS)
    if column is None and len(found.others) == 1:
        column = found.others[0]
    if column is None:
        return
    cells = table.cells(column)
    numeric = share_of_numbers(values_of(table, [column])[0]) > 0.5
    if numeric or sum(parse_label(cell) is not None for cell in cells) > 0.9 * len(cells):
        diagnoses = not numeric and any(key(cell) in OTHER_CLASSES for cell in cells)
        words = f"a prediction file for Melanoma: {'a score' if numeric else 'a label'} for {n}"
        usual = table.keys[column] in SCORE_COLUMNS and not found.has_person and not diagnoses
        yield Candidate(ID, "submission", words, POSSIBLE if known or not usual else LIKELY, found.ids)
