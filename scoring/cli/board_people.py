"""The actions about a hidden truth, members of teams, and what participants tried."""

import argparse
from dataclasses import asdict, replace

from scoring.cli.output import answer, print_findings
from scoring.common.findings import InputRefused, error
from scoring.services.boards import hidden_truth, members, participant
from scoring.services.boards.board import opened
from scoring.services.boards.hidden_truth import HiddenRules
from scoring.services.store.database import Store


def hide(store: Store, arguments: argparse.Namespace) -> None:
    """Hide the truth of a board, change what it tells, or open it."""
    board = opened(store, arguments.board)
    if arguments.open:
        hidden_truth.reveal(store, board.row.id)
        answer(arguments.json, {"board": board.row.id, "hidden": None}, "The truth is open to participants.")
        return
    known = hidden_truth.rules(store, board.row.id) or HiddenRules()
    values = {
        "detail": arguments.detail,
        "step": arguments.ladder,
        "refused_per_day": arguments.refused_per_day,
    }
    known = replace(known, **{name: value for name, value in values.items() if value is not None})
    if known.step == 0:
        known = replace(known, step=None)
    hidden_truth.hide(store, board.row.id, known)
    used = hidden_truth.use(board)
    value = {"board": board.row.id, "hidden": asdict(known), "use": asdict(used) | {"gain": used.gain}}
    ladder = "without the Ladder" if known.step is None else f"the Ladder's step is {known.step:g}"
    answer(arguments.json, value, f"Hidden: participants see {known.detail}, {ladder}.\n{used.words}")


def set_members(store: Store, arguments: argparse.Namespace) -> None:
    """Say who is in a team, or list the teams."""
    board = opened(store, arguments.board)
    if arguments.team is None and (arguments.member or arguments.nobody):
        raise InputRefused([error("bad-option", "--team", "name the team.")])
    if arguments.team is not None:
        if not arguments.member and not arguments.nobody:
            raise InputRefused([error("bad-option", "--member", "name a member, or say --nobody.")])
        members.set_members(store, board.row.id, arguments.team, arguments.member)
    found = members.members(store, board.row.id)
    words = "\n".join(f"{team}: {', '.join(people)}" for team, people in found.items())
    answer(arguments.json, {"board": board.row.id, "teams": found}, words or "No team has members yet.")


def attempts(store: Store, arguments: argparse.Namespace) -> None:
    """List what participants tried, or end the logins of one."""
    board = opened(store, arguments.board)
    if arguments.revoke is not None:
        members.revoke(store, arguments.revoke)
    found = participant.attempts(store, board.row.id)
    print_findings(participant.notices(store, board.row.id))
    kept = ("created", "team", "person", "outcome", "sha256", "near")
    rows = [{name: getattr(one, name) for name in kept} for one in found]
    words = "\n".join(
        f"{one.created[:16].replace('T', ' ')}  {one.team[:24]:<24}{one.outcome:<16}{one.person}"
        for one in found
    )
    value = {"board": board.row.id, "attempts": rows, "revoked": arguments.revoke}
    answer(arguments.json, value, words or "No participant tried anything yet.")
