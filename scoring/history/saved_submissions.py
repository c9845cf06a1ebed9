"""Saved submissions to one test set over time, and whether each is better than the best earlier one."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.boards import serialization
from scoring.challenges import load_challenge, remember
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.comparison import display, two_submissions
from scoring.comparison.compare import compare_cards
from scoring.comparison.display import Displayed
from scoring.comparison.two_submissions import PairedDifference
from scoring.core.scorecard import ScoreCard
from scoring.store import schema
from scoring.store.database import Store


@dataclass(frozen=True)
class SavedSubmission:
    """A saved submission; the attributes are those of `scoring.store.schema.Kept`. `has_truth` says whether
    the files of its test set are also saved."""

    id: str
    content: str
    challenge: str
    test_set: str
    rules: Mapping[str, Any]
    name: str
    test_set_name: str
    score: float | None
    interval: tuple[float, float] | None
    card: str
    page: Mapping[str, Any]
    note: str
    created: str
    program: str
    has_truth: bool

    @property
    def series(self) -> tuple[str, str, str]:
        """Return the key of the series: submissions with the same key have comparable scores."""
        return series_of(self.challenge, self.test_set, self.rules)

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        return {
            "id": self.id,
            "challenge": self.challenge,
            "test_set": self.test_set_name,
            "test_set_sha256": self.test_set,
            "name": self.name,
            "time": self.created,
            "score": self.score,
            "interval": list(self.interval) if self.interval else None,
            "rules": dict(self.rules),
            "note": self.note,
            "version": self.program,
            "truth_kept": self.has_truth,
            "config": dict(self.config),
        }

    @property
    def config(self) -> Mapping[str, Any]:
        """Settings of the model's run, such as the learning rate, that its author logged; empty if none."""
        settings: Mapping[str, Any] = self.page.get("config") or {}
        return settings

    @property
    def about(self) -> str:
        """Note and settings in one line, such as "colour jitter; lr=0.001"."""
        return "; ".join(filter(None, (self.note, ", ".join(f"{k}={v}" for k, v in self.config.items()))))


def series_of(challenge_id: str, test_set: str, rules: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the key of a series: submissions with the same key have comparable scores."""
    return challenge_id, test_set, json.dumps(rules, sort_keys=True)


def of_row(row: schema.Kept, has_truth: bool) -> SavedSubmission:
    """Return a row of the table of saved submissions as `SavedSubmission`."""
    remember(row.rules.get("declaration"))
    return SavedSubmission(
        id=row.id,
        content=row.content,
        challenge=row.challenge,
        test_set=row.test_set,
        rules=row.rules,
        name=row.name,
        test_set_name=row.test_set_name,
        score=row.score,
        interval=None if row.low is None or row.high is None else (row.low, row.high),
        card=row.card,
        page=row.page,
        note=row.note,
        created=row.created,
        program=row.program,
        has_truth=has_truth,
    )


def saved(store: Store, challenge_id: str | None = None, owner: str = "") -> list[SavedSubmission]:
    """Return a person's saved submissions, oldest first.

    Args:
        challenge_id: Return only submissions to this challenge; None: all submissions.
    """
    with store.read() as session:
        rows = saved_in(session, owner)
    return [entry for entry in rows if challenge_id in (None, entry.challenge)]


def saved_in(session: Session, owner: str) -> list[SavedSubmission]:
    """Return a person's saved submissions, oldest first, read within an open transaction."""
    query = select(schema.Kept).where(schema.Kept.owner == owner)
    rows = session.scalars(query.order_by(schema.Kept.created, schema.Kept.id)).all()
    of_truths = select(schema.KeptFile.kept_id).where(schema.KeptFile.place == "truth")
    with_truth = set(session.scalars(of_truths))
    return [of_row(row, row.id in with_truth) for row in rows]


def heir(
    kept: Iterable[SavedSubmission], entry: SavedSubmission, leaving: Collection[str]
) -> SavedSubmission | None:
    """Return the submission that takes over the test set files of a deleted submission.

    Args:
        kept: The person's saved submissions, oldest first.
        entry: The deleted submission.
        leaving: Ids of all submissions that are deleted together.

    Returns:
        The newest other submission to the test set. None if there is none, if another submission has the
        files already, or if the deleted one has no files.
    """
    test_set = entry.challenge, entry.test_set
    others = [
        other for other in kept if (other.challenge, other.test_set) == test_set and other.id not in leaving
    ]
    if not others or not entry.has_truth or any(other.has_truth for other in others):
        return None
    return others[-1]


def file_digests(store: Store, role: str) -> dict[str, list[str]]:
    """Return id of a saved submission -> sorted SHA-256 of its files with the given role."""
    digests: dict[str, list[str]] = {}
    with store.read() as session:
        for row in session.scalars(select(schema.KeptFile).where(schema.KeptFile.place == role)):
            digests.setdefault(row.kept_id, []).append(row.sha256)
    return {kept_id: sorted(found) for kept_id, found in digests.items()}


def saved_submission(store: Store, kept_id: str, owner: str = "") -> SavedSubmission:
    """Return the saved submission whose id equals or begins with `kept_id`. Raises InputRefused
    `nothing-kept` if there is none, or if several ids begin with it."""
    matches = [entry for entry in saved(store, owner=owner) if kept_id and entry.id.startswith(kept_id)]
    if len(matches) != 1:
        message = (
            "the ids of several submissions begin with these characters: write more of the id."
            if matches
            else "no saved submission has this id."
        )
        raise InputRefused([error("nothing-kept", shortened(kept_id, 64) or "id", message)])
    return matches[0]


def card_of(store: Store, entry: SavedSubmission) -> ScoreCard:
    """Return the scorecard of a saved submission. Raises InputRefused if it is missing or incomplete in the
    store."""
    return serialization.card_from_bytes(store.files.read(entry.card))


def files(store: Store, entry: SavedSubmission, role: str) -> Sequence[tuple[str, bytes]]:
    """Return the files of a saved submission by name, in their original order.

    Args:
        role: "submission", "truth" or "metadata".

    Raises:
        InputRefused: With `store-damaged` if a file is missing or was changed.
    """
    query = select(schema.KeptFile).where(schema.KeptFile.kept_id == entry.id, schema.KeptFile.place == role)
    with store.read() as session:
        rows = session.scalars(query.order_by(schema.KeptFile.number)).all()
    return [(row.name, store.files.read(row.sha256)) for row in rows]


FIRST, SECOND = "this one", "the best before"
"""Names of two submissions in a comparison, because their file names may be equal."""


@dataclass(frozen=True)
class Step:
    """A submission of a series, compared with the best earlier one by a paired test.

    A submission that is no better than the best of several earlier ones is never reported as different.

    Attributes:
        before: The best earlier submission. None for the first submission with a score, and for a submission
            without a score.
        change: Score of the submission minus score of `before`, with its interval; None if `before` is None.
    """

    entry: SavedSubmission
    before: SavedSubmission | None = None
    change: PairedDifference | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        value = self.entry.as_dict() | {"best_before": self.before.id if self.before else None}
        changed = self.change
        return value | {
            "difference": changed.value if changed else None,
            "difference_interval": list(changed.interval) if changed and changed.interval else None,
            "told_apart": changed.apart if changed else None,
        }


def series(entries: Iterable[SavedSubmission]) -> list[list[SavedSubmission]]:
    """Group comparable submissions. Each group is ordered oldest first; the group with the newest submission
    comes first."""
    groups: dict[tuple[str, str, str], list[SavedSubmission]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.created, entry.id)):
        groups.setdefault(entry.series, []).append(entry)
    return sorted(groups.values(), key=lambda group: group[-1].created, reverse=True)


