"""A comparison as one HTML file that an organizer can publish. It needs no network."""

from collections import Counter

from scoring.challenges import load_challenge
from scoring.comparison import displayed, headline_views, verdict, views
from scoring.comparison.compare import Comparison, of_team
from scoring.report import blocks
from scoring.report.document import (
    Figures,
    document,
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
        head = headline_views.headline(shown)
        chapters = [Section(name, views.SECTIONS[name](shown)) for name in views.section_names(found)]
        sections += [
            blocks.headline(head, head.score.below, figures),
            *blocks.sections(chapters, figures),
        ]
    else:
        sections.append(section(verdict.standing(found)))
        sections += [blocks.html(table, figures) for table in views.refused(found)]
    sections.append(_noticed(found))
    sections.append(provenance({"challenge": found.challenge, **found.provenance}))
    return document(f"Compare teams, {challenge.title}", sections, figures)


def _noticed(found: Comparison) -> str:
    """Return one list of all findings: on the comparison, the test set and each team's files, at most five of
    a kind each."""
    shared = found.of_test_set
    kept, left_out = [], 0
    of_teams = (
        of_team(name, (f for f in card.findings if f not in shared)) for name, card in found.cards.items()
    )
    for entries in (found.findings, shared, *of_teams):
        count: Counter[str] = Counter()
        for entry in entries:
            count[entry.code] += 1
            if count[entry.code] <= PER_CODE:
                kept.append(entry)
            else:
                left_out += 1
    more = f"<p class='soft'>and {left_out} more, in comparison.json</p>" if left_out else ""
    return findings(kept) + more
