"""A hidden truth: what a board tells participants and the public, and nothing beyond it.

What is shown of a score is rounded and, with the Ladder, only shown where it beats the team's best by a step
(Blum and Hardt 2015). It follows from the submissions in their order alone, so that asking twice gives
the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused, error
from scoring.common.quantities import SHARE, Quantity
from scoring.services.access.roles import Role
from scoring.services.boards.board import OpenBoard
from scoring.services.boards.ranking import BoardRanking, RankedSubmission, board_ranking
from scoring.services.boards.row_rules import DETAILS, require_readable
from scoring.services.store.database import Store
from scoring.services.store.tables import Board, Hidden
from scoring.statistics.optimism import possible_gain

DECIMALS = 3
"""Of everything that is shown of a hidden truth."""
REFUSED_PER_DAY = 20
RATES = frozenset(
    {
        *("precision", "recall", "f1", "f1_pooled", "specificity", "sensitivity", "accuracy", "ppv", "npv"),
        *("auc", "auc_sens_80", "average_precision", "mean_dice", "dice_agg"),
    }
)
"""Of a class, told where the organizer allows it: not what follows from the truth alone, as the worth of a
class, nor what tells several labels at once, as log loss."""
NOT_PUBLISHED = ("truth_sha256",)
"""Of the provenance: guesses of the truth could be checked with it."""


@dataclass(frozen=True)
class HiddenRules:
    """What a hidden truth may tell. Attributes as of `scoring.services.store.tables.Hidden`."""

    detail: str = "score"
    step: float | None = None
    refused_per_day: int = REFUSED_PER_DAY


@dataclass(frozen=True)
class VisibleScore:
    """What is shown of a submission.

    Attributes:
        entry: The submission.
        score: Its score as it is shown; None where none is.
        best: The team's best that is shown so far, this submission included; None before the first.
    """

    entry: RankedSubmission
    score: float | None
    best: float | None


@dataclass(frozen=True)
class Use:
    """How much a truth has been used up. answers: scores shown; cases: of the test set; gain: what could be
    gained above chance by them without learning anything. is_share: whether the score is from 0 to 1."""

    answers: int
    cases: int
    is_share: bool = True

    @property
    def gain(self) -> float:
        """Return the possible gain, 0 to 0.5."""
        return possible_gain(self.answers, self.cases)

    @property
    def words(self) -> str:
        """Return it in plain words."""
        scores = "1 score has" if self.answers == 1 else f"{self.answers} scores have"
        shown = f"{scores} been shown of {self.cases} hidden cases."
        if not self.is_share:
            return f"{shown} Trying often betters a score by chance alone: a small lead proves little here."
        return (
            f"{shown} Trying often could by now lift a method that "
            f"only guesses by up to {self.gain:.2f} above chance: a smaller lead proves little here."
        )


def rules(store: Store, board_id: str) -> HiddenRules | None:
    """Return what a board may tell; None where its truth is not hidden."""
    with store.read() as session:
        row = session.get(Hidden, board_id)
    require_readable(board_id, [row] if row else ())
    return None if row is None else HiddenRules(row.detail, row.step, row.refused_per_day)


def hide(store: Store, board_id: str, wanted: HiddenRules) -> None:
    """Hide the truth of a board, or change what it tells.

    Raises:
        InputRefused: `forbidden` for others than organizers, `bad-option` for what cannot be.
    """
    store.actor.require(Role.ORGANIZER)
    problems = []
    if wanted.detail not in DETAILS:
        problems.append(
            error("bad-option", "--detail", f"{wanted.detail!r} is not one of {', '.join(DETAILS)}.")
        )
    most = _widest_step(store, board_id)
    if wanted.step is not None and not 0.001 <= wanted.step < most:
        below = f" to below {most:g}" if np.isfinite(most) else " on"
        problems.append(error("bad-option", "--ladder", f"write a number from 0.001{below}."))
    if not 0 < wanted.refused_per_day <= 1000:
        problems.append(error("bad-option", "--refused-per-day", "write a number from 1 to 1000."))
    if problems:
        raise InputRefused(problems)
    with store.write() as session:
        session.merge(Hidden(board_id=board_id, **asdict(wanted)))


def _widest_step(store: Store, board_id: str) -> float:
    """Return the width of the range of scores; of a challenge that is unknown here, that of a share."""
    with store.read() as session:
        row = session.get(Board, board_id)
    low, high = load_challenge(row.challenge).scoring.range if row else SHARE.range
    return high - low


def reveal(store: Store, board_id: str) -> None:
    """Let a board tell everything from now on. Raises InputRefused `forbidden` for others than organizers."""
    store.actor.require(Role.ORGANIZER)
    with store.write() as session:
        row = session.get(Hidden, board_id)
        if row is not None:
            session.delete(row)


def ladder_scores(
    scores: Sequence[float | None], step: float | None, quantity: Quantity = SHARE
) -> list[float | None]:
    """Return what is shown of scores.

    Args:
        scores: Of one team, oldest first; None where undefined.
        step: Of the Ladder; None: each is shown, rounded.
        quantity: Direction of the score.

    Returns:
        For each the score that is shown; None where none is.
    """
    visible: list[float | None] = []
    best: float | None = None
    for score in scores:
        if score is None or (step is not None and not quantity.improves(score, best, step)):
            visible.append(None)
            continue
        value = round(float(round(score / step) * step if step else score), DECIMALS)
        best = value if quantity.improves(value, best) else best
        visible.append(value)
    return visible


def visible_scores(
    entries: Iterable[RankedSubmission], team: str, step: float | None, quantity: Quantity
) -> list[VisibleScore]:
    """Return what is shown of the submissions of a team. Those that are excluded or refused show nothing."""
    own = [entry for entry in entries if entry.team == team]
    eligible = [entry for entry in own if entry.is_eligible]
    scores = dict(
        zip(
            (entry.id for entry in eligible),
            ladder_scores([entry.score for entry in eligible], step, quantity),
            strict=True,
        )
    )
    results: list[VisibleScore] = []
    best: float | None = None
    for entry in own:
        score = scores.get(entry.id)
        if score is not None and quantity.improves(score, best):
            best = score
        results.append(VisibleScore(entry, score, best))
    return results


def counting(
    scores: Sequence[VisibleScore], rule: str, step: float | None, quantity: Quantity
) -> VisibleScore | None:
    """Return the submission of a team whose shown score is ranked; None where none is shown."""
    visible = [candidate for candidate in scores if candidate.score is not None]
    if not visible:
        return None
    if rule == "last" and step is None:
        return visible[-1]
    return max(visible, key=lambda candidate: quantity.order(candidate.score))


def published(ranking: BoardRanking) -> dict[str, Any]:
    """Return what may be published of a board: `BoardRanking.as_dict`. Of a hidden truth only scores as
    they are shown, ranked by these, without intervals and ties."""
    value, board, row = ranking.as_dict(), ranking.board, ranking.board.row
    known, quantity = rules(board.store, row.id), board.challenge.scoring.quantity()
    if known is None:
        return value
    # the Ladder climbs over all phases, whichever is ranked
    every = ranking if ranking.phase is None else board_ranking(board)
    ranked = {entry.id for entry in ranking.entries}
    visible = {
        team: [score for score in visible_scores(own, team, known.step, quantity) if score.entry.id in ranked]
        for team, own in every.by_team.items()
    }
    chosen = {team: counting(scores, row.counts, known.step, quantity) for team, scores in visible.items()}
    teams = [_team(team, visible[team["team"]], chosen[team["team"]]) for team in value["teams"]]
    placed = [team for team in teams if team["score"] is not None]
    for team in placed:
        team["rank"] = 1 + sum(quantity.improves(other["score"], team["score"]) for other in placed)
    unseen = [team["team"] for team in teams if team["score"] is None]
    provenance = {name: item for name, item in value["provenance"].items() if name not in NOT_PUBLISHED}
    return value | {
        "teams": sorted(placed, key=lambda team: (team["rank"], team["team"])),
        "unranked": sorted({*value["unranked"], *unseen}),
        "provenance": provenance,
    }


def _team(
    full: Mapping[str, Any], visible: Sequence[VisibleScore], counts: VisibleScore | None
) -> dict[str, Any]:
    by_id = {score.entry.id: score for score in visible}
    nothing: dict[str, Any] = {"interval": None, "rank_that_day": None}
    history = [
        submission
        | nothing
        | {
            "score": by_id[submission["submission"]].score,
            "counts": counts is not None and counts.entry.id == submission["submission"],
        }
        for submission in full["history"]
    ]
    return dict(full) | {
        "score": counts.score if counts else None,
        "submission": counts.entry.id if counts else full["submission"],
        "time": counts.entry.created if counts else full["time"],
        "interval": None,
        "rank_interval": None,
        "tied_for_first": None,
        "previous_rank": None,
        "history": history,
    }


def use(board: OpenBoard) -> Use:
    """Return how much the truth of a board has been used up, by all teams together."""
    ranking, quantity = board_ranking(board), board.challenge.scoring.quantity()
    known = rules(board.store, board.row.id) or HiddenRules()
    scores = sum(
        visible.score is not None
        for team, own in ranking.by_team.items()
        for visible in visible_scores(own, team, known.step, quantity)
    )
    return Use(scores, len(board.truth), quantity.range == SHARE.range)


def classes_of(ranking: BoardRanking, entry: RankedSubmission) -> dict[str, dict[str, float]]:
    """Return the rates of each class, rounded: no number of cases, no share of the truth, and no cell of a
    confusion matrix."""
    return {
        str(name): {
            str(key): round(value, DECIMALS)
            for key, value in row.items()
            if key in RATES and isinstance(value, float) and 0 <= value <= 1
        }
        for name, row in ranking.card(entry).per_class.items()
    }


def cases_of(ranking: BoardRanking, entry: RankedSubmission) -> list[tuple[str, float]]:
    """Return how right each case is, rounded, by id: no label, and not in the order of the truth. Nothing
    where that is no degree of being right: an error and a prediction together tell the truth."""
    card, comparison = ranking.card(entry), ranking.board.challenge.comparison
    if comparison.case_value != SHARE:
        return []
    values = comparison.correct(card)
    pairs = zip(card.cases, map(float, values), strict=True)
    return sorted((str(row["case"]), round(value, DECIMALS)) for row, value in pairs if np.isfinite(value))
