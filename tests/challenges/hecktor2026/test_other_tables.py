"""Tables of a submission that other programs wrote: no part of the score is lost because of their form."""

import json

import numpy as np
import pytest

from scoring.common.fixes import InputChanges
from scoring.inputs.reshaping import edited
from scoring.inputs.sources import FixedSource
from tests.support.findings import codes, only, refused
from tests.support.patients import CHALLENGE, labels, submission_folder, table, truth_folder

N = 6
TRUTH_ROWS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": 1,
        "RFS": 100 + 90 * i,
    }
    for i in range(N)
]
MASKS = {f"P{i}": labels(1, 2) for i in range(N)}
STAGES = [{key: row[key] for key in ("PatientID", "T_stage", "N_stage")} for row in TRUTH_ROWS]
HAZARDS = {f"P{i}": hazard for i, hazard in enumerate((2.5, 0.5, 1.5, 1.25, 0.25, 0.75))}
TIMES = (30, 365, 730.5)
USUAL = submission_folder([{**row, "Risk": HAZARDS[row["PatientID"]]} for row in STAGES], MASKS)
BESIDE = {n: d for n, d in USUAL.items() if not n.endswith(".csv")} | {"staging.csv": table(STAGES)}


@pytest.fixture(scope="module")
def truth():
    return CHALLENGE.read_truth(truth_folder(TRUTH_ROWS, MASKS))


def lines(*rows) -> bytes:
    return "".join(f"{','.join(map(str, row))}\n" for row in rows).encode()


def survival(hazard: float, time: float) -> float:
    return float(np.exp(-hazard * time / 1000))


def score(truth, source) -> float:
    return CHALLENGE.score(truth, CHALLENGE.read_predictions(source, truth), resamples=0).score


@pytest.mark.parametrize("place", ["prognosis.csv", "cox/hazards.csv", "a.tsv"])
@pytest.mark.parametrize("heading", [("", "0"), ("Unnamed: 0", "partial_hazard"), ("id", "x")])
@pytest.mark.parametrize("main", ["staging.csv", "predictions.csv"])
def test_a_table_of_hazards_whose_column_of_patients_has_no_name_is_asked_about(truth, place, heading, main):
    """As `predict_partial_hazard().to_csv()` of lifelines writes it."""
    rows = [heading, *HAZARDS.items()]
    data = lines(*rows).replace(b",", b"\t" if place.endswith("tsv") else b",")
    files = {main if n == "staging.csv" else n: d for n, d in BESIDE.items()}
    files |= {place: data}
    problem = only(refused(CHALLENGE.read_predictions, files, truth).problems, "missing-column")
    fix = next(f for f in problem.fixes if f.changes.columns == ((heading[1], "Risk"),))
    assert fix.label.endswith(": C-index 0.7333")
    assert score(truth, FixedSource(files, fix.changes)) == score(truth, USUAL)
    assert any(f.changes.columns == ((heading[1], ""),) for f in problem.fixes)


@pytest.mark.parametrize("form", ["patients", "rows", "across", "alone"])
@pytest.mark.parametrize("reading", ["mean", "last"])
def test_survival_curves_are_asked_about_with_the_c_index_of_each_reading(truth, form, reading):
    """As lifelines (columns are patients), pycox (columns are rows) and scikit-survival (columns are times)
    write them."""
    names = [str(k) for k in range(N)] if form == "rows" else [*HAZARDS]
    curves = {name: [survival(h, t) for t in TIMES] for name, h in zip(names, HAZARDS.values(), strict=True)}
    down = lines(("duration", *names), *((t, *(c[k] for c in curves.values())) for k, t in enumerate(TIMES)))
    across = lines(("", *TIMES), *((name, *curve) for name, curve in reversed(curves.items())))
    files = {**BESIDE, "surv.csv": down}
    if form == "across":
        files["surv.csv"] = across
    if form == "alone":
        stages = [(*row.values(), *curves[row["PatientID"]]) for row in STAGES]
        files = {**USUAL, "predictions.csv": lines((*STAGES[0], *TIMES), *stages)}
    problem = only(refused(CHALLENGE.read_predictions, files, truth).problems, "missing-column")
    fix = next(f for f in problem.fixes if f.changes.edits == (("survival", reading),))
    order = ", columns are in the order of staging.csv" * (form == "rows")
    assert fix.label.endswith(f": C-index 0.7333{order}")
    fixed = FixedSource(files, fix.changes)
    assert score(truth, fixed) == score(truth, USUAL)
    found = CHALLENGE.read_predictions(fixed, truth)
    assert [*found.scores] == ["time"]
    assert "subtask-missing" not in codes(found.findings)
    area = 30 + 335 * survival(2.5, 30) + 365.5 * survival(2.5, 365)
    expected = {"mean": area, "last": survival(2.5, 730.5)}[reading]
    assert found.scores["time"].values[0] == pytest.approx(expected, rel=1e-12)
    name, data = CHALLENGE.changed_file(truth, found, fixed, "theirs")
    assert CHALLENGE.read_predictions(data, truth, name).fingerprint.tolist() == found.fingerprint.tolist()


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("form", ["risks", "stages"])
def test_rows_that_are_numbered_are_never_silently_those_of_another_table(truth, form, first):
    numbers = range(first, first + N)
    risks = [(n, h) for n, h in zip(numbers if form == "risks" else HAZARDS, HAZARDS.values(), strict=True)]
    stages = [
        {**row, "PatientID": n} if form == "stages" else row for n, row in zip(numbers, STAGES, strict=True)
    ]
    masks = {n: d for n, d in BESIDE.items() if n != "staging.csv"}
    files = masks | {"predictions.csv": table(stages), "cox.csv": lines(("PatientID", "Risk"), *risks)}
    problem = only(refused(CHALLENGE.read_predictions, files, truth).problems, "no-common-case")
    assert "by position only if you choose this" in problem.message
    (fix,) = problem.fixes
    assert fix.label == f"Rows are in the order of {'predictions' if form == 'risks' else 'cox'}.csv"
    assert score(truth, FixedSource(files, fix.changes)) == score(truth, USUAL)


