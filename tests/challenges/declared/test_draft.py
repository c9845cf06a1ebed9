"""A draft from a truth: its columns, task and metric are suggested, and the file that it makes scores."""

import csv
import gzip
import io
import json
import random
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.declared import baseline, draft, library
from scoring.inputs.truth_contents import read_truth
from scoring.metrics import registry
from tests.support.findings import outcome, refused
from tests.support.volumes import nifti

RANDOM = random.Random(5)
N = 60
SPACED = np.diag([0.5, 0.8, 3.0, 1.0])
CORNERS = [lambda i: 5 * i, lambda i: 3 * i, lambda i: 5 * i + 9 + i % 3, lambda i: 3 * i + 8]


def table(header: list[str], rows: list[list]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def drawn(header: list[str], *columns) -> bytes:
    return table(header, [[f"c{i}", *(column(i) for column in columns)] for i in range(N)])


def choice(*values):
    return lambda _i: RANDOM.choice(values)


def flat(made) -> dict:
    """Every key of a draft, whichever table it is in; label and positive are of the truth."""
    keys = {"boxes": "", **made, **made["predictions"], **made["score"]}
    return {**keys, "label": "", **made.get("truth", {})}


TRUTHS = {
    "two classes beside a patient": (
        drawn(["image_name", "patient_id", "target"], lambda i: f"p{i // 3}", lambda i: int(i % 4 == 0)),
        {"task": "classification", "case": "image_name", "label": "target", "positive": "1"},
        0.5,
    ),
    "names of classes beside metadata": (
        drawn(["lesion", "sex", "age", "dx"], choice("m", "f"), lambda i: 20 + i, choice("MEL", "NV", "BCC")),
        {"task": "classification", "label": "dx", "classes": ["BCC", "MEL", "NV"], "positive": ""},
        1 / 3,
    ),
    "a column per class": (
        drawn(["image", "MEL", "NV", "BCC"], *(lambda i, k=k: int(i % 3 == k) for k in range(3))),
        {"task": "classification", "label": "", "classes": ["MEL", "NV", "BCC"], "scores": "classes"},
        1 / 3,
    ),
    "several findings": (
        drawn(["Study", "Edema", "Fracture"], choice(0, 1), choice(0, 1)),
        {"task": "multilabel", "classes": ["Edema", "Fracture"], "metric": "auc"},
        0.5,
    ),
    "grades": (
        drawn(["id_code", "isup_grade"], lambda i: i % 6),
        {"task": "ordinal", "classes": ["0", "1", "2", "3", "4", "5"], "metric": "quadratic_kappa"},
        0.0,
    ),
    "a number": (
        drawn(["case", "boneage"], lambda i: i),
        {"task": "regression", "value": "boneage", "metric": "mae", "classes": []},
        N / 4,
    ),
    "numbers with a decimal comma beside metadata": (
        drawn(["Fall-Nr.", "Standort", "Volumen"], choice("A", "B"), lambda i: f"{i}_5")
        .replace(b",", b";")
        .replace(b"_", b","),
        {"task": "regression", "value": "Volumen", "metric": "mae", "classes": []},
        N / 4,
    ),
    "a number behind the size of a pixel": (
        drawn(["filename", "pixel size(mm)", "HC (mm)"], lambda i: 0.1 + i % 7 / 90, lambda i: i + 0.5),
        {"task": "regression", "case": "filename", "value": "HC (mm)"},
        N / 4,
    ),
    "relapses": (
        drawn(["PatientID", "RFS", "Relapse", "Age"], lambda i: i + 0.5, choice(0, 1), lambda i: 40 + i % 30),
        {"task": "survival", "time": "RFS", "event": "Relapse", "metric": "c_index"},
        0.5,
    ),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_columns_and_task_are_suggested_and_a_constant_scores_as_chance_does(name):
    data, expected, chance = TRUTHS[name]
    truth_table = read_truth(data, "truth.csv")
    made = draft.suggest(truth_table, "truth.csv")
    assert flat(made) == flat(made) | expected
    challenge = library.of_text(draft.toml(made), "truth.toml")
    truth = challenge.read_truth(data)
    constant = baseline.constant_table(library.declaration_of(challenge.id), truth).encode()
    card = challenge.score(truth, challenge.read_predictions(constant, truth), resamples=0)
    assert card.score == pytest.approx(chance)


@pytest.mark.parametrize("name", TRUTHS)
def test_every_metric_of_the_task_makes_a_file_that_is_read(name):
    data, _, _ = TRUTHS[name]
    made = draft.suggest(read_truth(data, "t.csv"), "t.csv")
    outcomes = [
        outcome(library.of_text, draft.toml(draft.with_metric(made, metric.name)), "t.toml")[1]
        for metric in registry.of_task(made["task"])
    ]
    assert sum(not problems for problems in outcomes) >= 2
    # What is left is for people to complete: which class, which positive.
    assert {problem.code for problems in outcomes for problem in problems} <= {"missing-key", "bad-value"}


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=5, unique=True))
def test_any_name_and_any_class_become_toml(title, classes):
    made = {"id": "id", "title": title, "classes": classes, "regions": {key: [1] for key in classes}}
    read = tomllib.loads(draft.toml(made))
    assert read.get("title", "") == title
    assert (read["classes"], [*read["regions"]]) == (classes, classes)


