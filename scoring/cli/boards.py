"""Command about boards: one function per action."""

import argparse
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from scoring.challenges import load_challenge
from scoring.cli.board_tables import (
    board_table,
    changes_table,
    imported_table,
    list_table,
    phase_lines,
    receipt_line,
)
from scoring.cli.output import print_findings, progress, respond, write
from scoring.cli.reading import chosen, statistics
from scoring.common.findings import OF_SMALL_SETS, Finding, InputRefused, error, note, warning
from scoring.services.boards import board as boards
from scoring.services.boards import (
    bundle,
    deleting,
    folders,
    foreign_leaderboards,
    hidden_rules,
    hidden_truth,
    members,
    notices,
    phases,
    publishing,
    rescoring,
    submitting,
)
from scoring.services.boards.board import BoardSettings, create, listed, opened, own_options
from scoring.services.boards.budget import Budget
from scoring.services.boards.foreign_leaderboards import read_leaderboard
from scoring.services.boards.hidden_rules import HiddenRules
from scoring.services.boards.packing import packed
from scoring.services.boards.phases import Phase
from scoring.services.boards.ranking import board_ranking
from scoring.services.boards.rescoring import TeamChange, changes
from scoring.services.boards.submitting import Receipt, SubmissionRequest
from scoring.services.store import tables
from scoring.services.store.database import Store, open_store


def run(arguments: argparse.Namespace) -> None:
    """Run one action. Raises InputRefused with every problem."""
    ACTIONS[arguments.action](open_store(), arguments)


def _create(store: Store, arguments: argparse.Namespace) -> None:
    challenge, settings = load_challenge(arguments.challenge), statistics(arguments)
    shared = [option for option in challenge.options_of("score") if not option.per_team]
    of_comparison = chosen(arguments, challenge.options_of("compare"))
    board = create(
        store,
        arguments.board,
        arguments.challenge,
        arguments.truth,
        BoardSettings(
            arguments.title,
            arguments.counts,
            chosen(arguments, shared),
            of_comparison,
            vars(settings),
            arguments.keep_refused,
            arguments.metadata,
        ),
    )
    print_findings(board.truth.findings)
    message = f"Board {board.row.id} is open, with {len(board.truth)} cases. It is kept in {store.place}."
    respond(arguments.json, publishing.value(board_ranking(board)), message)


