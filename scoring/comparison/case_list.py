"""Case lists: truth, prediction and lost points of each case, for a grid of pictures; how hard each case is
for all teams, and how much teams disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.comparison import score_units
from scoring.comparison.compare import Comparison
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.number_format import decimal
from scoring.statistics.permutation_test import UNIT_SUMS

CONFIDENT = 0.9


@dataclass(frozen=True)
class Correctness:
    """How right each team is in each of N cases.

    Attributes:
        teams: The A teams, best first.
        values: Values [N, A], whose direction and range are in `quantity`; if they are shares, 1 means
            right. NaN: the case does not count.
        n_right: Sum of `values` over the teams [N].
        entropy: Entropy of the teams' labels in bits [N]; 0 if all agree or there are no labels.
        order: Cases [N], hardest first; equally hard cases by decreasing entropy.
    """

    cases: tuple[str, ...]
    teams: tuple[str, ...]
    values: Floats
    n_right: Floats
    entropy: Floats
    order: Ints
    quantity: Quantity = SHARE

    @property
    def graded(self) -> bool:
        """Whether a case can be partly right."""
        return self.quantity != SHARE or bool(((self.values > 0) & (self.values < 1)).any())


def correctness(comparison: Comparison) -> Correctness:
    """Return how right each team is in each case, and the order of the cases by difficulty."""
    cards = list(comparison.cards.values())
    values = np.column_stack([comparison.spec.correct(card) for card in cards])
    n_right = np.round(values.sum(1), 12)
    entropy = _entropy(cards)
    counted = np.flatnonzero(~np.isnan(n_right))
    quantity = comparison.spec.case_value
    rightness = quantity.oriented(n_right[counted])
    order = counted[np.lexsort((counted, -np.round(entropy[counted], 12), rightness))]
    ids = tuple(str(row["case"]) for row in cards[0].cases)
    return Correctness(ids, tuple(comparison.cards), values, n_right, entropy, order, quantity)


def _entropy(cards: Sequence[ScoreCard]) -> Floats:
    if not all("predicted" in card.arrays for card in cards):
        return np.zeros(cards[0].n_cases)
    labels = np.column_stack([card.arrays["predicted"] for card in cards])
    shares = np.stack([(labels == label).mean(1) for label in np.unique(labels)])
    entropy: Floats = -np.sum(shares * np.log2(np.where(shares > 0, shares, 1)), axis=0)
    return entropy


def only_right(correct: Correctness, team: str) -> Ints:
    """Return the cases that only this team got right, hardest first."""
    right = correct.values == 1
    column = correct.teams.index(team)
    return _hardest_first(correct, right[:, column] & (right.sum(1) == 1))


def right_and_wrong(correct: Correctness, a: str, b: str) -> Ints:
    """Return the cases on which team a is better than team b, hardest first. For labels, these are the cases
    that a got right and b wrong."""
    values = correct.quantity.oriented(correct.values)
    return _hardest_first(correct, values[:, correct.teams.index(a)] > values[:, correct.teams.index(b)])


def wrong_and_confident(
    correct: Correctness, cards: Mapping[str, ScoreCard], least: float = CONFIDENT
) -> Ints:
    """Return cases that all teams got wrong, and to whose wrong label at least one team gave an output of
    `least` or more. The true labels of these cases may be wrong. Empty if no card has outputs."""
    sure = np.zeros(len(correct.cases), bool)
    for card in cards.values():
        if "outputs" in card.arrays and correct.quantity == SHARE:
            sure |= _confidence(card) >= least
    return _hardest_first(correct, ~(correct.values > 0).any(1) & sure)


def _confidence(card: ScoreCard) -> Floats:
    """Return the confidence of each case [N]: its largest output, or max(risk, 1 - risk); 0 if outputs are
    missing or any is outside 0..1."""
    outputs: Floats = np.nan_to_num(card.arrays["outputs"])
    if outputs.min() < 0 or outputs.max() > 1:
        return np.zeros(len(outputs))
    largest: Floats = outputs.max(1) if outputs.shape[1] > 1 else np.maximum(outputs[:, 0], 1 - outputs[:, 0])
    return largest


def _hardest_first(correct: Correctness, chosen: Bools) -> Ints:
    return correct.order[chosen[correct.order]]


def counted_right(correct: Correctness) -> Ints:
    """Return, for each k from 0 to A, how many cases exactly k of the A teams answered correctly [A + 1]."""
    return np.bincount((correct.values[correct.order] == 1).sum(1), minlength=len(correct.teams) + 1)


ANY = "any"
RESULTS, CHANGES = ("all", "mistakes", "right"), ("fixed", "broken")
POINTS = "points"
ORDERS = ("points lost", "score", "case")
SCORES = ("truth_score", "output")
"""Keys of a case's row that contain the model's output for the true class."""
NO_GROUPS = ("case", "truth", "predicted", "mask")
"""Keys of a case's row that do not define groups."""
MOST_GROUPS = 20
"""Maximum number of groups from one column."""


@dataclass(frozen=True)
class CaseList:
    """The cases of a scorecard, in the order of the scorecard.

    Attributes:
        truth: True class of each case as text; empty if cases have none.
        called: Predicted class of each case, "" if there is none; empty if cases have no class.
        right: 1 for a right case, 0 for a wrong one, a value between for a partly right one; NaN for a case
            that does not count.
        score: Output for the true class, or the degree to which the case is right; NaN if unknown.
        lost: Amount by which the score would rise without the unit of the case (lesion, patient); if this is
            unknown, the degree to which the case is wrong.
        unit: Unit of `lost`: "points" or "of the score"; "" if `lost` only orders the cases.
        groups: Name of a group, such as "gender: female" -> whether each case belongs to the group.
        changed: 1 for a case that improved since an earlier submission, -1 for one that became worse; None
            without an earlier submission.
    """

    names: Sequence[str]
    truth: Sequence[str]
    called: Sequence[str]
    right: Floats
    score: Floats
    lost: Floats
    unit: str
    groups: Mapping[str, Bools]
    changed: Floats | None = None