def test_the_column_of_a_prediction_can_be_called_otherwise_than_usual():
    made = draft.suggest(read_truth(TRUTHS["two classes beside a patient"][0], "t.csv"), "t.csv")
    assert (
        "Predictions have the case id in column 'image_name' and the score in column 'score'."
        in draft.reasons(made)
    )
    assert tomllib.loads(draft.toml(made))["predictions"]["score"] == "score"
    sent = draft.with_predicted(made, "score", "p (malignant)")
    assert tomllib.loads(draft.toml(sent))["predictions"]["score"] == "p (malignant)"


MASKS = {
    f"case_{i}.nii.gz": gzip.compress(nifti(np.where(np.indices((9, 8, 7))[0] < 4, 1, 3 * (i % 2)), SPACED))
    for i in range(4)
}
PLACES = {
    "points with a radius": (
        drawn(
            ["seriesuid", "coordX", "coordY", "coordZ", "radius_mm"], *([lambda i: i + 0.5] * 3), choice(4)
        ),
        {"task": "points", "places": ["coordX", "coordY", "coordZ"], "radius": "radius_mm", "label": ""},
    ),
    "points of classes": (
        drawn(
            ["n", "image", "x_um", "y_um", "label"], choice("a", "b"), *([lambda i: i] * 2), choice("p", "q")
        ),
        {"task": "points", "case": "image", "places": ["x_um", "y_um"], "classes": ["p", "q"]},
    ),
    "corners of classes": (
        drawn(["image_id", "class_name", "x_min", "y_min", "x_max", "y_max"], choice("u", "v"), *CORNERS),
        {"task": "boxes", "places": ["x_min", "y_min", "x_max", "y_max"], "classes": ["u", "v"], "boxes": ""},
    ),
    "sizes": (
        drawn(["patientId", "x", "y", "width", "height"], *CORNERS),
        {"task": "boxes", "case": "patientId", "places": ["x", "y", "width", "height"], "boxes": "size"},
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_are_told_from_numbers_and_a_constant_submission_scores(name):
    data, expected = PLACES[name]
    made = draft.suggest(read_truth(data, "truth.csv"), "truth.csv")
    assert flat(made) == flat(made) | expected
    for metric in registry.of_task(made["task"]):
        challenge = library.of_text(draft.toml(draft.with_metric(made, metric.name)), "t.toml")
        truth = challenge.read_truth(data)
        declaration = library.declaration_of(challenge.id)
        constant = baseline.constant(declaration, truth)
        # Every image has one object: each is found where it is the median one, and no other.
        assert [len(found.places) for found in constant.objects] == [1] * len(truth)
        assert 0 <= challenge.score(truth, constant, resamples=0).score < 0.5
        again = challenge.read_predictions(baseline.constant_table(declaration, truth).encode(), truth)
        assert (again.fingerprint == constant.fingerprint).all()


@pytest.mark.parametrize(
    ("listing", "names"),
    [
        (None, ["structure 1", "structure 3"]),
        ({"labels": {"0": "background", "1": "liver", "3": "tumor"}}, ["liver", "tumor"]),
        ({"labels": {"background": 0, "liver": 1, "tumor": 3}}, ["liver", "tumor"]),
        ({"labels": {"0": 1, "1": ["x"], "3": ""}}, ["structure 1", "structure 3"]),
        (["labels"], ["structure 1", "structure 3"]),
    ],
)
def test_values_of_masks_become_regions_and_nothing_at_all_scores_as_empty_masks_do(listing, names):
    files = {**MASKS, **({} if listing is None else {"dataset.json": json.dumps(listing).encode()})}
    truth_masks = read_truth(files, "truth")
    assert (truth_masks.cases, truth_masks.found, truth_masks.spacing) == (
        4,
        {1: 4, 3: 2},
        ("0.5 x 0.8 x 3",),
    )
    made = draft.suggest(truth_masks, "liver ct")
    assert [*made["regions"]] == names
    for metric in registry.of_task("segmentation"):
        challenge = library.of_text(draft.toml(draft.with_metric(made, metric.name)), "t.toml")
        truth = challenge.read_truth(files)
        constant = baseline.constant(library.declaration_of(challenge.id), truth)
        empty = {name: gzip.compress(nifti(np.zeros((9, 8, 7)), SPACED)) for name in MASKS}
        scores = [
            challenge.score(truth, sent, resamples=0).score
            for sent in (constant, challenge.read_predictions(empty, truth))
        ]
        assert scores[0] == scores[1]
    assert "hd95" in draft.toml(made)


def test_masks_without_a_value_or_that_cannot_be_read_are_refused_with_every_file():
    empty = {"a.nii": nifti(np.zeros((3, 3, 3)), SPACED)}
    assert [p.code for p in refused(read_truth, empty, "masks").problems] == ["empty-truth"]
    problems = refused(read_truth, {"a.nii.gz": b"1", "b.nii.gz": b"2"}, "masks").problems
    assert [(p.code, p.where) for p in problems] == [
        ("unreadable-file", "a.nii.gz"),
        ("unreadable-file", "b.nii.gz"),
    ]


@pytest.mark.parametrize("data", [b"", b"case,label\n", b"\x00\x01\x02"])
def test_a_table_without_cases_is_refused(data):
    assert refused(read_truth, data, "truth.csv").problems


def test_a_class_of_rows_without_a_place_is_none():
    """VinBigData writes images without a finding so."""
    header = ["image_id", "class_name", "x_min", "y_min", "x_max", "y_max"]
    rows = [["a", "No finding", "", "", "", ""], ["b", "Nodule", 1, 2, 5, 6], ["c", "Mass", 1, 2, 5, 6]]
    data = table(header, rows)
    made = draft.suggest(read_truth(data, "t.csv"), "t.csv")
    assert made["classes"] == ["Mass", "Nodule"]
    truth = library.of_text(draft.toml(made), "t.toml").read_truth(data)
    assert [len(found.places) for found in truth.objects] == [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "header", "row", "expected"),
    [
        ("two classes beside a patient", ["image_name", "patient_id", "p"], ["p0", 0.3], {"score": "p"}),
        ("names of classes beside metadata", ["lesion", "age", "my_dx"], [20, "MEL"], {"label": "my_dx"}),
        (
            "names of classes beside metadata",
            ["x", "NV", "BCC", "MEL"],
            [0, 1, 0],
            {"scores": "classes", "case": "x"},
        ),
        # Two that could be it: the name that is usual stays.
        ("two classes beside a patient", ["image_name", "p", "q"], [0.3, 0.7], {"score": "score"}),
    ],
)
def test_a_submission_says_what_predictions_are_called(name, header, row, expected):
    truth = read_truth(TRUTHS[name][0], "t.csv")
    sent = read_truth(table(header, [[f"c{i}", *row] for i in range(N)]), "sent.csv")
    made = draft.with_sent(truth, draft.suggest(truth, "t.csv"), sent)
    assert tomllib.loads(draft.toml(made))["predictions"] == {**expected, "missing": "refuse"}


def test_masks_in_another_format_are_told_to_be_converted():
    (problem,) = refused(read_truth, {"a.png": b"\x89PNG", "b.png": b"\x89PNG"}, "truth").problems
    assert (problem.code, ".nii.gz" in problem.message) == ("no-table", True)


def test_a_truth_whose_id_is_in_several_columns_is_told_to_join_them():
    rows = [[dataset, mixture, 0.5] for dataset in "abc" for mixture in "123"]
    read = read_truth(table(["Dataset", "Mixture", "Value"], rows), "truth.csv")
    (problem,) = refused(draft.suggest, read, "truth.csv").problems
    assert (problem.code, "join their texts" in problem.message) == ("missing-column", True)
