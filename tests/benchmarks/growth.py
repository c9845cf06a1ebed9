"""How processor time and memory grow with cases, classes, replicates and teams: `python -m
tests.benchmarks.growth [PICTURE.svg]`.

Every command is a process of its own, run three times, of which the median counts; what a command costs that
does nothing is taken off. The exponent is the slope of cost against size, both as logarithms, over the
largest sizes.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from scoring.presentation.figures.canvas import Canvas
from scoring.presentation.figures.theme import LIGHT
from scoring.presentation.svg.draw_figure import svg
from tests.benchmarks.test_hecktor2026 import run
from tests.support.teams import lesion_outputs, lesion_truth, outputs_table

CLASSES, ROUNDS = 8, 3
LARGEST = 3
"""Sizes over which exponents are fitted: below them lies what does not grow."""
PYTHON = (sys.executable, "-m", "scoring")


@dataclass(frozen=True)
class Growth:
    """Cost of one command by size. seconds: processor time; megabytes: peak memory."""

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]

    def exponent(self, cost: tuple[float, ...]) -> float:
        """Return k of cost ~ size^k."""
        sizes, costs = np.log(self.sizes[-LARGEST:]), np.log(np.maximum(cost[-LARGEST:], 1e-3))
        return float(np.polyfit(sizes, costs, 1)[0])


def isic_files(folder: Path, cases: int, classes: int) -> tuple[object, ...]:
    """Write truth and predictions of `cases` with scores of six decimals; return the command's options."""
    random = np.random.default_rng(0)
    names = ",".join(f"K{k:03d}" for k in range(classes))
    labels = np.r_[np.arange(classes), random.integers(0, classes, cases - classes)]
    outputs = np.round(random.random((cases, classes)) * 0.9, 6)
    hits = np.eye(classes)[labels]
    for name, rows, form in (("truth", hits, "%.1f"), ("predictions", outputs, "%.6f")):
        lines = (f"ISIC_{i:07d},{','.join(row)}" for i, row in enumerate(np.char.mod(form, rows)))
        (folder / f"{name}.csv").write_text("\n".join((f"image,{names}", *lines, "")))
    return "--truth", folder / "truth.csv", "--predictions", folder / "predictions.csv"


def of_cases(folder: Path, size: int) -> tuple[object, ...]:
    return "score", "isic", *isic_files(folder, size, CLASSES), "--resamples", 0


def of_classes(folder: Path, size: int) -> tuple[object, ...]:
    return "score", "isic", *isic_files(folder, 4000, size), "--resamples", 0


def of_replicates(folder: Path, size: int) -> tuple[object, ...]:
    return "score", "isic", *isic_files(folder, 1000, CLASSES), "--resamples", size


def of_teams(folder: Path, size: int) -> tuple[object, ...]:
    random = np.random.default_rng(0)
    truth = random.integers(0, 11, 500)
    (folder / "teams").mkdir()
    (folder / "truth.csv").write_bytes(lesion_truth(truth))
    for team in range(size):
        outputs = lesion_outputs(random, truth, 1 + 0.02 * team)
        (folder / "teams" / f"{team:04d}.csv").write_bytes(outputs_table(outputs))
    return "compare", "tricorder3", "--truth", folder / "truth.csv", folder / "teams", "--resamples", 200


SERIES: dict[str, tuple[Callable[[Path, int], tuple[object, ...]], tuple[int, ...]]] = {
    "cases": (of_cases, (12_000, 24_000, 48_000, 96_000, 192_000)),
    "classes": (of_classes, (16, 32, 64, 128, 256)),
    "replicates": (of_replicates, (1000, 2000, 4000, 8000, 16_000)),
    "teams": (of_teams, (10, 20, 40, 80)),
}


def measured() -> Iterator[Growth]:
    """Yield the cost of each series, above that of a command that does nothing."""
    idle_seconds, idle_megabytes = _median(*PYTHON, "challenges")
    for name, (prepare, sizes) in SERIES.items():
        costs = []
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                command = prepare(Path(folder), size)
                seconds, megabytes = _median(*PYTHON, *command, "--json", Path(folder) / "out.json")
            costs.append((max(seconds - idle_seconds, 1e-3), max(megabytes - idle_megabytes, 0.1)))
            print(f"{name:12}{size:>9,}{costs[-1][0]:>9.2f} s{costs[-1][1]:>9.0f} MB", flush=True)
        yield Growth(name, sizes, *(tuple(column) for column in zip(*costs, strict=True)))


def _median(*command: object) -> tuple[float, float]:
    """Return seconds of processor time and megabytes of a command."""
    seconds, megabytes = np.median([run(*command) for _ in range(ROUNDS)], axis=0)
    return float(seconds), float(megabytes)


def picture(found: list[Growth]) -> str:
    """Return the growth of time as SVG: sizes and costs as multiples of the smallest, on logarithmic axes."""
    canvas = Canvas(LIGHT, "How does processor time grow with the size of the input?", 420)
    most = max(one.sizes[-1] / one.sizes[0] for one in found)
    steps = np.linspace(1, most, 30)
    canvas.reference(np.log2(steps), np.log2(steps), "as the size")
    for one, colour in zip(found, LIGHT.categorical, strict=False):
        times = np.log2(np.array(one.sizes) / one.sizes[0])
        costs = np.log2(np.array(one.seconds) / one.seconds[0])
        name = f"{one.name} ({one.sizes[0]:,} to {one.sizes[-1]:,})"
        style = {"line": {"color": colour, "width": 2}, "marker": {"color": colour, "size": 7}}
        canvas.trace("scatter", x=times, y=costs, name=name, mode="lines+markers", **style)
    marks = {"tickvals": list(range(5)), "ticktext": [f"{2**k}" for k in range(5)], "range": [-0.2, 4.3]}
    canvas.x_axis("times the smallest size", **marks)
    canvas.y_axis("times the processor time", **marks)
    canvas.legend_above()
    return svg(canvas.figure(), alone=True)


def main() -> None:
    found = list(measured())
    print(f"\n{'':12}{'exponent of time':>18}{'of memory':>12}")
    for one in found:
        print(f"{one.name:12}{one.exponent(one.seconds):>18.2f}{one.exponent(one.megabytes):>12.2f}")
    print(f"load average: {os.getloadavg()[0]:.1f}")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(picture(found), encoding="utf-8")


if __name__ == "__main__":
    main()
