"""Examples below the help of every command."""

from typing import Any

from scoring.core.challenge import Challenge


def of_program(prog: str) -> str:
    """Return examples of the whole program."""
    return _examples(
        f"{prog} challenges",
        f"{prog} check melanoma --predictions predictions.csv",
        f"{prog} score melanoma --truth labels.csv --predictions predictions.csv --html report.html",
        f"{prog} score melanoma --help",
    )


def of_command(prog: str) -> str:
    """Return examples of a command without its challenge."""
    return _examples(f"{prog} tricorder3 --help", f"{prog} isic --help")


def of_challenge(prog: str, command: str, challenge: Challenge[Any, Any]) -> str:
    """Return examples of a command of a challenge."""
    several = challenge.inputs.submission.several
    truth, one, ending = (
        "test_set.zip",
        "submission.zip" if several else "predictions.csv",
        "zip" if several else "csv",
    )
    made = {
        "check": [f"--predictions {one}", f"--truth {truth} --predictions {one} --json findings.json"],
        "predict": ["--model model.onnx --images images.zip --output predictions.csv"],
        "score": [
            f"--truth {truth} --predictions {one}",
            f"--truth {truth} --predictions {one} --html report.html --json scorecard.json",
        ],
        "compare": [
            f"--truth {truth} alpha=alpha.{ending} beta=beta.{ending}",
            f"--truth {truth} submissions.zip --without-refused --html comparison.html",
        ],
        "board create": [
            f'--id lesions-2026 --title "Lesions 2026" --truth {truth}',
            f'--id lesions-2026 --title "Lesions 2026" --truth {truth} --counts best',
        ],
        "platform bundle": [
            f'--platform codabench --title "Lesions 2026" --truth {truth} --output codabench',
            f'--platform grand-challenge --title "Lesions 2026" --truth {truth} --output container',
        ],
    }[command]
    if challenge.model is not None and command in ("check", "score"):
        made.append(f"--truth {truth} --model model.onnx")
    return _examples(*(f"{prog} {arguments}" for arguments in made))


def of_board(prog: str) -> str:
    """Return examples of the command about boards."""
    return _examples(
        f'{prog} create melanoma --id lesions-2026 --title "Lesions 2026" --truth labels.csv',
        f"{prog} submit lesions-2026 --team alpha --predictions alpha.csv",
        f"{prog} submit lesions-2026 submissions/      (folders team/2026-01-31/file)",
        f"{prog} phase lesions-2026 --name final --opens 2026-02-01 --closes 2026-02-14 --per-day 2",
        f"{prog} show lesions-2026 --html board.html",
        f"{prog} rescore lesions-2026 --truth corrected.csv",
        f"{prog} export lesions-2026 lesions-2026.zip",
    )


def of_history(prog: str) -> str:
    """Return examples of the command about what is kept."""
    return _examples(
        f"{prog.removesuffix(' history')} score melanoma --truth labels.csv --predictions model-3.csv --keep",
        f"{prog} list",
        f"{prog} show 3f2a --files folder",
        f'{prog} note 3f2a "with colour jitter"',
        f"{prog} delete 3f2a",
    )


def of_platform(prog: str) -> str:
    """Return examples of the command about platforms."""
    bundle = '--title "Lesions 2026" --truth labels.csv --output codabench'
    return _examples(
        f"{prog} bundle melanoma --platform codabench {bundle}",
        f"{prog} codabench --settings benchside.json --input input --output output",
        f"{prog} grand-challenge --settings benchside.json --input input --truth truth --output output",
    )


def of_plain(*lines: str) -> str:
    """Return examples that are the same everywhere, a line each."""
    return _examples(*lines)


def _examples(*lines: str) -> str:
    return "\n".join(["examples:", *(f"  {line}" for line in lines)])
