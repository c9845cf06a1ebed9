"""Disclosure of a hidden truth: the scores that participants and the public may see; hiding and opening the
truth.

Shown scores are rounded. With the Ladder, a score is shown only if it beats the team's best score by a
minimum step (Blum and Hardt 2015). Shown scores depend only on the submissions and their order, so that a
second request gives the same answer. A correction of the truth does not change the shown scores of earlier
submissions.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from sqlalchemy import select

from scoring.access.roles import Role
from scoring.boards.board import OpenBoard, opened
from scoring.boards.hidden_truth import guessing_budget
from scoring.boards.hidden_truth.disclosure_rules import (
    DECIMALS,
    NOTHING,
    HiddenRules,
    kept_rules,
    rules,
)
from scoring.boards.hidden_truth.guessing_budget import BITS_OF_OPEN, MOST_BITS, Budget, Labels, Use
from scoring.boards.hidden_truth.test_set_split import units_of
from scoring.boards.ranking.board_ranking import BoardRanking, board_ranking
from scoring.boards.ranking.decision_rule import note_change
from scoring.boards.ranking.ranked_submissions import (
    RankedSubmission,
    ShownScores,
    baseline,
    counting,
)
from scoring.boards.row_validation import OPENED
from scoring.boards.submissions import phases_and_limits
from scoring.boards.teams import members
from scoring.common.direction_and_range import SHARE
from scoring.common.findings import Finding, InputRefused, warning
from scoring.comparison.team_facts import UNKNOWN
from scoring.statistics.optimism import effective_labels, effective_units
from scoring.store.database import Store
from scoring.store.schema import Hidden, Submission, TestSetVersion

RATES = frozenset(
    {
        *("precision", "recall", "f1", "f1_pooled", "specificity", "sensitivity", "accuracy", "ppv", "npv"),
        *("auc", "auc_sens_80", "average_precision", "mean_dice", "dice_agg"),
    }
)
"""Rates of each class that the organizer can show. Two kinds of values are never shown: those that follow
from the truth alone, such as a class's share in the score; and those that reveal several labels at once, such
as log loss."""
PUBLISHED = ("version", "seed", "resamples", "interval", "unit")
"""Entries of the provenance that are shown. Hashes are left out, because a guess of the truth can be checked
against them. The number of cases is left out too."""


@dataclass(frozen=True)
class VisibleScore:
    """The shown result of a submission.

    Attributes:
        score: The score that is shown; None if no score is shown.
        best: The team's best shown score so far, including this submission; None before the first.
    """

    entry: RankedSubmission
    score: float | None
    best: float | None


def hide(store: Store, board_id: str, wanted: HiddenRules) -> None:
    """Hide the truth of a board, or change what the board reveals. Bits of information about the truth that
    were revealed already still count. Raises InputRefused `forbidden` unless the actor is an organizer,
    `bad-option` for invalid rules."""
    store.actor.require(Role.ORGANIZER)
    board = opened(store, board_id)
    problems = wanted.problems(board.challenge.scoring.quantity())
    if problems:
        raise InputRefused(problems)
    spent = _spent(board, wanted, board_ranking(board))
    with store.write() as session:
        session.merge(Hidden(board_id=board_id, spent=spent, **asdict(wanted)))
        note_change(session, board_id)


def _spent(board: OpenBoard, wanted: HiddenRules, ranking: BoardRanking) -> float:
    """Return how many bits were revealed under earlier rules. `ranking`: of all phases."""
    with board.store.read() as session:
        row = session.get(Hidden, board.row.id)
    if ranking.shown is not None and ranking.hidden == wanted and row is not None:
        return row.spent
    return bits_told(board, ranking)


def bits_told(board: OpenBoard, ranking: BoardRanking) -> float:
    """Return how many bits of information about the truth the scores of a board may have revealed until now.
    `ranking` is the ranking of all phases."""
    if ranking.shown is None:
        return float(BITS_OF_OPEN * len(ranking.entries))
    return float(board.n_told) if ranking.hidden is None else _counted_bits(board, ranking)


def _counted_bits(board: OpenBoard, ranking: BoardRanking | None = None) -> float:
    """Return the revealed bits, limited to what a row can store. `ranking`: as in `use`."""
    return min(use(board, ranking).bits, MOST_BITS)


@contextmanager
def told_stays(store: Store, board_id: str) -> Iterator[None]:
    """Context manager around a deletion of submissions, a merge of teams or a change of times: afterwards,
    bits of information about the truth that were revealed before still count. If the Ladder then shows new
    scores of a team, or a lower best score, the bits of the new sequence of scores are added."""
    before, most = _told(store, board_id), guessing_budget.most_told(store, board_id)
    yield
    after = _told(store, board_id)
    lost = most - guessing_budget.most_told(store, board_id)  # of a board that cannot be read
    if before is not None and after is not None:
        with suppress(InputRefused):  # of a board without its truth
            labels = _labels(after.board)
            lost = _counted_bits(before.board, before) - _counted_bits(after.board, after)
            lost += sum(
                guessing_budget.told(_shown(after).rules, len(entries), labels)
                for team, entries in after.by_team.items()
                if _climbs_again(before, after, team)
            )
    guessing_budget.add_told(store, board_id, lost)


def _told(store: Store, board_id: str) -> BoardRanking | None:
    """Return the ranking of a board whose truth is hidden; None for other or unreadable boards."""
    with suppress(InputRefused):
        return None if rules(store, board_id) is None else board_ranking(opened(store, board_id))
    return None


def _climbs_again(before: BoardRanking, after: BoardRanking, team: str) -> bool:
    """Return whether the Ladder now shows a new score of a team, or a lower best score."""
    was, now, quantity = _shown(before).scores, _shown(after).scores, _shown(after).quantity
    if _shown(after).rules.step is None:
        return False
    known = {entry.id: entry.team for entry in before.entries}
    own = [entry.id for entry in after.by_team[team]]
    teams = {team, *(known[i] for i in own if i in known)}

    def best(scores: Mapping[str, float | None], ids: Iterable[str]) -> float:
        return max((quantity.order(scores.get(i)) for i in ids), default=-math.inf)

    is_new = any(now.get(i) not in (None, was.get(i)) for i in own if i in known)
    return is_new or best(now, own) < best(was, (i for i, name in known.items() if name in teams))


def reveal(store: Store, board_id: str) -> None:
    """End the hiding of a truth; the ranked submissions stay the same. Raises InputRefused `forbidden` unless
    the actor is an organizer."""
    store.actor.require(Role.ORGANIZER)
    with store.write() as session:
        row = session.get(Hidden, board_id)
        if row is not None:
            row.detail = OPENED


def visible_scores(ranking: BoardRanking, team: str) -> list[VisibleScore]:
    """Return the shown results of a team's submissions, including excluded ones."""
    visible = _shown(ranking)
    results: list[VisibleScore] = []
    best: float | None = None
    for entry in ranking.by_team.get(team, ()):
        score = _score(ranking, entry)
        if score is not None:
            best = score if visible.quantity.improves(score, best) else best
        results.append(VisibleScore(entry, score, best))
    return results


