"""Dropped tables until their score: recognised, read in confined processes and scored, in CPU seconds of all
processes.

Run with `make benchmark`. Intervals follow the first score of a page, and are not counted.
"""

import os
import resource
from collections.abc import Iterator

import pytest

import scoring
from scoring.challenges.recognition import recognise
from scoring.common import transport
from scoring.inference.reader_pool import ReaderPool
from tests.benchmarks.test_reruns import drawn

MOST = {1_000: 1.0, 100_000: 4.0}
"""Seconds that tables of so many rows may take."""


@pytest.fixture
def readers() -> Iterator[ReaderPool]:
    pool = ReaderPool()
    pool.warm()
    transport.use(pool.run)
    yield pool
    transport.use(None)
    pool.close()


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def scored(files: dict[str, bytes]) -> float:
    """Return the score of a truth and predictions that were dropped together, as the app computes it."""
    parts = {part.readings[0].place: part for part in recognise(files)}
    truth, submission = (parts[place].source for place in ("truth", "submission"))
    challenge = scoring.load_challenge(parts["truth"].readings[0].challenge)
    cases = challenge.read_truth(truth, "truth.csv")
    predictions = challenge.read_predictions(submission, cases, "predictions.csv")
    return challenge.score(cases, predictions, resamples=0).score


@pytest.mark.parametrize("rows", MOST)
@pytest.mark.parametrize("name", ["tricorder3", "melanoma", "isic"])
def test_dropped_tables_to_their_score(readers, tmp_path, name, rows):
    truth, predictions = drawn(name, tmp_path, rows)
    scored(dict(zip(("truth.csv", "predictions.csv"), drawn(name, tmp_path, 100), strict=True)))  # imports
    before = cpu_seconds()
    assert 0 < scored({"predictions.csv": predictions, "truth.csv": truth}) <= 1
    readers.close()  # their CPU time is counted once they have ended
    taken = cpu_seconds() - before
    print(f"\n{name}, {rows:,} rows (load {os.getloadavg()[0]:.0f}): {taken:.2f} s")
    assert taken <= MOST[rows]
