"""Views of a comparison: the ranking, the lead and its certainty, and the stability of ranks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import plotly.graph_objects as go

from scoring.common.direction_and_range import SCORE
from scoring.common.text import markdown, named
from scoring.comparison import difference_views, figures, rule_views, summary_text, team_views
from scoring.comparison.compare import Comparison
from scoring.comparison.display import NAMED, SENTENCE, Displayed
from scoring.comparison.pairs import TESTS, PairDifferences
from scoring.comparison.score_units import Scale
from scoring.comparison.summary_text import LeaderDifference, leader_differences
from scoring.comparison.team_facts import LABELS, UNKNOWN
from scoring.core.views import Block, Column, Data, Fact, Facts, Figure, SideBySide, Table, Text
from scoring.presentation.figures.number_format import UNDEFINED, percent, share, span
from scoring.presentation.figures.team_maps import size_scatter
from scoring.presentation.figures.theme import Theme
from scoring.statistics.replicate_comparison import SWAP
from scoring.statistics.team_pairs import Pair

PAIRS, METRICS = 400, 3
"""Maximum number of pairs in a table, and of metrics beside a score on a page."""


def section_names(comparison: Comparison) -> list[str]:
    """Return the names of the sections of a comparison, in the order of the questions that organizers usually
    ask."""
    left_out = set()
    if comparison.own_ranking is None:
        left_out.add("Orders")
    if not comparison.spec.class_measures:
        left_out.add("Classes")
    if not comparison.spec.slice_measures:
        left_out.add("Subgroups")
    if all(card.more.get("model_size_mib") is None for card in comparison.cards.values()):
        left_out.add("Size")
    return [name for name in SECTIONS if name not in left_out]


def ranking(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks that show the ranking, with the parts of each score."""
    return (SideBySide(((scores(displayed),), (team_table(displayed),)), (2, 3)),)


def scores(displayed: Displayed, lines: Mapping[str, Mapping[str, Any]] = MappingProxyType({})) -> Figure:
    """Return a figure of the teams' scores with intervals. `lines` contains unranked entries by name, with
    "score" and "interval"."""
    comparison = displayed.comparison
    shaded = f"Shaded: {summary_text.tie(comparison)}. " if summary_text.band(comparison) else ""
    held = "Right: ranks that each team could have. " if comparison.result.rank_intervals else ""
    dotted = "Dotted: a baseline, which has no rank. " if lines else ""
    return Figure(
        partial(figures.ranking, comparison, displayed.scale, displayed.places, lines),
        f"Dot: score with its own 95% interval. {shaded}{dotted}{held}{displayed.method}",
        team_table(displayed).rows,
    )


def team_table(displayed: Displayed) -> Table:
    """Return a table with a row for each team: rank, score with interval, possible ranks, and the parts of
    the score."""
    comparison, scale = displayed.comparison, displayed.scale
    metrics, order = comparison.spec.metrics[: METRICS + 1], team_views.order_columns(comparison)
    ranked = [column.name.removeprefix("metric ") for column in order]
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team", width=84),
        *order,
        Column("score", "score", "number", scale.digits, scale.better, full=scale.unit, width=62),
        Column("interval", "95% interval", "interval", scale.digits_of_intervals, width=96, lighter=True),
        Column(
            "could hold",
            "ranks",
            "written",
            full="possible ranks",
            help="Ranks that the team could have"
            + (
                "; tied: no team is shown to be better, so this team could be first"
                if summary_text.by_score(comparison)
                else ""
            ),
            width=84,
            lighter=True,
        ),
        Column(
            "won",
            "% won",
            "number",
            1,
            full="% of resamples won",
            help="Share of the resamples in which the team was first. It favours the leader on these cases, "
            "and does not show how likely the team is to be the best",
            width=54,
        ),
        *(
            Column(
                metric,
                named(metric),
                "number",
                3,
                comparison.quantity(metric).better,
                width=80,
                detail=number >= METRICS or metric in ranked,
            )
            for number, metric in enumerate(metrics)
        ),
    ]
    if comparison.result.rank_intervals is None and order:
        columns = [column for column in columns if column.name != "could hold"]
    return Table(
        "How are the scores composed?",
        columns,
        _team_rows(displayed, metrics, order),
        " ".join(filter(None, (summary_text.order(comparison), summary_text.decides(comparison))))
        + _unranked(comparison),
        key="teams_table",
    )


def _unranked(comparison: Comparison) -> str:
    """Return a sentence that names the refused submissions, for the caption of the ranking; "" if there are
    none."""
    named = ", ".join(markdown(submission.team, 60) for submission in comparison.excluded[:NAMED])
    more = f" and {len(comparison.excluded) - NAMED} more" if len(comparison.excluded) > NAMED else ""
    return f" Refused, so not ranked: {named}{more}." if named else ""


def exported(displayed: Displayed) -> Table:
    """Return the table of teams with their facts for a download."""
    table, comparison = team_table(displayed), displayed.comparison
    known = [comparison.facts.get(name, UNKNOWN).as_dict() for name in table.rows["team"]]
    facts = {fact: [row[fact] for row in known] for fact in LABELS}
    return replace(
        table,
        columns=(*table.columns, *(Column(fact, label) for fact, label in LABELS.items())),
        rows={**table.rows, **facts},
    )


