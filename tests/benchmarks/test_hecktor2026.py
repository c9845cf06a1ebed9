"""HECKTOR 2026: intervals of the C-index against loops of lifelines and scikit-survival, 15 teams, and whole
commands on large masks.

Run with `make benchmark`; the loops need `make peers`. `extra_info` holds CPU seconds and, for commands, peak
memory above a start that does nothing.
"""

import gzip
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import scoring
from scoring.metrics import survival
from scoring.statistics import intervals
from scoring.statistics.replicates import replicate_weights
from tests.support import peer
from tests.support.patients import CHALLENGE, labels, submission_folder, table, truth_folder
from tests.support.volumes import nifti

PATIENTS, TEAMS, RESAMPLES = 400, 15, 1000
SHAPE, FEW, DRAWN = (512, 512, 160), 20, 4
PLAIN = """
import sys
from pathlib import Path
import nibabel, numpy as np
truth, found, values = Path(sys.argv[1]), Path(sys.argv[2]), []
for path in sorted((truth / "masks").iterdir()):
    masks = (nibabel.load(folder / "masks" / path.name) for folder in (truth, found))
    true, guess = (np.asanyarray(mask.dataobj) for mask in masks)
    for label in (1, 2):
        t, g = true == label, guess == label
        values.append(2 * np.count_nonzero(t & g) / max(1, np.count_nonzero(t) + np.count_nonzero(g)))
print(np.mean(values))
"""
MEASURED = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def rows(random: np.random.Generator, n: int) -> list[dict]:
    return [
        {
            "PatientID": f"P{i:03d}",
            "CenterID": "ABC"[i % 3],
            "T_stage": f"T{random.integers(1, 5)}",
            "N_stage": f"N{random.integers(4)}",
            "Relapse": int(random.random() < 0.25),
            "RFS": int(random.exponential(900)),
        }
        for i in range(n)
    ]


def guessed(random: np.random.Generator, n: int) -> list[dict]:
    columns = ("PatientID", "T_stage", "N_stage")
    return [{name: row[name] for name in columns} | {"risk": random.normal()} for row in rows(random, n)]


@pytest.fixture(scope="module")
def prognosis():
    random = np.random.default_rng(1)
    risk = random.normal(size=PATIENTS)
    return {
        "time": np.ceil(random.exponential(900 * np.exp(-risk))),
        "event": random.random(PATIENTS) < 0.25,
        "risk": risk,
    }


def interval(prognosis) -> list[float]:
    weights = next(replicate_weights(np.arange(PATIENTS), RESAMPLES, 0))
    return intervals.percentile(survival.c_index(survival.pairs(*prognosis.values(), weights)))


@pytest.mark.parametrize("program", ["lifelines", "scikit-survival"])
def test_interval_by_a_loop(benchmark, prognosis, program):
    request = {name: values.tolist() for name, values in prognosis.items()} | {"program": program}
    said = benchmark.pedantic(peer.asked, (Path(__file__).with_name("survival_loops.py"), request), rounds=1)
    benchmark.extra_info["cpu_seconds"] = said["cpu_seconds"]
    assert said["interval"] == pytest.approx(interval(prognosis), abs=1e-12)


@pytest.mark.benchmark(timer=time.process_time)
def test_interval(benchmark, prognosis):
    low, high = benchmark(interval, prognosis)
    assert 0.5 < low < high < 1


@pytest.mark.benchmark(timer=time.process_time)
def test_fifteen_teams_whose_masks_are_counted(benchmark):
    random = np.random.default_rng(0)
    patients = rows(random, PATIENTS)
    truth = CHALLENGE.read_truth(
        truth_folder(patients, {row["PatientID"]: labels(*random.integers(0, 3, 8)) for row in patients})
    )
    teams = {}
    for team in range(TEAMS):
        masks = {patient: labels(*random.integers(0, 3, 8)) for patient in truth.ids}
        teams[f"team {team:02d}"] = CHALLENGE.read_predictions(
            submission_folder(guessed(random, PATIENTS), masks), truth
        )
    found = benchmark.pedantic(
        scoring.compare, (CHALLENGE, truth, teams), {"resamples": RESAMPLES}, rounds=3, warmup_rounds=1
    )
    assert len(found.as_dict()["teams"]) == TEAMS


def written(folder: Path, n: int) -> Path:
    """Truth and submission with large masks: some label maps, each given to many patients."""
    random = np.random.default_rng(0)
    for side, name, content in (
        ("truth", "clinical.csv", rows(random, n)),
        ("found", "predictions.csv", guessed(random, n)),
    ):
        (folder / side / "masks").mkdir(parents=True)
        (folder / side / name).write_bytes(table(content))
        packed = [gzip.compress(nifti(tumours(random)), 6) for _ in range(DRAWN)]
        for i in range(n):
            (folder / side / "masks" / f"P{i:03d}.nii.gz").write_bytes(packed[i % DRAWN])
    return folder


def tumours(random: np.random.Generator) -> np.ndarray:
    """A primary tumour and two nodes."""
    found, axes = np.zeros(SHAPE, np.uint8), np.indices(SHAPE, sparse=True)
    for label, radius in ((1, 22), (2, 12), (2, 9)):
        centre = np.array([256, 256, 80]) + random.integers(-60, 60, 3)
        found[
            sum(
                ((axis - c) / (radius, radius, radius / 3)[k]) ** 2
                for k, (axis, c) in enumerate(zip(axes, centre, strict=True))
            )
            <= 1
        ] = label
    return found


def run(*arguments: object) -> tuple[float, float]:
    """CPU seconds and peak MB of a command. A small program starts it, for a process begins with the peak of
    the one that it is forked from."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        cwd=peer.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    cpu, peak = map(float, done.stdout.split())
    return cpu, peak


def above_start(benchmark, start: tuple, *arguments: object) -> None:
    (cpu, peak), (idle_cpu, idle_peak) = benchmark.pedantic(run, arguments, rounds=1), run(*start)
    benchmark.extra_info["cpu_seconds"] = cpu - idle_cpu
    benchmark.extra_info["peak_mb"] = peak - idle_peak


def our_command(folder: Path) -> tuple:
    files = "--truth", folder / "truth", "--predictions", folder / "found"
    return sys.executable, "-m", "scoring", "score", "hecktor2026", *files, "--json", folder / "card.json"


OUR_START = sys.executable, "-m", "scoring", "challenges"


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return written(tmp_path_factory.mktemp("few"), FEW)


def test_few_patients_by_nibabel_and_numpy(benchmark, few):
    above_start(
        benchmark,
        (sys.executable, "-c", "import nibabel"),
        sys.executable,
        "-c",
        PLAIN,
        few / "truth",
        few / "found",
    )


def test_few_patients(benchmark, few):
    above_start(benchmark, OUR_START, *our_command(few))


def test_four_hundred_patients(benchmark, tmp_path):
    above_start(benchmark, OUR_START, *our_command(written(tmp_path, PATIENTS)))
