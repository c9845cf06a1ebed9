"""The arguments of `benchside board ...`."""

import argparse
from collections.abc import Callable

from scoring.cli.refusing_parser import Parser, add_action

ACTIONS = {
    "create": "open a board for a challenge with its test set",
    "submit": "score a team's submission and keep it, or a folder of many",
    "phase": "say when submissions are taken, and how many of each team; without --name list the phases",
    "list": "list the boards",
    "show": "the ranking with intervals, ties and history; a report that can be published",
    "publish": "write what can be published: report, numbers, BIAS checklist, citation and Zenodo metadata",
    "facts": "keep what is known of the teams: size of the model, institution, method, licence",
    "settings": "change title, which submission counts, or whether refused files are kept",
    "exclude": "let a submission not count, with the reason",
    "team": "exclude a team with the reason, make it a baseline, rename it, or merge it with another",
    "refused": "list the refused files that are kept, with their problems (not for publication)",
    "rescore": "score all submissions again with a corrected test set, say what that changes, then show it",
    "delete": "delete a submission, or a board with everything in it, from the disk too",
    "rule": "fix the rule that decides, before the first submission; without --fix say what it is",
    "final": "freeze the final ranking; without --freeze say what was frozen and what changed since",
    "split": "show scores of a part of the cases until the end, then rank by the others",
    "nominate": "let a submission of a team count at the end of a split board, whatever the rule",
    "hide": "hide the truth from participants, say what it tells them, or open it",
    "members": "say who submits for a team; without --team list all",
    "attempts": "what participants tried: refusals, foreign teams, probing; end somebody's logins",
    "export": "write a board as one file",
    "import": "read a board that was exported, or the leaderboard of another platform",
}


def fill(create: Callable[[Parser], None], of_board: Parser) -> None:
    """Add the actions to the command. create: adds the challenges to the one that opens a board."""
    actions = of_board.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    for action, about in ACTIONS.items():
        command = add_action(actions, of_board, action, about)
        if action == "create":
            command.fill = create
            continue
        command.is_last = True
        if action not in ("export", "publish"):
            command.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
        if action not in ("list", "import"):
            command.add_argument("board", metavar="BOARD", help="id of the board")
        if action in FURTHER:
            FURTHER[action](command)


def _submit(action: Parser) -> None:
    many = "folder or zip of many: team/date/file, team/date.csv, or one entry per team"
    action.add_argument("folder", nargs="?", metavar="FOLDER", help=many)
    action.add_argument("--team", metavar="NAME", help="name of the team")
    action.add_argument(
        "--predictions", metavar="P", help="prediction file, folder or zip, or a model (.onnx)"
    )
    time = "when it was submitted (UTC), 2026-01-31 or 2026-01-31T18:00; default now"
    action.add_argument("--time", metavar="TIME", help=time)
    own = "option of this submission alone, such as model_size_mib=12; may be repeated"
    action.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], help=own)
    sender = "id of the submission, made by the sender: sending it again changes nothing"
    action.add_argument("--submission", metavar="ID", help=sender)
    action.add_argument("--phase", metavar="NAME", help="phase that is meant; default the one that is open")


def _phase(action: Parser) -> None:
    action.add_argument("--name", metavar="NAME", help="name of the phase; one that is known is changed")
    opens = "when it opens (UTC), 2026-01-31 or 2026-01-31T18:00; none: from the beginning"
    action.add_argument("--opens", metavar="TIME", help=opens)
    closes = "until when it takes submissions; a day alone belongs to the phase; none: without end"
    action.add_argument("--closes", metavar="TIME", help=closes)
    per_day = "submissions of a team on one day (UTC) at most; none: any number"
    action.add_argument("--per-day", metavar="N", help=per_day)
    total = "submissions of a team in the phase at most; none: any number"
    action.add_argument("--total", metavar="N", help=total)
    action.add_argument("--remove", action="store_true", help="remove a phase in which nothing was submitted")


