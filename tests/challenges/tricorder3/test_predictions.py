"""Prediction tables of TRICORDER-3: columns, matching to the truth's cases, numbers, and everything that is
refused."""

import numpy as np
import pytest

import scoring
from scoring.inputs.sources import FixedSource
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import (
    CLASSES,
    FULL_NAMES,
    IDS,
    LABELS,
    outputs_row,
    prediction_rows,
    predictions,
    table,
    truth,
)

CHALLENGE = scoring.load_challenge("tricorder3")
TRUTH = CHALLENGE.read_truth(truth(), name="t.csv")
HEADER = ("filename", *CLASSES)


def read(data: bytes, cases=TRUTH, **options):
    return CHALLENGE.read_predictions(data, cases, name="p.csv", **options)


def labels(found) -> tuple[str | None, ...]:
    return tuple(CLASSES[i] if i >= 0 else None for i in found.labels)


def with_cell(cell: str, column: str = "MEL", row: int = 1, delimiter: str = ",") -> bytes:
    """Right predictions but for one cell; data row 1 is line 3, case c2.jpg."""
    rows = prediction_rows()
    rows[row][1 + CLASSES.index(column)] = cell
    return table(HEADER, *rows, delimiter=delimiter)


def cases_called(*ids: str):
    return CHALLENGE.read_truth(truth(ids, ["NV"] * len(ids)), name="t.csv")


def scored(found, **options):
    return CHALLENGE.score(TRUTH, found, resamples=0, **options)


def test_right_predictions_have_no_finding():
    found = read(predictions())
    assert (labels(found), found.findings, found.faults, found.labels_only) == (LABELS, (), (), False)
    assert found.outputs.shape == (6, 11)
    assert found.outputs[0].tolist() == [0.01, 0.9, *[0.01] * 9]


def test_a_long_table_with_gaps_says_how_many_rows_it_lacks():
    ids = [f"c{k}.jpg" for k in range(12)]
    rows = [(name, c, repr(float(c == "NV"))) for name in ids for c in CLASSES]
    header = ("filename", "class", "score")
    assert labels(read(table(header, *rows), cases_called(*ids))) == ("NV",) * 12
    gaps = refused(read, table(header, *rows[:3], *rows[5:]), cases_called(*ids)).problems
    assert "2 pairs of case and class have no row" in only(gaps, "missing-value").message


def test_rows_and_columns_may_stand_in_any_order_and_case():
    header = ["Extra", *(c.lower().replace("_", " ") for c in reversed(CLASSES)), "Image-ID"]
    rows = [
        ["x", *reversed(outputs_row(label)), name]
        for name, label in reversed(list(zip(IDS, LABELS, strict=True)))
    ]
    assert np.array_equal(read(table(header, *rows)).outputs, read(predictions()).outputs)


ID_HEADERS = (
    "newfilename FilePath filename image_path image image_name image_id file file_name path case isic_id"
)


@pytest.mark.parametrize("header", [*ID_HEADERS.split(), "Case ID", "id", "lesion_id"])
def test_id_headers(header):
    found = read(table((header, *CLASSES), *prediction_rows()))
    assert (labels(found), found.findings) == (LABELS, ())


@pytest.mark.parametrize(
    "header",
    ["prediction", "Predicted", "predicted_class", "Predicted Class", "pred", "class", "label", "diagnosis"],
)
@pytest.mark.parametrize(
    "write",
    [
        lambda k: CLASSES[k],
        lambda k: FULL_NAMES[k],
        lambda k: CLASSES[k].lower().replace("_", "-"),
    ],
    ids=["symbol", "name", "spelling"],
)
def test_labels_only(header, write):
    found = read(
        table(
            ("case", header),
            *([name, write(CLASSES.index(label))] for name, label in zip(IDS, LABELS, strict=True)),
        )
    )
    assert (labels(found), found.labels_only, codes(found.findings)) == (LABELS, True, ["labels-only"])
    assert found.findings[0].level == "note"
    assert np.isnan(found.outputs).all()


