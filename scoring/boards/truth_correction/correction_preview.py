"""Preview of a corrected truth: changed cases, submissions that can no longer be scored, changed ranks, and
views of these.

Only organizers may see this preview, because it names cases.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.boards.board import OpenBoard
from scoring.boards.ranking.board_ranking import BoardRanking, board_ranking
from scoring.boards.views import score_column
from scoring.common.findings import Finding, warning
from scoring.common.text import markdown, shortened
from scoring.comparison import score_units as scales
from scoring.comparison.score_units import Scale
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Column, Table, Text
from scoring.inputs.masks.counting import Mask

OF_FILES = frozenset(
    {
        *("ids", "written_ids", "files", "pictures", "images", "photographs", "columns", "findings"),
        *("categories", "digest_of", "contents", "name", "written"),
    }
)
"""Fields of a truth that describe its source files, not its cases."""

ROUNDING = 1e-12
"""Fields of a truth that contain weights of cases, which may differ by rounding."""


@dataclass(frozen=True)
class RefusedSubmission:
    """A submission that the later version of the test set refuses and the earlier one accepts. `problem` is
    the reason."""

    team: str
    submission: str
    problem: str


@dataclass(frozen=True)
class TeamChange:
    """Effect of a corrected truth on a team.

    Attributes:
        ranks: Ranks before and after the correction; None if the team was or is not ranked.
        scores: Scores of the ranked submission before and after. After the correction, another submission may
            be ranked.
        cases: Ids of the cases on which the team is now more or less right than before.
        gained: Ids of the cases on which the team is more right.
    """

    team: str
    ranks: tuple[int | None, int | None]
    scores: tuple[float | None, float | None]
    cases: tuple[str, ...]
    gained: frozenset[str] = frozenset()

    @property
    def lost(self) -> frozenset[str]:
        """Return the cases on which the team is less right."""
        return frozenset(self.cases) - self.gained

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        return {
            "team": self.team,
            "rank_before": self.ranks[0],
            "rank": self.ranks[1],
            "score_before": self.scores[0],
            "score": self.scores[1],
            "cases": list(self.cases),
            "cases_more_right": [case for case in self.cases if case in self.gained],
        }


@dataclass(frozen=True)
class Correction:
    """Differences between two versions of a truth.

    Attributes:
        added: Ids of cases that only the later version has.
        removed: Ids of cases that only the earlier version has.
        relabelled: Id of a case -> its changed entries in the truth, such as "labels", "t", "time" or
            "masks".
        refused: Submissions that can be scored on the earlier version but not on the later one.
    """

    versions: tuple[int, int]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    relabelled: Mapping[str, tuple[str, ...]]
    refused: tuple[RefusedSubmission, ...]
    changes: tuple[TeamChange, ...]

    @property
    def dangers(self) -> list[Finding]:
        """Return warnings if the correction is probably a mistake: because it removes cases, because
        submissions can no longer be scored, or because teams lose their score or no team is ranked any
        more."""
        warnings = []
        if self.removed:
            many = f"{len(self.removed)} cases" if len(self.removed) > 1 else "1 case"
            lost = f"the corrected test set lacks {many}: {_listed(self.removed)}."
            more = f" New cases: {_listed(self.added)}. Did the ids change?" if self.added else ""
            warnings.append(warning("correction-loses-cases", "truth", lost + more))
        if self.refused:
            first = self.refused[0]
            number = len(self.refused)
            refused = f"{number} submission{'s' * (number != 1)}"
            message = f"the corrected test set refuses {refused}, such as that of {first.team}: "
            warnings.append(warning("correction-refuses", "truth", message + first.problem))
        if any(change.ranks[0] for change in self.changes) and not any(c.ranks[1] for c in self.changes):
            message = "with the corrected test set, no team would be ranked any more."
            warnings.append(warning("correction-empties-ranking", "truth", message))
        unscored = [one.team for one in self.changes if one.scores[0] is not None and one.scores[1] is None]
        if unscored and not self.refused:
            message = f"{len(unscored)} of {len(self.changes)} teams would have no score any more, such as "
            warnings.append(
                warning("correction-loses-scores", "truth", f"{message}{shortened(unscored[0], 40)}.")
            )
        return warnings

    @property
    def moves(self) -> str:
        """Return a text that says how many teams change their rank, lose it, or get one."""
        pairs = [change.ranks for change in self.changes if change.ranks[0] != change.ranks[1]]
        kinds = {
            "with another rank": sum(None not in pair for pair in pairs),
            "no longer ranked": sum(now is None for _, now in pairs),
            "newly ranked": sum(then is None for then, _ in pairs),
        }
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items() if number)
        teams = "1 team" if len(self.changes) == 1 else f"{len(self.changes)} teams"
        return f"Of {teams}: {told or 'all keep their ranks'}."

    def as_dict(self) -> dict[str, Any]:
        """Return the value for the JSON output."""
        return {
            "versions": list(self.versions),
            "added": list(self.added),
            "removed": list(self.removed),
            "relabelled": {case: list(parts) for case, parts in self.relabelled.items()},
            "refused": [vars(one) for one in self.refused],
            "changes": [change.as_dict() for change in self.changes],
        }


def correction(after: OpenBoard, before: OpenBoard) -> Correction:
    """Return the differences between two versions of a board. `after` is the later version, which may be a
    version that is not shown yet."""
    now, then = board_ranking(after), board_ranking(before)
    scored = {entry.id for entry in then.entries if entry.card}
    refused = (
        RefusedSubmission(entry.team, entry.id, entry.refused)
        for entry in now.entries
        if entry.card is None and entry.id in scored
    )
    added, removed, relabelled = (), (), dict[str, tuple[str, ...]]()
    if all(one.store.files.holds(one.test_set.sha256) for one in (after, before)):
        added, removed, relabelled = changed_cases(before.truth, after.truth)
    numbers = (before.test_set.number, after.test_set.number)
    changes = tuple(changed_teams(now, then, relabelled))
    return Correction(numbers, added, removed, relabelled, tuple(refused), changes)


def changed_cases(before: Any, after: Any) -> tuple[Any, Any, dict[str, tuple[str, ...]]]:
    """Return the ids of added cases, the ids of removed cases, and the changed entries of the truth for all
    other cases."""
    old, new = said_of_cases(before), said_of_cases(after)
    relabelled = {
        case: tuple(part for part in new[case] if new[case][part] != old[case].get(part))
        for case in new
        if case in old and new[case] != old[case]
    }
    return (
        tuple(case for case in new if case not in old),
        tuple(case for case in old if case not in new),
        relabelled,
    )


def said_of_cases(truth: Any) -> dict[str, dict[str, bytes]]:
    """Return a digest of each entry of a truth about each case: case -> entry -> digest."""
    answers: dict[str, dict[str, bytes]] = {str(case): {} for case in truth.ids}
    for part, values in _parts(truth, len(answers)):
        for case, value in zip(answers, values, strict=True):
            answers[case][part] = _digest(value)
    masks = getattr(truth, "masks", None)
    if isinstance(masks, Mapping):  # the file of each case
        for case, member in masks.items():
            answers[case]["masks"] = _digest(truth.digest_of[member])
    return answers


def _parts(value: Any, cases: int) -> Iterator[tuple[str, Any]]:
    """Yield name and value of each part of a truth that has one entry per case, also of nested parts."""
    named = (
        value.items()
        if isinstance(value, Mapping)
        else ((f.name, getattr(value, f.name)) for f in fields(value))
    )
    for name, part in named:
        if name in OF_FILES or part is None:
            continue
        if isinstance(part, (np.ndarray, tuple, list)):
            if len(part) == cases:
                yield str(name), part
        elif isinstance(part, dict) or is_dataclass(part):
            yield from _parts(part, cases)


def _digest(value: Any) -> bytes:
    """Return a digest of a value that consists of arrays, masks or nuclei."""
    if isinstance(value, Mask):
        if value.runs is not None:
            return _digest((value.voxels, value.grid, value.runs))
        with value.opener() as file:
            return hashlib.sha256(file.read()).digest()
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()).encode() if value.dtype == object else value.tobytes()
        return hashlib.sha256(f"{value.shape}{value.dtype}".encode() + content).digest()
    if is_dataclass(value):
        return _digest(tuple(getattr(value, field.name) for field in fields(value)))
    if isinstance(value, (tuple, list)):
        return hashlib.sha256(b"".join(map(_digest, value))).digest()
    return hashlib.sha256(repr(value).encode("utf-8", "replace")).digest()


def _listed(cases: Sequence[str], most: int = 3) -> str:
    more = f" and {len(cases) - most} more" if len(cases) > most else ""
    return ", ".join(shortened(case, 40) for case in cases[:most]) + more


def changed_teams(
    after: BoardRanking, before: BoardRanking, relabelled: Collection[str] = ()
) -> list[TeamChange]:
    """Return the effects of a new version on the teams, ordered by rank. `relabelled` contains the cases
    whose truth changed."""
    ranks_after, ranks_before = after.ranks, before.ranks
    ranked = sorted(ranks_after, key=lambda team: ranks_after[team] or len(ranks_after))
    teams = [*ranked, *(team for team in ranks_before if team not in ranks_after)]
    return [
        TeamChange(
            team,
            (ranks_before.get(team), ranks_after.get(team)),
            (_score_of(before, team), _score_of(after, team)),
            *_cases(before, after, team, relabelled),
        )
        for team in teams
    ]


def _score_of(ranking: BoardRanking, team: str) -> float | None:
    return ranking.counting[team].score if team in ranking.counting else None


def _cases(
    before: BoardRanking, after: BoardRanking, team: str, relabelled: Collection[str]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the cases on which the ranked submission is now more or less right than before, and those on
    which it is more right."""
    entry = after.counting.get(team)
    old = next((past for past in before.entries if entry and past.id == entry.id and past.card), None)
    if entry is None or old is None or after.card(entry).is_bare or before.card(old).is_bare:
        return (), frozenset()
    spec, cards = after.board.challenge.comparison, (after.card(entry), before.card(old))
    steps = _steps(spec.correct, *cards)
    for part in spec.parts:  # of others they change as well where these do: pairs
        of_part = _steps(part, *cards)
        steps |= {case: steps.get(case, 0) + of_part[case] for case in of_part if case in relabelled}
    gained = frozenset(case for case, step in steps.items() if spec.case_value.oriented(step) > 0)
    return tuple(case for case, step in steps.items() if step), gained


