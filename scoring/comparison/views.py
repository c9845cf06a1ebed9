"""Views of a comparison: the ranking, the lead and its chance, and the stability of ranks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import plotly.graph_objects as go

from scoring.common.text import markdown, named
from scoring.comparison import difference_views, figures, rule_views, summary_text, team_views
from scoring.comparison.compare import Comparison
from scoring.comparison.display import NAMED, SENTENCE, Displayed
from scoring.comparison.pairs import SCORE, TESTS, PairDifferences
from scoring.comparison.scale import Scale
from scoring.comparison.summary_text import LeaderDifference, leader_differences
from scoring.comparison.team_facts import LABELS, UNKNOWN
from scoring.core.views import Block, Column, Data, Fact, Facts, Figure, SideBySide, Table, Text
from scoring.presentation.figures.numerals import UNDEFINED, percent, share, span
from scoring.presentation.figures.team_maps import size_scatter
from scoring.presentation.figures.theme import Theme
from scoring.statistics.replicate_comparison import SWAP, Pair

PAIRS, METRICS = 400, 3
"""Pairs that a table lists, and metrics beside a score on a page, at most."""


def section_names(found: Comparison) -> list[str]:
    """Return the names of the sections that this comparison has, in the order of an organizer's questions."""
    left_out = set()
    if found.own_ranking is None:
        left_out.add("Orders")
    if not found.spec.slice_measures:
        left_out.add("Subgroups")
    if all(card.more.get("model_size_mib") is None for card in found.cards.values()):
        left_out.add("Size")
    return [name for name in SECTIONS if name not in left_out]


def ranking(shown: Displayed) -> tuple[Block, ...]:
    """Return who wins, and what makes the scores."""
    return (SideBySide(((scores(shown),), (team_table(shown),)), (2, 3)),)


def scores(shown: Displayed) -> Figure:
    """Return the teams' scores with their intervals."""
    found = shown.comparison
    shaded = f"Shaded: {summary_text.tie(found)}. " if summary_text.band(found) else ""
    held = "Right: ranks that each team could hold. " if found.result.rank_intervals else ""
    return Figure(
        partial(figures.ranking, found, shown.scale, shown.places),
        f"Dot: score with its own 95% interval. {shaded}{held}{shown.method}",
        team_table(shown).rows,
    )


def team_table(shown: Displayed) -> Table:
    """Return a row for each team: rank, score with interval, ranks that chance allows, and what the score is
    made of."""
    found, scale = shown.comparison, shown.scale
    metrics = found.spec.metrics[: METRICS + 1]
    columns = [
        Column("rank", "#", "number", 0, full="rank", width=36),
        Column("team", "team", width=84),
        Column("score", "score", "number", scale.digits, "higher", full=scale.unit, width=62),
        Column("interval", "95% interval", "interval", scale.digits_of_intervals, width=96, lighter=True),
        Column(
            "could hold",
            "ranks",
            "written",
            full="could hold ranks",
            help="Ranks that the team could hold"
            + ("; tied: for first, no team is certainly better" if summary_text.by_score(found) else ""),
            width=84,
            lighter=True,
        ),
        Column(
            "won",
            "% won",
            "number",
            1,
            full="% of resamples won",
            help="Share of the resamples in which it came first. It favours who leads here, and is no chance "
            "of being best",
            width=54,
        ),
        *(
            Column(metric, named(metric), "number", 3, "higher", width=80, detail=place >= METRICS)
            for place, metric in enumerate(metrics)
        ),
    ]
    return Table(
        "What makes the scores?",
        columns,
        _team_rows(shown, metrics),
        f"{summary_text.order(found)} Chance alters no rank; what it could do stands beside it."
        f"{_unranked(found)}",
        key="teams_table",
    )


def _unranked(found: Comparison) -> str:
    """Name the refused submissions, for the caption of the ranking; "" where there are none."""
    named = ", ".join(markdown(one.team, 60) for one in found.excluded[:NAMED])
    more = f" and {len(found.excluded) - NAMED} more" if len(found.excluded) > NAMED else ""
    return f" Refused, so not ranked: {named}{more}." if named else ""


def exported(shown: Displayed) -> Table:
    """Return the table of teams with their facts, as a file."""
    table, found = team_table(shown), shown.comparison
    told = [found.facts.get(name, UNKNOWN).as_dict() for name in table.rows["team"]]
    facts = {fact: [one[fact] for one in told] for fact in LABELS}
    return replace(
        table,
        columns=(*table.columns, *(Column(fact, label) for fact, label in LABELS.items())),
        rows={**table.rows, **facts},
    )


