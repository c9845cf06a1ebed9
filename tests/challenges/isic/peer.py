"""The official scorer in the environment of the peers."""

from collections.abc import Sequence
from pathlib import Path

from tests.support import peer

PROGRAM = Path(__file__).with_name("official_scorer.py")


def official(jobs: Sequence[tuple[bytes, bytes, str]]) -> list[dict]:
    """What the official scorer says of each (truth, predictions, metric): its numbers, {"refused": message}
    or {"stopped": exception}."""
    return peer.asked(
        PROGRAM,
        [
            (truth.decode("latin-1"), predictions.decode("latin-1"), metric)
            for truth, predictions, metric in jobs
        ],
    )


def official_numbers(cells: Sequence[str]) -> list[float]:
    """What its reader, pandas, makes of cells with numbers."""
    return peer.asked(PROGRAM.with_name("official_reader.py"), list(cells))
