"""What starting costs: libraries that take long to import are loaded when they are first used."""

import subprocess
import sys
from pathlib import Path

import pytest

from scoring.challenges import REGISTRY

ROOT = Path(__file__).parents[1]
SLOW = (
    *("alembic", "onnx", "onnxruntime", "pandas", "plotly", "rich", "shapely", "sklearn", "sqlalchemy"),
    "statsmodels",
)
# Any submodule of scipy takes as long as NumPy; `import scipy` loads one when it is first used.
SLOW_PARTS = tuple(
    f"scipy.{name}" for name in ("ndimage", "optimize", "sparse", "spatial", "special", "stats")
)


def loaded(statement: str) -> list[str]:
    """Slow libraries and parts that are loaded after `statement`."""
    script = f"{statement}\nimport sys\nprint(*sorted({{*{SLOW + SLOW_PARTS!r}}} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    "modules",
    ["scoring, scoring.cli.main, scoring.cli.output", ", ".join(row.package for row in REGISTRY.values())],
)
def test_an_import_loads_no_slow_library(modules):
    assert loaded(f"import {modules}") == []


@pytest.mark.parametrize("version", [(3, 10, 13), (3, 9, 0)])
def test_an_older_python_is_refused_before_any_library_is_imported(version):
    script = (
        f"import runpy, sys; sys.version_info = {version}; sys.modules['numpy'] = None; "
        "sys.argv = ['benchside']; runpy.run_module('scoring', run_name='__main__')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    told = f"Benchside needs Python 3.11 or newer; this is {'.'.join(map(str, version))}.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_metrics_and_statistics_load_no_slow_library():
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for room in ("metrics", "statistics")
        for path in sorted((ROOT / "scoring" / room).glob("[a-z]*.py"))
    ]
    assert len(names) > 20
    assert loaded(f"import {', '.join(names)}") == []


def test_slow_libraries_are_seen():
    assert "scipy.special" in loaded("import scipy\nscipy.special.ndtr(0)")
