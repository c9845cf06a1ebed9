"""Command `platform`: scores inside a platform's container, or writes the bundle to upload."""

import argparse
import sys
from pathlib import Path

from scoring.challenges import load_challenge
from scoring.cli.input_reading import chosen, statistics
from scoring.common.findings import writing
from scoring.platforms import platform_scoring
from scoring.platforms.evaluation import DECIMALS, PlatformSettings, SubmissionRefused, read_settings


def run(arguments: argparse.Namespace) -> bool:
    """Run one of the `platform` actions, and return whether it succeeded. Raises InputRefused with every
    problem of the settings."""
    if arguments.action == "bundle":
        _bundle(arguments)
        return True
    settings = read_settings(arguments.settings)
    try:
        if arguments.action == "codabench":
            folder, output = arguments.input or "/app/input", arguments.output or "/app/output"
            platform_scoring.score_codabench(settings, Path(folder), _folder(output))
        else:
            folder, truth = (
                arguments.input or platform_scoring.INPUT,
                arguments.truth or platform_scoring.TRUTH,
            )
            output = _folder(arguments.output or platform_scoring.OUTPUT)
            platform_scoring.score_grand_challenge(settings, Path(folder), Path(truth), output)
    except SubmissionRefused as refused:
        _refuse(refused)
        return False
    return True


def _folder(path: str | Path) -> Path:
    """Return a folder to write to. Raises InputRefused if the path is not a folder."""
    folder = Path(path)
    with writing(folder, "--output"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _refuse(refused: SubmissionRefused) -> None:
    """Write every problem to standard error. The last line summarises them, because platforms show only one
    line."""
    first, *others = str(refused).splitlines()
    print(refused, file=sys.stderr)
    if others:
        text = f"The submission is refused: {len(refused.problems)} problems, first {first}"
        print(text, file=sys.stderr)


def _bundle(arguments: argparse.Namespace) -> None:
    from scoring.platforms.platform_bundles import Order, write_bundle

    challenge, is_public = load_challenge(arguments.challenge), arguments.public_truth
    decimals = arguments.decimals if is_public or arguments.decimals is not None else DECIMALS
    settings = PlatformSettings(
        challenge.id,
        chosen(arguments, challenge.options_of("score")),
        vars(statistics(arguments)),
        is_public,
        decimals,
        tuple(name.strip() for name in arguments.metrics.split(",") if name.strip())
        or (order.metrics if (order := challenge.comparison.ranked_by) else ()),
        dict(socket.partition("=")[::2] for socket in arguments.socket),
    )
    made = Order(settings, arguments.truth, arguments.title, arguments.image, metadata=arguments.metadata)
    steps = write_bundle(arguments.platform, made, Path(arguments.output))
    print(f"Written to {arguments.output}. Next:")
    for number, step in enumerate(steps, 1):
        print(f"{number}. {step}")
