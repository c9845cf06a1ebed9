"""Scores a submission under other interpretations of the rules, and computes intervals of the results by
center."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from scoring.challenges.classification_views import method
from scoring.challenges.hecktor2026 import summary
from scoring.challenges.hecktor2026.evaluation import HecktorEvaluation
from scoring.challenges.hecktor2026.formula import CHOICES, OPTIONS, SUBTASKS, WEIGHTS, HecktorOptions
from scoring.challenges.hecktor2026.measures import OF_CENTERS, centers, combined
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.findings import SMALL_CLASS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Column, Figure, SideBySide, Table
from scoring.presentation.figures.intervals import IntervalRow, intervals
from scoring.presentation.figures.number_format import decimal, share
from scoring.statistics.interval_options import StatisticsOptions
from scoring.statistics.replicates import replicate


@dataclass(frozen=True)
class RuleVariant:
    """The score with another value of one option.

    Attributes:
        difference: This score minus the score of the scorecard; None if one of them is undefined.
        parts: Scores of the subtasks with this value; None if undefined.
    """

    option: str
    value: str
    score: float | None
    difference: float | None
    parts: dict[str, float | None]

    @property
    def name(self) -> str:
        """Readable name of option and value; "" for the rules of the scorecard."""
        label = next((option.label for option in OPTIONS if option.name == self.option), "")
        return f"{label}: {self.value}" if label else ""


def rule_variants(
    truth: HecktorTruth, predictions: HecktorSubmission, card: ScoreCard
) -> tuple[RuleVariant, ...]:
    """Return the score with every alternative value of every option, changing one option at a time."""
    evaluation = HecktorEvaluation(truth, predictions, options_of(card))
    return tuple(
        _variant(evaluation, card, name, value)
        for name, allowed in CHOICES.items()
        for value in allowed
        if value != getattr(evaluation.options, name)
    )


def _variant(evaluation: HecktorEvaluation, card: ScoreCard, name: str, value: str) -> RuleVariant:
    changed: dict[str, str] = {name: value}
    options = replace(evaluation.options, **changed)  # type: ignore[arg-type]
    point = replace(evaluation, options=options).point
    values = {part: float(point[part][0]) for part in SUBTASKS}
    score = combined(values)["weighted_score"]
    known = not np.isnan(score)
    return RuleVariant(
        name,
        value,
        score if known else None,
        score - card.score if known and card.score is not None else None,
        {part: None if np.isnan(v) else v for part, v in values.items()},
    )


def options_of(card: ScoreCard) -> HecktorOptions:
    """Return the options with which a scorecard was computed."""
    return HecktorOptions(**{name: card.provenance["options"][name] for name in CHOICES})


def variants_view(card: ScoreCard, variants: Sequence[RuleVariant]) -> SideBySide:
    """Return blocks with the scores under other interpretations of the rules, and the part that each
    interpretation changes."""
    rows = [IntervalRow(reading.name, reading.score, beside=_difference(reading)) for reading in variants]
    draw = partial(
        intervals,
        rows,
        question="What would the score be under another rule?",
        axis_title="weighted score ↑",
        digits=3,
        reference=card.score,
    )
    figure = Figure(
        draw,
        f"Line: the score under the current rules, {share(card.score)}. One rule is changed at a time. n = "
        f"{card.n_cases}.",
    )
    now = RuleVariant("", "", card.score, None, {part.metric: part.value for part in summary.parts(card)})
    table = Table.of(
        "Which part of the score does each choice change?",
        (now, *variants),
        (
            Column(
                "reading",
                "reading",
                width=215,
                get=lambda row: row.name if row.option else "current rules",
            ),
            Column("score", "score", "number", 4, "higher"),
            Column("difference", "difference", "number", 4, sign=True),
            *(
                Column(metric, short, "number", better="higher", lighter=True, get=partial(_part, metric))
                for metric, (_, short, _) in WEIGHTS.items()
            ),
        ),
        "The challenge's description does not state these rules, or contradicts itself. You can choose each "
        "rule above the headline.",
        key="readings",
    )
    return SideBySide(((figure,), (table,)), (5, 7))


def _part(metric: str, variant: RuleVariant) -> float | None:
    return variant.parts[metric]


def _difference(reading: RuleVariant) -> str:
    if reading.difference is None:
        return ""
    return decimal(reading.difference, 4, sign=True) if reading.difference else "same"


def center_intervals(
    truth: HecktorTruth, predictions: HecktorSubmission, card: ScoreCard
) -> dict[str, dict[str, list[float] | None]]:
    """Return 95 % intervals of the entries in `per_center`, by center and metric. The intervals use the
    replicates of the scorecard. Empty if the scorecard has no replicates."""
    source = card.provenance
    statistics = StatisticsOptions(source["resamples"], source["seed"], None, source["options"]["interval"])
    everybody, bounds = HecktorEvaluation(truth, predictions, options_of(card)), {}
    for center, members in centers(truth).items():
        inside = everybody.among(members)
        units = card.arrays["units"]
        drawn = replicate(inside.quantities, inside.point, units, statistics, basis=inside.basis)
        if drawn.values:
            bounds[center] = {name: drawn.intervals[name] for name in OF_CENTERS}
    return bounds


def center_figure(
    card: ScoreCard, metric: str, label: str, between: Mapping[str, Mapping[str, list[float] | None]]
) -> Figure:
    """Return a figure of one measure by center.

    Args:
        between: Center -> metric -> interval.
    """
    rows = [
        IntervalRow(name, entry[metric], between.get(name, {}).get(metric), entry["n_cases"])
        for name, entry in card.more["per_center"].items()
    ]
    draw = partial(
        intervals,
        rows,
        question="Are the results similar in all groups?",
        axis_title=f"{label} ↑",
        reference=card.metrics[metric],
    )
    return Figure(
        draw,
        f"Line: all {card.n_cases} patients. Grey: under {SMALL_CLASS} patients. {method(card)}",
        {"center": [r.name for r in rows], label: [r.value for r in rows], "n": [r.n for r in rows]},
    )
