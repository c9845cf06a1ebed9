"""Recognition of files of the ISIC Challenge."""

from collections.abc import Iterator

from scoring.challenges.isic.card import ID
from scoring.challenges.isic.categories import ID_COLUMNS, PRESETS, of_width, preset
from scoring.challenges.isic.truth import SCORE_WEIGHT, SLICES, VALIDATION_WEIGHT
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    are_labels,
    counted,
    keys_of,
    share_of_numbers,
    values_of,
    with_pictures,
)
from scoring.inputs.case_tables import UNIT_COLUMNS
from scoring.inputs.tables import TextTable

TITLES = {"2018": "ISIC 2018", "2019": "ISIC 2019", "milk10k": "MILK10k"}
SAMPLES = {"2018": "isic2018", "2019": "isic2019"}
"""Preset -> key of the sample test set of that year."""
METADATA_IDS = ("isic_id", *ID_COLUMNS)
PERSON = (*UNIT_COLUMNS, *(name for names in SLICES.values() for name in names))
WEIGHTS = (SCORE_WEIGHT, VALIDATION_WEIGHT)


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield what files can be for the ISIC Challenge: a table of categories, alone or with images, metadata,
    or a model with an output per category of a year."""
    width = contents.output_width
    if width and of_width(width):
        year = preset(of_width(width) or ()) or ""
        alone = len(contents.model.inputs) == 1 if contents.model else False
        certainty = LIKELY if alone else POSSIBLE
        description = f"a model for {TITLES[year]}: {width} outputs"
        yield Candidate(ID, "submission", description, certainty, test_set=SAMPLES.get(year))
    elif width and width > 1:
        description = f"a model for the ISIC Challenge with own categories: {width} outputs"
        yield Candidate(ID, "submission", description, POSSIBLE)
    for table in contents.tables:
        yield from _of_table(table, contents)


def _of_table(table: TextTable, contents: FileContents) -> Iterator[Candidate]:
    id_column = next((table.header.index(name) for name in ID_COLUMNS if name in table.header), None)
    person = {i for i, key in enumerate(table.keys) if key in PERSON}
    weights = {i for i, header in enumerate(table.header) if header in WEIGHTS}
    others = [i for i, h in enumerate(table.header) if h and i not in person | weights and i != id_column]
    values = values_of(table, others)
    names = tuple(table.header[i] for i in others)
    too_few = len(others) < 2 and not _usual(names)
    if id_column is None or too_few or any(share_of_numbers(column) < 0.9 for column in values):
        yield from _metadata(table, len(person))
        return
    year = preset(names)
    title = TITLES[year] if year else f"the ISIC Challenge ({_known(names)})"
    n = counted(len(table), "lesion" if table.header[id_column] != "image" else "image")
    ids = keys_of(table, id_column)
    size = f"{len(names)} categories, {n}" if len(names) > 1 else f"1 category, {n}"
    predictions = f"a prediction file for {title}: {size}"
    truth = f"a test set for {title}: {size}{with_pictures(contents)}"
    certainty = _certainty(table, names, year)
    if are_labels(values) or weights:
        yield Candidate(ID, "truth", truth, certainty, ids)
        yield Candidate(ID, "submission", predictions, POSSIBLE, ids)
    else:
        yield Candidate(ID, "submission", predictions, certainty, ids)
        yield Candidate(ID, "truth", truth, POSSIBLE, ids)


def _certainty(table: TextTable, names: tuple[str, ...], year: str | None) -> int:
    """Return how certain it is that columns are categories of the ISIC Challenge. MILK10k's are those of
    TRICORDER-3, but for the ids of lesions."""
    if year:
        return LIKELY if year == "milk10k" and "lesion_id" not in table.header else SURE
    return LIKELY if _usual(names) else POSSIBLE


def _usual(names: tuple[str, ...]) -> set[str]:
    return {name for members in PRESETS.values() for name in members} & set(names)


def _known(names: tuple[str, ...]) -> str:
    usual = len(_usual(names))
    return f"own categories, {usual} of them usual" if usual else "own categories"


def _metadata(table: TextTable, about_person: int) -> Iterator[Candidate]:
    id_column = next((i for i, key in enumerate(table.keys) if key in METADATA_IDS), None)
    if id_column is not None and about_person >= 2:
        n = counted(len(table), "image")
        description = f"metadata for the ISIC Challenge: {counted(about_person, 'column')} about {n}"
        yield Candidate(ID, "metadata", description, SURE, keys_of(table, id_column))
