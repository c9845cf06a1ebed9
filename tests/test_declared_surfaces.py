"""Every surface, for declared challenges of every kind: report, paper, comparison, boards with an open and a
hidden truth, correction, what is done to teams, history. Bundles: tests/platforms/test_platforms.py.
"""

import json
import re
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from scoring.boards.truth_correction.correction_preview import changed_cases
from scoring.challenges.declared import library
from tests.support import surfaces
from tests.support.command_line import run
from tests.support.declared_kinds import KINDS, ORDER, Kind
from tests.support.schemas import problems
from tests.support.surfaces import given
from tests.support.thinned import some

pytestmark = pytest.mark.slow
STEPS = {"error": 0.5, "distance": 0.05, "grades": 0.04}
"""Of the Ladder, where it is not 0.02."""


@dataclass(frozen=True)
class Played:
    """A kind, with its files in a folder."""

    name: str
    kind: Kind
    folder: Path

    @property
    def file(self) -> Path:
        """The challenge's file."""
        return self.folder / f"{self.name}.toml"

    def score(self, part: str) -> float:
        """The score of a team on the truth, from the library alone."""
        challenge = self.kind.challenge
        cases = challenge.read_truth(given(self.folder, "truth"))
        sent = challenge.read_predictions(given(self.folder, part), cases)
        return challenge.score(cases, sent, resamples=0).score


@pytest.fixture(params=some(list(KINDS), 4, 1))
def played(request, tmp_path, monkeypatch) -> Played:
    """A kind whose files are written, with a store of its own."""
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    KINDS[request.param].write(tmp_path, request.param)
    return Played(request.param, KINDS[request.param], tmp_path)


def done(*arguments: object) -> str:
    """What a command wrote that must not fail."""
    found = run(*arguments)
    assert found.status == 0, (arguments, found.err)
    return found.out


def test_reports_papers_and_comparison(played):
    said = surfaces.commands(str(played.file), played.folder)
    card, comparison = said["card"], said["comparison"]
    assert problems("scorecard", json.dumps(card)) == problems("comparison", json.dumps(comparison)) == []
    (low, high), better = played.kind.challenge.scoring.range, played.kind.challenge.scoring.better
    assert card["score"] == played.score("good")
    assert low <= card["intervals"]["score"][0] < card["score"] < card["intervals"]["score"][1] <= high
    assert tuple(team["team"] for team in comparison["teams"]) == ORDER
    assert [team["rank"] for team in comparison["teams"]] == [1, 2, 3]
    for text in (said["card html"], said["comparison html"]):
        assert f"{better} is better" in text
        assert f"Kind {played.name}" in text
    first = next(line for line in said["terminal"].splitlines() if line.strip().startswith("1 "))
    assert "better" in first
    with zipfile.ZipFile(played.folder / "card.zip") as paper:
        assert any(name.endswith(".tex") for name in paper.namelist())


def test_no_table_of_classes_is_empty(played):
    challenge = played.kind.challenge
    cases = challenge.read_truth(given(played.folder, "truth"))
    sent = challenge.read_predictions(given(played.folder, "good"), cases)
    card = challenge.score(cases, sent, resamples=0)
    section = challenge.display.views(card).section("Classes")
    assert (section is None) == (not card.per_class)
    if section:
        assert len([column for column in section.blocks[0].columns if not column.detail]) > 1
    written = done("score", played.file, *_truth(played), "--predictions", given(played.folder, "good"))
    for name in card.per_class:
        line = next(line for line in written.splitlines() if line.startswith(f"{name} "))
        assert re.search(r"\d", line.removeprefix(name))


def _truth(played: Played) -> tuple[object, ...]:
    return "--truth", given(played.folder, "truth"), *surfaces.FEW


def test_open_boards_count_correct_and_compare_in_the_direction(played):
    shown = surfaces.boards(str(played.file), played.folder, STEPS.get(played.name, 0.02))
    for rule, counted in (("last", "good"), ("best", "better")):
        teams = shown[rule]["teams"]
        assert [(team["team"], team["rank"]) for team in teams] == [("climber", 1), ("other", 2)]
        assert teams[0]["score"] == played.score(counted)
        assert played.kind.challenge.scoring.direction in shown[f"{rule} html"]
    climber, other = shown["hidden"]["teams"]
    step = STEPS.get(played.name, 0.02)
    assert (climber["team"], climber["rank"], other["rank"]) == ("climber", 1, 2)
    assert [past["score"] for past in climber["history"]] == [
        pytest.approx(played.score("bad"), abs=step),
        pytest.approx(played.score("better"), abs=step),
        None,
    ]
    changes = {row["team"]: row for row in shown["changes"]["changes"]}
    assert changes["climber"]["score_before"] == played.score("good")
    truths = [played.kind.challenge.read_truth(given(played.folder, p)) for p in ("truth", "corrected")]
    assert sorted(changed_cases(*truths)[2]) == list(truths[0].ids[:2])


def test_a_hidden_board_outlives_the_file_and_what_is_done_to_teams(played):
    """Its file is gone from the first day on, and this process remembers nothing of it."""
    done("board", "create", played.file, "--id", "h", "--title", "H", "--counts", "best", *_truth(played))
    played.file.unlink()
    library._read.clear()
    done("board", "hide", "h", "--detail", "score", "--digits", 2)
    for team, part in (("a", "bad"), ("a", "better"), ("b", "good"), ("c", "good")):
        done("board", "submit", "h", "--team", team, "--predictions", given(played.folder, part))
    done("board", "team", "h", "c", "--exclude", "the same as b")
    teams = run("board", "show", "h", "--json", "-").json
    assert [(team["team"], team["rank"]) for team in teams["teams"]] == [("a", 1), ("b", 2)]
    assert teams["teams"][0]["score"] == pytest.approx(played.score("better"), abs=0.005)
    assert [row["team"] for row in teams["excluded"]] == ["c"]
    done("board", "team", "h", "b", "--rename", "d")
    done("board", "export", "h", played.folder / "plain.zip")
    with zipfile.ZipFile(played.folder / "plain.zip") as archive:
        names = archive.namelist()
    assert not any("truth" in name for name in names)
    done("board", "rescore", "h", "--yes", "--truth", given(played.folder, "corrected"))
    done("board", "export", "h", played.folder / "whole.zip", "--with-truth")
    shutil.rmtree(played.folder / "store")
    library._read.clear()
    done("board", "import", played.folder / "whole.zip")
    done("board", "hide", "h", "--open")
    opened = run("board", "show", "h", "--json", "-", "--html", played.folder / "h.html").json
    assert [team["team"] for team in opened["teams"]] == ["a", "d"]
    assert opened["teams"][1]["interval"] is not None
    assert played.kind.challenge.scoring.direction in (played.folder / "h.html").read_text()


def test_history_compares_with_the_best_before(played):
    (series,) = surfaces.history(str(played.file), played.folder)["series"]
    bad, better, good = (played.score(part) for part in surfaces.SENT)
    assert [entry["score"] for entry in series["kept"]] == [bad, better, good]
    differences = [entry["difference"] for entry in series["kept"][1:]]
    assert differences == [pytest.approx(better - bad), pytest.approx(good - better)]
