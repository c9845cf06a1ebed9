"""Final ranking of a board: it is frozen together with time, hashes and version, and later compared with the
current ranking."""

import secrets
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import select

from scoring.access.roles import Role
from scoring.boards.board import opened
from scoring.boards.ranking.board_ranking import BoardRanking, board_ranking
from scoring.boards.ranking.decision_rule import SALT, digest
from scoring.boards.row_validation import LEFT_OUT, WITHHELD, require_readable
from scoring.boards.submissions import phases_and_limits
from scoring.boards.submissions.phases_and_limits import DAY, OPEN
from scoring.common.findings import InputRefused, error
from scoring.core.scorecard import plain
from scoring.store import schema
from scoring.store.database import Store
from scoring.version import __version__

PLACE, NAME = "the place of ", "the name of "
"""First words of a listed change: of a team's rank or score, and of its name."""


def freeze(store: Store, board_id: str) -> None:
    """Freeze the final ranking of a board, which then accepts no more submissions. Raises InputRefused
    `forbidden` unless the actor is an organizer; `not-final` if the truth is hidden, a phase is open, no team
    is ranked, or the ranking is already frozen."""
    store.actor.require(Role.ORGANIZER)
    ranking = board_ranking(opened(store, board_id))
    problems = []
    if frozen(store, board_id) is not None:
        problems.append("the ranking was already frozen: the board lists later changes.")
    if ranking.hidden is not None:
        problems.append("the truth is hidden: open the truth first (`board hide --open`).")
    if ranking.phases and phases_and_limits.state_now(ranking.phases)[0] == OPEN:
        problems.append("a phase is still open: wait until it has closed.")
    if ranking.comparison is None:
        problems.append("no team is ranked.")
    if problems:
        raise InputRefused([error("not-final", board_id, message) for message in problems])
    salt = ranking.board.row.options.get(SALT, secrets.token_hex())
    state = _state(ranking, salt)
    with store.write() as session:
        board = session.get_one(schema.Board, board_id, with_for_update=True)
        board.options = {**board.options, SALT: salt}
        row = schema.FinalRanking(board_id=board_id, created=schema.now(), program=__version__, **state)
        session.add(row)


def frozen(store: Store, board_id: str) -> schema.FinalRanking | None:
    """Return the final ranking of a board; None if it is not frozen."""
    with store.read() as session:
        row = session.get(schema.FinalRanking, board_id)
    require_readable(board_id, [row] if row else ())
    return row


def new_names(ranking: BoardRanking, final: schema.FinalRanking) -> dict[str, str]:
    """Return old name -> present name for teams that were renamed or merged after the ranking was frozen."""
    sent, of_team = schema.Submission, {row["submission"]: row["team"] for row in final.ranking}
    with ranking.board.store.read() as session:
        wanted = sent.board_id == ranking.board.row.id, sent.id.in_(of_team)
        now = {row.id: row.team for row in session.execute(select(sent.id, sent.team).where(*wanted))}
    return {of_team[one]: team for one, team in now.items() if team != of_team[one]}


def _state(
    ranking: BoardRanking, salt: str | None, former: Mapping[str, str] = MappingProxyType({})
) -> dict[str, Any]:
    """Return the ranking, and the hashes of truth, submissions and ranking, as columns of the database.

    Args:
        ranking: The ranking of all phases.
        salt: The salt of the board.
        former: Present name -> name at the freezing, for renamed teams.
    """
    store, row, sent = ranking.board.store, ranking.board.row, schema.Submission
    with store.read() as session:
        columns = (sent.team, sent.id, sent.sha256, sent.created, sent.excluded)
        files = session.execute(select(*columns).where(sent.board_id == row.id)).all()
    compared = ranking.comparison
    names = ("team", "rank", "score", "interval")
    rows: list[Any] = []
    for team in compared.cards if compared else ():
        of_team = compared.team(team) if compared else {}
        own = {"team": former.get(team, team), "submission": ranking.counting[team].id}
        rows.append(plain({**{n: of_team[n] for n in names}, **own}))
    test_set = ranking.board.test_set
    return {
        "truth": digest([salt, test_set.sha256, test_set.metadata_sha256]),
        "submissions": digest(sorted([former.get(team, team), *file] for team, *file in files)),
        "ranking": rows,
        "sha256": digest(rows),
    }


def changes(ranking: BoardRanking, final: schema.FinalRanking) -> list[dict[str, str]]:
    """Return the differences between the frozen and the present ranking of all phases: each says what differs
    ("what") and has its old and new value as text ("before", "after")."""
    whole, test_set = (
        ranking if ranking.phase is None else board_ranking(ranking.board),
        ranking.board.test_set,
    )
    names = new_names(ranking, final)
    n_rows = Counter(names.get(row["team"], row["team"]) for row in final.ranking)
    former = {name: team for team, name in names.items() if n_rows[name] == 1}
    now = _state(whole, ranking.board.row.options.get(SALT), former)
    if test_set.sha256 in (LEFT_OUT, WITHHELD) and test_set.created <= final.created:
        now["truth"] = final.truth
    told = [
        {"what": word, "before": getattr(final, name)[:12], "after": now[name][:12]}
        for name, word in (("truth", "the truth"), ("submissions", "the submissions"))
        if getattr(final, name) != now[name]
    ]
    told += [{"what": f"{NAME}{team}", "before": team, "after": name} for team, name in names.items()]
    then, here = ({row["team"]: row for row in rows} for rows in (final.ranking, now["ranking"]))
    for team in dict.fromkeys([*then, *here]):
        before, after = (_place(rows.get(team)) for rows in (then, here))
        if before != after:
            told.append({"what": f"{PLACE}{team}", "before": before, "after": after})
    return told


def since(ranking: BoardRanking) -> list[str]:
    """Return a list with one sentence that says what has changed since the ranking was frozen; empty if
    nothing has changed, or if the ranking is not frozen."""
    final = frozen(ranking.board.store, ranking.board.row.id)
    changed = changes(ranking, final) if final else []
    if final is None or not changed:
        return []
    places = sum(change["what"].startswith(PLACE) for change in changed)
    changed_part = (
        f"{places} place{'s' * (places > 1)}" if places else ", ".join(one["what"] for one in changed)
    )
    return [f"Final ranking of {final.created[:DAY]}; changed since: {changed_part}, see Decision."]


def _place(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not ranked"
    score = "undefined" if row["score"] is None else f"{row['score']:.6f}"
    return f"rank {row['rank']}, score {score}"


def as_dict(ranking: BoardRanking, final: schema.FinalRanking | None) -> dict[str, Any] | None:
    """Return the frozen ranking, with the differences from the present one, for the JSON output; None if the
    ranking is not frozen."""
    if final is None:
        return None
    names = ("truth", "submissions", "ranking")
    known = {"frozen": final.created, "version": final.program, "sha256": final.sha256}
    return {**known, **{name: getattr(final, name) for name in names}, "changes": changes(ranking, final)}
