"""Ranking of a board: `comparison.compare` compares the ranked submission of each team. The module also
returns earlier rankings.

The result of `as_dict` can be published: scores, intervals, ties and history, but no case and no prediction.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Row, Text, cast, func, select
from sqlalchemy.orm import Session

from scoring.boards import serialization
from scoring.boards.board import OpenBoard
from scoring.boards.hidden_truth.disclosure_rules import (
    NOTHING,
    HiddenRules,
    kept_rules,
    shown_scores,
)
from scoring.boards.ranking.ranked_submissions import (
    LADDER,
    MINUTE,
    RankedSubmission,
    ShownScores,
    baseline,
    counting,
    results,
)
from scoring.boards.row_validation import OPENED, WITHHELD, damaged, row_problems
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import DAY, Phase
from scoring.boards.teams import members
from scoring.common.direction_and_range import Quantity
from scoring.common.findings import InputRefused
from scoring.comparison.compare import Comparison, compare_cards, ranks_of
from scoring.comparison.team_facts import TeamFacts
from scoring.core.scorecard import ScoreCard, plain
from scoring.store import schema
from scoring.store.database import Store


@dataclass(frozen=True)
class BoardRanking:
    """The ranking of a board on one version of its test set.

    Attributes:
        entries: Submissions to the board, or to one phase of it, oldest first.
        facts: Facts about the teams.
        phase: Name of the ranked phase; None for all.
        shown: Shown scores if the truth is or was hidden; None if it was never hidden.
        baselines: Teams without a rank.
        nominated: Ids of submissions that teams chose for the final ranking.
        split: The shown and the withheld part of the test set; None if it is not split.
    """

    board: OpenBoard
    entries: tuple[RankedSubmission, ...]
    phases: tuple[Phase, ...] = ()
    facts: Mapping[str, TeamFacts] = field(default_factory=dict)
    phase: str | None = None
    shown: ShownScores | None = None
    baselines: frozenset[str] = frozenset()
    nominated: frozenset[str] = frozenset()
    split: schema.Split | None = None

    @property
    def rule(self) -> str:
        """Return the rule that chooses the ranked submission of each team. The rule stays the same when a
        hidden truth is opened."""
        return LADDER if self.shown and self.shown.rules.step is not None else self.board.row.counts

    @cached_property
    def counting(self) -> Mapping[str, RankedSubmission]:
        """The ranked submission of each team."""
        return counting(
            self.competing, self.rule, self._quantity, shown=self._worth, nominated=self.nominated_now
        )

    @cached_property
    def competing(self) -> tuple[RankedSubmission, ...]:
        """The submissions of all teams except baselines."""
        return tuple(entry for entry in self.entries if entry.team not in self.baselines)

    @cached_property
    def lines(self) -> Mapping[str, RankedSubmission]:
        """The submission of each baseline that is drawn as a line."""
        entries = (entry for entry in self.entries if entry.team in self.baselines)
        return counting(entries, self.rule, self._quantity, shown=self._worth, nominated=self.nominated_now)

    @property
    def hidden(self) -> HiddenRules | None:
        """Return the disclosure rules; None if the truth is not hidden."""
        known = self.shown.rules if self.shown else None
        return None if known is None or known.detail == OPENED else known

    @cached_property
    def nominated_now(self) -> frozenset[str]:
        """Ids of nominated submissions that are ranked now. Before the end, only nominated submissions with a
        shown score are ranked."""
        if self.shown is None or self.hidden is None or self.hidden.detail == NOTHING:
            return self.nominated
        return frozenset(i for i in self.nominated if self.shown.scores.get(i) is not None)

    @property
    def _worth(self) -> Mapping[str, float | None] | None:
        return self.shown.scores if self.shown else None

    @cached_property
    def by_team(self) -> Mapping[str, Sequence[RankedSubmission]]:
        """The submissions of each team, oldest first."""
        entries: dict[str, list[RankedSubmission]] = {}
        for entry in self.entries:
            entries.setdefault(entry.team, []).append(entry)
        return entries

    @cached_property
    def shown_comparison(self) -> Comparison | None:
        """Return the comparison of the ranked submissions on the shown part. Return None if the test set is
        not split or no team is ranked."""
        if self.split is None or not self.shown or not self.counting:
            return None
        cards = {team: self.shown.cards.get(entry.id) for team, entry in self.counting.items()}
        chosen = {team: self._card_of(card) for team, card in cards.items() if card is not None}
        return compare_cards(self.board.challenge, chosen, **self.board.row.options["compare"])

    @cached_property
    def comparison(self) -> Comparison | None:
        """Return the comparison of the teams; None if no team is ranked."""
        chosen = {team: self.card(entry) for team, entry in self.counting.items()}
        options = self.board.row.options["compare"]
        if not chosen:
            return None
        challenge, submissions = self.board.challenge, self.scored
        return compare_cards(challenge, chosen, facts=self.facts, submissions=submissions, **options)

    @property
    def scored(self) -> int:
        """Return the number of submissions with a score, including excluded ones."""
        return sum(entry.card is not None for entry in self.competing)

    @cached_property
    def ranks_by_day(self) -> dict[str, dict[str, int]]:
        """Return the rank of each team at the end of each day with a submission."""
        by_day: dict[str, dict[str, int]] = {}
        chosen: dict[str, RankedSubmission] = {}
        ranks: dict[str, int] = {}
        for day, entries in groupby(self.competing, lambda entry: entry.created[:DAY]):
            now = counting(entries, self.rule, self._quantity, chosen, self._worth, self.nominated_now)
            if now != chosen:
                ranks = self._ranks(now)
            chosen, by_day[day] = now, ranks
        return by_day

    @cached_property
    def ranks(self) -> dict[str, int]:
        """The rank of each team, as in `comparison`, computed without rank intervals."""
        return self._ranks(self.counting)

    def _ranks(self, counted: Mapping[str, RankedSubmission]) -> dict[str, int]:
        scores = {team: entry.score for team, entry in counted.items()}
        cards = partial(self._counted_card, counted)
        return ranks_of(self.board.challenge, scores, cards, **self.board.row.options["compare"])

    @property
    def _quantity(self) -> Quantity:
        return self.board.challenge.scoring.quantity()

    def _counted_card(self, counted: Mapping[str, RankedSubmission], team: str) -> ScoreCard:
        return self.card(counted[team])

    @property
    def previous_ranks(self) -> Mapping[str, int]:
        """Return the rank of each team before the last day on which anyone submitted."""
        days = list(self.ranks_by_day.values())
        return days[-2] if len(days) > 1 else {}

    def card(self, entry: RankedSubmission) -> ScoreCard:
        """Return the scorecard of a scored submission. Raises InputRefused if the scorecard is damaged."""
        return self._card_of(str(entry.card))

    def _card_of(self, digest: str) -> ScoreCard:
        known = self._cards
        if digest not in known:
            known[digest] = serialization.card_from_bytes(self.board.store.files.read(digest))
        return known[digest]

    @cached_property
    def _cards(self) -> dict[str, ScoreCard]:
        return {}

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON value of `board show --json`."""
        comparison = self.comparison
        return self.framed(
            [self._team(team, comparison) for team in comparison.cards] if comparison else [],
            sorted(set(self.by_team) - set(self.counting) - self.baselines),
            [
                baseline(entry, entry.score, entry.interval and list(entry.interval))
                for entry in self.lines.values()
            ],
            self._provenance(comparison),
        )

    def framed(
        self,
        teams: list[dict[str, Any]],
        unranked: list[str],
        baselines: list[dict[str, Any]],
        provenance: dict[str, Any],
    ) -> dict[str, Any]:
        """Return the JSON value of `board show` with the given teams, baselines and provenance."""
        row = self.board.row
        return {
            "board": {
                "id": row.id,
                "challenge": row.challenge,
                "title": row.title,
                "counts": self.rule,
                "created": row.created,
                "test_set_version": self.board.test_set.number,
                "test_set_versions": row.version,
                "phase": self.phase,
            },
            "teams": teams,
            "phases": [phase.as_dict() for phase in self.phases],
            "unranked": unranked,
            "baselines": sorted(baselines, key=itemgetter("team")),
            "split": None if self.split is None else {"nominated": sorted(self.nominated)},
            "excluded": [
                {"team": entry.team, "submission": entry.id, "time": entry.created, "reason": entry.excluded}
                for entry in self.entries
                if entry.excluded is not None
            ],
            "provenance": provenance,
        }

    def _team(self, team: str, comparison: Comparison) -> dict[str, Any]:
        compared = comparison.team(team)
        names = ("team", "rank", "rank_interval", "tied_for_first", "score", "interval", "facts")
        counted = self.counting[team]
        return {
            **{name: plain(compared[name]) for name in names},
            "previous_rank": self.previous_ranks.get(team),
            "submission": counted.id,
            "time": counted.created,
            "history": [self._past(entry) for entry in self.by_team[team]],
            **self._order_of(team, comparison),
        }

    def _order_of(self, team: str, comparison: Comparison) -> dict[str, Any]:
        """Return metrics and ranks of a team if metrics order the teams; empty if the score does."""
        order, own = self.board.challenge.comparison.ranked_by, comparison.own_ranking
        if order is None or own is None:
            return {}
        metrics = comparison.cards[team].metrics
        return {**own.of_teams[team], "metrics": {name: plain(metrics[name]) for name in order.metrics}}

    def _past(self, entry: RankedSubmission) -> dict[str, Any]:
        return {
            "submission": entry.id,
            "time": entry.created,
            "phase": entry.phase,
            "score": entry.score,
            "interval": entry.interval and list(entry.interval),
            "rank_that_day": self.ranks_by_day[entry.created[:DAY]].get(entry.team),
            "counts": self.counting.get(entry.team) == entry,
            "scored": entry.card is not None,
            "excluded": entry.excluded is not None,
        }

    @staticmethod
    def _provenance(comparison: Comparison | None) -> dict[str, Any]:
        if comparison is None:
            return {}
        names = ("version", "seed", "resamples", "interval", "unit", "n_units", "pairs_test")
        n_cases = next(iter(comparison.cards.values())).n_cases
        value = {**{name: comparison.provenance[name] for name in names}, "n_cases": n_cases}
        result: dict[str, Any] = plain(value)
        return result