@dataclass(frozen=True)
class CaseFilter:
    """Filter and order of cases.

    Attributes:
        result: One of `RESULTS` or `CHANGES`.
        truth: True class, or `ANY`.
        called: Predicted class, "" for no prediction, or `ANY`.
        groups: Names in `CaseList.groups`; a case must belong to all these groups.
        scores: Lowest and highest score; None: all cases, also those without a score.
        order: "points lost" (most first), "score" (lowest first), or "case", the order of the test set.
    """

    result: str = "all"
    truth: str = ANY
    called: str = ANY
    groups: Sequence[str] = ()
    scores: tuple[float, float] | None = None
    order: str = ORDERS[0]


def case_list(challenge: Challenge[Any, Any], card: ScoreCard, earlier: ScoreCard | None = None) -> CaseList:
    """Return the cases of a scorecard.

    Args:
        earlier: Scorecard of another submission on the same cases; None: no changes are shown.

    Returns:
        The list.
    """
    spec, rows = challenge.comparison, card.cases
    right = spec.case_value.oriented(spec.correct(card))
    key = next((name for name in SCORES if rows and name in rows[0]), None)
    score = right if key is None else np.array([row.get(key) for row in rows], float)
    changed = None
    if earlier is not None and [row["case"] for row in earlier.cases] == [row["case"] for row in rows]:
        changed = np.nan_to_num(np.sign(right - spec.case_value.oriented(spec.correct(earlier))))
    has_classes = any(isinstance(row.get("truth"), str) for row in rows) and "predicted" in rows[0]
    return CaseList(
        [str(row["case"]) for row in rows],
        [str(row["truth"] or "") for row in rows] if has_classes else (),
        [str(row["predicted"] or "") for row in rows] if has_classes else (),
        right,
        score,
        *_lost(challenge, card, right),
        _groups(rows),
        changed,
    )


def _lost(challenge: Challenge[Any, Any], card: ScoreCard, right: Floats) -> tuple[Floats, str]:
    spec, sums = challenge.comparison, card.arrays.get(UNIT_SUMS)
    score_of = spec.score_of_sums(card) if spec.score_of_sums and sums is not None else None
    units = card.arrays.get("units", np.arange(len(right)))
    if sums is None or score_of is None or int(units.max()) + 1 != len(sums):
        return -right, ""
    whole, of = sums.sum(0), score_units.of(challenge)
    gain: Floats = challenge.scoring.quantity().oriented(score_of(whole - sums) - score_of(whole))
    return of.factor * gain[units], POINTS if of.factor != 1 else "of the score"


def _groups(rows: Sequence[Mapping[str, object]]) -> dict[str, Bools]:
    groups: dict[str, Bools] = {}
    for key in rows[0] if rows else ():
        values = [row.get(key) for row in rows]
        texts = sorted({value for value in values if isinstance(value, str)})
        if key not in NO_GROUPS and 1 < len(texts) <= MOST_GROUPS:
            head = key.replace("_", " ")
            groups |= {f"{head}: {text}": np.array([value == text for value in values]) for text in texts}
    return groups


def chosen(cases: CaseList, wanted: CaseFilter) -> Ints:
    """Return the positions of the matching cases in the card, in the chosen order.

    Args:
        wanted: The filter and order. If cases lose equally many points, the lowest score comes first.
    """
    matches = np.ones(len(cases.names), bool)
    if wanted.result in ("mistakes", "right"):
        matches &= cases.right >= 1 if wanted.result == "right" else cases.right < 1
    elif wanted.result in CHANGES:
        matches &= (0 if cases.changed is None else cases.changed) == (1 if wanted.result == "fixed" else -1)
    for value, column in ((wanted.truth, cases.truth), (wanted.called, cases.called)):
        if value != ANY and column:
            matches &= np.array([name == value for name in column])
    for group in wanted.groups:
        matches &= cases.groups.get(group, True)
    if wanted.scores is not None:
        matches &= (cases.score >= wanted.scores[0]) & (cases.score <= wanted.scores[1])
    places = np.flatnonzero(matches)
    if wanted.order == "case":
        return places
    by = (cases.score, -cases.lost) if wanted.order == ORDERS[0] else (cases.score,)
    return places[np.lexsort([column[places] for column in by])]


def captions(cases: CaseList, places: Ints) -> list[tuple[str, str, str]]:
    """Return three texts for each case: a mark ("right", "wrong" or ""), truth with prediction, and the
    numbers of the case.

    Args:
        places: Positions of the cases in the list.
    """
    return [_caption(cases, place) for place in places.tolist()]


def _caption(cases: CaseList, place: int) -> tuple[str, str, str]:
    right, score, lost = (float(column[place]) for column in (cases.right, cases.score, cases.lost))
    numbers = [decimal(score, 3)] if np.isfinite(score) else []
    if cases.unit and np.isfinite(lost):
        numbers.append(
            f"{decimal(-lost, 2, True)} points" if cases.unit == POINTS else decimal(-lost, 4, True)
        )
    if not cases.truth:
        return "", "", " · ".join(numbers)
    mark = "" if np.isnan(right) else "right" if right >= 1 else "wrong"
    return mark, f"{cases.truth[place]} → {cases.called[place] or 'none'}", " · ".join(numbers)
