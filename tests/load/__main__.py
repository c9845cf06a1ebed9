"""Print how the server answers many visitors: `make load`, or `python -m tests.load --seconds 60`.

The visitors are threads of this process, on the machine of the server: together they use its processors, so
the figures are upper bounds. The load average of the minute before stands beside each.
"""

import argparse
import itertools
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from scoring.challenges import challenge_ids
from tests.browser.driver import Server, served
from tests.hostile.test_server import ALWAYS, give
from tests.inference import builders
from tests.support.visitor import Visitor

PAGES = (*challenge_ids(), "compare_teams")
PAUSE = (3.0, 8.0)
"""Seconds between two clicks of a visitor."""
RUSH, IDLE = 25, 200
HOSTILE_PAUSE = 30
"""Seconds between two hostile files."""


@dataclass
class Answers:
    """Seconds until pages were drawn, and what went wrong."""

    seconds: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def timed(self, work: Callable[[], None]) -> None:
        begun = time.perf_counter()
        try:
            work()
        except Exception as fault:  # whatever it is, it is counted
            self.faults.append(f"{type(fault).__name__}: {fault}")
        else:
            self.seconds.append(time.perf_counter() - begun)

    def percentile(self, share: float) -> float:
        return float(np.percentile(self.seconds, share)) if self.seconds else float("nan")

    def __str__(self) -> str:
        return (
            f"p50 {self.percentile(50):.2f} s, p95 {self.percentile(95):.2f} s, {len(self.seconds)} runs, "
            f"{len(self.faults)} faults"
        )


def memory(server: Server) -> float:
    """MB that the server's process holds."""
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def visitors(server: Server, count: int, at_once: int = 4) -> Iterator[list[Visitor]]:
    """So many, each with a page drawn; `at_once` of them come together."""
    with ExitStack() as stack:
        arrived = [
            stack.enter_context(Visitor(server.address, PAGES[place % len(PAGES)])) for place in range(count)
        ]
        with ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda one: one.run(), arrived))
        yield arrived


def active(server: Server, count: int, seconds: float) -> Answers:
    """Visitors who click every few seconds; one click in four opens another page."""
    answers, until = Answers(), [0.0]

    def click(one: Visitor, seed: int) -> None:
        chance = random.Random(seed)
        time.sleep(chance.uniform(0, PAUSE[1]))
        while time.monotonic() < until[0]:
            page = chance.choice(PAGES) if chance.random() < 0.25 else None
            answers.timed(partial(one.run, page))
            time.sleep(chance.uniform(*PAUSE))

    with visitors(server, count) as arrived:
        until[0] = time.monotonic() + seconds
        threads = [threading.Thread(target=click, args=(one, seed)) for seed, one in enumerate(arrived)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return answers


def rush(server: Server) -> Answers:
    """Visitors who open a page at the same moment."""
    answers, ready = Answers(), threading.Barrier(RUSH)

    def open_page(place: int) -> None:
        ready.wait()
        with ExitStack() as stack:
            answers.timed(
                lambda: stack.enter_context(Visitor(server.address, PAGES[place % len(PAGES)])).run()
            )

    with ThreadPoolExecutor(RUSH) as pool:
        list(pool.map(open_page, range(RUSH)))
    return answers


@contextmanager
def a_model_runs(server: Server) -> Iterator[None]:
    """Another visitor's slow model runs on the sample of TRICORDER-3, about a second an image."""
    with Visitor(server.address, "tricorder3") as owner:
        owner.run()
        uploader = owner.widgets["file_uploader"][1]
        owner.upload("slow.onnx", builders.large_product(1500), uploader)
        yield


@contextmanager
def hostile_files(server: Server) -> Iterator[None]:
    """Another visitor drops two of the files that once took a server down every minute."""
    over = threading.Event()

    def drop() -> None:
        for make in itertools.cycle(ALWAYS.values()):
            give(server, make())
            if over.wait(HOSTILE_PAUSE):
                return

    dropping = threading.Thread(target=drop)
    dropping.start()
    try:
        yield
    finally:
        over.set()
        dropping.join()


def measured(server: Server, seconds: float) -> Iterator[tuple[str, str, str]]:
    """What was done, what came of it, and the target."""
    rest = memory(server)
    alone = active(server, 25, seconds)
    yield "25 active", str(alone), "p95 <= 0.3 s, no fault"
    with hostile_files(server):
        yield "25 active beside hostile files", str(active(server, 25, seconds)), "p95 <= 0.3 s, no fault"
    yield "50 active", str(active(server, 50, seconds)), "p95 <= 3 s"
    yield f"rush of {RUSH}", str(rush(server)), "p95 <= 5 s"
    with a_model_runs(server):
        busy = active(server, 25, seconds)
    ratio = busy.percentile(95) / alone.percentile(95)
    yield "25 active while a model runs", f"{busy}, {ratio:.1f} times", "p95 <= 1.5 times"
    before = memory(server)
    with visitors(server, IDLE):
        yield f"{IDLE} idle", f"{memory(server) - before:+.0f} MB", "<= +100 MB"
    begun = time.monotonic()
    while memory(server) > rest + 60 and time.monotonic() < begun + 90:
        time.sleep(1)
    spent = time.monotonic() - begun
    yield "all left", f"{memory(server) - rest:+.0f} MB of before after {spent:.0f} s", "<= +60 MB in 60 s"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long visitors click (60)")
    chosen = parser.parse_args()
    with served() as server:
        with visitors(server, len(PAGES), 1):
            pass  # samples are read and scored once
        print("| what | measured | target | load average |\n|---|---|---|---|")
        for what, came, target in measured(server, chosen.seconds):
            print(f"| {what} | {came} | {target} | {os.getloadavg()[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
