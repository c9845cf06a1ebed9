"""Submissions laid out as platforms lay them out."""

import csv
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

SLUG = "predictions"


def jobs(folder: Path, answers: Mapping[str, Mapping[str, bytes]]) -> Path:
    """Write job folders of Grand Challenge. answers: case -> file below `output` -> content."""
    listing = []
    for number, (case, files) in enumerate(answers.items()):
        pk = f"pk-{number}"
        inputs = [{"interface": {"slug": "image"}, "image": {"name": f"{case}.jpg"}, "value": None}]
        listing.append({"pk": pk, "status": "Succeeded", "inputs": inputs, "outputs": []})
        for name, data in files.items():
            place = folder / pk / "output" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "predictions.json").write_text(json.dumps(listing))
    return folder


def table_answers(path: Path) -> dict[str, dict[str, bytes]]:
    """Return the rows of a table as the JSON that a job for each case would write."""
    with path.open(newline="") as file:
        first, *names = next(rows := csv.reader(file))
        assert first
        found = {}
        for case, *cells in rows:
            pairs = ", ".join(f'"{name}": {cell}' for name, cell in zip(names, cells, strict=True))
            found[Path(case).stem] = {f"{SLUG}.json": f"{{{pairs}}}".encode()}
    return found


def zipped_answers(path: Path) -> dict[str, dict[str, bytes]]:
    """Return the members of a zip as what jobs would write: `case.json`, or a folder for each case."""
    found: dict[str, dict[str, bytes]] = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            case, _, below = name.partition("/")
            found.setdefault(Path(case).stem, {})[below or f"{SLUG}.json"] = archive.read(name)
    return found


def unpacked(path: Path, folder: Path) -> Path:
    """Lay a submission out as a platform that unpacks zips does."""
    folder.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    else:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder
