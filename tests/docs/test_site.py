"""The documentation as a site: it builds without a warning, fetches nothing, and its first commands run."""

import contextlib
import html
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import scoring
from scoring import __all__ as names
from scoring.challenges import REGISTRY, samples
from scoring.cli.commands import parser
from scoring.metrics import registry
from scoring.statistics.interval_options import StatisticsOptions
from tests.support import schemas
from tests.support.command_line import ROOT, run

RULES = schemas.SCHEMAS["scorecard.schema.json"]["allOf"]
NAMED = (rule["if"]["properties"].get("challenge", {}).get("const") for rule in RULES if "if" in rule)
DESCRIBED = [name for name in NAMED if name]
"""Challenges whose keys the schema describes; another may have any."""
STARTS = sorted((ROOT / "docs").glob("for-*.md"))


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_every_challenge_command_and_name_has_its_place(site):
    assert [key for key in REGISTRY if not (site / "challenges" / key / "index.html").exists()] == []
    commands = (site / "reference" / "command-line" / "index.html").read_text(encoding="utf-8")
    assert {"benchside app", "benchside board rescore", "benchside platform bundle"} <= set(
        re.findall(r"<code>(benchside [a-z -]+)</code>", commands)
    )
    python = (site / "reference" / "python" / "index.html").read_text(encoding="utf-8")
    assert [name for name in names if name != "__version__" and f"scoring.{name}<" not in python] == []


