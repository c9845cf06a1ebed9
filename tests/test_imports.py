"""What may import what: scoring knows no page, pages compute nothing, and nothing is fetched from outside."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "scoring").rglob("*.py"))
PAGES = sorted([ROOT / "app.py", *(ROOT / "pages").rglob("*.py")])
LAYERS = (
    ("scoring.__main__", "scoring.cli", "scoring.library"),
    ("scoring.boards", "scoring.history", "scoring.platforms", "scoring.store", "scoring.access"),
    ("scoring.comparison", "scoring.presentation.html", "scoring.presentation.paper", "scoring.single_image"),
    ("scoring.challenges",),
    ("scoring.core",),
    ("scoring.inference", "scoring.presentation.figures", "scoring.presentation.svg"),
    ("scoring.inputs",),
    ("scoring.metrics",),
    ("scoring.statistics",),
    ("scoring.common", "scoring.version"),
)
"""What may import what in scoring: its own layer and those below it (docs/architecture.md)."""
PAGE_LAYERS = (
    ("app", "pages.server.navigation"),
    ("pages.challenge_tabs",),
    ("pages.challenge", "pages.history", "pages.comparison", "pages.boards", "pages.single_image_sections"),
    ("pages.input_widgets",),
    ("pages.display",),
    ("pages.server",),
)
"""Folders of pages, in the same way; above them stands a file per page. One module of the lowest is the
script that names the pages: Streamlit asks for it in a folder without a `pages/` beside it."""
OF_METRICS = ("sklearn", "scipy", "statsmodels", "torchmetrics", "scoring.metrics", "scoring.statistics")
NETWORK = (
    *("requests", "urllib.request", "urllib3", "http.client", "httpx", "aiohttp", "ftplib", "telnetlib"),
    "smtplib",
)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file's syntax tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every name that a file imports, as `package.module` and, for `from package import name`,
    `package.name`."""
    names: list[str] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
    return tuple(names)


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path: Path, modules: set[str]) -> set[str]:
    """The modules of `modules` that a file imports, wherever in the file; of `from package import module` the
    module, not the package."""
    found = {name for name in imports(path) if name in modules}
    packages = {
        node.module
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and all(f"{node.module}.{a.name}" in modules for a in node.names)
    }
    return found - packages - {module_name(path)}


def belongs(name: str, packages: tuple[str, ...]) -> bool:
    return any(name == package or name.startswith(package + ".") for package in packages)


def texts(path: Path) -> Iterator[str]:
    """The text constants of a file that are no docstrings."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in nodes(path)
        if isinstance(node, described) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


@pytest.mark.slow
def test_scoring_imports_no_page_and_no_streamlit():
    above = ("streamlit", "pages", "app", "tests", "sample_data")
    assert [(name_of(path), name) for path in MODULES for name in imports(path) if belongs(name, above)] == []


def test_no_imports_of_scoring_form_a_circle():
    modules = set(map(module_name, MODULES))
    TopologicalSorter({module_name(path): imported_modules(path, modules) for path in MODULES}).prepare()


def layer(module: str) -> int:
    return next(i for i, packages in enumerate(LAYERS) if belongs(module, packages))


def test_imports_of_scoring_point_down():
    modules = set(map(module_name, MODULES))
    assert [
        (module_name(path), name)
        for path in MODULES
        if module_name(path) != "scoring"
        for name in imported_modules(path, modules - {"scoring"})
        if layer(name) < layer(module_name(path))
    ] == []
    assert layer("scoring.cli.main") < layer("scoring.challenges.isic") < layer("scoring.inputs.tables")


def page_layer(module: str) -> int:
    """Its folder's place; a file per page stands on top."""
    if module.count(".") == 1:
        return 0
    return next(i for i, packages in enumerate(PAGE_LAYERS) if belongs(module, packages))


def test_imports_of_pages_point_down_and_form_no_circle():
    modules = set(map(module_name, PAGES))
    edges = {module_name(path): imported_modules(path, modules - {"pages"}) for path in PAGES}
    TopologicalSorter(edges).prepare()
    assert [
        (module, name)
        for module, names in edges.items()
        for name in names
        if module != "app" and page_layer(name) < page_layer(module)
    ] == []


@pytest.mark.parametrize("room", ["metrics", "statistics"])
def test_metrics_and_statistics_know_nothing_above_them(room):
    common = (f"scoring.common.{name}" for name in ("arrays", "findings", "direction_and_range"))
    allowed = ("scoring.metrics", "scoring.statistics", *common)
    modules = set(map(module_name, MODULES))
    found = [imported_modules(path, modules) for path in sorted((ROOT / "scoring" / room).glob("*.py"))]
    assert [name for names in found for name in names if not belongs(name, allowed)] == []


@pytest.mark.slow
def test_importing_all_of_scoring_loads_no_streamlit():
    names = [module_name(path) for path in MODULES if path.name != "worker.py"]
    script = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]: importlib.import_module(name)\n"
        "print(*(m for m in sys.modules if m.split('.')[0] == 'streamlit'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *names], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


def test_pages_import_no_library_of_metrics():
    assert [
        (name_of(path), name) for path in PAGES for name in imports(path) if belongs(name, OF_METRICS)
    ] == []


def test_nothing_is_fetched():
    files = [*MODULES, *PAGES]
    assert [(name_of(path), name) for path in files for name in imports(path) if belongs(name, NETWORK)] == []
    assert [
        (name_of(path), text)
        for path in files
        for text in texts(path)
        if text.startswith(("http://", "https://", "//cdn")) and "w3.org" not in text
    ] == []


def test_the_rules_can_be_broken(tmp_path):
    (tmp_path / "x.py").write_text(
        '"""See https://example.org."""\nfrom sklearn import metrics\nimport urllib.request\nURL = '
        '"https://example.org"\n'
    )
    assert set(imports(tmp_path / "x.py")) == {"sklearn", "sklearn.metrics", "urllib.request"}
    assert list(texts(tmp_path / "x.py")) == ["https://example.org"]
    assert belongs("sklearn.metrics", OF_METRICS)
    assert not belongs("sklearnex", OF_METRICS)
    assert MODULES
    assert PAGES
