"""A board of HECKTOR: its own order is said, and a correction of any part of the score names its cases."""

from pathlib import Path

import pytest

from scoring.boards.board import opened
from scoring.boards.publication import public_report
from scoring.boards.publication.bias_checklist import bias_checklist
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.store.database import open_store
from tests.challenges.hecktor2026 import eight
from tests.support import patients
from tests.support.boards import board

WRONG = [row | {"T_stage": "T3", "N_stage": "N0"} for row in eight.TOLD]
"""One T stage less and three N stages fewer right than in `eight.TOLD`."""


def written(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return folder


def truth(folder: Path, **first: object) -> Path:
    """Write the truth. first: what the first patient has otherwise."""
    rows = [eight.ROWS[0] | first, *eight.ROWS[1:]]
    masks = eight.TRUE | {rows[0]["PatientID"]: eight.TRUE["P0"]}
    return written(
        folder,
        patients.truth_folder(
            rows, {p: m for p, m in masks.items() if p != "P0" or not first.get("PatientID")}
        ),
    )


@pytest.fixture
def hecktor(place, tmp_path):
    """The board "b" with two teams, of which one has better masks and the other better stages."""
    made = board("create", "hecktor2026", "--id", "b", "--title", "B", "--truth", truth(tmp_path / "t"))
    assert made.status == 0, made.err
    for team, rows, masks in (("stages", eight.TOLD, eight.GUESS), ("masks", WRONG, eight.TRUE)):
        sent = written(tmp_path / team, patients.submission_folder(rows, masks))
        done = board("submit", "b", "--team", team, "--predictions", sent)
        assert done.status == 0, done.err
    return tmp_path


def test_the_order_that_is_used_is_said_and_shown(hecktor):
    ranking = board_ranking(opened(open_store(), "b"))
    words, report = bias_checklist(ranking), public_report.html(ranking)
    values = ranking.comparison.own_ranking.values
    for text in (words, report, board("show", "b").out):
        assert "ordered by weighted ranks: 0.25, 0.35 and 0.40 times" in text
        assert "score share a rank" not in text
    for value in values.values():
        assert f"{value:.2f}" in report
        assert f"{value:.2f}" in board("show", "b").out


@pytest.mark.parametrize(
    ("first", "team", "is_gained"),
    [
        ({"T_stage": "T3"}, "masks", True),
        ({"N_stage": "N2"}, "masks", False),
        ({"RFS": 14.5}, "stages", True),
    ],
)
def test_a_correction_of_any_part_names_its_case(hecktor, first, team, is_gained):
    done = board("rescore", "b", "--truth", truth(hecktor / "corrected", **first), "--json", "-")
    assert done.status == 0, done.err
    (change,) = [one for one in done.json["changes"] if one["team"] == team]
    assert change["cases"] == ["P0"], done.json["changes"]
    assert change["cases_more_right"] == ["P0"] * is_gained


def test_a_case_that_only_one_version_has_is_nobodys_gain(hecktor):
    done = board("rescore", "b", "--truth", truth(hecktor / "corrected", PatientID="OTHER"), "--json", "-")
    assert done.json["correction"]["added"] == ["OTHER"], done.err
    assert [case for one in done.json["changes"] for case in one["cases"] if case in ("OTHER", "P0")] == []
