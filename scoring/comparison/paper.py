"""Everything that a paper takes from a comparison, in one zip."""

from scoring.challenges import load_challenge
from scoring.common import markup
from scoring.comparison import display, headline_views, summary_text, views
from scoring.comparison.compare import Comparison
from scoring.core.views import Fact, Headline, Section
from scoring.presentation.html.front import Lines
from scoring.presentation.paper.archive import files, methods, zipped


def of_comparison(found: Comparison, lines: Lines = ()) -> bytes:
    """Return the zip of a comparison.

    Args:
        found: The comparison.
        lines: Names and texts that stand on the front page of its report.
    """
    challenge = load_challenge(found.challenge)
    words = [summary_text.standing(found)]
    headline, sections = Headline(Fact("", "")), []
    if found.scored:
        shown = display.of(found)
        headline = headline_views.headline(shown)
        sections = [Section(name, views.SECTIONS[name](shown)) for name in views.section_names(found)]
        words += [summary_text.method(found), markup.plain(summary_text.RULE.partition("|")[0])]
    else:
        sections = [Section("Refused", views.refused(found))]
    return zipped(files(challenge, headline, sections, methods(challenge, words, found.provenance, lines)))
