"""Recognition of files of TRICORDER-3."""

from collections.abc import Iterator

from scoring.challenges.safe_scan.recognition import CaseTable, case_tables
from scoring.challenges.tricorder3.formula import CLASSES, ID
from scoring.challenges.tricorder3.tables import LABEL_COLUMNS, parse_label
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    are_labels,
    counted,
    values_of,
    with_pictures,
)
from scoring.inputs.tables import key

CLASS_KEYS = tuple(map(key, CLASSES))
SHARED_IDS = ("image", "lesion_id", "lesion")
"""Columns of images that ISIC tables have too."""


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield what files can be for TRICORDER-3: a table, alone or with images, or a model."""
    model = contents.model
    if model and contents.output_width == len(CLASSES):
        takes_person = len(model.inputs) == 2
        description = (
            f"a TRICORDER-3 model: {len(CLASSES)} outputs" + ", with age, gender and site" * takes_person
        )
        yield Candidate(ID, "submission", description, SURE if takes_person else LIKELY)
    for cases in case_tables(contents.tables):
        yield from _of_table(cases, contents)


def _of_table(cases: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = cases.table, counted(len(cases.table), "image")
    classes = [i for i in cases.others if table.keys[i] in CLASS_KEYS]
    label = cases.label
    symbols = label is not None and _symbols(table.cells(label)) > 0.9
    if symbols:
        certainty = SURE if cases.has_person else LIKELY
        description = f"a TRICORDER-3 test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", description, certainty, cases.ids)
    if len(classes) == len(CLASSES):
        shared = any(key in SHARED_IDS for key in table.keys)
        certainty = LIKELY if shared else SURE
        one_hot = are_labels(values_of(table, classes))
        description = f"a prediction file for TRICORDER-3: {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", description, POSSIBLE if one_hot else certainty, cases.ids)
        if one_hot:
            description = (
                f"a TRICORDER-3 test set: labels of {n} in {len(CLASSES)} columns{with_pictures(contents)}"
            )
            yield Candidate(ID, "truth", description, POSSIBLE if shared else LIKELY, cases.ids)
    elif len(classes) > len(CLASSES) / 2 and len(classes) > len(cases.others) / 2:
        description = f"a prediction file for TRICORDER-3 with {len(classes)} of {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", description, POSSIBLE, cases.ids)
    else:
        answer = cases.column(LABEL_COLUMNS)
        if answer is not None and _symbols(table.cells(answer)) > 0.9:
            description = f"a prediction file for TRICORDER-3: labels of {n}"
            certainty = POSSIBLE if symbols else LIKELY
            yield Candidate(ID, "submission", description, certainty, cases.ids)


def _symbols(cells: list[str]) -> float:
    """Return the share of cells that name a class in letters."""
    return sum(parse_label(cell)[1] in ("exact", "spelling") for cell in cells) / max(len(cells), 1)
