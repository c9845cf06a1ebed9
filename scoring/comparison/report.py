"""Reports of a comparison: one HTML file that an organizer can publish, and the zip for a paper."""

from collections import Counter

from scoring.challenges import load_challenge
from scoring.common import markup
from scoring.common.findings import Finding
from scoring.comparison import display, summary_text, team_views, views
from scoring.comparison.compare import Comparison, of_team
from scoring.core.views import Fact, Headline, Section
from scoring.presentation.html import blocks
from scoring.presentation.html.blocks import Lines
from scoring.presentation.html.document import Figures, document, findings, provenance, rule, section
from scoring.presentation.paper.archive import files, methods, zipped

PER_CODE = 5
"""Findings of one code and team that a report lists at most."""


def html(comparison: Comparison, lines: Lines = ()) -> str:
    """Return the report of a comparison. The same arguments give the same bytes; names of teams, classes and
    cases are escaped.

    Args:
        comparison: The comparison.
        lines: Names and texts for the front page: test set, organizer, date.
    """
    challenge, figures = load_challenge(comparison.challenge), Figures()
    formula = challenge.formula(comparison.provenance["options"])
    how = f"{formula}, all teams on the same cases, {challenge.scoring.direction}"
    sections = [blocks.front_page(f"Compare teams: {challenge.words.title}", how, lines)]
    if comparison.scored:
        view = display.of(comparison)
        head = team_views.headline(view)
        chapters = [Section(name, views.SECTIONS[name](view)) for name in views.section_names(comparison)]
        drawn = blocks.front_pictures(figures, blocks.front_figures(head.strip, chapters))
        sections += [
            blocks.headline(head, head.score.below, figures),
            blocks.noticed(_listed(comparison)[0]),
            drawn,
            blocks.citation(challenge),
            *blocks.sections(chapters, figures),
        ]
    else:
        sections.append(section(summary_text.leaders(comparison)))
        sections += [blocks.html(table, figures) for table in views.refused(comparison)]
    listed, left_out = _listed(comparison)
    sections += [
        provenance({"challenge": comparison.challenge, **comparison.provenance}),
        rule(f"{summary_text.RULE}\n\n{challenge.words.rule.strip()}"),
        findings(listed, f"and {left_out} more, in comparison.json" if left_out else ""),
    ]
    return document(f"Compare teams, {challenge.words.title}", sections)


def _listed(comparison: Comparison) -> tuple[list[Finding], int]:
    """Return one list of all findings, on the comparison, the test set and each team's files, at most five of
    a kind each, and how many more there are."""
    shared = comparison.of_test_set
    listed: list[Finding] = []
    left_out = 0
    of_teams = (
        of_team(name, (f for f in card.findings if f not in shared))
        for name, card in comparison.cards.items()
    )
    for entries in (comparison.findings, shared, *of_teams):
        count: Counter[str] = Counter()
        for entry in entries:
            count[entry.code] += 1
            if count[entry.code] <= PER_CODE:
                listed.append(entry)
            else:
                left_out += 1
    return listed, left_out


def paper_zip(comparison: Comparison, lines: Lines = ()) -> bytes:
    """Return the zip of a comparison.

    Args:
        comparison: The comparison.
        lines: Names and texts that stand on the front page of its report.
    """
    challenge = load_challenge(comparison.challenge)
    sentences = [summary_text.leaders(comparison)]
    headline, sections = Headline(Fact("", "")), []
    if comparison.scored:
        view = display.of(comparison)
        headline = team_views.headline(view)
        sections = [Section(name, views.SECTIONS[name](view)) for name in views.section_names(comparison)]
        sentences += [summary_text.method(comparison), markup.plain(summary_text.RULE.partition("|")[0])]
    else:
        sections = [Section("Refused", views.refused(comparison))]
    return zipped(
        files(challenge, headline, sections, methods(challenge, sentences, comparison.provenance, lines))
    )