def _score(ranking: BoardRanking, entry: RankedSubmission) -> float | None:
    """Return the shown score of a submission; None if no score is shown."""
    visible = _shown(ranking)
    return None if visible.rules.detail == NOTHING else visible.scores.get(entry.id)


def counted(ranking: BoardRanking) -> Mapping[str, RankedSubmission]:
    """Return the ranked submission of each team as everybody sees it. A submission stays ranked even if it
    cannot be scored on a corrected truth."""
    visible = _shown(ranking)
    scored = (at_first(ranking, entry) for entry in ranking.competing)
    return counting(
        scored, ranking.rule, visible.quantity, shown=visible.scores, nominated=ranking.nominated_now
    )


def at_first(ranking: BoardRanking, entry: RankedSubmission) -> RankedSubmission:
    """Return a submission with the scorecard of the version of the test set on which it was first scored."""
    return replace(entry, card=_shown(ranking).cards.get(entry.id))


def _shown(ranking: BoardRanking) -> ShownScores:
    assert ranking.shown is not None, "only for a hidden truth"
    return ranking.shown


def published(ranking: BoardRanking) -> dict[str, Any]:
    """Return the part of `BoardRanking.as_dict` that may be published: for a hidden truth, only the shown
    scores and the ranks by them, without intervals and ties."""
    if ranking.hidden is None:
        return ranking.as_dict()
    chosen = counted(ranking)
    teams = [
        _team(ranking, team, chosen.get(team)) for team in ranking.by_team if team not in ranking.baselines
    ]
    placed, quantity = [team for team in teams if team["score"] is not None], _shown(ranking).quantity
    for team in placed:
        team["rank"] = 1 + sum(quantity.improves(other["score"], team["score"]) for other in placed)
    known = ranking.card(next(iter(chosen.values()))).provenance if chosen else {}
    return ranking.framed(
        sorted(placed, key=lambda team: (team["rank"], team["team"])),
        sorted(team["team"] for team in teams if team["score"] is None),
        [baseline(entry, _score(ranking, entry)) for entry in ranking.lines.values()],
        {name: known[name] for name in PUBLISHED} | {"pairs_test": None} if known else {},
    )


