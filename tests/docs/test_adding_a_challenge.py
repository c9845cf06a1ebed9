"""The page that tells how a challenge is added is held to the code."""

import re

import pytest

import scoring
from pages.shared import submissions
from pages.shared.challenge_page import ChallengePage
from sample_data.generator.catalogue import SAMPLES
from scoring import samples
from tests.support.command_line import ROOT, run

PAGE = (ROOT / "docs" / "adding-a-challenge.md").read_text(encoding="utf-8")
ALL, WITH_MODELS = (
    re.findall(r"^\| (`.+?) \|", part, re.MULTILINE)
    for part in PAGE.split("## 2.")[0].split("A challenge that scores models")
)


def told_of(challenge) -> list[str]:
    """The cells of the tables that hold for a challenge."""
    return ALL if hasattr(challenge, "NO_MODEL") else ALL + WITH_MODELS


@pytest.mark.parametrize("challenge_id", scoring.challenge_ids())
def test_every_challenge_has_every_name(challenge_id):
    challenge = scoring.load_challenge(challenge_id)
    names = [name for cell in told_of(challenge) for name in re.findall(r"`(\w+)", cell)]
    assert len(names) > 10
    assert [name for name in names if not hasattr(challenge, name)] == []


@pytest.mark.parametrize("challenge_id", scoring.challenge_ids())
def test_arguments_are_those_that_the_code_takes(challenge_id):
    challenge = scoring.load_challenge(challenge_id)
    for cell in told_of(challenge):
        for name, told in re.findall(r"`(\w+)\(([^)]*)\)`", cell):
            code = getattr(challenge, name).__code__
            taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            assert [argument for argument in told.split(", ") if argument not in ("...", *taken)] == []


def test_what_it_says_of_pages_and_samples_is_so():
    assert {"choices", "refused"} <= set(ChallengePage.__dataclass_fields__)
    assert callable(submissions.of_card)
    assert "isic2019" in SAMPLES
    assert set(samples.SETS) == set(scoring.challenge_ids())
    assert "isic" in run("challenges").out
    assert all((ROOT / "pages" / f"{challenge_id}.py").exists() for challenge_id in scoring.challenge_ids())


def test_it_is_one_page():
    assert len(PAGE.splitlines()) < 80
