"""Table of facts about teams (size, institution, licence) that the organizer edits."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from pages.comparison.context import ComparisonContext
from pages.comparison.teams import ComparedTeam
from pages.display import layout
from scoring.common.text import markdown
from scoring.comparison.team_facts import LABELS, LONGEST, TeamFacts, fact_text, not_of_models, parse
from scoring.core.challenge import Challenge

REFUSED = "not used"
HEIGHT_FROM = 15
"""Number of teams from which the table scrolls."""


@dataclass
class Typed:
    """Facts about the teams of a challenge that were typed in this session.

    Attributes:
        texts: Accepted text by team and fact.
        refused: Problem of a field's last text, by team and fact.
    """

    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    refused: dict[tuple[str, str], str] = field(default_factory=dict)


def typed(challenge_id: str) -> Typed:
    """Return the facts that were typed in this session."""
    return st.session_state.setdefault(f"_facts_{challenge_id}", Typed())


def of_teams(challenge: Challenge, teams: Sequence[ComparedTeam]) -> dict[str, TeamFacts]:
    """Return the facts of each team: the typed ones, or else the size that came with its file."""
    rule, known = challenge.comparison.size, typed(challenge.id).texts
    facts = {}
    for team in teams:
        facts[team.name], _ = parse(team.name, known.get(team.name, {}))
        size = team.options.get(rule.option) if rule else None
        if isinstance(size, (int, float)) and "size_mib" not in known.get(team.name, {}):
            facts[team.name] = replace(facts[team.name], size_mib=float(size))
    return facts


def with_sizes(
    challenge: Challenge, teams: Sequence[ComparedTeam], facts: Mapping[str, TeamFacts]
) -> list[ComparedTeam]:
    """Return the teams with their model sizes as options of `score`, if the challenge scores sizes."""
    rule = challenge.comparison.size
    if rule is None:
        return list(teams)
    return [
        team
        if team.submission.is_model
        else replace(team, options={**team.options, rule.option: facts[team.name].size_mib})
        for team in teams
    ]


def editor(compared: ComparisonContext) -> None:
    """Draw the table of facts. An invalid cell is marked in its row, and the earlier value stays."""
    comparison = compared.comparison
    names = sorted(comparison.cards)
    rows = pd.DataFrame(
        [
            {"team": name, **{k: fact_text(value) for k, value in comparison.facts[name].as_dict().items()}}
            for name in names
        ]
    )
    known = typed(comparison.challenge)
    refused = {name: _sentences(known, name) for name in names}
    columns = {
        "team": st.column_config.TextColumn("team", disabled=True, pinned=True),
        **{
            fact: st.column_config.TextColumn(label, alignment="right" if fact == "size_mib" else "left")
            for fact, label in LABELS.items()
        },
    }
    if any(refused.values()):
        rows[REFUSED] = [refused[name] for name in names]
        columns[REFUSED] = st.column_config.TextColumn(REFUSED, disabled=True, width="large")
    layout.heading("Who are the teams?")
    key = f"{comparison.challenge}_facts_{hashlib.sha256(repr(names).encode()).hexdigest()[:8]}"
    models = {
        name: card.more["model_size_mib"]
        for name, card in comparison.cards.items()
        if card.provenance["model_sha256"] and card.more.get("model_size_mib") is not None
    }
    st.data_editor(
        rows,
        key=key,
        hide_index=True,
        column_config=columns,
        height="content" if len(names) < HEIGHT_FROM else 560,
        on_change=_changed,
        args=(comparison.challenge, key, names, models),
    )
    for name in names:
        if refused[name]:
            st.error(f"**{markdown(name, 40)}**: {markdown(refused[name], 400)}", icon=":material/edit_off:")
    counts = (
        "Sizes are part of the score: the ranking changes at once."
        if comparison.spec.size
        else "The size of a model is not part of this score."
    )
    st.caption(
        f"Click a cell to edit it, or paste from a spreadsheet. {counts} Sizes are in MiB; texts have at "
        f"most {LONGEST} characters. The report, the JSON and the CSV include all entries. This page deletes "
        "all entries when the session ends."
    )


def _sentences(known: Typed, team: str) -> str:
    """Return the problems in a team's row, "" if there are none."""
    return " ".join(
        f"{LABELS[fact]}: {message}" for (name, fact), message in known.refused.items() if name == team
    )


def _changed(challenge_id: str, key: str, names: Sequence[str], models: Mapping[str, float]) -> None:
    """Accept every valid edited cell, and remember the problems of the others."""
    known = typed(challenge_id)
    for row, cells in st.session_state[key]["edited_rows"].items():
        team = names[row]
        for fact in LABELS.keys() & cells.keys():
            text = str(cells[fact] or "")
            facts, problems = parse(team, {fact: text})
            if team in models:
                problems += not_of_models({team: facts}, {team: models[team]})
            if problems:
                known.refused[team, fact] = problems[0].message
            else:
                known.texts.setdefault(team, {})[fact] = text
                known.refused.pop((team, fact), None)