def _show(action: Parser) -> None:
    action.add_argument(
        "--html", metavar="FILE", help="write a report there that can be published: no case is in it"
    )
    version = "show the numbers of this version of the test set; default the newest"
    action.add_argument("--test-set", metavar="N", type=int, help=version)
    action.add_argument("--phase", metavar="NAME", help="rank only what was submitted in this phase")
    changed = "also say what the version changed, and by which cases (not for publication)"
    action.add_argument("--changes", action="store_true", help=changed)
    against = "with --changes: version to compare with; default the one before"
    action.add_argument("--against", metavar="N", type=int, help=against)


def _publish(action: Parser) -> None:
    action.add_argument("file", metavar="FILE.zip", help="where to write; no case is in it")
    creator = "organizer, as FAMILY, GIVEN; may be repeated"
    action.add_argument("--creator", metavar="NAME", action="append", default=[], help=creator)
    licence = "SPDX id of the licence of what is published; default CC-BY-4.0"
    action.add_argument("--licence", metavar="ID", default="CC-BY-4.0", help=licence)


def _exclude(action: Parser) -> None:
    action.add_argument("submission", metavar="SUBMISSION", help="its id, as `board show` lists it")
    choice = action.add_mutually_exclusive_group(required=True)
    choice.add_argument("--reason", metavar="TEXT", help="why it does not count; it is published")
    choice.add_argument("--undo", action="store_true", help="let it count again")


def _team(action: Parser) -> None:
    action.add_argument("team", metavar="TEAM", help="name of the team")
    choice = action.add_mutually_exclusive_group(required=True)
    reason = "let none of its submissions count, and take no others; the reason is published"
    choice.add_argument("--exclude", metavar="REASON", help=reason)
    choice.add_argument("--include", action="store_true", help="let them count again")
    name = "its new name; that of another team merges both"
    choice.add_argument("--rename", metavar="NAME", help=name)
    line = "draw it as a line and list it, without a rank and in no test"
    choice.add_argument("--baseline", action=argparse.BooleanOptionalAction, help=line)


def _facts(action: Parser) -> None:
    table = "table with a column team, and any of size_mib, institution, method, licence"
    action.add_argument("table", metavar="TABLE", help=table)


def _settings(action: Parser) -> None:
    action.add_argument("--title", metavar="TEXT", help="what stands above the ranking")
    action.add_argument(
        "--counts", metavar="WHICH", help="which submission of a team is ranked: last or best"
    )
    seen = "who finds it besides organizers: draft (nobody), unlisted (with its address) or public (listed)"
    action.add_argument("--visibility", metavar="WHO", help=seen)
    keep = "keep files that are refused from now on, for the organizer to look at; they count nothing"
    action.add_argument("--keep-refused", action=argparse.BooleanOptionalAction, help=keep)


def _rescore(action: Parser) -> None:
    truth = "corrected test set; without it, a run that was stopped goes on"
    action.add_argument("--truth", metavar="T", help=truth)
    table = "table that takes the place of the one that is joined to the truth by case id"
    action.add_argument("--metadata", metavar="FILE", help=table)
    version = "return to the test set of an earlier version, which becomes the newest"
    action.add_argument("--to-version", metavar="N", type=int, help=version)
    action.add_argument("--yes", action="store_true", help="show it; without, everybody sees the old numbers")
    action.add_argument("--discard", action="store_true", help="drop a correction that is not shown yet")


def _delete(action: Parser) -> None:
    submission = "id of a submission or of a refused file; without it the whole board"
    action.add_argument("--submission", metavar="ID", help=submission)
    action.add_argument(
        "--yes", action="store_true", help="delete the whole board, with all that was submitted"
    )


def _export(action: Parser) -> None:
    action.add_argument("file", metavar="FILE.zip", help="where to write")
    action.add_argument("--with-truth", action="store_true", help="put the test sets into it as well")


