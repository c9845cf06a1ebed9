"""Random odd tables of a submission: the numbers of the published rules, from the cells as they read."""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Mapping
from random import Random

import pytest

from scoring import InputRefused
from scoring.inputs.tables import MISSING
from tests.support import odd_tables, patients
from tests.support.patients import card, labels, metrics, truth_folder
from tests.support.soak import FACTOR

SEEDS = 80 if FACTOR == 1 else 200 * FACTOR
N = 10
ROWS = [
    {
        "PatientID": f"P{i}",
        "T_stage": f"T{1 + i % 4}",
        "N_stage": f"N{i % 4}",
        "Relapse": i % 2,
        "RFS": 90 * i,
    }
    for i in range(N)
]
HEADING = ("PatientID", "T_stage", "N_stage", "risk")
SENT = [HEADING, *([f"P{i}", f"T{1 + i * 3 % 4}", f"N{i * 3 % 4}", f"{i * 7 % 10 / 10}"] for i in range(N))]
MASKS = {f"P{i}": labels(1, 2, i % 3) for i in range(N)}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
NAMES = {"patientid": "id", "tstage": "T", "nstage": "N", "rfs": "time", "rfsdays": "time"} | dict.fromkeys(
    ("risk", "prediction"), "risk"
)


def cells(data: bytes) -> list[dict[str, str]]:
    """Rows by what their column means."""
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    lines = [line for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n") if line.strip(" \t")]
    named = re.fullmatch(r"sep=(.)", lines[0])
    lines = lines[1:] if named else lines
    delimiter = named[1] if named else max(",;\t", key=lines[0].count)
    head, *rows = csv.reader(io.StringIO("\n".join(lines)), delimiter=delimiter)
    meaning = [NAMES.get(re.sub(r"[^a-z0-9]", "", name.lower()), "") for name in head]
    return [{what: cell.strip() for what, cell in zip(meaning, row, strict=False) if what} for row in rows]


def stage(kind: str, cell: str) -> str | None:
    """T1b and cT1 are T1; anything else than a stage is none."""
    found = re.fullmatch(rf"[cp]?({kind}\d)[a-d]?", cell.strip(), re.IGNORECASE)
    return found[1].upper() if found else None


def without_letters(data: bytes) -> dict[str, bool]:
    """Whether a column of stages holds nothing but numbers of stages: it is read so, and is not official."""
    filled = {k: [row[k] for row in cells(data) if row.get(k, "").lower() not in MISSING] for k in "TN"}
    return {
        k: bool(found) and all(re.fullmatch(r"[0-4](\.0)?", cell) for cell in found)
        for k, found in filled.items()
    }


def number(cell: str, delimiter_is_comma: bool) -> float | None:
    cell = cell if delimiter_is_comma or cell.count(",") != 1 or "." in cell else cell.replace(",", ".")
    return float(cell) if NUMBER.fullmatch(cell) and math.isfinite(float(cell)) else None


def restated(data: bytes) -> Mapping[str, float | None]:
    read, bare = cells(data), without_letters(data)
    read = [{k: f"{k}{v[:1]}" if v and bare.get(k) else v for k, v in row.items()} for row in read]
    is_comma = b";" not in data and b"\t" not in data
    risk = "risk" if any("risk" in row for row in read) else "time"
    rows = [
        {
            "PatientID": row["id"],
            "T_stage": stage("T", row.get("T", "")),
            "N_stage": stage("N", row.get("N", "")),
            "risk": number(row.get(risk, ""), is_comma),
        }
        for row in read
    ]
    direction = "risk" if risk == "risk" else "time"
    return metrics(ROWS, MASKS, rows, MASKS, prognosis_direction=direction)


def test_odd_tables_give_the_numbers_of_the_published_rules():
    kinds, truth = Counter[str](), truth_folder(ROWS, MASKS)
    for seed in range(SEEDS):
        data, faults = odd_tables.odd(Random(seed), SENT)
        sent = {"predictions.csv": data} | {f"masks/{p}.nii.gz": patients.mask(m) for p, m in MASKS.items()}
        try:
            found = card(truth, sent)
        except InputRefused:
            kinds["refused"] += 1
            continue
        expected = restated(data)
        told = {name: found.metrics[name] for name in ("weighted_score", "staging", "c_index")}
        assert (seed, faults, told) == (
            seed,
            faults,
            {name: pytest.approx(expected[name], abs=1e-12) for name in told},
        )
        assert found.official.same != any(without_letters(data).values())
        kinds["scored"] += 1
    assert min(kinds.values()) > SEEDS / 8, kinds
