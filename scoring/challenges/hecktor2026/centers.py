"""One quantity by center, with intervals."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from scoring.challenges.classification_views import method
from scoring.challenges.hecktor2026.measures import OF_CENTERS, centers, quantities
from scoring.challenges.hecktor2026.rule_variants import options_of
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Figure
from scoring.presentation.figures.intervals import IntervalRow, intervals
from scoring.presentation.figures.theme import SMALL
from scoring.statistics.options import StatisticsOptions
from scoring.statistics.replicates import replicate


def center_intervals(
    truth: HecktorTruth, predictions: HecktorSubmission, card: ScoreCard
) -> dict[str, dict[str, list[float] | None]]:
    """Return 95% intervals of what `per_center` says, by center and name, on the card's own replicates; {}
    without replicates."""
    source = card.provenance
    statistics = StatisticsOptions(source["resamples"], source["seed"], None, source["options"]["interval"])
    once = np.ones((1, len(truth)), np.float32)
    found = {}
    for center, members in centers(truth).items():
        evaluate = partial(quantities, truth, predictions, options_of(card), among=members)
        drawn = replicate(evaluate, evaluate(once), card.arrays["units"], statistics)
        if drawn.values:
            found[center] = {name: drawn.intervals[name] for name in OF_CENTERS}
    return found


def center_figure(
    card: ScoreCard, metric: str, words: str, between: Mapping[str, Mapping[str, list[float] | None]]
) -> Figure:
    """Return one quantity by center. words: the quantity's name. between: intervals by center and metric."""
    rows = [
        IntervalRow(name, entry[metric], between.get(name, {}).get(metric), entry["n_cases"])
        for name, entry in card.more["per_center"].items()
    ]
    draw = partial(
        intervals,
        rows,
        question="Does it work everywhere?",
        axis_title=f"{words} ↑",
        reference=card.metrics[metric],
    )
    return Figure(
        draw,
        f"Line: all {card.n_cases} patients. Grey: under {SMALL} patients. {method(card)}",
        {"center": [r.name for r in rows], words: [r.value for r in rows], "n": [r.n for r in rows]},
    )
