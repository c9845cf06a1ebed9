"""The notebooks in `examples/` run, and give what is printed in them."""

import ast
import contextlib
import io
import json
import os
import pprint

import pytest

from tests.support.command_line import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def run_cell(source: str, names: dict) -> object:
    """Run a cell and return the value of its last expression."""
    *before, last = ast.parse(source).body
    exec(compile(ast.Module([*before], []), "cell", "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    exec(compile(ast.Module([last], []), "cell", "exec"), names)
    return None


def text_of(value: object) -> str:
    """Return a value as a notebook prints it."""
    return pprint.pformat(value, sort_dicts=False) if isinstance(value, (list, dict)) else repr(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_is_printed_in_it(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    names: dict = {}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 4
    for cell in code:
        with contextlib.redirect_stdout(io.StringIO()) as written:
            value = run_cell("".join(cell["source"]), names)
        printed = ["".join(output.get("text") or output["data"]["text/plain"]) for output in cell["outputs"]]
        assert printed == list(filter(None, [written.getvalue(), "" if value is None else text_of(value)]))


def test_no_notebook_names_a_place_of_the_machine_that_made_it():
    assert NOTEBOOKS
    home = os.path.expanduser("~")
    assert [path.name for path in NOTEBOOKS if home in path.read_text(encoding="utf-8")] == []
