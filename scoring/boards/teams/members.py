"""Members of teams, revoked logins, and facts about teams such as the institution and the size of the
model."""

import time
from collections.abc import Mapping

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from scoring.access.roles import Actor, Role
from scoring.boards.row_validation import facts_of_row, require_readable
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.text import shortened
from scoring.comparison.team_facts import UNKNOWN, TeamFacts, parse, read_facts
from scoring.inputs.sources import Source
from scoring.inputs.team_entries import name_problems
from scoring.store import schema
from scoring.store.database import Store
from scoring.store.schema import Member, Revocation

GROUP = "group:"


def teams_of(store: Store, board_id: str, actor: Actor) -> list[str]:
    """Return the teams of a person on a board, sorted."""
    known = {GROUP + group for group in actor.groups} | ({actor.email} if actor.email else set())
    with store.read() as session:
        rows = session.scalars(select(Member).where(Member.board_id == board_id)).all()
    return sorted({row.team for row in rows if row.who in known})


def named_groups(store: Store) -> list[str]:
    """Return the groups that are members of a team on any board, sorted."""
    with store.read() as session:
        named = session.scalars(select(Member.who).where(Member.who.startswith(GROUP)).distinct()).all()
    return sorted(who.removeprefix(GROUP) for who in named)


def members(store: Store, board_id: str) -> dict[str, list[str]]:
    """Return the members of each team: e-mail addresses, and groups with the prefix "group:". Raises
    InputRefused `forbidden` unless the actor is an organizer."""
    store.actor.require(Role.ORGANIZER)
    with store.read() as session:
        rows = session.scalars(select(Member).where(Member.board_id == board_id)).all()
    teams: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row.team, row.who)):
        teams.setdefault(row.team, []).append(row.who)
    return teams


def team_names(store: Store, board_id: str) -> set[str]:
    """Return the names of all teams of a board: those with submissions and those with members."""
    with store.read() as session:
        return names_in(session, board_id)


def names_in(session: Session, board_id: str) -> set[str]:
    """Return the names of all teams of a board, read within a database transaction."""
    return {
        name
        for table in (schema.Submission, Member)
        for name in session.scalars(select(table.team).where(table.board_id == board_id).distinct())
    }


def set_members(store: Store, board_id: str, team: str, people: list[str]) -> None:
    """Set the members of a team; an empty list removes all.

    Args:
        people: E-mail addresses that the identity provider verifies, and groups as `group:NAME`.

    Raises:
        InputRefused: With `forbidden` unless the actor is an organizer, with `bad-option` for wrong names and
            addresses.
    """
    store.actor.require(Role.ORGANIZER)
    problems = list[Finding]()
    if len(team) > schema.NAME:
        problems.append(error("bad-option", "--team", f"a name has at most {schema.NAME} characters."))
    who = {_who(person) for person in people}
    for person in sorted(who):
        name = person.removeprefix(GROUP)
        if not name or len(person) > schema.NAME or (not person.startswith(GROUP) and "@" not in person):
            message = f"{shortened(person, 60)} is neither an e-mail address nor group:NAME."
            problems.append(error("bad-option", "--member", message))
    with store.write() as session:
        if session.get(schema.Board, board_id, with_for_update=True) is None:
            raise InputRefused([error("no-board", shortened(board_id, 64), "there is no such board.")])
        problems = [*name_problems(team, "--team", names_in(session, board_id)), *problems]
        if problems:
            raise InputRefused(problems)
        session.execute(delete(Member).where(Member.board_id == board_id, Member.team == team))
        session.add_all(Member(board_id=board_id, team=team, who=person) for person in sorted(who))


def _who(text: str) -> str:
    text = text.strip()
    return text if text.startswith(GROUP) else text.casefold()


def revoke(store: Store, person: str, now: float | None = None) -> None:
    """Revoke all present login tokens of a person, who must then log in again.

    Args:
        person: Key of the person: issuer and subject of the login, as in recorded attempts.
        now: Present time in seconds since 1970; None: the time of the clock.

    Raises:
        InputRefused: With `forbidden` unless the actor is an organizer, with `bad-option` for an invalid key.
    """
    store.actor.require(Role.ORGANIZER)
    if "|" not in person or len(person) > 2 * schema.NAME:
        message = "write issuer|subject, as in the list of attempts on a board."
        raise InputRefused([error("bad-option", "PERSON", message)])
    with store.write() as session:
        session.merge(Revocation(person=person, not_before=time.time() if now is None else now))


