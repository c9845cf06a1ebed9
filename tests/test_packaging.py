"""The installable package: what it declares is what the code needs, and it runs in an empty environment."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib import import_module, metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from playwright.sync_api import sync_playwright

from scoring import __version__, challenge_ids
from scoring.challenges import samples
from scoring.inference.image_sanitizer import DECODERS
from tests.browser import driver
from tests.support import golden, licences
from tests.support.command_line import ROOT
from tests.test_imports import MODULES, imports

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
NEEDED = {canonicalize_name(one.name): one for one in map(Requirement, PROJECT["dependencies"])}
OPTIONAL = {
    canonicalize_name(Requirement(one).name)
    for extra in PROJECT["optional-dependencies"].values()
    for one in extra
}
NO_NETWORK = r"No matching distribution|Could not find a version|NewConnectionError|timed out"


def pins() -> dict[str, str]:
    """Return package -> version of what the app runs on."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = (line.split("==") for line in lines if not line.startswith("#"))
    return {canonicalize_name(package): version for package, version in found}


def test_dependencies_are_what_the_library_imports():
    by_name = {name for modules in DECODERS.values() for name in modules}
    names = {name.split(".")[0] for path in MODULES for name in (*imports(path), *by_name)}
    foreign = names - {"scoring"} - sys.stdlib_module_names
    packages = metadata.packages_distributions()
    assert foreign
    used = {canonicalize_name(packages[name][0]) for name in foreign}
    assert used - OPTIONAL == set(NEEDED)


def test_pins_satisfy_the_lower_bounds():
    (streamlit,) = map(Requirement, PROJECT["optional-dependencies"]["app"])
    bounds, pinned = NEEDED | {streamlit.name: streamlit}, pins()
    assert [name for name, bound in bounds.items() if pinned[name] not in bound.specifier] == []


LOCKS = {
    "requirements.lock": ["requirements.txt"],
    "requirements-server.lock": ["requirements.txt", "requirements-login.txt", "requirements-postgresql.txt"],
}
"""Locks, and what they are made of."""