def _team_rows(shown: Displayed, metrics: Sequence[str]) -> Data:
    found, scale, result = shown.comparison, shown.scale, shown.comparison.result
    level = summary_text.tied(found) if summary_text.band(found) and summary_text.by_score(found) else ()
    place_of = {name: place for place, name in enumerate(found.scored)}
    names = [*found.scored, *(name for name in found.cards if name not in place_of)]

    def could_hold(name: str) -> str | None:
        if name not in place_of:
            return None
        ranks = summary_text.rank_interval(found, place_of[name]) or UNDEFINED
        return f"{ranks}, tied" if name in level else ranks

    def won(name: str) -> float | None:
        shares = result.shares_won
        return 100 * shares[place_of[name]] if shares and name in place_of else None

    cards = [found.cards[name] for name in names]
    return {
        "rank": [found.ranks[name] for name in names],
        "team": names,
        "score": [None if card.score is None else scale.factor * card.score for card in cards],
        "interval": [scale.scaled(card.intervals.get("score")) for card in cards],
        "could hold": [could_hold(name) for name in names],
        "won": [won(name) for name in names],
        **{metric: [card.metrics.get(metric) for card in cards] for metric in metrics},
    }


def lead(shown: Displayed) -> tuple[Block, ...]:
    """Return whether the lead is more than chance."""
    found, scale = shown.comparison, shown.scale
    if len(found.scored) < 2:
        return (
            Text("There is only one team with a score, so there is no other to compare it with.", "note"),
        )
    others = [one for one in leader_differences(found) if one.team in shown.names]
    figure = Figure(
        partial(figures.lead, found, scale, shown.places),
        f"{'' if summary_text.by_score(found) else 'By score, which does not order the teams here. '}"
        f"{_of_intervals(found)}{shown.method}",
        {"team": [one.team for one in others], **_numbers(others, scale)},
        key="lead",
    )
    words = (summary_text.untold(found), summary_text.caveat(found), summary_text.gap(found, scale))
    text = " ".join(sentence for sentence in words if sentence)
    return (figure, Text(markdown(text, SENTENCE))) if text else (figure,)


def _of_intervals(found: Comparison) -> str:
    """Return what the intervals of differences are, for a caption; "" where there are none."""
    if found.result.test is None:
        return ""
    how = "swap test" if found.result.test == SWAP else "max-t"
    return (
        "Filled: told apart. Hollow: the interval reaches zero. Simultaneous 95% intervals over all pairs "
        f"({how}). "
    )


def pairs(shown: Displayed, of: PairDifferences, scale: Scale) -> Figure:
    """Return every pair of teams, by score or by another metric with the test that belongs to it.

    Args:
        shown: The comparison.
        of: The pairs.
        scale: Of the metric that they differ in.
    """
    names = [name for name in shown.names if name in of.teams]
    drawn = [pair for pair in of.of if of.teams[pair.a] in names and of.teams[pair.b] in names]
    return Figure(
        partial(figures.pairs, of, scale, names),
        f"Row minus column, {scale.unit}. {_of_test(of)}{shown.method}",
        {
            "a": [of.teams[pair.a] for pair in drawn],
            "b": [of.teams[pair.b] for pair in drawn],
            **_numbers(drawn, scale),
        },
    )


def _of_test(of: PairDifferences) -> str:
    """Return what a matrix of pairs says of chance, for its caption."""
    apart = [pair.separated is not None for pair in of.of]
    colour = "Coloured: told apart by simultaneous intervals; without colour: not. " * any(apart)
    if of.test is None:
        return "Without colour: nothing is known of chance. "
    over = "" if of.test == TESTS[SWAP] else "by Holm "
    return f"{colour}On hover: p ({of.test}), {over}over all {len(of.of)} pairs. "


def _numbers(pairs: Sequence[Pair | LeaderDifference], scale: Scale) -> Data:
    ends = [scale.scaled(pair.simultaneous_interval) or (None, None) for pair in pairs]
    return {
        "difference": [scale.factor * pair.difference for pair in pairs],
        "simultaneous low": [low for low, _ in ends],
        "simultaneous high": [high for _, high in ends],
        "adjusted p": [pair.p_adjusted for pair in pairs],
        "told apart": [pair.separated for pair in pairs],
    }


