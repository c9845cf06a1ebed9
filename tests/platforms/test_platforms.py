"""The same submission has the same score on the command line, on a board and in every platform's folders."""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from scoring.boards.board import opened, own_options
from scoring.boards.submissions.submitting import SubmissionRequest, submit
from scoring.challenges import load_challenge
from scoring.platforms import platform_bundles
from scoring.platforms.evaluation import usual_settings
from scoring.store.database import open_store
from tests.support.boards import CASES as BOARD_CASES
from tests.support.boards import TRUTH, labels
from tests.support.command_line import ROOT, Finished, run
from tests.support.declared_kinds import KINDS
from tests.support.evalai import CHALLENGE, QUEUE, TOKEN, EvalAi, leaderboard, served
from tests.support.platform_folders import (
    jobs,
    listed_inputs,
    masks_answers,
    table_answers,
    unpacked,
    zipped_answers,
)
from tests.support.thinned import some

SAMPLES = ROOT / "sample_data"
FEW = ("--resamples", 20)
DECIMALS = 15


@dataclass(frozen=True)
class Case:
    """A challenge's truth, made in a folder, and a submission with its answers by case."""

    truth: Callable[[Path], Path]
    submission: Path
    answers: Callable[[Path], dict]
    options: tuple = ()


def of_table(sample: str, name: str) -> Callable[[Path], Path]:
    return lambda _folder: SAMPLES / sample / name


def two_tiles(folder: Path) -> Path:
    place = folder / "tiles"
    place.mkdir()
    for path in sorted((SAMPLES / "puma" / "truth").glob("sample_primary_roi_00[12]*")):
        shutil.copy(path, place)
    return place


def patients(folder: Path) -> Path:
    place = folder / "patients"
    shutil.copytree(SAMPLES / "hecktor2026" / "masks", place / "masks")
    shutil.copy(SAMPLES / "hecktor2026" / "clinical.csv", place)
    return place


CASES = {
    "tricorder3": Case(
        of_table("tricorder3", "labels.csv"),
        SAMPLES / "tricorder3/teams/aurora.csv",
        table_answers,
        ("--model-size-mib", 20),
    ),
    "melanoma": Case(
        of_table("melanoma", "labels.csv"), SAMPLES / "melanoma/teams/fornax.csv", table_answers
    ),
    "isic": Case(
        of_table("isic2019", "ISIC_2019_Sample_GroundTruth.csv"),
        SAMPLES / "isic2019/teams/juno.csv",
        table_answers,
    ),
    "puma": Case(two_tiles, SAMPLES / "puma/teams/octans.zip", zipped_answers),
    "hecktor2026": Case(patients, SAMPLES / "hecktor2026/teams/altair.zip", zipped_answers),
}


def bundle(challenge: str, platform: str, truth: Path, folder: Path, *more: object) -> Path:
    """Write the files of a platform."""
    options = ("--platform", platform, "--title", "T: 2026", "--truth", truth, "--output", folder)
    image = ("--image", "lab/evaluation:1") if platform == "codabench" else ()
    done = run("platform", "bundle", challenge, *options, *FEW, *image, *more)
    assert done.status == 0, done.err
    return folder


def grand_challenge(made: Path, submitted: Path, output: Path) -> Finished:
    """Run the container's command where it would run: with the truth unpacked from what is uploaded."""
    with tarfile.open(made / "ground_truth.tar.gz") as archive:
        archive.extractall(made / "ground_truth", filter="data")
    settings = made / "program" / "benchside.json"
    places = ("--input", submitted, "--truth", made / "ground_truth", "--output", output)
    return run("platform", "grand-challenge", "--settings", settings, *places)


def codabench(made: Path, submission: Path, folder: Path) -> Finished:
    """Lay out `input/ref` and `input/res` from the competition's zip and run the scoring program."""
    with zipfile.ZipFile(made / "competition.zip") as archive:
        archive.extractall(made / "competition")
    shutil.copytree(made / "competition" / "reference_data", folder / "input" / "ref")
    unpacked(submission, folder / "input" / "res")
    (folder / "input" / "res" / "metadata").write_text("elapsed: 1")
    settings = made / "competition" / "scoring_program" / "benchside.json"
    places = ("--input", folder / "input", "--output", folder / "output")
    return run("platform", "codabench", "--settings", settings, *places)


