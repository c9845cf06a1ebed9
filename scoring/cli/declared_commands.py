"""Actions of `benchside challenge`: their help and arguments."""

from scoring.cli.refusing_parser import Parser, add_action

ACTIONS = {
    "check": "say what is wrong with a file, with a truth and with predictions",
    "init": "write a first file from the columns or the masks of a truth; on a terminal it asks",
    "add": "keep a file among own challenges: its id then stands for it",
    "list": "list own challenges and the gallery",
    "show": "say what a challenge scores, and what misleads in its metrics",
    "remove": "remove an own challenge; boards and the history keep what they need of it",
}


def fill(of_challenge: Parser) -> None:
    """Add the actions to the command."""
    actions = of_challenge.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    for action, about in ACTIONS.items():
        command = add_action(actions, of_challenge, action, about)
        command.is_last = True
        if action in ("check", "list", "show"):
            command.add_argument("--json", metavar="FILE", help="write JSON there, - for standard output")
        if action == "init":
            command.add_argument("file", metavar="TRUTH", help="truth: a table, or masks in a folder or zip")
            command.add_argument("--output", metavar="FILE.toml", help="file that is written, - to print it")
        elif action != "list":
            known = "or id" if action in ("show", "remove") else ""
            command.add_argument("file", metavar="FILE.toml", help=f"file {known} of the challenge")
        if action == "check":
            command.add_argument("--truth", metavar="T", help="a truth, which is read as the file says")
            command.add_argument("--predictions", metavar="P", help="a submission, which is tried on it")
            command.add_argument("--metadata", metavar="FILE", help="table joined to the truth by case id")
        if action == "add":
            command.add_argument("--replace", action="store_true", help="in place of one of the same id")
        if action == "show":
            command.add_argument("--text", action="store_true", help="print the file itself")
