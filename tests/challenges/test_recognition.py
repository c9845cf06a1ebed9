"""Which challenge and input files are taken for: every golden input and sample, and files of nobody."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scoring
from scoring.challenges import challenge_ids, load_challenge, samples
from scoring.challenges.recognition import recognise
from scoring.common.fixes import InputChanges
from scoring.core.challenge import Readers
from scoring.core.file_contents import within
from scoring.inputs.sources import FixedSource
from tests.support.archives import archive_of
from tests.support.golden import FOLDER
from tests.support.platform_folders import jobs, table_answers

ROOT = Path(__file__).parents[2]
INPUTS = {
    "truth": "truth",
    "dataset": "truth",
    "data": "truth",
    "predictions": "submission",
    "model": "submission",
}
INPUTS["submission"] = INPUTS["result"] = "submission"
ASKED = {  # nothing in them says more
    ("puma", "centroids-zip-pooled", "truth.zip"): {("puma", "truth"), ("puma", "submission")},
    ("puma", "edges-description", "truth"): {("puma", "truth"), ("puma", "submission")},
    ("puma", "refused", "truth"): {("puma", "truth"), ("puma", "submission")},
}


def read(path: Path) -> dict[str, bytes]:
    """Return a file, or a folder with its name in front of each path."""
    if path.is_file():
        return {path.name: path.read_bytes()}
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {f"{path.name}/{file.relative_to(path).as_posix()}": file.read_bytes() for file in files}


def best(path: Path) -> set[tuple[str, str]]:
    """Return challenge and input of the likeliest readings."""
    (found,) = recognise(read(path))
    assert found.readings, (path, found.why_not)
    if found.is_plain:
        return {(found.readings[0].challenge, found.readings[0].place)}
    most = found.readings[0].certainty
    return {(r.challenge, r.place) for r in found.readings if r.certainty == most}


GOLDEN = [
    path
    for challenge_id in challenge_ids()
    for path in sorted((FOLDER / challenge_id).glob("*/*"))
    if path.stem in INPUTS and "image" not in path.name
]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_every_golden_input(path):
    challenge_id, case, name = path.relative_to(FOLDER).parts
    expected = ASKED.get((challenge_id, case, name), {(challenge_id, INPUTS[path.stem])})
    assert best(path) == expected


RECOGNISED = [
    name
    for name in challenge_ids()
    if load_challenge(name).readers.recognise is not Readers.__dataclass_fields__["recognise"].default
]
"""Challenges that say which files are for them."""


@pytest.mark.slow
@pytest.mark.parametrize("challenge_id", RECOGNISED)
def test_every_sample_submission_and_its_test_set(challenge_id):
    for key, sample in samples.test_sets(challenge_id).items():
        for submission in sample.submissions.values():
            (found,) = recognise(read(submission.path))
            reading = found.readings[0]
            assert (reading.challenge, reading.place) == (challenge_id, "submission")
            assert found.is_plain
            assert reading.test_set == (None if submission.is_model and challenge_id != "isic" else key)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tricorder3/labels.csv", ("tricorder3", "truth", "sample")),
        ("melanoma/labels.csv", ("melanoma", "truth", "sample")),
        ("isic2018/ISIC_2018_Sample_GroundTruth.csv", ("isic", "truth", "isic2018")),
        ("isic2019/ISIC_2019_Sample_GroundTruth.csv", ("isic", "truth", "isic2019")),
        ("isic2019/metadata.csv", ("isic", "metadata", "isic2019")),
        ("puma/truth", ("puma", "truth", "sample")),
        ("puma/models/dense.onnx", ("puma", "submission", None)),
        ("hecktor2026/clinical.csv", ("hecktor2026", "truth", "sample")),
    ],
)
def test_sample_test_sets(path, expected):
    (found,) = recognise(read(samples.FOLDER / path))
    reading = found.readings[0]
    assert (reading.challenge, reading.place, reading.test_set) == expected
    assert found.is_plain


def test_the_words_say_what_was_seen():
    (found,) = recognise(read(samples.FOLDER / "isic2018" / "teams" / "nova.csv"))
    assert found.readings[0].words == "a prediction file for ISIC 2018: 7 categories, 250 images"


def test_what_could_be_either_is_the_test_set_beside_a_submission_of_its_cases():
    folder = FOLDER / "puma" / "centroids-zip-pooled"
    found = recognise({name: (folder / name).read_bytes() for name in ("truth.zip", "submission.zip")})
    assert [(one.is_plain, one.readings[0].place) for one in found] == [(True, "truth"), (True, "submission")]


def test_a_test_set_and_a_submission_dropped_together_part():
    folder = FOLDER / "tricorder3" / "01-public-a"
    files = {name: (folder / name).read_bytes() for name in ("truth.csv", "predictions.csv")}
    found = recognise(files)
    assert [(one.files, one.readings[0].place) for one in found] == [
        (("truth.csv",), "truth"),
        (("predictions.csv",), "submission"),
    ]


def test_images_go_with_the_table_of_their_labels():
    folder = samples.FOLDER / "melanoma"
    pictures = {f"M000{n}.jpg": (folder / "images" / f"M000{n}.jpg").read_bytes() for n in (1, 2)}
    files = {"iris.csv": (folder / "teams" / "iris.csv").read_bytes(), **pictures}
    found = recognise({"labels.csv": (folder / "labels.csv").read_bytes(), **files})
    assert [(sorted(one.files), one.readings[0].place) for one in found] == [
        (["M0001.jpg", "M0002.jpg", "labels.csv"], "truth"),
        (["iris.csv"], "submission"),
    ]


@pytest.mark.parametrize(
    ("challenge_id", "path"),
    [
        ("tricorder3", "tricorder3/teams/delphi.csv"),
        ("melanoma", "melanoma/teams/iris.csv"),
        ("isic", "isic2019/teams/juno.csv"),
    ],
)
def test_answers_of_job_folders_are_a_submission_with_the_score_of_their_table(challenge_id, path, tmp_path):
    table = samples.FOLDER / path
    folder = jobs(tmp_path / "jobs", table_answers(table))
    (found,) = recognise(read(folder))
    reading = found.readings[0]
    assert (found.is_plain, reading.challenge, reading.place) == (True, challenge_id, "submission")
    challenge = scoring.load_challenge(challenge_id)
    truth = challenge.read_truth(samples.test_sets(challenge_id)[reading.test_set].path)
    scores = {
        challenge.score(truth, challenge.read_predictions(source, truth), resamples=0).score
        for source in (table, folder, FixedSource(folder, InputChanges()))
    }
    assert len(scores) == 1


def test_lists_of_nuclei_are_a_test_set_only_by_name():
    """What QuPath writes can be either."""
    nuclei = next((samples.FOLDER / "puma" / "truth").glob("*.geojson"))
    (found,) = recognise({nuclei.name.replace("_nuclei", ""): nuclei.read_bytes()})
    assert not found.is_plain
    assert {reading.place for reading in found.readings} == {"truth", "submission"}


def test_a_dropped_folder_is_read_as_from_a_disk():
    assert within("a", {"a/b/c": b"1", "a/d": b"2"}) == {"b/c": b"1", "d": b"2"}
    assert set(within("a", {"a/x": b"1", "x": b"2"})) == {"a/x", "x"}


def test_decimal_commas_are_read():
    rows = (
        (samples.FOLDER / "melanoma" / "teams" / "iris.csv").read_text().replace(",", ";").replace(".0", ",0")
    )
    (found,) = recognise({"excel.csv": rows.encode()})
    assert (found.readings[0].challenge, found.readings[0].place) == ("melanoma", "submission")


def test_masks_and_their_table_are_one_submission():
    files = {
        "predictions.csv": b"PatientID,T-stage,N-stage,risk\nA-1,T1,N0,0.3\n",
        "A-1.nii.gz": b"\x1f\x8b00",
    }
    (found,) = recognise(files)
    assert (found.readings[0].challenge, found.readings[0].place) == ("hecktor2026", "submission")
    assert "1 mask, a table of 1 patient" in found.readings[0].words


def test_eleven_classes_of_images_are_two_challenges_unless_their_cases_are_known():
    names = "AKIEC,BCC,BEN_OTH,BKL,DF,INF,MAL_OTH,MEL,NV,SCCKA,VASC"
    row = ",".join(["0.5", "0.5", *["0.0"] * 9])
    (found,) = recognise({"p.csv": f"image,{names}\nx,{row}\n".encode()})
    assert not found.is_plain
    assert {r.challenge for r in found.readings[:2]} == {"isic", "tricorder3"}
    (found,) = recognise({"p.csv": f"image,{names}\nimages/L0001.jpg,{row}\n".encode()})
    assert found.is_plain
    assert (found.readings[0].challenge, found.readings[0].test_set) == ("tricorder3", "sample")


@pytest.mark.parametrize(
    ("challenge_id", "team"),
    [("isic2018", "nova"), ("isic2019", "lyra"), ("tricorder3", "aurora"), ("melanoma", "fornax")],
)
def test_a_foreign_header_of_the_cases_hides_no_submission(challenge_id, team):
    text = (ROOT / "sample_data" / challenge_id / "teams" / f"{team}.csv").read_text()
    (found,) = recognise({"p.csv": f"Bild,{text.split(',', 1)[1]}".encode()})
    assert found.is_plain
    best = found.readings[0]
    assert (best.challenge, best.place) == ("isic" if "isic" in challenge_id else challenge_id, "submission")
    assert best.test_set is not None


def test_numbers_of_classes_are_no_score_of_melanoma():
    rows = "".join(f"images/L{i:04}.jpg,{i % 11}\n" for i in range(1, 221))
    (found,) = recognise({"p.csv": f"filename,prediction\n{rows}".encode()})
    assert found.is_plain
    assert (found.readings[0].challenge, found.readings[0].test_set) == ("tricorder3", "sample")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("paper.pdf", b"%PDF-1.7", "It is a PDF"),
        ("letter.docx", b"PK\x03\x04", "It is a document"),
        ("scores.ods", b"PK\x03\x04", "It is an OpenDocument spreadsheet"),
        ("tile.xml", b"<ASAP_Annotations>", "it is not XML; was the file cut off?"),
        ("model.pt", b"PK\x03\x04", "Export the model as ONNX"),
        ("scores.npz", b"PK\x03\x04", "was the upload cut off"),
        ("predictions.csv.gz", b"\x1f\x8b", "cut off"),
        ("IM0001", b"\0" * 128 + b"DICM", "It is an image"),
        ("scores.xlsx", b"PK\x03\x04", "was the upload cut off"),
        ("me.jpg", b"\xff\xd8\xff", "It is an image"),
        ("nothing.csv", b"", "It is empty"),
        (
            "other.csv",
            b"name,price\nx,1\n",
            "No challenge of Benchside has a table with these columns: name, price",
        ),
        (
            "long.csv",
            f"filename,score\nimages/M0001.jpg,{'1' * 1100}\n".encode(),
            "In row 2 of long.csv, column score, the number of 1,100 characters is too large: the limit is "
            "±1.8e308.",
        ),
        (
            "large.csv",
            b"filename,score\nimages/M0001.jpg,-1e400\n",
            "the number of 6 characters is too large",
        ),
        ("infinite.csv", b"name,price\nx,inf\n", "No challenge of Benchside has a table"),
        ("cut.zip", b"PK\x03\x04 half", "was the upload cut off"),
        ("notes.md", b"# Notes", "No challenge of Benchside uses such files"),
        ("bad.onnx", b"\x80\x04\x95\x17", "pickle"),
        ("up.zip", archive_of({"../x.csv": b"a"}), "unsafe|leaves"),
    ],
)
def test_foreign_files_get_a_sentence(name, content, words):
    (found,) = recognise({name: content})
    assert found.readings == ()
    assert any(word.lower() in found.why_not.lower() for word in words.split("|")), found.why_not


NAMES = st.text(min_size=1, max_size=12).filter(lambda name: name.strip("/"))


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        NAMES | NAMES.map(lambda n: n + ".csv") | NAMES.map(lambda n: n + ".json"),
        st.binary(max_size=200),
        min_size=1,
        max_size=4,
    )
)
def test_every_file_is_in_one_answer_whatever_it_is(files):
    found = recognise(files)
    assert sorted(name for one in found for name in one.files) == sorted(files)
    assert all(one.readings or one.why_not for one in found)


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(8)))
def test_the_order_of_columns_and_rows_changes_nothing(order):
    lines = (FOLDER / "isic" / "constant-scores" / "predictions.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines]
    mixed = "\n".join(",".join([row[0], *(row[1 + i] for i in order)]) for row in [rows[0], *rows[:0:-1]])
    (found,) = recognise({"p.csv": mixed.encode()})
    assert [(r.challenge, r.place) for r in found.readings[:1]] == [("isic", "submission")]


@pytest.mark.parametrize("change", ["prefix", "suffix", "separator"])
def test_a_table_is_what_its_page_can_mend_it_to(change):
    data = (samples.FOLDER / "isic2018" / "teams" / "nova.csv").read_bytes()
    header, _, rows = data.partition(b"\n")
    ids, *names = header.split(b",")
    changed = {
        "prefix": b",".join([ids, *(b"prob_" + name for name in names)]) + b"\n" + rows,
        "suffix": b",".join([ids, *(name + b" (%)" for name in names)]) + b"\n" + rows,
        "separator": data.replace(b",", b"|"),
    }[change]
    (found,) = recognise({"mine.csv": changed})
    best = found.readings[0]
    assert (best.challenge, best.place, best.test_set) == ("isic", "submission", "isic2018")
    assert found.is_plain


def test_a_column_of_classes_with_the_prefix_of_the_scores_hides_no_challenge():
    """As tidymodels writes: .pred_class, .pred_MEL, ...; other categories than those of 2018."""
    data = next(iter(sorted((samples.FOLDER / "isic2019" / "teams").glob("*.csv")))).read_bytes()
    (ids, *names), *rows = (line.split(",") for line in data.decode().splitlines())
    header = [ids, ".pred_class", *(f".pred_{name}" for name in names)]
    likeliest = [names[max(range(len(names)), key=lambda k, row=row: float(row[1 + k]))] for row in rows]
    lines = [header, *([row[0], top, *row[1:]] for row, top in zip(rows, likeliest, strict=True))]
    (found,) = recognise({"mine.csv": "\n".join(map(",".join, lines)).encode()})
    best = found.readings[0]
    assert (best.challenge, best.place, best.test_set) == ("isic", "submission", "isic2019")
