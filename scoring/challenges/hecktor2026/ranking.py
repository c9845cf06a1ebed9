"""Comparisons of teams in HECKTOR 2026: their order by weighted ranks or scores, and the measures that are
compared."""

import itertools
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.hecktor2026.formula import ORDER, STAGES, STRUCTURES, SUBTASKS, WEIGHTS
from scoring.challenges.hecktor2026.measures import OF_CENTERS, categories_of_sums, score_of_sums
from scoring.common.arrays import Bools, Floats, Ints
from scoring.common.findings import warning
from scoring.core.comparison_spec import (
    ComparisonSpec,
    FormulaParameter,
    Groups,
    Ranking,
    WeightMap,
    WhatIf,
    mean_of_parts,
)
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.statistics.interval_options import DIGITS
from scoring.statistics.mcnemar_delong_wilcoxon import BinarySample, PairedSample, ValueSample
from scoring.statistics.ranking import ranks_along_teams

RankArray = NDArray[np.int64]
"""Ranks [A] of teams, or [A, B] of teams in replicates; 1 is first."""
TWENTIETHS = np.array([5, 7, 8])
"""The weights 0.25, 0.35 and 0.40 in twentieths. Sums of integers are exact, so that equal totals are
equal."""
WORDS = {
    "rank": "Teams are ordered by weighted ranks: 0.25, 0.35 and 0.40 times a team's ranks in segmentation, "
    "staging and prognosis; smaller is better.",
    "score": "Teams are ordered by weighted score, as you chose; the default order is by weighted ranks.",
}
"""Value of the option `order` -> words for the quantity that orders the teams."""
NAMES = ("segmentation", "staging", "prognosis")


def rank(cards: Mapping[str, ScoreCard], options: Values) -> Ranking:
    """Rank teams by their ranks in the subtasks and by their score. The option `order` ("rank" or "score")
    selects which ranking counts."""
    order, rank_ties = options["order"], options["rank_ties"]
    teams = list(cards)
    values = np.array([[card.metrics[name] for card in cards.values()] for name in SUBTASKS], float)
    doubled = _doubled_ranks(values, rank_ties)
    undefined = np.array([card.score is None for card in cards.values()])
    places = {"rank": places_by_rank(doubled, undefined), "score": places_by_score(cards)}
    orderings = {
        name: [teams[i] for i in sorted(range(len(teams)), key=lambda i: (ranks[i], teams[i]))]
        for name, ranks in places.items()
    }
    by_name = sorted(range(len(teams)), key=teams.__getitem__)
    more = {
        "ordering": order,
        "orderings": orderings,
        "orderings_disagree": _reordered(teams, by_name, places["rank"], places["score"]),
        "leave_one_team_out": _without_each(teams, values, undefined, rank_ties),
    }
    return Ranking(
        ranks=dict(zip(teams, places[order].tolist(), strict=True)),
        of_teams={
            team: _entry(doubled[:, i], places["rank"][i], places["score"][i]) for i, team in enumerate(teams)
        },
        more=more,
        options=dict(options),
        findings=tuple(
            warning(
                "subtask-not-scored",
                name,
                f"the truth has no cases for {name}: every team has rank 1 in it, and no team has a score.",
            )
            for name, row in zip(NAMES, values, strict=True)
            if np.isnan(row).all()
        ),
        places=_replicate_places(cards, undefined, rank_ties) if order == "rank" else None,
        words=WORDS[order],
        name="weighted rank" if order == "rank" else "",
        values=(
            {team: int(TWENTIETHS @ doubled[:, i]) / 40 for i, team in enumerate(teams)}
            if order == "rank"
            else {}
        ),
    )


