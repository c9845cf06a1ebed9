"""Other people's programs that the tests compare with, in an environment of their own, made by `make
peers`."""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
INTERPRETER = ROOT / ".venv-peers" / "bin" / "python"


def asked(program: Path, request):
    """What a program of the peers' environment answers: a request as JSON on its standard input, JSON on its
    standard output.

    Skips the test where the environment could not be made; on the build server that is a failure.
    """
    if not INTERPRETER.exists():
        reason = "the programs to compare with are not installed: `make peers` makes .venv-peers"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    done = subprocess.run(
        [INTERPRETER, program],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return json.loads(done.stdout)
