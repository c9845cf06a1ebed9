"""Views of a correction of a board's truth, as data: for organizers, because they name cases."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from scoring.common.text import markdown, shortened
from scoring.comparison import scale as scales
from scoring.comparison.scale import Scale
from scoring.core.views import Block, Column, Table, Text
from scoring.services.boards.board import OpenBoard
from scoring.services.boards.correction_preview import Correction, TeamChange
from scoring.services.boards.views import score_column


def corrections(board: OpenBoard, found: Correction) -> list[Block]:
    """Return what one version of the test set changes against another, and by which cases: for organizers."""
    mark = "_pending" if found.versions[1] > board.row.version else ""
    dangers: list[Block] = [Text(markdown(finding.message, 400), "caution") for finding in found.dangers]
    return [*dangers, *_of_teams(board, found, mark), *_of_cases(found, mark), *_refused(found, mark)]


def _of_teams(board: OpenBoard, found: Correction, mark: str) -> list[Block]:
    changed, (before, after), scale = found.changes, found.versions, scales.of(board.challenge)
    if not changed:
        return [Text("Nobody is ranked, so there is no team to compare.", "note")]
    more, less = "cases on which it is more right than before", "cases on which it is less right than before"
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
    caption = f"Version {after} of the test set instead of version {before}. {found.moves}"
    question = f"What {'would' if mark else 'did'} the correction change?"
    return [Table.of(question, changed, columns, caption, key=f"board_changes{mark}")]


def _of_cases(found: Correction, mark: str) -> list[Block]:
    """Return the cases that the truth says otherwise, or on which a team is more or less right."""
    told = {**dict.fromkeys(found.added, "added"), **dict.fromkeys(found.removed, "removed")}
    told |= {case: ", ".join(parts) for case, parts in found.relabelled.items()}
    cases = list(dict.fromkeys([*(case for change in found.changes for case in change.cases), *told]))
    columns = [
        Column("case", "case", get=str),
        Column("truth", "changed in the truth", get=lambda case: told.get(case, "")),
        Column("gained", "gained by", get=lambda case: _teams_of(found.changes, "gained", case)),
        Column("lost", "lost by", get=lambda case: _teams_of(found.changes, "lost", case)),
    ]
    caption = (
        "Gained: the team has the case more right than with the version before; lost: less right. A part of "
        "the score that no case has alone, as a concordance of times, shows in what changed in the truth."
    )
    return [Table.of("By which cases?", cases, columns, caption, key=f"board_cases{mark}")] if cases else []


def _refused(found: Correction, mark: str) -> list[Block]:
    columns = [
        Column("team", "team", get=lambda one: one.team),
        Column("problem", "first problem", get=lambda one: shortened(one.problem)),
        Column("submission", "id", get=lambda one: one.submission),
    ]
    table = Table.of(
        "Which submissions does it refuse?", found.refused, columns, key=f"board_now_refused{mark}"
    )
    return [table] if found.refused else []


def _teams_of(changed: Sequence[TeamChange], kind: str, case: str) -> str:
    return ", ".join(change.team for change in changed if case in getattr(change, kind))


def _difference(change: TeamChange, scale: Scale) -> float | None:
    before, now = change.scores
    return None if before is None or now is None else scale.factor * (now - before)
