"""Tables of another shape or scale are mended by what their refusal offers, and score what they hold.

Each is written by the program that is named: pandas (pandas-dev/pandas at 895e82d0, core/frame.py), or as its
convention says: torchvision numbers classes in the order of their names (pytorch/vision at 149b436d,
datasets/folder.py `find_classes`), HAM10000 has `image_id` and `dx` (doi:10.1038/sdata.2018.161).
"""

import numpy as np
import pandas as pd
import pytest

import scoring
from scoring.challenges import samples
from scoring.challenges.recognition import recognise
from scoring.cli.output import flags_of
from scoring.common.findings import InputRefused, distinct
from scoring.common.fixes import InputChanges
from scoring.inputs.sources import FixedSource
from tests.support.command_line import run

ISIC = scoring.load_challenge("isic")
SAMPLE = samples.test_sets("isic")["isic2018"]
TRUTH = ISIC.read_truth(SAMPLE.path)
TEAM = next(team for team in SAMPLE.submissions.values() if not team.is_model).path
TABLE = pd.read_csv(TEAM)
CLASSES = list(TRUTH.categories)
SCORES = TABLE.set_index("image")[CLASSES]
CALLED = SCORES.to_numpy().argmax(1)
NAMES = {
    "MEL": "melanoma", "NV": "melanocytic nevus", "BCC": "basal cell carcinoma", "AKIEC": "Actinic keratosis",
    "BKL": "benign keratosis", "DF": "dermatofibroma", "VASC": "vascular lesion",
}  # fmt: skip
LABELS = pd.DataFrame({"image": TABLE.image, "prediction": [CLASSES[k] for k in CALLED]})
ONE_HOT = pd.DataFrame(np.eye(7)[CALLED], SCORES.index, CLASSES)
LONG = TABLE.melt("image", var_name="class", value_name="score")
BYTES = (SCORES * 255).round().astype("uint8")
PERCENT, CLIPPED = (SCORES * 100).round(4), SCORES.clip(1e-9)
TOP = LONG.sort_values("score", ascending=False).groupby("image").head(3)
SPARSE = SCORES.where(SCORES > 0.05)
BY_RANK = [sorted(CLASSES).index(CLASSES[k]) for k in CALLED]


def csv(table: pd.DataFrame, **how) -> bytes:
    return table.to_csv(index=False, **how).encode()


def with_ids(change) -> bytes:
    return csv(TABLE.assign(image=TABLE.image.map(change)))


def score(table: pd.DataFrame) -> float:
    read = ISIC.read_predictions(table.reset_index().to_csv(index=False).encode(), TRUTH)
    return ISIC.score(TRUTH, read, resamples=0).score


FOREIGN = {
    "cases in columns": (SCORES.T.to_csv().encode(), SCORES, "Read cases in columns as rows"),
    "cases in columns, named": (
        csv(SCORES.T.rename_axis("class").reset_index()), SCORES, "Read cases in columns as rows"
    ),
    "ids without zeros": (
        with_ids(lambda name: f"ISIC_{int(name[5:])}"), SCORES, "Read “ISIC_98001” as “ISIC_0098001”"
    ),
    "ids as numbers": (with_ids(lambda name: int(name[5:])), SCORES, "Read “98001” as “ISIC_0098001”"),
    "labels": (csv(LABELS), ONE_HOT, "Read 'prediction' as the class"),
    "labels in full": (
        csv(LABELS.assign(prediction=LABELS.prediction.map(NAMES))), ONE_HOT, "Read 'prediction' as the class"
    ),
    "HAM10000": (
        csv(pd.DataFrame({"image_id": LABELS.image, "dx": LABELS.prediction.str.lower()})),
        ONE_HOT, "Read 'dx' as the class", "Read column “image_id” as the case id",
    ),
    "indices": (
        csv(LABELS.assign(prediction=CALLED)), ONE_HOT,
        "Read 'prediction' as the class, numbers from 0 in the challenge's order",
    ),
    "indices from 1": (
        csv(LABELS.assign(prediction=CALLED + 1)), ONE_HOT,
        "Read 'prediction' as the class, numbers from 1 in the challenge's order",
    ),
    "indices of ImageFolder": (
        csv(LABELS.assign(prediction=BY_RANK)), ONE_HOT,
        "Read 'prediction' as the class, numbers from 0 in the alphabetical order",
    ),
    "outputs of ImageFolder": (
        csv(SCORES[sorted(CLASSES)].set_axis(range(7), axis=1).reset_index()), SCORES,
        "classes in alphabetical order",
    ),
    "the three highest": (
        csv(TOP), TOP.pivot(index="image", columns="class", values="score").fillna(0), "Read 0 in the "
    ),
    "long with gaps": (
        csv(LONG[LONG.score > 0.05]), SPARSE.fillna(0), "Read 0 in the "
    ),
    "JSON of columns with gaps": (
        ("{" + ", ".join(f'"{c}": {SPARSE[c].dropna().to_json()}' for c in CLASSES) + "}").encode(),
        SPARSE.fillna(0), "Read 0 in the ",
    ),
    "JSON by case with gaps": (
        ("{" + ", ".join(f'"{i}": {row.dropna().to_json()}' for i, row in SPARSE.iterrows()) + "}").encode(),
        SPARSE.fillna(0), "Read 0 in the ",
    ),
    "a column twice": (
        csv(TABLE.assign(twice=TABLE.MEL)).replace(b",twice", b",MEL", 1), SCORES,
        "Keep one of the equal columns “MEL”",
    ),
    "two columns of a name": (
        csv(TABLE.assign(twice=TABLE.NV)).replace(b",twice", b",MEL", 1), SCORES,
        "Keep column 2 of the columns “MEL”",
    ),
    "uint8": (csv(BYTES.reset_index()), BYTES / 255, "Divide the numbers by 255"),
    "percent": (csv(PERCENT.reset_index()), PERCENT / 100, "Divide the numbers by 100"),
    "percent signs": (
        csv(PERCENT.map(lambda p: f"{p:.4f}%").reset_index()), PERCENT / 100, "Read 45% as 0.45"
    ),
    "logits": (
        csv(np.log(CLIPPED).reset_index()), CLIPPED.div(CLIPPED.sum(axis=1), axis=0),
        "Read a softmax of the numbers of each case",
    ),
}  # fmt: skip


