"""Declared challenges everywhere: commands, boards, history and bundles, where the file may be gone."""

import json
import os
import shutil

import numpy as np
import pytest

import scoring
from scoring.boards.serialization import zipped
from scoring.challenges.declared import draft, library
from scoring.cli import declared as declared_command
from scoring.common.findings import InputRefused
from scoring.inputs.truth_contents import read_truth
from tests.support.command_line import run, run_fresh

FILE = """# who writes comments
id = "grades"
title = "Grades"
task = "ordinal"
classes = ["0", "1", "2"]
[truth]
case = "id"
label = "grade"
[predictions]
label = "grade"
[score]
metric = "quadratic_kappa"
"""
random = np.random.default_rng(0)
GRADES = random.integers(0, 3, 60)
TEAMS = {"alpha": 0.9, "beta": 0.4}


def rows(grades) -> str:
    return "id,grade\n" + "".join(f"{i},{grade}\n" for i, grade in enumerate(grades))


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a declaration, a truth and two teams; a store and a folder of own challenges."""
    (tmp_path / "grades.toml").write_text(FILE)
    (tmp_path / "truth.csv").write_text(rows(GRADES))
    for name, share in TEAMS.items():
        guesses = np.where(random.random(60) < share, GRADES, random.integers(0, 3, 60))
        (tmp_path / f"{name}.csv").write_text(rows(guesses))
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv(library.FOLDER, str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fresh(*arguments: object):
    """What a process writes that has read no file yet."""
    library._read.clear()
    done = run(*arguments)
    assert done.status == 0, done.err
    return done


def test_a_board_outlives_the_file_and_moves_to_another_store(place):
    few = ("--resamples", 50)
    made = ("--truth", place / "truth.csv", *few)
    fresh("board", "create", place / "grades.toml", "--id", "g", "--title", "G", *made)
    (place / "grades.toml").unlink()
    for name in TEAMS:
        fresh("board", "submit", "g", "--team", name, "--predictions", place / f"{name}.csv")
    before = fresh("board", "show", "g", "--json", "-").json
    assert [team["team"] for team in before["teams"]] == ["alpha", "beta"]
    fresh("board", "export", "g", place / "g.zip")
    shutil.rmtree(place / "store")
    fresh("board", "import", place / "g.zip")
    after = fresh("board", "show", "g", "--json", "-", "--html", place / "g.html").json
    assert [team["score"] for team in after["teams"]] == [team["score"] for team in before["teams"]]
    assert after["board"]["challenge"] == before["board"]["challenge"]
    (place / "truth.csv").write_text(rows([2 - grade for grade in GRADES]))
    fresh("board", "rescore", "g", "--yes", "--truth", place / "truth.csv")
    assert fresh("board", "show", "g", "--json", "-").json["teams"][0]["score"] < 0


def test_a_board_takes_a_zip_of_many_as_it_takes_a_folder(place):
    made = ("--title", "G", "--truth", "truth.csv", "--resamples", 50)
    sent = ((f"{name}.csv", (place / f"{name}.csv").read_bytes()) for name in TEAMS)
    (place / "teams.zip").write_bytes(zipped(sent))
    assert run("board", "create", "grades.toml", "--id", "g", *made).status == 0
    assert run("board", "submit", "g", "teams.zip").status == 0
    shown = run("board", "show", "g", "--json", "-").json["teams"]
    assert [team["team"] for team in shown] == list(TEAMS)
    assert "no folder or zip has this path" in run("board", "submit", "g", "nowhere.zip").err


def test_the_history_outlives_the_file(place):
    for name in TEAMS:
        given = ("--truth", place / "truth.csv", "--predictions", place / f"{name}.csv", "--resamples", 50)
        fresh("score", place / "grades.toml", *given, "--keep")
    (place / "grades.toml").unlink()
    (series,) = fresh("history", "list", "--json", "-", "--challenge", "grades").json["series"]
    assert len(series["kept"]) == 2
    assert series["kept"][1]["difference"] < 0
    shown = run_fresh("history", "show", series["kept"][0]["id"], "--json", "-", environment=os.environ).json
    assert shown["card"]["provenance"]["options"]["declaration"]["id"] == "grades"


def test_a_bundle_of_a_platform_scores_without_the_file(place):
    made = ("--title", "G", "--truth", place / "truth.csv", "--output", place / "out", "--public-truth")
    image = ("--platform", "codabench", "--image", "me/g:1", "--resamples", 0)
    fresh("platform", "bundle", place / "grades.toml", *made, *image)
    (place / "grades.toml").unlink()
    shutil.unpack_archive(place / "out" / "competition.zip", place / "c")
    for folder, name in (("res", "alpha"), ("ref", "truth")):
        (place / "in" / folder).mkdir(parents=True)
        shutil.copy(place / f"{name}.csv", place / "in" / folder)
    settings = place / "c" / "scoring_program" / "benchside.json"
    scored = ("--settings", settings, "--input", place / "in", "--output", place / "scored")
    fresh("platform", "codabench", *scored)
    numbers = json.loads((place / "scored" / "scores.json").read_text())
    challenge = library.of_text(FILE, "grades.toml")
    truth = challenge.read_truth(place / "truth.csv")
    card = challenge.score(truth, challenge.read_predictions(place / "alpha.csv", truth), resamples=0)
    assert numbers["score"] == pytest.approx(card.score, abs=1e-9)


@pytest.mark.parametrize("challenge", ["grades.toml", "grades", "camelyon17", "grades@0000000000"])
def test_a_bundle_of_a_stranger_names_no_file_and_no_other_version(place, challenge):
    made = ("--truth", place / "truth.csv", "--resamples", 0)
    assert run("board", "create", place / "grades.toml", "--id", "g", "--title", "G", *made).status == 0
    assert run("board", "export", "g", place / "g.zip").status == 0
    shutil.unpack_archive(place / "g.zip", place / "g")
    manifest = json.loads((place / "g" / "manifest.json").read_text())
    manifest["board"]["challenge"] = challenge
    manifest["board"]["options"].pop("declaration")
    (place / "g" / "manifest.json").write_text(json.dumps(manifest))
    members = sorted(path for path in (place / "g").rglob("*") if path.is_file())
    data = zipped((path.relative_to(place / "g").as_posix(), path.read_bytes()) for path in members)
    (place / "bad.zip").write_bytes(data)
    shutil.rmtree(place / "store")
    done = run("board", "import", place / "bad.zip")
    assert done.status == 2
    assert "board.challenge" in done.err


def test_own_challenges_are_added_listed_shown_and_removed(place):
    files = ("--truth", "truth.csv", "--predictions", "alpha.csv")
    told = run("challenge", "check", "grades.toml", *files).out.splitlines()
    assert told[0].startswith("grades.toml declares grades@")
    assert told[0].endswith("; higher is better.")
    score = run("score", "grades.toml", *files, "--resamples", 0, "--json", "-").json["score"]
    assert told[1:] == ["truth.csv: 60 cases.", f"alpha.csv: can be scored, the score is {score}."]
    assert run("challenge", "add", "grades.toml").status == 0
    assert run("challenge", "add", "grades.toml").err.startswith("error bad-option grades.toml")
    assert run("challenge", "add", "grades.toml", "--replace").status == 0
    listed = {row["id"]: row["own"] for row in run("challenge", "list", "--json", "-").json["challenges"]}
    assert (listed["grades"], listed["camelyon17"]) == (True, False)
    assert run("challenge", "show", "grades", "--text").out == FILE
    assert "quadratic_kappa" in run("challenge", "show", "grades").out
    (place / "grades.toml").unlink()
    scored = run("score", "grades", "--truth", "truth.csv", "--predictions", "alpha.csv", "--json", "-")
    assert scored.json["challenge"].startswith("grades@")
    assert run("challenge", "remove", "grades").status == 0
    assert run("challenge", "remove", "camelyon17").status == 2
    library._read.clear()
    with pytest.raises(KeyError):
        scoring.load_challenge("grades")


def test_a_metric_that_the_truth_does_not_define_is_refused_by_check(place):
    (place / "truth.csv").write_text(rows([1] * 60))
    (place / "alpha.csv").write_text(rows([1] * 60))
    done = run("challenge", "check", "grades.toml", "--truth", "truth.csv", "--predictions", "alpha.csv")
    assert done.status == 2
    told = "undefined-metric quadratic_kappa: it is undefined for this truth and these predictions."
    assert done.err.count(told) == 1
    assert f"error {told}" in done.err


def test_a_bundle_with_a_truth_on_which_no_submission_has_a_score_is_refused(place):
    (place / "truth.csv").write_text(rows([1] * 60))
    (place / "grades.toml").write_text(FILE.replace("quadratic_kappa", "mcc"))
    order = ("--platform", "codabench", "--title", "G", "--image", "a/b:1", "--output", place / "bundle")
    done = run("platform", "bundle", "grades.toml", "--truth", "truth.csv", *order)
    assert done.status == 2
    assert "error undefined-score --truth: the score is undefined on this truth" in done.err
    assert not (place / "bundle").exists()


def test_an_id_of_the_gallery_is_not_taken(place):
    (place / "grades.toml").write_text(FILE.replace('id = "grades"', 'id = "aptos2019"'))
    done = run("challenge", "add", "grades.toml")
    assert done.status == 2
    assert "aptos2019 is the id of a challenge that is built in or in the gallery" in done.err


def test_a_comparison_says_who_left_cases_out(place):
    (place / "grades.toml").write_text(FILE.replace("[score]", 'missing = "ignore"\n[score]'))
    few = (place / "alpha.csv").read_text().splitlines()[:31]
    (place / "alpha.csv").write_text("\n".join(few))
    teams = ("alpha=alpha.csv", "beta=beta.csv")
    out = run("compare", "grades.toml", "--truth", "truth.csv", *teams, "--resamples", 50).out
    assert "alpha: 30 of 60 cases have no prediction and are left out." in out
    assert "beta: " not in out


TRUTHS = {
    "two classes": ("image,label,patient_id\na,benign,1\nb,malignant,1\nc,benign,2\n", "classification"),
    "grades": ("id_code,diagnosis\na,0\nb,2\nc,1\nd,1\n", "ordinal"),
    "one hot": ("image,A,B,C\na,1,0,0\nb,0,1,0\nc,0,0,1\n", "classification"),
    "labels": ("image,A,B,site\na,1,0,x\nb,1,1,y\nc,0,0,x\n", "multilabel"),
    "values": ("case,boneage\n" + "".join(f"{i},{3 * i}\n" for i in range(40)), "regression"),
    "survival": ("PatientID,RFS,Relapse\na,10,1\nb,20,0\nc,5,1\n", "survival"),
}


@pytest.mark.parametrize("name", TRUTHS)
def test_a_first_file_fits_the_truth_that_it_was_made_of(name):
    table, task = TRUTHS[name]
    found = draft.suggest(read_truth(table.encode(), "truth.csv"), "mine")
    assert found["task"] == task
    challenge = library.of_text(draft.toml(found), "mine.toml")
    assert len(challenge.read_truth(table.encode(), "truth.csv")) == table.count("\n") - 1
    if name == "two classes":
        assert 'positive = "malignant"' in draft.toml(found)
        assert 'unit = "patient_id"' in draft.toml(found)
    assert ('columns = ["site"]' in draft.toml(found)) == (name == "labels")


def test_init_writes_what_check_takes(place):
    done = run("challenge", "init", "truth.csv", "--output", "new.toml")
    assert "'grade' contains 3 grades in order." in done.out
    assert run("challenge", "check", "new.toml", "--truth", "truth.csv").status == 0
    assert run("challenge", "init", "truth.csv", "--output", "new.toml").status == 2
    (place / "sent.csv").write_text("id,my_grade\na,1\n")
    named = run("challenge", "init", "truth.csv", "--predictions", "sent.csv", "--output", "-")
    assert 'label = "my_grade"' in named.out
    (place / "on site.csv").write_bytes((place / "truth.csv").read_bytes())
    assert "--truth 'on site.csv'" in run("challenge", "init", "on site.csv").out


def test_init_asks_on_a_terminal_and_enter_keeps_what_is_suggested(monkeypatch, capsys):
    truth = "image,x,y,class\n" + "".join(f"i{k // 2},{k},{k},{'pq'[k % 2]}\n" for k in range(8))
    found = draft.suggest(read_truth(truth.encode(), "truth.csv"), "cells")
    answers = iter(["Cells of two kinds", "", "7.5"])
    monkeypatch.setattr("builtins.input", lambda _question: next(answers))
    asked = declared_command._asked(found)
    assert "The value depends on the radius" in capsys.readouterr().out
    assert (asked["title"], asked["score"]) == ("Cells of two kinds", {"metric": "f1", "radius": 7.5})
    assert library.of_text(draft.toml(asked), "cells.toml").words.title == "Cells of two kinds"
    answers = iter(["", "froc", "", "no number"])
    again = declared_command._asked(found)
    assert (again["title"], again["score"]["metric"]) == ("Cells", "froc")


def test_a_column_of_subgroups_that_lacks_is_told_once_before_anything_is_scored(place):
    (place / "grades.toml").write_text(f'{FILE}[subgroups]\ncolumns = ["site"]\n')
    files, teams = ("grades.toml", "--truth", "truth.csv"), ("a=alpha.csv", "b=beta.csv")
    told = "missing-column truth.csv: there is no column 'site'"
    for command in (("challenge", "check", *files), ("compare", *files, *teams)):
        done = run(*command)
        assert done.status == 2
        assert done.err.count(f"error {told}") == 1
    done = run("check", *files, "--predictions", "alpha.csv")
    assert done.status == 0
    assert f"warning {told}" in done.err + done.out
    (place / "sites.csv").write_text("id,site\n" + "".join(f"{i},{'xy'[i % 2]}\n" for i in range(60)))
    assert run("compare", *files, *teams, "--metadata", "sites.csv", "--resamples", 50).status == 0


def test_a_pipe_that_nobody_writes_into_is_refused_and_waits_for_no_writer(tmp_path):
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(InputRefused) as refused:
        library.of_file(tmp_path / "a.toml")
    assert [problem.message for problem in refused.value.problems] == ["no program writes into this pipe."]
