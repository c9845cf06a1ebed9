"""Every row of the table of odd and bad input, for truth and predictions: code, level, place, order and
words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import InputRefused, load_challenge
from scoring.challenges.isic.categories import compared
from scoring.inputs.sources import FixedSource
from tests.support import category_tables
from tests.support.archives import archive_of
from tests.support.category_tables import CATEGORIES, IDS, LABELS, prediction_rows, truth_rows
from tests.support.command_line import run
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import table

isic = load_challenge("isic")
TRUTH = category_tables.truth()
GOOD = category_tables.predictions()
REFUSES = "The official scorer refuses this file: "


def read_truth(data: bytes = TRUTH, **options):
    return isic.read_truth(data, "truth.csv", **options)


def read(data: bytes, truth: bytes | None = TRUTH):
    return isic.read_predictions(data, read_truth(truth) if truth else None, "predictions.csv")


def problems(data: bytes, truth: bytes | None = TRUTH) -> list[tuple[str, str]]:
    return places(refused(read, data, truth).problems)


def truth_problems(data: bytes) -> list[tuple[str, str]]:
    return places(refused(read_truth, data).problems)


def rows(*changes: tuple[int, int, str], header=("image", *CATEGORIES), of=prediction_rows) -> bytes:
    """Good rows with cells (row, column) written otherwise."""
    cells = of()
    for row, column, text in changes:
        cells[row][column] = text
    return table(header, *cells)


def test_a_good_pair_has_no_finding():
    assert read_truth().findings == ()
    assert read(GOOD).findings == ()
    assert read(GOOD).outputs.tolist() == [[float(v) for v in row[1:]] for row in prediction_rows()]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.replace(b"\n", b"\r"),
        GOOD.replace(b"\n", b"\n\n"),
        GOOD.rstrip(),
        GOOD.replace(b"0.1", b"-0.0"),
        GOOD.replace(b"_1,", b"_1.jpg,").replace(b"_2,", b"_2.JPG,"),
    ],
)
def test_what_is_fine_there_is_fine_here(data):
    assert read(data).findings == ()


def test_no_id_column_and_nothing_further():
    bad = rows((0, 1, "high"), header=("Image", *CATEGORIES))
    problem = only(refused(read, bad).problems, "missing-column")
    assert problem.where == "predictions.csv:1"
    assert "Did you mean 'Image'?" in problem.message
    assert len(refused(read, bad).problems) == 1


@pytest.mark.parametrize(
    ("written", "hint"), [("bcc", "Did you mean 'bcc'?"), ("BCCX", "Did you mean 'BCCX'?"), ("whatever", "")]
)
def test_a_missing_category_and_an_extra_one(written, hint):
    found = refused(read, rows(header=("image", "MEL", "NV", written))).problems
    assert places(found) == [("missing-column", "predictions.csv:1"), ("extra-column", "predictions.csv:1")]
    assert "'BCC'" in found[0].message
    assert found[0].message.endswith(hint)


def test_a_model_that_does_not_know_unk_is_read_with_zeros():
    classes = ("MEL", "NV", "UNK")
    truth = category_tables.truth(IDS[:4], ["MEL", "NV", "UNK", "MEL"], classes)
    sent = category_tables.predictions(IDS[:4], ["MEL", "NV", "NV", "MEL"], classes[:2])
    fix = only(refused(read, sent, truth).problems, "missing-column").fixes[0]
    isic, cases = load_challenge("isic"), read_truth(truth)
    found = isic.read_predictions(FixedSource(sent, fix.changes), cases)
    assert found.outputs[:, 2].tolist() == [0] * 4
    badge = isic.score(cases, found, resamples=0).official.badge()
    assert badge == "official after 1 change: download the changed file"


def test_extra_columns_one_each():
    header = ("", "image", *CATEGORIES, "score_weight", "note")
    found = refused(
        read, table(header, *([i, *row, 1, "x"] for i, row in enumerate(prediction_rows())))
    ).problems
    assert codes(found) == ["extra-column"] * 3
    assert "no name" in found[0].message


def test_a_nameless_column_of_the_truth():
    assert truth_problems(
        table(("", "image", *CATEGORIES), *([i, *row] for i, row in enumerate(truth_rows())))
    ) == [("extra-column", "truth.csv:1")]


@pytest.mark.parametrize("again", ["ISIC_2", "ISIC_2.jpg", "test/ISIC_2.PNG", " ISIC_2 "])
def test_a_case_twice_is_that_only(again):
    bad = GOOD + f"{again},high,,7\n".encode()
    assert problems(bad) == [("duplicate-case", "predictions.csv:8")]
    assert truth_problems(TRUTH + f"{again},1,1,2\n".encode()) == [("duplicate-case", "truth.csv:8")]


def test_a_repeated_row_of_another_length_is_a_duplicate_only():
    assert problems(GOOD + b"ISIC_2,0.1\n") == [("duplicate-case", "predictions.csv:8")]


@pytest.mark.parametrize("cell", ["", "nan", "NaN", "NA", "N/A", "NULL", "null", "None", " "])
def test_missing_values(cell):
    found = refused(read, rows((1, 1, cell), (1, 3, cell), (4, 2, cell))).problems
    assert places(found) == [("missing-value", "predictions.csv:3"), ("missing-value", "predictions.csv:6")]
    assert "ISIC_2" in found[0].message
    assert "MEL" in found[0].message
    assert "BCC" in found[0].message
    assert truth_problems(rows((1, 1, cell), of=truth_rows)) == [("missing-value", "truth.csv:3")]


def test_a_row_without_a_case():
    assert problems(rows((1, 0, ""))) == [("missing-value", "predictions.csv:3"), ("missing-case", "ISIC_2")]
    assert truth_problems(rows((1, 0, ""), of=truth_rows)) == [("missing-value", "truth.csv:3")]


@pytest.mark.parametrize("cell", ["high", "45%", "True", "0,5", "1_0", "0x1"])
def test_not_a_number(cell):
    found = refused(read, rows((1, 2, cell))).problems
    assert places(found) == [("not-a-number", "predictions.csv:3")]
    assert all(word in found[0].message for word in ("ISIC_2", "NV", cell))


@pytest.mark.parametrize("cell", ["-0.5", "1.25", "inf", "-Infinity", "-1e-300", "1.0000000000000002", "2"])
def test_out_of_range(cell):
    found = refused(read, rows((1, 2, cell))).problems
    assert places(found) == [("out-of-range", "predictions.csv:3")]
    assert all(word in found[0].message for word in ("ISIC_2", "NV", cell))
    assert "logits" not in found[0].message


def test_mostly_out_of_range_looks_like_logits():
    found = refused(read, rows(*((i, 1, "3.5") for i in range(4)))).problems
    assert codes(found) == ["out-of-range"] * 4
    assert "these look like logits; apply softmax or sigmoid" in found[0].message.lower()


def test_rows_that_sum_to_100_are_percent():
    table = b"image,MEL,NV,BCC\n" + b"".join(b"ISIC_%d,7.5,90.4,2\n" % i for i in range(1, 6))
    found = refused(read, table).problems
    assert {f.message.partition("0 to 1. ")[2] for f in found if f.code == "out-of-range"} == {
        "These are percent. Divide them by 100."
    }


def test_missing_and_extra_cases():
    bad = GOOD.replace(b"ISIC_2,", b"ISIC_7,").replace(b"ISIC_5,", b"ISIC_8,")
    assert problems(bad) == [
        ("missing-case", "ISIC_2"),
        ("missing-case", "ISIC_5"),
        ("extra-case", "predictions.csv:3"),
        ("extra-case", "predictions.csv:6"),
    ]


def test_no_case_in_common_is_one_entry():
    found = refused(read, GOOD.replace(b"ISIC", b"isic")).problems
    assert places(found) == [("no-common-case", "predictions.csv")]
    assert all(name in found[0].message for name in ("isic_1", "isic_3", "ISIC_1", "ISIC_3"))


@pytest.mark.parametrize("cell", ["0.6", "2", "-1", "yes", "inf"])
def test_a_label_other_than_zero_or_one(cell):
    found = refused(read_truth, rows((2, 1, cell), of=truth_rows)).problems
    assert places(found) == [("bad-label", "truth.csv:4")]
    assert all(word in found[0].message for word in ("ISIC_3", "MEL", cell))


@pytest.mark.parametrize(
    ("cell", "code"),
    [
        ("-1", "bad-weight"),
        ("inf", "bad-weight"),
        ("x", "bad-weight"),
        ("", "missing-value"),
        ("nan", "missing-value"),
    ],
)
@pytest.mark.parametrize("column", ["score_weight", "validation_weight"])
def test_weights(cell, code, column):
    data = table(
        ("image", *CATEGORIES, column),
        *([*row, cell if i == 3 else "1"] for i, row in enumerate(truth_rows())),
    )
    found = refused(read_truth, data).problems
    assert places(found) == [(code, "truth.csv:5")]
    assert column in found[0].message


def test_one_category_is_too_few():
    assert codes(refused(read_truth, table(("image", "MEL"), *((i, 1) for i in IDS))).problems) == [
        "too-few-categories"
    ]
    assert codes(refused(read, table(("image", "MEL"), *((i, 0.5) for i in IDS)), None).problems) == [
        "too-few-categories"
    ]


@pytest.mark.parametrize(
    "data",
    [
        table(("image", *CATEGORIES, "score_weight"), *([*row, 0] for row in truth_rows())),
        table(("image", *CATEGORIES), *([i, 1, 1, 0] for i in IDS)),
        table(("image", *CATEGORIES, "score_weight"), ["a", 1, 0, 0, 0], ["b", 1, 1, 0, 1]),
        table(("image", *CATEGORIES), ["ISIC_0035068", 1, 0, 0]),
    ],
)
def test_nothing_to_score(data):
    assert codes(refused(read_truth, data).problems) == ["no-scored-case"]


def test_all_problems_in_order():
    bad = (
        b"image,MEL,NV,bcc\nISIC_6,0.1,0.2\nISIC_1,,0.1,0.8\nISIC_1,0.1,0.1,0.1\n"
        b"ISIC_2,x,5,0.1\nISIC_9,0.1,0.1,0.8\n,0.1,0.1,0.8\nISIC_3,-1,0.1,0.8\n"
    )
    assert problems(bad) == [
        ("missing-column", "predictions.csv:1"),
        ("extra-column", "predictions.csv:1"),
        ("row-length", "predictions.csv:2"),
        ("duplicate-case", "predictions.csv:4"),
        ("missing-value", "predictions.csv:3"),
        ("missing-value", "predictions.csv:7"),
        ("not-a-number", "predictions.csv:5"),
        ("out-of-range", "predictions.csv:5"),
        ("out-of-range", "predictions.csv:8"),
        ("missing-case", "ISIC_4"),
        ("missing-case", "ISIC_5"),
        ("extra-case", "predictions.csv:6"),
    ]


def test_predictions_are_checked_though_the_truth_is_refused(tmp_path):
    (tmp_path / "truth.csv").write_bytes(TRUTH.replace(b"ISIC_2,0.0", b"ISIC_2,0.7"))
    (tmp_path / "predictions.csv").write_bytes(GOOD.replace(b"ISIC_3,0.1", b"ISIC_3,2.5"))
    finished = run(
        "score",
        "isic",
        "--truth",
        tmp_path / "truth.csv",
        "--predictions",
        tmp_path / "predictions.csv",
        "--json",
        "-",
    )
    assert finished.status == 2
    assert [p["code"] for p in finished.json["problems"]] == ["bad-label", "out-of-range"]
    assert "error bad-label truth.csv:3" in finished.err


TOLERATED = {
    "delimiter": GOOD.replace(b",", b";"),
    "encoding": GOOD.decode().encode("utf-16"),
    "header-alias": GOOD.replace(b"image", b"lesion"),
    "header-spelling": GOOD.replace(b"BCC", b" BCC"),
    "trailing-delimiter": GOOD.replace(b"BCC\n", b"BCC,\n"),
    "integer-column": rows(*((i, 3, "01"[i % 2]) for i in range(6))),
    "id-spelling": GOOD.replace(b"ISIC_2,", b"test/ISIC_2.PNG,"),
}


@pytest.mark.parametrize("code", TOLERATED)
def test_read_here_and_refused_there(code):
    found = only(read(TOLERATED[code], TRUTH).findings, code)
    assert (found.level, found.where) == ("warning", "predictions.csv")
    assert REFUSES in found.message
    assert (
        read(TOLERATED[code]).labels.tolist() == [CATEGORIES.index(label) for label in LABELS]
        or code == "integer-column"
    )


@pytest.mark.parametrize("code", [c for c in TOLERATED if c != "integer-column"])
def test_the_truth_is_read_as_kindly(code):
    data = {
        "delimiter": TRUTH.replace(b",", b"\t"),
        "encoding": TRUTH.decode().encode("utf-16"),
        "header-alias": TRUTH.replace(b"image", b"lesion"),
        "header-spelling": TRUTH.replace(b"BCC", b"BCC "),
        "trailing-delimiter": TRUTH.replace(b"BCC\n", b"BCC,,\n"),
        "id-spelling": TRUTH.replace(b"ISIC_2,", b"ISIC_2.jpg,"),
    }[code]
    found = only(read_truth(data).findings, code)
    assert (found.level, found.where) == ("warning", "truth.csv")
    assert read_truth(data).labels.tolist() == read_truth().labels.tolist()


def test_decimal_commas():
    found = read(GOOD.replace(b",", b";").replace(b".", b","))
    assert codes(found.findings) == ["delimiter", "decimal-comma"]
    assert found.outputs.tolist() == read(GOOD).outputs.tolist()


def test_whole_numbers_in_the_truth_are_usual():
    assert read_truth(TRUTH.replace(b".0", b"")).findings == ()


def test_empty_cells_at_the_end_of_all_rows_without_the_heading_are_fine_there():
    lines = GOOD.splitlines()
    assert read(b"\n".join([lines[0], *(line + b"," for line in lines[1:])]) + b"\n").findings == ()
    assert codes(read(GOOD.replace(b"ISIC_3,0.1,0.1,0.8", b"ISIC_3,0.1,0.1,0.8,")).findings) == [
        "trailing-delimiter"
    ]


def test_ids_of_digits_stay_text():
    ids = ("007", "7", "12")
    truth = category_tables.truth(ids, LABELS[:3])
    predictions = category_tables.predictions(ids, LABELS[:3])
    assert codes(read_truth(truth).findings) == ["numeric-ids"]
    assert codes(read(predictions, truth).findings) == ["numeric-ids"]
    assert read_truth(truth).ids == ids
    assert read_truth(category_tables.truth(("NA", "7", "b"), LABELS[:3])).ids == ("NA", "7", "b")


def test_a_short_file():
    truth = table(("image", "MEL", "NV"), ("a", 1, 0))
    assert codes(read(b"image,MEL,NV\na,0.8,0.1", truth).findings) == ["short-file"]
    assert codes(read(b"image,MEL,NV\na,0.8,0.1\n", truth).findings) == []
    wide = table(("image", "MEL", "NV"), ("a" * 1900, 1, 0), ("b" * 300, 0, 1))
    assert (
        codes(
            read(table(("image", "MEL", "NV"), ("a" * 1900, 0.8, 0.1), ("b" * 300, 0.1, 0.8)), wide).findings
        )
        == []
    )
    long = table(("image", "MEL", "NV"), ("a" * 1990, 1, 0), ("b", 0, 1))
    assert codes(
        read(table(("image", "MEL", "NV"), ("a" * 1990, 0.8, 0.1), ("b", 0.1, 0.8)), long).findings
    ) == ["short-file"]


def test_without_a_truth_the_columns_are_the_categories_and_the_preset_is_named():
    assert codes(read(GOOD, None).findings) == []
    names = ("AKIEC", "BCC", "BEN_OTH", "BKL", "DF", "INF", "MAL_OTH", "MEL", "NV", "SCCKA", "VASC")
    found = only(read(category_tables.predictions(IDS, LABELS, names), None).findings, "preset")
    assert (found.level, "MILK10k" in found.message) == ("note", True)
    assert (
        "2019 without UNK"
        in only(
            read(
                category_tables.predictions(
                    IDS, LABELS, ("MEL", "NV", "BCC", "AK", "BKL", "DF", "VASC", "SCC")
                ),
                None,
            ).findings,
            "preset",
        ).message
    )


@given(st.permutations(range(6)), st.permutations(range(3)))
def test_rows_and_columns_stand_in_any_order(row_order, column_order):
    header = ["image", *(CATEGORIES[k] for k in column_order)]
    good = prediction_rows()
    shuffled = table(header, *([good[i][0], *(good[i][k + 1] for k in column_order)] for i in row_order))
    assert read(shuffled).outputs.tolist() == read(GOOD).outputs.tolist()


NAME = st.text(st.sampled_from("abZ0_.- /"), min_size=1, max_size=8)


@given(
    st.lists(NAME, min_size=1, max_size=6),
    st.sampled_from(["", ".jpg", ".JPEG", ".png"]),
    st.sampled_from(["", "a/", "b\\c/"]),
    st.sampled_from(["", " "]),
)
def test_ids_are_compared_without_folder_ending_and_spaces(names, ending, folder, space):
    plain = [name.replace("/", "").strip() or "x" for name in names]
    assert compared([f"{space}{folder}{name}{ending}{space}" for name in plain]) == (
        compared([f"{name}.png" for name in plain]) if ending else compared(plain)
    )
    assert compared([f"{name}.jpg" for name in plain]) == tuple(plain)


def test_the_table_of_a_folder_or_zip():
    files = {
        "ISIC_GroundTruth.csv": TRUTH,
        "Metadata.csv": b"isic_id\nx\n",
        "notes.txt": b"",
        "__MACOSX/a.csv": b"",
    }
    assert isic.read_truth(files, "set").ids == IDS
    assert isic.read_truth(archive_of(files), "set.zip").ids == IDS
    assert read_truth({"a/b/any.csv": TRUTH}).categories == CATEGORIES
    assert codes(refused(read_truth, {"a.csv": TRUTH, "b.csv": TRUTH}).problems) == ["ambiguous-table"]
    assert codes(refused(read_truth, {"a_groundtruth.csv": TRUTH, "b_GroundTruth.csv": TRUTH}).problems) == [
        "ambiguous-table"
    ]
    assert codes(refused(read_truth, {"a.txt": TRUTH}).problems) == ["no-table"]


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [("image", "lesion_id"), ("lesion_id", "lesion"), ("lesion", "lesion_id"), ("lesion_id", "image")],
)
def test_the_id_column_of_one_file_may_be_called_otherwise_than_the_other_s(truth, predicted):
    found = read(GOOD.replace(b"image", predicted.encode()), TRUTH.replace(b"image", truth.encode()))
    assert found.outputs.tolist() == read(GOOD).outputs.tolist()


def test_a_lesion_id_beside_the_image_is_no_category_of_the_truth_but_too_much_in_predictions():
    beside = table(("image", "lesion_id", *CATEGORIES), *([row[0], "x", *row[1:]] for row in truth_rows()))
    assert codes(read_truth(beside).findings) == ["unit-column"]
    assert read_truth(beside).categories == CATEGORIES
    too_much = table(
        ("image", "lesion_id", *CATEGORIES), *([row[0], "x", *row[1:]] for row in prediction_rows())
    )
    assert problems(too_much, beside) == [("extra-column", "predictions.csv:1")]


@given(
    st.binary(max_size=200)
    | st.lists(st.sampled_from([*'image,MEL;NV\n\t".0159-_ ', "ISIC_1", "\r\n", "nan"]), max_size=60).map(
        lambda parts: "".join(parts).encode()
    )
)
def test_any_bytes_are_read_or_refused(data):
    for source in (data, b"image,MEL,NV,BCC\n" + data):
        assert outcome(read, source) != []
        assert outcome(read_truth, source) != []


def outcome(call, source: bytes) -> list[str] | None:
    """The codes of a refusal; None where there was none."""
    try:
        call(source)
    except InputRefused as refusal:
        return codes(refusal.problems)
    return None