def places_by_rank(doubled: Ints, undefined: Bools) -> RankArray:
    """Return the final ranks [A, ...], 1 = first.

    Teams are ordered by 5 a + 7 b + 8 c, where a, b and c are their ranks in the subtasks; lower is better.
    Equal teams are ordered by the absolute difference of weighted and unweighted rank. Teams without a score
    come last. Teams that are still equal share a rank.

    Args:
        doubled: Twice the ranks in each subtask [3, A, ...].
        undefined: Teams without a score [A, ...].
    """
    total = np.tensordot(TWENTIETHS, doubled, 1)
    consistency = _rank_consistency(doubled)
    widest = int(consistency.max(initial=0)) + 1
    key = (undefined * (int(total.max(initial=0)) + 1) + total) * widest + consistency
    return np.asarray(1 + (key[None] < key[:, None]).sum(1))


def places_by_score(cards: Mapping[str, ScoreCard]) -> RankArray:
    """Return the ranks [A] by weighted score. Equal scores are ordered by the metric `consistency`, where
    lower is better. Scores and consistencies are rounded to 12 decimals. Teams without a score come last."""
    keys = [
        (-np.inf, 0.0)
        if card.score is None
        else (round(card.score, DIGITS), -round(card.metrics["consistency"] or 0.0, DIGITS))
        for card in cards.values()
    ]
    return np.array([1 + sum(other > key for other in keys) for key in keys])


def _doubled_ranks(values: Floats, rank_ties: str) -> Ints:
    """Return twice the rank of each team in each subtask, from values [3, A, ...]."""
    return np.stack([2 * ranks_along_teams(row, rank_ties) for row in values]).astype(int)


def _rank_consistency(doubled: Ints) -> Ints:
    """Return 120 x |weighted - unweighted rank|, whole numbers, from twice the ranks [3, ...]."""
    a, b, c = doubled
    return np.asarray(np.abs(4 * c + b - 5 * a))


def _entry(doubled: Ints, by_rank: int, by_score: int) -> dict[str, Any]:
    total = int(TWENTIETHS @ doubled)
    return {
        "subtask_ranks": {name: _half(twice) for name, twice in zip(NAMES, doubled, strict=True)},
        "weighted_rank": total / 40,
        "weighted_rank_total": _half(total),
        "unweighted_rank": int(doubled.sum()) / 6,
        "rank_consistency": int(_rank_consistency(doubled)) / 120,
        "rank_by_weighted_rank": int(by_rank),
        "rank_by_score": int(by_score),
    }


def _half(twice: int) -> int | float:
    """Return half of a whole number, as a whole number where it is one."""
    return int(twice) // 2 if twice % 2 == 0 else int(twice) / 2


def _reordered(teams: list[str], order: list[int], now: Ints, then: Ints) -> list[list[str]]:
    """Return the pairs of teams whose order differs between the places `now` and `then` [A]. A tie in only
    one of them is a difference. `order`: positions of the teams, which also order each pair."""
    changed = np.sign(now[:, None] - now) != np.sign(then[:, None] - then)
    pairs = itertools.combinations(order, 2)
    return [[teams[i], teams[j]] for i, j in pairs if changed[i, j]]


def _without_each(teams: list[str], values: Floats, undefined: Bools, rank_ties: str) -> list[dict[str, Any]]:
    """Return, for each team, who would be first by weighted ranks without it, and which pairs of other
    teams would change their order (`swapped`; each pair begins with the team that is ahead now)."""
    rows = []
    now = places_by_rank(_doubled_ranks(values, rank_ties), undefined)
    for left_out, team in enumerate(teams):
        others = [i for i in range(len(teams)) if i != left_out]
        if others:
            names, before = [teams[i] for i in others], now[others]
            places = places_by_rank(_doubled_ranks(values[:, others], rank_ties), undefined[others])
            order = sorted(range(len(names)), key=lambda k: (before[k], names[k]))
            rows.append(
                {
                    "without": team,
                    "first": sorted(name for name, rank in zip(names, places, strict=True) if rank == 1),
                    "swapped": _reordered(names, order, before, places),
                }
            )
    return rows


