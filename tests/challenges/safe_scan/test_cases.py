"""Where the table and the images of a test set are found, in a folder as in a zip."""

import pytest

import scoring
from scoring.challenges.safe_scan.cases import find_images
from scoring.inputs.sources import open_source
from tests.support.archives import Member, archive, archive_of
from tests.support.findings import codes, only, places, refused
from tests.support.lesion_tables import IDS, table, truth

CHALLENGE = scoring.load_challenge("tricorder3")
PICTURES = {name: b"\xff\xd8\xff\xda" + name.encode() + b"\xff\xd9" for name in IDS}
NAMES = ("labels.csv", "label.csv", "test.csv", "data.csv", "metadata.csv", "dataset.csv")
NOTHING = b"neither,nor\n1,2\n"


def as_folder(files):
    return files


SOURCES = pytest.mark.parametrize("source", [as_folder, archive_of], ids=["folder", "zip"])


@SOURCES
@pytest.mark.parametrize(
    "name", [*NAMES, "Labels.CSV", "anything.csv", "deep/down/below/anything.csv", "set/labels.csv"]
)
def test_the_table_is_found(source, name):
    assert (
        CHALLENGE.read_truth(source({name: truth(), "notes.txt": b"x", "__MACOSX/labels.csv": NOTHING})).ids
        == IDS
    )


@SOURCES
@pytest.mark.parametrize("order", range(len(NAMES) - 1))
def test_the_first_of_the_usual_names_at_the_top_is_the_table(source, order):
    files = {
        NAMES[order]: truth(),
        **dict.fromkeys(NAMES[order + 1 :], NOTHING),
        "a/labels.csv": NOTHING,
        "other.csv": NOTHING,
    }
    assert CHALLENGE.read_truth(source(files)).ids == IDS


@SOURCES
def test_a_usual_name_one_folder_down_comes_before_other_tables_at_the_top(source):
    assert (
        CHALLENGE.read_truth(
            source({"set/test.csv": truth(), "other.csv": NOTHING, "set/sub/labels.csv": NOTHING})
        ).ids
        == IDS
    )


@pytest.mark.parametrize(
    ("names", "consequence"),
    [
        (("labels.csv", "data.csv", "x.csv"), []),
        (("label.csv",), []),
        (("anything.csv",), []),
        (("set/labels.csv", "x.csv"), []),
        (("label.csv", "test.csv"), ["official-other-table"]),
        (("Labels.csv", "data.csv"), ["official-other-table"]),
        (("Labels.CSV",), ["official-run-cancelled"]),
        (("deep/down/labels.csv",), ["official-run-cancelled"]),
    ],
)
def test_where_the_official_loader_looks_for_the_table(names, consequence):
    cases = CHALLENGE.read_truth(archive_of(dict.fromkeys(names, truth())), "t.zip")
    assert codes(cases.findings) == consequence


@SOURCES
def test_no_table_says_what_is_there(source):
    problem = only(
        refused(CHALLENGE.read_truth, source({"a.jpg": b"1", "inner.zip": b"2"}), "t").problems, "no-table"
    )
    assert problem.where == "t"
    assert "2 files" in problem.message


@pytest.mark.parametrize(
    "files", [("a.csv", "b.csv"), ("x/labels.csv", "y/labels.csv"), ("x/a.csv", "x/y/b.csv")]
)
@SOURCES
def test_several_tables_are_named(source, files):
    problem = only(
        refused(CHALLENGE.read_truth, source(dict.fromkeys(files, truth()))).problems, "ambiguous-table"
    )
    assert all(name in problem.message for name in files)


def test_a_member_of_a_zip_is_named_with_its_zip():
    problems = refused(
        CHALLENGE.read_truth, archive_of({"set/labels.csv": b"image,label\na,what\n"}), "t.zip"
    ).problems
    assert places(problems) == [("bad-label", "t.zip \u203a set/labels.csv:2")]


def test_a_damaged_table_in_a_zip():
    packed = archive([Member("labels.csv", truth(), checksum=1)])
    assert places(refused(CHALLENGE.read_truth, packed, "t.zip").problems) == [
        ("bad-zip", "t.zip \u203a labels.csv")
    ]


