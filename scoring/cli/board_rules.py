"""Actions of `benchside board` about rules and people: phases, decision rule, hidden truth, members."""

import argparse
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scoring.boards import board as boards
from scoring.boards.board import opened
from scoring.boards.hidden_truth import disclosure_rules, probing_notices, visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.hidden_truth.test_set_split import split_board
from scoring.boards.ranking import decision_rule, decision_views, final_ranking
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import phases_and_limits, submitting
from scoring.boards.submissions.phases_and_limits import Phase
from scoring.boards.teams import members
from scoring.cli.board_tables import phase_lines
from scoring.cli.output import aligned, print_findings, respond
from scoring.common.file_opening import read_file
from scoring.common.findings import Finding, InputRefused, error
from scoring.store import schema
from scoring.store.database import Store


def hide(store: Store, arguments: argparse.Namespace) -> None:
    """Hide the truth of a board, change what the board reveals, or open the truth."""
    board = opened(store, arguments.board)
    if arguments.open:
        visible_results.reveal(store, board.row.id)
        known, message = phases_and_limits.phases(store, board.row.id), "The truth is open to participants."
        state, state_text = phases_and_limits.state_now(known)
        if state == phases_and_limits.OPEN:
            when = state_text if known else f"the board {state_text}"
            message += f" Participants see all details and can still submit: {when}."
        told = {"board": board.row.id, "hidden": None, "takes_submissions": state == phases_and_limits.OPEN}
        respond(arguments.json, told, message)
        return
    before = disclosure_rules.rules(store, board.row.id)
    values = {
        "detail": arguments.detail,
        "step": arguments.ladder,
        "decimals": arguments.digits,
        "refused_per_day": arguments.refused_per_day,
    }
    wanted = {name: value for name, value in values.items() if value is not None}
    rules = before or HiddenRules()
    by_split = board.split is not None and before == HiddenRules()
    if (before is None or by_split) and not wanted.keys() - {"refused_per_day"}:
        rules = visible_results.planned(board).proposed or rules
    rules = replace(rules, **wanted)
    if rules.step == 0 or (rules.detail == disclosure_rules.NOTHING and arguments.ladder is None):
        rules = replace(rules, step=None)
    visible_results.hide(store, board.row.id, rules)
    used, budget = visible_results.use(board), visible_results.planned(board)
    print_findings(visible_results.unsafe(board))
    value = {"board": board.row.id, "hidden": asdict(rules), "use": asdict(used) | {"gain": used.gain}}
    value["budget"] = budget.as_dict()
    ladder = "the Ladder is off" if rules.step is None else f"the Ladder's step is {rules.step:g}"
    shown = disclosure_rules.TELLS[rules.detail]
    message = f"The truth is hidden. Participants see {shown}; {ladder}.\n{used.words}"
    respond(arguments.json, value, f"{message}\n{budget.words}" if budget.proposed is None else message)


def rule(store: Store, arguments: argparse.Namespace) -> None:
    """Fix the decision rule of a board, or print the fixed rule."""
    board = opened(store, arguments.board)
    if arguments.fix:
        decision_rule.fix_rule(store, board.row.id, arguments.prizes, arguments.ties)
    row = decision_rule.fixed_rule(store, board.row.id)
    message = "No rule was fixed: use --fix before the first submission."
    if row is not None:
        lines = [
            f"Fixed on {phases_and_limits.spoken(row.created)}, SHA-256 {row.sha256}",
            f"metric: {decision_views.metric(board)}",
        ]
        lines += [
            f"{part}: {text}" for part, text in decision_views.in_words(row.rule, board.challenge).items()
        ]
        lines += [
            f"changed on {phases_and_limits.spoken(one['time'])}, "
            f"{one['part']}: {one['before']} -> {one['after']}"
            for one in decision_views.changes_in_words(row, board.challenge)
        ]
        message = "\n".join(lines)
    respond(
        arguments.json, {"board": board.row.id, "decision_rule": decision_rule.rule_as_dict(row)}, message
    )


