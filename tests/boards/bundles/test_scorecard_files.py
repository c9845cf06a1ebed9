"""Scorecards as files: a comparison of what was read back is that of the cards themselves."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scoring.boards import serialization
from scoring.challenges import load_challenge, samples
from scoring.common.findings import InputRefused
from scoring.comparison.compare import compare_cards, ranks_of
from scoring.core.scorecard import ScoreCard


def scored(challenge_id: str) -> dict[str, ScoreCard]:
    """Return the cards of two teams of the first sample."""
    challenge = load_challenge(challenge_id)
    test_set = next(iter(samples.test_sets(challenge_id).values()))
    truth = challenge.read_truth(test_set.path)
    teams = [one for one in test_set.submissions.values() if not one.is_model][:2]
    read = {team.title: (challenge.read_predictions(team.path, truth), team.options) for team in teams}
    return {
        name: challenge.score(truth, predictions, resamples=20, with_curves=False, **options)
        for name, (predictions, options) in read.items()
    }


@cache
def scored_once() -> ScoreCard:
    return next(iter(scored("melanoma").values()))


@pytest.mark.parametrize(
    "challenge_id",
    [
        "melanoma",
        "tricorder3",
        pytest.param("isic", marks=pytest.mark.soak),
        pytest.param("puma", marks=pytest.mark.soak),
        pytest.param("hecktor2026", marks=pytest.mark.soak),
    ],
)
def test_what_was_read_back_compares_alike(challenge_id):
    challenge, own = load_challenge(challenge_id), scored(challenge_id)
    packed = {name: serialization.card_to_bytes(card) for name, card in own.items()}
    read = {name: serialization.card_from_bytes(data) for name, data in packed.items()}
    assert {name: card.to_json() for name, card in read.items()} == {
        name: card.to_json() for name, card in own.items()
    }
    assert {name: serialization.card_to_bytes(card) for name, card in read.items()} == packed
    found = compare_cards(challenge, own)
    assert compare_cards(challenge, read).to_json() == found.to_json()
    scores = {name: card.score for name, card in read.items()}
    assert ranks_of(challenge, scores, read.__getitem__) == found.ranks


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"{}"])
def test_what_is_no_card_is_refused(data):
    with pytest.raises(InputRefused, match="bad-card"):
        serialization.card_from_bytes(data)


@given(st.sets(st.text(st.sampled_from("aA/\\. %ß2é"), min_size=1, max_size=4), min_size=1, max_size=4))
@example({"a", "A"})
@example({"/x", "x/", "a//b", "..", "a\\b"})
@example({"\u00e9", "e\u0301", "0", "1"})
def test_classes_may_have_any_names(classes):
    """Names of arrays contain those of classes. As names in a zip, some left its folder."""
    arrays = {f"roc/{name}": np.full(3, k) for k, name in enumerate(sorted(classes))}
    card = replace(scored_once(), arrays=arrays)
    read = serialization.card_from_bytes(serialization.card_to_bytes(card)).arrays
    assert {name: array.tolist() for name, array in read.items()} == {
        n: a.tolist() for n, a in arrays.items()
    }
