"""Compare teams: who leads, whether the lead is more than chance, and where teams differ."""

from collections.abc import Mapping, Sequence

import streamlit as st

import scoring
from pages.shared import downloads, inputs, layout, submissions, teams
from pages.shared.comparison import cases, differences, ranks, rules
from pages.shared.comparison.shown import Compared
from pages.shared.inputs import Input
from pages.shared.layout import Fact
from pages.shared.teams import Team
from scoring import samples
from scoring.challenge import Challenge
from scoring.challenges import REGISTRY
from scoring.comparison import report, verdict, views
from scoring.comparison.compare import Comparison, compare_cards, of_team
from scoring.comparison.scale import Scale
from scoring.comparison.scale import of as scale_of
from scoring.text import markdown

NAMED = 6
"""Teams that the door names before it says "and N more"."""


def compare_teams() -> None:
    top = st.container()
    names = {row.short_name: challenge_id for challenge_id, row in REGISTRY.items()}
    challenge = scoring.load_challenge(names[_challenge_name(list(names))])
    with top:
        formula = f"**{challenge.formula}**, all teams on the same cases, paired bootstrap, higher is better"
        layout.opening("Compare teams", f"{challenge.title}, {formula}", verdict.RULE)
    sets = samples.test_sets(challenge.id)
    left, right = st.columns(2)
    with left:
        test_set, door = inputs.test_set(
            sets, challenge.id, challenge.inputs.truth.words, challenge.inputs.truth.endings
        )
    read = submissions.truth(challenge.id, test_set)
    with right:
        chosen, problems, options = _teams(challenge, test_set, sets[door.sample])
    if isinstance(read, submissions.Running):
        door.caption("Being read: see below.")
        submissions.running(read)
    elif read.refused:
        door.caption("Refused: see below.")
        layout.refusal(read.refused)
    else:
        door.caption("1 case was read." if len(read.value) == 1 else f"{len(read.value)} cases were read.")
        metadata = None if test_set.own else sets[door.sample].metadata
        _scored(challenge, test_set, metadata, read.value, chosen, problems, options)
    layout.closing()


def _challenge_name(names: Sequence[str]) -> str:
    return st.segmented_control(
        "Challenge",
        names,
        key="challenge",
        bind="query-params",
        required=True,
        default=names[0],
        persist_state="session",
    )


