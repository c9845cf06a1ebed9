"""The command `compare`: teams, folders and zips of teams, options by team, and refusals of several files in
one answer."""

import re
import zipfile
from pathlib import Path

import pytest

from scoring.challenges import samples
from tests.support import schemas
from tests.support.command_line import run

SAMPLE = samples.test_sets("tricorder3")["sample"]
TRUTH = SAMPLE.path
AURORA, BOREALIS, CYGNUS = (SAMPLE.submissions[name].path for name in ("aurora", "borealis", "cygnus"))


def compared(*arguments):
    return run("compare", "tricorder3", "--truth", TRUTH, *arguments)


def test_sizes_by_team_give_each_the_score_it_has_alone():
    finished = compared(
        *(f"a={AURORA}", f"b={BOREALIS}", "--model-size-mib", "b=96.4", "--model-size-mib", "43.7"),
        *("--resamples", "50", "--json", "-"),
    )
    assert finished.status == 0
    for team, file, size in (("a", AURORA, 43.7), ("b", BOREALIS, 96.4)):
        alone = run(
            *("score", "tricorder3", "--truth", TRUTH, "--predictions", file, "--model-size-mib", size),
            *("--resamples", "50", "--json", "-"),
        ).json
        entry = next(t for t in finished.json["teams"] if t["team"] == team)
        assert (entry["score"], entry["intervals"]) == (alone["score"], alone["intervals"])


def test_the_same_file_twice_is_said():
    finished = compared(f"one={AURORA}", f"two={AURORA}", "--resamples", "20", "--json", "-")
    assert finished.json["identical"] == [["one", "two"]]
    assert "identical-submissions" in [f["code"] for f in finished.json["findings"]]
    assert [t["rank"] for t in finished.json["teams"]] == [1, 1]


def test_the_same_predictions_of_models_of_other_size_are_said_too():
    sizes = ("--model-size-mib", "one=10", "--model-size-mib", "two=100")
    finished = compared(f"one={AURORA}", f"two={AURORA}", *sizes, "--resamples", "20", "--json", "-")
    assert finished.json["identical"] == [["one", "two"]]
    assert [f["code"] for f in finished.json["findings"]] == ["identical-submissions"]
    assert "exactly 0" not in finished.json["findings"][0]["message"]
    assert [(p["p_value"], p["separated"]) for p in finished.json["pairs"]] == [(0, True)]


@pytest.mark.parametrize("name", [" ", "ev\nil", "b\udcff"])
def test_a_name_that_nobody_could_read_is_refused(tmp_path, name):
    finished = compared(
        f"{name}={AURORA}", f"b={BOREALIS}", "--resamples", "0", "--json", tmp_path / "out.json"
    )
    assert finished.status == 2
    assert finished.err.count("bad-option") == len(finished.err.splitlines()) == 1


def test_only_several_teams_are_called_tied():
    told = {
        name: compared(*teams, "--resamples", "50").out
        for name, teams in {"one": [f"a={AURORA}"], "two": [f"a={AURORA}", f"b={AURORA}"]}.items()
    }
    assert "tied for first" not in told["one"]
    assert told["two"].count("1 to 2, tied for first") == 2


def test_what_all_teams_share_is_said_once():
    told = compared(
        f"a={AURORA}", f"b={BOREALIS}", "--model-size-mib", "b=200", "--resamples", "50"
    ).err.splitlines()
    assert sum(line.startswith("note few-replicates --resamples: ") for line in told) == 1
    assert sum("few-replicates" in line for line in told) == 1
    assert [line.split(":")[0] for line in told if "size" in line] == [
        "warning model-size-unknown a",
        "warning size-score-zero b",
        "help",
    ]


def test_a_report_of_the_comparison_loads_nothing(tmp_path):
    report = tmp_path / "report.html"
    assert compared(f"a={AURORA}", f"b={BOREALIS}", "--resamples", "20", "--html", report).status == 0
    text = report.read_text(encoding="utf-8")
    assert (
        re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)\s*=\s*[\"']?(?!data:|#)[^\"'>\s]+", text)
        == []
    )
    assert "default-src 'none'" in text
    assert all(f">{team}<" in text for team in "ab")


def folder_of(tmp_path: Path) -> Path:
    """A folder with an entry for each of two teams."""
    folder = tmp_path / "teams"
    folder.mkdir()
    for name, source in (("aurora.csv", AURORA), ("cygnus.csv", CYGNUS)):
        (folder / name).write_bytes(Path(source).read_bytes())
    return folder


def test_a_folder_or_zip_of_teams_is_as_if_each_were_named(tmp_path):
    named = compared(f"aurora={AURORA}", f"cygnus={CYGNUS}", "--resamples", "20", "--json", "-")
    folder = folder_of(tmp_path)
    assert compared(folder, "--resamples", "20", "--json", "-").out == named.out
    with zipfile.ZipFile(tmp_path / "teams.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, f"teams/{path.name}")
    assert compared(tmp_path / "teams.zip", "--resamples", "20", "--json", "-").out == named.out


@pytest.mark.slow
def test_a_model_in_a_zip_of_teams_competes(tmp_path):
    """Teams of a zip are read as those that are named one by one."""
    with zipfile.ZipFile(tmp_path / "teams.zip", "w") as archive:
        archive.write(AURORA, "aurora.csv")
        archive.write(SAMPLE.submissions["palette"].path, "palette.onnx")
    finished = compared(tmp_path / "teams.zip", "--resamples", "0", "--json", "-")
    assert [t["team"] for t in finished.json["teams"]] == ["aurora", "palette"]
    assert finished.json["provenance"]["teams"]["palette"]["model_sha256"]
    assert finished.json["pairs"][0]["p_value"] is None


def test_every_problem_of_a_folder_is_named_by_team(tmp_path):
    folder = folder_of(tmp_path)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "aurora").mkdir()
    finished = compared(folder, f"cygnus={CYGNUS}", "--json", "-")
    assert finished.status == 2
    places = [p["where"] for p in finished.json["problems"]]
    assert "teams › aurora" in places
    assert any(place.startswith("empty: ") for place in places)
    assert f"cygnus={CYGNUS}" in places


