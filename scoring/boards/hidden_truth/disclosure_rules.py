"""Disclosure rules of a board with a hidden truth: scores are rounded, or the Ladder decides whether they are
shown. The module also describes these rules in words.

`visible_results` applies the rules to decide which scores, classes and cases a participant sees.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy.orm import Session

from scoring.boards.row_validation import DETAILS, OPENED, require_readable
from scoring.common.direction_and_range import SHARE, Quantity
from scoring.common.findings import Finding, error
from scoring.store.database import Store
from scoring.store.schema import Hidden

DECIMALS = 3
"""Default number of decimals of all shown values."""
REFUSED_PER_DAY = 20
NOTHING = "none"
"""Disclosure level of a board that shows no scores until its truth is opened."""
TELLS = {
    NOTHING: "no score until the truth is opened",
    "score": "the score",
    "classes": "the score and the rates of each class, such as recall",
    "cases": "the score, the rates of each class, such as recall, and the result of each case",
}
"""Disclosure level -> its description."""


@dataclass(frozen=True)
class HiddenRules:
    """What a board may reveal of a hidden truth. The attributes are those of
    `scoring.store.schema.Hidden`."""

    detail: str = "score"
    step: float | None = None
    refused_per_day: int = REFUSED_PER_DAY
    decimals: int = DECIMALS

    @property
    def digits(self) -> int:
        """Return the maximum number of decimals of a shown score. With the Ladder mechanism, it is the number
        of decimals of the step."""
        step = Decimal(str(self.step)).normalize().as_tuple().exponent if self.step else -self.decimals
        return min(max(-int(step), 0), DECIMALS)

    def problems(self, quantity: Quantity) -> list[Finding]:
        """Check the settings and return a finding for each invalid option of `board hide`. `quantity` is the
        direction and range of the score."""
        low, high = quantity.range
        below = f" to below {high - low:g}" if quantity.is_bounded else " on"
        checks = (
            (self.detail in DETAILS, "--detail", f"{self.detail!r} is not one of {', '.join(DETAILS)}."),
            (
                self.step is None or 0.001 <= self.step < high - low,
                "--ladder",
                f"write a number from 0.001{below}.",
            ),
            (
                self.step is None or self.detail != NOTHING,
                "--ladder",
                "no score is shown, so the Ladder cannot choose the ranked submission: write 0.",
            ),
            (1 <= self.decimals <= DECIMALS, "--digits", f"write a number from 1 to {DECIMALS}."),
            (0 < self.refused_per_day <= 1000, "--refused-per-day", "write a number from 1 to 1000."),
        )
        return [error("bad-option", option, message) for holds, option, message in checks if not holds]

    def levels(self, quantity: Quantity) -> float:
        """Return how many different values a shown score can have; infinity if the range of the score has no
        limits."""
        low, high = quantity.range
        least = self.step or 10.0**-self.decimals
        return round((high - low) / least) + 1 if quantity.is_bounded else math.inf


def rules(store: Store, board_id: str) -> HiddenRules | None:
    """Return the disclosure rules of a board, which say what it may reveal; None if its truth is not
    hidden."""
    with store.read() as session:
        known = kept_rules(session, board_id)
    return None if known is None or known.detail == OPENED else known


def kept_rules(session: Session, board_id: str) -> HiddenRules | None:
    """Return the disclosure rules of a board, even if its truth was opened later; None if the truth was never
    hidden."""
    row = session.get(Hidden, board_id)
    require_readable(board_id, [row] if row else ())
    return None if row is None else HiddenRules(row.detail, row.step, row.refused_per_day, row.decimals)


def ladder_scores(
    scores: Sequence[float | None], step: float | None, quantity: Quantity = SHARE, decimals: int = DECIMALS
) -> list[float | None]:
    """Apply the disclosure rules to the scores of one team.

    Args:
        scores: Scores of one team, oldest first; None if undefined.
        step: Step of the Ladder; None: each score is shown, rounded.
        decimals: Number of decimals; with the Ladder, scores are multiples of its step.

    Returns:
        The shown value of each score; None if the score is not shown.
    """
    visible: list[float | None] = []
    best: float | None = None
    for score in scores:
        if score is None or (step is not None and not quantity.improves(score, best, step)):
            visible.append(None)
            continue
        value = round(float(round(score / step) * step), DECIMALS) if step else round(score, decimals)
        best = value if quantity.improves(value, best) else best
        visible.append(value)
    return visible


def shown_scores(
    entries: Iterable[tuple[str, str, float | None]], known: HiddenRules, quantity: Quantity
) -> Mapping[str, float | None]:
    """Return the shown score of each submission, by id.

    If the board shows no scores now, return the scores that its rules would show.

    Args:
        entries: Id, team and score of each submission, oldest first.
    """
    by_team: dict[str, list[tuple[str, float | None]]] = {}
    for submission, team, score in entries:
        by_team.setdefault(team, []).append((submission, score))
    shown: dict[str, float | None] = {}
    for own in by_team.values():
        scores = ladder_scores([score for _, score in own], known.step, quantity, known.decimals)
        shown |= dict(zip((submission for submission, _ in own), scores, strict=True))
    return shown
