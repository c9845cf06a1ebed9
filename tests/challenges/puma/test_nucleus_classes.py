"""Names of classes: what is accepted, and what is said about it."""

import pytest

from scoring.challenges.puma.nucleus_classes import (
    CLASSES,
    PLATFORM,
    map_problem,
    mapped,
    platform_warnings,
    position,
    variant,
)
from scoring.common.fixes import parsed_pairs, written_pairs
from tests.support.findings import codes, only

ACCEPTED = {
    "tumor": ["tumor", "tumour"],
    "lymphocytes": ["lymphocytes", "lymphocyte"],
    "plasma_cells": ["plasma_cells", "plasma_cell"],
    "histiocytes": ["histiocytes", "histiocyte"],
    "melanophages": ["melanophages", "melanophage"],
    "neutrophils": ["neutrophils", "neutrophil"],
    "stromal_cells": ["stromal_cells", "stroma", "stromal_cell", "stromal"],
    "epithelium": ["epithelium", "epithelial", "epithelial_cell", "epithelial_cells"],
    "endothelium": ["endothelium", "endothelial", "endothelial_cell", "endothelial_cells"],
    "apoptotic_cells": ["apoptotic_cells", "apoptosis", "apoptotic", "apoptotic_cell"],
}


@pytest.mark.parametrize("name", CLASSES)
def test_every_name_of_a_class(name):
    for plain in ACCEPTED[name]:
        spaced, hyphened = plain.replace("_", " "), plain.replace("_", "-")
        for written in (
            *(plain, f"nuclei_{plain}", f" {plain.upper()} ", f"Nuclei {spaced}", f"nuclei-{hyphened}"),
            *(spaced, hyphened),
        ):
            assert CLASSES[position(written)] == name


def test_the_platforms_names_are_in_the_order_of_the_classes():
    assert [position(name) for name in PLATFORM] == list(range(10))


@pytest.mark.parametrize(
    "name",
    [
        *("", "nuclei_", "nuclei_nuclei_tumor", "fibroblasts", "tumors", "nucleitumor", "none"),
        *("tumor_nuclei", "\ud800"),
    ],
)
def test_names_of_no_class(name):
    assert position(name) is None


@pytest.mark.parametrize(
    ("name", "alike"),
    [
        *(("tumors", "tumor"), ("nuclei_tumors", "tumor"), ("Tumour cells", "tumor")),
        *(("tumor_nuclei", "tumor"), ("class plasma cells", "plasma_cells"), ("TILs", "lymphocytes")),
        *(("Immune cells", None), ("Vessel", None), ("fibroblasts", None), ("lymphocites", None)),
        *(("other", None), ("", None), ("s", None), ("???", None), ("tumor" * 10**6, None)),
    ],
)
def test_only_spelling_variants_are_suggested(name, alike):
    assert variant(name) == alike


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Immune cells=lymphocytes, Vessel=ignore", None),
        ('"a, b"=tumor', None),
        ('"a, b=tumor"', None),
        ("x=y=tumor", None),
        ("Immune cells", "has no name"),
        ("=tumor", "has no name"),
        ("Immune cells=leukocytes", "'leukocytes' is none of tumor,"),
        ("nuclei_tumor=lymphocytes", "is already one of the ten"),
        ("Vessel=ignore,vessel=tumor", "mapped twice"),
    ],
)
def test_a_map_of_classes_is_checked(text, problem):
    found = map_problem(text)
    assert found is None if problem is None else problem in found


def test_a_map_of_classes_is_written_as_it_is_read():
    pairs = [("Immune cells", "lymphocytes"), ("a, b", "ignore"), ('say "x"', "tumor"), ("p=q", "tumor")]
    assert parsed_pairs(written_pairs(pairs)) == pairs
    assert parsed_pairs("") == []


def test_names_that_are_read_as_others():
    assert list(mapped({"tumor": 3, "stromal_cells": 1, "blood": 2}, "p")) == []
    found = only(mapped({"tumor": 3, "nuclei_tumor": 1200, "Stroma": 1, "blood": 2}, "p"), "names-mapped")
    assert (found.level, found.where) == ("note", "p")
    assert "'nuclei_tumor' (1,200) as tumor" in found.message
    assert "'Stroma' (1) as stromal_cells" in found.message
    assert "blood" not in found.message


def test_both_families_in_one_submission():
    assert codes(platform_warnings({"nuclei_tumor": 1, "nuclei_stroma": 1}, "p")) == []
    assert codes(platform_warnings({"tumor": 1}, "p")) == ["names-not-grand-challenge"]
    found = list(platform_warnings({"Nuclei Tumor": 1, "nuclei_stroma": 5, "stroma": 1}, "p"))
    assert codes(found) == ["mixed-names", "names-not-grand-challenge"]
    assert {entry.level for entry in found} == {"warning"}
    assert "'Nuclei Tumor', 'stroma' would score nothing" in found[1].message


def test_long_lists_of_names_are_cut_short():
    counts = {f"{' ' * count}tumor": 1 for count in range(1, 1000)}
    assert "and 979 more" in only(mapped(counts, "p"), "names-mapped").message
    assert "and 979 more" in only(platform_warnings(counts, "p"), "names-not-grand-challenge").message
