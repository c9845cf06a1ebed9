"""The tutorial is carried out: its files are written into a copy of the project, then used."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import ROOT

PAGE = (ROOT / "docs" / "adding-a-challenge.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL))
(ROW,) = re.findall(r"```python row\n(.*?)```", PAGE, re.DOTALL)
REGISTRY = "scoring/challenges/__init__.py"
CLASSES = ("eosinophil", "lymphocyte", "monocyte", "neutrophil")
TRUTH = [(f"s{i:02}", CLASSES[i * i % 7 % 4]) for i in range(40)]
ALPHA = [(case, "lymphocyte" if name == "monocyte" else name) for case, name in TRUTH]
BETA = [(case, "neutrophil" if i % 5 == 0 else name) for i, (case, name) in enumerate(TRUTH)]
OPEN_PAGE = """
import sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_file(sys.argv[1], default_timeout=120)
app.query_params.update(dict(argument.split("=") for argument in sys.argv[2:]))
app.run()
assert not app.exception, app.exception[0].stack_trace
for kind in ("title", "header", "markdown", "metric"):
    print(*(element.value for element in getattr(app, kind)), sep="\\n")
"""


def csv(rows: list[tuple[str, str]]) -> str:
    return "case,class\n" + "".join(f"{case},{name}\n" for case, name in rows)


def macro_f1(rows: list[tuple[str, str]]) -> float:
    """The score, restated in plain loops."""
    scores = []
    for name in CLASSES:
        pairs = [(true == name, called == name) for (_, true), (_, called) in zip(TRUTH, rows, strict=True)]
        hits, called, members = (
            sum(a and b for a, b in pairs),
            sum(b for _, b in pairs),
            sum(a for a, _ in pairs),
        )
        scores.append(2 * hits / (called + members) if called + members else 0.0)
    return sum(scores) / len(scores)


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project in which the tutorial was followed."""
    copy = tmp_path_factory.mktemp("project")
    for folder in ("scoring", "pages", ".streamlit"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "sample_data").mkdir()
    for sample in ("tricorder3", "melanoma", "isic2018", "isic2019", "puma", "hecktor2026"):
        (copy / "sample_data" / sample).symlink_to(ROOT / "sample_data" / sample)
    before = {path: path.read_bytes() for path in copy.rglob("*.py")}
    for name, text in FILES.items():
        assert not (copy / name).exists()
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text(text, encoding="utf-8")
    registry = (copy / REGISTRY).read_text(encoding="utf-8")
    start, end = re.search(r"^REGISTRY = \{\n", registry, re.MULTILINE), "\n}\n"
    place = registry.index(end, start.end()) + 1
    (copy / REGISTRY).write_text(registry[:place] + ROW + registry[place:], encoding="utf-8")
    sample = copy / "sample_data" / "smears"
    (sample / "teams").mkdir()
    for name, rows in (("labels", TRUTH), ("teams/alpha", ALPHA), ("teams/beta", BETA)):
        (sample / f"{name}.csv").write_text(csv(rows))
    changed = [path for path, text in before.items() if path.read_bytes() != text]
    assert [str(path.relative_to(copy)) for path in changed] == [REGISTRY], "only the registry is touched"
    return copy


def run(project: Path, *arguments: object) -> str:
    """Run Python in the copy; gives its standard output."""
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project), "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_tutorial_names_what_a_challenge_needs():
    homes = {name.split("/")[0] for name in FILES}
    assert homes == {"scoring", "pages", "sample_data"}
    assert {name.rsplit("/", 1)[0] for name in FILES if name.startswith("scoring")} == {
        "scoring/challenges/smears"
    }
    assert [name for name in FILES if name.startswith("pages")] == ["pages/smears.py"]


def test_the_command_line_scores_and_reports_it(project, tmp_path):
    sample, card, report = (
        project / "sample_data" / "smears",
        tmp_path / "card.json",
        tmp_path / "report.html",
    )
    assert "smears        Blood smears" in run(project, "-m", "scoring", "challenges")
    common = ("-m", "scoring", "score", "smears", "--truth", sample / "labels.csv")
    common = (*common, "--predictions", sample / "teams" / "alpha.csv", "--resamples", 50)
    run(project, *common, "--json", card, "--html", report)
    found = json.loads(card.read_text())
    assert found["score"] == pytest.approx(macro_f1(ALPHA), abs=1e-12)
    assert found["intervals"]["score"][0] <= found["score"] <= found["intervals"]["score"][1]
    html = report.read_text(encoding="utf-8")
    assert "Blood smears, four classes of white cells" in html
    assert all(name in html for name in CLASSES)


def test_teams_are_compared(project, tmp_path):
    sample, target, report = project / "sample_data" / "smears", tmp_path / "c.json", tmp_path / "c.html"
    teams = [f"{name}={sample / 'teams' / name}.csv" for name in ("alpha", "beta")]
    common = ("-m", "scoring", "compare", "smears", "--truth", sample / "labels.csv", *teams)
    run(project, *common, "--resamples", 50, "--json", target, "--html", report)
    found = {team["team"]: team["score"] for team in json.loads(target.read_text())["teams"]}
    assert found == {
        "alpha": pytest.approx(macro_f1(ALPHA), abs=1e-12),
        "beta": pytest.approx(macro_f1(BETA), abs=1e-12),
    }
    assert "alpha" in report.read_text(encoding="utf-8")


def test_every_problem_of_a_file_is_refused_at_once(project, tmp_path):
    (tmp_path / "wrong.csv").write_text("case,class\ns00,cat\ns01,dog\n")
    truth = project / "sample_data" / "smears" / "labels.csv"
    arguments = ("--truth", truth, "--predictions", tmp_path / "wrong.csv")
    done = subprocess.run(
        [sys.executable, "-m", "scoring", "score", "smears", *map(str, arguments)],
        cwd=project,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 2
    codes = [line.split()[1] for line in done.stderr.splitlines()]
    assert codes[:3] == ["bad-label", "bad-label", "missing-case"]


def test_its_page_opens_on_the_sample(project):
    shown = run(project, "-c", OPEN_PAGE, project / "pages" / "smears.py")
    assert "Blood smears, four classes of white cells" in shown
    assert f"{macro_f1(ALPHA):.3f}" in shown or f"{100 * macro_f1(ALPHA):.1f}" in shown


def test_the_page_of_comparisons_takes_it(project):
    shown = run(project, "-c", OPEN_PAGE, project / "pages" / "compare_teams.py", "challenge=Smears")
    assert "Blood smears" in shown
    assert "Alpha" in shown


def test_the_example_is_small():
    lines = [line for name, text in FILES.items() if name.endswith(".py") for line in text.splitlines()]
    assert len(lines) < 260
    assert max(map(len, lines)) <= 110
