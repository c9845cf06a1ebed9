"""Comparisons of a declared challenge: metrics, tests, and ranking rules."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.challenges.declared.declaration import Declaration, MetricUse
from scoring.challenges.declared.measures import score_of_sums
from scoring.common.arrays import Floats
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.text import named
from scoring.core import comparison_spec as spec
from scoring.core.comparison_spec import ComparisonSpec, RankedBy, Ranking, WhatIf
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.statistics.mcnemar_delong_wilcoxon import PairedSample, ValueSample
from scoring.statistics.ranking import ranks_along_teams
from scoring.statistics.replicates import array_name

Places = NDArray[np.int_]


def comparison_of(declaration: Declaration) -> ComparisonSpec:
    """Return what can be compared between the teams of a declared challenge."""
    graded, ranking = declaration.is_graded, declaration.ranking
    of_classes = (use.metric.name for use in declaration.score if "class" in use.metric.parameters)
    return ComparisonSpec(
        metrics=tuple(use.key for use in declaration.uses),
        class_measures=("f1",) if graded else tuple(dict.fromkeys(of_classes)),
        correct=spec.correct_labels if graded else _case_errors,
        case_value=SHARE if graded else Quantity("lower", (0.0, np.inf)),
        sample=partial(_sample, declaration),
        score_of_sums=lambda _card: score_of_sums(declaration),
        slice_measures={"score": ("score", "n")} if declaration.subgroups else {},
        what_if=_what_if(declaration.score) if len(declaration.score) > 1 else None,
        rank=None if ranking.by == "score" else partial(_rank, declaration),
        ranked_by=ranked_by(declaration),
    )


def ranked_by(declaration: Declaration) -> RankedBy | None:
    """Return the metrics that order the teams; None if the score orders them."""
    if declaration.ranking.by == "score":
        return None
    names = tuple(use.key for use in declaration.ranked)
    in_cases = declaration.ranking.by == "case_rank"
    ranked_in = "every case" if in_cases else ", ".join(map(named, names))
    return RankedBy(f"Teams are ordered by the mean of their ranks in {ranked_in}.", names, in_cases)


def _case_errors(card: ScoreCard) -> NDArray[np.float64]:
    """Return how wrong each case is [N], 0 if it is right, NaN if it does not count."""
    return np.asarray(card.arrays["case_errors"], float)


def _sample(declaration: Declaration, card: ScoreCard, metric: str) -> PairedSample | None:
    """Return the data for the paired test: McNemar for accuracy and recall of a class, DeLong for the AUC,
    Wilcoxon for absolute errors. None if no test fits."""
    name = next((use.metric.name for use in declaration.uses if use.key == metric), "")
    if declaration.is_graded:
        if metric == name == "auc" and declaration.positive:
            metric = f"auc/{declaration.positive}"
        return spec.of_labels(card, metric, classes=declaration.classes)
    if name != "mae" or declaration.task != "regression" or np.isnan(_case_errors(card)).any():
        return None
    return ValueSample(_case_errors(card))


def _what_if(uses: Sequence[MetricUse]) -> WhatIf:
    """Return the parameters with which a page can change the weights of the score."""
    parameters = tuple(
        spec.FormulaParameter(use.key, f"weight of {use.metric.title}", 100 * use.weight, 0, 100)
        for use in uses
    )
    return WhatIf(parameters, partial(spec.mean_of_parts, [use.key for use in uses]))


def _rank(declaration: Declaration, cards: Mapping[str, ScoreCard], _options: Values) -> Ranking:
    """Order teams by the mean of their ranks in every metric, or in every case."""
    rule, uses = ranked_by(declaration), declaration.ranked
    of_metrics = declaration.ranking.by == "mean_rank"
    if of_metrics:
        values = np.array([[u.quantity.order(c.metrics[u.key]) for u in uses] for c in cards.values()])
    else:
        values = -np.stack([_of_cases(declaration, card) for card in cards.values()])
    ranks = ranks_along_teams(values, declaration.ranking.ties)
    by_team = dict(zip(cards, ranks.mean(1).tolist(), strict=True))
    of_teams: dict[str, dict[str, Any]] = {team: {"mean_rank": mean} for team, mean in by_team.items()}
    for row, own in zip(of_teams.values(), ranks.tolist() if of_metrics else (), strict=of_metrics):
        row["metric_ranks"] = dict(zip((use.key for use in uses), own, strict=True))
    return Ranking(
        dict(zip(cards, _places(ranks.mean(1)).tolist(), strict=True)),
        of_teams,
        {},
        {"ranking": declaration.ranking.by, "ties": declaration.ranking.ties},
        places=_resampled(declaration, cards),
        words=rule.words if rule else "",
        name="mean rank",
        values=by_team,
    )


def _of_cases(declaration: Declaration, card: ScoreCard) -> Floats:
    """Return how wrong each case is [N]. If metrics are computed for each case, return this for every case
    and metric [N x metrics]."""
    if "case_losses" in card.arrays:
        places = [i for i, use in enumerate(declaration.uses) if use in declaration.ranked]
        return np.asarray(card.arrays["case_losses"][:, places], float).ravel()
    if "case_errors" in card.arrays:
        return _case_errors(card)
    return 1 - spec.correct_labels(card)


def _places(means: Floats) -> Places:
    """Return the place of each team by its mean rank; a smaller mean is better. Teams with the same mean
    share the best of their places."""
    return ranks_along_teams(-means).astype(int)


def _resampled(declaration: Declaration, cards: Mapping[str, ScoreCard]) -> dict[str, Places] | None:
    """Return the places in each replicate in which all teams have a score. None without replicates, or if
    teams are ranked in every case."""
    scored = {team: card.arrays for team, card in cards.items() if card.score is not None}
    is_drawn = all("score_replicates" in card.arrays for card in cards.values())
    if declaration.ranking.by != "mean_rank" or not is_drawn or not scored:
        return None
    known = ~np.isnan(np.stack([arrays["score_replicates"] for arrays in scored.values()])).any(0)
    uses = [(use.quantity, array_name(use.key)) for use in declaration.ranked]
    drawn = np.stack([[of.oriented(a[name][known]) for of, name in uses] for a in scored.values()])
    places = _places(ranks_along_teams(drawn, declaration.ranking.ties).mean(1))
    return dict(zip(scored, places, strict=True))
