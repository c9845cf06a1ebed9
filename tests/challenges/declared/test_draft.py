"""A draft from a truth: its columns, task and metric are suggested, and the file that it makes scores."""

import csv
import io
import random
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.challenges.declared import baseline, draft, library
from scoring.metrics import registry
from tests.support.findings import outcome, refused

RANDOM = random.Random(5)
N = 60


def table(header: list[str], rows: list[list]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def drawn(header: list[str], *columns) -> bytes:
    return table(header, [[f"c{i}", *(column(i) for column in columns)] for i in range(N)])


def choice(*values):
    return lambda _i: RANDOM.choice(values)


TRUTHS = {
    "two classes beside a patient": (
        drawn(["image_name", "patient_id", "target"], lambda i: f"p{i // 3}", lambda i: int(i % 4 == 0)),
        {"task": "classification", "case": "image_name", "label": "target", "positive": "1"},
        0.5,
    ),
    "names of classes beside metadata": (
        drawn(["lesion", "sex", "age", "dx"], choice("m", "f"), lambda i: 20 + i, choice("MEL", "NV", "BCC")),
        {"task": "classification", "label": "dx", "classes": ("BCC", "MEL", "NV"), "positive": ""},
        1 / 3,
    ),
    "a column per class": (
        drawn(["image", "MEL", "NV", "BCC"], *(lambda i, k=k: int(i % 3 == k) for k in range(3))),
        {"task": "classification", "label": "", "classes": ("MEL", "NV", "BCC"), "predicted": "scores"},
        1 / 3,
    ),
    "several findings": (
        drawn(["Study", "Edema", "Fracture"], choice(0, 1), choice(0, 1)),
        {"task": "multilabel", "classes": ("Edema", "Fracture"), "metric": "auc"},
        0.5,
    ),
    "grades": (
        drawn(["id_code", "isup_grade"], lambda i: i % 6),
        {"task": "ordinal", "classes": ("0", "1", "2", "3", "4", "5"), "metric": "quadratic_kappa"},
        0.0,
    ),
    "a number": (
        drawn(["case", "boneage"], lambda i: i),
        {"task": "regression", "value": "boneage", "metric": "mae", "classes": ()},
        N / 4,
    ),
    "numbers with a decimal comma beside metadata": (
        drawn(["Fall-Nr.", "Standort", "Volumen"], choice("A", "B"), lambda i: f"{i}_5")
        .replace(b",", b";")
        .replace(b"_", b","),
        {"task": "regression", "value": "Volumen", "metric": "mae", "classes": ()},
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
    truth_table = draft.read_truth_table(data, "truth.csv")
    made = draft.suggest(truth_table, "truth.csv")
    assert {key: getattr(made, key) for key in expected} == expected
    challenge = library.of_text(made.toml(), "truth.toml")
    truth = challenge.read_truth(data)
    constant = baseline.constant_table(library.declaration_of(challenge.id), truth).encode()
    card = challenge.score(truth, challenge.read_predictions(constant, truth), resamples=0)
    assert card.score == pytest.approx(chance)


@pytest.mark.parametrize("name", TRUTHS)
def test_every_metric_of_the_task_makes_a_file_that_is_read(name):
    data, _, _ = TRUTHS[name]
    made = draft.suggest(draft.read_truth_table(data, "t.csv"), "t.csv")
    outcomes = [
        outcome(library.of_text, draft.with_metric(made, metric.name).toml(), "t.toml")[1]
        for metric in registry.of_task(made.task)
    ]
    assert sum(not problems for problems in outcomes) >= 2
    # What is left is for people to complete: which class, which positive.
    assert {problem.code for problems in outcomes for problem in problems} <= {"missing-key", "bad-value"}


@given(st.text(max_size=60), st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=5, unique=True))
def test_any_name_and_any_class_become_toml(title, classes):
    made = draft.Draft("id", title, "classification", "case", "label", tuple(classes), metric="accuracy")
    read = tomllib.loads(made.toml())
    assert read.get("title", "") == title
    assert read["classes"] == classes


def test_the_column_of_a_prediction_can_be_called_otherwise_than_usual():
    made = draft.suggest(draft.read_truth_table(TRUTHS["two classes beside a patient"][0], "t.csv"), "t.csv")
    assert "Predictions have it in a column 'score'." in made.reasons
    assert tomllib.loads(made.toml())["predictions"]["score"] == "score"
    sent = replace(made, sent="p (malignant)")
    assert tomllib.loads(sent.toml())["predictions"]["score"] == "p (malignant)"


def test_masks_are_sent_to_a_file_of_masks():
    problems = refused(draft.read_truth_table, {"a.nii.gz": b"1", "b.nii.gz": b"2"}, "masks").problems
    assert ["lits17" in problem.message for problem in problems] == [True]


@pytest.mark.parametrize("data", [b"", b"case,label\n", b"\x00\x01\x02"])
def test_a_table_without_cases_is_refused(data):
    assert refused(draft.read_truth_table, data, "truth.csv").problems