def numbered(*numbers: int, header: str = "prediction") -> bytes:
    return table(("case", header), *([name, str(k)] for name, k in zip(IDS, numbers, strict=True)))


@pytest.mark.parametrize("first", [0, 1])
def test_numbers_of_two_readings_are_asked_for_with_both_scores(first):
    data = numbered(*(CLASSES.index(label) + first for label in LABELS))
    problem = only(refused(read, data).problems, "bad-label")
    assert "class_index (from 0) or class_number (from 1)" in problem.message
    assert len(problem.fixes) == 2
    for fix in problem.fixes:
        found = read(FixedSource(data, fix.changes))
        assert f"score {scored(found).score:.4f}" in fix.label
    found = read(FixedSource(data, problem.fixes[first].changes))
    assert (labels(found), scored(found).metrics["accuracy"]) == (LABELS, 1)


def test_a_zero_or_the_last_number_decides_how_classes_are_counted():
    assert labels(read(numbered(2, 9, 8, 4, 11, 9))) == ("BCC", "NV", "MEL", "BKL", "VASC", "NV")
    (fix,) = only(refused(read, data := numbered(1, 8, 7, 3, 0, 8)).problems, "bad-label").fixes
    assert labels(read(FixedSource(data, fix.changes))) == ("BCC", "NV", "MEL", "BKL", "AKIEC", "NV")
    problem = only(refused(read, numbered(0, 8, 7, 3, 11, 8, header="class_index")).problems, "bad-label")
    assert "no number 0 to 10" in problem.message


def test_a_label_column_beside_the_eleven_is_ignored():
    found = read(table((*HEADER, "prediction"), *([*row, "VASC"] for row in prediction_rows())))
    assert labels(found) == LABELS
    assert places(found.findings) == [("label-column-ignored", "p.csv:1")]
    assert found.findings[0].level == "note"


@pytest.mark.parametrize(
    ("cell", "how"),
    [("0", "classes are counted from 1"), ("12", "no number 1 to 11"), ("lesion", "'lesion' is not a class")],
)
def test_predicted_labels_that_are_no_class(cell, how):
    problem = only(
        refused(read, table(("case", "pred"), ["c1.jpg", "NV"], ["c2.jpg", cell])).problems, "bad-label"
    )
    assert problem.where == "p.csv:3"
    assert how in problem.message
    assert "c2.jpg" in problem.message
    assert "pred" in problem.message


def test_each_missing_class_column_is_an_entry():
    kept = [c for c in CLASSES if c not in ("BKL", "MEL", "NV")]
    problems = refused(read, table(("case", *kept, "MELL"), ["c1.jpg", *["0.1"] * 9])).problems
    assert places(problems) == [("missing-column", "p.csv:1")] * 3
    assert [name for name in ("BKL", "MEL", "NV") for p in problems if f"class {name}" in p.message] == [
        "BKL",
        "MEL",
        "NV",
    ]
    assert "Did you mean 'MELL'" in problems[1].message


def test_a_table_without_header_is_refused_by_its_columns():
    assert set(codes(refused(read, table(*prediction_rows())).problems)) == {"missing-column"}


@pytest.mark.parametrize(
    "written", [" images/a.jpg ", r".\images\a.jpg", "elsewhere/a.jpg", "a", "other/a.tif"]
)
def test_ways_in_which_a_row_finds_its_case(written):
    cases = cases_called("images/a.jpg", "images/b.jpg")
    found = read(table(HEADER, [written, *outputs_row("MEL")], ["images/b.jpg", *outputs_row("NV")]), cases)
    assert labels(found) == ("MEL", "NV")


