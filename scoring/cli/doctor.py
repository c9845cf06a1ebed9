"""The command about the installation itself."""

import argparse

from scoring.cli.output import as_json, write
from scoring.services import doctor
from scoring.services.doctor import Check

SIGNS = {"ok": "ok  ", "caution": "note", "fault": "MEND"}


def run(arguments: argparse.Namespace) -> bool:
    """Print what the installation is and can, and return whether all of it works."""
    entries = doctor.examine()
    if arguments.json:
        write(arguments.json, as_json(doctor.as_document(entries)), "--json")
    else:
        print("\n".join(_lines(entries)))
    return not doctor.faults(entries)


def _lines(entries: list[Check]) -> list[str]:
    lines: list[str] = []
    for place, entry in enumerate(entries):
        if not place or entries[place - 1].group != entry.group:
            lines += ["", entry.group] if lines else [entry.group]
        lines.append(f"  {SIGNS[entry.state]}  {entry.name}: {entry.value}")
        if entry.mend:
            lines.append(f"        {entry.mend}")
    return lines