def _replicate_places(
    cards: Mapping[str, ScoreCard], undefined: Bools, rank_ties: str
) -> dict[str, RankArray] | None:
    """Return the places by weighted ranks in replicates; None without replicates. Replicates in which a team
    loses its score are left out."""
    if any("score_replicates" not in card.arrays for card in cards.values()):
        return None
    drawn = np.stack([[card.arrays[f"{name}_replicates"] for card in cards.values()] for name in SUBTASKS])
    scores = np.stack([card.arrays["score_replicates"] for card in cards.values()])
    defined = ~np.isnan(scores[~undefined]).any(0)
    places = places_by_rank(
        _doubled_ranks(drawn[:, :, defined], rank_ties),
        np.broadcast_to(undefined[:, None], scores[:, defined].shape),
    )
    return dict(zip(cards, places, strict=True))


DICE = tuple(f"dice_{structure}" for structure in STRUCTURES)
PARAMETERS = tuple(
    FormulaParameter(name, f"weight of {label.lower()}", points / 100, 0, 1)
    for name, (label, _, points) in WEIGHTS.items()
)


def correct(card: ScoreCard) -> NDArray[np.float64]:
    """Return the mean Dice of both structures for each patient [N]; NaN without a true mask."""
    return np.asarray(np.mean([_of_patients(card, name) for name in DICE], axis=0))


def staged(kind: str, card: ScoreCard) -> NDArray[np.float64]:
    """Return for each patient [N] 1 if the predicted stage is right, otherwise 0; NaN without a true stage.
    `kind` is "t" or "n"."""
    pairs = [(row[f"{kind}_truth"], row[f"{kind}_prediction"]) for row in card.cases]
    return np.array([np.nan if true is None else float(true == told) for true, told in pairs])


def in_order(card: ScoreCard) -> NDArray[np.float64]:
    """Return for each patient [N] the share of comparable pairs that are not discordant; NaN without
    pairs."""
    counts = [[row[f"{k}_pairs"] for k in ("comparable", "discordant", "missing")] for row in card.cases]
    return np.array([1 - (wrong + missing) / of if of else np.nan for of, wrong, missing in counts])


def sample(card: ScoreCard, metric: str) -> PairedSample | None:
    """Return the data of a paired test: Wilcoxon's test for the Dice of a structure, McNemar's test for the
    recall of a stage. None for all other metrics."""
    measure, _, name = metric.partition("/")
    wanted = {
        f"mean_dice/{label}": dice for dice, (label, _) in zip(DICE, STRUCTURES.values(), strict=True)
    }.get(metric, metric)
    if wanted in DICE:
        values = _of_patients(card, wanted)
        return ValueSample(values[~np.isnan(values)])
    kind = next((kind for kind, names in STAGES.items() if measure == "recall" and name in names), None)
    if kind is None:
        return None
    return BinarySample(
        np.array(
            [row[f"{kind}_prediction"] == name for row in card.cases if row[f"{kind}_truth"] == name], bool
        )
    )


def _of_patients(card: ScoreCard, metric: str) -> NDArray[np.float64]:
    return np.array([np.nan if row[metric] is None else row[metric] for row in card.cases])


def of_centers(card: ScoreCard) -> Groups:
    """Return the patients of each center; empty if the truth names no centers."""
    rows = card.more.get("per_center")
    return {"center": rows} if rows else {}


COMPARISON = ComparisonSpec(
    offered=ORDER.name,
    rank=rank,
    metrics=(*SUBTASKS, *DICE, *(f"balanced_accuracy_{kind}" for kind in STAGES)),
    class_measures=("recall", "mean_dice"),
    correct=correct,
    parts=(partial(staged, "t"), partial(staged, "n"), in_order),
    sample=sample,
    score_of_sums=lambda _card: score_of_sums,
    categories=lambda _card: categories_of_sums(),
    slice_measures={
        name: (name, "comparable_pairs" if name == "c_index" else "n_cases") for name in OF_CENTERS
    },
    slices=of_centers,
    what_if=WhatIf(PARAMETERS, partial(mean_of_parts, SUBTASKS)),
    weight_map=WeightMap(SUBTASKS, (0.25, 0.35, 0.40), share=1.0, by_rank=True),
)
