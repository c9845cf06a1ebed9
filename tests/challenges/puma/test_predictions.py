"""Submissions: by table, by file name or as one file, aligned with the truth; and every way in which they go
wrong."""

import codecs
import hashlib

import numpy as np
import pytest

from scoring import InputRefused, load_challenge
from scoring.inputs.sources import FixedSource
from tests.support.archives import LINK, Member, archive, archive_of
from tests.support.findings import codes, only, places, refused
from tests.support.nuclei import nuclei, nucleus, polygon, polygons, squares

CHALLENGE = load_challenge("puma")
read_truth, read_predictions = CHALLENGE.read_truth, CHALLENGE.read_predictions

POINTS = {"a": [(100, 200), (300, 500)], "b": [(700, 90)], "c": [(40, 50), (60, 900), (500, 20)]}
TRUTH = read_truth({f"{case}_nuclei.json": squares(points) for case, points in POINTS.items()}, "truth")
TABLE = (
    "case_id,predicted_nuclei_path\nc,predictions/c.json\na,predictions/first.json\nb,predictions/b.json\n"
)
PLATFORM_NAMES = {case: squares(points, "nuclei_tumor") for case, points in POINTS.items()}
TABLED = {
    "submission.csv": TABLE.encode(),
    "predictions/first.json": PLATFORM_NAMES["a"],
    "predictions/b.json": PLATFORM_NAMES["b"],
    "predictions/c.json": PLATFORM_NAMES["c"],
}
NAMED = {
    "c.json": PLATFORM_NAMES["c"],
    "x/a_nuclei.geojson": PLATFORM_NAMES["a"],
    "x/b.geojson": PLATFORM_NAMES["b"],
}
USUAL = ["constant-confidence", "names-mapped"]


def read(files: dict[str, bytes], **options):
    return read_predictions(files, TRUTH, "sub", **options)


def centroids(found) -> list:
    return [[tuple(point) for point in nuclei.centroids.tolist()] for nuclei in found.nuclei]


def without(files: dict[str, bytes], *members: str) -> dict[str, bytes]:
    return {member: data for member, data in files.items() if member not in members}


@pytest.mark.parametrize("files", [TABLED, NAMED])
def test_cases_are_aligned_with_the_truth(files, tmp_path):
    for member, data in files.items():
        (tmp_path / member).parent.mkdir(exist_ok=True)
        (tmp_path / member).write_bytes(data)
    inside = {f"team/{member}": data for member, data in files.items()}
    for source in (
        files,
        dict(reversed(files.items())),
        archive_of(files),
        tmp_path,
        inside,
        archive_of(inside),
    ):
        found = read_predictions(source, TRUTH, "sub")
        assert found.ids == ("a", "b", "c")
        assert centroids(found) == list(POINTS.values())
        assert not found.missing.any()
        assert codes(found.findings) == USUAL
        assert found.model is None
    listing = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {member}\n" for member, data in sorted(files.items())
    )
    assert read_predictions(tmp_path, TRUTH).digest == hashlib.sha256(listing.encode()).hexdigest()
    assert read_predictions(archive_of(files), TRUTH).digest == hashlib.sha256(archive_of(files)).hexdigest()


@pytest.mark.parametrize("files", [TABLED, NAMED])
def test_without_a_truth_cases_are_sorted(files):
    found = read_predictions(files)
    assert found.ids == ("a", "b", "c")
    assert centroids(found) == list(POINTS.values())
    assert len(found) == 3


def test_one_file_against_one_case():
    truth = read_truth(squares(POINTS["a"]), "roi_1_nuclei.geojson")
    same = read_predictions(PLATFORM_NAMES["a"], truth, "roi_1.json")
    assert codes(same.findings) == USUAL
    other = read_predictions(PLATFORM_NAMES["a"], truth, "result.json")
    assert only(other.findings, "case-by-position").level == "note"
    assert other.ids == ("roi_1",)
    assert centroids(other) == [POINTS["a"]]


def test_one_file_against_many_cases():
    found = read_predictions(PLATFORM_NAMES["b"], TRUTH, "b.json")
    assert found.missing.tolist() == [True, False, True]
    assert places(refused(read_predictions, PLATFORM_NAMES["b"], TRUTH, "result.json").problems) == [
        ("no-common-case", "result.json")
    ]


