"""Command `challenge` with the actions check, add, list, show, remove and init for challenges that files
declare."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, load_challenge
from scoring.challenges.declared import draft, library
from scoring.challenges.declared.comparison import ranked_by
from scoring.challenges.declared.draft import Draft
from scoring.challenges.declared.library import ENDING, DeclaredFile
from scoring.cli.input_reading import fix_problems, read_predictions, read_truth, submitted
from scoring.cli.output import offered, print_findings, respond, write
from scoring.common.findings import InputRefused, ProblemCollector, error
from scoring.common.text import shortened
from scoring.inputs import truth_contents
from scoring.inputs.truth_contents import TruthTable
from scoring.metrics import registry


def run(arguments: argparse.Namespace) -> None:
    """Run one of the actions for declared challenges. Raises InputRefused with every problem."""
    ACTIONS[arguments.action](arguments)


def _check(arguments: argparse.Namespace) -> None:
    """Print problems of the challenge file, the truth and the predictions, and the score of the
    predictions."""
    file, reading = DeclaredFile(Path(arguments.file), True), ProblemCollector()
    challenge, task = library.of_file(file.path), file.declaration.task
    lines = [f"{arguments.file} declares {challenge.id}: {task}, scored by {challenge.words.formula}"]
    lines[0] += f"; {challenge.scoring.direction}.{challenge.comparison.order}"
    reading.add(fix_problems(arguments), ())
    truth = read_truth(reading, challenge, arguments) if arguments.truth else None
    if truth is not None:
        lines.append(f"{arguments.truth}: {len(truth)} cases.")
    if arguments.predictions:
        sent = reading.attempt(read_predictions, challenge, submitted(arguments), truth, {})
        card = None
        if sent is not None and truth is not None and not reading.problems:
            card = reading.attempt(challenge.score, truth, sent, resamples=0, metadata=arguments.metadata)
        if card is not None:
            undefined = [f for f in card.findings if f.code == "undefined-metric"]
            reading.add((error(f.code, f.where, f.message) for f in undefined), ())
            reading.findings = [f for f in reading.findings if f not in undefined]
            lines.append(f"{arguments.predictions}: can be scored, the score is {card.score}.")
    if truth is not None:
        lacking = challenge.readers.missing_columns(truth, arguments.metadata)
        reading.add([problem for problem in lacking if problem not in reading.problems], ())
    reading.raise_problems()
    print_findings(offered(reading.findings, arguments))
    told = {"id": challenge.id, "findings": [f.as_dict() for f in reading.findings]}
    respond(arguments.json, told, "\n".join(lines))


def _list(arguments: argparse.Namespace) -> None:
    rows, lines = [], [f"{key:<22}    built-in        {row.name}" for key, row in REGISTRY.items()]
    for file in library.known():
        row: dict[str, Any] = {"id": file.name, "title": "", "task": "", "problem": None, "own": file.is_own}
        try:
            declaration = file.declaration
            row |= {"title": declaration.about.title, "task": declaration.task}
            text = f"{row['task']:<16}{row['title']}"
        except InputRefused as refused:
            row["problem"] = refused.problems[0].message
            text = f"cannot be read: {row['problem']}"
        rows.append(row)
        lines.append(f"{file.name:<22}{'own ' if file.is_own else '    '}{text}")
    respond(arguments.json, {"challenges": rows}, "\n".join(lines))


def _show(arguments: argparse.Namespace) -> None:
    name = arguments.file
    if name in REGISTRY:
        print(load_challenge(name).words.rule.strip())
        return
    file = DeclaredFile(Path(name), True) if name.endswith(ENDING) else _file(name)
    declaration = file.declaration
    if arguments.text:
        print(file.path.read_text(encoding="utf-8"), end="")
        return
    about = declaration.about
    lines = [f"{about.title} ({declaration.id}), {declaration.task}", *filter(None, [about.about])]
    for use in declaration.uses:
        part = f"{100 * use.weight:.4g} %" if use in declaration.score else "not in the score"
        lines.append(f"  {use.key:<32}{part:<11}{use.metric.better} is better. {use.metric.pitfall}")
    lines += [order.words] if (order := ranked_by(declaration)) else []
    respond(arguments.json, {"id": declaration.id, "declaration": declaration.tree}, "\n".join(lines))


def _add(arguments: argparse.Namespace) -> None:
    path = Path(arguments.file)
    target = library.add(library.read_file(path), path.name, arguments.replace)
    print(f"Added {target.stem}: {target}")


def _remove(arguments: argparse.Namespace) -> None:
    file = _file(arguments.file)
    if not file.is_own:
        message = "the challenge is part of Benchside. Only your own challenges can be removed."
        raise _refused(file.name, message)
    file.path.unlink(missing_ok=True)
    print(f"Removed {file.name}. Boards and the history keep their own copies of this file.")


def _init(arguments: argparse.Namespace) -> None:
    is_printed = arguments.output == "-"
    stem = draft.titled(Path(arguments.file if is_printed else arguments.output or arguments.file).stem)["id"]
    target = arguments.output or f"{stem}{ENDING}"
    if not is_printed and Path(target).exists():
        raise _refused(target, "this file exists already: name another one with --output.")
    truth = truth_contents.read_truth(arguments.file)
    suggested = draft.suggest(truth, stem)
    sent = truth_contents.read_truth(arguments.predictions) if arguments.predictions else None
    if isinstance(truth, TruthTable) and isinstance(sent, TruthTable):
        suggested = draft.with_sent(truth, suggested, sent)
    if sys.stdin.isatty() and sys.stdout.isatty() and not is_printed:
        suggested = _asked(suggested)
    write(target, draft.toml(suggested), "--output")
    if not is_printed:
        print("\n".join(draft.reasons(suggested)))
        command = f"benchside challenge check {shlex.quote(target)} --truth {shlex.quote(arguments.file)}"
        print(f"Written to {target}. Read it, change it, then try it: {command}")


def _asked(suggested: Draft) -> Draft:
    """Ask for title, names of the mask values, metric and its parameters. Enter accepts the suggested
    value."""
    print("\n".join(draft.reasons(suggested)), "Enter keeps the value in brackets.", sep="\n")
    title = _answer("Title", suggested["title"])
    regions = {_answer(f"Name of {v[0]}", name): v for name, v in suggested.get("regions", {}).items()}
    suggested = {**suggested, **draft.titled(title), "id": suggested["id"], "regions": regions}
    known = [metric.name for metric in registry.of_task(suggested["task"])]
    print("Metrics:", ", ".join(known))
    name = _answer("Metric", suggested["score"]["metric"])
    if name != suggested["score"]["metric"] and name in known:
        suggested = draft.with_metric(suggested, name)
    score = suggested["score"]
    print(f"Caution: {registry.find(suggested['task'], score['metric']).pitfall}")
    numbers = {key: _answer(key, value) for key, value in score.items() if not isinstance(value, str)}
    return {**suggested, "score": {**score, **numbers}}


def _answer(question: str, usual: Any) -> Any:
    """Return the typed text, or the default; for a number, only a number is accepted."""
    typed = input(f"{question} [{usual}]: ").strip()
    try:
        return type(usual)(typed) if typed else usual
    except ValueError:
        return usual


def _file(name: str) -> DeclaredFile:
    """Return the file of an id. Raises InputRefused."""
    files = {file.name: file for file in reversed([*library.known()])}
    if (found := files.get(name.partition("@")[0])) is None:
        raise _refused(shortened(name, 60), f"there is no such file. Known: {', '.join(reversed(files))}.")
    return found


def _refused(where: str, message: str) -> InputRefused:
    return InputRefused([error("bad-option", where, message)])


ACTIONS = {"check": _check, "add": _add, "list": _list, "show": _show, "remove": _remove, "init": _init}
