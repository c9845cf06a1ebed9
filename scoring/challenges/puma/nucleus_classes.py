"""The ten classes of nuclei, and all names that files use for them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from scoring.common.findings import Finding, note, warning
from scoring.common.fixes import parsed_pairs
from scoring.inputs.tables import key

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
"""Names of the classes in the data set and on Grand Challenge, in the order of CLASSES."""
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
IGNORE = "ignore"
"""Word in a class map: with NAME=ignore, nuclei with this name are left out."""
PREFIXES = (PREFIX, "nucleus_", "cell_", "cells_", "class_")
ENDINGS = ("s", "_cell", "_cells", "_nucleus", "_nuclei")
ABBREVIATIONS = {"til": "lymphocyte", "tils": "lymphocyte", "pmn": "neutrophil", "pmns": "neutrophil"}
"""Pathologists' abbreviations of tumour-infiltrating lymphocytes and of polymorphonuclear neutrophils ->
class."""
POSITION = {alias: k for k, name in enumerate(CLASSES) for alias in (name, *ALIASES[name])}
NAMES = frozenset((*POSITION, *(f"{PREFIX}{alias}" for alias in POSITION)))
"""All names of the ten classes, as `tables.key` returns them."""
COMPARED = 60
SHOWN = 20


def position(name: str) -> int | None:
    """Return the position of a class name in CLASSES; None if it is none of the ten. Case, blanks, hyphens
    and one leading `nuclei_` are ignored."""
    return POSITION.get(key(name).removeprefix(PREFIX))


def variant(name: str) -> str | None:
    """Return the class whose name is only spelled differently: with another prefix or ending, in the plural,
    or abbreviated. Return None for any other name, even if it is similar."""
    plain = key(name)[:COMPARED]
    for prefix in PREFIXES:
        plain = plain.removeprefix(prefix)
    stems = [plain, *(plain.removesuffix(ending) for ending in ENDINGS if plain.endswith(ending))]
    for stem in (*stems, *(f"{stem}s" for stem in stems)):
        index = POSITION.get(ABBREVIATIONS.get(stem, stem))
        if index is not None:
            return CLASSES[index]
    return None


@dataclass(frozen=True)
class Naming:
    """How class names are handled that are not among the ten.

    Attributes:
        unknown: "refuse" files with such names, or "ignore" their nuclei.
        chosen: Name (as `tables.key` returns it) -> index of the class that replaces it; None: its nuclei are
            left out.
    """

    unknown: str = "refuse"
    chosen: Mapping[str, int | None] = field(default_factory=dict)

    @classmethod
    def of(cls, unknown_classes: str = "refuse", class_map: str | None = None) -> "Naming":
        """Return how names are handled under the values of the two options."""
        pairs = parsed_pairs(class_map or "")
        return cls(unknown_classes, {key(name): position(target) for name, target in pairs})

    def position(self, name: str) -> int | None:
        """Return the position of a class name in CLASSES; None if it counts as none of them."""
        index = position(name)
        return self.chosen.get(key(name)) if index is None else index

    def ignores(self, name: str) -> bool:
        """Return whether nuclei with this unknown name are left out instead of refused."""
        return self.unknown == "ignore" or key(name) in self.chosen


def map_problem(class_map: str) -> str | None:
    """Return a sentence about what is wrong with `NAME=CLASS,...`; None if nothing is."""
    pairs = parsed_pairs(class_map)
    for name, target in pairs:
        if not name:
            return f"{target!r} has no name: write NAME=CLASS,NAME={IGNORE}."
        if position(name) is not None:
            return f"{name!r} is already one of the ten: only other names can be mapped."
        if target != IGNORE and position(target) is None:
            return f"{target!r} is none of {', '.join(CLASSES)}, {IGNORE}."
    names = [key(name) for name, _ in pairs]
    twice = next((name for (name, _), k in zip(pairs, names, strict=True) if names.count(k) > 1), None)
    return None if twice is None else f"{twice!r} is mapped twice."


def mapped(counts: Mapping[str, int], where: str, naming: Naming | None = None) -> Iterator[Finding]:
    """Yield a finding `names-mapped` about names that have another spelling or were mapped to a class.
    `counts` contains the number of nuclei by name as written."""
    chosen = [
        f"{name!r} ({count:,}) as {CLASSES[index]}"
        for name, count in sorted(counts.items())
        if naming and position(name) is None and (index := naming.position(name)) is not None
    ]
    if chosen:
        yield note(
            "names-mapped", where, f"names outside the ten classes are mapped as you chose: {_list(chosen)}."
        )
    others = {
        name: count for name, count in counts.items() if name not in CLASSES and position(name) is not None
    }
    if others:
        listing = _list(
            [
                f"{name!r} ({count:,}) as {CLASSES[index]}"
                for name, count in sorted(others.items())
                if (index := position(name)) is not None
            ]
        )
        yield note(
            "names-mapped",
            where,
            f"Benchside reads other names for the ten classes (number of nuclei in brackets): {listing}.",
        )


def platform_warnings(counts: Mapping[str, int], where: str) -> Iterator[Finding]:
    """Yield the findings `mixed-names` and `names-not-grand-challenge`, which say what the platform would do
    with the class names."""
    known = sorted(name for name in counts if position(name) is not None)
    families = {key(name).startswith(PREFIX) for name in known}
    if len(families) == 2:
        plain, prefixed = (
            next(name for name in known if key(name).startswith(PREFIX) == family) for family in (False, True)
        )
        message = (
            f"some names begin with nuclei_ ({prefixed!r}) and some do not ({plain!r}). Benchside "
            "reads both, but the platform takes them for different classes. Write all names with "
            "nuclei_ or all without."
        )
        yield warning("mixed-names", where, message)
    foreign = [name for name in known if name not in PLATFORM]
    if foreign:
        message = (
            f"the platform compares names exactly: {_list(list(map(repr, foreign)))} would score "
            "nothing there, and each such name adds a class with F1 0 to the mean. The "
            f"platform's ten names are {', '.join(PLATFORM)}."
        )
        yield warning("names-not-grand-challenge", where, message)


def _list(names: list[str]) -> str:
    return ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else "")