def test_pairs_of_another_metric_are_read_by_a_person():
    finished = compared(f"a={AURORA}", f"c={CYGNUS}", "--resamples", "20", "--pairs-metric", "accuracy")
    assert "Pairs by accuracy (test: McNemar, exact)" in finished.out
    refused = compared(f"a={AURORA}", "--resamples", "20", "--pairs-metric", "size", "--json", "-")
    assert (refused.status, [p["where"] for p in refused.json["problems"]]) == (2, ["--pairs-metric"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a"], "TEAM=FILE"),
        ([f"a={AURORA}", f"a={CYGNUS}"], "named twice"),
        ([f"a={AURORA}", "--model-size-mib", "c=3"], "not one of the teams"),
        ([f"a={AURORA}", "--model-size-mib", "a=big"], "neither a number"),
        ([f"a={AURORA}", "--model-size-mib", "a=-1"], "not a size"),
        ([f"a={AURORA}", "--resamples", "1"], "replicates"),
        ([], "TEAM=P"),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    finished = compared(*arguments, "--json", "-")
    assert finished.status == 2
    assert {p["code"] for p in finished.json["problems"]} == {"bad-option"}
    assert words in finished.err


def test_problems_of_every_team_come_at_once(tmp_path):
    empty, words = tmp_path / "empty.csv", tmp_path / "words.csv"
    empty.write_bytes(b"")
    words.write_text("filename,prediction\nimages/L0001.jpg,blue\n")
    finished = compared(f"good={AURORA}", f"first={empty}", f"second={words}", "--json", "-")
    assert finished.status == 2
    places = [p["where"].split(":")[0] for p in finished.json["problems"]]
    assert places[0] == "first"
    assert set(places) == {"first", "second"}


def test_a_person_reads_the_standings():
    finished = compared(f"aurora={AURORA}", f"cygnus={CYGNUS}", "--resamples", "20")
    lines = finished.out.splitlines()
    assert "rank interval" in lines[0]
    assert [line.split()[1] for line in lines[1:3]] == ["aurora", "cygnus"]
    assert lines[4].startswith("Efficiency assumed for 2 of 2 teams.")


def test_a_table_of_teams_counts_and_is_written(tmp_path):
    facts = tmp_path / "facts.csv"
    facts.write_text("team,size_mib,institution\na,100,Uni A\nz,1,\n")
    finished = compared(f"a={AURORA}", f"b={BOREALIS}", "--teams", facts, "--resamples", "0", "--json", "-")
    by_option = compared(
        f"a={AURORA}", f"b={BOREALIS}", "--model-size-mib", "a=100", "--resamples", "0", "--json", "-"
    )
    assert [t["score"] for t in finished.json["teams"]] == [t["score"] for t in by_option.json["teams"]]
    assert {t["team"]: t["facts"]["institution"] for t in finished.json["teams"]} == {"a": "Uni A", "b": None}
    assert finished.json["size_assumed"] == ["b"]
    assert "unknown-team" in [f["code"] for f in finished.json["findings"]]
    person = compared(f"a={AURORA}", f"b={BOREALIS}", "--teams", facts, "--resamples", "0")
    assert "Efficiency assumed for 1 of 2 teams" in person.out
    assert "Uni A" in person.out


def test_a_table_of_teams_that_cannot_be_is_refused_with_all_else(tmp_path):
    facts, empty = tmp_path / "facts.csv", tmp_path / "empty.csv"
    facts.write_text("team,size_mib,institution\na,-3,<b>\n")
    empty.write_bytes(b"")
    finished = compared(f"a={AURORA}", f"b={empty}", "--teams", facts, "--json", "-")
    assert finished.status == 2
    assert [p["code"] for p in finished.json["problems"]] == ["bad-team-fact"] * 2 + ["unreadable-file"]


def test_refused_submissions_are_listed_with_their_reasons(tmp_path):
    folder = folder_of(tmp_path)
    (folder / "empty.csv").write_bytes(b"")
    (folder / "aurora").mkdir()
    (folder / "other.csv").write_text("filename,prediction\nimages/L0001.jpg,blue\n")
    arguments = (folder, "--resamples", "0", "--without-refused")
    finished = compared(*arguments, "--json", "-")
    assert finished.status == 0
    left_out = {one["team"]: one["problems"] for one in finished.json["excluded"]}
    assert set(left_out) == {"teams › aurora", "aurora", "empty", "other"}
    assert [team["team"] for team in finished.json["teams"]] == ["cygnus"]
    assert {p["level"] for problems in left_out.values() for p in problems} == {"error"}
    said = [f for f in finished.json["findings"] if f["code"] == "excluded-submission"]
    assert {f["where"] for f in said} == set(left_out)
    assert "Refused, so not ranked (4)" in compared(*arguments).out
    assert schemas.problems("comparison", finished.out) == []


def test_where_no_submission_is_left_all_problems_are_told(tmp_path):
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    finished = compared(f"a={empty}", f"b={empty}", "--without-refused", "--json", "-")
    assert finished.status == 2
    assert [p["where"].split(":")[0] for p in finished.json["problems"]] == ["a", "b"]
