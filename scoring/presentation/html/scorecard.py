"""HTML report of one scorecard."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from scoring.challenges import load_challenge
from scoring.common.text import named, spelled
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Headline, Status, Views
from scoring.presentation.figures.number_format import UNDEFINED, points, share, span
from scoring.presentation.html import default_views, report_blocks
from scoring.presentation.html.page_template import (
    Cell,
    Figures,
    document,
    findings,
    provenance,
    render,
    rule,
    section,
    table,
)
from scoring.presentation.html.report_blocks import Lines

CASES = 200
"""Maximum number of cases in a report."""


def views_of(card: ScoreCard) -> Views:
    """Return the views that the challenge defines for a scorecard. The headline also says whether the score
    is official."""
    challenge = load_challenge(card.challenge)
    views = (challenge.display.views or default_views.views)(card)
    write = points if challenge.scoring.as_points else share
    official = card.official.words(challenge.words.official_source, write)
    other = card.official.score if not (card.official.same or card.official.changes) else None
    other_score, badge = "" if other is None else write(other), card.official.badge(write)
    named = "official, converted" if card.official.converted else "official"
    status = Status(official, card.official.same, other_score, card.incomplete, badge, named)
    return replace(views, headline=replace(views.headline, status=status))


def html(card: ScoreCard, views: Views | None = None, lines: Lines = ()) -> str:
    """Return the report of a scorecard as HTML. The same arguments always give the same bytes.

    Args:
        views: The views to show; by default the challenge makes them.
        lines: Lines of the front page, as names and texts, such as test set, submission, team and date.
    """
    challenge, figures = load_challenge(card.challenge), Figures()
    views = views or views_of(card)
    chosen = report_blocks.front_figures(views.headline.strip, views.sections)
    sections = (
        report_blocks.front_page(
            challenge.words.title,
            f"{challenge.formula(card.provenance['options'])}, {challenge.scoring.direction}",
            lines,
        ),
        report_blocks.noticed(card.findings),
        report_blocks.front_pictures(figures, chosen),
        headline(views.headline, figures),
        report_blocks.citation(challenge),
        *report_blocks.sections(views.sections, figures),
        metrics(card),
        cases(card),
        provenance({"challenge": card.challenge, **card.provenance}),
        rule(challenge.words.rule),
        findings(card.findings),
    )
    # The pictures are drawn first, so that they are left out further on, and stand below the score.
    opening, noticed, drawn, score, *rest = sections
    title = f"{challenge.words.title}: {score_words(card, challenge.scoring.as_points)}"
    return document(title, (opening, score, noticed, drawn, *rest))


def fragment(card: ScoreCard) -> str:
    """Return the score, facts and tables of a scorecard as HTML for a notebook, without scripts and
    figures."""
    views = views_of(card)
    figures = Figures(drawn=False)
    parts = (
        section(load_challenge(card.challenge).words.title, headline(views.headline, figures)),
        findings(card.findings),
        *report_blocks.sections(views.sections, figures),
    )
    return render("fragment", parts=[Markup(part) for part in parts])


def score_words(card: ScoreCard, as_points: bool) -> str:
    """Return the score as text, for a title."""
    if card.score is None:
        return "no score"
    number = f"{points(card.score)} of 100 points" if as_points else share(card.score)
    return f"{number}, {card.official.badge(points if as_points else share)}"


def headline(entry: Headline, figures: Figures) -> str:
    """Return the score with its interval, the numbers beside it, and its parts as HTML."""
    interval = entry.score.below
    return report_blocks.headline(entry, f"95% interval {interval}. " if interval else "", figures)


def metrics(card: ScoreCard) -> str:
    """Return all numbers of a scorecard as HTML, with their names in the JSON file."""
    rows = [
        (named(name), value, span(card.intervals.get(name), 3), Cell(name, tag="code"))
        for name, value in card.metrics.items()
    ]
    rows += [
        (named(name), value, UNDEFINED, Cell(name, tag="code"))
        for name, value in card.more.items()
        if isinstance(value, (int, float))
    ]
    heads = ("metric", "value", "95% interval", "in scorecard.json")
    return section("What are the numbers?", table(heads, rows, (False, True, True, False)))


def cases(card: ScoreCard) -> str:
    """Return a table of the wrong cases as HTML; malignant cases that were predicted benign come first. If
    the challenge does not call cases right or wrong, it is a table of all cases. The table has at most
    `CASES` rows; "" if there is no case to list."""
    listed = list(card.cases)
    graded = bool(listed) and "correct" in listed[0]
    if graded:
        listed = [c for c in listed if not c["correct"]]
        listed.sort(key=lambda c: (c.get("truth_risk"), c.get("predicted_risk")) != ("malignant", "benign"))
    if not listed:
        return ""
    columns = [
        key for key, value in listed[0].items() if not isinstance(value, (list, tuple, Mapping, np.ndarray))
    ]
    values = [_counts([case.get(key) for case in listed[:CASES]]) for key in columns]
    question = "Which cases were predicted wrongly?" if graded else "What was predicted for each case?"
    parts = [table([spelled(column) for column in columns], list(zip(*values, strict=True)))]
    if len(listed) > CASES:
        more = f"and {len(listed) - CASES} more, in scorecard.json"
        parts.append(render("text", question="", text=more, kind="note"))
    return section(f"{question} ({len(listed)})", *parts)


def _counts(values: Sequence[object]) -> Sequence[object]:
    """Return numbers without decimals where all of a column are whole and more than yes and no, such as days;
    other columns as they are."""
    numbers = [value for value in values if isinstance(value, float)]
    if not numbers or not all(value.is_integer() for value in numbers) or max(numbers) <= 1:
        return values
    return [int(value) if isinstance(value, float) else value for value in values]
