"""The table of a test set, and metadata joined to it by case id."""

import pytest

import scoring
from scoring.inputs.case_tables import TABLE_NAMES, WITH_METADATA, find_table, joined_columns
from scoring.inputs.sources import open_source
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import CLASSES, prediction_rows, table, truth

CHALLENGE = scoring.load_challenge("tricorder3")


def test_metadata_are_joined_by_case():
    cases = CHALLENGE.read_truth(truth())
    columns = joined_columns(
        cases,
        table(
            ("Image", "Patient-ID", "Age"),
            ["c3", " p9 ", "1"],
            ["images/c1.jpg", "p7", "2"],
            ["other", "p1", "3"],
        ),
    )
    assert columns["patient_id"] == ("p7", "", "p9", "", "", "")
    assert columns["age"] == ("42",) * 6


def test_ids_of_megabytes_are_quoted_in_part():
    data = table(("case", *CLASSES), *prediction_rows([f"{k}" * 100_000 for k in range(6)]))
    found = refused(CHALLENGE.read_predictions, data, CHALLENGE.read_truth(truth())).problems
    assert len(only(found, "no-common-case").message) < 2_000


def test_metadata_that_do_not_fit():
    cases = CHALLENGE.read_truth(truth())
    assert codes(refused(joined_columns, cases, table(("case", "x"), ["z", "1"])).problems) == [
        "no-common-case"
    ]
    assert codes(refused(joined_columns, cases, table(("who", "x"), ["c1", "1"])).problems) == [
        "missing-column"
    ]
    assert codes(
        refused(joined_columns, cases, table(("case", "x"), ["c1", "1"], ["c1.jpg", "2"])).problems
    ) == ["duplicate-case"]


def test_metadata_with_rows_of_the_wrong_length():
    cases = CHALLENGE.read_truth(truth())
    assert places(refused(joined_columns, cases, b"case,x\nc1.jpg\nc2.jpg,1\n", "m.csv").problems) == [
        ("row-length", "m.csv:2")
    ]


@pytest.mark.parametrize(
    ("members", "names", "table"),
    [
        (("grades.csv", "metadata.csv"), TABLE_NAMES, "grades.csv"),
        (("set/grades.csv", "metadata.csv"), TABLE_NAMES, "set/grades.csv"),
        (("dataset.csv", "metadata.csv"), TABLE_NAMES, "dataset.csv"),
        (("metadata.csv", "a.png"), TABLE_NAMES, "metadata.csv"),
        (("dataset.csv", "metadata.csv"), WITH_METADATA, "metadata.csv"),
    ],
)
def test_metadata_are_no_truth_where_there_is_another_table(members, names, table):
    assert find_table(open_source(dict.fromkeys(members, b"a,b\n1,2\n")), names) == table
