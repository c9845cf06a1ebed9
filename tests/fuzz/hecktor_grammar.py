"""Masks and tables of HECKTOR as other programs write them, right or with a fault: NRRD, survival curves."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from scoring.common.findings import InputRefused
from scoring.inputs.sources import FixedSource
from tests.fuzz.format_grammar import plain_csv, unpacked
from tests.hostile import inputs
from tests.hostile.inputs import Came, attempt
from tests.support import archives, volumes
from tests.support.patients import CHALLENGE, table, truth_folder

NRRD_VALUES: Mapping[str, Sequence[Any]] = {
    "type": ("float", "double", "short", "int64", "block", ""),
    "dimension": (0, 2, 4, -1, "3x"),
    "space": ("RAS", "scanner-xyz", "", None),
    "sizes": ("3 2", "3 2 2 2", "0 2 2", "-3 2 2", "30000 30000 30000", "3 2 x"),
    "space directions": ("none (0,1,0) (0,0,1)", "(1,0,0) (1,0,0) (0,0,1)", "(nan,0,0) (0,1,0) (0,0,1)"),
    "kinds": ("list domain domain", "", None),
    "endian": ("big", "x", None),
    "encoding": ("ascii", "bzip2", "hex", None),
    "space origin": ("(1e300,0,0)", "(0,0)", "none", None),
    "byte skip": (-1, 4, 10**9),
    "data file": ("p2.raw", "/etc/passwd", "LIST"),
}
NAMES = ((), ("GTVp", "GTVn"), ("GTVn", "GTVp"), ("GTVp",), ("a", "a"), ("GTVp", "GTVp"))
ROWS = [
    {"PatientID": f"P{i}", "T_stage": "T1", "N_stage": "N0", "Relapse": 1, "RFS": 100 + i} for i in range(4)
]
STAGING = table([{name: row[name] for name in ("PatientID", "T_stage", "N_stage")} for row in ROWS])
TRUTH = truth_folder(ROWS, {str(row["PatientID"]): inputs.TUMOUR for row in ROWS})
TIMES = ("30", "365", "730")
CELLS = ("", "nan", "inf", "-1", "2", "1e999", "30", "P0", "T1")


def nrrd(random: Random, touched: Callable[[Random, bytes], bytes]) -> bytes:
    """A mask of Slicer or MITK with one field, segment or byte changed."""
    field = random.choice((*NRRD_VALUES, "", "", ""))
    changes: dict[str, Any] = {"encoding": random.choice(("raw", "gzip"))}
    if field:
        changes["lines"] = {field: random.choice(NRRD_VALUES[field])}
    if random.random() < 0.3:
        value = random.choice((1, 2, 3, -1, "2", 2**70, None, []))
        changes["groups"] = random.choice(([], {}, [{"labels": [{"name": "GTVn", "value": value}]}]))
    offset = random.choice(((0, 0, 0), (0, 0, 0), (1, 0, 0), (-1, 0, 0), (99, 0, 0)))
    layers = random.random() < 0.2
    data = volumes.nrrd(inputs.TUMOUR, random.choice(NAMES), offset, layers=layers, **changes)
    return data if field and random.random() < 0.8 else touched(random, data)


def read_nrrd(data: bytes) -> Came:
    return inputs.masks(data, "p1.seg.nrrd")


def survival(random: Random, touched: Callable[[Random, bytes], bytes]) -> bytes:
    """Curves beside stages, as lifelines, scikit-survival or pycox write them, with a fault or two."""
    names = [str(row["PatientID"]) for row in ROWS]
    curves = [sorted((random.random() for _ in TIMES), reverse=True) for _ in names]
    by_time = [[time, *map(str, row)] for time, row in zip(TIMES, zip(*curves, strict=True), strict=True)]
    by_patient = [[name, *map(str, row)] for name, row in zip(names, curves, strict=True)]
    rows = random.choice(
        ([["", *names], *by_time], [["", *TIMES], *by_patient], [["", "0", "1", "2", "3"], *by_time])
    )
    for _ in range(random.choice((0, 1, 1, 2))):
        row = random.choice(rows)
        row[random.randrange(len(row))] = random.choice(CELLS)
    data = plain_csv(rows)
    prognosis = touched(random, data) if random.random() < 0.2 else data
    return archives.archive_of({"staging.csv": STAGING, "prognosis.csv": prognosis})


def read_survival(data: bytes) -> Came:
    """Read and score; where a refusal offers fixes, read with each of them too."""
    files = unpacked(data)

    def work() -> object:
        truth = CHALLENGE.read_truth(TRUTH)
        try:
            return CHALLENGE.score(truth, CHALLENGE.read_predictions(files, truth), resamples=0)
        except InputRefused as refusal:
            for fix in (fix for problem in refusal.problems for fix in problem.fixes):
                source = FixedSource(files, fix.changes)
                attempt(lambda source=source: CHALLENGE.read_predictions(source, truth))
            raise

    return attempt(work)
