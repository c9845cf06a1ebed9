"""What an organizer knows about the teams of a board: size of the model, institution, method, licence."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select

from scoring.common.findings import Finding, InputRefused, error
from scoring.comparison.team_facts import LABELS, UNKNOWN, TeamFacts, parse, read_facts
from scoring.inputs.sources import Source
from scoring.services.store import tables
from scoring.services.store.database import Store


def facts(store: Store, board_id: str) -> dict[str, TeamFacts]:
    """Return the facts of the teams of a board, by team; of those that have any."""
    with store.read() as session:
        rows = session.scalars(select(tables.Team).where(tables.Team.board_id == board_id)).all()
    return {row.name: of_row(row.facts) for row in rows if row.facts}


def keep_facts(store: Store, board_id: str, source: Source, name: str | None = None) -> tuple[Finding, ...]:
    """Keep facts of a table with a column `team`; they replace those of the teams that are named.

    Args:
        store: Where the board is.
        board_id: Its id.
        source: The table.
        name: What messages call the table.

    Returns:
        Notes on rows of no team and on columns that are no facts.

    Raises:
        InputRefused: With every cell that cannot be, and `unknown-team` where no row is of a team of the
            board.
    """
    with store.read() as session:
        teams = set(session.scalars(select(tables.Team.name).where(tables.Team.board_id == board_id)))
    found, noticed = read_facts(source, teams, name)
    if not found:
        words = "no row is of a team of the board: facts are kept of teams that have submitted."
        raise InputRefused([error("unknown-team", name or "facts", words)], noticed)
    _keep(store, board_id, found)
    return tuple(noticed)


def keep_typed(store: Store, board_id: str, team: str, cells: Mapping[str, str]) -> None:
    """Keep the facts of one team as they were typed; they replace those that are known.

    Args:
        store: Where the board is.
        board_id: Its id.
        team: Name of the team.
        cells: Text by fact; a blank one is unknown.

    Raises:
        InputRefused: `bad-team-fact` with every text that cannot be.
    """
    told, problems = parse(team, cells)
    if problems:
        raise InputRefused(problems)
    _keep(store, board_id, {team: told})


def _keep(store: Store, board_id: str, found: Mapping[str, TeamFacts]) -> None:
    with store.write() as session:
        for team, told in found.items():
            row = session.get(tables.Team, (board_id, team))
            if row is not None:
                row.facts = told.as_dict() if told != UNKNOWN else None


def of_row(values: Mapping[str, Any]) -> TeamFacts:
    """Return facts as a row holds them.

    Raises:
        ValueError: Where they are none: a row of a bundle may come from anybody.
    """
    texts = {fact: "" if value is None else str(value) for fact, value in values.items()}
    if set(texts) != set(LABELS):
        raise ValueError("these are no facts about a team")
    told, problems = parse("", texts)
    if problems:
        raise ValueError(problems[0].message)
    return told
