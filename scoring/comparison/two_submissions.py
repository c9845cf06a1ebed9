"""Two submissions on the same test set: which is better, and in which classes and cases."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from scoring.common.arrays import Ints
from scoring.common.direction_and_range import SCORE
from scoring.common.text import class_named, markdown, named
from scoring.comparison import case_list as by_case
from scoring.comparison import class_measures as by_class
from scoring.comparison import summary_text
from scoring.comparison.case_list import Correctness
from scoring.comparison.class_measures import ClassDifference
from scoring.comparison.compare import Comparison
from scoring.comparison.display import Displayed
from scoring.comparison.pairs import PairsChoice, pairs_of
from scoring.comparison.score_units import Scale
from scoring.core.views import Block, Column, Figure, SideBySide, Table, Text, directed
from scoring.presentation.figures.comparison import team_intervals
from scoring.presentation.figures.intervals import IntervalRow
from scoring.presentation.figures.theme import Theme, safe, short
from scoring.statistics.team_pairs import Pair

LISTED = 200
"""Maximum number of cases in the table."""
LONGEST = 28
"""Maximum number of characters of a class name at an axis."""


@dataclass(frozen=True)
class PairedDifference:
    """Value of the first submission minus value of the second.

    Attributes:
        interval: 95 % interval of the difference; None if it is unknown.
        apart: Whether the test separates the two submissions; None if it is unknown.
    """

    name: str
    value: float
    interval: Sequence[float] | None
    apart: bool | None


def change(comparison: Comparison, first: str, second: str, metric: str = SCORE) -> PairedDifference | None:
    """Return the paired difference between two submissions in the score or another metric.

    Args:
        comparison: The comparison that contains both submissions.
        second: The submission to compare with.
        metric: "score", or a name in `metrics`.

    Returns:
        First minus second; None if one of them has no value.
    """
    if metric == SCORE:
        teams, pairs = comparison.scored, comparison.result.pairs
    else:
        choice = PairsChoice(metric, quantity=comparison.quantity(metric))
        of = pairs_of(comparison.spec, comparison.cards, choice)
        teams, pairs = of.teams, of.of
    if not {first, second} <= set(teams):
        return None
    (pair,) = pairs.among((teams.index(first), teams.index(second)))
    sign = 1 if teams[pair.a] == first else -1
    return PairedDifference(metric, sign * pair.difference, _signed(pair, sign), pair.separated)


def _signed(pair: Pair, sign: int) -> list[float] | None:
    ends = pair.simultaneous_interval or pair.interval
    return None if ends is None else sorted(sign * end for end in ends)


def summary(displayed: Displayed, first: str, second: str, chosen: bool = False) -> str:
    """Say in one or two sentences (Markdown) whether the first submission is better than the second.

    Args:
        chosen: Whether the second was chosen as the best of several submissions. The text then never says
            that the first is worse.
    """
    comparison, scale = displayed.comparison, displayed.scale
    a, b = markdown(first, 60), markdown(second, 60)
    score = change(comparison, first, second)
    if score is None:
        return f"{a} and {b} cannot be compared: one of them has no score on this test set."
    if score.value == 0:
        return f"**{a}** and **{b}** have the same score."
    direction = "more" if score.value > 0 else "less"
    size = f"**{scale.number(abs(score.value))}** {scale.unit if scale.factor != 1 else ''}".strip()
    interval = f" (95% interval {scale.span(score.interval, sign=True)})" if score.interval else ""
    start = f"**{a}** scores {size} {direction} than **{b}**{interval}"
    if scale.better == "lower":
        start += " (lower is better)"
    if score.apart is None:
        return f"{start}. {markdown(summary_text.untold(comparison))}".strip()
    if chosen and score.value * (-1 if scale.better == "lower" else 1) < 0:
        return (
            f"{start}: the best of several teams leads partly by chance, so these cases do not show which "
            "team is worse."
        )
    if score.apart:
        return f"{start}: the two submissions are told apart; chance does not explain the difference."
    return f"{start}: the two submissions are not told apart; the difference could be chance."


def blocks(displayed: Displayed, first: str, second: str) -> tuple[Block, ...]:
    """Return blocks with the differences in score and metrics, in each class, and in each case. `first` and
    `second` are as in `change`."""
    comparison = displayed.comparison
    classes = by_class.differences(comparison, first, second)
    overall = _changes(displayed, first, second)
    sides = (overall, *_classes(displayed, classes, first, second))
    return (
        SideBySide(tuple((side,) for side in sides), (1,) * len(sides)),
        Text(_won_and_lost(classes, first, second)),
        *_cases(displayed, first, second),
        *_caveats(comparison),
    )


def _changes(displayed: Displayed, first: str, second: str) -> Figure:
    comparison, scale = displayed.comparison, displayed.scale
    metrics = [
        m
        for m in comparison.spec.metrics
        if any(c.metrics.get(m) is not None for c in comparison.cards.values())
    ]
    every = [change(comparison, first, second, metric) for metric in (SCORE, *metrics)]
    changes = [item for item in every if item is not None]
    lower = {item.name for item in changes if comparison.quantity(item.name).better == "lower"}
    rows = [
        _row(
            directed(named(item.name), "lower" if item.name in lower else None),
            item.value,
            item.interval,
            item.apart,
            scale,
        )
        for item in changes
    ]
    side = "Right of the line: " if not lower else "Right of the line (left for ↓): "

    def build(theme: Theme) -> go.Figure:
        return _figure(
            rows, theme, f"Is {short(first)} better than {short(second)}?", displayed, first, second
        )

    return Figure(
        build,
        f"{side}{markdown(first, 40)} is better. Filled: chance does not explain the difference. "
        f"{displayed.method}",
        _numbers(changes),
        key="two_changes",
    )


def _figure(
    rows: Sequence[IntervalRow], theme: Theme, question: str, displayed: Displayed, first: str, second: str
) -> go.Figure:
    unit = f", {displayed.scale.unit}" if displayed.scale.factor != 1 else ""
    axis = f"{safe(short(first))} minus {safe(short(second))}{unit}"
    return team_intervals(rows, theme, question, axis, displayed.scale.digits, reference=0)


def _row(
    name: str, value: float, interval: Sequence[float] | None, apart: bool | None, scale: Scale
) -> IntervalRow:
    return IntervalRow(
        name,
        scale.factor * value,
        scale.scaled(interval),
        beside=scale.number(value, sign=True),
        apart=bool(apart),
    )


def _numbers(changes: Sequence[PairedDifference]) -> dict[str, list[object]]:
    ends = [change.interval or (None, None) for change in changes]
    return {
        "of": [change.name for change in changes],
        "difference": [change.value for change in changes],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "told apart": [change.apart for change in changes],
    }


def _classes(
    displayed: Displayed, classes: Sequence[ClassDifference], first: str, second: str
) -> tuple[Figure, ...]:
    known = sorted(
        (row for row in classes if row.gain is not None), key=lambda row: -row.gain if row.gain else 0.0
    )
    if not known:
        return ()
    changes = [
        PairedDifference(row.name, row.difference or 0.0, row.interval, _decided(row)) for row in known
    ]
    rows = [
        _row(short(class_named(item.name), LONGEST), item.value, item.interval, item.apart, displayed.scale)
        for item in changes
    ]
    measures = ", ".join(dict.fromkeys(named(row.measure) for row in known))

    def build(theme: Theme) -> go.Figure:
        return _figure(rows, theme, "Which classes improved and which got worse?", displayed, first, second)

    return (
        Figure(
            build,
            f"{measures[:1].upper()}{measures[1:]} of each class. Filled: the class's own 95% interval "
            "excludes zero. The intervals are not adjusted for comparing many classes.",
            _numbers(changes),
            key="two_classes",
        ),
    )


def _decided(row: ClassDifference) -> bool | None:
    return None if row.interval is None else row.interval[0] > 0 or row.interval[1] < 0


def _won_and_lost(classes: Sequence[ClassDifference], first: str, second: str) -> str:
    won = [row for row in classes if row.gain is not None and row.gain > 0]
    lost = [row for row in classes if row.gain is not None and row.gain < 0]
    same = sum(row.difference == 0 for row in classes)
    return (
        f"Of {len(classes)} classes **{markdown(first, 40)}** is better in {_listed(won)} and worse in "
        f"{_listed(lost)} than **{markdown(second, 40)}**; both are equal in {same}."
    )


def _listed(classes: Sequence[ClassDifference]) -> str:
    if not classes:
        return "none"
    names = ", ".join(markdown(class_named(row.name)) for row in classes)
    return f"{len(classes)} ({names})"


def differing(correct: Correctness, first: str, second: str) -> tuple[Ints, Ints]:
    """Return the cases on which the first submission is better, and those on which the second is better;
    hardest first."""
    return (by_case.right_and_wrong(correct, first, second), by_case.right_and_wrong(correct, second, first))


def _cases(displayed: Displayed, first: str, second: str) -> tuple[Block, ...]:
    correct = by_case.correctness(displayed.comparison)
    better, worse = differing(correct, first, second)
    columns = [correct.teams.index(first), correct.teams.index(second)]
    a, b = correct.values[:, columns].T
    places = np.concatenate([better, worse])
    order = places[np.argsort(-np.abs(a - b)[places], kind="stable")]
    cards = [displayed.comparison.cards[name] for name in (first, second)]
    labelled = all("predicted" in row for card in cards for row in card.cases[:1])
    shown_rows, firsts = order[:LISTED], set(better.tolist())
    rows: dict[str, list[object]] = {"case": [correct.cases[k] for k in shown_rows]}
    heads = [Column("case", "case")]
    if labelled:
        rows["truth"] = [cards[0].cases[k].get("truth") for k in shown_rows]
        heads.append(Column("truth", "truth"))
    for name, values, card, key in zip((first, second), (a, b), cards, ("first", "second"), strict=True):
        if labelled:
            rows[key] = [card.cases[k].get("predicted") for k in shown_rows]
            heads.append(Column(key, short(name)))
        else:
            rows[key] = [float(values[k]) for k in shown_rows]
            heads.append(Column(key, short(name), "number", 3, correct.quantity.better))
    rows["better"] = [short(first if k in firsts else second) for k in shown_rows]
    heads.append(Column("better", "better"))
    same = len(correct.order) - len(order)
    caption = (
        f"Of {len(correct.order)} cases, {markdown(first, 40)} is better in {len(better)}, "
        f"{markdown(second, 40)} in {len(worse)}, and both are equal in {same}."
    )
    more = f" The {LISTED} largest differences are listed." if len(order) > LISTED else ""
    if not len(order):
        return (Text(caption, question="In which cases do they differ?"),)
    return (Table("In which cases do they differ?", heads, rows, caption + more, key="two_cases"),)


def _caveats(comparison: Comparison) -> tuple[Text, ...]:
    sentences = " ".join(filter(None, (summary_text.caveat(comparison), summary_text.assumption(comparison))))
    return (Text(markdown(sentences, 600), "note"),) if sentences else ()
