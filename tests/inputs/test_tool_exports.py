"""Exports of further tools: each reaches the score of the plain table, and what is offered on the way is so.

Their forms are those of the tools' documentation: transformers' pipeline, Custom Vision, SageMaker, MATLAB's
`writetable`, Rekognition, timm, PaddleClas, Autopilot, SAS, MedMNIST, H2O, Ultralytics, Excel in French.
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping

import pyarrow
import pyarrow.parquet
import pytest

import scoring
from scoring.challenges.recognition import recognise
from scoring.challenges.tricorder3.formula import CLASSES as LESIONS
from scoring.common.findings import InputRefused
from scoring.common.fixes import RAW, InputChanges, SuggestedFix
from scoring.core import fix_trials
from scoring.core.fix_trials import score_words
from scoring.inputs.sources import FixedSource

RISKS = (0.91, 0.34, 0.77, 0.12, 0.08, 0.61, 0.42, 0.27, 0.73, 0.19)
MELANOMAS = (True, False, True, False, False, False, True, False, True, False)
MOLES = ("mel", "nv", "bcc", "akiec", "bkl", "df", "vasc")
IN_FULL = (
    *("melanoma", "melanocytic nevi", "basal cell carcinoma", "Actinic keratoses"),
    *("benign keratosis-like lesions", "dermatofibroma", "vascular lesions"),
)


def csv(header, rows, delimiter=",") -> bytes:
    lines = (
        delimiter.join(f'"{cell}"' if delimiter in str(cell) else str(cell) for cell in row) for row in rows
    )
    return "".join(f"{line}\n" for line in (delimiter.join(header), *lines)).encode()


def zipped(files: Mapping[str, object]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content if isinstance(content, str) else json.dumps(content))
    return packed.getvalue()


def outputs(count: int, n: int) -> list[list[float]]:
    """Probabilities of n cases, the largest of case i that of class i, but for every fourth case."""
    rows = []
    for i in range(n):
        weights = [1 + (7 * i + 3 * k) % 5 for k in range(count)]
        weights[(i + (i % 4 == 3)) % count] = 20
        rows.append([round(weight / sum(weights), 4) for weight in weights])
    return rows


CASES = {
    "melanoma": [f"M{i:04}" for i in range(1, len(RISKS) + 1)],
    "tricorder3": [f"L{i:04}" for i in range(1, 23)],
    "isic": [f"ISIC_{i:07}" for i in range(98001, 98022)],
}
NUMBERS = {"tricorder3": outputs(len(LESIONS), 22), "isic": outputs(len(MOLES), 21)}
TRUTHS = {
    "melanoma": csv(("NewFileName", "Class"), zip(CASES["melanoma"], MELANOMAS, strict=True)),
    "tricorder3": csv(
        ("NewFileName", "Class"), ((c, LESIONS[i % len(LESIONS)]) for i, c in enumerate(CASES["tricorder3"]))
    ),
    "isic": csv(
        ("image", *map(str.upper, MOLES)),
        ((c, *(float(i % 7 == k) for k in range(7))) for i, c in enumerate(CASES["isic"])),
    ),
}
PLAIN = {
    "melanoma": csv(("filename", "score"), zip(CASES["melanoma"], RISKS, strict=True)),
    "tricorder3": csv(
        ("filename", *LESIONS),
        ((c, *r) for c, r in zip(CASES["tricorder3"], NUMBERS["tricorder3"], strict=True)),
    ),
    "isic": csv(
        ("image", *map(str.upper, MOLES)),
        ((c, *r) for c, r in zip(CASES["isic"], NUMBERS["isic"], strict=True)),
    ),
}
RISK = list(zip(CASES["melanoma"], RISKS, strict=True))
LESION = list(zip(CASES["tricorder3"], NUMBERS["tricorder3"], strict=True))
MOLE = list(zip(CASES["isic"], NUMBERS["isic"], strict=True))


def best(classes, row, most=99) -> list[tuple[str, float]]:
    return sorted(zip(classes, row, strict=True), key=lambda pair: -pair[1])[:most]


def of_two(risk: float, names=("benign", "melanoma")) -> list[tuple[str, float]]:
    return best(names, (round(1 - risk, 5), risk))


def lists(row) -> str:
    return json.dumps(row).replace('"', "'")


def parquet() -> bytes:
    written = io.BytesIO()
    table = {"image": [c for c, _ in MOLE], "logits": [[math.log(x) + 2 for x in row] for _, row in MOLE]}
    pyarrow.parquet.write_table(pyarrow.table(table), written)
    return written.getvalue()


FORMS = {
    "transformers' pipeline, classes without names": (
        "melanoma",
        json.dumps([
            {
                "image": c,
                "prediction": [{"label": n, "score": s} for n, s in of_two(r, ("LABEL_0", "LABEL_1"))],
            }
            for c, r in RISK
        ]).encode(),
        "a.json", 1,
    ),
    "Custom Vision, a JSON for each image": (
        "melanoma",
        zipped({
            f"{c}.json": {
                "id": f"1e1e{i}", "project": "5ae0", "created": "2026-11-02T10:00:00.000Z",
                "predictions": [
                    {"probability": s, "tagId": str(int(n == "melanoma")), "tagName": n, "tagType": "Regular"}
                    for n, s in of_two(r)
                ],
            }
            for i, (c, r) in enumerate(RISK)
        }),
        "a.zip", 0,
    ),
    "SageMaker, an .out for each image": (
        "melanoma", zipped({f"{c}.jpg.out": {"prediction": [1 - r, r]} for c, r in RISK}), "a.zip", 1
    ),
    "Excel in French": (
        "melanoma",
        "\ufefffilename;score\n".encode()
        + "".join(f"{c}.jpg;{f'{100 * r:.2f}'.replace('.', ',')}\u00a0%\n" for c, r in RISK).encode(),
        "a.csv", 1,
    ),
    "Rekognition": (
        "melanoma",
        json.dumps([
            {
                "Image": {"S3Object": {"Bucket": "b", "Name": f"images/{c}.jpg"}},
                "CustomLabels": [
                    {"Name": n, "Confidence": 100 * s} for n, s in of_two(r, ("not_melanoma", "melanoma"))
                ],
            }
            for c, r in RISK
        ]).encode(),
        "a.json", 1,
    ),
    "MATLAB": (
        "melanoma",
        csv(
            ("Files", "YPred", "scores_1", "scores_2"),
            ((f"C:\\data\\{c}.jpg", of_two(r)[0][0], round(1 - r, 5), r) for c, r in RISK),
        ),
        "a.csv", 1,
    ),
    "timm, the best five in columns": (
        "tricorder3",
        csv(
            ("filename", *(f"label_{k}" for k in range(5)), *(f"prob_{k}" for k in range(5))),
            (
                (f"{c}.jpg", *(n for n, _ in best(LESIONS, row, 5)), *(s for _, s in best(LESIONS, row, 5)))
                for c, row in LESION
            ),
        ),
        "a.csv", 1,
    ),
    "PaddleClas, the best five": (
        "tricorder3",
        json.dumps([
            {
                "class_ids": [LESIONS.index(n) for n, _ in best(LESIONS, row, 5)],
                "scores": [s for _, s in best(LESIONS, row, 5)],
                "file_name": f"./images/{c}.jpg",
                "label_names": [n for n, _ in best(LESIONS, row, 5)],
            }
            for c, row in LESION
        ]).encode(),
        "a.json", 1,
    ),
    "Autopilot, lists in cells": (
        "tricorder3",
        csv(
            ("NewFileName", "predicted_label", "probability", "probabilities", "labels"),
            ((f"{c}.jpg", best(LESIONS, r)[0][0], max(r), lists(r), lists(list(LESIONS))) for c, r in LESION),
        ),
        "a.csv", 0,
    ),
    "NumPy's lists in cells": (
        "tricorder3",
        csv(("filename", "probs"), ((c, "[" + " ".join(map(str, row)) + "]") for c, row in LESION)),
        "a.csv", 1,
    ),
    "SAS": (
        "tricorder3",
        csv(
            ("NEWFILENAME", *(f"P_Class{n}" for n in LESIONS), "I_Class", "_WARN_"),
            ((f"{c}.jpg", *row, best(LESIONS, row)[0][0], "") for c, row in LESION),
        ),
        "a.csv", 1,
    ),
    "names in full, percent": (
        "isic",
        csv(("image", *IN_FULL), ((f"{c}.jpg", *(f"{100 * x:.2f}%" for x in row)) for c, row in MOLE)),
        "a.csv", 1,
    ),
    "Teachable Machine": (
        "isic",
        json.dumps({
            f"{c}.jpg": [{"className": n, "probability": s} for n, s in zip(MOLES, row, strict=True)]
            for c, row in MOLE
        }).encode(),
        "a.json", 1,
    ),
    "transformers' logits, lists in Parquet": ("isic", parquet(), "a.parquet", 1),
    "Ultralytics, the best five of a text each": (
        "isic",
        zipped({f"labels/{c}.txt": "".join(f"{s:.4f} {n}\n" for n, s in best(MOLES, r, 5)) for c, r in MOLE}),
        "a.zip", 2,
    ),
    "Keras, classes in the order of their names": (
        "isic",
        csv(
            ("image", *map(str, range(7))),
            ((c, *(row[MOLES.index(name)] for name in sorted(MOLES))) for c, row in MOLE),
        ),
        "a.csv", 1,
    ),
}  # fmt: skip
"""Tool -> challenge, file, its name, and the fixes after which it has its true score."""


def challenge_of(name: str):
    challenge = scoring.load_challenge(name)
    return challenge, challenge.read_truth(TRUTHS[name], "t.csv")


def score_of(challenge, truth, data, name="p.csv", changes=InputChanges()) -> float:
    read = challenge.read_predictions(FixedSource(data, changes), truth, name)
    return challenge.score(truth, read, resamples=0).score


def refusal(name: str, data: bytes, file: str = "p.csv") -> InputRefused:
    challenge, truth = challenge_of(name)
    with pytest.raises(InputRefused) as refused:
        challenge.read_predictions(data, truth, file)
    return refused.value


def offered(refused: InputRefused) -> list[SuggestedFix]:
    return [fix for problem in refused.problems for fix in problem.fixes]


@pytest.mark.parametrize("tool", FORMS)
def test_the_first_fix_of_an_export_leads_to_its_score(tool):
    name, data, file, clicks = FORMS[tool]
    challenge, truth = challenge_of(name)
    wanted = score_of(challenge, truth, PLAIN[name])
    changes = InputChanges()
    for _ in range(clicks):
        with pytest.raises(InputRefused) as refused:
            score_of(challenge, truth, data, file, changes)
        changes = changes.joined(offered(refused.value)[0].changes)
    assert score_of(challenge, truth, data, file, changes) == pytest.approx(wanted, abs=1e-9)
    assert "labels" not in dict(changes.edits)  # scores are read, not the class that is called


@pytest.mark.parametrize("tool", FORMS)
def test_an_export_that_is_dropped_is_recognised_as_a_submission(tool):
    name, data, file, _ = FORMS[tool]
    (found,) = recognise({file: data})
    assert (name, "submission") in [(reading.challenge, reading.place) for reading in found.readings], found


@pytest.mark.parametrize(
    ("tool", "count"),
    [
        ("transformers' pipeline, classes without names", 2),
        ("SageMaker, an .out for each image", 2),
        ("MATLAB", 1),  # of the other column a question is asked
    ],
)
def test_of_two_scores_without_names_both_are_offered_the_better_first_and_told(tool, count):
    name, data, file, _ = FORMS[tool]
    challenge, truth = challenge_of(name)
    fixes = offered(refusal(name, data, file))
    assert len(fixes) == 2
    scores = [score_of(challenge, truth, data, file, fix.changes) for fix in fixes[:count]]
    assert scores == sorted(scores, reverse=True)
    for fix, score in zip(fixes, scores, strict=False):
        assert score_words(challenge, score) in fix.label


def test_decisions_are_not_taken_for_the_score_while_probabilities_stand_beside_them():
    """As a table of Weights & Biases is exported."""
    challenge, truth = challenge_of("melanoma")
    called = ("benign", "melanoma")
    data = csv(
        ("image", "truth", "prediction", "score_benign", "score_melanoma"),
        ((f"{c}.jpg", "", called[r > 0.5], round(1 - r, 5), r) for c, r in RISK),
    )
    (problem,) = refusal("melanoma", data).problems
    assert problem.code == "column-suspect"
    scores = [score_of(challenge, truth, data, changes=fix.changes) for fix in problem.fixes]
    hard = csv(("filename", "score"), ((c, int(r > 0.5)) for c, r in RISK))
    wanted = score_of(challenge, truth, PLAIN["melanoma"])
    assert scores == [wanted, score_of(challenge, truth, hard)]


AFFIXES = (
    *("P (Class={})", "confidence({})", "Neural Network ({})", "Class_{}_PREDICTION"),
    *("prediction_score_{}", "prob.{}", ".pred_{}"),
)


@pytest.mark.parametrize("affix", AFFIXES)
@pytest.mark.parametrize("case", ["image", "Picture file"])
@pytest.mark.parametrize("name", ["tricorder3", "isic"])
def test_one_click_reads_columns_with_what_a_tool_adds_and_the_case_id(name, case, affix):
    challenge, truth = challenge_of(name)
    classes, rows = (LESIONS, LESION) if name == "tricorder3" else (map(str.upper, MOLES), MOLE)
    data = csv((case, *map(affix.format, classes)), ((c, *row) for c, row in rows))
    changes = offered(refusal(name, data))[0].changes
    wanted = score_of(challenge, truth, PLAIN[name])
    assert score_of(challenge, truth, data, changes=changes) == pytest.approx(wanted, abs=1e-9)


JOINED = {
    "labels": (
        "tricorder3",
        csv(
            ("NewFileName", "Class", *(f"pred_{name}" for name in LESIONS)),
            ((f"images/{c}.jpg", LESIONS[i % len(LESIONS)], *row) for i, (c, row) in enumerate(LESION)),
        ),
    ),
    "classes": (
        "tricorder3",
        csv(
            ("filename", *LESIONS, *(f"{name}_prob" for name in LESIONS)),
            (
                (c, *(float(i % len(LESIONS) == k) for k in range(len(LESIONS))), *row)
                for i, (c, row) in enumerate(LESION)
            ),
        ),
    ),
    "categories": (
        "isic",
        csv(
            ("image", *map(str.upper, MOLES), *(f"pred_{name.upper()}" for name in MOLES)),
            ((c, *(float(i % 7 == k) for k in range(7)), *row) for i, (c, row) in enumerate(MOLE)),
        ),
    ),
    "one label": (
        "melanoma",
        csv(
            ("filename", "target", "melanoma_prob"),
            ((c, int(m), r) for (c, r), m in zip(RISK, MELANOMAS, strict=True)),
        ),
    ),
}
"""Predictions in a table that holds the truth too."""


@pytest.mark.parametrize("form", JOINED)
def test_the_truth_in_a_table_of_predictions_is_asked_about_and_never_offered_first(form):
    name, data = JOINED[form]
    challenge, truth = challenge_of(name)
    predicted, of_truth = offered(refusal(name, data))
    assert score_of(challenge, truth, data, changes=predicted.changes) == pytest.approx(
        score_of(challenge, truth, PLAIN[name]), abs=1e-9
    )
    assert score_of(challenge, truth, data, changes=of_truth.changes) == pytest.approx(1)
    assert of_truth.label.endswith("is it the truth?")
    assert "the truth" not in predicted.label


def test_of_two_orders_of_classes_the_better_stands_first():
    challenge, truth = challenge_of("isic")
    data = FORMS["Keras, classes in the order of their names"][1]
    scores = [score_of(challenge, truth, data, changes=fix.changes) for fix in offered(refusal("isic", data))]
    assert len(scores) == 2
    assert scores[0] > scores[1]


LARGE = ("Keras, classes in the order of their names", "SageMaker, an .out for each image")


@pytest.mark.parametrize("tool", LARGE)
def test_readings_of_a_large_table_are_ordered_by_some_rows_and_no_score_is_told(tool, monkeypatch):
    name, data, file, _ = FORMS[tool]
    n = len(CASES[name])
    whole = offered(refusal(name, data, file))
    monkeypatch.setattr(fix_trials, "MOST_CASES", n - 1)
    monkeypatch.setattr(fix_trials, "TRIED", n - 2)
    seen, scored = [], fix_trials.scored

    def counting(challenge, truth, read):
        seen.append(len(truth))
        return scored(challenge, truth, read)

    monkeypatch.setattr(fix_trials, "scored", counting)
    some = offered(refusal(name, data, file))
    assert seen == [n - 2] * len(whole)
    assert [fix.changes for fix in some] == [fix.changes for fix in whole]
    assert all(f"{of_some.label}: score" in fix.label for of_some, fix in zip(some, whole, strict=True))


@pytest.mark.parametrize("times", [100, 1])
def test_what_is_doubtful_of_a_large_table_is_told_without_a_score(times):
    challenge = scoring.load_challenge("melanoma")
    cases = [f"M{i:05}" for i in range(fix_trials.MOST_CASES + 1)]
    positive = [i % 3 == 0 for i in range(len(cases))]
    truth = challenge.read_truth(csv(("NewFileName", "Class"), zip(cases, positive, strict=True)), "t.csv")
    risks = (times * (0.2 if p else 0.7 + i % 7 / 100) for i, p in enumerate(positive))
    data = csv(("filename", "score"), zip(cases, risks, strict=True))
    found = challenge.read_predictions(FixedSource(data, RAW.changes), truth, "p.csv").findings
    said = {finding.code: finding for finding in found if finding.code in ("direction-suspect", "percent")}
    assert [*said] == (["direction-suspect"] if times == 1 else ["percent", "direction-suspect"])
    assert all(finding.fixes for finding in said.values())
    assert not any(": score" in fix.label for finding in said.values() for fix in finding.fixes)


def test_a_fix_that_changes_nothing_of_a_large_table_is_not_offered(monkeypatch):
    challenge, truth = challenge_of("melanoma")
    monkeypatch.setattr(fix_trials, "MOST_CASES", 5)
    words = ["benign" if m else "melanoma" for m in MELANOMAS]
    calls = csv(("filename", "score"), zip(CASES["melanoma"], words, strict=True))
    found = challenge.read_predictions(calls, truth, "p.csv").findings
    (said,) = [finding for finding in found if finding.code == "direction-suspect"]
    assert not said.fixes


def test_what_the_best_classes_alone_hold_is_told_as_it_is():
    (problem,) = refusal("tricorder3", FORMS["timm, the best five in columns"][1]).problems
    assert problem.code == "nothing-submitted"
    assert problem.message.startswith("132 cells are empty")
    assert "--missing" not in problem.message


def test_a_column_that_names_classes_is_not_offered_as_case_id():
    table = csv(("predict", "False", "True"), ((r > 0.5, 1 - r, r) for _, r in RISK))
    (problem,) = refusal("melanoma", table).problems
    assert (problem.code, problem.fixes) == ("missing-column", ())


def test_ids_that_are_numbers_of_rows_are_told_before_anything_is_offered():
    table = csv(
        ("id", "true_0", *(f"score_{k}" for k in range(11))),
        ((i, i % 11, *row) for i, (_, row) in enumerate(LESION)),
    )
    refused = refusal("tricorder3", b"\xef\xbb\xbf" + table)
    assert "no-common-case" in [problem.code for problem in refused.problems]
    assert not offered(refused)
    assert any("by position only if you choose this" in problem.message for problem in refused.problems)


def test_one_minus_the_score_is_not_offered_where_it_changes_nothing():
    challenge, truth = challenge_of("melanoma")
    words = csv(
        ("filename", "score"),
        ((c, "benign" if m else "melanoma") for (c, _), m in zip(RISK, MELANOMAS, strict=True)),
    )
    numbers = words.replace(b"benign", b"0").replace(b"melanoma", b"1")
    for data, count in ((words, 0), (numbers, 1)):
        found = challenge.read_predictions(data, truth, "p.csv").findings
        said = [finding for finding in found if finding.code == "direction-suspect"]
        assert [len(finding.fixes) for finding in said] == [count]
