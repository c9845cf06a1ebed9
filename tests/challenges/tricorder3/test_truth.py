"""Truth tables of TRICORDER-3: what is read, what is refused, and what the official loader would make of
it."""

import pytest

import scoring
from scoring.challenges.safe_scan.demographics import GENDERS, LOCATIONS
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import (
    CLASSES,
    FULL_NAMES,
    IDS,
    LABELS,
    TRUTH_HEADER,
    table,
    truth,
    truth_rows,
)

CHALLENGE = scoring.load_challenge("tricorder3")


def read(data: bytes):
    return CHALLENGE.read_truth(data, name="t.csv")


def labels(cases) -> tuple[str, ...]:
    return tuple(CLASSES[i] for i in cases.labels)


def with_labels(*written: str) -> bytes:
    ids = [f"c{i}.jpg" for i in range(1, len(written) + 1)]
    return truth(ids, written)


def with_column(name: str, cells: list[str]) -> bytes:
    """The truth with one of its columns written otherwise."""
    place = TRUTH_HEADER.index(name)
    return table(
        TRUTH_HEADER,
        *([*row[:place], cell, *row[place + 1 :]] for row, cell in zip(truth_rows(), cells, strict=True)),
    )


def renamed(column: str, header: str) -> bytes:
    return table([header if h == column else h for h in TRUTH_HEADER], *truth_rows())


def test_what_the_official_loader_reads_has_no_finding():
    cases = read(truth())
    assert (cases.ids, labels(cases), cases.findings) == (IDS, LABELS, ())
    assert cases.demographics.encoded.tolist() == [[42, 1, 1]] * 6


@pytest.mark.parametrize(
    ("column", "header"),
    [
        ("Age", "age_approx"),
        ("Location", "site"),
        ("Location", "body_site"),
        ("Location", "anatom_site"),
        ("Gender", "sex"),
    ],
)
def test_other_headers_of_demographics(column, header):
    cases = read(renamed(column, header))
    assert cases.demographics.encoded.tolist() == [[42, 1, 1]] * 6
    assert "header-alias" in codes(cases.findings)


def test_several_alias_headers_are_one_finding():
    cases = read(table(("case", "diagnosis", "age_approx", "site", "sex"), *truth_rows()))
    said = only(cases.findings, "header-alias").message
    assert all(header in said for header in ("case", "diagnosis", "age_approx", "site", "sex"))


def test_the_first_name_present_wins():
    cases = read(
        table(
            ("id", "target", "FileName", "Label", "NewFileName", "Class"),
            *([f"{i}", "NV", f"f{i}", "DF", name, "MEL"] for i, name in enumerate(IDS)),
        )
    )
    assert (cases.ids, set(labels(cases))) == (IDS, {"MEL"})


@pytest.mark.parametrize("written", [*CLASSES])
def test_exact_symbols_have_no_finding(written):
    cases = read(with_labels(written))
    assert (labels(cases), codes(cases.findings)) == ((written,), [])


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("mel", "MEL"),
        (" MEL", "MEL"),
        ("Nv ", "NV"),
        ("ben oth", "BEN_OTH"),
        ("MAL-OTH", "MAL_OTH"),
        *zip(FULL_NAMES, CLASSES, strict=True),
        ("MELANOMA", "MEL"),
        ("basal-cell_carcinoma", "BCC"),
    ],
)
def test_labels_spelled_otherwise(written, symbol):
    cases = read(with_labels("NV", written))
    assert labels(cases) == ("NV", symbol)
    assert codes(cases.findings) == ["label-spelling", "official-run-cancelled"]
    assert "3" in only(cases.findings, "label-spelling").message
    assert only(cases.findings, "official-run-cancelled").where == "t.csv:3"


@pytest.mark.parametrize("number", range(1, 12))
def test_labels_by_number_count_from_one(number):
    cases = read(with_labels(str(number)))
    assert labels(cases) == (CLASSES[number - 1],)
    assert codes(cases.findings) == ["label-number", "official-run-cancelled"]


def test_label_zero_says_that_classes_are_counted_from_one():
    problem = only(refused(read, with_labels("NV", "0")).problems, "bad-label")
    assert problem.where == "t.csv:3"
    assert "classes are counted from 1" in problem.message
    assert "c2.jpg" in problem.message
    assert "Class" in problem.message