def _teams(challenge: Challenge, test_set: Input, sample) -> tuple[list[Team], list, dict]:
    """The door of the teams: those chosen, what is wrong with dropped folders, and what was chosen for all
    teams."""
    option = challenge.option(challenge.comparison.offered)
    values = {words: value for value, words in option.value_labels.items()}
    with st.container(border=True, gap="xsmall", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            named, place = st.container(gap=None), st.popover("Choose", icon=":material/groups:")
            with st.popover("Own files", icon=":material/upload:"):
                single, packs, forget = inputs.teams(challenge.id, challenge.inputs.submission.endings)
                if single or packs:
                    st.button(
                        "Without own files",
                        key=f"{challenge.id}_teams_back",
                        type="tertiary",
                        icon=":material/undo:",
                        on_click=forget,
                    )
        offered, problems = teams.offered(challenge, test_set, sample, single, packs)
        with place:
            chosen = _chosen(challenge.id, test_set.key, offered)
        with named:
            st.caption("Teams")
            listed = ", ".join(markdown(name, 30) for name in chosen[:NAMED])
            st.markdown(
                f"**{listed or 'none'}**" + f" and {len(chosen) - NAMED} more" * (len(chosen) > NAMED)
            )
        value = st.selectbox(
            option.label,
            list(values),
            key=f"compared_{option.name}",
            bind="query-params",
            persist_state="session",
        )
    return [offered[one] for one in chosen], problems, {option.name: values[value]}


def _chosen(challenge_id: str, truth_key: str, offered: Mapping[str, Team]) -> list[str]:
    """The teams to compare: those of the address, else all prediction files; what is dropped later joins by
    itself."""
    key, known = f"{challenge_id}_compared", f"{challenge_id}_known"
    before = st.session_state.get(known)
    if before is None or before[0] != truth_key or key not in st.session_state:
        asked = [name for name in st.query_params.get_all("teams") if name in offered]
        held = asked or [name for name, team in offered.items() if team.joins]
    else:
        held = [name for name in st.session_state[key] if name in offered]
        held += [
            name
            for name, team in offered.items()
            if team.joins and name not in before[1] and name not in held
        ]
    st.session_state[known] = (truth_key, frozenset(name for name, team in offered.items() if team.joins))
    st.session_state[key] = held[: teams.MOST]

    def to_address() -> None:
        st.query_params["teams"] = st.session_state[key]

    return st.pills(
        "Teams to compare",
        list(offered),
        selection_mode="multi",
        format_func=lambda name: markdown(name, 60),
        key=key,
        on_change=to_address,
        persist_state="session",
    )


def _scored(
    challenge: Challenge, test_set: Input, metadata, truth, chosen: list[Team], problems: list, options: dict
) -> None:
    """Score the teams, name those that were refused, compare the others."""
    if not chosen and not problems:
        st.info("Choose teams, or drop their files.", icon=":material/groups:")
        return
    of_comparison = {
        name: options.pop(name)
        for name in (o.name for o in challenge.options_of("compare"))
        if name in options
    }
    outcomes = teams.cards(challenge, test_set, metadata, truth, chosen, options)
    if isinstance(outcomes, submissions.Running):
        submissions.running(outcomes)
        return
    refused = {name: outcome.refused for name, outcome in outcomes.items() if outcome.refused}
    cards = {name: outcome.value for name, outcome in outcomes.items() if not outcome.refused}
    if (refused or problems) and not _without(refused, problems, len(cards)):
        return
    key = (test_set.key, *(team.key for team in chosen if team.name in cards), submissions.options(**options))
    found = _compared(challenge.id, scoring.__version__, key, submissions.options(**of_comparison), cards)
    if found.refused:
        layout.refusal(found.refused)
        return
    _result(
        challenge,
        found.value,
        truth,
        test_set.key,
        (challenge.id, scoring.__version__, *key, *of_comparison.items()),
    )


@st.cache_resource(max_entries=4, scope="session", show_spinner="Comparing ...")
def _compared(
    challenge_id: str, version: str, key: tuple, of_comparison: tuple, _cards
) -> submissions.Outcome:
    return submissions.attempt(
        compare_cards, scoring.load_challenge(challenge_id), _cards, **dict(of_comparison)
    )


def _without(refused: Mapping[str, scoring.InputRefused], problems: list, left: int) -> bool:
    """Names every problem of every team; whether the visitor goes on without them."""
    whose = [
        entry for name, one in refused.items() for entry in of_team(name, (*one.problems, *one.findings))
    ]
    count = len(refused) + bool(problems)
    st.error(
        f"{', '.join(map(markdown, refused)) or 'A dropped folder'}: nothing of this was scored. "
        "Mend the points below and drop the file again, or go on "
        "without.",
        icon=":material/block:",
        title=f"{count} submission{'s' * (count != 1)} cannot be scored",
    )
    layout.findings([*problems, *whose])
    return left > 0 and st.toggle(
        f"Go on with the {left} other team{'s' * (left != 1)}", key="without_refused", bind="query-params"
    )


def _result(challenge: Challenge, comparison: Comparison, truth, truth_key: str, key: tuple) -> None:
    """Findings, headline, tabs, downloads."""
    scale = scale_of(challenge)
    layout.findings(comparison.noticed)
    if not comparison.scored:
        st.warning(
            "No team has a score on this test set, so there is nothing to compare.", icon=":material/block:"
        )
        return
    headline(comparison, scale)
    chosen = None
    if len(comparison.scored) > views.MANY:
        chosen = st.selectbox(
            "Chosen team",
            comparison.scored,
            key="team",
            bind="query-params",
            persist_state="session",
            width=300,
        )
    compared = Compared(challenge, comparison, truth, truth_key, key, scale, views.shown(comparison, chosen))
    layout.tabs(_tabs(compared), compared)
    with st.container(horizontal=True, gap="small"):
        stem = f"{challenge.id}-comparison"
        downloads.json_button(comparison.to_json, stem, "download_json", "comparison.json")
        downloads.html_button(lambda: report.html(comparison), f"{stem}-report", "download_html")
        downloads.csv_button(
            ranks.ranking_rows(compared, range(len(comparison.scored))),
            f"{stem}-teams",
            "download_teams",
            "Teams (CSV)",
            index=False,
        )
    st.caption(
        "Ranks are those of the official rule. Differences are tested on the same resampled test "
        "sets for all teams."
    )


def _tabs(compared: Compared) -> dict:
    """The questions that can be asked of this challenge, in the order in which an organizer asks them."""
    tabs = {"Ranking": ranks.ranking, "Lead": ranks.lead, "Stability": ranks.stability}
    if compared.comparison.own_ranking is not None:
        tabs["Orders"] = ranks.orders
    tabs |= {"Other rules": rules.other_rules, "Classes": differences.classes, "Cases": cases.cases}
    if compared.comparison.spec.slice_measures:
        tabs["Subgroups"] = differences.subgroups
    if any(card.more.get("model_size_mib") is not None for card in compared.comparison.cards.values()):
        tabs["Size"] = ranks.size
    return tabs


def headline(comparison: Comparison, scale: Scale) -> None:
    """The team in front, what that is worth, and the gap that this test set can resolve."""
    names, result = comparison.scored, comparison.result
    first = comparison.cards[names[0]]
    tied = verdict.tied(comparison)
    facts = []
    if tied:
        words = (
            f"{', '.join(map(markdown, tied[:8]))}{' and more' * (len(tied) > 8)}: no team is certainly "
            "better than any of these."
        )
        facts.append(
            Fact(
                "Tied for first",
                f"{len(tied)} of {len(names)}",
                "not told apart" if len(tied) > 1 else "stands alone",
                words,
            )
        )
    if len(names) > 1:
        pair = result.pairs[0]
        facts.append(
            Fact(
                f"Lead over {names[1]}",
                scale.number(pair.difference, sign=True),
                scale.span(pair.simultaneous_interval, sign=True) if pair.simultaneous_interval else "",
                "Simultaneous 95% interval over all pairs",
            )
        )
    if result.resolvable_gap:
        facts.append(
            Fact(
                "Resolvable gap",
                scale.number(result.resolvable_gap["all_pairs"]),
                "all pairs",
                (
                    "Smaller differences cannot be told from chance here. For one pair named "
                    f"beforehand: {scale.number(result.resolvable_gap['one_pair'])}"
                ),
            )
        )
    if (result.winner_optimism or 0) > 0 and len(names) > 1:
        facts.append(
            Fact(
                "Likely too high by",
                scale.number(result.winner_optimism),
                "the leader's score",
                (
                    "The best of several was picked on these data, so its score is likely about this "
                    "much too high"
                ),
            )
        )
    shared_place = list(comparison.ranks.values()).count(comparison.ranks[names[0]]) > 1
    layout.headline(
        Fact("Ranked first (shared)" if shared_place else "Ranked first", names[0], scale.words(first.score)),
        facts,
        arithmetic=markdown(verdict.standing(comparison), 600),
    )


compare_teams()