def test_a_row_that_fits_several_cases_is_refused():
    cases = cases_called("x/a.jpg", "y/a.jpg", "b.jpg")
    problem = only(
        refused(
            read, table(HEADER, ["b.jpg", *outputs_row("NV")], ["a.jpg", *outputs_row("NV")]), cases
        ).problems,
        "ambiguous-case",
    )
    assert problem.where == "p.csv:3"
    assert "x/a.jpg" in problem.message
    assert "y/a.jpg" in problem.message


def test_a_case_that_only_an_ambiguous_row_names_is_not_reported_as_missing_too():
    cases = cases_called("x/a.jpg", "y/a.jpg")
    assert codes(refused(read, table(HEADER, ["a.jpg", *outputs_row("NV")]), cases).problems) == [
        "ambiguous-case"
    ]


@pytest.mark.parametrize("again", ["c2.jpg", "images/c2.png"])
def test_a_case_twice_also_after_matching(again):
    problem = only(
        refused(read, table(HEADER, *prediction_rows(), [again, *outputs_row("NV")])).problems,
        "duplicate-case",
    )
    assert problem.where == "p.csv:8"
    assert "c2.jpg" in problem.message
    assert "line 3" in problem.message


def test_a_repeated_row_is_duplicate_case_only():
    problems = refused(
        read, table(HEADER, *prediction_rows(), ["c2", "word", "", "inf", *["0"] * 8])
    ).problems
    assert places(problems) == [("duplicate-case", "p.csv:8")]


def test_identifiers_stay_text():
    ids = ("00123", "1E5", "0x1F", "1.50")
    found = read(table(HEADER, *([name, *outputs_row("NV")] for name in reversed(ids))), cases_called(*ids))
    assert labels(found) == ("NV",) * 4


def test_identifiers_are_compared_with_their_case():
    problems = refused(
        read, table(HEADER, *([name.upper(), *row] for name, *row in prediction_rows()))
    ).problems
    assert codes(problems) == ["no-common-case"]


@pytest.mark.parametrize("cell", ["", "N/a"])
def test_missing_values(cell):
    found = read(with_cell(cell))
    fault = only(found.faults, "missing-value")
    assert (fault.level, fault.where) == ("error", "p.csv:3")
    assert "c2.jpg" in fault.message
    assert "MEL" in fault.message
    assert "largest value" in fault.message
    assert places(refused(scored, found).problems) == [("missing-value", "p.csv:3")]


@pytest.mark.parametrize("cell", ["high", "−0.5", "1,234.5", "0.5 0.6", "=1+1", "<b>0.1</b>"])
def test_text_where_a_number_is_needed(cell):
    problem = only(refused(read, with_cell(cell)).problems, "not-a-number")
    assert problem.where == "p.csv:3"
    assert "c2.jpg" in problem.message
    assert f"MEL {cell!r}" in problem.message


def test_a_long_value_is_shown_cut():
    message = only(refused(read, with_cell("x" * 5000)).problems, "not-a-number").message
    assert "x" * 40 in message
    assert "x" * 41 not in message


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_decimal_comma_is_read_where_the_delimiter_is_no_comma(delimiter):
    rows = [[name, *(cell.replace(".", ",") for cell in row)] for name, *row in prediction_rows()]
    found = read(table(HEADER, *rows, delimiter=delimiter))
    assert np.array_equal(found.outputs, read(predictions()).outputs)
    note = only(found.findings, "decimal-comma")
    assert note.level == "note"
    assert "66" in note.message
    assert codes(found.findings) == ["decimal-comma"]


def test_several_faults_of_a_row_are_one_entry_per_code():
    rows = prediction_rows()
    rows[2][1:7] = ["", "nan", "x", "y", "inf", "-inf"]
    problems = refused(read, table(HEADER, *rows)).problems
    assert places(problems) == [
        ("missing-value", "p.csv:4"),
        ("not-a-number", "p.csv:4"),
        ("not-finite", "p.csv:4"),
    ]
    assert "AKIEC ''" in problems[0].message
    assert "BCC 'nan'" in problems[0].message
    assert "BEN_OTH 'x'" in problems[1].message
    assert "BKL 'y'" in problems[1].message