def steps(store: Store, group: Sequence[SavedSubmission]) -> list[Step]:
    """Compare each submission of a series with the best earlier one.

    Args:
        group: A group from `series`.

    Raises:
        InputRefused: If a scorecard cannot be read.
    """
    quantity = _quantity(group)
    best: SavedSubmission | None = None
    cards: dict[str, ScoreCard] = {}
    steps = []
    for entry in group:
        if entry.score is None:
            steps.append(Step(entry))
            continue
        if best is None:
            steps.append(Step(entry))
        else:
            for item in (entry, best):
                cards.setdefault(item.card, card_of(store, item))
            between = compared(entry.challenge, cards[entry.card], cards[best.card])
            change = two_submissions.change(between.comparison, FIRST, SECOND)
            chosen = sum(step.entry.score is not None for step in steps) > 1
            if change and chosen and not quantity.improves(entry.score, best.score):
                # Of many equal ones the best leads by chance, and the others would be told apart from it.
                change = replace(change, apart=None)
            steps.append(Step(entry, best, change))
        if best is None or quantity.improves(entry.score, best.score):
            best = entry
            cards = {digest: card for digest, card in cards.items() if digest == entry.card}
    return steps


def compared(
    challenge_id: str, card: ScoreCard, other: ScoreCard, names: tuple[str, str] = (FIRST, SECOND)
) -> Displayed:
    """Compare two scorecards of a series. Raises InputRefused if they cannot be compared."""
    return display.of(
        compare_cards(load_challenge(challenge_id), dict(zip(names, (card, other), strict=True)))
    )


def best_of(group: Iterable[SavedSubmission]) -> SavedSubmission | None:
    """Return the submission with the best score; if several have it, the earliest. None if no submission has
    a score."""
    scored = [entry for entry in group if entry.score is not None]
    quantity = _quantity(scored)
    return max(scored, key=lambda entry: quantity.order(entry.score), default=None)


def _quantity(group: Sequence[SavedSubmission]) -> Quantity:
    """Return direction and range of the score of entries of one challenge."""
    return load_challenge(group[0].challenge).scoring.quantity() if group else SHARE