def evalai(made: Path, *submissions: Path, token: str = TOKEN) -> EvalAi:
    """Run the worker of a bundle on the truth beside it, against the platform, until nothing waits.

    Returns:
        The platform, which has submissions 1, 2, ... of one phase.
    """
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        text = archive.read("challenge_config.yaml").decode()
    schema = json.loads(re.search(r"schema: (.*)", text)[1])
    codename = re.search(r"codename: (.*)", text)[1]
    command = [sys.executable, "-I", str(made / "program" / "worker.py")]
    with served(EvalAi(schema, codename, dict(enumerate(submissions, 1)))) as platform:
        own = {"AUTH_TOKEN": token, "API_SERVER": platform.address, "QUEUE_NAME": QUEUE}
        own |= {"CHALLENGE_PK": str(CHALLENGE), "TRUTH": str(made / "truth"), "POLL_SECONDS": "0.1"}
        worker = subprocess.Popen(
            command,
            cwd=made,
            env=os.environ | own,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        ends = time.monotonic() + 240
        while platform.waiting and worker.poll() is None and time.monotonic() < ends:
            time.sleep(0.05)
        worker.terminate()
        platform.said = worker.communicate()[0]
    return platform


def rounded(value: float | list[float] | None) -> float | list[float] | None:
    """Return a number or an interval as a bundle of that many decimals publishes it."""
    return (
        [round(end, DECIMALS) for end in value]
        if isinstance(value, list)
        else value and round(value, DECIMALS)
    )


DECLARED = [f"declared {name}" for name in KINDS]


def of_kind(name: str, folder: Path) -> tuple[Path, Case]:
    """Return the file of a declared challenge, and its case."""
    KINDS[name].write(folder, name)
    submission, truth = (next(folder.glob(f"{part}.[cz]*")) for part in ("good", "truth"))
    is_zip = submission.suffix == ".zip"
    answers = masks_answers if is_zip else partial(table_answers, several=name in ("points", "boxes"))
    return folder / f"{name}.toml", Case(lambda _folder: truth, submission, answers)


@pytest.mark.slow
@pytest.mark.parametrize("challenge", [*some(list(CASES), 3), *some(DECLARED, 4, 1)])
def test_every_platform_gives_the_score_of_the_command_line_and_of_a_board(challenge, place, tmp_path):
    case = CASES.get(challenge)
    if case is None:
        challenge, case = of_kind(challenge.split()[1], tmp_path)
    truth = case.truth(tmp_path)
    places = ("--truth", truth, "--predictions", case.submission, *case.options, *FEW, "--json", "-")
    card = run("score", challenge, *places).json
    score, interval = (rounded(value) for value in (card["score"], card["intervals"]["score"]))
    unrounded = (*case.options, "--decimals", DECIMALS)

    done = run("board", "create", challenge, "--id", "b", "--title", "B", "--truth", truth, *FEW)
    assert done.status == 0, done.err
    board = opened(open_store(), "b")
    written = {name.strip("-").replace("-", "_"): str(value) for name, value in pairwise(case.options)}
    own = own_options(board.challenge, written)
    submit(board, SubmissionRequest("alpha", case.submission.name, case.submission.read_bytes(), own))
    (team,) = run("board", "show", "b", "--json", "-").json["teams"]
    assert (rounded(team["score"]), rounded(team["interval"])) == (score, interval)

    made = bundle(challenge, "grand-challenge", truth, tmp_path / "gc", *unrounded)
    submitted = jobs(tmp_path / "input", case.answers(case.submission))
    done = grand_challenge(made, submitted, tmp_path / "out")
    assert done.status == 0, done.err
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["score"] == score
    assert "intervals" not in metrics

    made = bundle(challenge, "codabench", truth, tmp_path / "cb", *unrounded)
    done = codabench(made, case.submission, tmp_path / "app")
    assert done.status == 0, done.err
    scores = json.loads((tmp_path / "app" / "output" / "scores.json").read_text())
    order = load_challenge(str(challenge)).comparison.ranked_by
    ranked = {name: rounded(card["metrics"][name]) for name in (order.metrics if order else ())}
    assert scores == {"score": score, **ranked}

    made = bundle(challenge, "evalai", truth, tmp_path / "ea", *unrounded)
    platform = evalai(made, case.submission)
    assert platform.results[1] == {"split": "test", "show_to_participant": True, "accuracies": scores}


HIDDEN = {  # a submission that is refused: what is wrong with it, what is said of it
    "cases of the test set that are missing": (
        lambda rows: rows[:-7],
        "refused-cases",
        "its cases differ from the cases of the test set",
    ),
    "a number that is none": (
        lambda rows: [*rows[:-1], rows[-1].split(",")[0] + ",high"],
        "not-a-number",
        "high",
    ),
    "another test set": (lambda rows: [rows[0], *(row.replace("/M", "/Q") for row in rows[1:])], "", "error"),
}


@pytest.mark.parametrize("what", some(list(HIDDEN), 2))
def test_a_refusal_says_nothing_that_only_the_truth_shows(what, tmp_path):
    change, code, words = HIDDEN[what]
    truth, submission = SAMPLES / "melanoma/labels.csv", tmp_path / "team.csv"
    rows = (SAMPLES / "melanoma/teams/fornax.csv").read_text().splitlines()
    submission.write_text("\n".join(change(rows)) + "\n")
    missing = {Path(row.split(",")[0]).stem for row in rows[-7:]} if code == "refused-cases" else set()

    made = bundle("melanoma", "codabench", truth, tmp_path / "cb")
    done = codabench(made, submission, tmp_path / "app")
    details = (tmp_path / "app" / "output" / "detailed_results.html").read_text()
    assert done.status == 2
    assert not (tmp_path / "app" / "output" / "scores.json").exists()

    listed_inputs(tmp_path / "input", [])
    shutil.copy(submission, tmp_path / "input")
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc")
    finished = grand_challenge(made, tmp_path / "input", tmp_path / "out")
    assert finished.status == 2
    assert not list((tmp_path / "out").iterdir())

    platform = evalai(bundle("melanoma", "evalai", truth, tmp_path / "ea"), submission)
    assert platform.seen[1] == ["running", "failed"]
    assert not platform.results
    for text in (done.err, details, finished.err, platform.errors[1]):
        assert code in text
        assert words in text
        assert not any(case in text for case in missing)
        assert "Traceback" not in text
        assert "labels" not in text


def test_of_a_hidden_truth_the_score_is_published_and_nothing_else(tmp_path):
    truth, submission = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams/fornax.csv"
    made = bundle("melanoma", "codabench", truth, tmp_path / "cb", "--metrics", "auc")
    done = codabench(made, submission, tmp_path / "app")
    assert done.status == 0, done.err
    scores = json.loads((tmp_path / "app" / "output" / "scores.json").read_text())
    assert set(scores) == {"score", "auc"}
    assert all(value == round(value, 3) for value in scores.values())
    details = (tmp_path / "app" / "output" / "detailed_results.html").read_text()
    cases = [Path(row.split(",")[0]).stem for row in submission.read_text().splitlines()[1:]]
    assert not any(case in details for case in cases)
    assert str(scores["score"]) in details
    score = run("score", "melanoma", "--truth", truth, "--predictions", submission, *FEW, "--json", "-").json
    assert "interval" not in details
    assert not any(str(round(end, 3)) in details for end in score["intervals"]["score"])

    open_truth = bundle("melanoma", "codabench", truth, tmp_path / "open", "--public-truth")
    done = codabench(open_truth, submission, tmp_path / "public")
    details = (tmp_path / "public" / "output" / "detailed_results.html").read_text()
    assert any(case in details for case in cases)


@pytest.mark.soak
def test_log_loss_would_tell_eight_labels_at_once(tmp_path):
    """Why it is told only where the organizer names it, and docs/platforms.md advises against that."""
    truth, submission = labels(tmp_path / "labels.csv"), tmp_path / "team.csv"
    steps = [0.12 * 2**place for place in range(8)]  # twice what three decimals of a mean of 60 leave open
    chances = [1 / (1 + math.exp(-step)) for step in steps] + [0.5] * (len(BOARD_CASES) - 8)
    rows = (f"{case},{chance:.12f}" for case, chance in zip(BOARD_CASES, chances, strict=True))
    submission.write_text("filename,score\n" + "\n".join(rows) + "\n")
    told = {}
    for name, more in {"named": ("--metrics", "log_loss"), "usual": ()}.items():
        made = bundle("melanoma", "codabench", truth, tmp_path / name, *more)
        assert codabench(made, submission, tmp_path / f"{name}-app").status == 0
        told[name] = json.loads((tmp_path / f"{name}-app" / "output" / "scores.json").read_text())
    assert set(told["usual"]) == {"score"}
    if_all_ill = sum(-math.log(chance) for chance in chances)
    excess = round((told["named"]["log_loss"] * len(BOARD_CASES) - if_all_ill) / steps[0])
    assert [not excess >> place & 1 for place in range(8)] == [bool(ill) for ill in TRUTH[:8]]


def test_a_truth_that_cannot_be_read_is_told_without_it(tmp_path):
    truth, submission = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams/fornax.csv"
    made = bundle("melanoma", "grand-challenge", truth, tmp_path / "gc")
    (tmp_path / "input").mkdir()
    shutil.copy(submission, tmp_path / "input")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "labels.csv").write_text("filename,label\nsecret1,perhaps\n")
    places = ("--input", tmp_path / "input", "--truth", broken, "--output", tmp_path / "out")
    done = run("platform", "grand-challenge", "--settings", made / "program" / "benchside.json", *places)
    assert done.status == 2
    assert "tell the organizers" in done.err
    assert "secret1" not in done.err
    assert "perhaps" not in done.err