def end_login(store: Store, person: Actor) -> None:
    """Revoke the token of a person and all older ones at logout, so that copies of the login cookie stop
    working."""
    if person.key and person.issued is not None:
        ended = max(person.issued, not_before(store, person.key))
        with store.write() as session:
            session.merge(Revocation(person=person.key, not_before=ended))


def not_before(store: Store, person: str) -> float:
    """Return a time in seconds since 1970: all tokens of a person that were issued until then are revoked; 0
    if none are."""
    with store.read() as session:
        row = session.get(Revocation, person)
    return 0.0 if row is None else row.not_before


def require_current(store: Store, actor: Actor, role: Role) -> None:
    """Check that a person has the role and a token that is not revoked. Raises InputRefused `forbidden`
    otherwise."""
    actor.require(role)
    if actor.issued is not None and actor.issued <= not_before(store, actor.key):
        raise InputRefused([error("forbidden", "access", "your login was ended: log in again.")])


def facts(store: Store, board_id: str) -> dict[str, TeamFacts]:
    """Return the known facts about the teams of a board, by team."""
    with store.read() as session:
        rows = session.scalars(select(schema.Team).where(schema.Team.board_id == board_id)).all()
    require_readable(board_id, rows)
    return {row.name: facts_of_row(row.facts) for row in rows if row.facts}


def teams_excluded(store: Store, board_id: str) -> dict[str, str]:
    """Return the reason for each excluded team, by team."""
    row = schema.Team
    with store.read() as session:
        query = select(row.name, row.excluded).where(row.board_id == board_id, row.excluded.is_not(None))
        return {name: str(reason) for name, reason in session.execute(query)}


def baselines(store: Store, board_id: str) -> frozenset[str]:
    """Return the baseline teams of a board, which are shown without a rank."""
    row = schema.Team
    with store.read() as session:
        return frozenset(session.scalars(select(row.name).where(row.board_id == board_id, row.baseline)))


def nominated(store: Store, board_id: str) -> dict[str, str]:
    """Return the id of the submission that each team nominated for the final ranking, by team."""
    row = schema.Team
    with store.read() as session:
        query = select(row.name, row.nominated).where(row.board_id == board_id, row.nominated.is_not(None))
        return {name: str(submission) for name, submission in session.execute(query)}


def keep_facts(store: Store, board_id: str, source: Source, name: str | None = None) -> tuple[Finding, ...]:
    """Store facts about teams from a table with a column `team`. New facts replace earlier facts about the
    same team.

    Returns:
        Notes on rows without a known team and on unknown columns.

    Raises:
        InputRefused: If cells are invalid (it lists all of them), or with `unknown-team` if no row names a
            team of the board.
    """
    with store.read() as session:
        teams = set(session.scalars(select(schema.Team.name).where(schema.Team.board_id == board_id)))
    facts, noticed = read_facts(source, teams, name)
    if not facts:
        message = "no row belongs to a team of the board: only teams that have submitted can have facts."
        raise InputRefused([error("unknown-team", name or "facts", message)], noticed)
    _store_facts(store, board_id, facts)
    return tuple(noticed)


def keep_typed(store: Store, board_id: str, team: str, cells: Mapping[str, str]) -> None:
    """Store facts about one team that an organizer typed. New facts replace earlier ones.

    Args:
        cells: Text by fact; a blank text means unknown.

    Raises:
        InputRefused: With `bad-team-fact` for every invalid text.
    """
    facts, problems = parse(team, cells)
    if problems:
        raise InputRefused(problems)
    _store_facts(store, board_id, {team: facts})


def _store_facts(store: Store, board_id: str, facts: Mapping[str, TeamFacts]) -> None:
    with store.write() as session:
        for team, team_facts in facts.items():
            row = session.get(schema.Team, (board_id, team))
            if row is not None:
                row.facts = team_facts.as_dict() if team_facts != UNKNOWN else None
