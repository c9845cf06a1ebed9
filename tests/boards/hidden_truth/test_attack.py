"""An attack with a participant's rights: crafted files, scored again and again, and what they tell."""

from collections.abc import Callable
from uuid import uuid4

import numpy as np
import pytest

from scoring.boards.hidden_truth.visible_results import HiddenRules
from scoring.boards.submissions import participant
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.common.findings import InputRefused
from tests.support.hidden_boards import OPEN, PAUL, acting, hidden_board

CASES = [f"canary{i:03}" for i in range(200)]
ILL = np.random.default_rng(5).permutation(200) < 100
"""Drawn and balanced, so that guessing is right in half of the cases."""
Answer = Callable[[np.ndarray], float | None]
"""What is told of an answer for each case: a score, or of the classes what `told` of `gain` reads."""
UNLIMITED = Phase("unlimited")


def one_case_at_a_time(answer: Answer, tries: int, draw: np.random.Generator) -> np.ndarray:
    """Turn one case around and keep it so where the score rises; begin with chance."""
    kept = draw.random(len(CASES)) < 0.5
    best = answer(kept)
    order = draw.permutation(len(CASES))
    for place in range(tries - 1):
        tried = kept.copy()
        tried[order[place % len(order)]] ^= True
        score = answer(tried)
        if score is not None and (best is None or score > best):
            kept, best = tried, score
    return kept


def vote(answer: Answer, tries: int, draw: np.random.Generator) -> np.ndarray:
    """Let random answers vote, those below the middle turned around (Blum and Hardt 2015)."""
    drawn, scores = [], []
    for _ in range(tries):
        one = draw.random(len(CASES)) < 0.5
        score = answer(one)
        drawn.append(one)
        scores.append(np.nan if score is None else score)
    values = np.array(scores)
    if np.isfinite(values).sum() == 0:
        return drawn[0]
    middle = np.nanmedian(values)
    signs = np.where(np.isnan(values), 0, np.sign(values - middle))
    if not signs.any():
        signs = np.isfinite(values).astype(float)
    return (signs[:, None] * (2.0 * np.array(drawn) - 1)).sum(axis=0) > 0


def block_at_a_time(answer: Answer, tries: int, draw: np.random.Generator) -> np.ndarray:
    """Turn blocks around, as whoever knows the Ladder would, so that steps add up until it shows."""
    kept = draw.random(len(CASES)) < 0.5
    best = answer(kept)
    for place in range(tries - 1):
        size = (1, 10, 20, 40)[place % 4]
        tried = kept.copy()
        tried[draw.permutation(len(CASES))[:size]] ^= True
        score = answer(tried)
        if score is not None and (best is None or score > best):
            kept, best = tried, score
    return kept


def counts(answer: Answer, tries: int, draw: np.random.Generator) -> np.ndarray:
    """Name random halves ill: their precision counts who is. So many equations, so many labels."""
    drawn, shares = [], []
    for _ in range(tries):
        one = draw.random(len(CASES)) < 0.5
        share = answer(one)
        if share is None:
            continue
        drawn.append(one)
        shares.append((share - 0.5) * one.sum())
    if not drawn:
        return draw.random(len(CASES)) < 0.5
    return np.linalg.lstsq(np.array(drawn, float), np.array(shares), rcond=None)[0] > 0


def score_of(found: participant.SubmissionFeedback) -> float | None:
    return found.score


def precision_of(found: participant.SubmissionFeedback) -> float | None:
    """Return the precision of the ill, where classes are told."""
    return found.classes["positive"]["precision"] if found.classes else None


def gain(
    folder, attack, tries: int, known: HiddenRules, phase: Phase = UNLIMITED, read=score_of
) -> tuple[float, int]:
    """Return the share of cases that an attack gets right, above one half, and how many were scored. read:
    what the attack takes of what is told."""
    board = acting(hidden_board(folder, known, phase, labels=dict(zip(CASES, ILL, strict=True))), PAUL)
    scored, told = 0, []

    def answer(wanted: np.ndarray) -> float | None:
        nonlocal scored
        rows = "\n".join(f"{case},{0.9 if one else 0.1}" for case, one in zip(CASES, wanted, strict=True))
        try:
            found = participant.submit(
                board, "alpha", "p.csv", f"filename,score\n{rows}\n".encode(), {}, uuid4().hex
            )
        except InputRefused as refused:
            told.append(refused)
            return None
        scored += not found.again
        assert (found.interval, found.cases, found.findings) == (None, (), ())
        assert known.detail == "classes" or not found.classes
        assert found.score is None or found.score == round(found.score, 3)
        return read(found)

    learnt = attack(answer, tries, np.random.default_rng(7))
    assert {one.code for refused in told for one in refused.problems} <= {
        *("limit-reached", "refused-limit", "unchanged-limit")
    }
    assert "canary" not in str(told)
    return float((learnt == ILL).mean() - 0.5), scored


def test_within_the_usual_limits_an_attack_learns_what_chance_gives(place, tmp_path):
    found, scored = gain(tmp_path, one_case_at_a_time, 7, HiddenRules(), OPEN)
    assert scored == OPEN.per_day
    assert abs(found) < 0.1


@pytest.mark.slow
def test_the_ladder_shows_an_attack_hardly_anything(place, tmp_path):
    known = HiddenRules(step=round(1 / np.sqrt(len(CASES)), 3))
    found, scored = gain(tmp_path, one_case_at_a_time, 12, known)
    assert scored == 12
    assert abs(found) < 0.1


@pytest.mark.parametrize(
    ("tries", "step", "phase", "least", "most"),
    [
        (7, None, OPEN, -0.1, 0.12),
        pytest.param(300, None, UNLIMITED, 0.45, 0.5, marks=pytest.mark.soak),
        pytest.param(300, 0.071, UNLIMITED, -0.1, 0.12, marks=pytest.mark.soak),
        pytest.param(1000, None, OPEN, -0.1, 0.12, marks=pytest.mark.soak),
    ],
    ids=["few", "neither", "ladder", "limits"],
)
def test_rates_of_classes_tell_the_truth_unless_limits_stop_it(
    place, tmp_path, tries, step, phase, least, most
):
    known = HiddenRules("classes", step)
    found, scored = gain(tmp_path, counts, tries, known, phase, precision_of)
    print(f"\ncounts, {tries} tries, step {step}, {phase.name}: {scored} scored, gain {found:+.3f}")
    assert least <= found <= most


@pytest.mark.soak
@pytest.mark.parametrize("attack", [one_case_at_a_time, vote, block_at_a_time], ids=lambda one: one.__name__)
@pytest.mark.parametrize(
    ("step", "phase", "most"),
    [(None, UNLIMITED, 0.5), (0.071, UNLIMITED, 0.25), (None, OPEN, 0.1), (0.071, OPEN, 0.1)],
    ids=["neither", "ladder", "limits", "both"],
)
def test_a_thousand_tries(place, tmp_path, attack, step, phase, most, record_property):
    found, scored = gain(tmp_path, attack, 1000, HiddenRules(step=step), phase)
    record_property("gain", found)
    print(f"\n{attack.__name__}, step {step}, {phase.name}: {scored} scored, gain {found:+.3f}")
    assert found <= most
