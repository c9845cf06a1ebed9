"""The arguments of `benchside history ...`."""

from scoring.cli import help as examples
from scoring.cli.parser import Parser, add_command

ACTIONS = {
    "list": "own submissions that are kept, by test set, each against the best before it",
    "show": "one of them: its scorecard",
    "note": "write a note to one of them",
    "delete": "delete some of them for good",
}


def fill(of_history: Parser) -> None:
    """Add the actions to the command."""
    actions = of_history.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    epilog = examples.of_history(of_history.prog)
    for action, words in ACTIONS.items():
        one = add_command(actions, action, words, epilog)
        one.is_last = True
        if action in ("list", "show"):
            one.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
        if action == "list":
            one.add_argument("--challenge", metavar="CHALLENGE", help="of this challenge only")
        else:
            several = {"nargs": "+"} if action == "delete" else {}
            ids = "id, or its beginning, as `history list` writes it"
            one.add_argument("kept", metavar="ID", help=ids, **several)  # type: ignore[arg-type]
        if action == "show":
            one.add_argument("--files", metavar="FOLDER", help="write the files that are kept there")
        if action == "note":
            one.add_argument("text", metavar="TEXT", help='the note; "" for none')