def test_missing_cases_are_listed_and_empty():
    found = read(without(NAMED, "x/a_nuclei.geojson", "c.json"))
    assert found.missing.tolist() == [True, False, True]
    assert [len(nuclei) for nuclei in found.nuclei] == [0, 1, 0]
    missing = [entry for entry in found.findings if entry.code == "missing-case"]
    assert [(entry.level, entry.where) for entry in missing] == [("warning", "a"), ("warning", "c")]


def test_cases_that_the_truth_does_not_have_are_not_read():
    found = read({**NAMED, "extra.json": b"{", "more.json": b"{"})
    assert centroids(found) == list(POINTS.values())
    entry = only(found.findings, "extra-case")
    assert entry.level == "warning"
    assert "2 predictions" in entry.message
    assert "extra, more" in entry.message


def test_no_common_case():
    found = refused(read, {"x.json": squares([(1, 1)]), "y.json": squares([(1, 1)])})
    assert places(found.problems) == [("no-common-case", "sub")]
    assert "Names found: x, y. Names in the truth: a, b, c." in found.problems[0].message


def test_an_empty_list_is_noted():
    found = read({**NAMED, "c.json": polygons()})
    assert places(found.findings)[0] == ("empty-case", "c.json")
    assert not found.missing.any()


def test_other_files_are_noted():
    found = read({**TABLED, "c.json": b"{", "log.txt": b""})
    assert only(found.findings, "ignored-files").message == "2 other files not read: c.json, log.txt."
    found = read({**NAMED, "log.txt": b"", "a_tissue.json": b"{"})
    assert only(found.findings, "ignored-files").message == "2 other files not read: a_tissue.json, log.txt."


def test_a_table_deeper_down_is_none():
    found = read({**NAMED, "deep/er/submission.csv": b"case_id\n"})
    assert only(found.findings, "ignored-files").message == "1 other file not read: deep/er/submission.csv."


@pytest.mark.parametrize(
    "table",
    [
        TABLE.replace("\n", "\r\n"),
        TABLE.replace(",", ";"),
        TABLE.replace("predictions/c", "./predictions//c"),
        (
            "Note,Case ID,Predicted-nuclei-path\n,c_nuclei.json,predictions/c.json\n1, a "
            ",predictions/first.json\n,b.geojson,predictions/b.json\n"
        ),
        "\n" + TABLE + "\n\n",
    ],
)
def test_tables_as_programs_write_them(table):
    found = read({**TABLED, "submission.csv": table.encode()})
    assert centroids(found) == list(POINTS.values())
    assert codes(found.findings) == USUAL


def test_a_byte_order_mark_before_the_table():
    found = read({**TABLED, "submission.csv": codecs.BOM_UTF8 + TABLE.encode()})
    assert places(found.findings)[0] == ("bom", "submission.csv")


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("case_id,path\na,x\n", [("bad-submission", "submission.csv:1")]),
        ("id,file\na,x\n", [("bad-submission", "submission.csv:1")] * 2),
        (TABLE + "a,predictions/first.json\n", [("duplicate-case", "submission.csv:5")]),
        (TABLE + "a.json,predictions/first.json\n", [("duplicate-case", "submission.csv:5")]),
        (
            TABLE + ",predictions/d.json\nd,\n",
            [("bad-submission", "submission.csv:5"), ("bad-submission", "submission.csv:6")],
        ),
        (TABLE + "d,predictions/d.json\n", [("bad-submission", "submission.csv:5")]),
        (TABLE + "d,predictions\n", [("bad-submission", "submission.csv:5")]),
        (TABLE + "d,.\n", [("bad-submission", "submission.csv:5")]),
        (TABLE + "d\n", [("row-length", "submission.csv:5")]),
        ("case_id,predicted_nuclei_path\n", [("unreadable-file", "submission.csv")]),
        ("", [("unreadable-file", "submission.csv")]),
        *(
            (f"{TABLE}d,{path}\n", [("unsafe-path", "submission.csv:5")])
            for path in (
                *("/etc/passwd", "../b.json", "x/../../b.json", "C:b.json", "C:\\b.json"),
                *("predictions\\b.json", "..", "//b.json"),
            )
        ),
    ],
)
def test_a_table_at_fault(table, expected):
    assert places(refused(read, {**TABLED, "submission.csv": table.encode()}).problems) == expected


def test_a_table_alone():
    problems = refused(read_predictions, TABLE.encode(), TRUTH, "submission.csv").problems
    assert codes(problems) == ["bad-submission"] * 3


def test_nothing_that_could_be_a_prediction():
    for files in ({}, {"notes.txt": b""}, {"a_tissue.json": b"{}"}):
        assert places(refused(read, files).problems) == [("bad-submission", "sub")]