def _submit(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    requests, problems = _sent(arguments, board.challenge)
    receipts: list[Receipt] = []
    noticed: list[Finding] = []
    count = progress("submissions")
    for number, request in enumerate(requests):
        if count:
            count(number, len(requests))
        try:
            receipts.append(submitting.submit(board, replace(request, phase=arguments.phase)))
        except InputRefused as refused:
            several = arguments.folder is not None
            for listed_in, findings in ((problems, refused.problems), (noticed, refused.findings)):
                listed_in += [
                    replace(f, where=f"{request.team}: {f.where}") if several else f for f in findings
                ]
    if count and requests:
        count(len(requests), len(requests))
    noticed += [_known(receipt) for receipt in receipts if receipt.again]
    noticed += [
        replace(f, where=f"{receipt.team}: {f.where}")
        for receipt in receipts
        for f in receipt.findings
        if arguments.folder is None or (f.level == "warning" and f.code not in OF_SMALL_SETS)
    ]
    if problems:
        refusal = InputRefused(problems, noticed)
        if not arguments.json:
            refusal.add_note("\n".join(map(receipt_line, receipts)) or "Nothing was counted.")
        raise refusal
    print_findings(noticed)
    value = {"board": board.row.id, "submissions": [receipt.as_dict() for receipt in receipts]}
    respond(arguments.json, value, "\n".join(map(receipt_line, receipts)))


def _sent(arguments: argparse.Namespace, challenge: Any) -> tuple[list[SubmissionRequest], list[Finding]]:
    """Return what the command line submits, and what cannot be read of a folder."""
    single = (arguments.team, arguments.predictions, arguments.time, arguments.submission)
    if arguments.folder is not None:
        if any(single) or arguments.option:
            message = (
                "a folder of many goes without --team, --predictions, --time, --submission and --option."
            )
            raise InputRefused([error("bad-option", arguments.folder, message)])
        folder = Path(arguments.folder)
        if not folder.is_dir():
            raise InputRefused(
                [error("unreadable-file", arguments.folder, "there is no such folder: check the path.")]
            )
        entries = list(folders.of_folder(folder))
        return [entry for entry in entries if isinstance(entry, SubmissionRequest)], [
            entry for entry in entries if isinstance(entry, Finding)
        ]
    if arguments.team is None or arguments.predictions is None:
        message = "name --team and --predictions, or a folder of many."
        raise InputRefused([error("bad-option", "board submit", message)])
    time = submitting.time_of(arguments.time) if arguments.time else None
    if arguments.time and time is None:
        message = f"{arguments.time!r} is no time: write 2026-01-31 or 2026-01-31T18:00 (UTC)."
        raise InputRefused([error("bad-option", "--time", message)])
    pairs = [text.partition("=") for text in arguments.option]
    own = own_options(challenge, {key.strip(): value for key, _, value in pairs})
    name, data = packed(arguments.predictions)
    more = {"id": arguments.submission} if arguments.submission is not None else {}
    return [SubmissionRequest(arguments.team, name, data, own, time, **more)], []


def _known(receipt: Receipt) -> Finding:
    message = f"this file was submitted already, on {receipt.created[:10]}: it counts once."
    return note("submitted-before", receipt.team, message)


def _list(store: Store, arguments: argparse.Namespace) -> None:
    boards = listed(store)
    message = list_table(boards) if boards else f"No boards yet in {store.place}."
    respond(arguments.json, {"boards": boards}, message)


def _show(store: Store, arguments: argparse.Namespace) -> None:
    if leaderboard := foreign_leaderboards.find(store, arguments.board):
        if arguments.html:
            message = "an imported leaderboard has no report: publish the platform's own page."
            raise InputRefused([error("bad-option", "--html", message)])
        respond(arguments.json, leaderboard.as_dict(), imported_table(leaderboard))
        return
    board = opened(store, arguments.board, arguments.test_set)
    ranking = board_ranking(board, arguments.phase)
    value, message = publishing.value(ranking), board_table(ranking)
    if arguments.changes:
        changed = changes(board)
        value |= _as_value(changed)
        message += "\n\n" + changes_table(board, changed)
    if arguments.html:
        from scoring.services.boards.publishing import html

        write(arguments.html, html(ranking), "--html")
    respond(arguments.json, value, message)


def _facts(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    print_findings(members.keep_facts(store, board.row.id, arguments.table))
    ranking = board_ranking(board)
    respond(arguments.json, ranking.as_dict(), board_table(ranking))


def _exclude(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    reason = None if arguments.undo else arguments.reason.strip()
    if reason == "":
        raise InputRefused([error("bad-option", "--reason", "say why it does not count.")])
    submitting.exclude(store, board.row.id, arguments.submission, reason)
    ranking = board_ranking(board)
    respond(arguments.json, publishing.value(ranking), board_table(ranking))


def _delete(store: Store, arguments: argparse.Namespace) -> None:
    if arguments.submission is not None:
        gone = deleting.delete_submission(store, arguments.board, arguments.submission)
        subject = f"Submission {arguments.submission} of board {arguments.board}"
    elif arguments.yes:
        gone = deleting.delete_board(store, arguments.board)
        subject = f"Board {arguments.board} (submissions: {gone.submissions})"
    else:
        message = "this deletes the board with all of its submissions: say --yes, or name one (--submission)."
        raise InputRefused([error("bad-option", "--yes", message)])
    print_findings(gone.findings)
    value = {"board": arguments.board, "submission": arguments.submission, "files": gone.files}
    respond(arguments.json, value, f"{subject} is deleted. Files deleted from the disk: {gone.files}.")


def _rescore(store: Store, arguments: argparse.Namespace) -> None:
    board = rescoring.rescore(
        store, arguments.board, arguments.truth, progress("submissions"), metadata=arguments.metadata
    )
    changed = changes(board)
    value = {"board": board.row.id, "test_set_version": board.row.version, **_as_value(changed)}
    respond(arguments.json, value, changes_table(board, changed))


def _as_value(changed: Iterable[TeamChange]) -> dict[str, Any]:
    return {"changes": [change.as_dict() for change in changed]}


def _export(store: Store, arguments: argparse.Namespace) -> None:
    data = bundle.export(opened(store, arguments.board), arguments.with_truth)
    write(arguments.file, data, "FILE.zip")


def _import(store: Store, arguments: argparse.Namespace) -> None:
    if arguments.id is not None:
        leaderboard = read_leaderboard(arguments.file, arguments.score, arguments.team_column)
        title = arguments.title or f"{leaderboard.platform}: {arguments.id}"
        board = foreign_leaderboards.keep(store, arguments.id, title, leaderboard, arguments.ascending)
        respond(arguments.json, board.as_dict(), imported_table(board))
        return
    if arguments.title or arguments.score or arguments.team_column or arguments.ascending:
        flags = "--title, --score, --team-column and --ascending"
        message = f"{flags} are for leaderboards of other platforms: name --id as well."
        raise InputRefused([error("bad-option", "board import", message)])
    if Path(arguments.file).suffix.lower() in (".json", ".csv"):
        message = "a leaderboard of another platform becomes a board of its own: name it, --id lesions-2026."
        raise InputRefused([error("bad-option", "--id", message)])
    board_id = bundle.import_board(store, arguments.file, bundle.COMMAND_LINE_BYTES)
    ranking = board_ranking(opened(store, board_id))
    respond(arguments.json, publishing.value(ranking), board_table(ranking))


def hide(store: Store, arguments: argparse.Namespace) -> None:
    """Hide the truth of a board, change what it tells, or open it."""
    board = opened(store, arguments.board)
    if arguments.open:
        hidden_truth.reveal(store, board.row.id)
        respond(arguments.json, {"board": board.row.id, "hidden": None}, "The truth is open to participants.")
        return
    before = hidden_rules.rules(store, board.row.id)
    values = {
        "detail": arguments.detail,
        "step": arguments.ladder,
        "decimals": arguments.digits,
        "refused_per_day": arguments.refused_per_day,
    }
    wanted = {name: value for name, value in values.items() if value is not None}
    rules = before or HiddenRules()
    if before is None and not wanted.keys() - {"refused_per_day"}:
        rules = hidden_truth.planned(board).proposed or rules
    rules = replace(rules, **wanted)
    if rules.step == 0:
        rules = replace(rules, step=None)
    hidden_truth.hide(store, board.row.id, rules)
    used, budget = hidden_truth.use(board), hidden_truth.planned(board)
    _warn_of(budget)
    value = {"board": board.row.id, "hidden": asdict(rules), "use": asdict(used) | {"gain": used.gain}}
    value["budget"] = budget.as_dict()
    ladder = "without the Ladder" if rules.step is None else f"the Ladder's step is {rules.step:g}"
    message = f"Hidden: participants see {rules.detail}, {ladder}.\n{used.words}"
    respond(arguments.json, value, f"{message}\n{budget.words}" if budget.proposed is None else message)


def _warn_of(budget: Budget) -> None:
    """Say that the scores of a board can tell its truth."""
    if budget.proposed is not None:
        print_findings([warning("truth-not-safe", "hide", budget.words)])


def set_members(store: Store, arguments: argparse.Namespace) -> None:
    """Say who is in a team, or list the teams."""
    board = opened(store, arguments.board)
    if arguments.team is None and (arguments.member or arguments.nobody):
        raise InputRefused([error("bad-option", "--team", "name the team.")])
    if arguments.team is not None:
        if not arguments.member and not arguments.nobody:
            raise InputRefused([error("bad-option", "--member", "name a member, or say --nobody.")])
        members.set_members(store, board.row.id, arguments.team, arguments.member)
    teams = members.members(store, board.row.id)
    message = "\n".join(f"{team}: {', '.join(people)}" for team, people in teams.items())
    respond(arguments.json, {"board": board.row.id, "teams": teams}, message or "No team has members yet.")


def attempts(store: Store, arguments: argparse.Namespace) -> None:
    """List what participants tried, or end the logins of one."""
    board = opened(store, arguments.board)
    if arguments.revoke is not None:
        members.revoke(store, arguments.revoke)
    trials = notices.attempts(store, board.row.id)
    print_findings(notices.board_notices(store, board.row.id))
    columns = ("created", "team", "person", "outcome", "sha256", "near")
    rows = [{name: getattr(trial, name) for name in columns} for trial in trials]
    message = "\n".join(
        f"{trial.created[:16].replace('T', ' ')}  {trial.team[:24]:<24}{trial.outcome:<16}{trial.person}"
        for trial in trials
    )
    value = {"board": board.row.id, "attempts": rows, "revoked": arguments.revoke}
    respond(arguments.json, value, message or "No participant tried anything yet.")


NONE = "none"
"""Takes a time or a limit away."""


def phase(store: Store, arguments: argparse.Namespace) -> None:
    """Add, change, remove or list phases."""
    board = opened(store, arguments.board)
    known = {each.name: each for each in phases.phases(store, board.row.id)}
    values, problems = _values(arguments)
    if arguments.name is None and (values or problems or arguments.remove):
        problems.append(error("bad-option", "--name", "name the phase."))
    if arguments.remove and values:
        problems.append(error("bad-option", "--remove", "it goes without times and limits."))
    if problems:
        raise InputRefused(problems)
    if arguments.remove:
        phases.remove(store, board.row.id, arguments.name)
    elif arguments.name is not None:
        before = known.get(arguments.name, Phase(arguments.name))
        phases.define(store, board.row.id, replace(before, **values))
    defined = phases.phases(store, board.row.id)
    if hidden_rules.rules(store, board.row.id) is not None:
        _warn_of(hidden_truth.planned(board))
    message = phase_lines(defined) or "No phases: submissions are taken at any time, without limits."
    respond(arguments.json, {"board": board.row.id, "phases": [each.as_dict() for each in defined]}, message)


def change_settings(store: Store, arguments: argparse.Namespace) -> None:
    """Change what may be changed of a board, and say how it is."""
    row = boards.change_settings(
        store, arguments.board, arguments.title, arguments.counts, arguments.keep_refused
    ).row
    refusals = "kept" if row.keep_refused else "not kept"
    message = f"{row.title} ({row.id}): the {row.counts} submission counts; refused files are {refusals}."
    value = {"id": row.id, "title": row.title, "counts": row.counts, "keep_refused": row.keep_refused}
    respond(arguments.json, {"board": value}, message)


def list_refused(store: Store, arguments: argparse.Namespace) -> None:
    """List the refused files that are kept."""
    board = opened(store, arguments.board)
    files = submitting.refused_files(board)
    message = "\n".join(
        f"{file['time'][:16].replace('T', ' ')}  {file['team']}: {file['file']}, {file['submission']}\n"
        + "\n".join(f"    {p['code']} {p['where']}: {p['message']}" for p in file["problems"])
        for file in files
    )
    none = "No refused files are kept."
    if not board.row.keep_refused:
        none += " This board does not keep them: `board settings BOARD --keep-refused` changes that."
    respond(arguments.json, {"board": board.row.id, "refused": files}, message or none)


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Finding]]:
    """Return what is set, by field of a phase, and what cannot be read."""
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
                message = f"{text[:60]!r} is no time: write 2026-01-31 or 2026-01-31T18:00 (UTC), or none."
                problems.append(error("bad-option", flag, message))
            elif field == "closes" and len(text.strip()) == phases.DAY:
                values[field] = _day_after(values[field])
        elif text.isascii() and text.isdigit():
            values[field] = int(text)
        else:
            message = f"{text[:60]!r} is no number of submissions: write one from 1 on, or none."
            problems.append(error("bad-option", flag, message))
    return values, problems


def _day_after(time: str) -> str:
    """Return the end of the day that begins at a time: a day that is named to close belongs to the phase."""
    return tables.written(datetime.fromisoformat(time) + timedelta(days=1))


ACTIONS: dict[str, Callable[[Store, argparse.Namespace], None]] = {
    "create": _create,
    "submit": _submit,
    "phase": phase,
    "hide": hide,
    "members": set_members,
    "attempts": attempts,
    "list": _list,
    "show": _show,
    "facts": _facts,
    "settings": change_settings,
    "exclude": _exclude,
    "refused": list_refused,
    "rescore": _rescore,
    "delete": _delete,
    "export": _export,
    "import": _import,
}
