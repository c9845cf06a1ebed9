"""What a card says of the official scorer, against that scorer itself, for files that it reads otherwise."""

from collections.abc import Callable

import pytest

from scoring import load_challenge
from scoring.common.fixes import InputChanges
from scoring.inputs.sources import FixedSource
from tests.challenges.isic.peer import official
from tests.support import category_tables
from tests.support.category_tables import IDS
from tests.support.lesion_tables import table

isic = load_challenge("isic")
TRUTH, GOOD = category_tables.truth(), category_tables.predictions()
Rename = Callable[[int, str], str]


def renamed(data: bytes, name: Rename) -> bytes:
    """The table with other ids. name: (row from 1, id) -> the id."""
    head, *rows = data.decode().splitlines()
    cut = (row.split(",", 1) for row in rows)
    return "\n".join(
        [head, *(f"{name(i, case)},{rest}" for i, (case, rest) in enumerate(cut, 1)), ""]
    ).encode()


def both(name: Rename) -> tuple[bytes, bytes]:
    return renamed(TRUTH, name), renamed(GOOD, name)


def with_column(name: str, *values: object) -> bytes:
    head, *rows = TRUTH.decode().splitlines()
    cells = [f"{row},{values[i % len(values)]}" for i, row in enumerate(rows)]
    return "\n".join([f"{head},{name}", *cells, ""]).encode()


def of_two(*scores: str) -> tuple[bytes, bytes]:
    """Four cases of two categories and the scores of the first."""
    truth = category_tables.truth(IDS[:4], ["MEL", "NV", "MEL", "NV"], ("MEL", "NV"))
    rows = [[case, score, "0.3"] for case, score in zip(IDS, scores, strict=False)]
    return truth, table(("image", "MEL", "NV"), *rows)


ODD = {
    "usual": (TRUTH, GOOD),
    "decimal ids": both(lambda i, _: f"{i}.1"),
    "ids with zeros behind": both(lambda i, _: f"{i}.10"),
    "ids with an exponent": both(lambda i, _: f"{i}e5"),
    "whole ids": both(lambda i, _: f"{i}"),
    "negative ids": both(lambda i, _: f"-{i}"),
    "an infinite id": both(lambda i, _: "inf" if i == 1 else f"{i}.5"),
    "numbers among names": both(lambda i, case: f"{i}.1" if i < 4 else case),
    "NA": both(lambda i, case: "NA" if i == 1 else case),
    "n/a": both(lambda i, case: "n/a" if i == 1 else case),
    "NA twice": both(lambda i, case: {1: "#N/A", 2: "<NA>"}.get(i, case)),
    "nan twice": both(lambda i, case: {1: "-nan", 2: "1.#IND"}.get(i, case)),
    "points in names": both(lambda i, _: f"v1.{i}x"),
    "inner blanks": both(lambda i, _: f"my case {i}"),
    "inner blanks, .jpg there": (
        renamed(TRUTH, lambda i, _: f"my case {i}"),
        renamed(GOOD, lambda i, _: f"my case {i}.jpg"),
    ),
    "numbers, .jpg there": (renamed(TRUTH, lambda i, _: f"{i}"), renamed(GOOD, lambda i, _: f"{i}.jpg")),
    "folders in both": both(lambda _, case: f"d/{case}"),
    "folders with numbers": both(lambda i, _: f"d/{i}"),
    "folders in the truth": (renamed(TRUTH, lambda _, case: f"d/{case}"), GOOD),
    "folders in the predictions": (TRUTH, renamed(GOOD, lambda _, case: f"d/{case}")),
    "blanks behind in both": both(lambda _, case: f"{case} "),
    "blanks behind": (TRUTH, renamed(GOOD, lambda _, case: f"{case} ")),
    ".png in both": both(lambda _, case: f"{case}.png"),
    ".png in the predictions": (TRUTH, renamed(GOOD, lambda _, case: f"{case}.png")),
    ".jpg in both": both(lambda _, case: f"{case}.jpg"),
    ".jpg in the truth": (renamed(TRUTH, lambda _, case: f"{case}.jpg"), GOOD),
    ".jpg in the predictions": (TRUTH, renamed(GOOD, lambda _, case: f"{case}.JPG")),
    "no validation weight": (with_column("validation_weight", 0), GOOD),
    "some validation weights": (with_column("validation_weight", 1, 1, 1, 1, 0, 0), GOOD),
    "half weights": (with_column("score_weight", 0.5), GOOD),
    "no weight for a category": (with_column("score_weight", 1, 1, 0), GOOD),
    "a unit column": (with_column("patient_id", "a", "b"), GOOD),
    "ties written in two ways": of_two("0.7", "0.69999999999999996", "0.8", "0.2"),
    "ties written in one way": of_two("0.7", "0.7", "0.8", "0.2"),
}


@pytest.mark.parametrize("metric", ["balanced_accuracy", "auc", "ap"])
def test_same_is_what_the_official_scorer_says(metric):
    answers = official([(*files, metric) for files in ODD.values()])
    for name, (truth, predictions), said in zip(ODD, ODD.values(), answers, strict=True):
        cases = isic.read_truth(truth, "truth.csv")
        card = isic.score(cases, isic.read_predictions(predictions, cases), metric=metric, resamples=0)
        if card.official.same:
            assert (name, card.score) == (name, pytest.approx(said.get("overall"), abs=5e-15))
        else:  # nothing is claimed where ties hang on the last digit
            rounded = any(finding.code == "official-rounding" for finding in card.findings)
            assert (name, "overall" in said and not rounded) == (name, False)


MENDED = {
    "prefixes": (
        GOOD.replace(b",MEL,NV,BCC", b",prob_MEL,prob_NV,prob_BCC"),
        {"columns": (("prob_*", "*"),)},
    ),
    "exchanged": (GOOD, {"columns": (("MEL", "NV"), ("NV", "MEL"))}),
    "names of cases": (GOOD.replace(b"ISIC", b"my_ISIC"), {"cases": (("my_*", "*"),)}),
    "decimal commas": (GOOD.replace(b"0.", b"0,"), {"decimal_commas": True}),
    "other separators": (GOOD.replace(b",", b"|"), {"delimiter": "|"}),
    "twice": (GOOD + GOOD.split(b"\n")[1] + b"\n", {"repeated": ("identical", "")}),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_mended_file_is_judged_as_it_was_given(name):
    given, changes = MENDED[name]
    cases = isic.read_truth(TRUTH, "truth.csv")
    read = isic.read_predictions(FixedSource(given, InputChanges(**changes)), cases, "p.csv")
    card = isic.score(cases, read, resamples=0)
    (said,) = official([(TRUTH, given, "balanced_accuracy")])
    assert (card.official.same, card.official.score) == (False, None)
    assert said.get("refused", "as given").split(":")[0] in card.official.reason


def test_a_mended_test_set_is_not_the_official_one():
    changes = InputChanges(columns=(("x_*", "*"),))
    given = TRUTH.replace(b",MEL,NV,BCC", b",x_MEL,x_NV,x_BCC")
    cases = isic.read_truth(FixedSource(given, changes), "truth.csv")
    card = isic.score(cases, isic.read_predictions(GOOD, cases), resamples=0)
    assert not card.official.same
