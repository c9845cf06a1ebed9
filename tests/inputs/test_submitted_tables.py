"""Submissions in several tables, which are joined or asked about, and in cells as programs write them."""

import io
import zipfile

import pandas as pd
import pytest

from scoring.challenges import load_challenge, samples
from scoring.challenges.recognition import recognise
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges
from scoring.inputs.sources import FixedSource
from tests.support.findings import only, refused

TEAMS = {"melanoma": "fornax", "tricorder3": "delphi", "isic": "nova"}
SETS = {"isic": "isic2018"}


def read_set(challenge_id):
    return load_challenge(challenge_id).read_truth(
        samples.test_sets(challenge_id)[SETS.get(challenge_id, "sample")].path
    )


def team(challenge_id: str) -> pd.DataFrame:
    folder = samples.FOLDER / SETS.get(challenge_id, challenge_id)
    return pd.read_csv(folder / "teams" / f"{TEAMS[challenge_id]}.csv")


def as_csv(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False).encode()


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def score_of(challenge_id, source, changes=InputChanges()):
    challenge, truth = load_challenge(challenge_id), read_set(challenge_id)
    read = challenge.read_predictions(FixedSource(source, changes) if changes else source, truth)
    return challenge.score(truth, read, resamples=0)


@pytest.mark.parametrize("challenge_id", TEAMS)
@pytest.mark.parametrize("form", ["files", "zip"])
def test_parts_of_a_table_are_one_submission_and_disclosed(challenge_id, form):
    whole = team(challenge_id)
    turned = whole.iloc[40:][[whole.columns[0], *reversed(whole.columns[1:])]]
    files = {"a.csv": as_csv(whole.iloc[:40]), "b.csv": as_csv(turned)}
    dropped = files if form == "files" else {"p.zip": zipped(files)}
    (part,) = recognise(dropped)
    assert part.files == tuple(dropped)
    assert (part.readings[0].challenge, part.readings[0].place) == (challenge_id, "submission")
    card = score_of(challenge_id, files if form == "files" else dropped["p.zip"])
    assert card.score == score_of(challenge_id, as_csv(whole)).score
    assert not card.official.same


@pytest.mark.parametrize("challenge_id", TEAMS)
def test_folds_are_asked_about_and_their_mean_comes_first(challenge_id):
    one = team(challenge_id)
    other, numbers = one.copy(), list(one.columns[1:])
    other[numbers] = 0.75 * other[numbers] + 0.25 * other[numbers].sample(frac=1, random_state=1).to_numpy()
    both, mean = {"fold_0.csv": as_csv(one), "fold_1.csv": as_csv(other)}, one.copy()
    mean[numbers] = (one[numbers] + other[numbers]) / 2
    challenge, truth = load_challenge(challenge_id), read_set(challenge_id)
    with pytest.raises(InputRefused) as caught:
        challenge.read_predictions(both, truth)
    fixes = next(problem.fixes for problem in caught.value.problems if problem.code == "duplicate-case")
    wanted = [score_of(challenge_id, as_csv(table)).score for table in (mean, one, other)]
    assert [fix.changes.repeated[0] for fix in fixes] == ["mean", "first", "last"]
    scores = [score_of(challenge_id, both, fix.changes).score for fix in fixes]
    assert scores == pytest.approx(wanted)
    shown = [f"{100 * s:.2f}" if challenge.scoring.as_points else f"{s:.4f}" for s in scores]
    assert [fix.label.rpartition("score ")[2] for fix in fixes] == shown
    card = score_of(challenge_id, both, fixes[0].changes)
    assert not card.official.same
    assert "the mean of rows with the same" in only(card.findings, "mended").message


def test_a_truth_is_no_fold_of_a_submission():
    scores = team("isic")
    truth = (samples.FOLDER / "isic2018" / "ISIC_2018_Sample_GroundTruth.csv").read_bytes()
    call = load_challenge("isic").read_predictions
    problem, *_ = refused(call, {"a.csv": truth, "b.csv": as_csv(scores)}, read_set("isic")).problems
    assert problem.code == "ambiguous-table"


def test_decisions_have_no_mean():
    names = team("melanoma").filename
    calls = pd.DataFrame({"filename": names, "score": [0, 1] * 75})
    several = as_csv(pd.concat([calls, calls.assign(score=1 - calls.score)]))
    problem, *_ = refused(load_challenge("melanoma").read_predictions, several, read_set("melanoma")).problems
    assert [fix.changes.repeated[0] for fix in problem.fixes] == ["first", "last"]


def test_the_mean_leaves_out_what_has_none():
    rows = pd.concat([team("melanoma").assign(fold=1, by="a"), team("melanoma").assign(fold=2, by="b")])
    mean = InputChanges(repeated=("mean", "filename"))
    card = score_of("melanoma", as_csv(rows), mean)
    assert card.score == score_of("melanoma", as_csv(team("melanoma"))).score


@pytest.mark.parametrize(
    "form",
    ["[{}]", "tensor({})", "tensor([{}], device='cuda:0')", "np.float32({})", "[np.float64({})]"],
)
def test_numbers_as_numpy_and_pytorch_write_them_are_read(form):
    table = team("melanoma")
    written = table.assign(score=[form.format(score) for score in table.score])
    card = score_of("melanoma", as_csv(written))
    assert card.score == score_of("melanoma", as_csv(table)).score
    assert not card.official.same


def test_lists_of_tensors_have_a_column_for_each_entry():
    table = team("tricorder3")
    rows = [f"tensor({row}, grad_fn=<SoftmaxBackward0>)" for row in table.iloc[:, 1:].to_numpy().tolist()]
    written = as_csv(pd.DataFrame({"filename": table.filename, "probs": rows}))
    call = load_challenge("tricorder3").read_predictions
    fix = refused(call, written, read_set("tricorder3")).problems[0].fixes[0]
    card = score_of("tricorder3", written, fix.changes)
    assert card.score == score_of("tricorder3", as_csv(table)).score