@pytest.mark.parametrize("form", ["folders", "JSON", "JSON in folders"])
def test_what_stands_in_a_folder_for_each_task_or_a_file_for_each_patient_is_read(truth, form):
    files = {n.replace("masks/", ""): d for n, d in BESIDE.items() if n != "staging.csv"}
    asked = InputChanges()
    if form == "folders":
        files = {f"Task1/{n}": d for n, d in files.items()}
        files |= {"Task2/stages.csv": table(STAGES)}
        files |= {"Task3/risk.csv": lines(("PatientID", "Risk"), *HAZARDS.items())}
    else:
        place = "{0}/{0}" if "folders" in form else "{}"
        files = {f"{place.format(n.partition('.')[0])}.nii.gz": d for n, d in files.items()}
        for row in STAGES:
            patient, t, n = row.values()
            answer = {"T": t, "N": n, "risk": HAZARDS[patient]}
            files[f"{place.format(patient)}.json"] = json.dumps(answer).encode()
        problems = refused(CHALLENGE.read_predictions, files, truth).problems
        asked = problems[0].fixes[0].changes
    fixed = FixedSource(files, asked) if asked else files
    read = CHALLENGE.read_predictions(fixed, truth)
    assert CHALLENGE.score(truth, read, resamples=0).score == score(truth, USUAL)
    assert not {"subtask-missing", "ignored-files"} & {*codes(read.findings)}
    if asked:
        _, data = CHALLENGE.changed_file(truth, read, fixed, "theirs")
        assert score(truth, data) == score(truth, USUAL)


def test_json_beside_masks_that_holds_no_answers_is_left_out(truth):
    images = {f"P{i}.json": json.dumps({"Modality": "CT", "Rows": 512}).encode() for i in range(N)}
    files = {n: d for n, d in BESIDE.items() if n != "staging.csv"} | images
    assert "ignored-files" in codes(CHALLENGE.read_predictions(files, truth).findings)


@pytest.mark.parametrize(
    "names", [("pred_T", "pred_N", "pred_risk"), ("T_stage_pred", "N_stage_pred", "Prediction")]
)
def test_predictions_joined_to_the_truth_are_asked_about(truth, names):
    rows = [
        {**row, names[0]: "T2", names[1]: "N1", names[2]: HAZARDS[row["PatientID"]]} for row in TRUTH_ROWS
    ]
    files = submission_folder(rows, MASKS)
    (problem,) = refused(CHALLENGE.read_predictions, files, truth).problems
    assert problem.code == "duplicate-column"
    alone = [{"PatientID": row["PatientID"], "T_stage": "T2", "N_stage": "N1"} for row in rows]
    alone = [{**row, "Risk": HAZARDS[row["PatientID"]]} for row in alone]
    wanted = score(truth, submission_folder(alone, MASKS))
    assert score(truth, FixedSource(files, problem.fixes[0].changes)) == wanted