def final(store: Store, arguments: argparse.Namespace) -> None:
    """Freeze the final ranking of a board, or print the frozen ranking."""
    board = opened(store, arguments.board)
    if arguments.freeze:
        final_ranking.freeze(store, board.row.id)
    now = board_ranking(opened(store, board.row.id))
    value = final_ranking.as_dict(now, final_ranking.frozen(store, board.row.id))
    message = "No final ranking was frozen: use --freeze when all submissions are scored."
    if value is not None:
        lines = [f"Frozen on {value['frozen'][:16]} (UTC) by Benchside {value['version']}"]
        lines += [f"SHA-256 of {name}: {value[key]}" for key, name in HASHES.items()]
        lines += [f"{row['rank']:>5}  {row['team']}" for row in value["ranking"]]
        lines += [f"changed: {one['what']}: {one['before']} -> {one['after']}" for one in value["changes"]]
        message = "\n".join(lines)
    respond(arguments.json, {"board": board.row.id, "final": value}, message)


HASHES = {"sha256": "the ranking", "truth": "the truth", "submissions": "all submissions"}
"""Key of a hash -> description of the content that is hashed."""


def split(store: Store, arguments: argparse.Namespace) -> None:
    """Split the test set of a board that has no submissions."""
    cases: list[str] = []
    if arguments.cases is not None:
        try:
            text = read_file(Path(arguments.cases)).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            message = (
                f"it cannot be read as text ({type(problem).__name__}): name a file with one id per line."
            )
            raise InputRefused([error("unreadable-file", arguments.cases, message)]) from problem
        cases = [line.strip() for line in text.splitlines() if line.strip()]
    board = split_board(store, arguments.board, arguments.share, cases, arguments.seed)
    known, total = board.split, len(board.truth)
    budget = visible_results.planned(board)
    print_findings(visible_results.unsafe(board))
    value = {"board": board.row.id, "shown": board.n_told, "withheld": total - board.n_told}
    value |= {"share": known.share if known else None, "seed": known.seed if known else None}
    message = (
        f"Shown scores use {board.n_told} of {total} cases until the truth is opened (`board hide "
        f"{board.row.id} "
        f"--open`); the other {total - board.n_told} cases decide the final ranking. The truth is hidden."
    )
    respond(arguments.json, value | {"budget": budget.as_dict()}, message)


def set_members(store: Store, arguments: argparse.Namespace) -> None:
    """Set the members of a team, or list the teams."""
    board = opened(store, arguments.board)
    if arguments.team is None and (arguments.member or arguments.nobody):
        raise InputRefused([error("bad-option", "--team", "name the team.")])
    if arguments.team is not None:
        if not arguments.member and not arguments.nobody:
            raise InputRefused(
                [
                    error(
                        "bad-option",
                        "--member",
                        "name the members with --member, or remove all members with --nobody.",
                    )
                ]
            )
        members.set_members(store, board.row.id, arguments.team, arguments.member)
        print_findings(visible_results.unsafe(board))
    teams = members.members(store, board.row.id)
    message = "\n".join(f"{team}: {', '.join(people)}" for team, people in teams.items())
    respond(arguments.json, {"board": board.row.id, "teams": teams}, message or "No team has members yet.")


def attempts(store: Store, arguments: argparse.Namespace) -> None:
    """List the participants' attempts, or end a person's logins."""
    board = opened(store, arguments.board)
    if arguments.revoke is not None:
        members.revoke(store, arguments.revoke)
    trials = probing_notices.attempts(store, board.row.id)
    print_findings([*visible_results.unsafe(board), *probing_notices.board_notices(store, board.row.id)])
    columns = ("created", "team", "person", "outcome", "sha256", "near")
    rows = [{name: getattr(trial, name) for name in columns} for trial in trials]
    table = [[t.created[:16].replace("T", " "), t.team, t.outcome, str(t.person or "")] for t in trials]
    message = "\n".join(aligned(table))
    value = {"board": board.row.id, "attempts": rows, "revoked": arguments.revoke}
    respond(arguments.json, value, message or "No participant has tried anything forbidden yet.")


NONE = "none"
"""Word on the command line that removes a time or a limit."""


