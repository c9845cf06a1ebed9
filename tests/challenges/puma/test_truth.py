"""The truth: which files are read, in which order, and what is refused."""

import hashlib
import io

import pytest
from PIL import Image

from scoring import load_challenge
from tests.support.archives import archive_of
from tests.support.findings import codes, only, places, refused
from tests.support.nuclei import feature, features, nuclei, nucleus, polygon, polygons, squares

CHALLENGE = load_challenge("puma")
read_truth = CHALLENGE.read_truth


def picture(width: int, height: int, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height)).save(file, kind)
    return file.getvalue()


FILES = {
    "b/roi_2_nuclei.geojson": features(feature("nuclei_stroma")),
    "roi_10.json": polygons(polygon("tumor"), polygon("nuclei_lymphocyte")),
    "a/roi_1.geojson": features(),
    "ROI_3_nuclei.JSON": nuclei(nucleus("lymphocyte")),
}


def test_cases_are_sorted_by_code_points_whatever_the_folder():
    truth = read_truth(FILES, "t")
    assert truth.ids == ("ROI_3", "roi_1", "roi_10", "roi_2")
    assert [len(found) for found in truth.nuclei] == [1, 0, 2, 1]
    assert truth.sizes.tolist() == [[1024, 1024]] * 4
    assert (len(truth), truth.name, truth.images, truth.columns, truth.id_column) == (
        4,
        "t",
        (None,) * 4,
        {},
        "case",
    )
    assert codes(truth.findings) == ["names-mapped"]


def test_a_folder_a_zip_and_what_was_dropped_are_the_same(tmp_path):
    for member, data in FILES.items():
        (tmp_path / member).parent.mkdir(exist_ok=True)
        (tmp_path / member).write_bytes(data)
    dropped, packed = read_truth(dict(reversed(FILES.items())), "t"), read_truth(archive_of(FILES), "t")
    for truth in (read_truth(tmp_path, "t"), packed):
        assert truth.ids == dropped.ids
        assert [found.centroids.tolist() for found in truth.nuclei] == [
            found.centroids.tolist() for found in dropped.nuclei
        ]
        assert truth.findings == dropped.findings
    listing = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {member}\n" for member, data in sorted(FILES.items())
    )
    listed = hashlib.sha256(listing.encode()).hexdigest()
    on_disk = read_truth(tmp_path)
    assert dropped.files.digest(dropped.digest_of) == on_disk.files.digest(on_disk.digest_of) == listed
    assert packed.files.digest(packed.digest_of) == hashlib.sha256(archive_of(FILES)).hexdigest()


@pytest.mark.parametrize("name", ["roi_7_nuclei.geojson", "roi_7.json", "roi_7_nuclei", "roi_7"])
def test_one_file(name):
    truth = read_truth(polygons(polygon()), name)
    assert truth.ids == ("roi_7",)
    assert truth.findings == ()


def test_other_files_are_noted():
    others = {
        "roi_1_tissue.geojson": features(),
        "notes.txt": b"",
        "roi_9.png": picture(4, 4),
        "submission.csv": b"",
    }
    litter = {"__MACOSX/roi_8.json": b"x", ".roi_7.json": b"x"}
    truth = read_truth({**FILES, **others, **litter}, "t")
    assert truth.ids == ("ROI_3", "roi_1", "roi_10", "roi_2")
    message = only(truth.findings, "ignored-files").message
    assert message == "4 other files not read: notes.txt, roi_1_tissue.geojson, roi_9.png, submission.csv."


def test_confidences_of_a_truth_do_not_matter():
    truth = read_truth(polygons(polygon(probability=None, score="high")), "a.json")
    assert truth.nuclei[0].confidences.tolist() == [1]
    assert truth.findings == ()


@pytest.mark.parametrize(
    ("ending", "kind"),
    [(".tif", "TIFF"), (".tiff", "TIFF"), (".png", "PNG"), (".jpg", "JPEG"), (".JPEG", "JPEG")],
)
def test_sizes_are_those_of_the_images(ending, kind):
    image = picture(30, 20, kind)
    for source in (
        {**FILES, f"images/roi_2{ending}": image},
        archive_of({**FILES, f"images/roi_2{ending}": image}),
    ):
        truth = read_truth(source, "t")
        assert truth.sizes.tolist() == [[1024, 1024]] * 3 + [[30, 20]]
        assert truth.images == (None, None, None, f"images/roi_2{ending}")
        assert truth.picture(3) == image
        assert truth.picture(0) is None
        assert codes(truth.findings) == ["names-mapped", "image-missing"]


