"""Tables of skin-lesion photographs: image, label, age, gender, body location; and what the Safe-Scan
validator's own loader would make of them.

Source: the loader of the public validator code of February 2026. What it refuses is read here, with a finding
that names the consequence there.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.findings import Finding, InputRefused, error, ordered, warning
from scoring.readers import matching, tables
from scoring.readers.sources import Files, Source, open_source, sha256
from scoring.readers.tables import Table

TABLE_NAMES = ("labels.csv", "label.csv", "test.csv", "data.csv", "metadata.csv", "dataset.csv")
IMAGE_ENDINGS = (".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".gif")
OFFICIAL_IMAGE = ("newfilename", "filepath", "filename")
IMAGE = (
    *OFFICIAL_IMAGE,
    "image_path",
    "image",
    "image_name",
    "image_id",
    "file",
    "file_name",
    "path",
    "case",
    "case_id",
    "id",
    "isic_id",
    "lesion_id",
)
OFFICIAL_LABEL = ("class", "label")
LABEL = (*OFFICIAL_LABEL, "diagnosis", "target", "truth", "ground_truth")
AGE, LOCATION, GENDER = (
    ("age", "age_approx"),
    ("location", "site", "body_site", "anatom_site"),
    ("gender", "sex"),
)
GENDERS = {"m": 1, "male": 1, "f": 0, "female": 0}
LOCATIONS = ("arm", "feet", "genitalia", "hand", "head", "leg", "torso")
AGE_BANDS = ((0, 30, "0-29"), (30, 50, "30-49"), (50, 70, "50-69"), (70, np.inf, "70+"))
UNKNOWN = -1
METADATA_ERRORS_ALLOWED = 2
WHOLE = re.compile(r"[+-]?[0-9]+")
CANCELLED = "The validator would cancel the whole run."
ZERO = "The validator would give every model the score 0."


@dataclass(frozen=True)
class Demographics:
    """age: years [N], NaN = missing. gender: 1 male, 0 female, -1 unknown [N]. location: 1..7 in the order of
    LOCATIONS, -1 unknown [N]."""

    age: np.ndarray
    gender: np.ndarray
    location: np.ndarray

    @property
    def encoded(self) -> np.ndarray:
        """What a model receives, float32 [N, 3]: age as given (missing 0), gender, location."""
        return np.column_stack([np.nan_to_num(self.age), self.gender, self.location]).astype(np.float32)


@dataclass(frozen=True)
class Cases:
    """The cases of a test set, in file order. labels: class numbers [N], or None where labels were not asked
    for.

    images: the member of `pictures` that shows each case, None where there is none. digest_of: SHA-256 of the
    members that were read. columns: every column of the table and of joined metadata by `key`, for units and
    slices.
    """

    name: str
    files: Files
    ids: tuple[str, ...]
    demographics: Demographics
    labels: np.ndarray | None
    pictures: Files
    images: tuple[str | None, ...]
    columns: Mapping[str, tuple[str, ...]]
    id_column: str
    digest_of: Mapping[str, str]
    findings: tuple[Finding, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def picture(self, index: int) -> bytes | None:
        """The encoded image of a case, None where there is none. Raises InputRefused where the file cannot be
        read."""
        member = self.images[index]
        return None if member is None else self.pictures.read(member)


CODES = (
    "unreadable-file",
    "bad-zip",
    "unsafe-path",
    "no-table",
    "ambiguous-table",
    "missing-column",
    "duplicate-column",
    "row-length",
    "duplicate-case",
    "missing-value",
    "not-a-number",
    "not-finite",
    "bad-label",
    "missing-case",
    "image-missing",
    "image-unreadable",
    "ambiguous-case",
    "no-common-case",
    "extra-case",
    "bom",
    "header-alias",
    "label-spelling",
    "label-number",
    "label-one-hot",
    "location-number",
    "age-format",
    "missing-demographics",
    "bad-option",
    "official-run-cancelled",
    "official-score-zero",
    "image-elsewhere",
    "never-predicted",
)
"""The order in which problems and findings of one file are listed, as the lesion challenges' tables of bad
input have it."""

ReadLabels = Callable[[Table, list[Finding], list[Finding]], "LabelColumn"]


@dataclass(frozen=True)
class LabelColumn:
    """What a challenge made of the label column. labels [N] (-1 where unreadable); cancels: places of labels
    that the official loader does not know."""

    labels: np.ndarray
    cancels: tuple[str, ...] = ()


def read_cases(
    source: Source,
    name: str | None,
    read_labels: ReadLabels | None,
    images: Source | None = None,
    demographics: bool = True,
) -> Cases:
    """Read a table, or a folder or zip with a table and images. demographics: whether a model receives them,
    so that what lacks is a finding.

    Raises InputRefused with every problem, `salvaged` being what could be read.
    """
    try:
        cases = _read_cases(source, name, read_labels, images, demographics)
    except InputRefused as refused:
        raise InputRefused(
            ordered(refused.problems, CODES), ordered(refused.findings, CODES), refused.salvaged
        ) from refused
    return replace(cases, findings=tuple(ordered(cases.findings, CODES)))


def _read_cases(
    source: Source, name: str | None, read_labels: ReadLabels | None, images: Source | None, received: bool
) -> Cases:
    files = open_source(source, name)
    pictures = files if images is None else open_source(images)
    member = find_table(files)
    data = files.read(member)
    table = tables.read_table(data, files.called(member))
    problems, findings = list(table.problems), list(_loader_table(table))
    ids = _ids(table, problems, findings)
    if ids is None:
        raise InputRefused(_label_problems(read_labels, table, problems), findings)
    labels = read_labels(table, problems, findings) if read_labels else None
    about_demographics: list[Finding] = []
    demographics, metadata_errors = _demographics(table, problems, about_demographics)
    findings += about_demographics if received else []
    folder = posixpath.dirname(member) if pictures is files and files.kind != "file" else ""
    found, elsewhere = find_images(pictures, folder, ids)
    findings += _loader_consequences(table, labels, metadata_errors if received else [])
    findings += _image_findings(pictures, table, ids, found, elsewhere)
    columns = {
        k: tuple(c.strip() for c in column)
        for k, column in reversed(list(zip(table.keys, table.columns, strict=True)))
    }
    findings = _one_alias(findings)
    cases = Cases(
        files.name,
        files,
        ids,
        demographics,
        labels.labels if labels else None,
        pictures,
        found,
        columns,
        _id_key(table),
        {member: sha256(data)},
        tuple(findings),
    )
    if problems:
        raise InputRefused(tables.settled(table, problems), findings, salvaged=_named_once(cases))
    return cases


def _named_once(cases: Cases) -> Cases:
    """The cases that predictions can be matched to, for `salvaged`: without nameless and repeated rows."""
    first = {name: i for i, name in reversed(list(enumerate(cases.ids)))}
    kept = [
        i for name, i in sorted(first.items(), key=lambda item: item[1]) if name.lower() not in tables.MISSING
    ]
    return replace(cases, ids=tuple(cases.ids[i] for i in kept), images=tuple(cases.images[i] for i in kept))


def _one_alias(findings: list[Finding]) -> list[Finding]:
    """All `header-alias` as one entry, at the place of the first."""
    aliases = [f for f in findings if f.code == "header-alias"]
    if len(aliases) < 2:
        return findings
    whole = replace(aliases[0], message=f"{len(aliases)} headers: " + " ".join(f.message for f in aliases))
    return [whole if f is aliases[0] else f for f in findings if f.code != "header-alias" or f is aliases[0]]


def read_pictures(source: Source, name: str | None = None, demographics: bool = True) -> Cases:
    """Cases without labels: the rows of the table where the folder or zip has one, else every image by file
    name."""
    files = open_source(source, name)
    has_table = files.kind == "file" or any(m.lower().endswith(".csv") for m in files.members)
    if has_table:
        return read_cases(files, None, None, demographics=demographics)
    found = tuple(m for m in files.members if m.lower().endswith(IMAGE_ENDINGS))
    if not found:
        raise InputRefused(
            [
                error(
                    "image-missing",
                    files.name,
                    f"it holds no image ({', '.join(IMAGE_ENDINGS)}) and no table.",
                )
            ]
        )
    n = len(found)
    unknown = Demographics(np.full(n, np.nan), np.full(n, UNKNOWN), np.full(n, UNKNOWN))
    notes = (
        (
            warning(
                "missing-demographics",
                files.name,
                (
                    f"there is no table: age, gender and location of all {n} images are unknown (0, -1, "
                    "-1 for the model)."
                ),
            ),
        )
        if demographics
        else ()
    )
    return Cases(files.name, files, found, unknown, None, files, found, {}, "", {}, notes)


def with_metadata(cases: Cases, source: Source, name: str | None = None, repeated: bool = False) -> Cases:
    """Join the columns of a table by case id. Raises InputRefused where it cannot be read or shares no case.

    repeated: several rows of a case are no fault, the first counts (a lesion with several images has a row
    for each).
    """
    files = open_source(source, name)
    table = tables.read_table(files.read(find_table(files)), files.name)
    column, problems = tables.find_column(table, (cases.id_column, *IMAGE))
    if column is None:
        raise InputRefused([tables.missing_column(table, "the case id", IMAGE)])
    found = matching.match(table.cells(column), cases.ids).case
    row_of: dict[int, int] = {}
    problems = [*table.problems, *problems]
    for row, case in ((row, int(case)) for row, case in enumerate(found) if case >= 0):
        if row_of.setdefault(case, row) != row and not repeated:
            problems.append(
                error(
                    "duplicate-case",
                    table.place(row),
                    (
                        f"case {cases.ids[case]!r} stands on line {table.lines[row_of[case]]} already: "
                        "keep one row per case."
                    ),
                )
            )
    if problems or not row_of:
        raise InputRefused(
            problems
            or [
                error(
                    "no-common-case", table.name, f"none of its {len(table)} ids is a case of {cases.name}."
                )
            ]
        )
    joined = {
        k: tuple(cells[row_of[i]].strip() if i in row_of else "" for i in range(len(cases)))
        for k, cells in zip(table.keys, table.columns, strict=True)
    }
    return replace(cases, columns={**joined, **cases.columns})


def subgroups(cases: Cases) -> dict[str, dict[str, np.ndarray]]:
    """Members (bool [N]) of every group that occurs, by column: age band, gender, body location."""
    age = np.where(cases.demographics.age < 0, np.nan, cases.demographics.age)
    groups = {
        "age": {name: (age >= low) & (age < high) for low, high, name in AGE_BANDS}
        | {"unknown": np.isnan(age)},
        "gender": {
            name: cases.demographics.gender == code
            for name, code in (("male", 1), ("female", 0), ("unknown", UNKNOWN))
        },
        "location": {name: cases.demographics.location == i + 1 for i, name in enumerate(LOCATIONS)}
        | {"unknown": cases.demographics.location == UNKNOWN},
    }
    return {
        column: {name: members for name, members in found.items() if members.any()}
        for column, found in groups.items()
    }


def label_column(table: Table, problems: list[Finding], findings: list[Finding]) -> int | None:
    """The column of the labels, None where there is none; a header that the official loader does not know is
    a finding."""
    column, twice = tables.find_column(table, LABEL)
    problems += twice
    if column is not None and table.keys[column] not in OFFICIAL_LABEL:
        words = (
            f"column {table.header[column]!r} is read as the label; the official loader knows Class and "
            "Label only."
        )
        findings.append(warning("header-alias", table.header_place, words))
    return column


def described(cases: Cases) -> list[dict]:
    """Age (years), gender ("male", "female") and location of each case for people, None where unknown."""
    d, genders = cases.demographics, {1: "male", 0: "female"}
    ages = [None if np.isnan(age) else int(age) if age == int(age) else float(age) for age in d.age]
    return [
        {
            "age": age,
            "gender": genders.get(int(gender)),
            "location": LOCATIONS[location - 1] if location > 0 else None,
        }
        for age, gender, location in zip(ages, d.gender, d.location, strict=True)
    ]


def find_table(files: Files) -> str:
    """The member that holds the table: by its usual names at the top, then one folder down, else the only
    CSV. Raises InputRefused."""
    if files.kind == "file":
        return files.members[0]
    for depth in (0, 1):
        for wanted in TABLE_NAMES:
            here = [
                m for m in files.members if m.count("/") == depth and posixpath.basename(m).lower() == wanted
            ]
            if len(here) == 1:
                return here[0]
            if here:
                raise InputRefused(
                    [
                        error(
                            "ambiguous-table",
                            files.name,
                            f"several tables are called {wanted}: {', '.join(here[:5])}. Keep one.",
                        )
                    ]
                )
    candidates = [m for m in files.members if m.lower().endswith(".csv")]
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        raise InputRefused(
            [
                error(
                    "no-table",
                    files.name,
                    f"it holds {len(files.members)} files and no CSV table. Put labels.csv beside the images.",
                )
            ]
        )
    raise InputRefused(
        [
            error(
                "ambiguous-table",
                files.name,
                (
                    f"it holds {len(candidates)} tables ({', '.join(candidates[:5])}): call the right "
                    "one labels.csv."
                ),
            )
        ]
    )


def find_images(
    pictures: Files, folder: str, ids: Sequence[str]
) -> tuple[tuple[str | None, ...], frozenset[int]]:
    """The member that shows each id, relative to `folder`, else by a base name that occurs once (those
    indices are the second value)."""
    if pictures.kind == "file":
        return (None,) * len(ids), frozenset()
    members = set(pictures.members)
    names = Counter(posixpath.basename(m) for m in members)
    by_name = {posixpath.basename(m): m for m in members}
    found, elsewhere = [], set()
    for i, name in enumerate(ids):
        exact = posixpath.join(folder, matching.as_written(name))
        base = matching.base_name(name)
        if exact in members:
            found.append(exact)
        elif names[base] == 1:
            found.append(by_name[base])
            elsewhere.add(i)
        else:
            found.append(None)
    return tuple(found), frozenset(elsewhere)


def several(table: Table, rows: Sequence[int]) -> str:
    """ "3 rows (lines 4, 9, 12)", the first five lines named."""
    shown = ", ".join(str(table.lines[r]) for r in rows[:5]) + (", ..." if len(rows) > 5 else "")
    return f"{len(rows)} row{'s' * (len(rows) > 1)} (line{'s' * (len(rows) > 1)} {shown})"


def once(code: str, table: Table, rows: Sequence[int], message: str) -> list[Finding]:
    """A warning for the whole file, placed at its first row; none without rows."""
    return [warning(code, table.place(rows[0]), f"{several(table, rows)}: {message}")] if len(rows) else []


def case_words(table: Table, row: int) -> str:
    """How a message begins that concerns a row: "case 'a.jpg', ", or nothing where the row names none."""
    column, _ = tables.find_column(table, IMAGE)
    name = "" if column is None else table.columns[column][row].strip()
    return f"case {name[:80]!r}, " if name else ""


def _id_key(table: Table) -> str:
    return next(n for n in IMAGE if n in table.keys)


def _label_problems(read_labels: ReadLabels | None, table: Table, problems: list[Finding]) -> list[Finding]:
    if read_labels:
        read_labels(table, problems, [])
    return problems


def _ids(table: Table, problems: list[Finding], findings: list[Finding]) -> tuple[str, ...] | None:
    column, twice = tables.find_column(table, IMAGE)
    problems += twice
    if column is None:
        problems.append(tables.missing_column(table, "the image", ("NewFileName", "FilePath", "image")))
        return None
    if table.keys[column] not in OFFICIAL_IMAGE:
        findings.append(
            warning(
                "header-alias",
                table.header_place,
                (
                    f"column {table.header[column]!r} is read as the image; the official loader knows "
                    "NewFileName, FilePath and FileName only."
                ),
            )
        )
    ids, first = table.cells(column), {}
    for i, name in enumerate(ids):
        if name.lower() in tables.MISSING:
            problems.append(
                error(
                    "missing-value",
                    table.place(i),
                    f"column {table.header[column]!r} is empty: every row needs its image.",
                )
            )
        elif name in first:
            problems.append(
                error(
                    "duplicate-case",
                    table.place(i),
                    f"case {name!r} stands on line {table.lines[first[name]]} already: keep one row per case.",
                )
            )
        first.setdefault(name, i)
    return tuple(ids)


def _demographics(
    table: Table, problems: list[Finding], findings: list[Finding]
) -> tuple[Demographics, list[int]]:
    """What is known of age, gender and location, and the row of every metadata error that the official loader
    counts (three in a row are three)."""
    n = len(table)
    cells = {}
    for what, names in (("age", AGE), ("gender", GENDER), ("location", LOCATION)):
        column, twice = tables.find_column(table, names)
        problems += twice
        cells[what] = [""] * n if column is None else table.cells(column)
        if column is not None and table.keys[column] != names[0]:
            findings.append(
                warning(
                    "header-alias",
                    table.header_place,
                    (
                        f"column {table.header[column]!r} is read as {what}; the official loader knows "
                        f"{names[0]!r} only."
                    ),
                )
            )
    age = tables.numbers(cells["age"]).values
    gender = np.array([GENDERS.get(c.lower(), UNKNOWN) for c in cells["gender"]])
    location = np.array([_location(c) for c in cells["location"]])
    by_number = [
        i for i, c in enumerate(cells["location"]) if location[i] != UNKNOWN and c.lower() not in LOCATIONS
    ]
    odd_age = [i for i, c in enumerate(cells["age"]) if not np.isnan(age[i]) and not WHOLE.fullmatch(c)]
    absent = [i for i in range(n) if np.isnan(age[i]) or gender[i] == UNKNOWN or location[i] == UNKNOWN]
    findings += once(
        "location-number",
        table,
        by_number,
        (
            "the location is written as a number; the official loader knows the names only and takes it "
            "as unknown."
        ),
    )
    findings += once(
        "age-format",
        table,
        odd_age,
        "the age is not a plain whole number; the official loader takes it as missing. Write 42, not 42.0.",
    )
    findings += once(
        "missing-demographics",
        table,
        absent,
        "age, gender or location is missing or unknown; the model receives 0, -1, -1 for them.",
    )
    out_of_range = [i for i in range(n) if not 0 <= age[i] <= 120]  # also a missing age, which is NaN
    wrong = (
        sorted({*odd_age, *out_of_range})
        + list(np.flatnonzero(gender == UNKNOWN))
        + list(np.flatnonzero(location == UNKNOWN))
        + by_number
    )
    return Demographics(age, gender, location), sorted(int(i) for i in wrong)


def _location(cell: str) -> int:
    if cell.lower() in LOCATIONS:
        return LOCATIONS.index(cell.lower()) + 1
    number = tables.numbers([cell]).values[0]
    return int(number) if number in range(1, len(LOCATIONS) + 1) else UNKNOWN


def _loader_table(table: Table) -> list[Finding]:
    found = []
    if table.byte_order_mark:
        found.append(
            warning(
                "bom",
                table.header_place,
                (
                    "the file begins with a byte order mark, which hides the first header from the "
                    "official loader. Save as UTF-8 without it."
                ),
            )
        )
        found.append(warning("official-score-zero", table.header_place, f"byte order mark. {ZERO}"))
    if table.delimiter == "\t":
        found.append(
            warning(
                "official-run-cancelled",
                table.header_place,
                f"the delimiter is a tab, which the official loader does not read. {CANCELLED}",
            )
        )
    return found


def _loader_consequences(
    table: Table, labels: LabelColumn | None, metadata_errors: list[int]
) -> list[Finding]:
    found = []
    image = next((k for k in IMAGE if k in table.keys), None)
    if image not in OFFICIAL_IMAGE:
        found.append(
            warning(
                "official-score-zero",
                table.header_place,
                f"the image column is not called NewFileName, FilePath or FileName. {ZERO}",
            )
        )
    if labels is not None:
        if not any(k in table.keys for k in OFFICIAL_LABEL):
            found.append(
                warning(
                    "official-run-cancelled",
                    table.header_place,
                    f"the label column is not called Class or Label. {CANCELLED}",
                )
            )
        elif labels.cancels:
            found.append(
                warning(
                    "official-run-cancelled",
                    labels.cancels[0],
                    f"{len(labels.cancels)} labels are not written as the exact symbol. {CANCELLED}",
                )
            )
        if len(metadata_errors) > METADATA_ERRORS_ALLOWED:
            found.append(
                warning(
                    "official-run-cancelled",
                    table.place(metadata_errors[0]),
                    (
                        f"{len(metadata_errors)} metadata errors "
                        f"({several(table, sorted(set(metadata_errors)))}); more than "
                        f"{METADATA_ERRORS_ALLOWED} are too many. {CANCELLED}"
                    ),
                )
            )
    return found


def _image_findings(
    pictures: Files, table: Table, ids: Sequence[str], found: Sequence[str | None], elsewhere: frozenset[int]
) -> list[Finding]:
    if pictures.kind == "file" or not any(m.lower().endswith(IMAGE_ENDINGS) for m in pictures.members):
        return []
    result = once(
        "image-elsewhere",
        table,
        sorted(elsewhere),
        "the image was found by its name in another folder; the official loader does not find it there.",
    )
    absent = [i for i, member in enumerate(found) if member is None]
    if absent:
        result += [
            warning(
                "official-score-zero",
                table.place(absent[0]),
                f"{several(table, absent)}: the image is missing ({ids[absent[0]]}). {ZERO}",
            )
        ]
    return result