def phase(store: Store, arguments: argparse.Namespace) -> None:
    """Add, change, remove or list phases."""
    board = opened(store, arguments.board)
    known = {each.name: each for each in phases_and_limits.phases(store, board.row.id)}
    values, problems = _values(arguments)
    if arguments.name is None and (values or problems or arguments.remove):
        problems.append(error("bad-option", "--name", "name the phase."))
    if arguments.remove and values:
        problems.append(error("bad-option", "--remove", "--remove cannot be combined with times and limits."))
    if problems:
        raise InputRefused(problems)
    if arguments.remove:
        phases_and_limits.remove(store, board.row.id, arguments.name)
    elif arguments.name is not None:
        before = known.get(arguments.name, Phase(arguments.name))
        phases_and_limits.define(store, board.row.id, replace(before, **values))
    defined = phases_and_limits.phases(store, board.row.id)
    print_findings(visible_results.unsafe(board))
    message = phase_lines(defined) or "No phases: teams can submit at any time, without limits."
    respond(arguments.json, {"board": board.row.id, "phases": [each.as_dict() for each in defined]}, message)


def change_settings(store: Store, arguments: argparse.Namespace) -> None:
    """Change the settings of a board, and print its state."""
    row = boards.change_settings(
        store,
        arguments.board,
        arguments.title,
        arguments.counts,
        arguments.keep_refused,
        arguments.visibility,
    ).row
    refusals = "saved" if row.keep_refused else "not saved"
    message = f"{row.title} ({row.id}): the {row.counts} submission counts; refused files are {refusals}."
    rules = disclosure_rules.rules(store, arguments.board)
    if rules is not None and rules.step is not None:
        message += (
            " With the Ladder, the last submission whose score the Ladder shows counts instead, even after "
            "the truth is opened."
        )
    message += f" The board is {SEEN[row.visibility]}."
    value = {"id": row.id, "title": row.title, "counts": row.counts, "keep_refused": row.keep_refused}
    value["visibility"] = row.visibility
    respond(arguments.json, {"board": value}, message)


SEEN = {
    "draft": "a draft: only organizers see it",
    "unlisted": "unlisted: everybody who has the address sees it",
    "public": "public: everybody sees it in the list",
}
"""Visibility of a board -> words that say who can find it."""


def list_refused(store: Store, arguments: argparse.Namespace) -> None:
    """List the stored refused files."""
    board = opened(store, arguments.board)
    files = submitting.refused_files(board)
    message = "\n".join(
        f"{file['time'][:16].replace('T', ' ')}  {file['team']}: {file['file']}, {file['submission']}\n"
        + "\n".join(f"    {p['code']} {p['where']}: {p['message']}" for p in file["problems"])
        for file in files
    )
    none = "No refused files are saved."
    if not board.row.keep_refused:
        none += " This board does not save refused files: `board settings BOARD --keep-refused` changes that."
    respond(arguments.json, {"board": board.row.id, "refused": files}, message or none)


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Finding]]:
    """Return the new values of a phase by field, and problems of values that cannot be read."""
    values: dict[str, Any] = {}
    problems: list[Finding] = []
    for field in ("opens", "closes", "per_day", "total"):
        text, flag = getattr(arguments, field), "--" + field.replace("_", "-")
        if text is None:
            continue
        if text == NONE:
            values[field] = None
        elif field in ("opens", "closes"):
            values[field] = submitting.time_of(text)
            if values[field] is None:
                message = (
                    f"{text[:60]!r} is not a time from 1900 to 2198: write 2026-01-31 or 2026-01-31T18:00 "
                    "(UTC), or none."
                )
                problems.append(error("bad-option", flag, message))
            elif field == "closes" and len(text.strip()) == phases_and_limits.DAY:
                values[field] = _day_after(values[field])
        elif text.isascii() and text.isdigit() and len(text) < 30:
            values[field] = int(text)
        else:
            message = f"{text[:60]!r} is not a number of submissions: write 1 or more, or none."
            problems.append(error("bad-option", flag, message))
    return values, problems


def _day_after(time: str) -> str:
    """Return the end of the day that begins at the given time. If a phase closes on a day, this day still
    belongs to the phase."""
    return schema.written(datetime.fromisoformat(time) + timedelta(days=1))
