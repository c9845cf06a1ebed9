"""Scored teams: the chosen teams are scored, refused ones are named, and the others compared."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

import scoring
from pages.challenge import class_names, scoring_run
from pages.comparison import cases, differences, ranking, team_facts, teams
from pages.comparison.context import ComparisonContext
from pages.comparison.teams import ComparedTeam
from pages.display import downloads, finding_list, layout, render, tables
from pages.display import headline as score_bar
from pages.display.finding_list import without_flags
from pages.display.render import BlockPath
from pages.input_widgets import fix_buttons
from pages.input_widgets.selectors import ChosenInput
from pages.server import memory_budget
from scoring.common.fixes import SuggestedFix
from scoring.common.text import markdown
from scoring.comparison import display, many_teams, report, views
from scoring.comparison.comparability import Excluded, of_refusal, options_by_team
from scoring.comparison.compare import annotated, compare_cards
from scoring.comparison.display import MANY
from scoring.comparison.team_views import excluded_rows, headline
from scoring.core.challenge import Challenge
from scoring.core.views import Headline


def show(
    challenge: Challenge,
    test_set: ChosenInput,
    metadata,
    truth,
    chosen: list[ComparedTeam],
    problems: list,
    options: dict,
) -> None:
    """Draw findings, headline, tabs and downloads of the comparison."""
    if not chosen and not problems:
        st.info("Choose teams, or drop their files.", icon=":material/groups:")
        return
    names = [option.name for option in challenge.options_of("compare") if option.name in options]
    of_comparison = {name: options.pop(name) for name in names}
    dropped = {team.name: team.submission for team in chosen}
    for submission in {submission.key: submission for submission in dropped.values()}.values():
        fix_buttons.lines(submission)
        class_names.change(challenge, submission)
    chosen = [_with_fixes(challenge, team, options) for team in chosen]
    by_team = team_facts.of_teams(challenge, chosen)
    chosen = team_facts.with_sizes(challenge, chosen, by_team)
    outcomes = teams.cards(challenge, test_set, metadata, truth, chosen, options)
    if isinstance(outcomes, scoring_run.Running):
        scoring_run.running(outcomes)
        return
    excluded = [Excluded(problem.where, (problem,)) for problem in problems]
    excluded += [of_refusal(name, outcome.refused) for name, outcome in outcomes.items() if outcome.refused]
    cards = {name: outcome.value for name, outcome in outcomes.items() if not outcome.refused}

    def take(fix: SuggestedFix) -> None:
        fix_buttons.take(challenge.id, dropped[fix.team], fix)

    if excluded and not _without(excluded, len(cards), take):
        for number, entry in enumerate(entry for entry in excluded if entry.team in dropped):
            class_names.choose(challenge, dropped[entry.team], f"team_{number}")
        return
    key = (test_set.key, *(team.key for team in chosen if team.name in cards), scoring_run.options(**options))
    outcome = memory_budget.bound_own(
        _compared,
        challenge_id=challenge.id,
        version=scoring.__version__,
        key=key,
        of_comparison=scoring_run.options(**of_comparison),
        _cards=cards,
    )
    if outcome.refused:
        finding_list.refusal(outcome.refused)
        return
    comparison = annotated(outcome.value, by_team, excluded)
    whole = (challenge.id, scoring.__version__, *key, *of_comparison.items(), repr(by_team), repr(excluded))
    own = test_set.own or any(team.submission.own for team in chosen)
    compared = ComparisonContext(challenge, display.of(comparison), truth, test_set.key, whole, own)
    if comparison.scored:
        _result(compared)
        return
    render.draw_findings(comparison.noticed, compared.path("findings"))
    st.warning(
        "No team has a score on this test set, so there is nothing to compare.", icon=":material/block:"
    )


def _with_fixes(challenge: Challenge, team: ComparedTeam, shared: dict) -> ComparedTeam:
    """Return a team with its file as it is fixed. What a fix sets for all teams, so that they can be
    compared, goes to the shared options."""
    alone, chosen = options_by_team(challenge), fix_buttons.options_of(team.submission)
    shared |= {name: value for name, value in chosen.items() if name not in alone}
    own = {name: value for name, value in chosen.items() if name in alone}
    return replace(team, submission=fix_buttons.fixed_input(team.submission), options={**team.options, **own})


@st.cache_resource(max_entries=4, scope="session", show_spinner="Comparing ...")
def _compared(
    challenge_id: str, version: str, key: tuple, of_comparison: tuple, _cards
) -> scoring_run.Outcome:
    return scoring_run.attempt(
        compare_cards, scoring.load_challenge(challenge_id), _cards, **dict(of_comparison)
    )


def _without(excluded: Sequence[Excluded], scored: int, take: finding_list.Take) -> bool:
    """Name every problem of every refused submission, with its fix; whether the visitor goes on without
    them, who are then listed with their reasons."""
    above, count = st.container(), len(excluded)
    named = ", ".join(markdown(entry.team, 60) for entry in excluded)
    goes_on = scored > 0 and st.toggle(
        f"Continue with the {scored} other team{'s' * (scored != 1)}",
        key="without_refused",
        bind="query-params",
    )
    with above:
        if goes_on:
            with st.expander(
                f"**{count} submission{'s' * (count != 1)} refused**, so not ranked: {named}",
                icon=":material/block:",
            ):
                table = excluded_rows(excluded)
                texts = [without_flags(str(problem)) for problem in table.rows["problem"]]
                table = replace(table, rows={**table.rows, "problem": texts})
                render.draw(table, BlockPath(None, True, "excluded"))
            return True
        st.error(
            f"{named}: not scored. Fix the problems below and drop the file again, or continue without "
            "this submission.",
            icon=":material/block:",
            title=f"{count} submission{'s' * (count != 1)} cannot be scored",
        )
        finding_list.findings(
            [entry for team in excluded for entry in team.of_team((*team.problems, *team.findings))], take
        )
    return False


def _result(compared: ComparisonContext) -> None:
    """Draw the headline, tabs, findings and downloads; the parts of the headline begin the first tab."""
    comparison, head, row = compared.comparison, headline(compared.displayed), score_bar.place()
    score_bar.bar(row, head.score, head.status, finding_list.badges(comparison.noticed))
    with st.container(key="bar_notes", gap="xsmall"):
        score_bar.sentence(head.status)
        render.draw_all(head.notes, compared.path("notes"))
        if comparison.size_assumed:
            st.caption("You can enter model sizes under **Teams**.")
    if len(comparison.scored) > MANY:
        chosen = st.selectbox(
            "Chosen team",
            comparison.scored,
            key="team",
            bind="query-params",
            persist_state="session",
            width=300,
        )
        compared = replace(compared, displayed=display.of(comparison, chosen))
    tabs = {name: partial(_section, name) for name in views.section_names(comparison)}
    first = next(iter(tabs))
    tabs[first] = partial(_first_section, first, head)
    layout.tabs(tabs, compared)
    score_bar.anchor()
    render.draw_findings(comparison.noticed, compared.path("findings"))
    with st.container(horizontal=True, gap="small"):
        stem = f"{comparison.challenge}-comparison"
        downloads.button("comparison.json", comparison.to_json, f"{stem}.json", "download_json")
        lines = (("Date", downloads.today()),)
        paper = partial(report.paper_zip, comparison, lines)
        downloads.report_buttons(partial(report.html, comparison, lines), paper, stem)
        if many_teams.are_many(comparison):
            more, name = partial(report.appendix, comparison, lines), f"{stem}-appendix.html"
            downloads.button("Appendix (HTML)", more, name, "download_appendix")
        rows = partial(_exported, compared)
        downloads.csv_button(rows, f"{stem}-teams", "download_teams", "Teams (CSV)", index=False)
    st.caption("All teams are scored on the same resampled test sets.")


LIVE: Mapping[str, Callable[[ComparisonContext], None]] = {
    "Ranking": ranking.ranking_tab,
    "Lead": ranking.lead_tab,
    "Classes": differences.classes,
    "Cases": cases.cases,
    "Subgroups": differences.subgroups,
    "Teams": team_facts.editor,
}
"""Section -> function that draws it with widgets, instead of the plain section."""


def _exported(compared: ComparisonContext) -> pd.DataFrame:
    return tables.frame(views.exported(compared.displayed))


def _first_section(name: str, head: Headline, compared: ComparisonContext) -> None:
    render.score_account(head, compared.path("headline"))
    _section(name, compared)


def _section(name: str, compared: ComparisonContext) -> None:
    """Draw a section, or what answers its question with widgets."""
    if name in LIVE:
        LIVE[name](compared)
        return
    blocks = compared.once(f"section/{name}", lambda: views.SECTIONS[name](compared.displayed))
    render.draw_all(blocks, compared.path(name))
    if name == "Other rules":
        ranking.what_if(compared)
