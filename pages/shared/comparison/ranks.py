"""Who leads, whether the lead is more than chance, how stable the ranks are, and what orders of a challenge's
own say."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages.shared import layout, teams
from pages.shared.comparison.shown import Compared
from pages.shared.layout import Fact
from scoring.comparison import reference, verdict, views
from scoring.comparison.pairs import SCORE, Pair, pairs_of
from scoring.comparison.reference import Difference
from scoring.comparison.scale import Scale
from scoring.figures.model_size import size_scatter
from scoring.figures.numerals import UNDEFINED, percent, share, span
from scoring.text import markdown


def ranking_rows(compared: Compared, places: Sequence[int]) -> pd.DataFrame:
    """A row for each place: rank, score with interval, ranks that chance allows, and what the score is made
    of."""
    comparison, result = compared.comparison, compared.comparison.result
    level = verdict.tied(comparison) if verdict.band(comparison) else ()
    rows = []
    for place in places:
        name = comparison.scored[place]
        card = comparison.cards[name]
        row = {
            "rank": comparison.ranks[name],
            "team": name,
            "score": compared.scale.factor * card.score,
            "interval": compared.scale.span(card.intervals.get("score")),
            "could hold": (verdict.rank_interval(comparison, place) or UNDEFINED)
            + (", tied" if name in level else ""),
            "won": 100 * result.shares_won[place] if result.shares_won else None,
        }
        rows.append(row | {metric: card.metrics.get(metric) for metric in comparison.spec.metrics[:3]})
    return pd.DataFrame(rows)


def ranking(compared: Compared) -> None:
    """Who wins, and what makes the scores."""
    comparison, scale = compared.comparison, compared.scale
    rows = ranking_rows(compared, compared.shown)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        shaded = "Shaded: tied for first. " if verdict.band(comparison) else ""
        layout.chart(
            views.ranking(comparison, scale, compared.shown, layout.theme()),
            (
                f"Dot: score with its own 95% interval. {shaded}Right: ranks that each team could hold. "
                f"{compared.method}"
            ),
            rows,
        )
    with right:
        metrics = comparison.spec.metrics[:3]
        layout.table(
            "What makes the scores?",
            rows,
            {
                "rank": layout.number("#", 0, 36),
                "team": layout.words("team", 84),
                "score": layout.number("score ↑", scale.digits, 62),
                "interval": layout.words("95% interval", 96, right=True),
                "could hold": layout.words(
                    "ranks",
                    84,
                    right=True,
                    explain="Ranks that the team could hold; tied: for first, no team is certainly better",
                ),
                "won": layout.number(
                    "% won",
                    1,
                    54,
                    explain=(
                        "Share of the resamples in which it came first. It favours who leads here, and "
                        "is no chance of being best"
                    ),
                ),
                **{metric: layout.number(f"{views.named(metric)} ↑", width=80) for metric in metrics},
            },
            (
                "The order is that of the official score and is never altered; what chance could do "
                "stands beside it."
            ),
            lighter=["interval", "could hold"],
            key="teams_table",
        )


def lead(compared: Compared) -> None:
    """Whether the lead is more than chance, and every pair."""
    comparison, scale = compared.comparison, compared.scale
    if len(comparison.scored) < 2:
        st.info("One team has no one to be told apart from.", icon=":material/groups:")
        return
    left, right = st.columns([9, 11], gap="large")
    with left:
        others = [one for one in reference.differences(comparison) if one.team in compared.names]
        layout.chart(
            views.lead(comparison, scale, compared.shown, layout.theme()),
            (
                "Filled: told apart. Hollow: the interval reaches zero. Simultaneous 95% intervals "
                f"over all pairs (max-t). {compared.method}"
            ),
            pd.DataFrame([{"team": one.team, **_pair_numbers(one, scale)} for one in others]),
            key="lead",
        )
        st.markdown(markdown(verdict.gap(comparison, scale), 600))
    with right:
        pairs_of_teams(compared)


def pairs_of_teams(compared: Compared) -> None:
    """Every pair, by score or by another metric with the test that belongs to it."""
    comparison = compared.comparison
    metrics = [
        metric
        for metric in comparison.spec.metrics
        if any(card.metrics.get(metric) is not None for card in comparison.cards.values())
    ]
    metric = st.selectbox(
        "Pairs by",
        [SCORE, *metrics],
        key="pairs_metric",
        bind="query-params",
        persist_state="page",
        width=240,
        format_func=views.named,
    )
    pairs, scale = comparison.pairs, compared.scale
    if metric != SCORE:
        key = (*compared.key, metric)
        pairs = teams.of_comparison("pairs", key, lambda: pairs_of(comparison.spec, comparison.cards, metric))
        scale = Scale(1, 3, 3, views.named(metric))
    names = [name for name in compared.names if name in pairs.teams]
    drawn = [pair for pair in pairs.of if pairs.teams[pair.a] in names and pairs.teams[pair.b] in names]
    layout.chart(
        views.pairs(pairs, scale, names, layout.theme()),
        f"Row minus column, {scale.unit}. Coloured: told apart by simultaneous intervals; without "
        f"colour: not. On hover: p ({pairs.test}), by Holm over all "
        f"{len(pairs.of)} pairs. {compared.method}",
        pd.DataFrame(
            [
                {"a": pairs.teams[pair.a], "b": pairs.teams[pair.b], **_pair_numbers(pair, scale)}
                for pair in drawn
            ]
        ),
    )


def _pair_numbers(pair: Pair | Difference, scale: Scale) -> dict:
    low, high = scale.scaled(pair.simultaneous_interval) or (None, None)
    return {
        "difference": scale.factor * pair.difference,
        "simultaneous low": low,
        "simultaneous high": high,
        "adjusted p": pair.p_adjusted,
        "told apart": pair.separated,
    }


def stability(compared: Compared) -> None:
    """How stable the ranks are."""
    comparison, result, names = compared.comparison, compared.comparison.result, compared.names
    if result.rank_shares is None:
        st.info(
            (
                "Nothing is known about the stability of ranks without replicates, or where a score is "
                "undefined in all of them."
            ),
            icon=":material/casino:",
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        shares = pd.DataFrame([result.rank_shares[place] for place in compared.shown], index=names)
        layout.chart(
            views.rank_shares(comparison, compared.shown, layout.theme()),
            f"Frame: ranks that the team could hold. {compared.method}",
            shares.rename(columns=lambda place: f"rank {place + 1}"),
        )
    with right:
        layout.heading("Is a share a chance?")
        st.markdown(
            "A row spread over many columns is a rank that another test set would change. A share "
            "says how often a resample of **these** cases gave that "
            "rank. It is **no chance of being best**: whoever leads on these cases leads in their "
            "resamples too. Of twenty teams that are exactly "
            "equal, the one that happens to be in front wins a third of the resamples."
        )
        if result.stability:
            facts = [
                Fact(
                    "Kendall’s tau",
                    share(result.stability["kendall_tau_mean"], 2),
                    span(result.stability["kendall_tau_interval"], 2),
                    (
                        "Agreement of a resample's order with the official one: 1 the same, 0 as by "
                        "chance, −1 reversed. Mean and 95% of the resamples"
                    ),
                ),
                Fact("First in resamples", percent(result.shares_won[0]), compared.comparison.scored[0]),
            ]
            layout.facts(facts)


def orders(compared: Compared) -> None:
    """By weighted ranks and by weighted score, side by side, and who would be first if one team withdrew."""
    comparison, scale, own = compared.comparison, compared.scale, compared.comparison.own_ranking
    left, right = st.columns([3, 2], gap="large")
    rows = pd.DataFrame(
        [
            {
                "team": name,
                "by rank": entry["rank_by_weighted_rank"],
                "by score": entry["rank_by_score"],
                "weighted rank": entry["weighted_rank"],
                "score": card.score,
                **{f"{subtask} rank": rank for subtask, rank in entry["subtask_ranks"].items()},
                "differs": "differs" if entry["rank_by_weighted_rank"] != entry["rank_by_score"] else "",
            }
            for name, card in comparison.cards.items()
            for entry in [own.of_teams[name]]
        ]
    )
    digits_of_ranks = 1 if own.options["rank_ties"] == "average" else 0
    with left:
        layout.table(
            "Do both orders agree?",
            rows,
            {
                "team": layout.words("team"),
                "by rank": layout.number("by ranks", 0, 64, "Place by weighted ranks"),
                "by score": layout.number("by score", 0, 64, "Place by weighted score"),
                "differs": layout.words("", 56),
                "weighted rank": layout.number("w. rank ↓", 2, 72, "Weighted rank"),
                "score": layout.number("score ↑", scale.digits, 60),
                **{
                    f"{subtask} rank": layout.number(
                        f"{subtask[:4]}. #", digits_of_ranks, 60, f"Rank in {subtask}"
                    )
                    for subtask in own.of_teams[comparison.scored[0]]["subtask_ranks"]
                },
            },
            (
                "Weighted rank: 0.25, 0.35 and 0.40 times the ranks in segmentation, staging and "
                "prognosis; small is good."
            ),
            key="orders",
        )
        pairs = own.more["orderings_disagree"]
        shown = ", ".join(f"**{markdown(a, 40)}** and **{markdown(b, 40)}**" for a, b in pairs[:12]) + (
            f", and {len(pairs) - 12} more" if len(pairs) > 12 else ""
        )
        st.markdown(
            (
                f":orange[▲] The two orders place {len(pairs)} pair{'s' * (len(pairs) != 1)} "
                f"differently: {shown}."
            )
            if pairs
            else "Both orders place all teams alike."
        )
    with right:
        gone = own.more["leave_one_team_out"]
        usual = {name for name in own.of_teams if own.of_teams[name]["rank_by_weighted_rank"] == 1}
        table = pd.DataFrame(
            [
                {
                    "without": g["without"],
                    "first": ", ".join(g["first"]),
                    "changes": "changes"
                    if set(g["first"]) != usual - {g["without"]} and g["without"] not in usual
                    else "",
                }
                for g in gone
            ],
            columns=["without", "first", "changes"],
        )
        layout.table(
            "Who is first if a team withdraws?",
            table,
            {"without": layout.words("without"), "first": layout.words("first by weighted ranks")}
            | ({"changes": layout.words("")} if table["changes"].any() else {}),
            (
                "Ranks depend on who else takes part: the winner can change although nobody in front "
                "did anything else."
            ),
            key="withdrawn",
        )


def size(compared: Compared) -> None:
    """Score against the size of the model."""
    comparison, scale = compared.comparison, compared.scale
    sized = views.sized(comparison, scale)
    if not sized:
        st.info("No team says how large its model is.", icon=":material/scale:")
        return
    layout.chart(
        size_scatter(sized, scale.unit, scale.digits, layout.theme(), comparison.spec.size_limits_mib),
        (
            f"Filled: no smaller model scores as high. Whisker: 95% interval. {len(sized)} of "
            f"{len(comparison.cards)} teams have a known size. {compared.method}"
        ),
        pd.DataFrame([{"team": s.name, "MiB": s.mib, "score": s.score} for s in sized]),
    )
