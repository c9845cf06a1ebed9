"""Main function of `benchside`: runs the command and returns its exit status."""

import argparse
import ctypes
import gc
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import threadpoolctl

from scoring.challenges import REGISTRY
from scoring.cli import app, metrics
from scoring.cli.commands import parser
from scoring.cli.output import offered, print_findings, write
from scoring.common.findings import InputRefused
from scoring.common.text import as_json
from scoring.inference import devices
from scoring.inference.cluster.scheduler import ClusterUnusable

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Option numbers of glibc's `mallopt`."""
KEPT_BYTES, MAPPED_BYTES = 64 << 20, 32 << 20
COLLECTIONS = 50_000, 20, 20
"""Thresholds of the garbage collector. With the default thresholds, the collector would scan the cases of all
scorecards again and again, which takes a sixth of the time for comparing 200 teams."""


def tune_process() -> None:
    """Tune memory, threads and garbage collection for a short process.

    Freed memory is kept for later arrays, because requesting it again took a third of the time for a score
    with intervals. Matrices are multiplied on one thread, because threads cost more than they save for thin
    matrices. Garbage is collected rarely.
    """
    threadpoolctl.threadpool_limits(1)
    gc.set_threshold(*COLLECTIONS)
    with suppress(AttributeError, OSError, TypeError):  # where there is no glibc
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, MAPPED_BYTES)


DONE, BROKEN, REFUSED, INTERRUPTED = 0, 1, 2, 130
SIGNS = {"ok": "ok  ", "caution": "note", "fault": "FIX "}
"""State of a check of the installation -> symbol."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    Args:
        arguments: Arguments of the command line; None: those of this process.

    Returns:
        0: success, even with warnings; 1: a defect of Benchside; 2: the input was refused; 130: interrupted.
    """
    arguments_given, target = list(sys.argv[1:] if arguments is None else arguments), None
    try:
        target, parsed = _json_target(arguments_given), argparse.Namespace()
        try:
            return _run(parser().parse_args(arguments_given, parsed))
        except InputRefused as refused:
            return _refuse(refused, target, parsed)
        except ClusterUnusable as unusable:
            return _refuse(unusable.as_refusal(), target, parsed)
    except KeyboardInterrupt:
        print("cancelled", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return DONE
    except Exception as defect:  # a traceback helps nobody who has only the README
        print(f"internal error, please report it: {_place(defect)}", file=sys.stderr)
        return BROKEN


def _run(arguments: argparse.Namespace) -> int:
    if arguments.command == "challenges":
        for challenge_id, row in REGISTRY.items():
            print(f"{challenge_id:<14}{row.name}")
        return DONE
    if arguments.command == "board":
        from scoring.cli import boards

        tune_process()
        boards.run(arguments)
        return DONE
    if arguments.command == "challenge":
        from scoring.cli import declared

        declared.run(arguments)
        return DONE
    if arguments.command == "history":
        from scoring.cli import history

        history.run(arguments)
        return DONE
    if arguments.command == "platform":
        from scoring.cli import platforms

        return DONE if platforms.run(arguments) else REFUSED
    if arguments.command == "metrics":
        metrics.run(arguments)
        return DONE
    if arguments.command == "app":
        app.run(arguments)
        return DONE
    if arguments.command == "doctor":
        return DONE if _examine(arguments) else REFUSED

    tune_process()
    with devices.running_on(getattr(arguments, "device", "auto")):
        _command(arguments.command)(arguments)
    return DONE


def _command(name: str) -> Callable[[argparse.Namespace], None]:
    """Return the function of a command. The modules of other commands are not loaded."""
    if name == "compare":
        from scoring.cli import compare_command

        return compare_command.compare
    from scoring.cli import score_command

    return {"check": score_command.check, "predict": score_command.predict, "score": score_command.score}[
        name
    ]


def _examine(arguments: argparse.Namespace) -> bool:
    """Print the state of the installation, and return whether everything works."""
    from scoring.cli import doctor

    checks = doctor.examine()
    if arguments.json:
        write(arguments.json, as_json(doctor.as_document(checks)), "--json")
        return not doctor.faults(checks)
    for position, check in enumerate(checks):
        if not position or checks[position - 1].group != check.group:
            print(f"\n{check.group}" if position else check.group)
        print(f"  {SIGNS[check.state]}  {check.name}: {check.value}")
        if check.mend:
            print(f"        {check.mend}")
    return not doctor.faults(checks)


def _json_target(arguments_given: list[str]) -> str | None:
    """Return the file for the JSON output, even if the other arguments are wrong."""
    for before, argument in zip(["", *arguments_given], arguments_given, strict=False):
        if before == "--json":
            return argument
        if argument.startswith("--json="):
            return argument.removeprefix("--json=")
    return None


def _refuse(refused: InputRefused, target: str | None, arguments: argparse.Namespace) -> int:
    print_findings(offered([*refused.problems, *refused.findings], arguments))
    for line in getattr(refused, "__notes__", ()):  # what a command says last
        print(line)
    if target:
        document = {
            "problems": [p.as_dict() for p in refused.problems],
            "findings": [f.as_dict() for f in refused.findings],
        }
        try:
            write(target, as_json(document), "--json")
        except InputRefused as unwritable:
            print_findings(unwritable.problems)
    return REFUSED


def _place(defect: Exception) -> str:
    """Return the type of an error in Benchside, and the line where it was raised."""
    frame = defect.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    name = Path(frame.tb_frame.f_code.co_filename).name if frame else "?"
    return f"{type(defect).__name__} at {name}:{frame.tb_lineno if frame else 0}: {defect}"
