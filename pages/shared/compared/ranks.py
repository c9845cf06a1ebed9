"""Who leads, whether the lead is more than chance, how stable the ranks are, and what orders of a challenge's own say."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import frame
from pages.shared.compared.shown import Compared, Scale, named, units
from pages.shared.frame import Fact
from pages.shared.text import markdown
from scoring.contrasts import reference
from scoring.contrasts.reference import Difference
from scoring.figures import comparison as figures
from scoring.figures.classification import Row
from scoring.figures.look import safe
from scoring.figures.numerals import UNDEFINED, decimal, percent, share, span
from scoring.statistics.comparison import Pair


def _places(pair: Sequence[float]) -> str:
    """A rank interval in words: "1", "2 to 4"."""
    low, high = (f"{v:g}" for v in pair)
    return low if low == high else f"{low} to {high}"


def ranking_rows(compared: Compared, places: Sequence[int]) -> pd.DataFrame:
    comparison, result = compared.comparison, compared.comparison.result
    rows = []
    for place in places:
        name = comparison.scored[place]
        card = comparison.cards[name]
        row = {
            "rank": comparison.ranks[name],
            "team": name,
            "score": compared.scale.factor * card.score,
            "interval": compared.scale.span(card.intervals.get("score")),
            "could hold": _places(result.rank_intervals[place]) if result.rank_intervals else UNDEFINED,
            "tied": "tied" if result.tied_for_first and result.tied_for_first[place] and sum(result.tied_for_first) > 1 else "",
            "won": 100 * result.shares_won[place] if result.shares_won else None,
        }
        rows.append(row | {metric: card.metrics.get(metric) for metric in comparison.comparable.metrics[:3]})
    return pd.DataFrame(rows)


def ranking(compared: Compared) -> None:
    """Who wins, and what makes the scores."""
    comparison, result, scale = compared.comparison, compared.comparison.result, compared.scale
    rows = ranking_rows(compared, compared.shown)
    left, right = st.columns([9, 11], gap="large")
    with left:
        tied = list(result.tied_for_first or ())
        band = next((k for k, is_tied in enumerate(tied) if not is_tied), len(tied))
        dots = [
            Row(
                f"{comparison.ranks[name]}  {figures.short(name)}",
                scale.factor * comparison.cards[name].score,
                scale.scaled(comparison.cards[name].intervals.get("score")),
                beside=_places(result.rank_intervals[place]) if result.rank_intervals else "",
            )
            for place, name in zip(compared.shown, compared.names, strict=True)
        ]
        figure = figures.team_intervals(
            dots, frame.look(), "Who wins?", scale.unit, scale.digits, tied=min(band, len(dots)) if band > 1 else 0
        )
        frame.chart(
            figure,
            f"Dot: score with its own 95% interval. {'Shaded: tied for first. ' * (band > 1)}Right: ranks that each team could hold. {compared.few}{compared.method}",
            rows,
        )
    with right:
        metrics = comparison.comparable.metrics[:3]
        frame.table(
            "What makes the scores?",
            rows,
            {
                "rank": frame.number("#", 0, 36),
                "team": frame.words("team"),
                "score": frame.number("score ↑", scale.digits),
                "interval": frame.words("95% interval", right=True),
                "could hold": frame.words("ranks", 64, right=True, explain="Ranks that the team could hold: what is told apart decides"),
                "tied": frame.words("first", 48, explain="Tied for first: no team is certainly better"),
                "won": frame.number(
                    "% won",
                    1,
                    62,
                    explain="Share of the resamples in which it came first. It favours who leads here, and is no chance of being best",
                ),
                **{metric: frame.number(f"{named(metric)} ↑") for metric in metrics},
            },
            "The order is that of the official score and is never altered; what chance could do stands beside it.",
            lighter=["interval", "could hold"],
            key="teams_table",
        )


def lead(compared: Compared) -> None:
    """Whether the lead is more than chance, and every pair."""
    comparison, result, scale = compared.comparison, compared.comparison.result, compared.scale
    names = comparison.scored
    if len(names) < 2:
        st.info("One team has no one to be told apart from.", icon=":material/groups:")
        return
    left, right = st.columns([9, 11], gap="large")
    with left:
        others = [one for one in reference.differences(comparison) if one.team in compared.names]
        rows = [
            Row(
                figures.short(one.team),
                scale.factor * one.difference,
                scale.scaled(one.simultaneous_interval),
                beside="" if one.separated is None else "told apart" if one.separated else "not told apart",
                apart=bool(one.separated),
            )
            for one in others
        ]
        question = f"Is {figures.short(names[0])}’s lead more than chance?"
        axis = f"difference to {figures.short(names[0])}, {scale.unit}"
        numbers = pd.DataFrame([{"team": one.team, **_pair_numbers(one, scale)} for one in others])
        frame.chart(
            figures.team_intervals(rows, frame.look(), question, axis, scale.digits, reference=0),
            f"Filled: told apart. Hollow: the interval reaches zero. Simultaneous 95% intervals over all pairs (max-t). {compared.few}{compared.method}",
            numbers,
            key="lead",
        )
        st.markdown(_gap_words(compared))
    with right:
        shown = list(compared.shown)
        differences, apart, hovers = _matrix(compared, shown)
        pairs = [pair for pair in result.pairs if pair.a in shown and pair.b in shown]
        table = pd.DataFrame([{"a": names[pair.a], "b": names[pair.b], **_pair_numbers(pair, scale)} for pair in pairs])
        frame.chart(
            figures.pair_matrix([names[place] for place in shown], differences, apart, hovers, 1 if scale.factor > 1 else 2, frame.look()),
            f"Row minus column, {scale.unit}. Coloured: told apart; pale: not. p on hover, Holm over all {len(result.pairs)} pairs. {compared.few}{compared.method}",
            table,
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


def _matrix(compared: Compared, shown: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Differences as shown, whether told apart, and words for every two of the shown teams, [A, A]."""
    n, scale, names = len(shown), compared.scale, compared.comparison.scored
    differences, apart, hovers = np.zeros((n, n)), np.zeros((n, n), bool), np.full((n, n), "", dtype=object)
    at = {place: k for k, place in enumerate(shown)}
    for pair in (pair for pair in compared.comparison.result.pairs if pair.a in at and pair.b in at):
        for row, column, sign in ((pair.a, pair.b, 1), (pair.b, pair.a, -1)):
            cell = at[row], at[column]
            differences[cell] = sign * scale.factor * pair.difference
            apart[cell] = bool(pair.separated)
            hovers[cell] = _pair_words(names[row], names[column], pair, sign, scale)
    return differences, apart, hovers