@pytest.mark.parametrize("kind", some(["a list", "two answers", "no JSON"], 2))
def test_answers_of_jobs_that_are_no_rows_are_refused_by_job(kind, tmp_path):
    answer = {"a list": b"[0.1, 0.2]", "no JSON": b"0.1.2", "two answers": b"0.5"}[kind]
    files = {"a.json": answer} | ({"b.json": answer} if kind == "two answers" else {})
    submitted = jobs(tmp_path / "input", {"M0001": files})
    made = bundle("melanoma", "grand-challenge", SAMPLES / "melanoma/labels.csv", tmp_path / "gc")
    done = grand_challenge(made, submitted, tmp_path / "out")
    assert done.status == 2
    assert "unreadable-file" in done.err
    assert "M0001" in done.err or "0d5fe6cf" in done.err


def test_lone_numbers_of_jobs_are_scores(tmp_path):
    rows = (SAMPLES / "melanoma/teams/fornax.csv").read_text().splitlines()[1:]
    answers = {
        Path(case).stem: {"risk.json": score.encode()} for case, score in (row.split(",") for row in rows)
    }
    made = bundle("melanoma", "grand-challenge", SAMPLES / "melanoma/labels.csv", tmp_path / "gc")
    done = grand_challenge(made, jobs(tmp_path / "input", answers), tmp_path / "out")
    assert done.status == 0, done.err


