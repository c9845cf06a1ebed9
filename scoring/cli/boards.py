"""Command `benchside board`: create, rank and manage boards, and submit to them. Each action has a
function."""

import argparse
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from scoring.boards import deletion, imported_leaderboards
from scoring.boards.board import BoardSettings, OpenBoard, create, listed, opened, own_options
from scoring.boards.bundles import bundle
from scoring.boards.foreign_leaderboards import read_leaderboard
from scoring.boards.hidden_truth import disclosure_rules, probing_notices, visible_results
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.serialization import packed
from scoring.boards.submissions import submission_folders, submitting
from scoring.boards.submissions.submitting import Receipt, SubmissionRequest
from scoring.boards.teams import members, team_changes
from scoring.boards.truth_correction import rescoring
from scoring.boards.truth_correction.correction_preview import correction
from scoring.boards.views import FOR_ORGANIZERS
from scoring.challenges import load_challenge
from scoring.cli import board_rules
from scoring.cli.board_tables import board_table, changes_table, imported_table, list_table, receipt_line
from scoring.cli.input_reading import (
    FIX_OPTIONS,
    chosen,
    counted,
    fix_problems,
    statistics,
    submitted,
)
from scoring.cli.output import offered, print_findings, progress, respond, write, write_appendix
from scoring.common.findings import OF_SMALL_SETS, Finding, InputRefused, error, note
from scoring.core.options import Values
from scoring.inputs.sources import FixedSource, open_source
from scoring.store.database import Store, open_store
from scoring.store.secure_delete import finish_left


def run(arguments: argparse.Namespace) -> None:
    """Run one of the `board` actions. Raises InputRefused with every problem."""
    store = open_store()
    finish_left(store)
    ACTIONS[arguments.action](store, arguments)


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
    print_findings(offered([*board.truth.findings, *visible_results.unsafe(board)], arguments))
    message = (
        f"Board {board.row.id} is open, with {len(board.truth)} cases. The board is stored in {store.place}."
    )
    respond(arguments.json, public_report.value(board_ranking(board)), message)