def test_images_elsewhere():
    truth = read_truth(
        FILES, "t", images={f"{case}.png": picture(9, 8) for case in ("ROI_3", "roi_1", "roi_10", "roi_2")}
    )
    assert truth.sizes.tolist() == [[9, 8]] * 4
    assert truth.picture(0) == picture(9, 8)
    assert codes(truth.findings) == ["out-of-image", "out-of-image", "out-of-image", "names-mapped"]


def bomb() -> bytes:
    """A PNG whose header speaks of 20,000 x 20,000 pixels."""
    data = bytearray(picture(2, 2))
    data[16:24] = (20_000).to_bytes(4, "big") * 2
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"\x89PNG", picture(40, 40)[:20], b"II*\x00\xff\xff\xff\xff", b"GIF89a\x01\x00\x01\x00", bomb()],
    ids=range(6),
)
def test_an_image_that_cannot_be_read_changes_no_score(data):
    truth = read_truth({"roi_1.json": squares([(5, 5)]), "roi_1.png": data}, "t")
    found = only(truth.findings, "image-unreadable")
    assert (found.level, found.where) == ("warning", "roi_1.png")
    assert truth.images == (None,)
    assert truth.sizes.tolist() == [[1024, 1024]]


def test_the_right_and_lower_edge_belong_to_the_image():
    inside, outside = [(0, 0), (1024, 1024), (1024, 0)], [(-0.5, 5), (5, 1024.5), (2000, 2000)]
    truth = read_truth({"a.json": squares(inside), "b.json": squares([*inside, *outside])}, "t")
    found = only(truth.findings, "out-of-image")
    assert (found.level, found.where) == ("warning", "b.json")
    assert found.message.startswith("3 nuclei of 6 lie outside")
    assert "polygons[3], polygons[4], polygons[5]" in found.message
    assert len(truth.nuclei[1]) == 6


@pytest.mark.parametrize(
    "source",
    [{}, {"a.json": polygons(), "b.geojson": features()}, {"notes.txt": b"", "a_tissue.json": polygons()}],
)
def test_a_truth_without_nuclei(source):
    assert places(refused(read_truth, source, "t").problems) == [("empty-truth", "t")]


def test_two_files_of_one_case():
    files = {
        "a.json": squares([(5, 5)]),
        "sub/a_nuclei.geojson": features(feature()),
        "b.json": squares([(5, 5)]),
    }
    problem = only(refused(read_truth, files, "t").problems, "duplicate-case")
    assert "a.json, sub/a_nuclei.geojson" in problem.message


def test_every_problem_of_every_file():
    files = {"a.json": b"{", "b.json": polygons(polygon("blood"), polygon(None)), "c.json": squares([(5, 5)])}
    refusal = refused(read_truth, files, "t")
    assert places(refusal.problems) == [
        ("bad-json", "a.json"),
        ("missing-class", "b.json"),
        ("unknown-class", "b.json"),
    ]
    assert refusal.salvaged.ids == ("a", "b", "c")


def test_unknown_classes_are_one_entry_per_name():
    files = {
        "a.json": polygons(*[polygon("tumors")] * 7, polygon("mast cell"), polygon()),
        "b.json": polygons(polygon("tumors")),
    }
    problems = refused(read_truth, files, "t").problems
    assert places(problems) == [("unknown-class", "a.json")] * 2 + [("unknown-class", "b.json")]
    assert (
        "7 nuclei of class 'tumors' (polygons[0], polygons[1], polygons[2], polygons[3], polygons[4], ...)"
        in problems[0].message
    )
    assert "Did you mean 'tumor'?" in problems[0].message


def test_unknown_classes_can_be_left_out():
    truth = read_truth({"a.json": polygons(polygon("tumors"), polygon())}, "t", unknown_classes="ignore")
    found = only(truth.findings, "unknown-class")
    assert found.level == "warning"
    assert "1 nucleus" in found.message
    assert truth.nuclei[0].numbers.tolist() == [1]


@pytest.mark.slow
def test_thousands_of_unknown_names_are_cut_short():
    items = [polygon(f"class {number}") for number in range(3000)]
    problems = refused(read_truth, polygons(*items, polygon()), "a.json").problems
    assert len(problems) == 21
    assert "2,980 nuclei of 2,980 other classes" in problems[-1].message


def test_a_damaged_member_of_a_zip():
    packed = bytearray(
        archive_of({"a.json": squares([(i, i) for i in range(40)]), "b.json": squares([(5, 5)])})
    )
    packed[60:80] = b"\0" * 20
    assert codes(refused(read_truth, bytes(packed), "t.zip").problems) == ["bad-zip"]
