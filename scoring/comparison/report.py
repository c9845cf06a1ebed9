"""A comparison as one HTML file that an organizer can publish. It needs no network."""

from collections import Counter

from scoring.challenges import load_challenge
from scoring.comparison import displayed, verdict, views
from scoring.comparison.compare import Comparison, of_team
from scoring.report import blocks
from scoring.report.document import (
    Figures,
    document,
    finding_table,
    findings,
    opening,
    provenance,
    section,
)
from scoring.views import Section

PER_CODE = 5
"""Findings of one code and team that a report lists at most."""


def html(found: Comparison) -> str:
    """Return the report of a comparison. The same comparison gives the same bytes; names of teams, classes
    and cases are escaped."""
    challenge, figures = load_challenge(found.challenge), Figures()
    sections = [
        opening(
            f"Compare teams: {challenge.title}",
            challenge.formula,
            "all teams on the same cases, higher is better",
            f"{verdict.RULE}\n\n{challenge.rule.strip()}",
        ),
    ]
    if found.scored:
        shown = displayed.of(found)
        head = views.headline(shown)
        chapters = [Section(name, views.SECTIONS[name](shown)) for name in views.section_names(found)]
        sections += [
            blocks.headline(head, head.score.below, figures),
            findings(found.findings),
            *blocks.sections(chapters, figures),
        ]
    else:
        sections += [section(verdict.standing(found)), findings(found.findings)]
    sections.append(_of_teams(found))
    sections.append(provenance({"challenge": found.challenge, **found.provenance}))
    return document(f"Compare teams, {challenge.title}", sections, figures)


def _of_teams(found: Comparison) -> str:
    """Return findings on the test set and on each team's files, at most five of a kind."""
    rows, left_out, shared = [], 0, dict.fromkeys(found.of_test_set)
    for entries in (
        shared,
        *(of_team(name, (f for f in card.findings if f not in shared)) for name, card in found.cards.items()),
    ):
        count: Counter[str] = Counter()
        for entry in entries:
            count[entry.code] += 1
            if count[entry.code] <= PER_CODE:
                rows.append(entry)
            else:
                left_out += 1
    if not rows:
        return ""
    more = f"<p class='soft'>and {left_out} more, in comparison.json</p>" if left_out else ""
    return section("What was noticed about the files?", finding_table(rows), more)