def test_names_of_patients_that_are_numbers_are_names():
    """In another order than the rows of the first table."""
    names = [str(k) for k in (3, 0, 5, 1, 4, 2)]
    rows = [{**row, "PatientID": name} for row, name in zip(TRUTH_ROWS, names, strict=True)]
    masks = {name: labels(1, 2) for name in names}
    own = CHALLENGE.read_truth(truth_folder(rows, masks))
    stages = [{k: row[k] for k in STAGES[0]} for row in rows]
    risks = [{"PatientID": str(k), "Risk": k + 0.5} for k in range(N)]
    files = submission_folder(stages, masks) | {"cox.csv": table(risks)}
    read = CHALLENGE.read_predictions(files, own)
    assert dict(zip(read.ids, read.scores["risk"].values.tolist(), strict=True)) == {
        row["PatientID"]: row["Risk"] for row in risks
    }


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (("time", "a", "b"), ((1, 0.9, 0.8), (2, 0.8, 0.85))),  # one rises
        (("time", "a", "b"), ((2, 0.9, 0.8), (1, 0.8, 0.7))),  # times fall
        (("time", "a", "b"), ((1, 1.2, 0.8), (2, 0.8, 0.7))),  # no probability
        (("time", "a", "b"), ((1, 0.9, 0.8),)),  # one time
        (("time", "a", "b"), ((1, 0.9, "x"), (2, 0.8, 0.7))),
        (("id", "age", "sex"), (("a", 50, 0), ("b", 60, 1))),
    ],
)
def test_what_is_no_survival_curve_stays_as_it_is(header, rows):
    cells = [list(map(str, row)) for row in (header, *rows)]
    assert edited(cells, (("survival", "mean"),)) == cells


@pytest.mark.parametrize("name", ["{}", "prob_{}", "{}_proba"])
def test_the_most_probable_stages_count(truth, name):
    """As `predict_proba` of AutoGluon and scikit-learn writes them."""
    rows = []
    for row in STAGES:
        cells = {"PatientID": row["PatientID"], "Risk": HAZARDS[row["PatientID"]]}
        for kind, stages in (("T_stage", "T1 T2 T3 T4"), ("N_stage", "N0 N1 N2 N3")):
            cells |= {name.format(s): 0.4 if s == row[kind] else 0.2 for s in stages.split()}
        rows.append(cells)
    read = CHALLENGE.read_predictions(submission_folder(rows, MASKS), truth)
    assert (read.fingerprint == CHALLENGE.read_predictions(USUAL, truth).fingerprint).all()
    said = [f.message for f in read.read if f.code == "other-format"]
    assert ["most probable stage" in message for message in said] == [True, True]
    assert not CHALLENGE.score(truth, read, resamples=0).official.same
    del rows[0][name.format("T1")]
    missing = CHALLENGE.read_predictions(submission_folder(rows[::-1], MASKS), truth)
    assert "P0" in only(missing.findings, "missing-stage").message
    for row in rows:
        row[name.format("T4")] = 3.5
    problem = only(
        refused(CHALLENGE.read_predictions, submission_folder(rows, MASKS), truth).problems, "missing-column"
    )
    assert "add up to 1" in problem.message


def test_tables_of_patients_that_cannot_be_joined_or_read_are_refused(truth):
    again = {"first.csv": lines(("id", "r"), *HAZARDS.items())}
    again |= {"second.csv": again["first.csv"]}
    named = {**{n: d for n, d in BESIDE.items() if n != "staging.csv"}, "predictions.csv": table(STAGES)}
    assert codes(refused(CHALLENGE.read_predictions, named | again, truth).problems) == ["ambiguous-table"]
    across = {"risks.csv": lines(("model", *HAZARDS), ("cox", *HAZARDS.values()))}
    problem = only(refused(CHALLENGE.read_predictions, named | across, truth).problems, "missing-column")
    assert "its columns are patients" in problem.message


def test_further_tables_count_for_nothing_beside_one_with_every_part(truth):
    others = {"log.csv": lines(("epoch", "loss"), (1, 0.5)), "cox/x.csv": lines(("", "0"), *HAZARDS.items())}
    read = CHALLENGE.read_predictions(USUAL | others, truth)
    assert (read.fingerprint == CHALLENGE.read_predictions(USUAL, truth).fingerprint).all()
    message = only(read.read, "ignored-files").message
    assert "log.csv" in message
    alone = CHALLENGE.read_predictions(BESIDE | {"log.csv": others["log.csv"]}, truth)
    assert "prognosis" in {f.where for f in alone.findings if f.code == "subtask-missing"}
    left_out = FixedSource(BESIDE | {"p.csv": others["cox/x.csv"]}, InputChanges(columns=(("0", ""),)))
    assert "subtask-missing" in codes(CHALLENGE.read_predictions(left_out, truth).findings)