def test_members_without_a_name_are_no_predictions():
    assert centroids(read({**NAMED, "/": b"", "//": b""})) == list(POINTS.values())


def test_a_refused_truth_without_cases_is_none():
    truth = refused(read_truth, {"notes.txt": b""}).salvaged
    assert read_predictions(NAMED, truth).ids == ("a", "b", "c")


def test_two_files_of_one_case():
    assert codes(refused(read, {**NAMED, "a.json": PLATFORM_NAMES["a"]}).problems) == ["duplicate-case"]


def test_problems_of_table_and_files_at_once():
    files = {
        **TABLED,
        "submission.csv": (TABLE + "d,../d.json\n").encode(),
        "predictions/b.json": b"{",
        "predictions/c.json": polygons(polygon("blood")),
    }
    assert places(refused(read, files).problems) == [
        ("unsafe-path", "submission.csv:5"),
        ("bad-json", "predictions/b.json"),
        ("unknown-class", "predictions/c.json"),
    ]


def test_other_names_count_as_chosen():
    files = {"c.json": polygons(polygon("Immune cells"), polygon("Vessel"), polygon("vessel"), polygon())}
    (problem, *_) = refused(read, files).problems
    assert "'Immune cells'" in problem.message
    assert "Did you mean" not in problem.message
    found = read(files, class_map="Immune cells=lymphocytes,Vessel=ignore")
    assert np.concatenate([nuclei.classes for nuclei in found.nuclei]).tolist() == [1, 0]
    assert "'Immune cells' (1) as lymphocytes" in only(found.findings, "names-mapped").message
    left_out = [f for f in found.findings if f.code == "unknown-class"]
    assert [f.level for f in left_out] == ["warning", "warning"]
    assert codes(refused(read, files, class_map="Immune cells=lymphocytes").problems) == ["unknown-class"] * 2


def test_unknown_classes_can_be_left_out():
    files = {**without(NAMED, "x/b.geojson"), "b.json": polygons(polygon("blood"), polygon())}
    assert codes(refused(read, files).problems) == ["unknown-class"]
    found = read(files, unknown_classes="ignore")
    assert found.nuclei[1].numbers.tolist() == [1]
    assert only(found.findings, "unknown-class").level == "warning"


@pytest.mark.parametrize("member", ["c.json", "submission.csv"])
def test_links_to_the_outside_are_never_opened(member, tmp_path):
    outside = tmp_path / "secret.json"
    outside.write_text("secret")
    folder = tmp_path / "sub"
    folder.mkdir()
    for name, data in {**without(NAMED, "c.json"), "link-inside.json": b"{}"}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / member).symlink_to(outside)
    refusal = refused(read_predictions, folder, TRUTH)
    assert ("unsafe-path", member) in places(refusal.problems)
    assert "secret" not in str(refusal).replace("secret.json", "")


def test_links_inside_the_folder_are_read(tmp_path):
    for case, data in PLATFORM_NAMES.items():
        (tmp_path / f"file-{case}").write_bytes(data)
        (tmp_path / f"{case}.json").symlink_to(tmp_path / f"file-{case}")
    assert centroids(read_predictions(tmp_path, TRUTH)) == list(POINTS.values())


def test_unsafe_zips():
    link = archive([Member("a.json", b"/etc/passwd", attributes=LINK)])
    above = archive([Member("../a.json", PLATFORM_NAMES["a"])])
    for data in (link, above):
        assert codes(refused(read_predictions, data, TRUTH, "s.zip").problems) == ["unsafe-path"]
    assert codes(refused(read_predictions, archive_of(NAMED)[:-30], TRUTH, "s.zip").problems) == ["bad-zip"]


def test_the_key_of_the_confidence_is_named():
    files = {
        **NAMED,
        "c.json": nuclei(
            nucleus(score=0.5), nucleus(centroid=[1, 1], probability=0.2), nucleus(centroid=[2, 2])
        ),
    }
    found = read(files)
    message = only(found.findings, "confidence-key").message
    assert "'probability' (1 of 6 nuclei), 'score' (1 of 6 nuclei)" in message
    assert "constant-confidence" not in codes(found.findings)


def test_equal_confidences_rank_nothing():
    for score, said in ((0.75, "every confidence is 0.75"), (None, "there are no confidences")):
        item = {} if score is None else {"score": score}
        files = {
            case: nuclei(nucleus(**item), nucleus(centroid=[1, 1], **item)) for case in ("a.json", "b.json")
        }
        assert said in only(read(files).findings, "constant-confidence").message


