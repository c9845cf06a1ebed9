"""The command about challenges that are declared in files: check, add, list, show, remove, init."""

import argparse
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, load_challenge
from scoring.challenges.declared import draft, library, suggestion
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.draft import Draft
from scoring.challenges.declared.library import ENDING, DeclaredFile
from scoring.challenges.declared.suggestion import TruthTable
from scoring.cli.output import print_findings, respond, write
from scoring.common.findings import InputRefused, ProblemCollector, error
from scoring.common.text import shortened
from scoring.core.challenge import Challenge
from scoring.metrics import registry


def run(arguments: argparse.Namespace) -> None:
    """Run one action. Raises InputRefused with every problem."""
    ACTIONS[arguments.action](arguments)


def _check(arguments: argparse.Namespace) -> None:
    """Say what is wrong with a file, with a truth, and with predictions."""
    challenge, reading = library.of_file(arguments.file), ProblemCollector()
    truth = reading.attempt(challenge.read_truth, arguments.truth) if arguments.truth else None
    if arguments.predictions:
        sent = reading.attempt(challenge.read_predictions, arguments.predictions, truth)
        if sent is not None and truth is not None and not reading.problems:
            card = reading.attempt(challenge.score, truth, sent, resamples=0, metadata=arguments.metadata)
            reading.add(_undefined(card), ())
    if truth is not None:
        lacking = challenge.readers.missing_columns(truth, arguments.metadata)
        reading.add([problem for problem in lacking if problem not in reading.problems], ())
    reading.raise_problems()
    print_findings(reading.findings)
    declaration = _declared(challenge)
    respond(
        arguments.json,
        {"id": challenge.id, "findings": [f.as_dict() for f in reading.findings]},
        f"{arguments.file} declares {challenge.id}: {declaration.task}, scored by {challenge.words.formula}.",
    )


def _undefined(card: Any) -> list[Any]:
    """Return problems where a metric is undefined on the truth."""
    found = [] if card is None else [f for f in card.findings if f.code == "undefined-metric"]
    return [error(f.code, f.where, f.message) for f in found]


def _list(arguments: argparse.Namespace) -> None:
    rows = []
    for file in library.known():
        try:
            declaration = file.declaration
            row = {
                "id": file.name,
                "title": declaration.about.title,
                "task": declaration.task,
                "problem": None,
            }
        except InputRefused as refused:
            row = {"id": file.name, "title": "", "task": "", "problem": refused.problems[0].message}
        rows.append({**row, "own": file.is_own})
    lines = [
        f"{row['id']:<22}{'own ' if row['own'] else '    '}"
        + (f"{row['task']:<16}{row['title']}" if not row["problem"] else f"cannot be read: {row['problem']}")
        for row in rows
    ]
    built_in = [f"{challenge_id:<22}    built in        {row.name}" for challenge_id, row in REGISTRY.items()]
    respond(arguments.json, {"challenges": rows}, "\n".join([*built_in, *lines]))


def _show(arguments: argparse.Namespace) -> None:
    if arguments.file in REGISTRY:
        print(load_challenge(arguments.file).words.rule.strip())
        return
    if arguments.text:
        print(_file(arguments.file).path.read_text(encoding="utf-8"), end="")
        return
    challenge = _challenge(arguments.file)
    declaration = _declared(challenge)
    lines = [f"{challenge.words.title} ({challenge.id}), {declaration.task}", declaration.about.about]
    for use in declaration.uses:
        part = f"{100 * use.weight:.4g} %" if use in declaration.score else "beside it"
        lines.append(f"  {use.key:<32}{part:<11}{use.better} is better. {use.metric.pitfall}")
    respond(
        arguments.json, {"id": challenge.id, "declaration": declaration.tree}, "\n".join(filter(None, lines))
    )


def _add(arguments: argparse.Namespace) -> None:
    path = Path(arguments.file)
    target = library.add(library.read_file(path), path.name, arguments.replace)
    print(f"Added {target.stem}: {target}")


def _remove(arguments: argparse.Namespace) -> None:
    file = _file(arguments.file)
    if not file.is_own:
        message = "it comes with Benchside and stays; only own challenges are removed."
        raise InputRefused([error("bad-option", file.name, message)])
    file.path.unlink(missing_ok=True)
    print(f"Removed {file.name}. Boards and the history keep their copies of it.")


def _init(arguments: argparse.Namespace) -> None:
    given = arguments.file if arguments.output in (None, "-") else arguments.output
    stem = draft.id_of(Path(given).stem)
    target = Path(arguments.output or f"{stem}{ENDING}")
    if target.exists() and arguments.output != "-":
        raise InputRefused(
            [error("bad-option", str(target), "it is there already: name another with --output.")]
        )
    truth = suggestion.read_truth(arguments.file)
    found = suggestion.suggest(truth, stem)
    sent = suggestion.read_truth(arguments.predictions) if arguments.predictions else None
    if isinstance(truth, TruthTable) and isinstance(sent, TruthTable):
        found = suggestion.with_sent(truth, found, sent)
    if sys.stdin.isatty() and sys.stdout.isatty() and arguments.output != "-":
        found = _asked(found)
    write(arguments.output or str(target), draft.toml(found), "--output")
    if arguments.output != "-":
        print("\n".join(draft.reasons(found)))
        print(
            f"Written to {target}. Read it, change it, then try it: "
            f"benchside challenge check {shlex.quote(str(target))} --truth {shlex.quote(arguments.file)}"
        )


def _asked(found: Draft) -> Draft:
    """Ask for title, names of the values of masks, metric and its numbers; Enter keeps what is suggested."""
    print("\n".join(draft.reasons(found)), "Enter keeps the value in brackets.", sep="\n")
    title = _answer("Title", found["title"])
    regions = {_answer(f"Name of {v[0]}", name): v for name, v in found.get("regions", {}).items()}
    found, known = (
        {**found, **draft.titled(title), "id": found["id"], "regions": regions},
        registry.of_task(found["task"]),
    )
    print("Metrics:", ", ".join(metric.name for metric in known))
    name = _answer("Metric", found["score"]["metric"])
    if name != found["score"]["metric"] and name in {metric.name for metric in known}:
        found = draft.with_metric(found, name)
    score = found["score"]
    print(f"Mind: {registry.find(found['task'], score['metric']).pitfall}")
    numbers = {key: _answer(key, value) for key, value in score.items() if not isinstance(value, str)}
    return {**found, "score": {**score, **numbers}}


def _answer(question: str, usual: Any) -> Any:
    """Return what is typed, or what is usual; of a number only a number."""
    typed = input(f"{question} [{usual}]: ").strip()
    try:
        return type(usual)(typed) if typed else usual
    except ValueError:
        return usual


def _file(name: str) -> DeclaredFile:
    """Return the file of an id. Raises InputRefused."""
    found = next((file for file in library.known() if file.name == name.partition("@")[0]), None)
    if found is None:
        known = ", ".join(file.name for file in library.known())
        raise InputRefused(
            [error("bad-option", shortened(name, 60), f"there is no such file. Known: {known}.")]
        )
    return found


def _challenge(name: str) -> Challenge[Any, Any]:
    if name.endswith(ENDING):
        return library.of_file(name)
    return library.of_file(_file(name).path)


def _declared(challenge: Challenge[Any, Any]) -> Declaration:
    declaration = library.declaration_of(challenge.id)
    assert declaration is not None, "it was just read"
    return declaration


ACTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "check": _check,
    "add": _add,
    "list": _list,
    "show": _show,
    "remove": _remove,
    "init": _init,
}
