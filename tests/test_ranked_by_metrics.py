"""A challenge that orders teams by their ranks in several metrics: every surface tells metrics and rule."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from scoring.boards import views
from scoring.boards.board import opened
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.store.database import open_store
from tests.support.command_line import run
from tests.support.schemas import problems
from tests.support.volumes import nifti

CHALLENGE = """id = "spleen"
title = "Spleen"
task = "segmentation"
report = [{metric = "hd95", class = "spleen"}, {metric = "nsd", tolerance_mm = 2, class = "spleen"},
  {metric = "lesion_f1", class = "lesion"}]
[regions]
spleen = [1, 2]
lesion = [2]
[predictions]
missing = "worst"
[score]
metric = "dice"
[ranking]
by = "mean_rank"
metrics = ["dice", "hd95_spleen", "nsd_2_spleen", "lesion_f1_lesion"]
"""
METRICS = ["dice", "hd95_spleen", "nsd_2_spleen", "lesion_f1_lesion"]
NAMES = ["Dice", "HD95 spleen (mm)", "NSD at 2 mm spleen", "lesion F1 lesion"]
ORDER = f"Teams are ordered by the mean of their ranks in {', '.join(NAMES)}."
AFFINE = np.diag([0.8, 0.8, 3.0, 1.0])


def masks(folder: Path, wider: int, without_lesion: int) -> Path:
    folder.mkdir()
    for case in range(6):
        mask = np.zeros((24, 24, 8), np.uint8)
        mask[4 : 14 + wider, 4:14, 2:6] = 1
        if case >= without_lesion:
            mask[6:9, 6:9, 3:5] = 2
        (folder / f"case_{case}.nii").write_bytes(nifti(mask, AFFINE))
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch) -> Path:
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    (tmp_path / "spleen.toml").write_text(CHALLENGE)
    masks(tmp_path / "truth", 0, 1)
    masks(tmp_path / "alpha", 3, 1)
    masks(tmp_path / "beta", 1, 4)
    return tmp_path


def board(folder: Path) -> None:
    truth = ("--truth", folder / "truth", "--resamples", 0)
    done = run("board", "create", folder / "spleen.toml", "--id", "s", "--title", "Spleen", *truth)
    assert done.status == 0, done.err
    for team in ("alpha", "beta"):
        done = run("board", "submit", "s", "--team", team, "--predictions", folder / team)
        assert done.status == 0, done.err


def test_board_report_and_publication_show_the_metrics_and_ranks_behind_the_order(folder):
    board(folder)
    text = run("board", "show", "s", "--json", "-", "--html", folder / "board.html").out
    shown = json.loads(text)
    assert not problems("board", text)
    teams = {team["team"]: team for team in shown["teams"]}
    card = run("score", folder / "spleen.toml", "--truth", folder / "truth", "--predictions",
               folder / "beta", "--resamples", 0, "--json", "-").json  # fmt: skip
    assert teams["beta"]["metrics"] == {name: card["metrics"][name] for name in METRICS}
    for team in teams.values():
        assert [*team["metric_ranks"]] == METRICS
        assert team["mean_rank"] == np.mean([*team["metric_ranks"].values()])
    page = (folder / "board.html").read_text()
    assert f"{teams['beta']['metrics']['hd95_spleen']:.3f} (rank 1)" in page
    assert ORDER in page
    assert "Ranks depend only on the score" not in page
    assert "Normalized surface Dice (tolerance 2 mm, spleen)" in page
    assert all(f">{name}<" in page for name in NAMES)
    zipped = folder / "pub.zip"
    done = run("board", "publish", "s", zipped, "--creator", "A, B")
    assert "Written to" in done.out
    assert "bias-checklist.md" in done.out
    with zipfile.ZipFile(zipped) as archive:
        kept = json.loads(archive.read("board.json"))
        checklist = archive.read("bias-checklist.md").decode()
    assert kept["teams"] == shown["teams"]
    assert ORDER in checklist
    assert "Spleen; biomedical imaging; challenge" in checklist
    assert all(name in checklist for name in NAMES)


def test_the_header_of_an_empty_board_tells_what_orders_its_teams(folder):
    made = run("board", "create", folder / "spleen.toml", "--id", "s", "--title", "Spleen",
               "--truth", folder / "truth")  # fmt: skip
    assert made.status == 0, made.err
    empty = (
        "Dice similarity coefficient, higher is better. The ranking uses the last submission of each team."
    )
    assert views.formula(board_ranking(opened(open_store(), "s"))) == f"{empty} {ORDER}"
    assert run("board", "hide", "s", "--digits", 2).status == 0
    assert views.formula(board_ranking(opened(open_store(), "s"))).endswith(
        f"Once the truth is open: {ORDER}"
    )


def test_a_comparison_shows_mean_ranks_and_metrics_and_no_ranks_that_chance_does_not_give(folder):
    teams = (f"alpha={folder / 'alpha'}", f"beta={folder / 'beta'}")
    done = run("compare", folder / "spleen.toml", "--truth", folder / "truth", *teams,
               "--html", folder / "c.html")  # fmt: skip
    assert done.status == 0, done.err
    page = (folder / "c.html").read_text()
    assert ORDER in page.split("</h1>")[1][:2_000]
    assert "could also have by chance" not in page
    for shown in (done.out, page):
        assert "mean rank" in shown
        assert "(rank 1)" in shown
        assert all(name in shown for name in NAMES)
    assert ORDER in run("challenge", "check", folder / "spleen.toml").out
    assert ORDER in run("challenge", "show", folder / "spleen.toml").out


def test_the_checklist_tells_of_the_intervals_of_the_report_where_no_test_is_possible(folder):
    truth = ("--truth", folder / "truth", "--resamples", 100)
    run("board", "create", folder / "spleen.toml", "--id", "s", "--title", "Spleen", *truth)
    for team in ("alpha", "beta"):
        run("board", "submit", "s", "--team", team, "--predictions", folder / team)
    run("board", "publish", "s", folder / "pub.zip", "--creator", "A, B")
    with zipfile.ZipFile(folder / "pub.zip") as archive:
        assert "95% interval" in archive.read("report.html").decode()
        checklist = archive.read("bias-checklist.md").decode()
        assert f"Dice similarity coefficient. {ORDER}" in archive.read("CITATION.cff").decode()
    assert "by 100 resamples of 6 units (one per case), seed 0. No test of differences" in checklist
    assert "No intervals" not in checklist


@pytest.mark.parametrize("platform", ["grand-challenge", "codabench", "evalai"])
def test_bundles_publish_the_metrics_of_the_rule_and_say_how_the_platform_orders(folder, platform):
    target = folder / "bundle"
    done = run("platform", "bundle", folder / "spleen.toml", "--platform", platform, "--title", "Spleen",
               "--truth", folder / "truth", "--image", "a/b", "--output", target)  # fmt: skip
    assert done.status == 0, done.err
    assert ORDER in done.out
    assert "The platform ranks only by the score" in done.out
    if platform == "grand-challenge":
        assert "metrics.dice (descending) as path of the score" in done.out
        assert "metrics.hd95_spleen (ascending)" in done.out
        settings = json.loads((target / "program" / "benchside.json").read_text())
        assert settings["metrics"] == METRICS
    if (target / "what-to-submit.md").exists():
        assert ORDER in (target / "what-to-submit.md").read_text()