def _team_rows(displayed: Displayed, metrics: Sequence[str], order: Sequence[Column]) -> Data:
    comparison, scale, result = displayed.comparison, displayed.scale, displayed.comparison.result
    level = (
        summary_text.tied(comparison)
        if summary_text.band(comparison) and summary_text.by_score(comparison)
        else ()
    )
    index_of = {name: index for index, name in enumerate(comparison.scored)}
    names = [*comparison.scored, *(name for name in comparison.cards if name not in index_of)]

    def could_hold(name: str) -> str | None:
        if name not in index_of:
            return None
        ranks = summary_text.rank_interval(comparison, index_of[name]) or UNDEFINED
        return f"{ranks}, tied" if name in level else ranks

    def won(name: str) -> float | None:
        shares = result.shares_won
        return 100 * shares[index_of[name]] if shares and name in index_of else None

    cards = [comparison.cards[name] for name in names]
    return {
        "rank": [comparison.ranks[name] for name in names],
        "team": names,
        **{column.name: [column.get({"team": name}) for name in names] for column in order if column.get},
        "score": [scale.points(card.score) for card in cards],
        "interval": [scale.scaled(card.intervals.get("score")) for card in cards],
        "could hold": [could_hold(name) for name in names],
        "won": [won(name) for name in names],
        **{metric: [card.metrics.get(metric) for card in cards] for metric in metrics},
    }


OTHER_ORDER = "The figure shows differences of the score; the ranks follow another order. "


def lead(displayed: Displayed) -> tuple[Block, ...]:
    """Return a figure and a text that show whether the lead is more than chance."""
    comparison, scale = displayed.comparison, displayed.scale
    if len(comparison.scored) < 2:
        return (Text("Only one team has a score, so there is no other team to compare with.", "note"),)
    others = [
        difference for difference in leader_differences(comparison) if difference.team in displayed.names
    ]
    figure = Figure(
        partial(figures.lead, comparison, scale, displayed.places),
        f"{'' if summary_text.by_score(comparison) else OTHER_ORDER}"
        f"{_of_intervals(comparison)}{displayed.method}",
        {"team": [other.team for other in others], **_numbers(others, scale)},
        key="lead",
    )
    sentences = (
        summary_text.untold(comparison),
        summary_text.caveat(comparison),
        summary_text.gap(comparison, scale),
    )
    text = " ".join(sentence for sentence in sentences if sentence)
    return (figure, Text(markdown(text, SENTENCE))) if text else (figure,)


def _of_intervals(comparison: Comparison) -> str:
    """Return a sentence that explains the intervals of differences, for a caption; "" if there are none."""
    if comparison.result.test is None:
        return ""
    how = "swap test" if comparison.result.test == SWAP else "max-t"
    return (
        "Filled: the interval excludes zero, so the teams are told apart. Hollow: the interval contains "
        f"zero. The 95% intervals hold for all pairs at once ({how}). "
    )


def pairs(displayed: Displayed, of: PairDifferences, scale: Scale) -> Figure:
    """Return a figure of the difference of every pair of teams, in the score or in another metric with its
    own test."""
    names = [name for name in displayed.names if name in of.teams]
    drawn = of.of.among([of.teams.index(name) for name in names])
    return Figure(
        partial(figures.pairs, of, scale, names),
        f"Each cell: the row's team minus the column's team, {scale.unit}. {_of_test(of)}{displayed.method}",
        {
            "a": [of.teams[pair.a] for pair in drawn],
            "b": [of.teams[pair.b] for pair in drawn],
            **_numbers(drawn, scale),
        },
    )


def _of_test(of: PairDifferences) -> str:
    """Return sentences about chance for the caption of a matrix of pairs."""
    told = of.of.separated is not None
    colour = "Coloured: the 95% interval, adjusted for all pairs, excludes zero. " * told
    if of.test is None:
        return "Without colour: chance was not assessed. "
    over = "" if of.test == TESTS[SWAP] else "by Holm's method "
    return f"{colour}Point at a cell to see p ({of.test}), adjusted {over}for all {len(of.of)} pairs. "


def _numbers(pairs: Sequence[Pair | LeaderDifference], scale: Scale) -> Data:
    ends = [scale.scaled(pair.simultaneous_interval) or (None, None) for pair in pairs]
    return {
        "difference": [scale.factor * pair.difference for pair in pairs],
        "simultaneous low": [low for low, _ in ends],
        "simultaneous high": [high for _, high in ends],
        "adjusted p": [pair.p_adjusted for pair in pairs],
        "told apart": [pair.separated for pair in pairs],
    }