def _pair_words(a: str, b: str, pair: Pair, sign: int, scale: Scale) -> str:
    words = f"<b>{safe(a)}</b> minus {safe(b)}: <b>{scale.number(sign * pair.difference, sign=True)}</b>"
    if pair.simultaneous_interval is None:
        return words
    bounds = sorted(sign * v for v in pair.simultaneous_interval)
    return (
        f"{words}<br>simultaneous 95% interval {scale.span(bounds, sign=True)}"
        f"<br>adjusted p {decimal(pair.p_adjusted, 4)}<br>{'told apart' if pair.separated else 'not told apart'}"
    )


def _gap_words(compared: Compared) -> str:
    """What this test set can resolve, in a sentence. Markdown of our own."""
    gap, unit = reference.resolvable(compared.comparison), compared.scale.unit
    if gap.all_pairs is None:
        return ""
    return (
        f"With these {units(compared.comparison.provenance)} a gap under **{compared.scale.number(gap.all_pairs)}** {unit} cannot be told from chance "
        f"when all pairs are looked at; for one pair named beforehand, under **{compared.scale.number(gap.one_pair)}**."
    )


def stability(compared: Compared) -> None:
    """How stable the ranks are."""
    result, names = compared.comparison.result, compared.names
    if result.rank_shares is None:
        st.info(
            "Nothing is known about the stability of ranks without replicates, or where a score is undefined in all of them.",
            icon=":material/casino:",
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        shares = np.array([result.rank_shares[place] for place in compared.shown])
        bounds = [result.rank_intervals[place] for place in compared.shown]
        frame.chart(
            figures.rank_heat(names, shares, bounds, frame.look()),
            f"Frame: ranks that the team could hold. {compared.few}{compared.method}",
            pd.DataFrame(shares, index=names, columns=[f"rank {k + 1}" for k in range(shares.shape[1])]),
        )
    with right:
        frame.heading("Is a share a chance?")
        st.markdown(
            "A row spread over many columns is a rank that another test set would change. A share says how often a resample of **these** cases gave that "
            "rank. It is **no chance of being best**: whoever leads on these cases leads in their resamples too. Of twenty teams that are exactly "
            "equal, the one that happens to be in front wins a third of the resamples."
        )
        if result.stability:
            facts = [
                Fact(
                    "Kendall’s tau",
                    share(result.stability["kendall_tau_mean"], 2),
                    span(result.stability["kendall_tau_interval"], 2),
                    "Agreement of a resample's order with the official one: 1 the same, 0 as by chance, −1 reversed. Mean and 95% of the resamples",
                ),
                Fact("First in resamples", percent(result.shares_won[0]), compared.comparison.scored[0]),
            ]
            frame.facts(facts)


def orders(compared: Compared) -> None:
    """By weighted ranks and by weighted score, side by side, and who would be first if one team withdrew."""
    comparison, scale, own = compared.comparison, compared.scale, compared.comparison.standings
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
    with left:
        frame.table(
            "Do both orders agree?",
            rows,
            {
                "team": frame.words("team"),
                "by rank": frame.number("# by ranks", 0, 84),
                "by score": frame.number("# by score", 0, 84),
                "differs": frame.words("", 60),
                "weighted rank": frame.number("weighted rank ↓", 2),
                "score": frame.number("score ↑", scale.digits),
                **{f"{subtask} rank": frame.number(f"{subtask} #", 1) for subtask in own.of_teams[comparison.scored[0]]["subtask_ranks"]},
            },
            "Weighted rank: 0.25, 0.35 and 0.40 times the ranks in segmentation, staging and prognosis; small is good.",
            key="orders",
        )
        pairs = own.more["orderings_disagree"]
        shown = ", ".join(f"**{markdown(a, 40)}** and **{markdown(b, 40)}**" for a, b in pairs[:12]) + (
            f", and {len(pairs) - 12} more" if len(pairs) > 12 else ""
        )
        st.markdown(
            f":orange[▲] The two orders place {len(pairs)} pair{'s' * (len(pairs) != 1)} differently: {shown}."
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
                    "changes": "changes" if set(g["first"]) != usual - {g["without"]} and g["without"] not in usual else "",
                }
                for g in gone
            ],
            columns=["without", "first", "changes"],
        )
        frame.table(
            "Who is first if a team withdraws?",
            table,
            {"without": frame.words("without"), "first": frame.words("first by weighted ranks"), "changes": frame.words("")},
            "Ranks depend on who else takes part: the winner can change although nobody in front did anything else.",
            key="withdrawn",
        )


def size(compared: Compared) -> None:
    """Score against the size of the model."""
    comparison, scale = compared.comparison, compared.scale
    sized = [
        figures.Sized(name, card.more["model_size_mib"], scale.factor * card.score, scale.scaled(card.intervals.get("score")))
        for name, card in comparison.cards.items()
        if card.score is not None and card.more.get("model_size_mib")
    ]
    if not sized:
        st.info("No team says how large its model is.", icon=":material/scale:")
        return
    frame.chart(
        figures.size_scatter(sized, scale.unit, scale.digits, frame.look()),
        f"Filled: no smaller model scores as high. Whisker: 95% interval. {len(sized)} of {len(comparison.cards)} teams have a known size. {compared.method}",
        pd.DataFrame([{"team": s.name, "MiB": s.mib, "score": s.score} for s in sized]),
    )
