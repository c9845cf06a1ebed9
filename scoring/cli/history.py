"""Command `history`: lists, shows, annotates, renames and deletes your own saved submissions."""

import argparse
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from scoring.challenges import REGISTRY, is_named, load_challenge
from scoring.cli.input_reading import submitted
from scoring.cli.output import respond, write
from scoring.cli.terminal_tables import scorecard_table
from scoring.common.findings import InputRefused, error, writing
from scoring.common.fixes import InputChanges
from scoring.common.text import shortened
from scoring.comparison import score_units as scales
from scoring.core.challenge import Challenge
from scoring.core.options import Values
from scoring.core.scorecard import ScoreCard
from scoring.history import keeping, saved_submissions
from scoring.history.saved_submissions import SavedSubmission, Step, series, steps
from scoring.history.views import difference, time_of
from scoring.inputs.sources import FixedSource, open_source
from scoring.store.database import Store, is_there, open_store
from scoring.store.secure_delete import finish_left


def run(arguments: argparse.Namespace) -> None:
    """Run one of the `history` actions. Raises InputRefused with every problem."""
    if arguments.action == "list" and not is_there():
        respond(arguments.json, {"series": []}, "Nothing is saved yet: `score --keep` saves a submission.")
        return
    store = open_store()
    finish_left(store)
    ACTIONS[arguments.action](store, arguments)


def keep(arguments: argparse.Namespace, card: ScoreCard, truth: object, options: Values) -> str:
    """Save a scored submission, and return a line about it.

    Args:
        options: Options of `score`.

    Raises:
        InputRefused: If the submission cannot be saved.
    """
    path = arguments.predictions or arguments.model
    entry, before = keeping.keep(
        open_store(),
        keeping.Keeping(
            card,
            truth,
            open_source(path).name,
            open_source(arguments.truth).name,
            keeping.files_at(path),
            keeping.files_at(arguments.truth) if arguments.keep_truth else (),
            page={"as_kept": _changes(arguments, load_challenge(card.challenge), options)},
            note=arguments.note,
        ),
    )
    return f"{'Was saved before' if before else 'Saved'}: {entry.id}."


def _changes(
    arguments: argparse.Namespace, challenge: Challenge[Any, Any], options: Values
) -> list[dict[str, Any]]:
    """Return as one fix all changes that the command line makes to how files are read and scored."""
    source = submitted(arguments) if arguments.predictions else None
    changes = source.changes if isinstance(source, FixedSource) else InputChanges()
    usual = {option.name: option.default for option in challenge.options_of("score")}
    other = tuple((name, value) for name, value in options.items() if value != usual.get(name))
    changes = replace(changes, options=other)
    label = "Read and score the submission as it was when saved"
    return [{"label": label, "changes": asdict(changes)}] if changes else []


def _list(store: Store, arguments: argparse.Namespace) -> None:
    entries, chosen = saved_submissions.saved(store), arguments.challenge
    if chosen is not None:  # any version of a challenge that is declared in a file
        wanted = load_challenge(chosen).id if chosen.endswith(".toml") else chosen
        entries = [
            entry for entry in entries if wanted in (entry.challenge, entry.challenge.partition("@")[0])
        ]
    if chosen is not None and not entries and not is_named(chosen):
        named, known = shortened(chosen, 40), ", ".join(REGISTRY)
        message = f"there is no challenge {named!r}: choose from {known}."
        raise InputRefused([error("bad-option", "--challenge", message)])
    groups = [steps(store, group) for group in series(entries)]
    value = {"series": [_as_value(group) for group in groups]}
    message = "\n\n".join(map(_table, groups)) or "Nothing is saved yet: `score --keep` saves a submission."
    respond(arguments.json, value, message)


def _as_value(group: list[Step]) -> dict[str, Any]:
    last = group[-1].entry
    return {
        "challenge": last.challenge,
        "test_set": last.test_set_name,
        "test_set_sha256": last.test_set,
        "rules": dict(last.rules),
        "kept": [step.as_dict() for step in group],
    }


def _table(group: list[Step]) -> str:
    """Return a series of saved submissions as lines, oldest first."""
    last = group[-1].entry
    of = scales.of(load_challenge(last.challenge))
    lines = [f"{last.challenge}, {shortened(last.test_set_name, 60)}"]
    lines.append(
        f"{'id':<14}{'saved (UTC)':<18}{'score':>8}   {'95% interval':<19}difference from the earlier best"
    )
    for step in group:
        entry = step.entry
        interval = of.span(entry.interval) if entry.interval else ""
        lines.append(
            f"{entry.id:<14}{time_of(entry):<18}{of.number(entry.score):>8}   {interval:<19}"
            f"{difference(step.change, of) or 'first submission'}"
        )
        lines.append(f"{'':<14}{shortened(entry.name, 60)}{_note(entry)}")
    return "\n".join(lines)


def _note(entry: SavedSubmission) -> str:
    return f": {shortened(entry.about, 120)}" if entry.about else ""


def _show(store: Store, arguments: argparse.Namespace) -> None:
    entry = saved_submissions.saved_submission(store, arguments.kept)
    if arguments.files:
        _write_files(store, entry, arguments.files)
    card = saved_submissions.card_of(store, entry)
    respond(
        arguments.json,
        entry.as_dict() | {"card": card.as_dict()},
        f"{_about(entry)}\n\n{scorecard_table(card)}",
    )


def _about(entry: SavedSubmission) -> str:
    return f"{entry.id}, saved {time_of(entry)} UTC: {shortened(entry.name, 60)}{_note(entry)}"


def _write_files(store: Store, entry: SavedSubmission, folder: str) -> None:
    """Write the saved files of an entry into a folder. Raises InputRefused."""
    named = [
        file for input_name in keeping.PLACES for file in saved_submissions.files(store, entry, input_name)
    ]
    if not named:
        message = "this submission has no files, because it is a sample."
        raise InputRefused([error("nothing-kept", entry.id, message)])
    for name, data in named:
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        target = Path(folder).joinpath(*parts)
        with writing(target, "--files"):
            target.parent.mkdir(parents=True, exist_ok=True)
        write(str(target), data, "--files")


def _write_note(store: Store, arguments: argparse.Namespace) -> None:
    entry = keeping.write_note(
        store, saved_submissions.saved_submission(store, arguments.kept).id, arguments.text
    )
    print(_about(entry))


def _rename(store: Store, arguments: argparse.Namespace) -> None:
    entry = saved_submissions.saved_submission(store, arguments.kept)
    print(_about(keeping.rename(store, entry.id, arguments.name)))


def _delete(store: Store, arguments: argparse.Namespace) -> None:
    submissions = [saved_submissions.saved_submission(store, kept_id) for kept_id in arguments.kept]
    ids = {entry.id for entry in submissions}
    count, heirs = keeping.delete(store, list(ids))
    print(f"Deleted permanently. Submissions: {len(ids)}. Stored files: {count}.")
    for heir in heirs:
        name = shortened(heir.test_set_name, 60)
        print(f"The test set {name} stays: submission {heir.id} needs it.")


ACTIONS: dict[str, Callable[[Store, argparse.Namespace], None]] = {
    "list": _list,
    "show": _show,
    "note": _write_note,
    "rename": _rename,
    "delete": _delete,
}