@SOURCES
@pytest.mark.parametrize("folder", ["", "set/"])
def test_images_beside_the_table(source, folder):
    cases = CHALLENGE.read_truth(
        source({f"{folder}labels.csv": truth(), **{folder + name: data for name, data in PICTURES.items()}})
    )
    assert cases.findings == ()
    assert [cases.picture(i) for i in range(6)] == list(PICTURES.values())


@SOURCES
def test_images_in_another_folder(source):
    cases = CHALLENGE.read_truth(
        source({"labels.csv": truth(), **{f"images/{name}": data for name, data in PICTURES.items()}})
    )
    assert [cases.picture(i) for i in range(6)] == list(PICTURES.values())
    assert codes(cases.findings) == ["image-elsewhere"]
    assert "6 rows" in cases.findings[0].message


def test_an_image_whose_name_occurs_twice_elsewhere_is_not_found():
    files = {"labels.csv": truth(), **PICTURES, "x/c1.jpg": b"1", "y/c1.jpg": b"2"}
    del files["c1.jpg"]
    cases = CHALLENGE.read_truth(files)
    assert cases.images == (None, *IDS[1:])
    assert places(cases.findings) == [("official-score-zero", "labels.csv:2")]
    assert "c1.jpg" in cases.findings[0].message


@pytest.mark.parametrize(("ends", "same"), [(None, True), (-3, False), (3, False)])
def test_images_that_the_validator_may_not_open(ends, same):
    cases = CHALLENGE.read_truth({"labels.csv": truth(), **PICTURES, "c2.jpg": PICTURES["c2.jpg"][:ends]})
    assert places(cases.findings) == ([] if same else [("images-not-opened", "labels.csv:3")])
    predictions = CHALLENGE.read_predictions(
        table(("filename", "pred"), *([name, "MEL"] for name in IDS)), cases
    )
    assert CHALLENGE.score(cases, predictions, resamples=0, model_size_mib=9).official.same is same


def test_images_are_never_looked_for_outside():
    ids = ["../secret.jpg", "/etc/passwd", "..\\..\\a.jpg", "c4.jpg", "c5.jpg", "c6.jpg"]
    cases = CHALLENGE.read_truth({"labels.csv": truth(ids), "c4.jpg": b"1", "c5.jpg": b"2", "c6.jpg": b"3"})
    assert cases.images == (None, None, None, "c4.jpg", "c5.jpg", "c6.jpg")


def test_a_table_without_any_image_is_no_matter():
    assert CHALLENGE.read_truth({"labels.csv": truth()}).findings == ()
    assert CHALLENGE.read_truth({"labels.csv": truth()}).images == (None,) * 6


def test_images_from_another_place():
    cases = CHALLENGE.read_truth(truth(), images=archive_of(PICTURES))
    assert [cases.picture(i) for i in range(6)] == list(PICTURES.values())


def test_images_without_a_table():
    cases = CHALLENGE.read_images({"x/b.PNG": b"1", "a.jpg": b"2", "notes.txt": b"3", "c.tiff": b"4"}, "i")
    assert cases.ids == ("a.jpg", "c.tiff", "x/b.PNG")
    assert cases.labels is None
    assert cases.demographics.encoded.tolist() == [[0, -1, -1]] * 3
    assert places(cases.findings) == [("missing-demographics", "i")]


def test_images_with_a_table_without_labels():
    cases = CHALLENGE.read_images(
        {
            "labels.csv": table(
                ("FileName", "Age", "Gender", "Location"),
                ["b.jpg", "7", "f", "Leg"],
                ["a.jpg", "8", "m", "Arm"],
            ),
            "a.jpg": b"1",
            "b.jpg": b"2",
            "c.jpg": b"3",
        }
    )
    assert cases.ids == ("b.jpg", "a.jpg")
    assert cases.demographics.encoded.tolist() == [[7, 0, 6], [8, 1, 1]]
    assert cases.findings == ()


def test_no_images_at_all():
    assert codes(refused(CHALLENGE.read_images, {"notes.txt": b"1"}).problems) == ["image-missing"]


def test_find_images_prefers_the_table_s_folder():
    files = open_source({"set/a.jpg": b"1", "a.jpg": b"2"})
    assert find_images(files, "set", ["a.jpg", "./a.jpg", "../a.jpg"])[0] == (
        "set/a.jpg",
        "set/a.jpg",
        None,
    )
