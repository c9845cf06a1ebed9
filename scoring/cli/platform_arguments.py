"""The arguments of `benchside platform ...`."""

from collections.abc import Callable

from scoring.cli import help as examples
from scoring.cli.parser import Parser, add_command

BUNDLE = "write what an organizer uploads to a platform: program, settings, truth and container"
RUNS = {
    "grand-challenge": "score as an evaluation container: reads /input, writes /output/metrics.json",
    "codabench": "score as a scoring program: reads input/res and input/ref, writes output/scores.json",
}
PLATFORMS = ("grand-challenge", "codabench", "evalai")


def fill(bundle: Callable[[Parser], None], of_platform: Parser) -> None:
    """Add the actions to the command. bundle: adds the challenges to the one that writes files."""
    actions = of_platform.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=Parser)
    epilog = examples.of_platform(of_platform.prog)
    add_command(actions, "bundle", BUNDLE, epilog).fill = bundle
    for action, words in RUNS.items():
        one = add_command(actions, action, words, epilog)
        one.is_last = True
        settings = "benchside.json, as `platform bundle` wrote it"
        one.add_argument("--settings", metavar="FILE", required=True, help=settings)
        one.add_argument("--input", metavar="FOLDER", help="what the platform gives (default: its own place)")
        one.add_argument("--output", metavar="FOLDER", help="where results go (default: its own place)")
        if action == "grand-challenge":
            one.add_argument("--truth", metavar="T", help="folder of the truth (default: its own place)")


def fill_bundle(one: Parser) -> None:
    """Add what the files of a platform are made of, but for truth and options."""
    one.add_argument("--platform", choices=PLATFORMS, required=True, help="for which platform")
    one.add_argument("--output", metavar="FOLDER", required=True, help="a new folder")
    one.add_argument("--title", metavar="TEXT", required=True, help="name of the challenge there")
    public = "participants may know the truth: messages, cases and all metrics are published, unrounded"
    one.add_argument("--public-truth", action="store_true", help=public)
    decimals = "round what is published (default 3 with a hidden truth)"
    one.add_argument("--decimals", metavar="N", type=int, help=decimals)
    metrics = "publish these metrics beside the score"
    one.add_argument("--metrics", metavar="NAME,...", default="", help=metrics)
    image = "name of the container's image"
    one.add_argument("--image", metavar="NAME", default="benchside-evaluation:latest", help=image)