def board_ranking(board: OpenBoard, phase: str | None = None) -> BoardRanking:
    """Return the ranking of a board on the version of the test set with which the board was opened.

    Args:
        phase: Name of the phase to rank; None: all.

    Raises:
        InputRefused: With `no-phase` if the board has no such phase.
    """
    known = phases_and_limits.phases(board.store, board.row.id)
    if phase is not None and phase not in {item.name for item in known}:
        raise InputRefused([phases_and_limits.unknown(phase, known)])
    sent, scored = schema.Submission, schema.ScoredVersion
    with board.store.read() as session:
        of_board = _rows(session, sent, sent.board_id == board.row.id)
        results_of = {
            result.submission_id: result
            for result in _rows(
                session, scored, scored.board_id == board.row.id, scored.number == board.test_set.number
            )
        }
    chosen = [
        (row, results_of[row.id]) for row in of_board if phase in (None, row.phase) and row.id in results_of
    ]
    of_teams = (board.store, board.row.id)
    teams = members.teams_excluded(*of_teams)
    entries, facts = results(chosen, teams), members.facts(*of_teams)
    shown, baselines = _shown(board, of_board), members.baselines(*of_teams)
    nominated = members.nominated(*of_teams)
    return BoardRanking(
        board, entries, known, facts, phase, shown, baselines, frozenset(nominated.values()), board.split
    )