def test_the_files_of_a_platform_are_what_it_reads(tmp_path):
    yaml = pytest.importorskip("yaml")
    truth = SAMPLES / "melanoma/labels.csv"
    made = bundle("melanoma", "codabench", truth, tmp_path / "cb", "--metrics", "auc,accuracy")
    with zipfile.ZipFile(made / "competition.zip") as archive:
        competition = yaml.safe_load(archive.read("competition.yaml"))
        names = set(archive.namelist())
        command = yaml.safe_load(archive.read("scoring_program/metadata.yaml"))["command"]
    assert competition["title"] == "T: 2026"
    assert [column["key"] for column in competition["leaderboards"][0]["columns"]] == [
        "score",
        "auc",
        "accuracy",
    ]
    assert {competition["image"], competition["terms"], competition["pages"][0]["file"]} <= names
    task = competition["tasks"][0]
    for folder in (task["scoring_program"], task["reference_data"]):
        assert any(name.startswith(f"{folder}/") for name in names)
    assert command.split()[1:] == ["/app/program/evaluate.py", "/app/input", "/app/output"]
    assert "scoring_program/evaluate.py" in names

    made = bundle("melanoma", "evalai", truth, tmp_path / "ea")
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        config = yaml.safe_load(archive.read("challenge_config.yaml"))
        names = set(archive.namelist())
    phase = config["challenge_phases"][0]
    files = [config[key] for key in ("description", "evaluation_details", "terms_and_conditions", "image")]
    files += [config["submission_guidelines"], config["evaluation_script"], phase["description"]]
    assert {*files, phase["test_annotation_file"]} <= names
    assert config["remote_evaluation"] is True
    schema = config["leaderboard"][0]["schema"]
    assert (schema["labels"], schema["default_order_by"]) == (["score"], "score")
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        page = archive.read(config["description"]).decode()
    assert page.startswith("<h1>T: 2026</h1>")
    assert "# " not in page
    assert config["dataset_splits"][0]["codename"] == phase["codename"] == "test"


