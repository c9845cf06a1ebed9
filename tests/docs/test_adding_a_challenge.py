"""The tutorial is carried out: its files are written into a copy of the project, then used."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import tutorial
from tests.support.command_line import ROOT
from tests.support.tutorial import CLASSES, FILES, REGISTRY, TEAMS, macro_f1, python

ALPHA = list(enumerate(TEAMS["alpha"]))
DEFINITION = "scoring/challenges/smears/definition.py"
OPEN_PAGES = """
from pathlib import Path
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from scoring.challenges import REGISTRY
scanned = manifest_scanner.scan_component_manifests()  # else anew at every visit: 0.2 s
manifest_scanner.scan_component_manifests = lambda: scanned
others = {*REGISTRY} - {"smears"}
for other in others:
    del REGISTRY[other]
others.add("single_image")  # it takes models of the others
for name in sorted({path.stem for path in Path("pages").glob("*.py")} - others):
    app = AppTest.from_file(str(Path.cwd() / "pages" / "server" / "navigation.py"), default_timeout=120)
    app.query_params["challenge"] = "Smears"
    app.switch_page(f"../{name}.py").run()
    assert not app.exception, (name, app.exception[0].message, app.exception[0].stack_trace)
    assert not app.error, (name, app.error[0].value)
    print("PAGE", name)
    for kind in ("title", "header", "markdown", "metric", "info"):
        print(*(element.value for element in getattr(app, kind)), sep="\\n")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """A copy of the project in which the tutorial was followed."""
    copy = tutorial.copied(tmp_path_factory.mktemp("project"))
    before = {path: path.read_bytes() for path in copy.rglob("*.py")}
    tutorial.added(copy)
    changed = [path for path, text in before.items() if path.read_bytes() != text]
    assert [str(path.relative_to(copy)) for path in changed] == [REGISTRY], "only the registry is touched"
    return copy


def run(project: Path, *arguments: object) -> str:
    """Run Python in the copy; gives its standard output."""
    return python(project, *arguments).stdout


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
    assert found["score"] == pytest.approx(macro_f1(TEAMS["alpha"]), abs=1e-12)
    assert found["intervals"]["score"][0] <= found["score"] <= found["intervals"]["score"][1]
    html = report.read_text(encoding="utf-8")
    assert "Blood smears, four classes of white cells" in html
    assert all(name in html for name in CLASSES)


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


def test_job_folders_are_read_as_the_table(project, tmp_path):
    jobs = [{"pk": f"job{i}", "inputs": [{"image": {"name": f"{case}.png"}}]} for i, (case, _) in ALPHA]
    folder, card = tmp_path / "jobs", tmp_path / "card.json"
    for i, (_, name) in ALPHA:
        (folder / f"job{i}" / "output").mkdir(parents=True)
        (folder / f"job{i}" / "output" / "class.json").write_text(json.dumps(name))
    (folder / "predictions.json").write_text(json.dumps(jobs))
    truth = project / "sample_data" / "smears" / "labels.csv"
    files = ("--truth", truth, "--predictions", folder, "--json", card)
    run(project, "-m", "scoring", "score", "smears", *files, "--resamples", 0)
    assert json.loads(card.read_text())["score"] == pytest.approx(macro_f1(TEAMS["alpha"]), abs=1e-12)


def test_every_page_opens_where_it_has_no_samples(tmp_path):
    """Where it has, they open in tests/test_directions.py."""
    copy = tutorial.copied(tmp_path)
    (line,) = (line for line in FILES[DEFINITION].splitlines() if "samples=" in line)
    tutorial.added(copy, edits={f"{line}\n": ""})
    said = dict(part.split("\n", 1) for part in run(copy, "-c", OPEN_PAGES).split("PAGE ")[1:])
    for page in ("smears", "compare_teams"):
        assert "Drop a test set to begin: this challenge comes without a sample." in said[page]
    assert "Blood smears" in said["overview"]


def test_what_is_tested_of_every_challenge_holds_of_it(project):
    driven = [
        str(path.relative_to(ROOT))
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        if "challenge_ids()" in (text := path.read_text(encoding="utf-8")) or "REGISTRY" in text
        if not {"browser", "benchmarks", "pages"} & {*path.parts} and "tutorial" not in text
    ]
    assert len(driven) > 12
    done = python(project, "-m", "pytest", "-k", "smears", "-m", "not soak", *driven)
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) >= 20


def test_the_example_is_small():
    lines = [line for name, text in FILES.items() if name.endswith(".py") for line in text.splitlines()]
    assert len(lines) < 260
    assert max(map(len, lines)) <= 110
