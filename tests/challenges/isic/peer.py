"""The official scorer in its own environment, made by `make peers`."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INTERPRETER = ROOT / ".venv-isic" / "bin" / "python"
PROGRAM = Path(__file__).with_name("official_scorer.py")


def official(jobs: Sequence[tuple[bytes, bytes, str]]) -> list[dict]:
    """What the official scorer says of each (truth, predictions, metric): its numbers, {"refused": message} or {"stopped": exception}.

    Skips the test where the environment could not be made; on the build server that is a failure.
    """
    if not INTERPRETER.exists():
        reason = "the official scorer is not installed: `make peers` makes .venv-isic"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    request = json.dumps([(truth.decode("latin-1"), predictions.decode("latin-1"), metric) for truth, predictions, metric in jobs])
    done = subprocess.run([INTERPRETER, PROGRAM], input=request, capture_output=True, text=True, encoding="utf-8", check=True)
    return json.loads(done.stdout)
