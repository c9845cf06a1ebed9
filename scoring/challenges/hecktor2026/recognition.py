"""Recognition of HECKTOR 2026 files: masks, tables of patients, a container's answers."""

from collections.abc import Iterator

from scoring.challenges.hecktor2026.formula import ID
from scoring.challenges.hecktor2026.masks import MASK_ENDINGS, Layout, classify_members, stem_of
from scoring.challenges.hecktor2026.tables import COLUMNS, plain_name
from scoring.common.findings import InputRefused
from scoring.core.file_contents import (
    LIKELY,
    POSSIBLE,
    SURE,
    Candidate,
    FileContents,
    case_key,
    counted,
    keys_of,
)
from scoring.inputs.tables import TextTable

NAMED = {"clinical.csv": "truth", "predictions.csv": "submission"}


def recognise(contents: FileContents) -> Iterator[Candidate]:
    """Yield what files can be for HECKTOR 2026: masks, a table of patients, or a container's answers."""
    layout = _layout(contents)
    masks = {**layout.masks, **_lone_mask(contents)}
    tables = [table for table in contents.tables if _is_of_patients(table)]
    if not (masks or layout.images or layout.answers or tables):
        return
    ids = frozenset(map(case_key, (*masks, *layout.answers))).union(
        *(keys_of(table, _column(table, "patient") or 0) for table in tables)
    )
    holds = [
        *([counted(len(masks), "mask")] if masks else []),
        *(["CT and PET"] if layout.images else []),
        *([f"a table of {counted(len(tables[0]), 'patient')}"] if tables else []),
        *([f"answers for {counted(len(layout.answers), 'patient')}"] if layout.answers else []),
    ]
    truth, submission = _certainties(layout, tables)
    description = ", ".join(holds)
    yield Candidate(ID, "submission", f"a submission to HECKTOR 2026: {description}", submission, ids)
    if not layout.answers:
        yield Candidate(ID, "truth", f"a HECKTOR 2026 test set: {description}", truth, ids)


def _layout(contents: FileContents) -> Layout:
    try:
        return classify_members(contents.files, container=True)
    except InputRefused:
        return Layout()


def _lone_mask(contents: FileContents) -> dict[str, tuple[str, ...]]:
    """Return the one mask that was dropped alone."""
    name = contents.files.name
    stem = stem_of(name) if contents.files.kind == "file" and name.lower().endswith(MASK_ENDINGS) else None
    return {stem: (name,)} if stem else {}


def _certainties(layout: Layout, tables: list[TextTable]) -> tuple[int, int]:
    """Return how certain it is that these are a test set, and a submission."""
    if layout.answers:
        return POSSIBLE, SURE
    if layout.images or any(_column(table, "event") is not None for table in tables):
        return SURE, POSSIBLE
    named = {kind for table in tables for name, kind in NAMED.items() if table.name.lower().endswith(name)}
    if "submission" in named or any(_column(table, "risk") is not None for table in tables):
        return POSSIBLE, SURE
    if "truth" in named:
        return SURE, POSSIBLE
    return (POSSIBLE, LIKELY) if tables else (LIKELY, LIKELY)


def _is_of_patients(table: TextTable) -> bool:
    """Return whether a table says anything of patients that this challenge asks for."""
    meanings = {meaning for meaning in COLUMNS if _column(table, meaning) is not None}
    return "patient" in meanings and bool(meanings - {"patient", "center"})


def _column(table: TextTable, meaning: str) -> int | None:
    return next((i for i, header in enumerate(table.header) if plain_name(header) in COLUMNS[meaning]), None)