def _team(ranking: BoardRanking, team: str, counts: RankedSubmission | None) -> dict[str, Any]:
    visible = visible_scores(ranking, team)
    scores = {score.entry.id: score.score for score in visible}
    history = [
        {
            "submission": score.entry.id,
            "time": score.entry.created,
            "phase": score.entry.phase,
            "score": score.score,
            "interval": None,
            "rank_that_day": None,
            "counts": counts is not None and counts.id == score.entry.id,
            "scored": True,
            "excluded": score.entry.excluded is not None,
        }
        for score in visible
    ]
    return {
        "team": team,
        "rank": None,
        "rank_interval": None,
        "tied_for_first": None,
        "score": scores[counts.id] if counts else None,
        "interval": None,
        "facts": ranking.facts.get(team, UNKNOWN).as_dict(),
        "previous_rank": None,
        "submission": counts.id if counts else None,
        "time": counts.created if counts else None,
        "history": history,
    }


def use(board: OpenBoard, ranking: BoardRanking | None = None) -> Use:
    """Return how much of a board's truth the scores of all teams together may have revealed. `ranking` is the
    ranking of all phases, if known."""
    ranking = ranking or board_ranking(board)
    with board.store.read() as session:
        row = session.get(Hidden, board.row.id)
        spent = row.spent if row else 0.0
        known = kept_rules(session, board.row.id) or HiddenRules()
    answers = 0
    if ranking.shown is not None and known.detail != NOTHING:
        answers = sum(score is not None for score in ranking.shown.scores.values())
    scored = Counter(entry.team for entry in ranking.entries)
    return guessing_budget.used(known, scored, answers, _labels(board), spent)


def planned(
    board: OpenBoard, wanted: HiddenRules | None = None, ranking: BoardRanking | None = None
) -> Budget:
    """Return how much information about a board's labels the scores can reveal by the end of its phases, and
    rules that would keep the labels safe.

    Args:
        wanted: Disclosure rules to consider; None: the current rules.
        ranking: As in `use`.
    """
    ranking = ranking or board_ranking(board)
    known = wanted or ranking.hidden or HiddenRules()
    labels = _labels(board)
    elsewhere = (_told_elsewhere(board.store, other, labels) for other in twins(board))
    spent = _spent(board, known, ranking) + sum(elsewhere)
    spent += guessing_budget.bits_of_deleted_boards(board.store, board.row.id)
    return _planned(board.store, board.row.id, known, labels, spent)


def _planned(store: Store, board_id: str, known: HiddenRules, labels: Labels, spent: float) -> Budget:
    """Return how much the past and future submissions to a board can reveal under given rules."""
    sent: dict[str, dict[str | None, list[str]]] = {}
    columns, of = (Submission.team, Submission.phase, Submission.created), Submission.board_id == board_id
    with store.read() as session:
        for team, phase, time in session.execute(select(*columns).where(of)):
            sent.setdefault(team, {}).setdefault(phase, []).append(time)
    known_phases = phases_and_limits.phases(store, board_id)
    teams = max(1, len(members.team_names(store, board_id) | set(sent)))
    done = [guessing_budget.expected(known_phases, own) for own in sent.values()]
    return guessing_budget.planned(known, known_phases, teams, labels, spent, done)


