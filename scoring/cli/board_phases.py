"""The actions about phases of a board, its settings and its refused files."""

import argparse
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from scoring.cli.board_tables import phase_lines
from scoring.cli.output import answer
from scoring.common.findings import Finding, InputRefused, error
from scoring.services.boards import phases, refused, settings, submitting
from scoring.services.boards.board import opened
from scoring.services.boards.phases import Phase
from scoring.services.store import tables
from scoring.services.store.database import Store

NONE = "none"
"""Takes a time or a limit away."""


def phase(store: Store, arguments: argparse.Namespace) -> None:
    """Add, change, remove or list phases."""
    board = opened(store, arguments.board)
    known = {one.name: one for one in phases.phases(store, board.row.id)}
    values, problems = _values(arguments)
    if arguments.name is None and (values or problems or arguments.remove):
        problems.append(error("bad-option", "--name", "name the phase."))
    if arguments.remove and values:
        problems.append(error("bad-option", "--remove", "it goes without times and limits."))
    if problems:
        raise InputRefused(problems)
    if arguments.remove:
        phases.remove(store, board.row.id, arguments.name)
    elif arguments.name is not None:
        before = known.get(arguments.name, Phase(arguments.name))
        phases.define(store, board.row.id, replace(before, **values))
    found = phases.phases(store, board.row.id)
    words = phase_lines(found) or "No phases: submissions are taken at any time, without limits."
    answer(arguments.json, {"board": board.row.id, "phases": [one.as_dict() for one in found]}, words)


def change_settings(store: Store, arguments: argparse.Namespace) -> None:
    """Change what may be changed of a board, and say how it is."""
    row = settings.change(
        store, arguments.board, arguments.title, arguments.counts, arguments.keep_refused
    ).row
    kept = "kept" if row.keep_refused else "not kept"
    words = f"{row.title} ({row.id}): the {row.counts} submission counts; refused files are {kept}."
    value = {"id": row.id, "title": row.title, "counts": row.counts, "keep_refused": row.keep_refused}
    answer(arguments.json, {"board": value}, words)


def list_refused(store: Store, arguments: argparse.Namespace) -> None:
    """List the refused files that are kept."""
    board = opened(store, arguments.board)
    found = refused.listed(board)
    words = "\n".join(
        f"{one['time'][:16].replace('T', ' ')}  {one['team']}: {one['file']}, {one['submission']}\n"
        + "\n".join(f"    {p['code']} {p['where']}: {p['message']}" for p in one["problems"])
        for one in found
    )
    none = "No refused files are kept."
    if not board.row.keep_refused:
        none += " This board does not keep them: `board settings BOARD --keep-refused` changes that."
    answer(arguments.json, {"board": board.row.id, "refused": found}, words or none)


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], list[Finding]]:
    """Return what is set, by field of a phase, and what cannot be read."""
    values: dict[str, Any] = {}
    problems: list[Finding] = []
    for field in ("opens", "closes", "per_day", "total"):
        text, flag = getattr(arguments, field), "--" + field.replace("_", "-")
        if text is None:
            continue
        if text == NONE:
            values[field] = None
        elif field in ("opens", "closes"):
            values[field] = submitting.time_of(text)
            if values[field] is None:
                words = f"{text[:60]!r} is no time: write 2026-01-31 or 2026-01-31T18:00 (UTC), or none."
                problems.append(error("bad-option", flag, words))
            elif field == "closes" and len(text.strip()) == phases.DAY:
                values[field] = _day_after(values[field])
        elif text.isascii() and text.isdigit():
            values[field] = int(text)
        else:
            words = f"{text[:60]!r} is no number of submissions: write one from 1 on, or none."
            problems.append(error("bad-option", flag, words))
    return values, problems


def _day_after(time: str) -> str:
    """Return the end of the day that begins at a time: a day that is named to close belongs to the phase."""
    return tables.written(datetime.fromisoformat(time) + timedelta(days=1))
