"""Trials of fixes. Each offered fix is applied to the submission and scored; the best is offered first.

Of a large table, only some rows are tried. Their scores order the fixes, but only the score of a whole table
is shown.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.common.arrays import Ints
from scoring.common.findings import InputRefused
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.common.text import delimited_text
from scoring.core.scorecard import ScoreCard
from scoring.core.submitted_part import of_cases
from scoring.inputs import case_ids
from scoring.inputs.case_tables import WITH_METADATA, find_table
from scoring.inputs.fix_suggestions import is_of_all
from scoring.inputs.sources import FixedSource, Source, open_source
from scoring.inputs.tables import TextTable

if TYPE_CHECKING:
    from scoring.core.challenge import Challenge

MOST_CASES, TRIED = 5_000, 1_000
"""Maximum number of cases for a trial of the whole submission; number of rows that are tried of a larger
table."""
ALL_RIGHT, ROUNDED = ", without any error: is it the truth?", 1e-9
"""Words after the label of a fix that gives the best possible score, and the rounding error of this score."""
NAME = "rows.csv"
"""Name of the table with the tried rows."""
_trying: ContextVar[bool] = ContextVar("_trying", default=False)
"""Whether a fix is being tried. A refusal during a trial offers no fixes, because each would be tried in
turn."""


def is_trying() -> bool:
    """Return whether a fix is being tried."""
    return _trying.get()


def table_of(source: Source) -> TextTable | None:
    """Return the table of a source; None if none can be read."""
    try:
        files = open_source(source)
        return files.read_table(find_table(files, WITH_METADATA))[1]
    except InputRefused:
        return None


def score_words(challenge: "Challenge[Any, Any]", score: float) -> str:
    """Return a score as text for the label of a button, in points if the challenge shows points.

    Args:
        score: Score from 0 to 1, which is 0 to 100 points.
    """
    return f"score {100 * score:.2f}" if challenge.scoring.as_points else f"score {score:.4f}"


@dataclass(frozen=True, eq=False)
class Trials:
    """Trials that compute the score of a submission with each of the offered fixes.

    Attributes:
        truth: The test set; None if there is none.
        read: Function that reads a source and matches it to `truth`.
        table: The table of the source, if it is already read and unchanged.
    """

    challenge: "Challenge[Any, Any]"
    source: Source
    truth: Any
    read: Callable[..., Any]
    table: TextTable | None = None

    @property
    def is_whole(self) -> bool:
        """Whether a trial scores all cases; otherwise it scores a sample of them."""
        return len(self.truth.ids) <= MOST_CASES

    @cached_property
    def sample(self) -> tuple[bytes, Ints] | None:
        """A table of some rows of the source, and the cases in these rows; None if the source has no
        table."""
        plain = self.source.source if isinstance(self.source, FixedSource) else self.source
        table = self.table or table_of(plain)
        if table is None:
            return None
        rows = np.unique(np.linspace(0, len(table) - 1, min(TRIED, len(table))).astype(int)).tolist()
        columns = [[cells[row] for row in rows] for cells in map(table.cells, range(len(table.header)))]
        text = delimited_text(table.header, zip(*columns, strict=True), table.delimiter)
        named = {case_ids.stem(cell) for cells in columns for cell in cells}
        chosen = [i for i, case in enumerate(self.truth.ids) if case_ids.stem(case) in named]
        return (text.encode(), np.array(chosen)) if chosen else None

    def card(self, changes: InputChanges) -> ScoreCard | None:
        """Return the scorecard of the changed submission; None if it is refused in spite of the changes."""
        if self.is_whole:
            return card_of(self.challenge, self.source, changes, self.truth, self.read)
        if self.sample is None:
            return None
        data, chosen = self.sample
        before = self.source.changes if isinstance(self.source, FixedSource) else InputChanges()
        part = of_cases(self.truth, chosen)
        read = partial(self.read, truth=part, name=NAME)
        return card_of(self.challenge, FixedSource(data, before), changes, part, read)

    def told(self, fix: SuggestedFix, card: ScoreCard | None) -> SuggestedFix:
        """Return a fix whose label states the resulting score, if all cases were scored."""
        if card is None or card.score is None or not self.is_whole:
            return fix
        return replace(fix, label=f"{fix.label}: {score_words(self.challenge, card.score)}")

    def is_same(self, card: ScoreCard | None, read: Any) -> bool:
        """Return whether the predictions of a scorecard are unchanged, so that the fix had no effect."""
        aligned, own = card.arrays.get("aligned") if card else None, getattr(read, "fingerprint", None)
        if not self.is_whole:  # the fingerprint is of all cases
            own = self.unchanged.arrays.get("aligned") if self.unchanged else None
        return aligned is not None and own is not None and np.array_equal(aligned, own)

    @cached_property
    def unchanged(self) -> ScoreCard | None:
        """The scorecard of the submission without changes; None if it is refused."""
        return self.card(InputChanges())

    def best_first(self, fixes: Sequence[SuggestedFix]) -> tuple[SuggestedFix, ...]:
        """Return alternative fixes with the score that each gives, best first. A column whose name says that
        it combines several models comes before all others. A column without any error comes last, because it
        may be the truth. A single fix is returned unchanged."""
        if self.truth is None or len(fixes) < 2:
            return tuple(fixes)
        cards = {fix: self.card(fix.changes) for fix in fixes}
        scores = {fix: card.score if card else None for fix, card in cards.items()}
        quantity = self.challenge.scoring.quantity()
        best = float(quantity.sign > 0)
        right = {fix for fix, score in scores.items() if score is not None and abs(score - best) <= ROUNDED}

        def rank(fix: SuggestedFix) -> tuple[bool, bool, Any]:
            return fix not in right, is_of_all(fix), quantity.order(scores[fix])

        ordered = sorted(fixes, key=rank, reverse=True)
        told = [(self.told(fix, cards[fix]), ALL_RIGHT * (fix in right and self.is_whole)) for fix in ordered]
        return tuple(replace(fix, label=f"{fix.label}{end}") for fix, end in told)


def card_of(
    challenge: "Challenge[Any, Any]",
    source: Source,
    changes: InputChanges,
    truth: Any,
    read: Callable[[Source], Any],
) -> ScoreCard | None:
    """Return the scorecard of a submission with changes; None if it is refused in spite of them.

    Args:
        X Function that returns the predictions of the changed submission.
    """
    trying = _trying.set(True)
    try:
        before = source.changes if isinstance(source, FixedSource) else InputChanges()
        plain = source.source if isinstance(source, FixedSource) else source
        return scored(challenge, truth, read(FixedSource(plain, before.joined(changes))))
    except InputRefused:
        return None
    finally:
        _trying.reset(trying)


def scored(challenge: "Challenge[Any, Any]", truth: Any, read: Any) -> ScoreCard | None:
    """Return the scorecard; None if scoring is refused, for example because a model ran on only some cases.

    Args:
        read: Function that returns the predictions.
    """
    try:
        return challenge.score(truth, read, resamples=0, with_curves=False)
    except InputRefused:
        return None
