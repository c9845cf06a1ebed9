"""Commands for a single submission: `check`, `predict`, `score`."""

import argparse
import csv
import io
import sys
from functools import partial
from typing import Any

from scoring.challenges import load_challenge
from scoring.cli.input_reading import (
    chosen,
    fix_problems,
    read_predictions,
    read_truth,
    statistics,
    submitted,
    without_fixes,
)
from scoring.cli.output import (
    Lines,
    closing,
    front_lines,
    print_findings,
    progress,
    write,
    write_reports,
)
from scoring.cli.terminal_tables import scorecard_table
from scoring.common.findings import Finding, InputRefused, ProblemCollector, error, warning
from scoring.common.text import as_json, is_formula, shortened
from scoring.core import options as of_options
from scoring.core.challenge import Challenge
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.inputs.sources import open_source
from scoring.version import __version__


def check(arguments: argparse.Namespace) -> None:
    """Check the input: print the findings, and whether it can be scored."""
    challenge, reading, model = load_challenge(arguments.challenge), ProblemCollector(), None
    options = chosen(arguments, challenge.options_of("score"))
    truth = read_truth(reading, challenge, arguments) if arguments.truth else None
    if arguments.model:
        inspected = reading.attempt(challenge.inspect, submitted(arguments), truth, timings=True)
        model = inspected.model if inspected else None
    else:
        _read(reading, challenge, submitted(arguments), truth, options, with_faults=True)
    wrong_options = challenge.check_options(options, arguments.model is not None)
    # A table of metadata, which `score` takes and this does not, may have the columns that lack.
    lacking = challenge.readers.missing_columns(truth, None) if truth is not None else []
    lacks = [warning(f.code, f.where, f.message) for f in lacking]
    reading.add([*wrong_options, *fix_problems(arguments)], lacks)
    if reading.problems:
        refused = InputRefused(reading.problems, reading.findings)
        if not arguments.json:
            refused.add_note(closing("would be refused", reading.problems))
        raise refused
    print_findings(reading.findings)
    if not arguments.json:
        print(closing("would be scored", ()))
    if arguments.json:
        source = {"version": __version__, "options": options}
        write(arguments.json, as_json(_document(challenge.id, reading.findings, model, source)), "--json")


def predict(arguments: argparse.Namespace) -> None:
    """Run a model and write its prediction file."""
    challenge = load_challenge(arguments.challenge)
    challenge.models("predict")
    if not arguments.images:
        raise InputRefused([error("bad-option", "--images", "name the folder or zip of the images.")])
    cases = challenge.read_images(arguments.images)
    options = chosen(arguments, challenge.options_of("predict"))
    predictions = challenge.predict(arguments.model, cases, progress=progress(), **options)
    hard, _ = challenge.readers.faults(predictions, of_options.complete(challenge.options_of("score"), {}))
    findings = [*cases.findings, *predictions.findings]
    if hard:
        raise InputRefused(without_fixes(hard), findings)
    table = challenge.prediction_table(cases, predictions)
    if isinstance(table, str):
        findings += _formulas(table, arguments.output)
    print_findings(findings)
    write(arguments.output, table, "--output")
    if arguments.json:
        document = _document(challenge.id, findings, dict(predictions.model), {"version": __version__})
        write(arguments.json, as_json(document), "--json")


def _formulas(table: str, target: str) -> list[Finding]:
    """Return `formula-id` if a spreadsheet would run ids of a prediction file as formulas. The ids stay
    unchanged, because they must match the truth."""
    ids = [row[0] for row in csv.reader(io.StringIO(table)) if row and is_formula(row[0])]
    if not ids:
        return []
    message = (
        f"{len(ids)} id{'s' * (len(ids) > 1)} such as {shortened(ids[0], 40)!r} would be read as formulas "
        "by a spreadsheet: rename the images, or do not open this file in a spreadsheet."
    )
    return [warning("formula-id", target, message)]


def score(arguments: argparse.Namespace) -> None:
    """Score predictions or a model and show the result."""
    challenge, reading = load_challenge(arguments.challenge), ProblemCollector()
    options = chosen(arguments, challenge.options_of("score"))
    settings, has_model = statistics(arguments), arguments.model is not None
    wrong_options = [
        *challenge.check_options(options, has_model),
        *fix_problems(arguments),
        *settings.problems(),
        *_keep_problems(arguments),
        *_changed_problems(arguments),
    ]
    lines, wrong = front_lines(arguments, arguments.predictions or arguments.model)
    wrong_options += wrong
    truth = read_truth(reading, challenge, arguments)
    refused = bool(reading.problems or wrong_options)
    if has_model and refused:
        reading.attempt(challenge.inspect, arguments.model, truth)
    elif has_model:
        predictions = reading.attempt(challenge.predict, submitted(arguments), truth, progress=progress())
    else:
        predictions = _read(reading, challenge, submitted(arguments), truth, options, with_faults=refused)
    reading.add(wrong_options, ())
    if reading.problems and truth is not None:
        reading.add(challenge.readers.missing_columns(truth, arguments.metadata), ())
    reading.raise_problems()
    card = challenge.score(truth, predictions, **options, **vars(settings), metadata=arguments.metadata)
    print_findings(card.findings)
    if arguments.keep:
        from scoring.cli import history  # with the database

        print(history.keep(arguments, card, truth, options), file=sys.stderr)
    write_reports(arguments, lines, partial(_report, card), partial(_paper, card))
    for output in challenge.scoring.outputs:
        if target := getattr(arguments, output.name):
            write(target, output.text(card), output.flag)
    if arguments.changed_file:
        name = open_source(arguments.predictions or arguments.model).name
        _, data = challenge.changed_file(truth, predictions, submitted(arguments), name)
        write(arguments.changed_file, data, "--changed-file")
    if arguments.json:
        write(arguments.json, card.to_json(), "--json")
    else:
        print(scorecard_table(card))


def _keep_problems(arguments: argparse.Namespace) -> list[Finding]:
    """Return `bad-option` for options that need --keep, if --keep is missing."""
    if arguments.keep:
        return []
    flags = {"--keep-truth": arguments.keep_truth, "--note": arguments.note}
    message = "nothing is saved without --keep: add --keep, or leave this option out."
    return [error("bad-option", flag, message) for flag, value in flags.items() if value]


def _changed_problems(arguments: argparse.Namespace) -> list[Finding]:
    """Return `bad-option` if a changed file is requested for a model that runs without changes."""
    if arguments.changed_file is None or arguments.predictions or arguments.edit_table:
        return []
    message = (
        "this option corrects a prediction file, but a model was given. Write its predictions with `predict`."
    )
    return [error("bad-option", "--changed-file", message)]


def _report(card: ScoreCard, lines: Lines) -> str:
    from scoring.presentation.html import html

    return html(card, lines=lines)


def _paper(card: ScoreCard, lines: Lines) -> bytes:
    from scoring.presentation.paper.archive import of_card

    return of_card(card, lines)


def _read(
    reading: ProblemCollector,
    challenge: Challenge[Any, Any],
    source: Any,
    truth: Any,
    options: Values,
    with_faults: bool,
) -> Any:
    """Read predictions. With `with_faults`, list the problems of single cases too, because nothing will be
    scored."""
    predictions = reading.attempt(read_predictions, challenge, source, truth, options)
    if predictions and with_faults:
        reading.add(*challenge.readers.faults(predictions, options))
    return predictions


def _document(challenge_id: str, findings: Any, model: Any, source: Values) -> dict[str, Any]:
    return {
        "challenge": challenge_id,
        "findings": [f.as_dict() for f in findings],
        "model": model,
        "provenance": source,
    }