def requirements(name: str) -> list[Requirement]:
    """Return what a file of requirements asks for; hashes are left out."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", "")
    lines = (line.partition("--hash")[0].strip() for line in text.splitlines())
    return [Requirement(line) for line in lines if line and line[0] not in "#-"]


def needed_here(wanted: list[Requirement]) -> set[str]:
    """Return the packages that requirements need on this machine, those of packages among them."""
    names, queue = set(), [(canonicalize_name(one.name), frozenset(one.extras)) for one in wanted]
    seen = set(queue)
    while queue:
        name, extras = queue.pop()
        names.add(name)
        for text in metadata.requires(name) or ():
            one = Requirement(text)
            environments = [{"extra": extra} for extra in {*extras, ""}]
            entry = canonicalize_name(one.name), frozenset(one.extras)
            if entry not in seen and (one.marker is None or any(map(one.marker.evaluate, environments))):
                seen.add(entry)
                queue.append(entry)
    return names


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_the_pins_and_all_that_they_need(lock):
    wanted = [one for name in LOCKS[lock] for one in requirements(name)]
    locked = {canonicalize_name(one.name): str(one.specifier) for one in requirements(lock)}
    assert {canonicalize_name(one.name): str(one.specifier) for one in wanted}.items() <= locked.items()
    assert all(pin.startswith("==") for pin in locked.values())
    assert needed_here(wanted) <= locked.keys()


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_files_by_hashes_and_no_registry(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(
        r"^(?=[a-z0-9])", re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE), flags=re.MULTILINE
    )[1:]
    assert len(entries) == len(requirements(lock)) > 50
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry) for entry in entries)
    assert not re.search(r"://|--index|--extra-index|--find-links|^-", text, flags=re.MULTILINE)


def test_what_installs_the_app_takes_the_locks():
    assert "LOCK ?= requirements.lock" in (ROOT / "Makefile").read_text(encoding="utf-8")
    container = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert "--require-hashes --requirement requirements-server.lock" in container


def test_every_dependency_has_a_lower_bound():
    assert [str(one) for one in NEEDED.values() if [s.operator for s in one.specifier] != [">="]] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    building = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", building, folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.split()[-1]


def test_the_wheel_holds_library_pages_and_samples(wheel):
    def files(*places: str) -> set[str]:
        paths = (path for place in places for path in (ROOT / place).rglob("*") if path.is_file())
        return {str(path.relative_to(ROOT)) for path in paths if "__pycache__" not in path.parts}

    made_by = files("sample_data/generator", "sample_data/models")
    fourth = {name for name in files("sample_data/hecktor2026/ALD-010") if "__" in name}
    assert made_by
    assert len(fourth) == 2
    app = {f"benchside_app/{name}" for name in files("pages", "sample_data") - made_by - fourth}
    app |= {"benchside_app/app.py", "benchside_app/.streamlit/config.toml"}
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == app | files("scoring")
    assert [path for path in MODULES if not (path.parent / "__init__.py").exists()] == []
    assert wheel.stat().st_size <= 24_200_000


def test_the_command_and_the_version_are_those_of_the_code(wheel):
    module, function = PROJECT["scripts"]["benchside"].split(":")
    assert callable(getattr(import_module(module), function))
    assert wheel.name.split("-")[1] == __version__
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_without_sample_data_one_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "FOLDER", tmp_path / "sample_data")
    with pytest.raises(FileNotFoundError, match=r"^There is no sample data at .*\.$"):
        samples.test_sets("isic")


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_an_empty_environment(wheel, tmp_path):
    programs = tmp_path / "environment" / "bin"
    pip, command, python = programs / "pip", programs / "benchside", programs / "python"

    def ran(*command: object) -> str:
        done = subprocess.run(
            [str(part) for part in command], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        if command[0] == pip and re.search(NO_NETWORK, done.stderr):
            pytest.skip(f"packages could not be fetched: {done.stderr.splitlines()[-1]}")
        assert done.returncode == 0, done.stderr
        return done.stdout

    def installed(what: str) -> None:
        ran(pip, "install", "--quiet", "--disable-pip-version-check", what)

    ran(sys.executable, "-m", "venv", tmp_path / "environment")
    installed(str(wheel))
    assert "streamlit" not in ran(pip, "list").lower()
    without = subprocess.run([command, "app"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (without.returncode, without.stderr.count("\n")) == (2, 1)
    assert 'pip install "benchside[app]"' in without.stderr
    assert re.findall(r"^\w+", ran(command, "challenges"), re.MULTILINE) == list(challenge_ids())
    assert ran(python, "-m", "scoring", "--version").strip() == __version__
    report = tmp_path / "report.html"
    for name in ("isic/model", "hecktor2026/basics", "puma/centroids-zip-pooled"):
        case = golden.described(golden.FOLDER / name)
        arguments = golden.placed(case["arguments"], golden.FOLDER / name)
        card = json.loads(ran(command, *arguments, "--json", "-", "--html", report))
        assert card["score"] == pytest.approx(case["expect"]["score"], abs=1e-9)
        assert report.read_text(encoding="utf-8").count("<svg") > 3
    installed(f"{wheel}[app]")
    port = driver.free_port()
    serve = [command, "app", "--headless", "--port", port, "--store", tmp_path / "store"]
    with driver.running(serve, port, cwd=tmp_path) as server, sync_playwright() as playwright:
        program = driver.chromium()
        browser = playwright.chromium.launch(executable_path=program, args=list(driver.ARGUMENTS))
        page = driver.visit(browser.new_context(), f"{server.address}/melanoma")
        assert float(page.get_by_test_id("stMetricValue").inner_text()) > 0
        assert page.get_by_test_id("stException").count() == 0
        browser.close()


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_oldest_versions_that_are_allowed_give_the_golden_numbers(wheel, tmp_path):
    def ran(*command: object) -> subprocess.CompletedProcess:
        given = [str(part) for part in command]
        return subprocess.run(given, cwd=tmp_path, capture_output=True, text=True, check=False)

    tools, oldest = tmp_path / "tools", tmp_path / "oldest" / "bin" / "python"
    ran(sys.executable, "-m", "venv", tools)
    made = ran(tools / "bin" / "pip", "install", "--quiet", "uv==0.13.9")
    if made.returncode:
        pytest.skip(f"packages could not be fetched: {made.stderr.splitlines()[-1]}")
    uv = tools / "bin" / "uv"
    install = (uv, "pip", "install", "--quiet", "--python", oldest)
    bounds = ("--resolution", "lowest-direct", "-r", ROOT / "pyproject.toml", "--extra", "app")
    for command in (
        (uv, "venv", "--python", sys.executable, tmp_path / "oldest"),
        (*install, *bounds),
        (*install, "--no-deps", wheel),
    ):
        assert (done := ran(*command)).returncode == 0, done.stderr
    versions = ran(oldest, "-c", "import numpy, streamlit; print(numpy.__version__, streamlit.__version__)")
    assert versions.stdout.startswith("2.2.")
    tried = 0
    for folder in golden.CASES:
        case = golden.described(folder)
        if (case["arguments"][0], case["exit"]) != ("score", 0):
            continue
        arguments = golden.placed(case["arguments"], folder)
        scored = ran(oldest, "-m", "scoring", *arguments, "--json", "-")
        assert scored.returncode == 0, scored.stderr
        assert json.loads(scored.stdout)["score"] == pytest.approx(case["expect"]["score"], abs=1e-9)
        tried += 1
    assert tried > 20


@pytest.mark.parametrize(
    ("licence", "strong"),
    [
        ("GPL-3.0-only", True),
        ("GNU General Public License v2 (GPLv2)", True),
        ("AGPL-3.0-or-later", True),
        ("", True),
        ("LGPL-3.0-only", False),
        ("BSD-3-Clause; GNU Lesser General Public License v3 (LGPLv3)", False),
        ("MIT", False),
    ],
)
def test_strong_licences_are_told_from_others(licence, strong):
    assert licences.is_strong(licence) == strong


def test_no_package_passes_its_licence_on_to_the_whole_program():
    listed = list(licences.licences())
    assert {"numpy", "pi-heif", "streamlit"} <= {package for package, _, _ in listed}
    assert [row for row in listed if licences.is_strong(row[2])] == []
    # The encoder that made pillow-heif GPL lay inside its wheel, which its metadata did not say.
    files = [str(file) for package, _, _ in listed for file in metadata.files(package) or ()]
    assert [file for file in files if re.search(r"x26[45]", file)] == []
