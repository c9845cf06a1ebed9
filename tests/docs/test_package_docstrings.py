"""Every module and function that the docstring of a package names is there."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

PACKAGES = sorted(path.parent for top in ("scoring", "pages") for path in (ROOT / top).rglob("__init__.py"))
LISTED = [path for path in PACKAGES if path.name not in ("scoring", "versions")]
NAME = re.compile(r"`([a-z_][\w.]*)`")


def defined(module: Path) -> set[str]:
    """Return the names that a module binds at its top level."""
    bound = set()
    for node in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            bound.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound.update(target.id for target in targets if isinstance(target, ast.Name))
    return bound


def is_there(folder: Path, parts: list[str]) -> bool:
    """Tell whether dotted parts lead from a folder to a package, a module or what a module binds."""
    if not parts:
        return True
    first, *rest = parts
    if (folder / first).is_dir():
        return is_there(folder / first, rest)
    module = folder / f"{first}.py"
    if module.is_file():
        return not rest or (len(rest) == 1 and rest[0] in defined(module))
    return not rest and (folder / "__init__.py").is_file() and first in defined(folder / "__init__.py")


def missing(package: Path) -> list[str]:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    dotted = [name for name in NAME.findall(text) if "." in name and not name.endswith((".toml", ".json"))]
    return [
        name
        for name in dotted
        if not is_there(ROOT if name.startswith(("scoring.", "pages.")) else package, name.split("."))
    ]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_name_in_a_package_docstring_is_there(package: Path):
    assert missing(package) == []


def test_a_name_that_is_not_there_is_found(tmp_path: Path):
    (tmp_path / "__init__.py").write_text('"""Totals: `sums.total`, `sums.mean`, `means.mean`."""')
    (tmp_path / "sums.py").write_text("def total(): ...\n")
    assert missing(tmp_path) == ["sums.mean", "means.mean"]


@pytest.mark.parametrize("package", LISTED, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_docstring_names_every_module(package: Path):
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    named = {part for name in NAME.findall(text) for part in name.split(".")}
    assert sorted({path.stem for path in package.glob("[!_]*.py")} - named) == []