def leads(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks with the lead and the differences of all pairs, as a figure and as numbers."""
    comparison, scale = displayed.comparison, displayed.scale
    if len(comparison.scored) < 2:
        return lead(displayed)
    by_score = PairDifferences(
        SCORE, TESTS[comparison.result.test], comparison.scored, comparison.result.pairs
    )
    listed = by_score.of[:PAIRS]
    more = len(by_score.of) - len(listed)
    interval = Column(
        "interval", "simultaneous 95% interval", "interval", scale.digits_of_intervals, sign=True
    )
    difference = Column("difference", scale.unit, "number", scale.digits, sign=True)
    table = Table.of(
        "Which pairs are told apart, in numbers?",
        listed,
        [
            Column("team", "team", get=lambda pair: comparison.scored[pair.a]),
            Column("minus", "minus", get=lambda pair: comparison.scored[pair.b]),
            replace(difference, get=lambda pair: scale.points(pair.difference)),
            replace(interval, get=lambda pair: scale.scaled(pair.simultaneous_interval)),
            Column("p", "adjusted p", "written", get=lambda pair: figures.p_words(pair.p_adjusted)),
            Column("apart", "told apart", get=lambda pair: pair.separated),
        ],
        f"comparison.json lists {more} more." if more else "",
        detail=True,
    )
    return (*lead(displayed), pairs(displayed, by_score, scale), table)


def stability(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks that show how stable the ranks are in the resamples."""
    comparison, result = displayed.comparison, displayed.comparison.result
    if result.rank_shares is None:
        message = (
            "The stability of ranks is unknown, because there are no resamples, or a score is undefined in "
            "all of them."
        )
        return (Text(message, "note"),)
    shares = [result.rank_shares[index] for index in displayed.places]
    figure = Figure(
        partial(figures.rank_shares, comparison, displayed.places),
        f"{'Frame: ranks that the team could have. ' if result.rank_intervals else ''}{displayed.method}",
        {
            "team": displayed.names,
            **{f"rank {rank + 1}": list(column) for rank, column in enumerate(zip(*shares, strict=True))},
        },
    )
    meaning = Text(
        "If a row is spread over many columns, another test set could change the rank. A share is the part "
        "of the resamples of **these** cases in which the team had that rank. A share does **not show how "
        "likely a team is to be the best**: the leader on these cases also leads in many resamples. Among "
        "twenty exactly equal teams, the team that leads by chance wins a third of the resamples.",
        question="Is a share of the resamples the probability that a team is the best?",
    )
    return (SideBySide(((figure,), (meaning, *stability_facts(comparison))), (3, 2)),)


def stability_facts(comparison: Comparison) -> tuple[Facts, ...]:
    """Return facts that say how well the rankings in the resamples agree with the ranking on the test set;
    empty without resamples."""
    known, won = comparison.result.stability, comparison.result.shares_won
    if not known:
        return ()
    tau = Fact(
        "Kendall’s tau",
        share(known["kendall_tau_mean"], 2),
        span(known["kendall_tau_interval"], 2),
        f"How well the order of teams{'' if summary_text.by_score(comparison) else ' by score'} in a "
        "resample agrees with the order on these cases: 1 is the same order, 0 is chance, −1 is the "
        "reversed order. Mean and 95% range of the resamples",
    )
    return (Facts((tau, Fact("First in resamples", percent(won[0] if won else None), comparison.scored[0]))),)


def size(displayed: Displayed) -> tuple[Block, ...]:
    """Return a figure of the score against the model size, or a text if no model size is known."""
    comparison, scale = displayed.comparison, displayed.scale
    sized = figures.sized(comparison, scale)
    if not sized:
        return (Text("The model sizes of all teams are unknown.", "note"),)

    def build(theme: Theme) -> go.Figure:
        limits = comparison.spec.size.limits_mib if comparison.spec.size else None
        return size_scatter(sized, scale.unit, scale.digits, theme, limits, scale.better)

    return (
        Figure(
            build,
            "Filled: no smaller model has an equal or better score. Whisker: 95% interval. The model size of "
            f"{len(sized)} of {len(comparison.cards)} teams is known. {displayed.method}",
            {
                "team": [team.name for team in sized],
                "MiB": [team.mib for team in sized],
                "score": [team.score for team in sized],
            },
        ),
    )


def who(displayed: Displayed) -> tuple[Block, ...]:
    """Return tables of the known facts about the teams and of the refused submissions; empty if there are
    none."""
    comparison = displayed.comparison
    facts = (
        (team_views.facts(comparison),) if any(fact != UNKNOWN for fact in comparison.facts.values()) else ()
    )
    return (*facts, *refused(comparison))


def refused(comparison: Comparison) -> tuple[Block, ...]:
    """Return a table of the refused submissions with their problems; empty if there are none."""
    return (team_views.excluded(comparison),) if comparison.excluded else ()


SECTIONS: Mapping[str, Callable[[Displayed], Sequence[Block]]] = {
    "Ranking": ranking,
    "Lead": leads,
    "Stability": stability,
    "Orders": rule_views.orders,
    "Other rules": rule_views.other_rules,
    "Classes": difference_views.classes,
    "Cases": difference_views.cases,
    "Subgroups": difference_views.subgroups,
    "Size": size,
    "Teams": who,
}
"""Name -> function that returns a section's blocks in a report. A page shows the same blocks for sections
that have no widgets."""
