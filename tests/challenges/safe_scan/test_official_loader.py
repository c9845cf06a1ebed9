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
@pytest.mark.parametrize("header", ["FilePath", "FileName", "filename", "FILENAME"])
def test_image_headers_of_the_official_loader(challenge_id, header):
    assert codes(read(challenge_id, renamed(challenge_id, "NewFileName", header)).findings) == []


@both
@pytest.mark.parametrize(
    "header",
    [
        *("image_path", "Image", "image name", "Image-Name", "image_id", "file", "file_name", "path", "case"),
        *("case_id", "id", "isic_id", "lesion_id"),
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
@pytest.mark.parametrize(
    ("encoding", "mark", "consequence"),
    [
        ("utf-8-sig", b"", "official-score-zero"),
        ("utf-16", b"", "official-run-cancelled"),
        ("utf-16-be", b"\xfe\xff", "official-run-cancelled"),
    ],
)
def test_a_byte_order_mark_hides_the_images_and_utf_16_is_not_read(challenge_id, encoding, mark, consequence):
    cases = read(challenge_id, mark + TRUTHS[challenge_id].decode().encode(encoding))
    assert places(cases.findings) == [("bom", "t.csv:1"), (consequence, "t.csv:1")]


@both
@pytest.mark.parametrize("blank", [" ", "\t", "\u00a0"])
@pytest.mark.parametrize(
    ("heading", "consequence"),
    [
        ("NewFileName", "official-score-zero"),
        ("Class", "official-run-cancelled"),
        ("Age", "official-run-cancelled"),
        ("Location", "official-run-cancelled"),
        ("Gender", "official-run-cancelled"),
    ],
)
def test_a_blank_beside_a_heading_hides_the_column(challenge_id, heading, consequence, blank):
    if heading.encode() not in TRUTHS[challenge_id]:
        return
    for written in (f"{blank}{heading}", f"{heading}{blank}"):
        cases = read(challenge_id, renamed(challenge_id, heading, written))
        assert codes(cases.findings) == ["header-spelling", consequence]
        assert repr(written) in cases.findings[0].message


def test_ages_under_a_hidden_heading_do_not_count_for_melanoma():
    rows = [[f"c{i}.jpg", label, "42"] for i, label in enumerate(("True", "False") * 3)]
    cases = read("melanoma", lesion_tables.table(("NewFileName", "Class", " Age"), *rows))
    assert codes(cases.findings) == ["header-spelling"]


def test_other_names_of_age_location_and_gender_are_metadata_errors_there():
    for column, header in (("Age", "age_approx"), ("Location", "site"), ("Gender", "sex")):
        cases = read("tricorder3", renamed("tricorder3", column, header))
        assert codes(cases.findings) == ["header-alias", "official-run-cancelled"]


@both
@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\n" + data,
        lambda data: b"sep=,\n" + data,
        lambda data: data.replace(b"\n", b",\n").replace(b",\n", b"\n", 1),
        lambda data: data.replace(b"Class", b"a;b,Class").replace(b".jpg,", b".jpg,x,"),
    ],
    ids=["blank first line", "sep", "longer rows", "semicolon in a heading"],
)
def test_tables_that_the_official_loader_cuts_otherwise(challenge_id, change):
    cases = read(challenge_id, change(TRUTHS[challenge_id]))
    assert codes(cases.findings) == ["official-run-cancelled"]


@both
@pytest.mark.parametrize("write", ["{} ", " {}", "images\\{}", "/{}"])
def test_images_that_are_written_otherwise_than_files_are_called_score_zero(challenge_id, write):
    data = TRUTHS[challenge_id].replace(b"c2.jpg", write.format("c2.jpg").encode())
    cases = scoring.load_challenge(challenge_id).read_truth(data, "t.csv")
    line = next(i for i, row in enumerate(data.splitlines(), 1) if b"c2.jpg" in row)
    assert places(cases.findings) == [("official-score-zero", f"t.csv:{line}")]


@both
def test_a_tab_cancels_the_official_run_and_a_semicolon_does_not(challenge_id):
    data = TRUTHS[challenge_id]
    assert places(read(challenge_id, data.replace(b",", b"\t")).findings) == [
        ("official-run-cancelled", "t.csv:1")
    ]
    assert read(challenge_id, data.replace(b",", b";")).findings == ()
