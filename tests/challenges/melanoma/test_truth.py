"""Truth tables of melanoma: labels, what the official code would make of them, what is refused."""

import pytest

import scoring
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import CLASSES, FULL_NAMES, table

CHALLENGE = scoring.load_challenge("melanoma")
POSITIVE = (
    *("t", "yes", "Y", "1", "1.0", "positive", "POS", "malignant", "Melanoma", "MEL", "true", "TRUE"),
    " True",
)
NEGATIVE = (
    *("False", "f", "no", "N", "0", "0.0", "negative", "neg", "Benign", "non-melanoma", "false", " False"),
)


def read(*labels: str, header=("filename", "label")):
    return CHALLENGE.read_truth(
        table(header, *([f"c{i}.jpg", label] for i, label in enumerate(labels))), name="t.csv"
    )


def test_true_and_false_have_no_finding():
    cases = read("True", "False")
    assert (cases.labels.tolist(), cases.ids, cases.findings) == ([1, 0], ("c0.jpg", "c1.jpg"), ())


@pytest.mark.parametrize("written", POSITIVE)
def test_positive_labels_spelled_otherwise_are_negative_to_the_official_code(written):
    cases = read("True", "False", written)
    assert cases.labels.tolist() == [1, 0, 1]
    found = only(cases.findings, "label-spelling")
    assert found.level == "warning"
    assert "official code would count these 1 cases as negative" in found.message


@pytest.mark.parametrize("written", NEGATIVE)
def test_negative_labels(written):
    cases = read("True", written)
    assert (cases.labels.tolist(), cases.findings) == ([1, 0], ())


@pytest.mark.parametrize("written", [c for c in CLASSES if c != "MEL"])
def test_another_diagnosis_is_negative_even_a_malignant_one(written):
    cases = read("True", written, written.lower())
    assert cases.labels.tolist() == [1, 0, 0]
    assert [(f.level, f.code) for f in cases.findings] == [("note", "label-other-class")]


def test_findings_of_labels_are_one_each():
    assert codes(read("True", "mel", "1", "BCC", "NV").findings) == ["label-spelling", "label-other-class"]


@pytest.mark.parametrize(
    "written", ["2", "-1", "0.5", "truee", "yes!", "melanoma in situ", "٣", "=1", *FULL_NAMES[:3]]
)
def test_what_is_neither_is_refused(written):
    refusal = refused(read, "True", written)
    assert places(refusal.problems) == [("bad-label", "t.csv:3")]


@pytest.mark.parametrize("written", ["", " ", "nan", "NA", "null", "None"])
def test_an_empty_label_is_missing(written):
    assert places(refused(read, "True", written).problems) == [("missing-value", "t.csv:3")]


def test_every_bad_label_is_named():
    expected = [("missing-value", "t.csv:4"), ("bad-label", "t.csv:2"), ("bad-label", "t.csv:5")]
    assert places(refused(read, "x", "True", "", "z").problems) == expected


def test_bad_demographics_are_no_matter_here():
    header = ("filename", "label", "age", "gender", "location")
    rows = [[f"c{i}", "True", "forty", "x", "elbow"] for i in range(9)]
    assert CHALLENGE.read_truth(table(header, *rows), name="t.csv").findings == ()


def test_missing_columns_are_all_named():
    refusal = refused(CHALLENGE.read_truth, b"a,b\n1,2\n", "t.csv")
    assert codes(refusal.problems) == ["missing-column", "missing-column"]
