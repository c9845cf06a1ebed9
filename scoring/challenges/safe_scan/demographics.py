"""Age, gender and body location of the cases, and the numbers that a model receives for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from scoring.challenges.safe_scan.tables import AGE, GENDER, LOCATION, headings_there, once
from scoring.common.findings import Finding, warning
from scoring.inputs import tables
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.tables import TextTable
from scoring.metrics.subgroups import age_groups

GENDERS = {"m": 1, "male": 1, "f": 0, "female": 0}
LOCATIONS = ("arm", "feet", "genitalia", "hand", "head", "leg", "torso")
UNKNOWN = -1
OLDEST, MOST = 120, 1_000_000


@dataclass(frozen=True)
class Demographics:
    """Age, gender and body location of N cases.

    Attributes:
        age: Age in years [N]; NaN if missing.
        gender: 1 male, 0 female, -1 unknown [N].
        location: 1 to 7 in the order of `LOCATIONS`, -1 unknown [N].
    """

    per_case: ClassVar[tuple[str, ...]] = ("age", "gender", "location")
    age: np.ndarray
    gender: np.ndarray
    location: np.ndarray

    @property
    def encoded(self) -> np.ndarray:
        """Demographics as the second input of a model, float32 [N, 3]: age (0 if missing), gender,
        location."""
        return np.column_stack([np.nan_to_num(self.age), self.gender, self.location]).astype(np.float32)


@dataclass(frozen=True)
class Read:
    """Demographics read from a table.

    Attributes:
        official_errors: Row of each metadata error that the official loader counts, ascending. A row with
            three errors occurs three times.
    """

    values: Demographics
    official_errors: tuple[int, ...]
    findings: tuple[Finding, ...]


def unknown(n: int) -> Demographics:
    """Return unknown demographics for n cases."""
    return Demographics(np.full(n, np.nan), np.full(n, UNKNOWN), np.full(n, UNKNOWN))


def read_demographics(table: TextTable, problems: list[Finding]) -> Read:
    """Read age, gender and location of every row. A finding about a repeated column is added to
    `problems`."""
    findings: list[Finding] = []
    age_cells = _cells(table, "age", AGE, problems, findings)
    gender_cells = _cells(table, "gender", GENDER, problems, findings)
    location_cells = _cells(table, "location", LOCATION, problems, findings)
    whole = [_whole_there(cell) for cell in age_cells]
    read = parse_numbers(age_cells).values
    age = np.array([number if n is None else float(n) for n, number in zip(whole, read, strict=True)])
    gender = np.array([GENDERS.get(cell.lower(), UNKNOWN) for cell in gender_cells])
    numbers = {cell: _location(cell) for cell in {*location_cells}}
    location = np.array([numbers[cell] for cell in location_cells])
    by_number = [
        i for i, cell in enumerate(location_cells) if location[i] != UNKNOWN and cell.lower() not in LOCATIONS
    ]
    odd_age = [i for i, n in enumerate(whole) if n is None and not np.isnan(age[i])]
    absent = np.flatnonzero(np.isnan(age) | (gender == UNKNOWN) | (location == UNKNOWN)).tolist()
    findings += [
        *once(
            "location-number",
            table,
            by_number,
            "the location is written as a number, but the official loader reads only names. It treats "
            "these locations as unknown.",
        ),
        *once(
            "age-format",
            table,
            odd_age,
            "the age is not a plain whole number; the official loader treats it as missing. "
            "Write 42, not 42.0.",
        ),
        *once(
            "missing-demographics",
            table,
            absent,
            "age, gender or location is missing or unknown; the model receives 0, -1, -1 for them.",
        ),
    ]
    wrong = {
        AGE[0]: [i for i, n in enumerate(whole) if n is None or not 0 <= n <= OLDEST],
        GENDER[0]: np.flatnonzero(gender == UNKNOWN).tolist(),
        LOCATION[0]: [*np.flatnonzero(location == UNKNOWN).tolist(), *by_number],
    }
    seen = headings_there(table)
    errors = (rows if name in seen else range(len(table)) for name, rows in wrong.items())
    return Read(Demographics(age, gender, location), tuple(sorted(chain(*errors))), tuple(findings))


def described(demographics: Demographics) -> list[dict[str, float | str | None]]:
    """Return age (years), gender ("male", "female") and location of each case; None if unknown."""
    genders = {1: "male", 0: "female"}
    read = zip(demographics.age.tolist(), np.isnan(demographics.age).tolist(), strict=True)
    ages = [None if is_missing else int(age) if age == int(age) else age for age, is_missing in read]
    others = demographics.gender.tolist(), demographics.location.tolist()
    return [
        {
            "age": age,
            "gender": genders.get(gender),
            "location": LOCATIONS[location - 1] if location > 0 else None,
        }
        for age, gender, location in zip(ages, *others, strict=True)
    ]


def subgroups(demographics: Demographics) -> dict[str, dict[str, np.ndarray]]:
    """Return column (age band, gender, location) -> subgroup -> whether each case belongs to it [N]. Empty
    subgroups are left out."""
    groups: Mapping[str, Mapping[str, np.ndarray]] = {
        "age": age_groups(demographics.age),
        "gender": {
            name: demographics.gender == code
            for name, code in (("male", 1), ("female", 0), ("unknown", UNKNOWN))
        },
        "location": {name: demographics.location == i + 1 for i, name in enumerate(LOCATIONS)}
        | {"unknown": demographics.location == UNKNOWN},
    }
    return {
        column: {name: members for name, members in of_column.items() if members.any()}
        for column, of_column in groups.items()
    }


def _cells(
    table: TextTable, field: str, names: Sequence[str], problems: list[Finding], findings: list[Finding]
) -> list[str]:
    """Return the trimmed cells of the column of a field, empty ones without such a column."""
    column, twice = tables.find_column(table, names)
    problems += twice
    if column is None:
        return [""] * len(table)
    if table.keys[column] != names[0]:
        reading = f"column {table.header[column]!r} is read as {field}"
        sentence = f"{reading}; the official loader knows {names[0]!r} only."
        findings.append(warning("header-alias", table.header_place, sentence))
    return table.cells(column)


def _whole_there(cell: str) -> int | None:
    """Return the whole number that the official loader takes a cell for, None for any other cell. Digits of
    other scripts and 4_2 for 42 are numbers to it."""
    try:
        return max(-MOST, min(int(cell), MOST))
    except ValueError:
        return None


def _location(cell: str) -> int:
    if cell.lower() in LOCATIONS:
        return LOCATIONS.index(cell.lower()) + 1
    number = parse_numbers([cell]).values[0]
    return int(number) if number in range(1, len(LOCATIONS) + 1) else UNKNOWN