def help_of(*command: str) -> str:
    """Return what `--help` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as written, contextlib.suppress(SystemExit):
        parser().parse_args([*command, "--help"])
    return written.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "score", "compare", "board create"])
def test_the_options_of_every_challenge_are_shown(site, command):
    page = (site / "reference" / "command-line" / "index.html").read_text(encoding="utf-8")
    part = page.split(f"<code>benchside {command}</code>", 1)[1].split("<code>benchside ", 1)[1]
    part = part.split("<code>benchside", 1)[0]
    written = dict.fromkeys(re.findall(r"<td><code>(--[a-z-]+)", part))
    for challenge_id in REGISTRY:
        known = re.findall(r"^  (--[a-z-]+)", help_of(*command.split(), challenge_id), re.M)
        assert len(known) > 8
        assert set(known) - set(written) == set(), challenge_id
    assert command == "check" or "default 1000" in part


def shown(page: Path) -> str:
    """Return the text of a page as a reader sees it."""
    found = page.read_text(encoding="utf-8").split("<article", 1)[1].split("</article>", 1)[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", found)).split())


@pytest.mark.slow
def test_signatures_are_those_of_the_functions_and_docstrings_are_text(site):
    page = site / "reference" / "python" / "index.html"
    text, source = shown(page), page.read_text(encoding="utf-8")
    taken = inspect.signature(scoring.score).parameters
    blocks = (html.unescape(re.sub(r"<[^>]+>", "", block)) for block in source.split("<pre>")[1:])
    lines = next(block for block in blocks if block.startswith("score(")).splitlines()
    parameters = [line.strip(" ,").partition(":")[0] for line in lines[1 : len(taken) + 2]]
    assert parameters == ["challenge", "*", *list(taken)[1:-1], "**options"]
    assert "Args:" not in text
    assert "`" not in text
    for name in (*StatisticsOptions.__dataclass_fields__, "model_size_mib", "pairs_metric", "submitted_only"):
        assert f"<td><code>{name}</code></td>" in source, name
    assert "<td><code>1000</code></td>" in source
    assert "<td><code>float | None</code></td>" in source


@pytest.mark.slow
def test_metrics_and_notebooks_have_their_pages(site):
    page = (site / "reference" / "metrics" / "index.html").read_text(encoding="utf-8")
    for task in registry.TASKS:
        part = page.split(f'<h2 id="{task}">', 1)[1].split("<h2", 1)[0]
        rows = re.findall(r"<tr>\s*<td><code>(\w+)</code></td>\s*<td>(.+?)</td>", part)
        listed = dict(rows[: len(registry.of_task(task))])
        assert list(listed) == [metric.name for metric in registry.of_task(task)]
        assert all(metric.title in html.unescape(listed[metric.name]) for metric in registry.of_task(task))
    for link, place in (
        ("own-challenge", "../reference/metrics/"),
        ("for-participants", "../examples/score_and_read/"),
    ):
        assert f'href="{place}"' in (site / link / "index.html").read_text(encoding="utf-8")
    for path in (ROOT / "examples").glob("*.ipynb"):
        assert (site / "examples" / path.name).read_bytes() == path.read_bytes()
        assert "import scoring" in shown(site / "examples" / path.stem / "index.html")
    assert [
        path for path in site.rglob("*") if path.suffix in (".py", ".pyc") or path.name == "__pycache__"
    ] == []


def test_the_number_of_public_challenges_is_that_of_the_gallery():
    number = len(list((ROOT / "scoring" / "challenges" / "declared" / "gallery").glob("*.toml")))
    for path in (ROOT / "README.md", ROOT / "docs" / "own-challenge.md"):
        assert re.findall(
            r"(\d+) (?:included files for )?public challenges", path.read_text(encoding="utf-8")
        ) == [str(number)], path


def test_the_samples_of_an_installed_package_are_found(tmp_path):
    page = (ROOT / "docs" / "for-participants.md").read_text(encoding="utf-8")
    command = shlex.split(re.findall(r"^python (-c .+)$", page, re.M)[0])
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert (Path(done.stdout.strip()) / "melanoma" / "labels.csv").exists()


def keys_of(value: object, place: str = "") -> Iterator[str]:
    """Yield the keys of a JSON text as the page of JSON files writes them."""
    if isinstance(value, list):
        for entry in value:
            yield from keys_of(entry, f"{place}[]")
    elif isinstance(value, dict):
        for key, entry in value.items():
            name = f"{place}.{key}".removeprefix(".")
            yield name
            yield from keys_of(entry, name)


@pytest.mark.slow
@pytest.mark.parametrize("challenge", DESCRIBED)
def test_the_keys_of_a_card_and_a_comparison_have_a_meaning(site, challenge):
    page = (site / "reference" / "json" / "index.html").read_text(encoding="utf-8")
    test_set = next(iter(samples.test_sets(challenge).values()))
    teams = {name: team.path for name, team in test_set.submissions.items() if not team.is_model}
    first = next(iter(teams.values()))
    card = scoring.score(challenge, truth=test_set.path, predictions=first, resamples=0).as_dict()
    compared = scoring.compare(challenge, test_set.path, dict([*teams.items()][:2]), resamples=20)
    own = page.split(f">scorecard.json of {challenge}<", 1)[1].split("<h3", 1)[0]
    of_files = page.split(">comparison.json<", 1)[1].split(">scorecard.json<", 1)[0]
    named = {*keys_of(card["cases"], "cases"), *keys_of(card.get("points", {}), "points")}
    told = set(re.findall(r"<td><code>([^<]+)</code></td>\n<td>[^\n]+</td>\n<td>[^<\n]", own))
    free = tuple(
        f"cases[].{key}." for key in ("f1", "tumor_lymphocyte_um_truth", "tumor_lymphocyte_um_predicted")
    )
    assert {key for key in named if not key.startswith(free)} - told - {"cases[].case"} == set()
    pairs = set(keys_of(compared.as_dict()["pairs"], "pairs"))
    assert "pairs[].simultaneous_interval" in pairs
    told = set(re.findall(r"<td><code>([^<]+)</code></td>\n<td>[^\n]+</td>\n<td>[^<\n]", of_files))
    assert pairs - told == set()
    assert {"per_class.*.score_lost", "per_class.*.score_worth"} <= set(
        re.findall(r"<code>([^<]+)</code>", page)
    )
    assert "<td></td>" not in page
    assert (site / "schema" / "scorecard.schema.json").exists()
    assert '<a href="../../schema/comparison.schema.json">' in page


@pytest.mark.slow
def test_findings_are_those_of_the_code(site):
    page = (site / "reference" / "findings" / "index.html").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "scoring").rglob("*.py"))
    made = set(re.findall(r"\b(?:error|warning|note)\(\s*\"([a-z0-9-]+)\"", code))
    assert len(made) > 100
    assert made - set(re.findall(r"<code>([a-z0-9-]+)</code>", page)) == set()
    assert "put the table in it" in page


@pytest.mark.slow
def test_nothing_is_fetched_when_it_is_read(site):
    pages = list(site.rglob("*.html"))
    fetched = [
        place
        for page in pages
        for place in re.findall(
            r"<(?:script|img|link|iframe)[^>]+(?:src|href)=\"([^\"]+)\"", page.read_text(encoding="utf-8")
        )
    ]
    assert len(pages) > 25
    assert fetched
    assert [place for place in fetched if "//" in place] == []


@pytest.mark.slow
@pytest.mark.parametrize("page", STARTS, ids=lambda page: page.stem)
def test_the_first_commands_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.delenv("BENCHSIDE_DATABASE_URL", raising=False)
    (tmp_path / "sample_data").symlink_to(samples.FOLDER)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    lines = {
        kind: [line for found, block in blocks if found == kind for line in block.splitlines()]
        for kind in ("", "text")
    }
    commands = [line for line in lines[""] if line.startswith("benchside ")]
    assert len(commands) >= {"for-clinicians": 0}.get(page.stem, 4)
    seen = "".join(path.read_text("utf-8") for path in samples.FOLDER.glob("melanoma/**/*.csv"))
    for command in commands:
        done = run(*shlex.split(command)[1:])
        assert done.status == 0, f"{command}: {done.err}"
        seen += done.out
    assert set(lines["text"]) - set(seen.splitlines()) <= {""}, "what a page shows is in a file or said"
    for name in re.findall(r"(?:--html|--json|--paper) (\S+)", "\n".join(commands)):
        assert (tmp_path / name).stat().st_size > 1000
