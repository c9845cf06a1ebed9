"""Views of rankings: by the challenge's own rule, by other rules, and with other weights."""

from collections.abc import Mapping, Sequence
from functools import partial

import plotly.graph_objects as go

from scoring.common.text import markdown, named
from scoring.comparison import figures, robustness, summary_text, team_views
from scoring.comparison.compare import Comparison
from scoring.comparison.display import Displayed
from scoring.comparison.robustness import FirstTeams, Rescored, Robustness, WeightGrid
from scoring.core.comparison_spec import Ranking
from scoring.core.views import Block, Choice, Column, Figure, SideBySide, Table, Text
from scoring.presentation.figures import comparison as drawing
from scoring.presentation.figures.intervals import IntervalRow
from scoring.presentation.figures.team_maps import weight_map
from scoring.presentation.figures.theme import Theme
from scoring.statistics.ranking import competition_ranks

KINDS = {"metrics and schemes": ("official", "metric", "scheme"), "subgroups": ("official", "subgroup")}
"""Label on the page -> the kinds of rules that are then shown."""
NAMED = 12
"""Number of pairs that a sentence names before "and N more"."""


def orders(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks with both rankings of a challenge (by the score and by its own rule) side by side and, if
    ranks depend on the other teams, who would be first if a team withdrew."""
    comparison = displayed.comparison
    if comparison.own_ranking is not None and not comparison.own_ranking.more:
        return (_own_order(displayed, comparison.own_ranking),)
    official = (_orders_table(displayed), _disagreement(comparison))
    withdrawals = team_views.withdrawals(comparison)
    return (SideBySide((official, (withdrawals,) if withdrawals else ()), (3, 2)),)


def _own_order(displayed: Displayed, own: Ranking) -> Table:
    """Return the places by the challenge's own order, beside the places by the score."""
    comparison, quantity = displayed.comparison, displayed.comparison.quantity()
    names = list(comparison.scored)
    by_score = competition_ranks([quantity.order(comparison.cards[name].score) for name in names])
    return Table(
        f"How would the teams rank by the score instead of {own.name}?",
        [
            Column("team", "team"),
            Column("place", "#", "number", 0, full=f"place by {own.name}", width=64),
            Column("value", own.name, "number", 2, "lower", width=90),
            Column("by score", "by score", "number", 0, full="place by score", width=72),
            Column("score", "score", "number", displayed.scale.digits, displayed.scale.better, width=72),
        ],
        {
            "team": names,
            "place": [comparison.ranks[name] for name in names],
            "value": [own.values[name] for name in names],
            "by score": list(by_score),
            "score": [displayed.scale.points(comparison.cards[name].score) for name in names],
        },
        f"{own.words} A smaller {own.name} is better.",
        key="orders",
    )


def _orders_table(displayed: Displayed) -> Table:
    comparison, own = displayed.comparison, displayed.comparison.own_ranking
    assert own is not None
    of_teams = [own.of_teams[name] for name in comparison.cards]
    digits = 1 if own.options["rank_ties"] == "average" else 0
    subtasks = list(of_teams[0]["subtask_ranks"])
    by_rank = [entry["rank_by_weighted_rank"] for entry in of_teams]
    by_score = [entry["rank_by_score"] for entry in of_teams]
    columns = [
        Column("team", "team"),
        Column("by rank", "by ranks", "number", 0, full="place by weighted ranks", width=64),
        Column("by score", "by score", "number", 0, full="place by weighted score", width=64),
        Column("differs", "", width=56),
        Column("weighted rank", "w. rank", "number", 2, "lower", full="weighted rank", width=72),
        Column("score", "score", "number", displayed.scale.digits, displayed.scale.better, width=60),
        *(
            Column(f"{name} rank", f"{name[:4]}. #", "number", digits, full=f"rank in {name}", width=60)
            for name in subtasks
        ),
    ]
    rows = {
        "team": list(comparison.cards),
        "by rank": by_rank,
        "by score": by_score,
        "differs": ["differs" if a != b else "" for a, b in zip(by_rank, by_score, strict=True)],
        "weighted rank": [entry["weighted_rank"] for entry in of_teams],
        "score": [card.score for card in comparison.cards.values()],
        **{f"{name} rank": [entry["subtask_ranks"][name] for entry in of_teams] for name in subtasks},
    }
    caption = (
        "The weighted rank is the sum of 0.25, 0.35 and 0.40 times the ranks in segmentation, staging and "
        "prognosis; smaller is better."
    )
    return Table("Do both orders agree?", columns, rows, caption, key="orders")


def _disagreement(comparison: Comparison) -> Text:
    assert comparison.own_ranking is not None
    pairs = comparison.own_ranking.more["orderings_disagree"]
    if not pairs:
        return Text("Both orders give every team the same place.")
    listed = ", ".join(f"**{markdown(a, 40)}** and **{markdown(b, 40)}**" for a, b in pairs[:NAMED])
    more = f", and {len(pairs) - NAMED} more" if len(pairs) > NAMED else ""
    return Text(
        f":orange[▲] The two orders disagree on {len(pairs)} pair{'s' * (len(pairs) != 1)} of teams: "
        f"{listed}{more}."
    )


def other_rules(displayed: Displayed) -> tuple[Block, ...]:
    """Return blocks with the ranks by other metrics, by other ranking schemes, in subgroups, and with all
    weights of the score's parts."""
    robust = robustness.robustness(displayed.comparison)
    kinds = {
        label: _rules(displayed, robust, some)
        for label, some in KINDS.items()
        if any(rule.kind in some[1:] for rule in robust.rules)
    }
    choice = Choice(
        "Other rules", "rule_kind", kinds or {"official": _rules(displayed, robust, ("official",))}
    )
    ranks = choice if len(kinds) > 1 else next(iter(choice.options.values()))
    return (SideBySide(((ranks,), (_moves(displayed, robust),)), (3, 2)), *maps(displayed))


def _rules(displayed: Displayed, robust: Robustness, kinds: Sequence[str]) -> Figure:
    rules = [rule for rule in robust.rules if rule.kind in kinds]
    small = (
        "Grey with a star: subgroups of fewer than 15 cases. " if any(rule.small for rule in rules) else ""
    )
    return Figure(
        partial(figures.rules, robust, kinds, displayed.names),
        "Each cell: the team's rank under a rule; a stronger colour is a better rank. Above the line: the "
        "official order. τ (Kendall): agreement of a rule's order with the official order; 1 is the same "
        f"order. {small}{_left_out(robust)}"
        f"{len(robust.rules) - 1} other rules were compared: one of them may give another order by chance "
        "alone. "
        f"{displayed.method}",
        {
            "rule": [figures.rule_name(rule) for rule in rules],
            **{
                f"rank: {name}": [rule.ranks[robust.teams.index(name)] for rule in rules]
                for name in displayed.names
            },
            "tau": [rule.kendall_tau for rule in rules],
        },
    )


def _left_out(robust: Robustness) -> str:
    """Return a sentence that names the rules that are not shown, because all teams would be first."""
    names = " and ".join(figures.SCHEMES.get(name, name) for name in robust.all_alike)
    return f"Rules left out, because all teams would share the first place: {names}. " if names else ""


def _moves(displayed: Displayed, robust: Robustness) -> Table:
    official = robust.rules[0].ranks
    return Table.of(
        "By how many places could a team move?",
        [robust.teams.index(name) for name in displayed.comparison.scored],
        [
            Column("team", "team", get=lambda i: robust.teams[i]),
            Column("official", "official #", "number", 0, full="official rank", get=lambda i: official[i]),
            Column("best", "best #", "number", 0, full="best rank", get=lambda i: robust.best[i]),
            Column("worst", "worst #", "number", 0, full="worst rank", get=lambda i: robust.worst[i]),
        ],
        "The best and the worst rank of a team under all rules above. Subgroups of fewer than 15 cases are "
        "left out; medians are left out if cases are only right or wrong. The official rank does not "
        "change.",
        key="robustness",
    )


def maps(displayed: Displayed) -> tuple[Block, ...]:
    """Return figures that show the first team for all weights of three parts of the score; empty if the score
    has no three such parts."""
    if displayed.comparison.spec.weight_map is None:
        return ()
    grid = robustness.weight_map(displayed.comparison)
    if grid is None:
        message = "No team has all three parts of the score, so there is no map of their weights."
        return (Text(message, "note"),)
    by_score = "Who wins under other weights?"
    drawn = []
    if grid.by_rank is not None:
        by_score = "Who wins by weighted score under other weights?"
        by_rank = "Who wins by weighted ranks under other weights?"
        drawn.append(_map(displayed, grid, grid.by_rank, by_rank))
    drawn.append(_map(displayed, grid, grid.by_score, by_score))
    columns = [(figure,) for figure in drawn]
    return (SideBySide((*columns, *[()] * (2 - len(columns))), (1, 1)),)


def _map(displayed: Displayed, grid: WeightGrid, firsts: FirstTeams, question: str) -> Figure:
    parts = [named(metric) for metric in grid.metrics]
    ring = " and ".join(markdown(name, 40) for name in robustness.at_the_ring(grid, firsts))
    return Figure(
        partial(weight_map, question, figures.first_places(grid, firsts)),
        "Each point is a choice of weights with the sum 1. Its colour is the team that would be first. "
        f"Ring: the official weights, with {ring} first. "
        f"{robustness.held_fixed(displayed.comparison, grid)} The map does not account for chance.",
        {
            **{part: grid.weights[:, k].tolist() for k, part in enumerate(parts)},
            **{
                f"first: {name}": firsts.first[:, k].tolist()
                for k, name in enumerate(grid.teams)
                if firsts.first[:, k].any()
            },
        },
    )


def rescored(displayed: Displayed, rescored: Rescored, before: Mapping[str, int], changed: str) -> Block:
    """Return a block with the scores under other parameters of the formula.

    Args:
        before: The rank of each team with the default parameters.
        changed: Description of the changed parameters; "" if none is changed.
    """
    scale, names = displayed.scale, set(displayed.names)
    places = [k for k, name in enumerate(rescored.teams) if name in names and rescored.scores[k] is not None]
    if not places:
        return Text("These weights sum to 0, so no score is defined.", "note")
    scores = [scale.factor * (rescored.scores[k] or 0.0) for k in places]
    rows = [
        IntervalRow(
            f"{rescored.ranks[k]}  {rescored.teams[k]}",
            score,
            scale.scaled(rescored.intervals[k]),
            beside=_moved(before[rescored.teams[k]], rescored.ranks[k]),
        )
        for k, score in zip(places, scores, strict=True)
    ]
    tied = list(rescored.result.tied_for_first or ())
    band = next((k for k, is_tied in enumerate(tied) if not is_tied), len(tied))
    shaded = min(band, len(rows)) if band > 1 else 0

    order = "score" if summary_text.by_score(displayed.comparison) else "score, not the weighted ranks"

    def build(theme: Theme) -> go.Figure:
        question = "Who would win with the chosen weights?"
        return drawing.team_intervals(rows, theme, question, scale.unit, scale.digits, tied=shaded)

    return Figure(
        build,
        f"{f'Changed: {changed}' if changed else 'The official weights'}. The rest of the formula does not "
        f"change. Places follow the {order}. Shaded: tied for first. Right: places that a team gains or "
        f"loses compared with the official weights. {displayed.method}",
        {
            "team": [rescored.teams[k] for k in places],
            "rank": [rescored.ranks[k] for k in places],
            "score": scores,
        },
    )


def _moved(before: int, now: int) -> str:
    return "" if before == now else f"↑ {before - now}" if now < before else f"↓ {now - before}"