def _submit(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    requests, findings = _sent(arguments, board)
    problems = [finding for finding in findings if finding.level == "error"]
    noticed = [finding for finding in findings if finding.level != "error"]
    receipts: list[Receipt] = []
    count = progress("submissions")
    for number, request in enumerate(requests):
        if count:
            count(number, len(requests))
        try:
            receipts.append(submitting.submit(board, replace(request, phase=arguments.phase)))
        except InputRefused as refused:
            several = arguments.folder is not None
            for listed_in, of_one in ((problems, refused.problems), (noticed, refused.findings)):
                listed_in += [
                    replace(f, where=f"{request.team}: {f.where}") if several else f for f in of_one
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
    noticed += visible_results.unsafe(board)
    if problems:
        refusal = InputRefused(problems, noticed)
        if not arguments.json:
            is_said = any("no submission was counted" in problem.message.lower() for problem in problems)
            for line in (
                map(receipt_line, receipts) if receipts or is_said else ["No submission was counted."]
            ):
                refusal.add_note(line)
        raise refusal
    print_findings(offered(noticed, arguments))
    value = {"board": board.row.id, "submissions": [receipt.as_dict() for receipt in receipts]}
    message = "\n".join(map(receipt_line, receipts))
    if board.split is not None and disclosure_rules.rules(store, board.row.id) is not None:
        message += f"\n{FOR_ORGANIZERS}"
    respond(arguments.json, value, message)


def _sent(arguments: argparse.Namespace, board: OpenBoard) -> tuple[list[SubmissionRequest], list[Finding]]:
    """Return the submissions that the command line names. Also return findings about the entries of a folder,
    and about options that change a file."""
    single = (arguments.team, arguments.predictions, arguments.time, arguments.submission)
    if arguments.folder is not None:
        if any(single) or arguments.option or any(getattr(arguments, name) for name in FIX_OPTIONS):
            message = (
                "with a folder of many submissions, --team, --predictions, --time, --submission, --option "
                "and options that change a file are not allowed."
            )
            raise InputRefused([error("bad-option", arguments.folder, message)])
        folder = Path(arguments.folder)
        zipped = folder.is_file() and folder.suffix.lower() == ".zip"
        if not zipped and not folder.is_dir():
            raise InputRefused(
                [
                    error(
                        "unreadable-file", arguments.folder, "no folder or zip has this path: check the path."
                    )
                ]
            )
        entries = list(
            submission_folders.of_source(folder) if zipped else submission_folders.of_folder(folder)
        )
        return [entry for entry in entries if isinstance(entry, SubmissionRequest)], [
            entry for entry in entries if isinstance(entry, Finding)
        ]
    if arguments.team is None or arguments.predictions is None:
        message = "give --team and --predictions, or a folder of many submissions."
        raise InputRefused([error("bad-option", "board submit", message)])
    time = submitting.time_of(arguments.time) if arguments.time else None
    if arguments.time and time is None:
        message = f"{arguments.time!r} is not a time from 1900 to 2198: write 2026-01-31 or 2026-01-31T18:00."
        raise InputRefused([error("bad-option", "--time", message)])
    pairs = [text.partition("=") for text in arguments.option]
    own = own_options(board.challenge, {key.strip(): value for key, _, value in pairs})
    name, data, changed = _file(arguments, board, own)
    more = {"id": arguments.submission} if arguments.submission is not None else {}
    return [SubmissionRequest(arguments.team, name, data, own, time, **more)], changed


def _file(
    arguments: argparse.Namespace, board: OpenBoard, options: Values
) -> tuple[str, bytes, list[Finding]]:
    """Return name and content of the submitted file, changed as the options say, and the finding that
    describes the change."""
    arguments.model = arguments.predictions if arguments.predictions.endswith(".onnx") else None
    if problems := fix_problems(arguments):
        raise InputRefused(problems)
    source = submitted(arguments)
    if not isinstance(source, FixedSource):
        return *packed(source), []
    name = open_source(arguments.predictions).name
    return submitting.changed_file(board, source, name, options, **counted(board.challenge))


def _known(receipt: Receipt) -> Finding:
    message = f"this file was submitted before, on {receipt.created[:10]}: it is scored only once."
    return note("submitted-before", receipt.team, message)


def _list(store: Store, arguments: argparse.Namespace) -> None:
    boards = listed(store)
    message = list_table(boards) if boards else f"No boards yet in {store.place}."
    respond(arguments.json, {"boards": boards}, message)


def _show(store: Store, arguments: argparse.Namespace) -> None:
    if leaderboard := imported_leaderboards.find(store, arguments.board):
        if arguments.html:
            message = "an imported leaderboard has no report: publish the platform's own page."
            raise InputRefused([error("bad-option", "--html", message)])
        respond(arguments.json, leaderboard.as_dict(), imported_table(leaderboard))
        return
    board = opened(store, arguments.board, arguments.test_set)
    ranking = board_ranking(board, arguments.phase)
    print_findings(probing_notices.team_notices(ranking if arguments.phase is None else board_ranking(board)))
    value, message = public_report.value(ranking), board_table(ranking)
    if arguments.changes:
        against = opened(store, arguments.board, arguments.against or max(1, board.test_set.number - 1))
        found = correction(board, against)
        value |= {"changes": [change.as_dict() for change in found.changes]}
        message += "\n\n" + changes_table(found)
    if arguments.html:
        write(arguments.html, public_report.html(ranking), "--html")
        write_appendix(arguments.html, public_report.appendix(ranking))
        if ranking.hidden is not None:
            message += f"\n\n{arguments.html} shows only what participants may see."
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
        raise InputRefused(
            [error("bad-option", "--reason", "give the reason why the submission is excluded.")]
        )
    submitting.exclude(store, board.row.id, arguments.submission, reason)
    ranking = board_ranking(board)
    respond(arguments.json, public_report.value(ranking), board_table(ranking))


def _team(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    if arguments.rename is not None:
        team_changes.rename_team(store, board.row.id, arguments.team, arguments.rename.strip())
    elif arguments.baseline is not None:
        team_changes.set_baseline(store, board.row.id, arguments.team, arguments.baseline)
    else:
        team_changes.exclude_team(store, board.row.id, arguments.team, arguments.exclude)
    ranking = board_ranking(board)
    respond(arguments.json, public_report.value(ranking), board_table(ranking))


def _delete(store: Store, arguments: argparse.Namespace) -> None:
    if arguments.submission is not None:
        gone = deletion.delete_submission(store, arguments.board, arguments.submission)
        subject = f"Submission {arguments.submission} of board {arguments.board}"
    elif arguments.yes:
        gone = deletion.delete_board(store, arguments.board)
        subject = f"Board {arguments.board} (submissions: {gone.submissions})"
    else:
        message = (
            "this deletes the board and all its submissions. Confirm with --yes, or name one submission "
            "with --submission."
        )
        raise InputRefused([error("bad-option", "--yes", message)])
    print_findings(gone.findings)
    value = {"board": arguments.board, "submission": arguments.submission, "files": gone.files}
    respond(arguments.json, value, f"{subject} is deleted. Files deleted from the disk: {gone.files}.")


def _rescore(store: Store, arguments: argparse.Namespace) -> None:
    named = (arguments.truth, arguments.metadata, arguments.to_version)
    if arguments.discard:
        rescoring.discard(store, arguments.board)
        respond(
            arguments.json, {"board": arguments.board, "discarded": True}, "The correction was discarded."
        )
        return
    before, count = opened(store, arguments.board), progress("submissions")
    target = rescoring.rescore(
        store,
        arguments.board,
        arguments.truth if arguments.to_version is None else arguments.to_version,
        count,
        metadata=arguments.metadata,
        shows=False,
    )
    planned_correction = correction(target, before)
    print_findings(planned_correction.dangers)
    table = changes_table(planned_correction)
    if arguments.yes and planned_correction.dangers and any(part is not None for part in named):
        message = (
            "participants do not see the correction yet: check this preview, then run `board rescore "
            f"{arguments.board} --yes`."
        )
        refusal = InputRefused(
            [error("correction-not-confirmed", arguments.board, message)], planned_correction.dangers
        )
        refusal.add_note(table)
        raise refusal
    if arguments.yes:
        target = rescoring.rescore(store, arguments.board, None)
    else:
        table += "\n\nParticipants do not see the correction yet: publish it with --yes, or use --discard."
    decision = {"shown": arguments.yes, "correction": planned_correction.as_dict()}
    changed = {"changes": [change.as_dict() for change in planned_correction.changes]}
    value = {"board": arguments.board, "test_set_version": target.test_set.number, **changed, **decision}
    respond(arguments.json, value, table)


def _export(store: Store, arguments: argparse.Namespace) -> None:
    data = bundle.export(opened(store, arguments.board), arguments.with_truth)
    write(arguments.file, data, "FILE.zip")


def _publish(store: Store, arguments: argparse.Namespace) -> None:
    from scoring.boards.publication.publication_archive import publication

    ranking = board_ranking(opened(store, arguments.board))
    data = publication(ranking, arguments.creator, arguments.licence)
    write(arguments.file, data, "FILE.zip")
    if arguments.file == "-":
        return
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        print(f"Written to {arguments.file}: {', '.join(archive.namelist())}. The file contains no cases.")
    if ranking.hidden is not None:
        print(public_report.hidden_truth_words(ranking.hidden, ranking.split is not None))


def _import(store: Store, arguments: argparse.Namespace) -> None:
    if arguments.id is not None:
        leaderboard = read_leaderboard(arguments.file, arguments.score, arguments.team_column)
        title = arguments.title or f"{leaderboard.platform}: {arguments.id}"
        board = imported_leaderboards.keep(store, arguments.id, title, leaderboard, arguments.ascending)
        print_findings(leaderboard.findings())
        respond(arguments.json, board.as_dict(), imported_table(board))
        return
    if arguments.title or arguments.score or arguments.team_column or arguments.ascending:
        flags = "--title, --score, --team-column and --ascending"
        message = f"{flags} are for leaderboards of other platforms: give --id as well."
        raise InputRefused([error("bad-option", "board import", message)])
    if Path(arguments.file).suffix.lower() in (".json", ".csv"):
        message = (
            "a leaderboard of another platform becomes a separate board: give it an id, such as --id "
            "lesions-2026."
        )
        raise InputRefused([error("bad-option", "--id", message)])
    board_id = bundle.import_board(store, arguments.file, bundle.COMMAND_LINE_BYTES)
    ranking = board_ranking(opened(store, board_id))
    respond(arguments.json, public_report.value(ranking), board_table(ranking))


def _nominate(store: Store, arguments: argparse.Namespace) -> None:
    board = opened(store, arguments.board)
    team_changes.nominate(store, board.row.id, arguments.submission, arguments.team)
    ranking = board_ranking(board)
    respond(arguments.json, public_report.value(ranking), board_table(ranking))


ACTIONS: dict[str, Callable[[Store, argparse.Namespace], None]] = {
    "create": _create,
    "submit": _submit,
    "phase": board_rules.phase,
    "rule": board_rules.rule,
    "final": board_rules.final,
    "split": board_rules.split,
    "nominate": _nominate,
    "hide": board_rules.hide,
    "members": board_rules.set_members,
    "attempts": board_rules.attempts,
    "list": _list,
    "show": _show,
    "publish": _publish,
    "facts": _facts,
    "settings": board_rules.change_settings,
    "exclude": _exclude,
    "team": _team,
    "refused": board_rules.list_refused,
    "rescore": _rescore,
    "delete": _delete,
    "export": _export,
    "import": _import,
}