def _steps(
    part: Callable[[ScoreCard], NDArray[np.float64]], after: ScoreCard, before: ScoreCard
) -> dict[str, float]:
    """Return by how much the values of each case differ between two scorecards. A case that does not count
    has no value."""
    now, then = (
        {
            str(row["case"]): value
            for row, value in zip(card.cases, np.nan_to_num(np.asarray(part(card), float)), strict=True)
        }
        for card in (after, before)
    )
    steps = {case: float(now[case] - then[case]) for case in now if case in then}
    return {case: step for case, step in steps.items() if abs(step) > ROUNDING}


def corrections(board: OpenBoard, preview: Correction) -> list[Block]:
    """Return view blocks that show the differences between two versions of the test set and the cases that
    cause them."""
    mark = "_pending" if preview.versions[1] > board.row.version else ""
    dangers: list[Block] = [Text(markdown(finding.message, 400), "caution") for finding in preview.dangers]
    return [*dangers, *_of_teams(board, preview, mark), *_case_table(preview, mark), *_refused(preview, mark)]


def _of_teams(board: OpenBoard, preview: Correction, mark: str) -> list[Block]:
    changed, (before, after), scale = preview.changes, preview.versions, scales.of(board.challenge)
    if not changed:
        return [Text("No team is ranked, so there is nothing to compare.", "note")]
    more, less = (
        "cases that the team predicts more correctly than before",
        "cases that the team predicts less correctly than before",
    )
    columns = [
        Column("team", "team"),
        Column("rank before", "rank before", "number", 0, get=lambda change: change.ranks[0]),
        Column("rank", "rank", "number", 0, get=lambda change: change.ranks[1]),
        replace(
            score_column(scale, lambda change: change.scores[0]), name="score before", label="score before"
        ),
        score_column(scale, lambda change: change.scores[1]),
        Column("change", "change", "number", scale.digits, sign=True, get=partial(_difference, scale=scale)),
        Column("gained", "cases gained", "number", 0, full=more, get=lambda change: len(change.gained)),
        Column("lost", "cases lost", "number", 0, full=less, get=lambda change: len(change.lost)),
    ]
    caption = f"Version {after} of the test set instead of version {before}. {preview.moves}"
    question = f"What {'would' if mark else 'did'} the correction change?"
    return [Table.of(question, changed, columns, caption, key=f"board_changes{mark}")]


