"""The size of a comparison: pairs of teams grow with the square of the teams, memory and time should not."""

import json
import subprocess
import sys

import numpy as np
import pytest

MEASURED = r"""
import json, re, sys, time
from pathlib import Path
from scoring.cli.main import main
status = main(sys.argv[1:])
# Not ru_maxrss: a process that was started with vfork begins with its parent's.
kilobytes = int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])
print(json.dumps([status, kilobytes / 1000, time.process_time()]), file=sys.stderr)
"""


@pytest.fixture
def compared(tmp_path):
    """Return what compares teams of two classes in a process of its own, and gives its exit status, largest
    resident memory in MB and processor time."""

    def run(teams: int, cases: int, *more: str) -> list[float]:
        random = np.random.default_rng([31, teams])
        labels, names = random.permutation(cases) % 2, [f"c{k:04d}" for k in range(cases)]
        truth = tmp_path / "truth.csv"
        truth.write_text("filename,label\n" + "".join(map("{},{}\n".format, names, labels)))
        (tmp_path / "teams").mkdir()
        for team in range(teams):
            scores = np.clip(labels * 0.4 + random.normal(0.3, 0.2 + team / teams / 5, cases), 0, 1)
            rows = "".join(map("{},{:.5f}\n".format, names, scores))
            (tmp_path / "teams" / f"team{team:04d}.csv").write_text(f"filename,score\n{rows}")
        command = ["compare", "melanoma", "--truth", str(truth), str(tmp_path / "teams"), *more]
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, *command], capture_output=True, text=True, timeout=600
        )
        return json.loads(done.stderr.splitlines()[-1])

    return run


@pytest.mark.parametrize(
    ("teams", "cases", "most_mb", "most_seconds"),
    [(150, 40, 220, 10), pytest.param(1000, 200, 500, 20, marks=pytest.mark.soak)],
)
def test_many_teams_take_little_memory_and_time(compared, tmp_path, teams, cases, most_mb, most_seconds):
    report = tmp_path / "report.html"
    status, mb, seconds = compared(teams, cases, "--html", str(report))
    assert status == 0
    assert f"{teams} teams" in report.read_text()
    assert (mb < most_mb, seconds < most_seconds) == (True, True), (mb, seconds)


def test_all_pairs_of_many_teams_are_written_some_at_a_time(compared, tmp_path):
    target = tmp_path / "comparison.json"
    status, mb, _ = compared(120, 30, "--json", str(target))
    pairs = json.loads(target.read_text())["pairs"]
    assert (status, len(pairs), len({(pair["a"], pair["b"]) for pair in pairs})) == (0, 7140, 7140)
    assert mb < 195, mb
