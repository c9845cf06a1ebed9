"""Case ids: how they are spelled in tables and file names, and which case a row belongs to."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.fixes import InputChanges, renamed

EXTRA, AMBIGUOUS = -1, -2
ENDINGS = (
    *(".nii.gz", ".nii", ".mha", ".seg.nrrd", ".nrrd", ".geojson", ".json"),
    *(".hdr", ".img.gz", ".img", ".mhd", ".nhdr"),
    *(".jpg", ".jpeg", ".png", ".tif", ".tiff"),
)
"""Extensions of files that are named after a case."""
ID_COLUMNS = (
    *("newfilename", "filepath", "filename", "image_path", "image", "image_name", "image_id", "file"),
    *("file_name", "path", "case", "case_id", "id", "isic_id", "lesion_id"),
)
"""Headers of the column of case ids, as `tables.key` returns them. The first that a table has is used."""

ROBOFLOW = re.compile(r"(.+)_(?:jpe?g|png|tiff?|bmp|webp)\.rf\.[0-9a-f]{32}", re.IGNORECASE)
"""Pattern of a file name that Roboflow writes: the old name, the old extension, and a hash."""


@dataclass(frozen=True)
class Matches:
    """The case that each row of a table belongs to. `case` is the index of the case of each row, EXTRA if
    there is none, AMBIGUOUS if several fit."""

    case: Ints
    candidates: dict[int, tuple[int, ...]]


def as_written(name: str) -> str:
    r"""Return an id without blanks at its ends and without `./` in front, and with `/` instead of `\`."""
    return name.strip().replace("\\", "/").removeprefix("./")


def base_name(name: str) -> str:
    """Return the id without folders."""
    return as_written(name).rsplit("/", 1)[-1]


def stem(name: str) -> str:
    """Return the base name without its extension. If Roboflow renamed the file, return its original name."""
    base = base_name(name)
    start, _, extension = base.rpartition(".")
    plain = start if start and extension else base
    exported = ROBOFLOW.fullmatch(plain)
    return exported[1] if exported else plain


WAYS = (as_written, base_name, stem)


def match(rows: Sequence[str], cases: Sequence[str]) -> Matches:
    """Find the case of each row. Ids are compared as a whole, then by base name, then by base name without
    extension. The first comparison that fits exactly one case counts."""

    case_of_row = [EXTRA] * len(rows)
    candidates: dict[int, tuple[int, ...]] = {}
    remaining: Sequence[int] = range(len(rows))
    for way in WAYS:
        cases_of: dict[str, list[int]] = defaultdict(list)
        for index, case in enumerate(cases) if remaining else ():
            cases_of[way(case)].append(index)
        tried, remaining = remaining, []
        for i in tried:
            fits = cases_of.get(way(rows[i]), ())
            if len(fits) == 1:
                case_of_row[i] = fits[0]
                candidates.pop(i, None)
                continue
            remaining.append(i)
            if fits and i not in candidates:
                case_of_row[i], candidates[i] = AMBIGUOUS, tuple(fits)
    return Matches(np.array(case_of_row, dtype=int), candidates)


def case_parts(name: str) -> tuple[str, str, str]:
    """Split the name of a case, or of a file named after the case, into folder with slash, case and
    extension."""
    start = max(name.rfind("/"), name.rfind("\\")) + 1
    base = name[start:]
    ending = next((e for e in ENDINGS if base.lower().endswith(e)), "")
    cut = len(base) - len(ending)
    return name[:start], base[:cut], base[cut:]


def changed_case(name: str, changes: InputChanges) -> str:
    """Return the changed name of a case, or of a file named after the case. Folder and extension stay the
    same."""
    folder, case, ending = case_parts(name)
    new = renamed(case, changes.cases)
    return f"{folder}{new}{ending}" if new else name
