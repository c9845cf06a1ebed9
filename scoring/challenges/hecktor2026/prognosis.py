"""Prognosis scores: which column counts, and which way round."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.challenges.hecktor2026.tables import PatientCells
from scoring.common.findings import Finding, note, warning
from scoring.inputs import suggestions
from scoring.inputs.cells import parse_numbers

KINDS = ("risk", "time")


@dataclass(frozen=True)
class PrognosisScores:
    """One column of scores by patient. values: as written [N], NaN = none. unusable: patients whose cell
    holds something that is no finite number, bool [N]."""

    values: np.ndarray
    unusable: np.ndarray


def read_scores(
    rows: PatientCells, row_of: np.ndarray, decimal_comma: bool, findings: list[Finding]
) -> dict[str, PrognosisScores]:
    """Return the columns that are there, by kind. row_of [N]: the row of each patient, -1 = none."""
    found = {}
    for kind in (k for k in KINDS if rows.cells.get(k)):
        cells = rows.cells[kind]
        read = parse_numbers(cells, decimal_comma)
        wrong = np.isin(read.fault, ("not-a-number", "not-finite"))
        has = row_of >= 0
        found_wrong = [row for row in row_of[has] if wrong[row]]
        if found_wrong:
            named = ", ".join(f"{rows.ids[row]} {cells[row][:40]!r}" for row in found_wrong)
            words = f"scores that are no finite number, counted as missing ({len(found_wrong)}): {named}."
            said = warning("risk-not-a-number", rows.places[found_wrong[0]], words)
            findings.append(said.mended_by(*suggestions.mends_of([cells[row] for row in found_wrong])))
        if read.decimal_commas:
            findings.append(
                note(
                    "decimal-comma",
                    rows.places[0],
                    f"{read.decimal_commas} numbers have a decimal comma: read as a point.",
                )
            )
        found[kind] = PrognosisScores(np.where(has, read.values[row_of], np.nan), has & wrong[row_of])
    if len(found) == len(KINDS):
        findings.append(
            note(
                "two-prognosis-columns",
                rows.places[0],
                "there is a risk and a time: `auto` takes the risk (--prognosis-direction).",
            )
        )
    if found:
        words = {
            "risk": "a risk, so the higher the worse",
            "time": "a time to relapse, so the lower the worse",
        }[chosen(found, "auto") or "risk"]
        findings.append(
            note(
                "direction-assumed",
                "prognosis",
                f"the column is read as {words}; --prognosis-direction says otherwise.",
            )
        )
    return found


def chosen(scores: Mapping[str, PrognosisScores], direction: str) -> str | None:
    """Return the kind of the column that counts: the one that `direction` prefers if it is there, "auto" the
    risk; None without a column."""
    preferred = (direction, *KINDS) if direction in KINDS else KINDS
    return next((kind for kind in preferred if kind in scores), None)


def oriented(scores: Mapping[str, PrognosisScores], direction: str, n: int) -> np.ndarray:
    """Scores [N], the higher the worse: a time is negated. NaN where there is none. direction "risk" or
    "time" forces the reading of the column."""
    kind = chosen(scores, direction)
    if kind is None:
        return np.full(n, np.nan)
    reading = kind if direction == "auto" else direction
    return scores[kind].values if reading == "risk" else -scores[kind].values
