"""The gallery: each file gives, on random data, the number of the official program or formula, which is
restated here in the plainest way or taken from scikit-learn and lifelines' definition."""

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import scoring
from scoring.challenges.declared import library
from scoring.challenges.samples import FOLDER

N = 400
BY_NAME = {file.name: file for file in library.known() if not file.is_own}


def table(frame: pd.DataFrame) -> bytes:
    text = io.StringIO()
    frame.to_csv(text, index=False)
    return text.getvalue().encode()


def scored(name: str, truth: pd.DataFrame, predictions: pd.DataFrame) -> scoring.ScoreCard:
    challenge = scoring.load_challenge(name)
    cases = challenge.read_truth(table(truth), "truth.csv")
    shuffled = predictions.sample(frac=1, random_state=0)
    submission = challenge.read_predictions(table(shuffled), cases, "predictions.csv")
    return challenge.score(cases, submission, resamples=0)


def random_labels(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A class a case, right in about half of them."""
    declaration, random = BY_NAME[name].declaration, np.random.default_rng(seed)
    classes = np.array(declaration.classes)
    truth = random.choice(classes, N, p=random.dirichlet(np.full(len(classes), 3)))
    called = np.where(random.random(N) < 0.5, truth, random.choice(classes, N))
    ids = [f"case {i}" for i in range(N)]
    columns, answers = declaration.truth, declaration.predictions
    return (
        pd.DataFrame({columns.case: ids, columns.label: truth}),
        pd.DataFrame({answers.case: ids, answers.label: called}),
    )


def random_scores(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A score a case, with ties; a fifth of the cases are positive."""
    declaration, random = BY_NAME[name].declaration, np.random.default_rng(seed)
    positive = random.random(N) < 0.2
    scores = np.round(1 / (1 + np.exp(-(random.normal(size=N) + 1.5 * positive - 0.5))), 2)
    (negative,) = (c for c in declaration.classes if c != declaration.positive)
    ids = [f"case {i}" for i in range(N)]
    columns, answers = declaration.truth, declaration.predictions
    return (
        pd.DataFrame({columns.case: ids, columns.label: np.where(positive, declaration.positive, negative)}),
        pd.DataFrame({answers.case: ids, answers.score: scores}),
    )


def random_columns(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Several labels a case, or one of several, a column each."""
    declaration, random = BY_NAME[name].declaration, np.random.default_rng(seed)
    k, ids = len(declaration.classes), [f"case {i}" for i in range(N)]
    truth = (random.random((N, k)) < 0.3).astype(int)
    if declaration.task == "classification":
        truth = np.eye(k, dtype=int)[random.integers(0, k, N)]
    scores = np.clip(np.round(0.3 * truth + 0.7 * random.random((N, k)), 2), 0.01, 0.99)
    case, names = declaration.truth.case, list(declaration.classes)
    return (
        pd.concat([pd.DataFrame({case: ids}), pd.DataFrame(truth, columns=names)], axis=1),
        pd.concat([pd.DataFrame({case: ids}), pd.DataFrame(scores, columns=names)], axis=1),
    )


def random_ages(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    random, ids = np.random.default_rng(seed), [f"case {i}" for i in range(N)]
    ages = random.integers(1, 229, N)
    guesses = np.round(ages + random.normal(0, 12, N), 1)
    return pd.DataFrame({"case": ids, "boneage": ages}), pd.DataFrame({"case": ids, "boneage": guesses})


def random_times(name: str, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    random, ids = np.random.default_rng(seed), [f"case {i}" for i in range(N)]
    risk = np.round(random.normal(size=N), 1)
    times = np.ceil(1000 * random.exponential(np.exp(-risk)))
    events = (random.random(N) < 0.4).astype(int)
    return (
        pd.DataFrame({"PatientID": ids, "RFS": times, "Relapse": events}),
        pd.DataFrame({"PatientID": ids, "Prediction": risk}),
    )


def of_labels(score: Callable[..., float]) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    return lambda truth, predictions: score(truth.iloc[:, 1], predictions.iloc[:, 1])


def of_scores(score: Callable[..., float], positive: str) -> Callable[[pd.DataFrame, pd.DataFrame], float]:
    return lambda truth, predictions: score(
        (truth.iloc[:, 1] == positive).astype(int), predictions.iloc[:, 1]
    )


def quadratic(truth, called) -> float:
    return metrics.cohen_kappa_score(truth, called, weights="quadratic")


def stages(truth, called) -> float:
    """CAMELYON17: stages are numbered in their order before the kappa."""
    places = {name: i for i, name in enumerate(("pN0", "pN0(i+)", "pN1mi", "pN1", "pN2"))}
    return quadratic(truth.map(places), called.map(places))


def pauc_above_80(truth, scores) -> float:
    """ISIC 2024, after the organizers' notebook: classes and scores are turned round, the partial area of
    scikit-learn is scaled back."""
    scaled = metrics.roc_auc_score(1 - truth, -scores, max_fpr=0.2)
    return 0.5 * 0.2**2 + (0.2 - 0.5 * 0.2**2) / (1.0 - 0.5) * (scaled - 0.5)


def mean_auc(truth, scores) -> float:
    columns = range(1, truth.shape[1])
    return np.mean([metrics.roc_auc_score(truth.iloc[:, k], scores.iloc[:, k]) for k in columns])


def hemorrhage(truth, scores) -> float:
    """RSNA 2019: the mean log loss of six columns, of which "any" counts twice."""
    total = 0.0
    for name in truth.columns[1:]:
        p = np.where(truth[name] == 1, scores[name], 1 - scores[name])
        total += (2 if name == "any" else 1) * -np.log(p).mean()
    return total / 7


def undecided_recall(truth, scores) -> float:
    """ISIC 2018: mean share right by class; a case whose largest score is shared counts as wrong."""
    values, true = scores.iloc[:, 1:].to_numpy(), truth.iloc[:, 1:].to_numpy().argmax(1)
    right = [y == row.argmax() and (row == row.max()).sum() == 1 for y, row in zip(true, values, strict=True)]
    return np.mean([np.mean([r for r, y in zip(right, true, strict=True) if y == k]) for k in set(true)])


def harrell(truth, risks) -> float:
    """HECKTOR 2022: pairs in which who has the event first has the higher risk; ties count half."""
    times, events, risk = truth["RFS"], truth["Relapse"], risks["Prediction"]
    good = pairs = 0.0
    for i in np.flatnonzero(events):
        later = (times > times[i]) | ((times == times[i]) & (events == 0))
        pairs += later.sum()
        good += (risk[later] < risk[i]).sum() + 0.5 * (risk[later] == risk[i]).sum()
    return good / pairs


def safe_scan(truth, scores) -> float:
    called = scores > 0.5
    f2 = metrics.fbeta_score(truth, called, beta=2)
    return 0.6 * f2 + 0.3 * metrics.accuracy_score(truth, called) + 0.1 * metrics.roc_auc_score(truth, scores)


OFFICIAL = {
    "camelyon17": (random_labels, of_labels(stages)),
    "aptos2019": (random_labels, of_labels(quadratic)),
    "retinopathy2015": (random_labels, of_labels(quadratic)),
    "panda": (random_labels, of_labels(quadratic)),
    "isic2016": (random_scores, of_scores(metrics.average_precision_score, "malignant")),
    "isic2017": (random_columns, mean_auc),
    "isic2018": (random_columns, undecided_recall),
    "isic2020": (random_scores, of_scores(metrics.roc_auc_score, "1")),
    "isic2024": (random_scores, of_scores(pauc_above_80, "1")),
    "rsna-hemorrhage": (random_columns, hemorrhage),
    "rsna-boneage": (random_ages, of_labels(metrics.mean_absolute_error)),
    "chexpert": (random_columns, mean_auc),
    "pcam": (random_scores, of_scores(metrics.roc_auc_score, "1")),
    "bach": (random_labels, of_labels(metrics.accuracy_score)),
    "hecktor2022": (random_times, harrell),
    "camelyon16": (random_scores, of_scores(metrics.roc_auc_score, "tumor")),
    "mura": (random_labels, of_labels(metrics.cohen_kappa_score)),
    "ubc-ocean": (random_labels, of_labels(metrics.balanced_accuracy_score)),
    "dsb2017": (random_scores, of_scores(metrics.log_loss, "1")),
    "rsna-miccai2021": (random_scores, of_scores(metrics.roc_auc_score, "1")),
    "safescan-melanoma": (random_scores, of_scores(safe_scan, "True")),
}


def test_every_file_is_held_to_its_official_number():
    tables = {name for name, file in BY_NAME.items() if file.declaration.task not in MASKS_AND_PLACES}
    assert set(OFFICIAL) == tables
    assert len(BY_NAME) >= 20
    assert set(BY_NAME) >= {
        *("camelyon17", "aptos2019", "panda", "isic2016", "isic2017", "isic2020", "isic2024"),
        *("rsna-hemorrhage", "rsna-boneage", "chexpert", "pcam", "bach", "siim-pneumothorax", "brats2021"),
        *("msd-hippocampus", "autopet2022", "luna16", "camelyon16", "midog2021", "hecktor2022", "lits17"),
    }


MASKS_AND_PLACES = ("segmentation", "points", "boxes")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", OFFICIAL)
def test_the_score_is_the_official_one(name, seed):
    make, official = OFFICIAL[name]
    truth, predictions = make(name, seed)
    if BY_NAME[name].declaration.uses[0].metric.needs == "probabilities" and name == "dsb2017":
        predictions.iloc[:, 1] = predictions.iloc[:, 1].clip(0.01, 0.99)
    assert scored(name, truth, predictions).score == pytest.approx(official(truth, predictions), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "built_in", "folder", "labels"),
    [
        ("safescan-melanoma", "melanoma", "melanoma", "labels.csv"),
        ("isic2018", "isic", "isic2018", "ISIC_2018_Sample_GroundTruth.csv"),
    ],
)
def test_a_built_in_challenge_written_as_a_file_gives_the_same_to_the_last_digit(
    name, built_in, folder, labels
):
    declared, other = scoring.load_challenge(name), scoring.load_challenge(built_in)
    truths = [challenge.read_truth(FOLDER / folder / labels) for challenge in (declared, other)]
    teams = sorted((FOLDER / folder / "teams").glob("*.csv"))
    assert len(teams) >= 4
    for team in teams:
        ours, theirs = (
            challenge.score(truth, challenge.read_predictions(team, truth), resamples=60)
            for challenge, truth in zip((declared, other), truths, strict=True)
        )
        assert ours.score == theirs.score, team.name
        assert (ours.arrays["score_replicates"] == theirs.arrays["score_replicates"]).all()
