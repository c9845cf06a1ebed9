"""The ten classes of nuclei, and every name under which files know them."""

import difflib
from collections.abc import Iterator, Mapping

from scoring.findings import Finding, note, warning
from scoring.readers.tables import key

CLASSES = (
    "tumor",
    "lymphocytes",
    "plasma_cells",
    "histiocytes",
    "melanophages",
    "neutrophils",
    "stromal_cells",
    "epithelium",
    "endothelium",
    "apoptotic_cells",
)
PLATFORM = (
    "nuclei_tumor",
    "nuclei_lymphocyte",
    "nuclei_plasma_cell",
    "nuclei_histiocyte",
    "nuclei_melanophage",
    "nuclei_neutrophil",
    "nuclei_stroma",
    "nuclei_epithelium",
    "nuclei_endothelium",
    "nuclei_apoptosis",
)
"""As the data set and the Grand Challenge platform write them, in the order of CLASSES."""
ALIASES = {
    "tumor": ("tumour",),
    "lymphocytes": ("lymphocyte",),
    "plasma_cells": ("plasma_cell",),
    "histiocytes": ("histiocyte",),
    "melanophages": ("melanophage",),
    "neutrophils": ("neutrophil",),
    "stromal_cells": ("stroma", "stromal_cell", "stromal"),
    "epithelium": ("epithelial", "epithelial_cell", "epithelial_cells"),
    "endothelium": ("endothelial", "endothelial_cell", "endothelial_cells"),
    "apoptotic_cells": ("apoptosis", "apoptotic", "apoptotic_cell"),
}
PREFIX = "nuclei_"
POSITION = {alias: place for place, name in enumerate(CLASSES) for alias in (name, *ALIASES[name])}
COMPARED = 60
SHOWN = 20


def position(name: str) -> int | None:
    """The place in CLASSES of a name as written, None where it is none of the ten: blanks around it, upper
    case, blanks and hyphens inside and one `nuclei_` in front make no difference."""
    return POSITION.get(key(name).removeprefix(PREFIX))


def nearest(name: str) -> str:
    """The valid name that is most like `name`."""
    plain = key(name).removeprefix(PREFIX)
    return difflib.get_close_matches(plain[:COMPARED], POSITION, 1, 0.0)[0]


def mapped(counts: Mapping[str, int], where: str) -> Iterator[Finding]:
    """`names-mapped` for the written names that are not the canonical ones. counts: name as written ->
    nuclei."""
    others = {
        name: count for name, count in counts.items() if name not in CLASSES and position(name) is not None
    }
    if others:
        said = _list(
            [
                f"{name!r} ({count:,}) as {CLASSES[place]}"
                for name, count in sorted(others.items())
                if (place := position(name)) is not None
            ]
        )
        yield note("names-mapped", where, f"classes read by another name: {said}.")


def platform_warnings(counts: Mapping[str, int], where: str) -> Iterator[Finding]:
    """Yield `mixed-names` and `names-not-grand-challenge`: what the platform would make of the names."""
    known = sorted(name for name in counts if position(name) is not None)
    families = {key(name).startswith(PREFIX) for name in known}
    if len(families) == 2:
        plain, prefixed = (
            next(name for name in known if key(name).startswith(PREFIX) == family) for family in (False, True)
        )
        yield warning(
            "mixed-names",
            where,
            f"some names begin with nuclei_ ({prefixed!r}) and some do not ({plain!r}): both are "
            "read, the platform takes them for "
            "different classes. Write one family.",
        )
    foreign = [name for name in known if name not in PLATFORM]
    if foreign:
        yield warning(
            "names-not-grand-challenge",
            where,
            f"the platform compares names as written: {_list(list(map(repr, foreign)))} would score "
            "nothing there and add a class with F1 0 "
            f"to its mean. Its ten are {', '.join(PLATFORM)}.",
        )


def _list(words: list[str]) -> str:
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN:,} more" if len(words) > SHOWN else "")