@pytest.mark.parametrize(
    "written", ["12", "-1", "1.5", "melanomaa", "MEL;NV", "1_0", "٣", "5 %", "true", "=MEL"]
)
def test_what_is_no_class_is_refused(written):
    problem = only(refused(read, with_labels("NV", written)).problems, "bad-label")
    assert problem.where == "t.csv:3"
    assert written in problem.message


@pytest.mark.parametrize(
    "written", ["", " ", "nan", "NaN", "na", "NA", "n/a", "N/A", "null", "NULL", "none", "None"]
)
def test_a_missing_label_is_an_error(written):
    problem = only(refused(read, with_labels("NV", written)).problems, "missing-value")
    assert problem.where == "t.csv:3"
    assert "c2.jpg" in problem.message


@pytest.mark.parametrize(
    ("cell", "number", "counted_there"),
    [
        *(("42", 42, False), ("0", 0, False), ("120", 120, False), ("42.0", 42, True), ("42.5", 42.5, True)),
        *(("121", 121, True), ("-3", -3, True), ("4.2e1", 42, True), ("4_2", 42, False), ("٤٢", 42, False)),
    ],
)
def test_ages_are_given_to_the_model_as_they_stand(cell, number, counted_there):
    cases = read(with_column("Age", [cell] * 6))
    assert cases.demographics.encoded[:, 0].tolist() == [number] * 6
    assert ("age-format" in codes(cases.findings)) == ("." in cell)
    assert ("official-run-cancelled" in codes(cases.findings)) == counted_there


@pytest.mark.parametrize("cell", ["", "nan", "unknown", "forty", "inf", "42 years", "1e400"])
def test_other_ages_are_missing(cell):
    cases = read(with_column("Age", [cell] * 6))
    assert cases.demographics.encoded.tolist() == [[0, 1, 1]] * 6
    assert codes(cases.findings) == ["missing-demographics", "official-run-cancelled"]


@pytest.mark.parametrize(
    ("cell", "code"), [*GENDERS.items(), ("Male", 1), ("FEMALE", 0), ("M", 1), (" f ", 0)]
)
def test_genders(cell, code):
    assert read(with_column("Gender", [cell] * 6)).demographics.encoded[:, 1].tolist() == [code] * 6


@pytest.mark.parametrize("cell", ["", "x", "other", "0", "1", "unknown"])
def test_other_genders_are_missing(cell):
    cases = read(with_column("Gender", [cell] * 6))
    assert cases.demographics.encoded[:, 1].tolist() == [-1] * 6
    assert codes(cases.findings) == ["missing-demographics", "official-run-cancelled"]


@pytest.mark.parametrize("number", range(1, 8))
def test_locations_by_name_and_by_number(number):
    name = ("Arm", "Feet", "Genitalia", "Hand", "Head", "Leg", "Torso")[number - 1]
    assert name.lower() == LOCATIONS[number - 1]
    by_name, by_number = (
        read(with_column("Location", [name] * 6)),
        read(with_column("Location", [str(number)] * 6)),
    )
    assert (
        by_name.demographics.encoded[:, 2].tolist()
        == by_number.demographics.encoded[:, 2].tolist()
        == [number] * 6
    )
    assert codes(by_name.findings) == []
    assert codes(by_number.findings) == ["location-number", "official-run-cancelled"]


@pytest.mark.parametrize("cell", ["", "0", "8", "foot", "1.5", "-1"])
def test_other_locations_are_missing(cell):
    cases = read(with_column("Location", [cell] * 6))
    assert cases.demographics.encoded[:, 2].tolist() == [-1] * 6
    assert codes(cases.findings) == ["missing-demographics", "official-run-cancelled"]


def test_more_than_two_metadata_errors_cancel_the_official_run_and_three_in_a_row_are_three():
    def cancelled(*spoiled: list[str]) -> bool:
        rows = truth_rows()
        for i, demographics in enumerate(spoiled):
            rows[i][2:] = demographics
        return "official-run-cancelled" in codes(read(table(TRUTH_HEADER, *rows)).findings)

    good = ["42", "Arm", "m"]
    assert not cancelled()
    assert not cancelled(["", "5", "m"])
    assert not cancelled(["42.0", "Arm", "m"], good, ["130", "Arm", "m"])
    assert cancelled(["", "", ""])
    assert cancelled(["42.5", "Arm", "m"], ["42", "3", "m"], ["42", "Arm", "?"])


