"""The committed samples as they lie in their folders."""

import csv
from pathlib import Path

import numpy as np

import sample_data

ROOT = Path(sample_data.__file__).parent


def table(path: Path) -> list[list[str]]:
    """Header and rows."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def columns(path: Path) -> dict[str, list[str]]:
    header, *rows = table(path)
    return dict(zip(header, zip(*rows, strict=True), strict=True))


def team(name: str, folder: Path) -> np.ndarray:
    """Cases x columns."""
    return np.array([row[1:] for row in table(folder / "teams" / f"{name}.csv")[1:]], float)