def test_on_evalai_every_finished_submission_is_shown_and_the_best_of_each_column_comes_first(tiles):
    """Submissions were private, and columns were sorted as the score is."""
    yaml = pytest.importorskip("yaml")
    usual = ("--metadata", tiles / "table.csv", "--metrics", "pearson,mae")
    made = bundle(tiles / "ki67.toml", "evalai", tiles / "truth.csv", tiles / "b", *usual)
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        config = yaml.safe_load(archive.read("challenge_config.yaml"))
    good, bad = ({"score": x, "mae": x, "pearson": y} for x, y in ((1.0, 0.9), (2.0, 0.8)))
    for column in ("score", "mae", "pearson"):
        assert leaderboard(config, [bad, good], column) == [good, bad]


def test_the_remote_worker_scores_what_waits_and_keeps_token_and_truth(tmp_path):
    """Once more what was interrupted, nothing twice; published is what the leaderboard has columns for."""
    truth, teams = SAMPLES / "melanoma/labels.csv", SAMPLES / "melanoma/teams"
    made = bundle("melanoma", "evalai", truth, tmp_path / "ea", "--public-truth", "--metrics", "auc")
    rows = truth.read_text().splitlines()
    with zipfile.ZipFile(made / "challenge_config.zip") as archive:
        uploaded = b"".join(archive.read(name) for name in archive.namelist())
    assert not any(row.encode() in uploaded for row in rows)

    broken = tmp_path / "broken.csv"
    broken.write_text("filename,score\nimages/M0001.jpg,high\n")
    platform = evalai(made, teams / "fornax.csv", broken, teams / "fornax.csv")
    assert platform.seen == {
        n: ["running", end] for n, end in ((1, "finished"), (2, "failed"), (3, "finished"))
    }
    assert set(platform.results[1]["accuracies"]) == {"score", "auc"}
    assert platform.results[1] == platform.results[3]
    assert "not-a-number" in platform.errors[2]
    assert platform.refused == []

    platform = evalai(made, teams / "fornax.csv", token="another")
    assert "AUTH_TOKEN" in platform.said
    assert platform.waiting == [1]