def test_columns_of_demographics_may_lack():
    cases = read(table(TRUTH_HEADER[:2], *(row[:2] for row in truth_rows())))
    assert cases.demographics.encoded.tolist() == [[0, -1, -1]] * 6
    assert codes(cases.findings) == ["missing-demographics", "official-run-cancelled"]


def test_counted_findings_name_the_first_five_lines():
    said = only(read(with_labels(*["mel"] * 7)).findings, "label-spelling").message
    assert "7 rows" in said
    assert "2, 3, 4, 5, 6" in said
    assert "7," not in said


def one_hot(*rows: list[str]) -> bytes:
    return table(
        ("FileName", *(c.lower() for c in reversed(CLASSES))),
        *([f"c{i}", *row] for i, row in enumerate(rows)),
    )


def test_one_hot_labels_in_any_column_order():
    cases = read(one_hot(*(["1.0" if k == i else "0" for k in reversed(range(11))] for i in range(11))))
    assert labels(cases) == CLASSES
    assert codes(cases.findings) == [
        "label-one-hot",
        "missing-demographics",
        "official-run-cancelled",
        "official-run-cancelled",
    ]


@pytest.mark.parametrize(
    "row",
    [
        ["0"] * 11,
        ["1", "1", *["0"] * 9],
        ["0.5", "0.5", *["0"] * 9],
        ["2", *["0"] * 10],
        ["x", "1", *["0"] * 9],
    ],
)
def test_one_hot_rows_hold_one_one(row):
    good = ["1", *["0"] * 10]
    assert places(refused(read, one_hot(good, row)).problems) == [("bad-label", "t.csv:3")]


def test_one_hot_without_one_of_the_classes_is_no_label():
    assert places(refused(read, table(("FileName", *CLASSES[:10]), ["c1", "1", *["0"] * 9])).problems) == [
        ("missing-column", "t.csv:1")
    ]


def test_a_repeated_case_is_refused_and_nothing_else_of_its_row():
    rows = [*truth_rows(), ["c2.jpg", "nonsense", "42", "Arm", "m"], [" c2.jpg ", "", "42", "Arm", "m"]]
    problems = refused(read, table(TRUTH_HEADER, *rows)).problems
    assert places(problems) == [("duplicate-case", "t.csv:8"), ("duplicate-case", "t.csv:9")]
    assert all("c2.jpg" in p.message and "line 3" in p.message for p in problems)


def test_a_row_is_one_entry_per_code():
    rows = truth_rows()
    rows[1][:2] = ["", "nan"]
    problem = only(refused(read, table(TRUTH_HEADER, *rows)).problems, "missing-value")
    assert problem.where == "t.csv:3"
    assert "NewFileName" in problem.message
    assert "Class" in problem.message


def test_no_image_and_no_label_column_are_both_named():
    problems = refused(read, table(("picture", "klass", "Age"), ["c1", "NV", "3"])).problems
    assert places(problems) == [("missing-column", "t.csv:1"), ("missing-column", "t.csv:1")]
    assert "image" in problems[0].message
    assert "label" in problems[1].message
    assert "Did you mean 'klass'" in problems[1].message


def test_other_columns_may_occur_twice():
    assert (
        codes(
            read(
                table((*TRUTH_HEADER, "note", "Note", ""), *([*row, "a", "b", ""] for row in truth_rows()))
            ).findings
        )
        == []
    )


def test_every_problem_comes_in_the_order_of_the_challenge():
    rows = [
        ["a", "MEL"],
        ["a", "MEL"],
        ["b", ""],
        ["c", "what"],
        ["d", "MEL", "surplus"],
        ["e", "0"],
        ["", "NV"],
    ]
    problems = refused(read, table(("NewFileName", "Class"), *rows)).problems
    assert places(problems) == [
        ("row-length", "t.csv:6"),
        ("duplicate-case", "t.csv:3"),
        ("missing-value", "t.csv:4"),
        ("missing-value", "t.csv:8"),
        ("bad-label", "t.csv:5"),
        ("bad-label", "t.csv:7"),
    ]
