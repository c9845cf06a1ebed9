"""Folding: findings that repeat each other become one, and none is lost."""

from scoring.common.findings import error, grouped, note, tally, warning
from scoring.common.fixes import InputChanges, SuggestedFix, renaming

COLUMNS = [
    error(
        "missing-column",
        "p.csv:1",
        f"there is no column for class {name}: name it '{name}'. Found: 'a', 'b'.",
    )
    for name in ("AK", "BCC", "NV", "DF", "MEL", "VASC")
]


def test_repeated_problems_are_one_that_names_what_differs_and_ends_as_all_do():
    (group,) = grouped(COLUMNS)
    assert (group.where, group.message) == (
        "p.csv:1",
        "6 columns are missing: AK, BCC, NV, DF, MEL and 1 more. Found: 'a', 'b'.",
    )
    assert group.entries == tuple(COLUMNS)


def test_lines_of_a_file_are_named():
    rows = [
        error("not-a-number", f"p.csv:{i}", f"case c{i}, column A 'x' is not a number.") for i in range(2, 8)
    ]
    (group,) = grouped(rows)
    assert (group.where, group.message) == (
        "p.csv",
        "6 rows hold text such as 'x' where a number is needed: lines 2, 3, 4, 5, 6 and 1 more.",
    )


def test_classes_that_are_not_known_are_named_before_the_files_that_hold_them():
    def unknown(file: str, name: str):
        return error("unknown-class", file, f"{len(file)} nuclei of class {name!r}, none of ten. Rename it.")

    files = [f"{'x' * i}.json" for i in range(1, 7)]
    (group,) = grouped(unknown(file, name) for file in files for name in ("Immune cells", "Vessel's wall"))
    assert group.message == (
        "Unknown classes: 'Immune cells', \"Vessel's wall\". "
        "They occur in 6 places: x.json, xx.json, xxx.json, xxxx.json, xxxxx.json and 1 more. Rename it."
    )
    (group,) = grouped(unknown("a.json", name) for name in "ABCDEFG")
    assert (group.where, group.message) == (
        "a.json",
        "Unknown classes: 'A', 'B', 'C', 'D', 'E' and 2 more. Rename it.",
    )


def test_columns_whose_first_word_does_not_tell_them_apart_are_named_by_what_follows():
    missing = ("the case id", *(f"class {name}" for name in ("A", "B", "C", "D")))
    (group,) = grouped(
        error("missing-column", "p.csv:1", f"there is no column for {what}: name it. Found: 'x'.")
        for what in missing
    )
    assert group.message == (
        "5 columns are missing: the case id, class A, class B, class C, class D. Found: 'x'."
    )


def test_a_code_without_words_of_its_own_says_what_the_first_says():
    (group,) = grouped(
        [warning("odd", f"c{i}", f"it has {i} voxels. It counts as missing.") for i in range(5)]
    )
    assert group.message == (
        "it has 0 voxels. It counts as missing. There are 5 such findings: c0, c1, c2, c3, c4."
    )


def test_few_stay_apart_and_the_worst_come_first():
    entries = [note("a", "1", "x"), warning("b", "2", "y"), error("c", "3", "z"), warning("b", "4", "y")]
    assert [(group.level, group.where) for group in grouped(entries)] == [
        ("error", "3"),
        ("warning", "2"),
        ("warning", "4"),
        ("note", "1"),
    ]
    assert tally(entries) == "1 error, 2 warnings, 1 note"
    assert (grouped([]), tally([])) == ([], "")


def test_equal_messages_at_one_place_are_counted():
    (group,) = grouped([error("missing-case", "p", "no row")] * 4)
    assert group.message == "4 cases have no prediction. no row"


def test_each_mend_is_offered_once_and_many_as_one():
    whole = renaming("column", (("p_*", "*"),))
    (group,) = grouped([one.with_fixes(whole) for one in COLUMNS])
    assert group.fixes == (whole,)
    each = [renaming("column", ((f"{i}", f"c{i}"),)) for i in range(6)]
    (group,) = grouped([one.with_fixes(fix) for one, fix in zip(COLUMNS, each, strict=True)])
    (fix,) = group.fixes
    assert fix.changes.columns == tuple((f"{i}", f"c{i}") for i in range(6))
    assert fix.label == "Read columns “0” as c0, “1” as c1, “2” as c2, “3” as c3 and 2 more"
    (group,) = grouped([COLUMNS[0].with_fixes(SuggestedFix("", InputChanges(columns=(("a", "b"),))))])
    assert group.fixes == (), "what says nothing is no button"