def _import(action: Parser) -> None:
    source = "what `board export` wrote; or with --id a platform's leaderboard"
    action.add_argument("file", metavar="FILE", help=source)
    action.add_argument(
        "--id", metavar="ID", help="of the board that shows the leaderboard of another platform"
    )
    action.add_argument("--title", metavar="TEXT", help="what stands above that leaderboard")
    action.add_argument("--score", metavar="COLUMN", help="the leaderboard's column to rank by")
    action.add_argument("--team-column", metavar="COLUMN", help="the leaderboard's column that names teams")
    action.add_argument("--ascending", action="store_true", help="lower scores of the leaderboard are better")


def _hide(action: Parser) -> None:
    detail = "what participants see of a submission: none until it is opened, score, classes or cases"
    action.add_argument("--detail", metavar="WHAT", help=detail)
    ladder = "show a score only where it is better than the team's best by more than this; 0: show each"
    action.add_argument("--ladder", metavar="STEP", type=float, help=ladder)
    digits = "decimals of the scores that are shown, 1 to 3; without any of these three: what keeps it safe"
    action.add_argument("--digits", metavar="N", type=int, help=digits)
    refused = "refused submissions of a team a day at most; default 20"
    action.add_argument("--refused-per-day", metavar="N", type=int, help=refused)
    action.add_argument(
        "--open", action="store_true", help="open the truth: intervals, ties and cases are told"
    )


def _members(action: Parser) -> None:
    action.add_argument("--team", metavar="NAME", help="name of the team; without it, list all")
    who = "e-mail address that the identity provider verified, or group:NAME; may be repeated"
    action.add_argument("--member", metavar="WHO", action="append", default=[], help=who)
    action.add_argument("--nobody", action="store_true", help="let the team have no members any more")


def _attempts(action: Parser) -> None:
    person = "end the logins of a person, named as the list names them: they have to log in again"
    action.add_argument("--revoke", metavar="PERSON", help=person)


def _split(action: Parser) -> None:
    share = "share of the cases whose scores are shown, such as 0.3: classes in equal shares, patients whole"
    action.add_argument("--share", metavar="SHARE", type=float, help=share)
    cases = "text file with the ids of these cases, one a line, instead of a share"
    action.add_argument("--cases", metavar="FILE", help=cases)
    seed = "of the draw; default one that nobody knows: who knows it can guess labels from what is shown"
    action.add_argument("--seed", metavar="N", type=int, help=seed)


def _nominate(action: Parser) -> None:
    action.add_argument("team", metavar="TEAM", help="name of the team")
    choice = action.add_mutually_exclusive_group(required=True)
    choice.add_argument("--submission", metavar="ID", help="its submission that counts at the end")
    choice.add_argument("--undo", action="store_true", help="let the board's rule decide again")


def _rule(action: Parser) -> None:
    action.add_argument("--fix", action="store_true", help="fix it with its time and SHA-256")
    action.add_argument(
        "--prizes", metavar="N", type=int, default=0, help="places that win a prize; default 0"
    )
    ties = "what holds where teams share a rank; default: they share the place"
    action.add_argument("--ties", metavar="TEXT", default="teams of one rank share the place", help=ties)


def _final(action: Parser) -> None:
    freeze = "freeze the ranking with time, hashes and version; the board takes no submissions then"
    action.add_argument("--freeze", action="store_true", help=freeze)


FURTHER = {
    "rule": _rule,
    "final": _final,
    "split": _split,
    "nominate": _nominate,
    "submit": _submit,
    "phase": _phase,
    "hide": _hide,
    "members": _members,
    "attempts": _attempts,
    "show": _show,
    "publish": _publish,
    "settings": _settings,
    "exclude": _exclude,
    "team": _team,
    "facts": _facts,
    "rescore": _rescore,
    "delete": _delete,
    "export": _export,
    "import": _import,
}
