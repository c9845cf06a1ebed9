"""What the official loader would make of headers, encodings and delimiters of a truth, in both challenges."""

import pytest

import scoring
from tests.support import lesion_tables
from tests.support.findings import codes, places

TRUTHS = {
    "tricorder3": lesion_tables.truth(),
    "melanoma": lesion_tables.table(
        ("NewFileName", "Class"), *((f"c{i}.jpg", label) for i, label in enumerate(("True", "False") * 3))
    ),
}
both = pytest.mark.parametrize("challenge_id", TRUTHS)


def read(challenge_id: str, data: bytes):
    """Read a truth with the ids and labels of the usual one."""
    challenge = scoring.load_challenge(challenge_id)
    cases, usual = challenge.read_truth(data, "t.csv"), challenge.read_truth(TRUTHS[challenge_id], "t.csv")
    assert usual.findings == ()
    assert (cases.ids, cases.labels.tolist()) == (usual.ids, usual.labels.tolist())
    return cases


def renamed(challenge_id: str, column: str, header: str) -> bytes:
    return TRUTHS[challenge_id].replace(column.encode(), header.encode(), 1)


@both
@pytest.mark.parametrize("header", ["FilePath", "FileName", "filename", " FILENAME "])
def test_image_headers_of_the_official_loader(challenge_id, header):
    assert codes(read(challenge_id, renamed(challenge_id, "NewFileName", header)).findings) == []


@both
@pytest.mark.parametrize(
    "header",
    [
        "image_path",
        "Image",
        "image name",
        "Image-Name",
        "image_id",
        "file",
        "file_name",
        "path",
        "case",
        "case_id",
        "id",
        "isic_id",
        "lesion_id",
    ],
)
def test_other_image_headers_score_zero_in_the_official_run(challenge_id, header):
    cases = read(challenge_id, renamed(challenge_id, "NewFileName", header))
    assert places(cases.findings) == [("header-alias", "t.csv:1"), ("official-score-zero", "t.csv:1")]


@both
@pytest.mark.parametrize("header", ["label", "LABEL"])
def test_label_headers_of_the_official_loader(challenge_id, header):
    assert codes(read(challenge_id, renamed(challenge_id, "Class", header)).findings) == []


@both
@pytest.mark.parametrize("header", ["diagnosis", "target", "Truth", "ground_truth", "ground-truth"])
def test_other_label_headers_cancel_the_official_run(challenge_id, header):
    cases = read(challenge_id, renamed(challenge_id, "Class", header))
    assert places(cases.findings) == [("header-alias", "t.csv:1"), ("official-run-cancelled", "t.csv:1")]


@both
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_a_byte_order_mark_scores_zero_in_the_official_run(challenge_id, encoding):
    mark = b"\xfe\xff" if encoding == "utf-16-be" else b""
    cases = read(challenge_id, mark + TRUTHS[challenge_id].decode().encode(encoding))
    assert places(cases.findings) == [("bom", "t.csv:1"), ("official-score-zero", "t.csv:1")]


@both
def test_a_tab_cancels_the_official_run_and_a_semicolon_does_not(challenge_id):
    data = TRUTHS[challenge_id]
    assert places(read(challenge_id, data.replace(b",", b"\t")).findings) == [
        ("official-run-cancelled", "t.csv:1")
    ]
    assert read(challenge_id, data.replace(b",", b";")).findings == ()
