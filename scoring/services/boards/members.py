"""Who belongs to which team of a board, and whose tokens are revoked."""

import time

from sqlalchemy import delete, select

from scoring.common.findings import InputRefused, error
from scoring.common.text import shortened
from scoring.inputs.team_entries import name_problems
from scoring.services.access.roles import Actor, Role
from scoring.services.store import tables
from scoring.services.store.access_tables import Member, Revocation
from scoring.services.store.database import Store

GROUP = "group:"


def teams_of(store: Store, board_id: str, actor: Actor) -> list[str]:
    """Return the teams of a person on a board, sorted."""
    known = {GROUP + group for group in actor.groups} | ({actor.email} if actor.email else set())
    with store.read() as session:
        rows = session.scalars(select(Member).where(Member.board_id == board_id)).all()
    return sorted({row.team for row in rows if row.who in known})


def members(store: Store, board_id: str) -> dict[str, list[str]]:
    """Return who belongs to each team: addresses, and groups after "group:"."""
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        rows = session.scalars(select(Member).where(Member.board_id == board_id)).all()
    found: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda one: (one.team, one.who)):
        found.setdefault(row.team, []).append(row.who)
    return found


def set_members(store: Store, board_id: str, team: str, people: list[str]) -> None:
    """Say who belongs to a team; nobody: the team has no members any more.

    Args:
        store: Where the board is.
        board_id: Its id.
        team: Name of the team.
        people: E-mail addresses, as the identity provider verifies them, and groups written `group:NAME`.

    Raises:
        InputRefused: `forbidden` for others than organizers, `bad-option` for wrong names and addresses.
    """
    store.actor.require(Role.ORGANIZER)
    problems = list(name_problems(team, "--team"))
    if len(team) > tables.NAME:
        problems.append(error("bad-option", "--team", f"a name has at most {tables.NAME} characters."))
    who = {_who(one) for one in people}
    for one in sorted(who):
        name = one.removeprefix(GROUP)
        if not name or len(one) > tables.NAME or (not one.startswith(GROUP) and "@" not in one):
            words = f"{shortened(one, 60)} is neither an e-mail address nor group:NAME."
            problems.append(error("bad-option", "--member", words))
    if problems:
        raise InputRefused(problems)
    with store.write() as session:
        if session.get(tables.Board, board_id) is None:
            raise InputRefused([error("no-board", shortened(board_id, 64), "there is no such board here.")])
        session.execute(delete(Member).where(Member.board_id == board_id, Member.team == team))
        session.add_all(Member(board_id=board_id, team=team, who=one) for one in sorted(who))


def _who(text: str) -> str:
    text = text.strip()
    return text if text.startswith(GROUP) else text.casefold()


def revoke(store: Store, person: str, now: float | None = None) -> None:
    """Accept none of the tokens that a person has until now: they have to log in again.

    Args:
        store: Where it is kept.
        person: Key of the person, as attempts name it: issuer and subject.
        now: Seconds since 1970; None: by the clock.

    Raises:
        InputRefused: `forbidden` for others than organizers, `bad-option` where it is no key.
    """
    store.actor.require(Role.ORGANIZER)
    if "|" not in person or len(person) > 2 * tables.NAME:
        words = "write issuer and subject as the attempts on a board name them: issuer|subject."
        raise InputRefused([error("bad-option", "PERSON", words)])
    with store.write() as session:
        session.merge(Revocation(person=person, not_before=time.time() if now is None else now))


def not_before(store: Store, person: str) -> float:
    """Return until when tokens of a person are revoked, in seconds since 1970; 0 where none is."""
    with store.read() as session:
        row = session.get(Revocation, person)
    return 0.0 if row is None else row.not_before


def require_current(store: Store, actor: Actor, role: Role) -> None:
    """Do nothing if a person has the role and their token is not revoked. Raises InputRefused `forbidden`."""
    actor.require(role)
    if actor.issued is not None and actor.issued <= not_before(store, actor.key):
        raise InputRefused([error("forbidden", "access", "your login was ended: log in again.")])
