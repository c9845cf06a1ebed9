"""Finds the images of a test set that show the same patient or lesion."""

import posixpath
from collections.abc import Sequence
from typing import Protocol

from scoring.common.arrays import Ints
from scoring.common.findings import InputRefused
from scoring.inputs.case_tables import METADATA, UNIT_COLUMNS, CaseColumns, joined_columns, number_units
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import MISSING

UNREAD = "The test set's metadata.csv could not be used, so patients and lesions in it are not known: {}"


class CasesInFiles(CaseColumns, Protocol):
    """Cases of a test set, with the files that they were read from."""

    def __len__(self) -> int: ...
    @property
    def files(self) -> SourceFiles: ...


def patients_and_lesions(cases: CasesInFiles) -> tuple[Ints, str]:
    """Number the patients of a test set. The columns come from its table, and from `metadata.csv` beside it.
    The official score may group the cases in another way.

    Returns:
        A number per case [N], equal for cases of the same patient; if a case has no patient, for cases of
        the same lesion. A warning if `metadata.csv` cannot be used, otherwise "".
    """
    columns, unread = cases.columns, ""
    beside = [
        m for m in cases.files.members if posixpath.basename(m).lower() == METADATA and m.count("/") < 2
    ]
    if beside and cases.files.kind != "file":
        try:
            columns = joined_columns(cases, cases.files.read(beside[0]), beside[0], repeated=True)
        except InputRefused as refused:
            unread = UNREAD.format(refused.problems[0].message)
    patients, lesions = (
        columns[name] if name in columns and name != cases.id_column else ("",) * len(cases)
        for name in UNIT_COLUMNS
    )
    return number_units(_named(patients, lesions), len(cases)), unread


def _named(patients: Sequence[str], lesions: Sequence[str]) -> list[str]:
    """Return the patient of each case; without one, that of another image of its lesion, or else the
    lesion."""
    known = [patient.strip().lower() not in MISSING for patient in patients]
    patient_of = {
        lesion: patient for lesion, patient, has in zip(lesions, patients, known, strict=True) if has
    }
    return [
        f"patient {patient}"
        if has
        else ""
        if lesion.strip().lower() in MISSING
        else f"patient {patient_of[lesion]}"
        if lesion in patient_of
        else f"lesion {lesion}"
        for patient, lesion, has in zip(patients, lesions, known, strict=True)
    ]
