"""Reports of a comparison: an HTML file to publish, and the zip for a paper."""

from collections import Counter
from collections.abc import Sequence

from scoring.challenges import load_challenge
from scoring.common import rendered_markdown
from scoring.common.findings import Finding, tally
from scoring.comparison import display, many_teams, summary_text, team_views, views
from scoring.comparison.comparability import of_team
from scoring.comparison.compare import Comparison
from scoring.core.views import Fact, Headline, Section
from scoring.presentation.html import report_blocks
from scoring.presentation.html.page_template import Figures, document, findings, provenance, rule, section
from scoring.presentation.html.report_blocks import Lines
from scoring.presentation.paper.archive import files, methods, zipped

PER_CODE = 5
"""Maximum number of findings with the same code and team that a report lists."""
SHORT = ("Ranking", "Stability", "Orders", "Other rules", "Size")
"""Sections of the report if there are many teams; its appendix has the others."""
IN_APPENDIX = (
    "The appendix contains pairs, classes, cases, subgroups, facts about the teams, the files' hashes and "
    "findings ({}); comparison.json contains everything."
)


def html(comparison: Comparison, lines: Lines = ()) -> str:
    """Return the report of a comparison as HTML. The same arguments always give the same bytes.

    With many teams, the report begins with a summary of two pages, figures show all teams, and `appendix`
    contains the rest.

    Args:
        lines: Lines of the front page, as names and texts, such as test set, organizer and date.
    """
    sections = [_front(comparison, "Compare teams", lines)]
    if many_teams.are_many(comparison):
        sections += _of_many(comparison)
    elif comparison.scored:
        sections += _of_few(comparison)
    else:
        sections.append(section(summary_text.leaders(comparison)))
        sections += [report_blocks.html(table, Figures()) for table in views.refused(comparison)]
    if not many_teams.are_many(comparison):
        sections += [_origin(comparison), _rule(comparison), _findings(comparison)]
    return document(f"Compare teams, {load_challenge(comparison.challenge).words.title}", sections)


def appendix(comparison: Comparison, lines: Lines = ()) -> str:
    """Return the part of a report with many teams that `html` leaves out; "" if nothing is left out.
    Arguments are those of `html`."""
    if not many_teams.are_many(comparison):
        return ""
    names = [name for name in views.section_names(comparison) if name not in SHORT]
    sections = [
        _front(comparison, "Appendix", lines),
        *report_blocks.sections(_chapters(comparison, names), Figures()),
        _origin(comparison),
        _findings(comparison),
    ]
    return document(f"Appendix, {load_challenge(comparison.challenge).words.title}", sections)


def _of_few(comparison: Comparison) -> list[str]:
    figures, head = Figures(), team_views.headline(display.of(comparison))
    chapters = _chapters(comparison, views.section_names(comparison))
    drawn = report_blocks.front_pictures(figures, report_blocks.front_figures(head.strip, chapters))
    return [
        report_blocks.headline(head, head.score.below, figures),
        report_blocks.noticed(_listed(comparison)[0]),
        drawn,
        report_blocks.citation(load_challenge(comparison.challenge)),
        *report_blocks.sections(chapters, figures),
    ]


def _of_many(comparison: Comparison) -> list[str]:
    view, figures = display.whole(comparison), Figures()
    head = team_views.headline(view)
    known = views.section_names(comparison)
    chapters = (
        Section("Ranking", (*many_teams.scores(view), views.team_table(view))),
        Section("Stability", (*many_teams.stability(view), *views.stability_facts(comparison))),
        *_chapters(comparison, [name for name in SHORT[2:] if name in known]),
    )
    return [
        report_blocks.headline(head, head.score.below, figures),
        *(report_blocks.html(block, figures) for block in many_teams.first_page(view)),
        report_blocks.citation(load_challenge(comparison.challenge)),
        *report_blocks.sections(chapters, figures),
        section(
            "Which other facts does the report have?",
            f"<p>{IN_APPENDIX.format(tally(_listed(comparison)[0]) or 'no findings')}</p>",
        ),
        provenance({"challenge": comparison.challenge, **_without_teams(comparison)}),
        _rule(comparison),
    ]


def _chapters(comparison: Comparison, names: Sequence[str]) -> list[Section]:
    view = display.of(comparison)
    return [Section(name, views.SECTIONS[name](view)) for name in names]


def _front(comparison: Comparison, title: str, lines: Lines) -> str:
    challenge = load_challenge(comparison.challenge)
    formula = challenge.formula(comparison.provenance["options"])
    how = f"{formula}, all teams on the same cases, {challenge.scoring.direction}"
    if order := challenge.comparison.order:
        how += f".{order}"
    return report_blocks.front_page(f"{title}: {challenge.words.title}", how, lines)


def _origin(comparison: Comparison) -> str:
    return provenance({"challenge": comparison.challenge, **comparison.provenance})


def _without_teams(comparison: Comparison) -> dict[str, object]:
    return {name: value for name, value in comparison.provenance.items() if name != "teams"}


def _rule(comparison: Comparison) -> str:
    return rule(f"{summary_text.RULE}\n\n{load_challenge(comparison.challenge).words.rule.strip()}")


def _findings(comparison: Comparison) -> str:
    listed, left_out = _listed(comparison)
    return findings(listed, f"and {left_out} more, in comparison.json" if left_out else "")


def _listed(comparison: Comparison) -> tuple[list[Finding], int]:
    """Return one list with the findings about the comparison, the test set and each team's files, and the
    number of further findings. It contains at most five findings of each kind."""
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
    """Return the zip of a comparison for a paper. `lines` contains the lines of its report's front page, as
    in `html`."""
    challenge = load_challenge(comparison.challenge)
    sentences = [summary_text.leaders(comparison)]
    headline, sections = Headline(Fact("", "")), []
    if comparison.scored:
        view = display.of(comparison)
        headline = team_views.headline(view)
        sections = [Section(name, views.SECTIONS[name](view)) for name in views.section_names(comparison)]
        sentences += [
            summary_text.method(comparison),
            rendered_markdown.plain(summary_text.RULE.partition("|")[0]),
        ]
    else:
        sections = [Section("Refused", views.refused(comparison))]
    return zipped(
        files(challenge, headline, sections, methods(challenge, sentences, comparison.provenance, lines))
    )
