"""Comparisons of many teams: teams that could be the best, groups that the test cannot separate, and figures
with all teams."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import plotly.graph_objects as go

from scoring.common.text import markdown
from scoring.comparison import summary_text
from scoring.comparison.compare import Comparison
from scoring.comparison.display import MANY, NAMED, SENTENCE, Displayed
from scoring.comparison.pairs import number
from scoring.core.views import Block, Column, Figure, Table, Text
from scoring.presentation.figures.team_ranges import TeamRange, team_ranges
from scoring.presentation.figures.theme import Theme
from scoring.statistics.intervals import QUANTILES

PER_FIGURE, GROUPS = 100, 25
"""Maximum number of teams in a figure, and of groups in a table."""
LEVEL = 0.05


def are_many(comparison: Comparison) -> bool:
    """Return whether there are so many teams that the report uses its compact form."""
    return len(comparison.scored) > MANY


def could_be_best(comparison: Comparison) -> tuple[str, ...]:
    """Return the teams that could be the best, best first. Each team is tested against the best of the
    others. The result is empty if the teams were not tested."""
    p_values: Sequence[float] = comparison.result.p_best or ()
    return tuple(name for name, p in zip(comparison.scored, p_values, strict=False) if p > LEVEL)


def best(comparison: Comparison) -> tuple[Block, ...]:
    """Return a block that names the teams that could be the best; empty if the teams were not tested."""
    names, n = could_be_best(comparison), len(comparison.scored)
    if not names:
        return ()
    listed = ", ".join(map(markdown, names[:NAMED])) + (
        f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    )
    sentence = (
        f"{len(names)} of {n} teams: {listed}. With 95% confidence the best team is one of these. The swap "
        "test compares each team with the best of the other teams. The test is adjusted for "
        f"{n - 1} comparisons, not for all {n * (n - 1) // 2:,} pairs."
    )
    return (Text(sentence, question="Which teams could be the best?"),)


def groups(comparison: Comparison) -> tuple[Block, ...]:
    """Return a table that divides the teams into groups. Each group begins with the first team that the test
    separates from the first team of the previous group. Empty if the teams were not tested, or if the score
    does not order them."""
    result, names = comparison.result, comparison.scored
    if result.test is None or not summary_text.by_score(comparison):
        return ()
    apart = np.zeros((len(names), len(names)), bool)
    apart[result.pairs.a, result.pairs.b] = result.pairs.separated
    starts = [0]
    for index in range(1, len(names)):
        if apart[starts[-1], index]:
            starts.append(index)
    rows = [
        {
            "group": k + 1,
            "from": comparison.ranks[names[first]],
            "to": comparison.ranks[names[after - 1]],
            "teams": after - first,
            "first": names[first],
            "last": names[after - 1],
        }
        for k, (first, after) in enumerate(zip(starts, [*starts[1:], len(names)], strict=True))
    ]
    columns = [
        Column("group", "group", "number", 0),
        Column("from", "from rank", "number", 0),
        Column("to", "to rank", "number", 0),
        Column("teams", "teams", "number", 0),
        Column("first", "first"),
        Column("last", "last"),
    ]
    more = f" {len(rows) - GROUPS} more groups follow." if len(rows) > GROUPS else ""
    caption = (
        "The first teams of neighbouring groups are told apart: chance does not explain their difference "
        "(adjusted for all pairs). Teams within a group may also be told apart, and neighbouring teams of "
        f"two groups may be tied.{more}"
    )
    return (Table.of("Which teams are tied?", rows[:GROUPS], columns, caption, key="groups"),)


def scores(displayed: Displayed) -> list[Figure]:
    """Return figures of all teams with score, interval and possible ranks, one per printed page."""
    comparison, scale = displayed.comparison, displayed.scale
    level = set(could_be_best(comparison) or summary_text.tied(comparison))
    rows = [
        TeamRange(
            f"{comparison.ranks[name]}  {name}",
            scale.factor * number(comparison.cards[name].score),
            scale.scaled(comparison.cards[name].intervals.get("score")),
            filled=name in level,
            beside=summary_text.rank_interval(comparison, index),
        )
        for index, name in enumerate(comparison.scored)
    ]
    filled = (
        "Filled: the team could be the best. "
        if could_be_best(comparison)
        else "Filled: the team could be first. " * bool(level)
    )
    held = "Right: ranks that each team could have. " if comparison.result.rank_intervals else ""
    caption = f"Dot: score with its own 95% interval. {filled}{held}{displayed.method}"
    return _figures(rows, "Who wins?", scale.unit, caption)


def stability(displayed: Displayed) -> list[Figure]:
    """Return figures of all teams with their ranks in resamples and their possible ranks, one per printed
    page."""
    comparison, result = displayed.comparison, displayed.comparison.result
    if result.rank_shares is None:
        return []
    rows = [
        TeamRange(
            f"{comparison.ranks[name]}  {name}",
            float(comparison.ranks[name]),
            likely_ranks(result.rank_shares[index]),
            result.rank_intervals[index] if result.rank_intervals else None,
        )
        for index, name in enumerate(comparison.scored)
    ]
    possible = "Thin line: ranks that the team could have, over all pairs. " if result.rank_intervals else ""
    caption = (
        "Dot: the team's rank. Thick line: the team's ranks in 95% of the resamples of these cases; the line "
        f"does not show how likely the team is to be the best. {possible}{displayed.method}"
    )
    return _figures(rows, "How stable is the ranking?", "rank", caption)


def likely_ranks(shares: Sequence[float]) -> list[float]:
    """Return the range of ranks that a team has in 95 % of the resamples. `shares` are the shares of
    resamples in which it has rank 1, 2, and so on."""
    cumulated = np.cumsum(shares)
    low, high = (int(np.searchsorted(cumulated, end - 1e-9)) + 1 for end in QUANTILES)
    return [low, min(high, len(shares))]


def _figures(rows: Sequence[TeamRange], question: str, axis_title: str, caption: str) -> list[Figure]:
    parts = [rows[start : start + PER_FIGURE] for start in range(0, len(rows), PER_FIGURE)]

    def build(part: Sequence[TeamRange], asked: str, theme: Theme) -> go.Figure:
        return team_ranges(part, theme, asked, axis_title)

    return [
        Figure(
            partial(build, part, question if not k else f"{question} (from place {1 + k * PER_FIGURE})"),
            caption if k == len(parts) - 1 else "",
            {"team": [row.name for row in part], "value": [row.value for row in part]},
        )
        for k, part in enumerate(parts)
    ]


def first_page(displayed: Displayed) -> tuple[Block, ...]:
    """Return the blocks after the headline of a report: the teams that could be the best, and the groups that
    the test cannot separate."""
    text = summary_text.caveat(displayed.comparison)
    caution = (Text(markdown(text, SENTENCE), "caution"),) if text else ()
    return (*best(displayed.comparison), *caution, *groups(displayed.comparison))
