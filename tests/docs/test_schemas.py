"""The schemas of the JSON files: what is written fits them, and what is wrong does not. For golden cases:
tests/golden/test_golden.py."""

import json
import math
from collections.abc import Callable
from itertools import islice

import pytest
from jsonschema import Draft202012Validator

import scoring
from scoring.challenges import samples
from tests.support import schemas
from tests.support.command_line import run
from tests.support.golden import FOLDER, answered

SETS = [
    (challenge, test_set)
    for challenge in scoring.challenge_ids()
    for test_set in samples.test_sets(challenge).values()
]
TABLES = FOLDER / "isic" / "by-hand"
MODEL = FOLDER / "isic" / "model"


@pytest.mark.parametrize("name", schemas.SCHEMAS)
def test_every_schema_is_one(name):
    Draft202012Validator.check_schema(schemas.SCHEMAS[name])


@pytest.mark.parametrize(("challenge", "test_set"), SETS, ids=lambda value: getattr(value, "name", value))
def test_what_samples_write_fits(challenge, test_set):
    sent = ((key, team.path) for key, team in test_set.submissions.items() if not team.is_model)
    (key, path), other = islice(sent, 2)
    given = "--truth", test_set.path, "--resamples", 20
    metadata = ("--metadata", test_set.metadata) if test_set.metadata else ()
    finished = run("score", challenge, *given, *metadata, "--predictions", path, "--json", "-")
    assert schemas.problems("scorecard", finished.out) == []
    finished = run("compare", challenge, *given, f"{key}={path}", "=".join(map(str, other)), "--json", "-")
    assert schemas.problems("comparison", finished.out) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--predictions", TABLES / "predictions.csv", "--truth", TABLES / "truth.csv"),
        ("--model", MODEL / "model.onnx", "--truth", MODEL / "data"),
    ],
    ids=["predictions", "model"],
)
def test_what_check_writes_fits(arguments):
    assert schemas.problems("check", run("check", "isic", *arguments, "--json", "-").out) == []


def test_what_wrong_arguments_write_fits():
    finished = run("score", "isic", "--json", "-")
    assert finished.status == 2
    assert schemas.problems("refusal", finished.out) == []


def written(name: str) -> dict:
    """Return the answer of a golden case that may be changed."""
    return answered(FOLDER / name).json


CARD, COMPARISON, REFUSAL = "tricorder3/06-ties-sigmoids", "compare/01-isic-4-teams", "isic/refused-truth"
WRONG = {
    "NaN": lambda card: card["metrics"].update(accuracy=math.nan),
    "infinite": lambda card: card.update(score=math.inf),
    "a number as text": lambda card: card.update(score="0.5"),
    "unknown level": lambda card: card["findings"][0].update(level="fatal"),
    "an error in a card": lambda card: card["findings"][0].update(level="error"),
    "a code in capitals": lambda card: card["findings"][0].update(code="Absent_Class"),
    "a finding without its place": lambda card: card["findings"][0].pop("where"),
    "a further key": lambda card: card.update(verdict=1),
    "a key of another challenge": lambda card: card.update(survival={}),
    "an interval without replicates": lambda card: card["intervals"].update(score=[0.1, 0.2]),
    "a case without its id": lambda card: card["cases"][0].pop("case"),
    "a digest that is none": lambda card: card["provenance"].update(truth_sha256="0"),
    "a negative count": lambda card: card.update(n_cases=-1),
    "a model that is not shown": lambda card: card["provenance"].update(
        model_sha256="0" * 64, predictions_sha256=None
    ),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_wrong_card_does_not_fit(change: Callable[[dict], object]):
    card = written(CARD)
    change(card)
    assert schemas.problems("scorecard", json.dumps(card)) != []


@pytest.mark.parametrize("name", [CARD, COMPARISON, REFUSAL])
def test_no_key_that_every_answer_has_may_be_left_out(name):
    answer = written(name)
    kind = schemas.kind_of(answer)
    needed = schemas.SCHEMAS[f"{kind}.schema.json"]["required"]
    assert set(needed) <= set(answer)
    for key in answer:
        rest = {other: value for other, value in answer.items() if other != key}
        assert schemas.problems(kind, json.dumps(rest)) != [], key


def test_a_problem_is_an_error():
    answer = written(REFUSAL)
    answer["problems"][0]["level"] = "warning"
    assert schemas.problems("refusal", json.dumps(answer)) != []


def test_a_challenge_that_is_not_listed_may_have_keys_of_its_own():
    card = written(CARD)
    assert schemas.problems("scorecard", json.dumps({**card, "challenge": "another", "depth": 1})) == []
