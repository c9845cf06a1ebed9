"""Versions that must be the same on every machine of a cluster.

This module imports nothing of Benchside, because it also runs on machines on which Benchside is not
installed; its code is sent to them.
"""

import hashlib
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

OF_SCHEDULER = ("python", "dask", "distributed", "cloudpickle")
PACKAGES = (
    "cloudpickle",
    "dask",
    "distributed",
    "numpy",
    "onnx",
    "onnxruntime",
    "pillow",
    "pydicom",
    "scipy",
)


def versions() -> dict[str, str]:
    """Return the versions of the relevant packages by name, "missing" for packages that are not installed.
    For Benchside, a digest of its code stands in place of a version."""
    by_name = {"python": _version("python"), "processor": platform.machine()}
    by_name |= {name: _version(name) for name in PACKAGES}
    spec = find_spec("scoring")
    places = list(spec.submodule_search_locations or ()) if spec else []
    by_name["benchside"] = _digest(Path(places[0])) if places else "missing"
    return by_name


def of_scheduler() -> dict[str, str]:
    """Return the relevant versions of a scheduler."""
    return {name: _version(name) for name in OF_SCHEDULER}


def of_worker() -> dict[str, str]:
    """Return the versions of a worker's software. They are cached after the first chunk of work."""
    module = sys.modules.get("scoring.inference.cluster.scheduler")
    return versions() if module is None else dict(module.own_versions())


def _version(name: str) -> str:
    if name == "python":
        return ".".join(platform.python_version_tuple()[:2])
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.read_bytes())
    return f"code {digest.hexdigest()[:8]}"


def differences(there: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """Return as text which versions differ between two machines."""
    return [
        f"{name} is {there[name]} there and {here.get(name, 'missing')} here"
        for name in there
        if there[name] != here.get(name, "missing")
    ]