def _case_table(preview: Correction, mark: str) -> list[Block]:
    """Return the cases whose truth changed, or on which a team is now more or less right."""
    told = {**dict.fromkeys(preview.added, "added"), **dict.fromkeys(preview.removed, "removed")}
    told |= {case: ", ".join(parts) for case, parts in preview.relabelled.items()}
    cases = list(dict.fromkeys([*(case for change in preview.changes for case in change.cases), *told]))
    columns = [
        Column("case", "case", get=str),
        Column("truth", "changed in the truth", get=lambda case: told.get(case, "")),
        Column("gained", "gained by", get=lambda case: _teams_of(preview.changes, "gained", case)),
        Column("lost", "lost by", get=lambda case: _teams_of(preview.changes, "lost", case)),
    ]
    caption = (
        "Gained by: teams whose prediction of the case is more correct with the new truth. Lost by: teams "
        "whose prediction is less correct. If the score is computed from pairs of cases (such as the "
        "C-index), only cases with a changed truth are listed."
    )
    return [Table.of("Which cases?", cases, columns, caption, key=f"board_cases{mark}")] if cases else []


def _refused(preview: Correction, mark: str) -> list[Block]:
    columns = [
        Column("team", "team", get=lambda row: row.team),
        Column("problem", "first problem", get=lambda row: shortened(row.problem)),
        Column("submission", "id", get=lambda row: row.submission),
    ]
    table = Table.of(
        "Which submissions are refused?", preview.refused, columns, key=f"board_now_refused{mark}"
    )
    return [table] if preview.refused else []


def _teams_of(changed: Sequence[TeamChange], kind: str, case: str) -> str:
    return ", ".join(change.team for change in changed if case in getattr(change, kind))


def _difference(change: TeamChange, scale: Scale) -> float | None:
    before, now = change.scores
    return None if before is None or now is None else scale.factor * (now - before)