def test_names_are_judged_over_the_whole_submission():
    files = {**NAMED, "c.json": squares(POINTS["c"], "lymphocytes")}
    found = [entry for entry in read(files).findings if "name" in entry.code]
    assert places(found) == [
        ("names-mapped", "sub"),
        ("mixed-names", "sub"),
        ("names-not-grand-challenge", "sub"),
    ]


def test_centroids_outside_the_image():
    files = {**NAMED, "c.json": squares([*POINTS["c"], (1500, 10)], "nuclei_tumor")}
    found = read(files)
    entry = only(found.findings, "out-of-image")
    assert (entry.level, entry.where) == ("warning", "c.json")
    assert "polygons[3]; the first at 1500, 10" in entry.message
    assert len(found.nuclei[2]) == 4


RANDOM = np.random.default_rng(5)
CROWD = {f"roi_{case}": RANDOM.uniform(10, 1014, (60, 2)) for case in range(3)}
CROWDED = read_truth({f"{case}.json": squares(points.tolist()) for case, points in CROWD.items()}, "truth")


def judged(change) -> list[str]:
    """What is said of a submission whose centroids are those of the truth, a little off, after `change`."""
    files = {
        f"{case}.json": squares(change(points + RANDOM.normal(0, 1, points.shape)).tolist())
        for case, points in CROWD.items()
    }
    return [
        entry
        for entry in read_predictions(files, CROWDED).findings
        if entry.code in ("swapped-axes", "scale")
    ]


def test_x_and_y_exchanged():
    (found,) = judged(lambda points: points[:, ::-1])
    assert (found.level, found.code) == ("warning", "swapped-axes")


@pytest.mark.parametrize(
    ("factor", "said"),
    [(0.23, "µm"), (0.00023, "mm"), (0.5, "half"), (2, "twice"), (1 / 1024, "fractions"), (9, "outside")],
)
def test_another_scale(factor, said):
    (found,) = judged(lambda points: points * factor)
    assert (found.level, found.code) == ("warning", "scale")
    assert said in found.message


def test_coordinates_of_the_slide_are_refused_until_they_are_wanted():
    files = {f"{case}.json": squares((points + 20_000).tolist()) for case, points in CROWD.items()}
    with pytest.raises(InputRefused, match="180 of 180 centroids are outside their image") as caught:
        read_predictions(files, CROWDED)
    (problem,) = caught.value.problems
    (fix,) = problem.fixes
    assert fix.label.startswith("Score the coordinates as they are")
    found = read_predictions(FixedSource(files, fix.changes), CROWDED)
    card = CHALLENGE.score(CROWDED, found, resamples=0)
    assert (card.score, card.official.same) == (0, False)


@pytest.mark.parametrize("change", [lambda points: points[:, ::-1], lambda points: points * 0.5])
def test_another_reading_of_coordinates_is_offered_with_its_score(change):
    moved = {case: points + RANDOM.normal(0, 1, points.shape) for case, points in CROWD.items()}
    plain, other = (
        {f"{case}.json": squares(how(points).tolist()) for case, points in moved.items()}
        for how in (np.array, change)
    )
    (fix,) = [
        fix
        for finding in read_predictions(other, CROWDED).findings
        if finding.code in ("swapped-axes", "scale")
        for fix in finding.fixes
    ]
    expected = CHALLENGE.score(CROWDED, read_predictions(plain, CROWDED), resamples=0).score
    assert fix.label.endswith(f"score {expected:.4f}")
    found = read_predictions(FixedSource(other, fix.changes), CROWDED)
    card = CHALLENGE.score(CROWDED, found, resamples=0)
    assert card.score == pytest.approx(expected, abs=1e-3)  # the side of the drawn squares changes too
    assert (card.official.same, "mended" in card.provenance) == (False, True)
    assert card.official.score is None  # the official program reads the file as it is
    name, changed = CHALLENGE.changed_file(CROWDED, found, FixedSource(other, fix.changes), "sent.zip")
    again = CHALLENGE.score(CROWDED, CHALLENGE.read_predictions(changed, CROWDED, name), resamples=0)
    assert again.score == card.score
    assert again.official.score is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda points: points,
        lambda points: points[:5],
        lambda points: RANDOM.uniform(0, 1024, points.shape),
        lambda points: points[:0],
    ],
)
def test_good_sparse_random_and_empty_predictions_are_in_place(change):
    assert judged(change) == []
