"""Runs the command line inside this process, as `python -m scoring` would, or in a fresh one."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scoring.__main__ import main

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Finished:
    """A run that ended: its exit status and what it wrote."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """Standard output, which held JSON."""
        return json.loads(self.out)


def run(*arguments: object) -> Finished:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(a) for a in arguments])
    return Finished(status, out.getvalue(), err.getvalue())


def run_fresh(*arguments: object, environment: Mapping[str, str] | None = None) -> Finished:
    done = subprocess.run(
        [sys.executable, "-m", "scoring", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr)
