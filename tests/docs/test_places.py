"""Every place that a document names is there: files and folders in code marks, and what links point to."""

import ast
import re
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TOP = {path.name for path in ROOT.iterdir()}
FILE = r"[\w./-]+/[\w.-]+\.[a-z]+"


def named(text: str) -> set[str]:
    """Return the files and folders of the project that a text names in code marks."""
    codes = re.findall(r"`([\w./-]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
    return {code for code in codes if code.split("/")[0] in TOP or re.fullmatch(FILE, code)}


def linked(text: str) -> set[str]:
    """Return what links and pictures within the project point to."""
    return {place for place in re.findall(r"\]\(([^)#\s]+)\)", text) if "://" not in place}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_place_is_there(page: Path):
    text = page.read_text(encoding="utf-8")
    places = {ROOT / place for place in named(text)} | {page.parent / place for place in linked(text)}
    assert places
    assert sorted(str(place) for place in places if not place.exists()) == []


def promises(text: str) -> list[tuple[str, list[Path], list[str]]]:
    """Return each promise of the page about security with the files and functions that hold it. A name
    without a folder lies beside the file before it; a function without a file, in the one above its table."""
    above: list[Path] = []
    found = []
    for line in text.partition("## What is promised")[2].partition("\n## Limits")[0].splitlines():
        files = [] if line.startswith("| ") else above
        codes = re.findall(r"`([\w./-]+)`", line.rpartition(" | ")[2] if line.startswith("| ") else line)
        for code in codes:
            if code.startswith("tests/"):
                files.append(ROOT / code)
            elif code.endswith(".py"):
                files.append(files[-1].with_name(code))
        if line.startswith("#"):
            above.clear()
        elif line.startswith("| ") and not line.startswith("| promise"):
            functions = [code for code in codes if re.fullmatch(r"test_\w+", code)]
            found.append((line.split("|")[1].strip(), [*files, *above], functions))
    return found


def test_every_promise_names_tests_that_are_there():
    held = promises((ROOT / "docs" / "security.md").read_text(encoding="utf-8"))
    assert len(held) > 40
    for promise, files, functions in held:
        assert files, promise
        assert [str(path) for path in files if not path.exists()] == [], promise
        code = "".join(path.read_text(encoding="utf-8") for path in files if path.is_file())
        assert [name for name in functions if f"def {name}(" not in code] == [], promise


def run_by_make_test(path: Path) -> bool:
    """Return whether a file has a test that runs without `make soak`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    marks = [ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    often = [one for one in tests if "pytest.mark.soak" not in map(ast.unparse, one.decorator_list)]
    return bool(often) and "pytest.mark.soak" not in marks


def test_what_only_make_soak_runs_is_marked_so():
    text = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    lines = [line for line in text.partition("\n## Limits")[0].splitlines() if line.startswith("| ")]
    unmarked = set()
    for line in lines:
        for place, mark in re.findall(r"`(tests/[\w/]+\.py)`((?: and `[^`]+`)? \(soak\))?", line):
            if not mark and not run_by_make_test(ROOT / place):
                unmarked.add(place)
    assert unmarked == set()


def test_the_architecture_names_every_folder_and_loose_module():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named_there = set(re.findall(r"`([\w./]+)`", text))
    scoring = {path for path in (ROOT / "scoring").glob("[!_]*") if path.is_dir() or path.suffix == ".py"}
    pages = {path for path in (ROOT / "pages").iterdir() if any(path.rglob("*.py"))} - set(
        ROOT.glob("pages/*.py")
    )
    assert [
        path.name
        for path in sorted(scoring | pages)
        if not {f"{path.parent.name}/{path.name}{'/' * path.is_dir()}", f"{path.name}/"} & named_there
    ] == []


def test_an_entry_of_the_newest_version_is_one_line_and_the_version_is_short():
    newest = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1].splitlines()
    assert len(newest) <= 60
    assert [
        line for line in newest[1:] if not re.match(r"- \S.{10,}|### (Added|Changed|Fixed)$|$", line)
    ] == []


def test_what_is_not_there_is_found():
    text = "`scoring/` `scoring/none.py` `scorng/text.py` `text.py` `a/b` [x](docs/none.md) [y](https://example.org)"
    assert named(text) == {"scoring/", "scoring/none.py", "scorng/text.py"}
    assert linked(text) == {"docs/none.md"}


def test_the_picture_of_the_architecture_is_readable_in_the_dark():
    picture = (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in picture
    assert "<title" in picture
