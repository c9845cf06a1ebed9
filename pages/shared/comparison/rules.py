"""Would another rule change the order? Other metrics, schemes and subgroups; other weights, one at a time and
all at once."""

import pandas as pd
import streamlit as st

from pages.shared import layout, teams
from pages.shared.comparison.shown import Compared
from scoring.comparison import robustness, views, weights
from scoring.figures import comparison as figures
from scoring.figures.intervals import Row
from scoring.figures.weights import weight_map

KINDS = {"metrics and schemes": ("official", "metric", "scheme"), "subgroups": ("official", "subgroup")}


def other_rules(compared: Compared) -> None:
    """Ranks under other metrics, schemes and in subgroups; and, where the formula has weights, what others
    would do."""
    found = teams.of_comparison(
        "robustness", compared.key, lambda: robustness.robustness(compared.comparison)
    )
    kinds = {
        words: some for words, some in KINDS.items() if any(rule.kind in some[1:] for rule in found.rules)
    }
    kind = next(iter(kinds))
    if len(kinds) > 1:
        kind = st.segmented_control(
            "Other rules",
            list(kinds),
            key="rule_kind",
            bind="query-params",
            required=True,
            default=kind,
            persist_state="page",
        )
    rules = [rule for rule in found.rules if rule.kind in kinds[kind]]
    places = [found.teams.index(name) for name in compared.names]
    left, right = st.columns([3, 2], gap="large")
    with left:
        numbers = pd.DataFrame(
            {views.rule_name(rule): [rule.ranks[place] for place in places] for rule in rules},
            index=compared.names,
        ).T
        layout.chart(
            views.rules(found, kinds[kind], compared.names, layout.theme()),
            (
                "Ranks; the stronger the colour, the better. Above the line: the official order. τ: "
                "Kendall’s agreement with it, 1 is the same order. "
            )
            + ("Grey with a star: under 15 cases. " if any(rule.small for rule in rules) else "")
            + (
                f"{len(found.rules) - 1} other rules looked at: one may turn out differently by chance. "
                f"{compared.method}"
            ),
            numbers.assign(tau=[rule.kendall_tau for rule in rules]),
        )
    with right:
        layout.table(
            "How far could a team move?",
            pd.DataFrame(
                [
                    {
                        "team": name,
                        "official": found.rules[0].ranks[place],
                        "best": found.best[place],
                        "worst": found.worst[place],
                    }
                    for name, place in zip(compared.names, places, strict=True)
                ]
            ),
            {
                "team": layout.words("team"),
                "official": layout.number("official #", 0),
                "best": layout.number("best #", 0),
                "worst": layout.number("worst #", 0),
            },
            (
                "Over all rules, but for subgroups with under 15 cases and medians of right and wrong. "
                "The official rank stays what it is."
            ),
            key="robustness",
        )
    if compared.comparison.spec.what_if is not None:
        what_if(compared)
    if compared.comparison.spec.weight_map is not None:
        maps(compared)


@st.fragment
def what_if(compared: Compared) -> None:
    """The score under other numbers of its formula, with intervals. What is moved and what moves are drawn
    anew, nothing else."""
    comparison, scale = compared.comparison, compared.scale
    layout.heading("What if the formula had other weights?")
    parameters = {parameter.name: parameter for parameter in comparison.spec.what_if.parameters}
    keys = {name: f"parameter_{compared.challenge.id}_{name}" for name in parameters}

    def reset() -> None:
        for name, parameter in parameters.items():
            st.session_state[keys[name]] = float(parameter.usual)

    left, right = st.columns([2, 3], gap="large")
    with left:
        values = {
            name: st.slider(
                parameter.label[:1].upper() + parameter.label[1:],
                float(parameter.low),
                float(parameter.high),
                float(parameter.usual),
                0.05 if parameter.high <= 5 else 0.5,
                key=keys[name],
                bind="query-params",
                persist_state="page",
                help=f"Official: {parameter.usual:g}. Weights are shares of their sum.",
            )
            for name, parameter in parameters.items()
        }
        st.button(
            "As official", key="parameters_back", type="tertiary", icon=":material/undo:", on_click=reset
        )
    found = weights.what_if(comparison, values)
    usual = teams.of_comparison("usual weights", compared.key, lambda: weights.what_if(comparison, {}))
    before = dict(zip(usual.teams, usual.ranks, strict=True))
    with right:
        places = [
            k for k, name in enumerate(found.teams) if name in compared.names and found.scores[k] is not None
        ]
        if not places:
            st.info("These weights sum to nothing: no score is defined.", icon=":material/block:")
            return
        rows = [
            Row(
                f"{found.ranks[k]}  {figures.short(found.teams[k])}",
                scale.factor * found.scores[k],
                scale.scaled(found.intervals[k]),
                beside=_moved(before[found.teams[k]], found.ranks[k]),
            )
            for k in places
        ]
        tied = list(found.result.tied_for_first or ())
        band = next((k for k, is_tied in enumerate(tied) if not is_tied), len(tied))
        unusual = [
            f"{parameters[name].label} {value:g}"
            for name, value in values.items()
            if value != parameters[name].usual
        ]
        layout.chart(
            figures.team_intervals(
                rows,
                layout.theme(),
                "Who would win then?",
                scale.unit,
                scale.digits,
                tied=min(band, len(rows)) if band > 1 else 0,
            ),
            f"{'The official weights' if not unusual else 'Changed: ' + ', '.join(unusual)}. Places "
            "are by score. Shaded: tied for first. Right: places moved. "
            f"{compared.method}",
            pd.DataFrame(
                [
                    {"team": found.teams[k], "rank": found.ranks[k], "score": scale.factor * found.scores[k]}
                    for k in places
                ]
            ),
        )


def _moved(before: int, now: int) -> str:
    return "" if before == now else f"↑ {before - now}" if now < before else f"↓ {now - before}"


def maps(compared: Compared) -> None:
    """Who would be first under all weights of the score's three parts."""
    grid = teams.of_comparison("weight_map", compared.key, lambda: weights.weight_map(compared.comparison))
    if grid is None:
        st.info(
            "No team has all three parts of the score, so there is no map of their weights.",
            icon=":material/map:",
        )
        return
    parts = [views.named(metric) for metric in grid.metrics]
    kinds = [("Who wins under other weights?", grid.by_score, "the weighted score")]
    if grid.by_rank is not None:
        kinds = [
            ("Who wins by weighted ranks under other weights?", grid.by_rank, "weighted ranks"),
            ("Who wins by weighted score under other weights?", grid.by_score, "the weighted score"),
        ]
    for place, (question, firsts, words) in zip(st.columns(2, gap="large"), kinds, strict=False):
        with place:
            numbers = pd.DataFrame({part: grid.weights[:, k] for k, part in enumerate(parts)})
            for k, name in enumerate(grid.teams):
                if firsts.first[:, k].any():
                    numbers[f"first: {name}"] = firsts.first[:, k]
            layout.chart(
                weight_map(question, views.first_places(grid, firsts), layout.theme()),
                f"Each point: weights that sum to 1, and the team first by {words} with them. Ring: "
                "the official weights. "
                "It says nothing of chance.",
                numbers,
            )
