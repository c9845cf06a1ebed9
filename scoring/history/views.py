"""Views of a person's history, as data for the page."""

from collections.abc import Sequence

import plotly.graph_objects as go

from scoring.challenges import load_challenge
from scoring.common.text import shortened
from scoring.comparison import score_units, two_submissions
from scoring.comparison.score_units import Scale
from scoring.comparison.two_submissions import PairedDifference
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Figure, Table, Text
from scoring.history.saved_submissions import SavedSubmission, Step, best_of, card_of, compared
from scoring.presentation.figures.scores_over_time import Moment, progress
from scoring.presentation.figures.theme import Theme
from scoring.store.database import Store

QUESTION = "Did the submissions get better?"
DRAWN = 60
"""Maximum number of submissions in the figure; the newest are drawn."""
CAUTION = (
    "Each difference has its own 95% interval, not adjusted for several comparisons. The best of several "
    "submissions leads partly by chance, so a worse submission is not tested against it. The best score of "
    "many submissions to one test set is likely too {way}: confirm the score on other cases."
)
SMALLEST_CAUTION = 3
"""From this number of attempts on, a caution appears."""


def blocks(steps: Sequence[Step], current: str | None = None) -> tuple[Block, ...]:
    """Return view blocks that show a series as a figure and a table.

    Args:
        steps: Submissions of one challenge, oldest first.
        current: Id of the submission that the page shows.
    """
    challenge = load_challenge(steps[0].entry.challenge)
    of = score_units.of(challenge)
    caution = (Text(CAUTION.format(way=of.too), "note"),) if len(steps) >= SMALLEST_CAUTION else ()
    return (_figure(steps, of, current), _table(steps, of), *caution)


def _figure(steps: Sequence[Step], of: Scale, current: str | None) -> Figure:
    drawn = steps[-DRAWN:]
    days = {step.entry.created[:10] for step in drawn}
    (start, stop), axis = ((0, 10), "saved on") if len(days) > 1 else ((11, 16), f"on {min(days)} (UTC)")
    moments = [
        Moment(
            shortened(step.entry.name, 60),
            step.entry.created[start:stop],
            of.points(step.entry.score),
            of.scaled(step.entry.interval),
            bool(step.change and step.change.apart),
            step.entry.id == current,
        )
        for step in drawn
    ]

    def build(theme: Theme) -> go.Figure:
        return progress(moments, theme, (QUESTION, axis, of.unit), of.digits, of.better)

    cut = f" The newest {DRAWN} of {len(steps)} are drawn." if len(steps) > DRAWN else ""
    legend = (
        "Dotted: the best score so far. Filled: chance does not explain the difference from the best "
        "earlier submission. Whiskers: 95% interval."
    )
    return Figure(build, legend + cut, _numbers(drawn), key="own_history")


def _numbers(steps: Sequence[Step]) -> dict[str, list[object]]:
    rows = [step.as_dict() for step in steps]
    names = ("time", "name", "score", "difference", "told_apart", "note")
    ends = [row["interval"] or (None, None) for row in rows]
    numbers = {name: [row[name] for row in rows] for name in names}
    return numbers | {"low": [low for low, _ in ends], "high": [high for _, high in ends]}


def _table(steps: Sequence[Step], of: Scale) -> Table:
    newest = list(reversed(steps))
    rows: dict[str, list[object]] = {
        "time": [time_of(step.entry) for step in newest],
        "name": [shortened(step.entry.name, 60) for step in newest],
        "score": [of.points(step.entry.score) for step in newest],
        "interval": [of.scaled(step.entry.interval) for step in newest],
        "difference": [difference(step.change, of) or "the first" * (step is steps[0]) for step in newest],
        "note": [shortened(step.entry.about, 120) for step in newest],
    }
    columns = (
        Column("time", "saved (UTC)"),
        Column("name", "submission"),
        Column("score", "score", "number", of.digits, of.better),
        Column("interval", "95% interval", "interval", of.digits_of_intervals),
        Column("difference", "difference from the earlier best", "written"),
        Column("note", "note and settings"),
    )
    return Table("Which submissions are saved?", columns, rows, key="own_history_table")


def time_of(entry: SavedSubmission) -> str:
    """Return as text when a submission was saved, to the minute."""
    return entry.created[:16].replace("T", " ")


def difference(change: PairedDifference | None, of: Scale) -> str:
    """Return as text a difference, its interval, and whether it is told apart from chance; "" if `change` is
    None."""
    if change is None:
        return ""
    interval = f" ({of.span(change.interval, sign=True)})" if change.interval else ""
    apart = {True: ", told apart", False: ", could be chance", None: ""}[change.apart]
    return f"{of.number(change.value, sign=True)}{interval}{apart}"


def label(entry: SavedSubmission, of: Scale) -> str:
    """Return the text that represents a submission in a list."""
    return f"{time_of(entry)} · {shortened(entry.name, 40)} · {of.number(entry.score)}"


def summary(store: Store, card: ScoreCard, name: str, others: Sequence[SavedSubmission]) -> str:
    """Return a sentence (Markdown) that says whether a scorecard is better than the best saved one.

    Returns:
        The sentence; "" if no other submission has a score.

    Raises:
        InputRefused: If a scorecard cannot be read.
    """
    best = best_of(others)
    if best is None:
        return ""
    names = shortened(name, 40), f"{shortened(best.name, 40)} of {best.created[:10]}"
    between = compared(card.challenge, card, card_of(store, best), names)
    chosen = sum(other.score is not None for other in others) > 1
    return two_submissions.summary(between, *names, chosen)
