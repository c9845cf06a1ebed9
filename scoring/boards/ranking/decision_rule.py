"""Decision rule of a board, fixed before the first submission, and final ranking, frozen at the end.

Both have a SHA-256 of their canonical JSON. Later changes are recorded with their time and shown.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scoring.boards.row_validation import PARTS, require_readable
from scoring.common.findings import Finding, InputRefused, error
from scoring.inputs.sources import sha256
from scoring.store import schema
from scoring.store.database import Store
from scoring.version import __version__

MOST_PRIZES, LONGEST = 1000, 500
SALT = "salt"
"""Option of a board: a secret salt for the hash of its truth, so that nobody can check a guess against the
hash."""
Rule = Mapping[str, str]
"""Name of a part of the rule -> text of this part."""


def digest(value: Any) -> str:
    """Return the SHA-256 of a value as JSON with sorted keys and no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode())


def rule_now(session: Session, board_id: str, own: Rule) -> dict[str, str]:
    """Return the decision rule that a board follows now. `own` contains the parts of the rule that the
    organizer wrote."""
    board, split = session.get_one(schema.Board, board_id), session.get(schema.Split, board_id)
    phase, hidden = schema.PhaseRow, session.get(schema.Hidden, board_id)
    phases = session.scalars(select(phase).where(phase.board_id == board_id)).all()
    times = sorted((row.opens or "", row.closes or "9999", _words(row)) for row in phases)
    options = {part: board.options[part] for part in PARTS}
    parts = "one" if split is None else "as listed" if split.share is None else f"{split.share:g} shown"
    return {
        "challenge": board.challenge,
        "options": json.dumps(options, sort_keys=True, ensure_ascii=False),
        "submission that counts": board.counts,
        "ladder": "none" if hidden is None or hidden.step is None else f"{hidden.step:g}",
        "parts of the test set": parts,
        "version of the test set": str(board.version),
        "phases": "; ".join(words for _, _, words in times) or "none",
        **own,
    }


def _words(row: schema.PhaseRow) -> str:
    a_day, in_all = ("any number" if limit is None else str(limit) for limit in (row.per_day, row.total))
    limits = f"{a_day} a day, {in_all} in all"
    return f"{row.name}: {row.opens or 'any time'} to {row.closes or 'any time'}, {limits}"


def fix_rule(store: Store, board_id: str, prizes: int, ties: str) -> None:
    """Fix the decision rule of a board before its first submission.

    Args:
        prizes: Number of ranks that win a prize; 0: none.
        ties: Text of the rule for teams that share a rank.

    Raises:
        InputRefused: With `rule-late` if the board has submissions, with `bad-option` for invalid values.
    """
    problems = []
    if not 0 <= prizes <= MOST_PRIZES:
        problems.append(error("bad-option", "--prizes", f"write a number from 0 to {MOST_PRIZES}."))
    if not ties.strip() or len(ties) > LONGEST:
        problems.append(error("bad-option", "--ties", f"write 1 to {LONGEST} characters."))
    if problems:
        raise InputRefused(problems)
    with store.write() as session:
        session.get(schema.Board, board_id, with_for_update=True)
        sent = select(schema.Submission.id).where(schema.Submission.board_id == board_id)
        if session.scalars(sent).first() is not None:
            message = "a team has already submitted: a rule can be fixed only before the first submission."
            raise InputRefused([error("rule-late", board_id, message)])
        rule = rule_now(session, board_id, {"prize places": str(prizes), "ties": ties.strip()})
        known = {"created": schema.now(), "program": __version__, "sha256": digest(rule)}
        session.merge(schema.DecisionRule(board_id=board_id, rule=rule, later=[], **known))


def note_change(session: Session, board_id: str) -> None:
    """Record a change of a fixed rule, in the same database transaction as the change."""
    row = session.get(schema.DecisionRule, board_id)
    if row is None:
        return
    session.flush()
    own = {name: row.rule[name] for name in ("prize places", "ties")}
    now = rule_now(session, board_id, own)
    if now != (row.later[-1]["rule"] if row.later else row.rule):
        row.later = [*row.later, {"time": schema.now(), "rule": now}]


def fixed_rule(store: Store, board_id: str) -> schema.DecisionRule | None:
    """Return the fixed rule of a board; None if none was fixed."""
    with store.read() as session:
        row = session.get(schema.DecisionRule, board_id)
    require_readable(board_id, [row] if row else ())
    return row


def rule_changes(row: schema.DecisionRule) -> list[dict[str, str]]:
    """Return the changes since the rule was fixed, oldest first. Each change has a time, the changed part,
    and the value before and after."""
    states: Sequence[Mapping[str, Any]] = [{"time": row.created, "rule": row.rule}, *row.later]
    return [
        {"time": now["time"], "part": part, "before": then["rule"].get(part, ""), "after": now["rule"][part]}
        for then, now in pairwise(states)
        for part in now["rule"]
        if now["rule"][part] != then["rule"].get(part, "")
    ]


def rule_as_dict(row: schema.DecisionRule | None) -> dict[str, Any] | None:
    """Return a fixed rule with its later changes for the JSON output; None if no rule was fixed."""
    if row is None:
        return None
    known = {"fixed": row.created, "sha256": row.sha256, "version": row.program}
    return {**known, "rule": dict(row.rule), "changes": rule_changes(row)}


def require_open(session: Session, board_id: str) -> Finding | None:
    """Return a finding if the final ranking is frozen and the board therefore accepts no submissions;
    otherwise None."""
    final = session.get(schema.FinalRanking, board_id)
    if final is None:
        return None
    message = (
        f"the final ranking of this board was frozen on {final.created[:10]}. No submission was counted."
    )
    return error("board-final", board_id, message)