def leads(shown: Displayed) -> tuple[Block, ...]:
    """Return the lead and every pair, in a figure and in numbers."""
    found, scale = shown.comparison, shown.scale
    if len(found.scored) < 2:
        return lead(shown)
    by_score = PairDifferences(SCORE, TESTS[found.result.test], found.scored, found.result.pairs)
    listed = by_score.of[:PAIRS]
    more = len(by_score.of) - len(listed)
    table = Table(
        "Which pairs are told apart, in numbers?",
        [
            Column("team", "team"),
            Column("minus", "minus"),
            Column("difference", scale.unit, "number", scale.digits, sign=True),
            Column("interval", "simultaneous 95% interval", "interval", scale.digits_of_intervals, sign=True),
            Column("p", "adjusted p", "written"),
            Column("apart", "told apart"),
        ],
        {
            "team": [found.scored[pair.a] for pair in listed],
            "minus": [found.scored[pair.b] for pair in listed],
            "difference": [scale.factor * pair.difference for pair in listed],
            "interval": [scale.scaled(pair.simultaneous_interval) for pair in listed],
            "p": [figures.p_words(pair.p_adjusted) for pair in listed],
            "apart": [pair.separated for pair in listed],
        },
        f"and {more} more, in comparison.json" if more else "",
        detail=True,
    )
    return (*lead(shown), pairs(shown, by_score, scale), table)


def stability(shown: Displayed) -> tuple[Block, ...]:
    """Return how stable the ranks are."""
    found, result = shown.comparison, shown.comparison.result
    if result.rank_shares is None:
        words = (
            "Nothing is known about the stability of ranks without replicates, or where a score is "
            "undefined in all of them."
        )
        return (Text(words, "note"),)
    shares = [result.rank_shares[place] for place in shown.places]
    figure = Figure(
        partial(figures.rank_shares, found, shown.places),
        f"{'Frame: ranks that the team could hold. ' if result.rank_intervals else ''}{shown.method}",
        {
            "team": shown.names,
            **{f"rank {place + 1}": list(column) for place, column in enumerate(zip(*shares, strict=True))},
        },
    )
    meaning = Text(
        "A row spread over many columns is a rank that another test set would change. A share says how "
        "often a resample of **these** cases gave that rank. It is **no chance of being best**: whoever "
        "leads on these cases leads in their resamples too. Of twenty teams that are exactly equal, the one "
        "that happens to be in front wins a third of the resamples.",
        question="Is a share a chance?",
    )
    return (SideBySide(((figure,), (meaning, *_stability_facts(found))), (3, 2)),)


def _stability_facts(found: Comparison) -> tuple[Facts, ...]:
    known, won = found.result.stability, found.result.shares_won
    if not known:
        return ()
    tau = Fact(
        "Kendall’s tau",
        share(known["kendall_tau_mean"], 2),
        span(known["kendall_tau_interval"], 2),
        f"Agreement of a resample's order{'' if summary_text.by_score(found) else ' by score'} with that of "
        "these cases: 1 the same, 0 as by chance, −1 reversed. Mean and 95% of the resamples",
    )
    return (Facts((tau, Fact("First in resamples", percent(won[0] if won else None), found.scored[0]))),)


def size(shown: Displayed) -> tuple[Block, ...]:
    """Return the score against the size of the model."""
    found, scale = shown.comparison, shown.scale
    sized = figures.sized(found, scale)
    if not sized:
        return (Text("No team says how large its model is.", "note"),)

    def build(theme: Theme) -> go.Figure:
        limits = found.spec.size.limits_mib if found.spec.size else None
        return size_scatter(sized, scale.unit, scale.digits, theme, limits)

    return (
        Figure(
            build,
            f"Filled: no smaller model scores as high. Whisker: 95% interval. {len(sized)} of "
            f"{len(found.cards)} teams have a known size. {shown.method}",
            {
                "team": [one.name for one in sized],
                "MiB": [one.mib for one in sized],
                "score": [one.score for one in sized],
            },
        ),
    )


def who(shown: Displayed) -> tuple[Block, ...]:
    """Return what is known of the teams, and which submissions were refused; nothing where neither is."""
    found = shown.comparison
    facts = (team_views.facts(found),) if any(one != UNKNOWN for one in found.facts.values()) else ()
    return (*facts, *refused(found))


def refused(found: Comparison) -> tuple[Block, ...]:
    """Return the refused submissions with their problems; nothing where there are none."""
    return (team_views.excluded(found),) if found.excluded else ()


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
"""Name -> what a report shows of it. A page draws those without widgets as they are."""