def test_rows_of_the_wrong_length_do_not_hide_other_problems():
    rows = prediction_rows()
    rows[0].append("0.5")
    rows[1].pop()
    rows[2].append(" ")
    rows[3][5] = "word"
    problems = refused(read, table(HEADER, *rows)).problems
    assert places(problems) == [
        ("row-length", "p.csv:2"),
        ("row-length", "p.csv:3"),
        ("not-a-number", "p.csv:5"),
    ]
    assert "13 cells, 12 expected" in problems[0].message
    assert "11 cells, 12 expected" in problems[1].message


def test_within_a_code_problems_stand_by_row():
    rows = prediction_rows()
    rows[1][4], rows[3][0], rows[4][2] = "", "", "nan"
    rows.append(["c1.jpg", *outputs_row("NV")])
    problems = refused(read, table(HEADER, *rows)).problems
    assert places(problems) == [
        ("duplicate-case", "p.csv:8"),
        ("missing-value", "p.csv:3"),
        ("missing-value", "p.csv:5"),
        ("missing-value", "p.csv:6"),
        ("missing-case", "c4.jpg"),
    ]


def test_missing_cases_stand_in_truth_order_and_say_what_the_official_code_does():
    found = read(table(HEADER, *prediction_rows()[4:], *prediction_rows()[1:2]))
    assert places(found.faults) == [("missing-case", name) for name in ("c1.jpg", "c3.jpg", "c4.jpg")]
    assert all("score 0" in fault.message and fault.where in fault.message for fault in found.faults)
    assert places(refused(scored, found).problems) == places(found.faults)


def test_rows_for_other_ids_are_left_out():
    rows = [*prediction_rows(), *([f"x{i}", *outputs_row("NV")] for i in range(4))]
    found = read(table(HEADER, *rows))
    assert labels(found) == LABELS
    extra = only(found.findings, "extra-case")
    assert extra.level == "warning"
    assert "4 rows" in extra.message
    assert "x0" in extra.message


def test_faults_of_rows_that_are_left_out_do_not_count():
    assert codes(read(table(HEADER, *prediction_rows(), ["x", "word", "", *["1"] * 9])).findings) == [
        "extra-case"
    ]


def test_no_case_in_common_is_one_error_with_three_ids_of_each_side():
    problem = only(
        refused(read, table(HEADER, *([f"x{i}", *outputs_row("NV")] for i in range(6)))).problems,
        "no-common-case",
    )
    assert problem.where == "p.csv"
    assert all(name in problem.message for name in ("x0", "x1", "x2", "c1.jpg", "c2.jpg", "c3.jpg"))
    assert "x3" not in problem.message
    assert "c4.jpg" not in problem.message


def test_no_case_in_common_beside_other_problems_lists_no_missing_cases():
    problems = refused(
        read, table(HEADER, ["x0", *outputs_row("NV"), "surplus"], ["x1", *outputs_row("NV")])
    ).problems
    assert places(problems) == [("row-length", "p.csv:2"), ("no-common-case", "p.csv")]


def test_percent_are_no_logits():
    rows = [[name, *(str(100 * float(cell)) for cell in cells)] for name, *cells in prediction_rows()]
    finding = only(read(table(HEADER, *rows)).findings, "percent")
    assert "Divide them by 100" in finding.message


@pytest.mark.parametrize(
    ("outputs", "code"),
    [
        (["1.00001", *["0"] * 10], "logits"),
        (["-0.00001", "1.00001", *["0"] * 9], "logits"),
        (["-3", *["2"] * 10], "logits"),
        (["0.998", *["0"] * 10], "not-normalised"),
        (["0.5"] * 11, "not-normalised"),
        (["0.9995", *["0"] * 10], None),
        (["1.0000005", *["0"] * 10], None),
        (["0.0909", *["0.0909"] * 10], None),
    ],
)
def test_kinds_of_outputs(outputs, code):
    rows = prediction_rows()
    rows[2][1:] = outputs
    found = codes(read(table(HEADER, *rows)).findings)
    assert [c for c in found if c in ("logits", "not-normalised")] == ([code] if code else [])


