"""Score the chosen teams, name those that were refused, and show the comparison of the others."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

import scoring
from pages.shared import downloads, layout, render, submissions, teams
from pages.shared.comparison import cases, differences, leads
from pages.shared.comparison.shown import Compared
from pages.shared.comparison.weights import what_if
from pages.shared.inputs import Input
from pages.shared.teams import Team
from scoring.challenge import Challenge
from scoring.comparison import displayed, report, views
from scoring.comparison.compare import compare_cards, of_team
from scoring.comparison.displayed import MANY
from scoring.text import markdown


def show(
    challenge: Challenge, test_set: Input, metadata, truth, chosen: list[Team], problems: list, options: dict
) -> None:
    """Draw findings, headline, tabs and downloads of the comparison."""
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
    layout.findings(found.value.noticed)
    if not found.value.scored:
        st.warning(
            "No team has a score on this test set, so there is nothing to compare.", icon=":material/block:"
        )
        return
    whole = (challenge.id, scoring.__version__, *key, *of_comparison.items())
    own = test_set.own or any(team.given.own for team in chosen)
    _result(Compared(challenge, displayed.of(found.value), truth, test_set.key, whole, own))


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


def _result(compared: Compared) -> None:
    """Findings, headline, tabs, downloads."""
    comparison = compared.comparison
    render.draw_headline(views.headline(compared.displayed), compared.place("headline"))
    if len(comparison.scored) > MANY:
        chosen = st.selectbox(
            "Chosen team",
            comparison.scored,
            key="team",
            bind="query-params",
            persist_state="session",
            width=300,
        )
        compared = replace(compared, displayed=displayed.of(comparison, chosen))
    layout.tabs(
        {name: partial(_section, name) for name in views.section_names(comparison)},
        compared,
    )
    with st.container(horizontal=True, gap="small"):
        stem = f"{comparison.challenge}-comparison"
        downloads.json_button(comparison.to_json, stem, "download_json", "comparison.json")
        downloads.html_button(lambda: report.html(comparison), f"{stem}-report", "download_html")
        downloads.csv_button(
            lambda: render.frame(views.team_table(compared.displayed)),
            f"{stem}-teams",
            "download_teams",
            "Teams (CSV)",
            index=False,
        )
    st.caption(
        "Ranks are those of the official rule. Differences are tested on the same resampled test "
        "sets for all teams."
    )


LIVE: Mapping[str, Callable[[Compared], None]] = {
    "Lead": leads.lead,
    "Classes": differences.classes,
    "Cases": cases.cases,
    "Subgroups": differences.subgroups,
}
"""Sections whose place something with widgets takes."""


def _section(name: str, compared: Compared) -> None:
    """Draw a section, or what answers its question with widgets."""
    if name in LIVE:
        LIVE[name](compared)
        return
    blocks = compared.kept(f"section/{name}", lambda: views.SECTIONS[name](compared.displayed))
    render.draw_all(blocks, compared.place(name))
    if name == "Other rules":
        what_if(compared)
