"""Own submissions to one test set under the same rules, over time: is each better than the best before it?"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.challenges import load_challenge
from scoring.comparison import display, pairwise
from scoring.comparison.compare import compare_cards
from scoring.comparison.display import Displayed
from scoring.comparison.pairwise import PairedDifference
from scoring.core.scorecard import ScoreCard
from scoring.services.history.entries import SavedSubmission, card_of
from scoring.services.store.database import Store

FIRST, SECOND = "this one", "the best before"
"""Names in comparisons of two, where those of the files may be equal."""


@dataclass(frozen=True)
class Step:
    """One submission of a series.

    before: the best of those that were kept earlier; change: its score less that of `before`. Both are None
    for the first, and where one has no score.
    """

    entry: SavedSubmission
    before: SavedSubmission | None = None
    change: PairedDifference | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of JSON."""
        value = self.entry.as_dict() | {"best_before": self.before.id if self.before else None}
        changed = self.change
        return value | {
            "difference": changed.value if changed else None,
            "difference_interval": list(changed.interval) if changed and changed.interval else None,
            "told_apart": changed.apart if changed else None,
        }


def series(entries: Iterable[SavedSubmission]) -> list[list[SavedSubmission]]:
    """Return entries that can be compared together, each group oldest first, the group with the newest entry
    first."""
    groups: dict[tuple[str, str, str], list[SavedSubmission]] = {}
    for entry in sorted(entries, key=lambda one: (one.created, one.id)):
        groups.setdefault(entry.series, []).append(entry)
    return sorted(groups.values(), key=lambda group: group[-1].created, reverse=True)


def steps(store: Store, group: Sequence[SavedSubmission]) -> list[Step]:
    """Return the submissions of a series with the difference of each to the best before it.

    Args:
        store: Where they are kept.
        group: One of `series`.

    Raises:
        InputRefused: Where a scorecard cannot be read.
    """
    best: SavedSubmission | None = None
    cards: dict[str, ScoreCard] = {}
    found = []
    for entry in group:
        if entry.score is None:
            found.append(Step(entry))
            continue
        if best is None:
            found.append(Step(entry))
        else:
            for one in (entry, best):
                cards.setdefault(one.card, card_of(store, one))
            between = compared(entry.challenge, cards[entry.card], cards[best.card])
            found.append(Step(entry, best, pairwise.change(between.comparison, FIRST, SECOND)))
        if best is None or best.score is None or entry.score > best.score:
            best = entry
            cards = {digest: card for digest, card in cards.items() if digest == entry.card}
    return found


def compared(
    challenge_id: str, card: ScoreCard, other: ScoreCard, names: tuple[str, str] = (FIRST, SECOND)
) -> Displayed:
    """Compare two scorecards of a series.

    Args:
        challenge_id: Their challenge.
        card: The first.
        other: The second.
        names: What they are called.

    Raises:
        InputRefused: Where they cannot be compared.
    """
    return display.of(
        compare_cards(load_challenge(challenge_id), dict(zip(names, (card, other), strict=True)))
    )


def best_of(group: Iterable[SavedSubmission]) -> SavedSubmission | None:
    """Return the entry with the highest score, the earliest of equal ones; None where none has a score."""
    scored = [entry for entry in group if entry.score is not None]
    return max(scored, key=lambda entry: entry.score or 0.0, default=None)