def _shown(board: OpenBoard, sent: Sequence[Row[Any]]) -> ShownScores | None:
    """Return the shown scores of a hidden truth. Each comes from the version on which the submission was
    first scored, so that a correction reveals nothing. The Ladder uses the submissions of all phases, also
    excluded ones, so that neither an exclusion nor the choice of a phase changes a shown score."""
    scored = schema.ScoredVersion if board.split is None else schema.ShownPart
    with board.store.read() as session:
        known = kept_rules(session, board.row.id)
        if known is None:
            return None
        of_board = (scored.board_id == board.row.id, scored.number <= board.row.version)
        columns = (scored.submission_id, scored.score, scored.card, scored.number)
        rows = session.execute(select(*columns).where(*of_board).order_by(scored.number.desc())).all()
    first = {row.submission_id: row for row in rows}
    scored_rows = sorted((row.created, row.id, row.team) for row in sent if row.id in first)
    quantity = board.challenge.scoring.quantity()
    climbs = known if board.test_set.sha256 != WITHHELD else replace(known, step=None)
    scores = shown_scores(((i, team, first[i].score) for _, i, team in scored_rows), climbs, quantity)
    if known.detail == OPENED:  # the truth is open: all scores come from one version
        first = {row.submission_id: row for row in rows if row.number == board.test_set.number}
    return ShownScores(known, {i: row.card for i, row in first.items()}, scores, quantity)


