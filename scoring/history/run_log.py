"""Run log: scores and saves runs from Python code, on a given test set or on a saved one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.challenges import is_known, load_challenge
from scoring.common.findings import InputRefused, error
from scoring.core.challenge import Challenge
from scoring.core.file_contents import opened
from scoring.core.scorecard import ScoreCard, plain
from scoring.history import keeping, saved_submissions
from scoring.history.saved_submissions import SavedSubmission
from scoring.inputs.sources import Source, open_source
from scoring.store.database import Store, open_store

MOST_CONFIG = 2000
"""Maximum number of characters of a run's settings, written as JSON."""


@dataclass(frozen=True)
class Run:
    """A run of a model whose predictions are to be scored and saved.

    Attributes:
        called: Name of the predictions in messages; None: the name of their file.
        name: Name of the run; "" for the file's name.
    """

    source: Source
    called: str | None
    name: str
    config: Mapping[str, Any]
    note: str


def on_truth(
    run: Run, challenge: Challenge[Any, Any], truth: Source, name: str | None, options: Mapping[str, Any]
) -> ScoreCard:
    """Score a run on a test set, and save both.

    Args:
        name: Name of the test set in messages; None: the name of its file.
        options: Options of `score`.

    Raises:
        InputRefused: If the run cannot be scored or saved; it lists all problems.
    """
    _check(run)
    files = open_source(truth, name)
    held = [(member, files.read(member)) for member in files.members]
    cases = challenge.read_truth(truth, name, **challenge.needed("truth", options))
    return _kept(open_store(), run, challenge, cases, (name or files.name, held), options)


def on_kept(run: Run, options: Mapping[str, Any]) -> ScoreCard:
    """Score a run on the newest saved test set that contains its cases, and save the run.

    Args:
        options: Options of `score`.

    Raises:
        InputRefused: With `nothing-kept` if no test set is saved; otherwise with the problems that the newest
            test set gives.
    """
    _check(run)
    store, refusal = open_store(), None
    for entry in test_sets_of(reversed(saved_submissions.saved(store, owner=keeping.LOCAL))):
        challenge, files = (
            load_challenge(entry.challenge),
            saved_submissions.files(store, entry, keeping.TRUTH),
        )
        try:
            cases = challenge.read_truth(opened(dict(files)), entry.test_set_name)
            return _kept(store, run, challenge, cases, (entry.test_set_name, files), options)
        except InputRefused as refused:
            refusal = refusal or refused
    if refusal is not None:
        raise refusal
    message = "no test set is saved: call with challenge and truth once. Benchside then saves the test set."
    raise InputRefused([error("nothing-kept", "truth", message)])


def test_sets_of(kept: Iterable[SavedSubmission]) -> list[SavedSubmission]:
    """Return one submission for each test set whose files are saved and whose challenge is known here: the
    first in the given order.

    Args:
        kept: Saved submissions, newest first.
    """
    first: dict[tuple[str, str], SavedSubmission] = {}
    for entry in kept:
        if entry.has_truth and is_known(entry.challenge):
            first.setdefault((entry.challenge, entry.test_set), entry)
    return list(first.values())


def fitting(
    store: Store, sets: Iterable[SavedSubmission], source: Source, name: str
) -> SavedSubmission | None:
    """Return the first saved test set on which the predictions can be scored; None if there is none.

    Args:
        sets: Result of `test_sets_of`.
    """
    for entry in sets:
        challenge = load_challenge(entry.challenge)
        try:
            files = dict(saved_submissions.files(store, entry, keeping.TRUTH))
            cases = challenge.read_truth(opened(files), entry.test_set_name)
            challenge.score(cases, challenge.read_predictions(source, cases, name), resamples=0)
            return entry
        except InputRefused:
            continue
    return None


def _kept(
    store: Store,
    run: Run,
    challenge: Challenge[Any, Any],
    cases: Any,
    test_set: tuple[str, Sequence[keeping.File]],
    options: Mapping[str, Any],
) -> ScoreCard:
    """Score a run on cases that were read, and keep it with the files of its test set."""
    needed = challenge.needed("predictions", options)
    read = challenge.read_predictions(run.source, cases, run.called, **needed)
    card = challenge.score(cases, read, **options)
    files = open_source(run.source, run.called)
    held = [(member, files.read(member)) for member in files.members]
    name, truth = test_set
    page = {"config": plain(run.config)} if run.config else {}
    keeping.keep(
        store,
        keeping.Keeping(card, cases, run.name or files.name, name, held, truth, page=page, note=run.note),
    )
    return card


def _check(run: Run) -> None:
    """Raise InputRefused (`bad-option`) for settings that cannot be kept."""
    try:
        written = json.dumps(plain(run.config), allow_nan=False)
        message = "" if len(written) <= MOST_CONFIG else f"it has more than {MOST_CONFIG} characters as JSON."
    except (TypeError, ValueError):
        message = (
            "it contains values that JSON cannot store: give numbers, texts, and lists of numbers or texts."
        )
    if message:
        raise InputRefused([error("bad-option", "config", message)])
    keeping.check_note(run.note)