def test_ties_go_to_the_lower_class_number():
    rows = prediction_rows()
    rows[0][1:], rows[1][1:] = ["0.2", "0.4", "0.4", *["0"] * 8], ["0"] * 11
    found = read(table(HEADER, *rows))
    assert labels(found)[:2] == ("BCC", "AKIEC")
    note = only(found.findings, "tied-maximum")
    assert note.level == "note"
    assert "2 rows" in note.message


def test_count_as_wrong_takes_missing_and_infinite_values_but_no_words():
    rows = prediction_rows()[:5]
    rows[0][1], rows[1][1] = "", "inf"
    found = read(table(HEADER, *rows), missing="wrong")
    card = scored(found, missing="wrong")
    assert (card.more["n_missing"], labels(found)[:2], labels(found)[5]) == (3, (None, None), None)
    graded = [
        (f.level, f.code, f.where)
        for f in card.findings
        if f.code in ("missing-value", "not-finite", "missing-case")
    ]
    assert graded == [
        ("warning", "missing-value", "p.csv:2"),
        ("warning", "not-finite", "p.csv:3"),
        ("warning", "missing-case", "c6.jpg"),
    ]
    rows[2][1] = "word"
    refusal = refused(read, table(HEADER, *rows), missing="wrong")
    assert places(refusal.problems) == [("not-a-number", "p.csv:4")]
    assert set(codes(refusal.findings)) == {"missing-value", "not-finite", "missing-case"}


def test_predictions_alone_can_be_checked():
    found = read(predictions(), None)
    assert (labels(found), found.findings) == (LABELS, ())
    problems = refused(read, table(HEADER, *prediction_rows(), *prediction_rows()[:1]), None).problems
    assert places(problems) == [("duplicate-case", "p.csv:8")]


def test_faults_of_the_truth_are_not_told_again_of_the_predictions():
    spoiled = truth() + b"c2.jpg,NV,42,Arm,m\n,NV,42,Arm,m\n"
    salvaged = refused(CHALLENGE.read_truth, spoiled).salvaged
    assert read(predictions(), salvaged).faults == ()


@pytest.mark.parametrize("call", [CLASSES[3], "4", "3"])
def test_scores_beside_the_label_of_the_highest_are_read(call):
    row = [0.9 if k == 3 else 0.01 for k in range(11)]
    header = ("image", "pred", *(f"score_{c}" for c in CLASSES))
    found = read(table(header, ("c1.jpg", call, *row), ("c2.jpg", call, *row)))
    assert codes(found.findings) == ["label-column-ignored"]
    assert found.outputs[0].tolist() == row


def test_scores_by_number_beside_their_label_by_number_have_an_order_to_be_said():
    row = [0.9 if k == 3 else 0.01 for k in range(11)]
    header = ("image", "pred", *(f"prob_{k}" for k in range(11)))
    by_number, in_words = (table(header, *((name, call, *row) for name in IDS)) for call in ("3", "BKL"))
    assert set(codes(refused(read, by_number).problems)) == {"missing-column"}
    assert read(in_words).outputs[0].tolist() == row


def test_scores_beside_the_truth_are_asked_about_alone():
    row = [0.9 if k == 3 else 0.01 for k in range(11)]
    header = ("image", "label", *(f"prob_{k}" for k in range(11)))
    data = table(header, *((name, "0", *row) for name in IDS))
    assert codes(refused(read, data).problems) == ["column-suspect"]


def test_the_score_of_the_predicted_class_alone_is_named():
    data = table(("image", "pred", "confidence"), *((name, "BKL", 0.9) for name in IDS))
    assert "'confidence' holds one score" in only(read(data).findings, "labels-only").message