def twins(board: OpenBoard) -> list[str]:
    """Return the ids of other boards in the store whose test set has, or had, the same SHA-256."""
    of, files = TestSetVersion, guessing_budget.test_sets(board.store, board.row.id)
    with board.store.read() as session:
        others = session.scalars(select(of.board_id).where(of.sha256.in_(files), of.board_id != board.row.id))
        return sorted(set(others))


def _told_elsewhere(store: Store, board_id: str, labels: Labels) -> float:
    """Return how many bits another board can reveal of the same labels by the end of its phases: infinity if
    its truth is open, what it may have revealed if it cannot be read."""
    with suppress(InputRefused):
        known = rules(store, board_id)
        if known is None:
            return math.inf
        other = opened(store, board_id)
        with store.read() as session:
            spent = session.get_one(Hidden, board_id).spent
        labels = replace(labels, quantity=other.challenge.scoring.quantity())
        return _planned(store, board_id, known, labels, spent).use.bits
    return guessing_budget.most_told(store, board_id)


def unsafe(board: OpenBoard, ranking: BoardRanking | None = None) -> list[Finding]:
    """Return warnings for organizers that another board has the same hidden truth, and that scores can reveal
    the truth. The second warning is left out if the truth is open, stored elsewhere, or safe with the present
    phases and teams. `ranking` is as in `use`."""
    store, board_id, others = board.store, board.row.id, twins(board)
    findings = guessing_budget.notice_of_deleted(store, board_id)
    if others and any(is_hidden(store, other) for other in (board_id, *others)):
        verb = "has" if len(others) == 1 else "have"
        message = (
            f"{', '.join(others)} {verb} the same test set. The scores of all these boards reveal its truth, "
            "and if one of them opens its truth, participants see all of it. The limit of what scores may "
            "reveal applies to all boards together."
        )
        findings.append(warning("truth-shared", board_id, message))
    if is_hidden(store, board_id) and store.files.holds(board.test_set.sha256):
        budget = planned(board, ranking=ranking)
        findings += [] if budget.proposed is None else [warning("truth-not-safe", board_id, budget.words)]
    return findings


def is_hidden(store: Store, board_id: str) -> bool:
    """Return whether the truth of a board is hidden; False if the board cannot be read."""
    with suppress(InputRefused):
        return rules(store, board_id) is not None
    return False


def _labels(board: OpenBoard) -> Labels:
    """Return the labels on which scores depend before the end."""
    scoring, truth = board.challenge.scoring, board.truth
    units = effective = 0.0
    if scoring.bounded_by_labels:
        labels, weights = np.asarray(truth.labels), getattr(truth, "score_weights", np.ones(len(truth)))
        known = np.flatnonzero(labels >= 0) if board.parts is None else board.parts[1]
        known = known[labels[known] >= 0]
        own, weights = units_of(board)[known], np.asarray(weights, float)[known]
        units = effective_units(own, np.ones(len(own)))  # published: weights may follow the classes
        effective = effective_labels(labels[known], own, weights)
    return Labels(board.n_told, units, effective, scoring.quantity(), board.split is not None)


def classes_of(ranking: BoardRanking, entry: RankedSubmission) -> dict[str, dict[str, float]]:
    """Return the rounded rates of each class, such as its recall. The result contains no number of cases,
    class frequency or confusion matrix."""
    return {
        str(name): {
            str(key): round(value, DECIMALS)
            for key, value in row.items()
            if key in RATES and isinstance(value, float) and 0 <= value <= 1
        }
        for name, row in ranking.card(entry).per_class.items()
    }


def cases_of(ranking: BoardRanking, entry: RankedSubmission) -> list[tuple[str, float]]:
    """Return the id of each case with a rounded number from 0 (the prediction is wrong) to 1 (right), sorted
    by id and without labels. Empty if the challenge measures an error per case, because prediction and error
    together reveal the truth."""
    card, comparison = ranking.card(entry), ranking.board.challenge.comparison
    if comparison.case_value != SHARE:
        return []
    values = comparison.correct(card)
    pairs = zip(card.cases, map(float, values), strict=True)
    return sorted((str(row["case"]), round(value, DECIMALS)) for row, value in pairs if np.isfinite(value))
