"""Figures of a benchmark beside its time: ratios, seconds of the other program and the load average."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def figures(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Print what a benchmark stores in `extra_info` as soon as it ends; its table comes after the last."""
    benchmark = request.getfixturevalue("benchmark") if "benchmark" in request.fixturenames else None
    yield
    if benchmark is not None:
        stored = {"load": round(os.getloadavg()[0], 1)} | benchmark.extra_info
        written = ", ".join(
            f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
            for name, value in stored.items()
        )
        with capsys.disabled():
            print(f"\n{request.node.name}: {written}")