def offered(refused: InputRefused, label: str) -> InputChanges:
    fixes = distinct(fix for problem in refused.problems for fix in problem.fixes)
    return next(fix.changes for fix in fixes if label in fix.label)


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_offered_gives_the_score_of_what_the_table_holds(kind):
    data, meant, *labels = FOREIGN[kind]
    source, changes = data, InputChanges()
    for label in labels:
        with pytest.raises(InputRefused) as refused:
            ISIC.read_predictions(source, TRUTH, "p")
        changes = changes.joined(offered(refused.value, label))
        source = FixedSource(data, changes)
    read = ISIC.read_predictions(source, TRUTH, "p")
    card = ISIC.score(TRUTH, read, resamples=0)
    assert card.score == pytest.approx(score(meant), abs=1e-12)
    assert not card.official.same
    name, changed = ISIC.changed_file(TRUTH, read, source, "p.csv")
    as_handed_in = ISIC.score(TRUTH, ISIC.read_predictions(changed, TRUTH, name), resamples=0)
    assert as_handed_in.score == card.score
    assert as_handed_in.official.same or "last of 16 or more digits" in as_handed_in.official.reason


@pytest.mark.parametrize("kind", ["indices", "indices of ImageFolder", "outputs of ImageFolder"])
def test_two_readings_are_named_with_their_scores(kind):
    data, meant, _ = FOREIGN[kind]
    with pytest.raises(InputRefused) as refused:
        ISIC.read_predictions(data, TRUTH, "p")
    fixes = [f for f in distinct(f for p in refused.value.problems for f in p.fixes) if ": score " in f.label]
    told = {float(fix.label.rpartition(": score ")[2]) for fix in fixes}
    assert len(told) == 2
    assert max(told) == pytest.approx(score(meant), abs=1e-4)


@pytest.mark.parametrize("kind", FOREIGN)
def test_they_are_recognised(kind):
    name = "p.json" if kind.startswith("JSON") else "p.csv"
    (part,) = recognise({name: FOREIGN[kind][0]})
    best = part.readings[0]
    if kind != "percent signs":
        assert (best.challenge, best.place) == ("isic", "submission"), part.why_not


def test_nothing_is_offered_that_is_no_class():
    sites = csv(LABELS.assign(prediction=["arm", "leg"] * (len(LABELS) // 2)))
    ages = csv(pd.DataFrame({"image": TABLE.image, "age": CALLED, "size": CALLED}))
    for data in (sites, ages):
        with pytest.raises(InputRefused) as refused:
            ISIC.read_predictions(data, TRUTH, "p")
        assert not [fix for p in refused.value.problems for fix in p.fixes if fix.changes.edits]


@pytest.mark.parametrize("factor", [100, 255])
def test_a_scale_that_is_only_warned_of_has_its_button_too(factor):
    challenge = scoring.load_challenge("tricorder3")
    sample = next(iter(samples.test_sets("tricorder3").values()))
    truth = challenge.read_truth(sample.path)
    table = pd.read_csv(next(t for t in sample.submissions.values() if not t.is_model).path)
    numbers = table.columns[1:]
    table[numbers] = (table[numbers] * factor).round() if factor == 255 else table[numbers] * factor
    read = challenge.read_predictions(csv(table), truth, "p")
    card = challenge.score(truth, read, resamples=0)
    found = next(f for f in (*read.findings, *card.findings) if f.code in ("percent", "bytes"))
    (fix,) = found.fixes
    fixed = challenge.read_predictions(FixedSource(csv(table), fix.changes), truth, "p")
    assert fixed.outputs == pytest.approx(table[numbers].to_numpy() / factor, abs=1e-12)


def test_the_terminal_names_the_edit_that_mends(tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes(FOREIGN["uint8"][0])
    arguments = ("score", "isic", "--truth", str(SAMPLE.path), "--predictions", str(path), "--resamples", "0")
    assert run(*arguments).status == 2
    with pytest.raises(InputRefused) as refused:
        ISIC.read_predictions(path, TRUTH)
    (fix,) = distinct(fix for problem in refused.value.problems for fix in problem.fixes)
    assert list(flags_of(fix)) == ["--edit-table divide=255"]
    assert run(*arguments, "--edit-table", "divide=255").status == 0
    wrong = run(*arguments, "--edit-table", "divide=0,turn=yes")
    assert wrong.status == 2
    assert "above 0" in wrong.err