@pytest.mark.soak
def test_the_scoring_program_runs_alone(tmp_path):
    made = bundle("melanoma", "codabench", SAMPLES / "melanoma/labels.csv", tmp_path / "cb")
    with zipfile.ZipFile(made / "competition.zip") as archive:
        archive.extractall(tmp_path / "app")
    shutil.copytree(tmp_path / "app" / "reference_data", tmp_path / "in" / "ref")
    unpacked(SAMPLES / "melanoma/teams/fornax.csv", tmp_path / "in" / "res")
    program = tmp_path / "app" / "scoring_program" / "evaluate.py"
    command = [sys.executable, "-I", str(program), str(tmp_path / "in"), str(tmp_path / "out")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert 0 < json.loads((tmp_path / "out" / "scores.json").read_text())["score"] < 1


def test_needed_packages_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert sorted(re.split(r"[<>=\[]", line)[0] for line in project["dependencies"]) == list(
        platform_bundles.NEEDED
    )


BAD_BUNDLES = {
    "a folder that is there": (("--output", "."), "--output"),
    "a truth that is none": (("--truth", "nothing.csv"), "unreadable-file"),
    "another platform": (("--platform", "kaggle"), "platform"),
    "too many decimals": (("--decimals", 99), "--decimals"),
    "no title": (("--title", " "), "--title"),
    "hidden title": (("--title", "a\u202eb"), "--title: it contains the hidden character U+202E: write it"),
    "an image that no registry has": (("--platform", "codabench"), "--image"),
    "an image with a second line": (("--image", "lab/i:1\nRUN x"), "no name of a container image"),
    "an image with a command": (("--image", "lab/i:$(id)"), "no name of a container image"),
    "an image with a longer name than Codabench keeps": (
        ("--platform", "codabench", "--image", f"lab/{'x' * 125}"),
        "128 characters",
    ),
    "a metric with a longer name than a column of Codabench": (
        ("--platform", "codabench", "--image", "lab/i", "--metrics", "x" * 37),
        "36 characters",
    ),
    "a socket for nothing": (("--socket", "segmentation=a"), "is not one of case, answer"),
    "a socket without slug": (("--socket", "answer"), "is not a slug"),
    "a metric that there is not": (("--metrics", "dice"), "dice is not one of"),
    "a column of units that there is not": (("--group", "clinic"), "clinic"),
}


@pytest.mark.parametrize("what", BAD_BUNDLES)
def test_a_bundle_that_cannot_be_written_is_refused_and_leaves_nothing(what, tmp_path):
    changed, words = BAD_BUNDLES[what]
    usual = ("--platform", "evalai", "--title", "T", "--truth", SAMPLES / "melanoma/labels.csv")
    target = tmp_path / "made"
    done = run("platform", "bundle", "melanoma", *usual, "--output", target, *changed)
    assert done.status == 2
    assert words in done.err
    assert not target.exists()


OF_TILES = """id = "ki67"
title = "Ki-67"
about = "Ki-67."
task = "regression"
truth = {case = "tile", value = "ki67"}
predictions = {value = "ki67", missing = "refuse"}
score = {metric = "mae"}
subgroups = {columns = ["scanner"]}
[[report]]
metric = "pearson"
"""


@pytest.fixture
def tiles(tmp_path):
    """A challenge whose subgroups stand in a table of metadata: what it takes, and a good submission."""
    (tmp_path / "ki67.toml").write_text(OF_TILES)
    numbers = "".join(f"t{n},{n}\n" for n in range(30))
    (tmp_path / "truth.csv").write_text(f"tile,ki67\n{numbers}")
    (tmp_path / "table.csv").write_text(
        "tile,scanner\n" + "".join(f"t{n},{'ab'[n % 2]}\n" for n in range(30))
    )
    return tmp_path


def test_a_bundle_without_the_columns_of_its_subgroups_is_refused(tiles):
    """It was written, and refused everybody, its own example too."""
    usual = ("--platform", "evalai", "--title", "T", "--truth", tiles / "truth.csv", "--output", tiles / "b")
    done = run("platform", "bundle", tiles / "ki67.toml", *usual)
    assert done.status == 2
    assert "missing-column" in done.err
    assert "'scanner'" in done.err
    assert not (tiles / "b").exists()
    check = ("challenge", "check", tiles / "ki67.toml", "--truth", tiles / "truth.csv")
    assert "missing-column" in run(*check).err
    assert run(*check, "--metadata", tiles / "table.csv").status == 0


@pytest.mark.parametrize("platform", some(["codabench", "grand-challenge", "evalai"], 2))
def test_a_table_of_metadata_lies_beside_the_truth_of_a_bundle(platform, tiles):
    truth, submission = tiles / "truth.csv", tiles / "sent.csv"
    submission.write_text("tile,ki67\n" + "".join(f"t{n},{n + 2}\n" for n in range(30)))
    made = bundle(tiles / "ki67.toml", platform, truth, tiles / "b", "--metadata", tiles / "table.csv")
    if platform == "evalai":
        assert evalai(made, submission).results[1]["accuracies"] == {"score": 2.0}
        return
    if platform == "codabench":
        done, output = codabench(made, submission, tiles / "app"), tiles / "app" / "output" / "scores.json"
    else:
        done = grand_challenge(made, unpacked(submission, tiles / "input"), tiles / "out")
        output = tiles / "out" / "metrics.json"
    assert done.status == 0, done.err
    assert json.loads(output.read_text())["score"] == 2.0


def test_a_refusal_of_answers_names_the_file_of_the_job_and_counts_all_problems(tiles):
    answers = {f"t{n}": {"ki67.json": b'"twelve"' if n == 4 else b"%d" % n} for n in range(30)}
    made = bundle(
        tiles / "ki67.toml",
        "grand-challenge",
        tiles / "truth.csv",
        tiles / "b",
        *("--metadata", tiles / "table.csv", "--socket", "answer=ki67"),
    )
    done = grand_challenge(made, jobs(tiles / "input", answers), tiles / "out")
    assert "0d5fe6cf-0000-4000-8000-000000000004/output/ki67.json: " in done.err
    assert "'twelve'" in done.err
    assert "answers" not in done.err

    broken = {f"t{n}": {"ki67.json": b"[1]"} for n in range(30)}
    done = grand_challenge(made, jobs(tiles / "broken", broken), tiles / "out")
    assert "and 10 more" in done.err
    assert "30 problems" in done.err.splitlines()[-1]


def test_a_zip_without_a_table_is_told_that_it_lacks_one(tiles):
    with zipfile.ZipFile(tiles / "masks.zip", "w") as archive:
        archive.writestr("t1.mha", b"1")
        archive.writestr("t2.mha", b"1")
    done = run("check", tiles / "ki67.toml", "--predictions", tiles / "masks.zip")
    assert "beside the images" not in done.err
    assert "2 files and no CSV table: put the table in it." in done.err


@pytest.mark.parametrize("text", ["", "[]", '{"format": "benchside-platform/1", "challenge": "none"}'])
def test_settings_that_are_none_are_refused(text, tmp_path):
    path = tmp_path / "benchside.json"
    path.write_text(text)
    done = run("platform", "codabench", "--settings", path, "--input", tmp_path, "--output", tmp_path / "o")
    assert done.status == 2
    assert "bad-settings" in done.err


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"declaration": {"title": "a\u202eb"}}, "declaration.title"),
        ({"metrics": ["balanced\u200baccuracy"]}, "metrics"),
        ({"sockets": {"answer": "t\u00adstage"}}, "sockets.answer"),
    ],
)
def test_settings_with_a_hidden_character_name_it_as_challenge_files_do(change, place, tmp_path):
    path = tmp_path / "benchside.json"
    path.write_text(usual_settings(load_challenge("melanoma"), {}).to_json())
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    done = run("platform", "codabench", "--settings", path, "--input", tmp_path, "--output", tmp_path / "o")
    assert done.status == 2
    (code,) = (f"U+{ord(one):04X}" for one in json.dumps(change, ensure_ascii=False) if not one.isprintable())
    told = f"bad-settings benchside.json: {place}: it contains the hidden character {code}: write it without"
    assert told in done.err


def test_settings_with_a_damaged_declaration_say_what_is_wrong_with_it(tmp_path):
    path = tmp_path / "benchside.json"
    value = json.loads(usual_settings(load_challenge("melanoma"), {}).to_json())
    path.write_text(json.dumps(value | {"declaration": {"id": "a", "title": "A", "task": "none"}}))
    done = run("platform", "codabench", "--settings", path, "--input", tmp_path, "--output", tmp_path / "o")
    assert done.status == 2
    assert "bad-settings benchside.json › declaration: task: 'none' is not one of" in done.err
