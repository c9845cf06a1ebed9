"""Print the table of docs/statistics.md: `python -m tests.simulations --runs 2000 --seconds 20`."""

import argparse
import json
import os
from collections.abc import Iterator

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")

from tests.simulations.cells import TEAMS, UNITS, Cell, simulate  # noqa: E402
from tests.simulations.designs import CHALLENGES, RESAMPLES  # noqa: E402


def lines(cells: list[Cell]) -> Iterator[str]:
    """The table, a line per challenge, number of units and number of teams."""
    yield "| score | units | teams | runs | test | told apart wrongly | power | too high by: equal | spread |"
    yield "|---|---|---|---|---|---|---|---|---|"
    rows: dict[tuple[str, int, int], dict[str, Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.challenge, cell.units, cell.teams), {})[cell.design] = cell
    for (challenge, units, teams), by_design in rows.items():
        runs = " / ".join(str(cell.runs) for cell in by_design.values())
        equal, lead, spread = (by_design.get(design) for design in ("equal", "lead", "spread"))
        test = next(iter(by_design.values())).test
        yield (
            f"| {challenge} | {units} | {teams} | {runs if test else ''} | {test or 'none'} "
            f"| {_percent(equal and equal.wrong)} | {_percent(lead and lead.power)} "
            f"| {_ratio(equal)} | {_ratio(spread)} |"
        )


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _ratio(cell: Cell | None) -> str:
    return (
        "" if cell is None or cell.estimate is None or not cell.truth else f"{cell.estimate / cell.truth:.2f}"
    )


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=2000)
    arguments.add_argument("--seconds", type=float, default=20, help="after which a cell is left")
    arguments.add_argument("--challenge", nargs="*", default=list(CHALLENGES))
    arguments.add_argument("--units", nargs="*", type=int, default=UNITS)
    arguments.add_argument("--teams", nargs="*", type=int, default=TEAMS)
    arguments.add_argument("--design", nargs="*", default=("equal", "lead", "spread"))
    arguments.add_argument("--resamples", type=int, default=RESAMPLES, help="of each comparison")
    arguments.add_argument("--log", help="a JSON line per cell goes there")
    given = arguments.parse_args()
    cells = []
    for design in given.design:
        for teams in given.teams:
            for units in given.units:
                for challenge in given.challenge:
                    found = simulate(
                        challenge, units, teams, design, given.runs, given.seconds, given.resamples
                    )
                    cells.append(found)
                    if given.log:
                        with open(given.log, "a", encoding="utf-8") as log:
                            log.write(json.dumps(vars(cells[-1])) + "\n")
    print("\n".join(lines(cells)))


if __name__ == "__main__":
    main()
