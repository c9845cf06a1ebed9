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
        description = f"a Melanoma model: {counted(contents.output_width or 0, 'output')}"
        yield Candidate(ID, "submission", description, SURE if contents.output_width == 1 else POSSIBLE)
    for cases in case_tables(contents.tables):
        yield from _of_table(cases, contents)


def _of_table(cases: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = cases.table, counted(len(cases.table), "image")
    labels = table.cells(cases.label) if cases.label is not None else []
    known = sum(parse_label(cell) is not None for cell in labels) > 0.9 * len(labels) if labels else False
    if known:
        diagnoses = any(key(cell) in OTHER_CLASSES for cell in labels)
        description = f"a Melanoma test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", description, POSSIBLE if diagnoses else SURE, cases.ids)
    if len(cases.others) > MOST_COLUMNS:
        return
    column = cases.column(SCORE_COLUMNS)
    if column is None and len(cases.others) == 1:
        column = cases.others[0]
    if column is None:
        return
    cells = table.cells(column)
    numeric = share_of_numbers(values_of(table, [column])[0]) > 0.5
    if numeric or sum(parse_label(cell) is not None for cell in cells) > 0.9 * len(cells):
        diagnoses = not numeric and any(key(cell) in OTHER_CLASSES for cell in cells)
        description = f"a prediction file for Melanoma: {'a score' if numeric else 'a label'} for {n}"
        usual = table.keys[column] in SCORE_COLUMNS and not cases.has_person and not diagnoses
        yield Candidate(ID, "submission", description, POSSIBLE if known or not usual else LIKELY, cases.ids)
