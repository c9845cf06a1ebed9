"""Scorecards as short tables for a terminal."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.challenges import load_challenge
from scoring.core.scorecard import ScoreCard


def scorecard_table(card: ScoreCard) -> str:
    """Return the scorecard as a short table for a terminal."""

    def value(x: Any) -> str:
        return "-" if x is None or x != x else f"{x:.4f}" if isinstance(x, float) else str(x)

    def row(name: str, x: Any, interval: Sequence[float] | None) -> str:
        return f"{name:<{names}}{value(x):>12}" + (
            f"   {interval[0]:.4f} to {interval[1]:.4f}" if interval else ""
        )

    names, width = (
        max(28, 2 + max(map(len, card.metrics), default=0)),
        max(map(len, card.per_class), default=0) + 2,
    )

    def class_table(columns: Sequence[str], names: Sequence[str]) -> list[str]:
        head = " " * width + "".join(f"{c:>{max(11, len(c) + 2)}}" for c in columns)
        rows = (
            f"{name:<{width}}"
            + "".join(f"{value(card.per_class[name][c]):>{max(11, len(c) + 2)}}" for c in columns)
            for name in names
        )
        return [head, *rows, ""]

    return "\n".join(
        [
            f"{card.challenge}: score {card.score!r}, n = {card.n_cases}",
            *([f"Incomplete: {card.incomplete}."] if card.incomplete else []),
            card.official.words(load_challenge(card.challenge).words.official_source),
            "",
            row("score (0..1)", card.score, card.intervals.get("score")),
            *(row(name, x, card.intervals.get(name)) for name, x in card.metrics.items()),
            "",
            *(line for columns, names in _alike(card.per_class) for line in class_table(columns, names)),
            _method(card),
        ]
    )


def _method(card: ScoreCard) -> str:
    """Return how the intervals were computed, or why there are none."""
    source = card.provenance
    units = f"{source['n_units']} unit{'s' * (source['n_units'] != 1)} ({source['unit']})"
    if not card.intervals:
        return "No intervals (--resamples 0)."
    if source["interval"] is None:
        return f"No intervals: {units} {'is' if source['n_units'] == 1 else 'are'} too few."
    return (
        f"Intervals: 95 %, {source['interval']}, {source['resamples']} replicates of {units}, "
        f"seed {source['seed']}"
    )


SHOWN_OF_CLASSES = (
    "support",
    "predicted",
    "f1",
    "precision",
    "recall",
    "auc",
    "n_patients",
    "mean_dice",
    "dice_agg",
    "pq",
)


def _alike(per_class: Mapping[str, Mapping[str, Any]]) -> list[tuple[list[str], list[str]]]:
    """Classes that have the same columns, with those of them that a terminal shows: stages and structures
    stand in tables of their own."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, entry in per_class.items():
        groups.setdefault(tuple(c for c in SHOWN_OF_CLASSES if c in entry), []).append(name)
    return [(list(columns), names) for columns, names in groups.items()]