def rows_digest(store: Store, board_id: str) -> str:
    """Return a SHA-256 of all rows of a board, which changes if the board changes. An unknown id has a
    SHA-256 too."""
    digest = sha256()
    with store.read() as session:
        for table in schema.Base.metadata.sorted_tables:
            of_board = table.c.id if table.name == schema.Board.__tablename__ else table.c.get("board_id")
            if of_board is None:
                continue
            cells: list[ColumnElement[str]] = [func.coalesce(cast(c, Text), "\x1e") for c in table.c]
            row = reduce(lambda before, cell: before + "\x1f" + cell, cells)
            text = session.scalar(select(func.aggregate_strings(row, "\x1d")).where(of_board == board_id))
            digest.update(f"{table.name}\x1c{text}".encode())
    return digest.hexdigest()


def _rows(session: Session, table: type[schema.Base], *where: ColumnElement[bool]) -> Sequence[Row[Any]]:
    """Return rows of a board as tuples, which is twice as fast as objects. Raises InputRefused if a value is
    impossible."""
    rows = session.execute(select(table.__table__).where(*where)).all()
    for row in rows:
        for name, problem in row_problems(table, row._asdict()):
            raise damaged(row.board_id, f"{table.__tablename__}, {name}: {problem}")
    return rows


def rank_change(now: int, before: int | None) -> str:
    """Return how a rank changed: "up 2", "down 1", "as before", "new"."""
    if before is None:
        return "new"
    steps = before - now
    return "as before" if not steps else f"{'up' if steps > 0 else 'down'} {abs(steps)}"


def history_rows(teams: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each submission of the given teams, with team, minute and result. `teams` is the
    list of teams in `BoardRanking.as_dict`."""
    return [
        {
            **submission,
            "team": team["team"],
            "submitted": submission["time"][:MINUTE].replace("T", " "),
            "state": status(submission),
        }
        for team in teams
        for submission in team["history"]
    ]


def status(submission: Mapping[str, Any]) -> str:
    """Return the status of a submission as text: "excluded", "refused by this version of the test set",
    "counts" if it is the ranked one, otherwise ""."""
    if submission["excluded"]:
        return "excluded"
    if not submission["scored"]:
        return "refused by this version of the test set"
    return "counts" if submission["counts"] else ""
