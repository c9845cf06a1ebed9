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
        words = f"a TRICORDER-3 model: {len(CLASSES)} outputs" + ", with age, gender and site" * takes_person
        yield Candidate(ID, "submission", words, SURE if takes_person else LIKELY)
    for found in case_tables(contents.tables):
        yield from _of_table(found, contents)


def _of_table(found: CaseTable, contents: FileContents) -> Iterator[Candidate]:
    table, n = found.table, counted(len(found.table), "image")
    classes = [i for i in found.others if table.keys[i] in CLASS_KEYS]
    label = found.label
    symbols = label is not None and _symbols(table.cells(label)) > 0.9
    if symbols:
        certainty = SURE if found.has_person else LIKELY
        words = f"a TRICORDER-3 test set: labels of {n}{with_pictures(contents)}"
        yield Candidate(ID, "truth", words, certainty, found.ids)
    if len(classes) == len(CLASSES):
        shared = any(key in SHARED_IDS for key in table.keys)
        certainty = LIKELY if shared else SURE
        one_hot = are_labels(values_of(table, classes))
        words = f"a prediction file for TRICORDER-3: {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", words, POSSIBLE if one_hot else certainty, found.ids)
        if one_hot:
            words = (
                f"a TRICORDER-3 test set: labels of {n} in {len(CLASSES)} columns{with_pictures(contents)}"
            )
            yield Candidate(ID, "truth", words, POSSIBLE if shared else LIKELY, found.ids)
    elif len(classes) > len(CLASSES) / 2 and len(classes) > len(found.others) / 2:
        words = f"a prediction file for TRICORDER-3 with {len(classes)} of {len(CLASSES)} classes, {n}"
        yield Candidate(ID, "submission", words, POSSIBLE, found.ids)
    else:
        answer = found.column(LABEL_COLUMNS)
        if answer is not None and _symbols(table.cells(answer)) > 0.9:
            words = f"a prediction file for TRICORDER-3: labels of {n}"
            certainty = POSSIBLE if symbols else LIKELY
            yield Candidate(ID, "submission", words, certainty, found.ids)


def _symbols(cells: list[str]) -> float:
    """Return the share of cells that name a class in letters."""
    return sum(parse_label(cell)[1] in ("exact", "spelling") for cell in cells) / max(len(cells), 1)
