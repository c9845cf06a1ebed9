"""A corrected truth: seen before it is shown, confirmed, and taken back."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import scoring
from scoring.boards.board import opened
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.truth_correction import rescoring
from scoring.boards.truth_correction.correction_preview import changed_cases, correction
from scoring.challenges import load_challenge, samples
from scoring.store.database import open_store
from tests.support.boards import CASES, board, filled, labels
from tests.support.lesion_tables import CLASSES
from tests.support.teams import lesion_outputs, lesion_truth, outputs_table

TIMED = """
import sys, time
from scoring.cli.main import main
sys.stderr.isatty = lambda: True
status = main(sys.argv[1:])
print(time.process_time(), file=sys.stderr)
sys.exit(status)
"""


def shown() -> tuple:
    """Return what everybody sees."""
    now = opened(open_store(), "b")
    return now.row.version, public_report.value(board_ranking(now)), public_report.html(board_ranking(now))


def test_nothing_is_shown_before_a_correction_is_confirmed(sent, tmp_path):
    before, corrected = shown(), labels(tmp_path / "corrected.csv")
    done = board("rescore", "b", "--truth", corrected, "--json", "-")
    assert done.status == 0, done.err
    assert (done.json["shown"], shown()) == (False, before)
    found = done.json["correction"]
    assert found["relabelled"] == {CASES[0]: ["labels"], CASES[3]: ["labels"]}
    assert (found["versions"], found["added"], found["removed"], found["refused"]) == ([1, 2], [], [], [])
    assert {one["rank_before"]: one["rank"] for one in done.json["changes"]} == {1: 2, 2: 1}
    known = sent / "alpha" / "2026-10-08.csv"
    again = board("submit", "b", "--team", "alpha", "--predictions", known, "--json", "-")
    assert again.json["submissions"][0]["score"] == before[1]["teams"][0]["score"], "the score that is shown"
    assert board("rescore", "b", "--yes").status == 0
    assert shown()[0] == 2
    assert shown()[1]["teams"] != before[1]["teams"]


@pytest.mark.parametrize("fault", ["renamed", "fewer"])
def test_a_correction_that_hurts_says_so_and_needs_a_second_word(sent, tmp_path, fault):
    before, truth = shown(), labels(tmp_path / "corrected.csv")
    lines = truth.read_text().splitlines()
    lines[5:6] = [] if fault == "fewer" else [lines[5].replace("canary04", "canary4")]
    truth.write_text("\n".join(lines) + "\n")
    done = board("rescore", "b", "--truth", truth, "--yes")
    assert (done.status, shown()) == (2, before)
    assert "correction-not-confirmed" in done.err
    assert "lacks 1 case: canary04" in done.err
    if fault == "renamed":
        assert "refuses 3 submissions" in done.err
        assert "no team would be ranked any more" in done.err
        assert "Of 2 teams: 2 no longer ranked." in done.out
        assert re.search(r"\n3 refused:\n(  (alpha|beta), \w+: case canary4 .*\n){3}\n", done.out)
        assert "New cases: canary4. Did the ids change?" in done.err
    found = correction(rescoring.begun(opened(open_store(), "b")), opened(open_store(), "b"))
    assert found.removed == ("canary04",)
    assert all(one.problem for one in found.refused)
    if fault == "renamed":
        assert board("rescore", "b", "--discard").status == 0
        assert board("rescore", "b").status == 2
        assert shown() == before
    else:
        assert board("rescore", "b", "--yes").status == 0
        assert shown()[1]["provenance"]["n_cases"] == len(CASES) - 1


RISK = """
id = "risk"
title = "Risk"
about = "One risk for each case."
task = "classification"
classes = ["neg", "pos"]
positive = "pos"
[truth]
case = "case"
label = "label"
[predictions]
score = "score"
missing = "refuse"
[score]
metric = "auc"
"""


def test_a_correction_that_takes_the_scores_away_needs_a_second_word(place, tmp_path):
    """The same cases, each of one class: nobody is refused, and no score is defined any more."""
    (tmp_path / "risk.toml").write_text(RISK)
    for name, positive in (("truth", 10), ("wrong", 0)):
        rows = [f"c{i},{'pos' if i < positive else 'neg'}" for i in range(20)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["case,label", *rows]) + "\n")
    (tmp_path / "p.csv").write_text("\n".join(["case,score", *(f"c{i},{i / 20}" for i in range(20))]) + "\n")
    made = board(
        "create", tmp_path / "risk.toml", "--id", "b", "--title", "B", "--truth", tmp_path / "truth.csv"
    )
    assert made.status == 0, made.err
    assert board("submit", "b", "--team", "alpha", "--predictions", tmp_path / "p.csv").status == 0
    before = shown()
    done = board("rescore", "b", "--truth", tmp_path / "wrong.csv", "--yes")
    assert (done.status, shown()) == (2, before)
    assert (
        "correction-loses-scores truth: 1 of 1 teams would have no score any more, such as alpha" in done.err
    )
    assert "correction-not-confirmed" in done.err


@pytest.mark.parametrize("stays", [0, 1])
def test_a_correction_that_leaves_a_part_of_a_split_board_without_cases_is_refused(place, tmp_path, stays):
    shown_part, parts = tmp_path / "shown.txt", [i // 2 % 2 for i in range(len(CASES))]
    shown_part.write_text("\n".join(case for case, part in zip(CASES, parts, strict=True) if part) + "\n")
    made = ("--id", "b", "--title", "B", "--truth", labels(tmp_path / "truth.csv"))
    assert board("create", "melanoma", *made).status == 0
    assert board("split", "b", "--cases", shown_part).status == 0
    truth = labels(tmp_path / "corrected.csv")
    header, *rows = truth.read_text().splitlines()
    kept = [row for row, part in zip(rows, parts, strict=True) if part == stays]
    truth.write_text("\n".join([header, *kept]) + "\n")
    done = board("rescore", "b", "--truth", truth)
    assert (done.status, "correction-empties-part" in done.err) == (2, True)


def test_any_version_can_be_returned_to_and_any_two_compared(database, tmp_path):
    filled(tmp_path)
    first = shown()
    for number, wrong in ((2, ()), (3, (7,))):
        truth = labels(tmp_path / f"{number}.csv", wrong=wrong)
        assert board("rescore", "b", "--yes", "--truth", truth).status == 0
    apart = board("show", "b", "--changes", "--against", 1, "--json", "-").json["changes"]
    assert {case for one in apart for case in one["cases"]} >= {CASES[0], CASES[3], CASES[7]}
    assert "nothing-to-rescore" in board("rescore", "b", "--to-version", 3).err
    assert "no-version" in board("rescore", "b", "--to-version", 9).err
    done = board("rescore", "b", "--to-version", 1, "--yes", "--json", "-")
    assert (done.status, done.json["test_set_version"]) == (0, 4)
    assert shown()[1]["teams"] == first[1]["teams"]
    done = board("show", "b", "--changes", "--against", 1, "--json", "-")
    assert [one["cases"] for one in done.json["changes"]] == [[], []]
    with open_store().read() as session:
        rows = session.connection().exec_driver_sql("select card, number from scoring order by 1, 2").all()
    kept = {number: {card for card, of in rows if of == number} for number in (1, 4)}
    assert kept[4] == kept[1], "what the same test set gave is not scored again"


@pytest.mark.parametrize(
    ("teams", "cases", "most_seconds"), [(8, 120, 60), pytest.param(100, 1000, 10, marks=pytest.mark.soak)]
)
def test_a_preview_is_what_scoring_each_file_on_both_truths_says(place, tmp_path, teams, cases, most_seconds):
    """Cases with another label are won by the teams that said it and lost by those that said the old one.
    Seconds are processor time, since other programs may run."""
    random, many = np.random.default_rng(31), len(CLASSES)
    labels = random.integers(0, many, cases)
    changed = labels.copy()
    changed[:9] = (labels[:9] + 1) % many
    sent, truths = tmp_path / "sent", [tmp_path / "old.csv", tmp_path / "new.csv"]
    sent.mkdir()
    for path, known in zip(truths, (labels, changed), strict=True):
        path.write_bytes(lesion_truth(known))
    outputs = {f"team{k:03}": lesion_outputs(random, labels, 1 + k / teams) for k in range(teams)}
    for team, values in outputs.items():
        (sent / f"{team}.csv").write_bytes(outputs_table(values))
    assert board("create", "tricorder3", "--id", "b", "--title", "B", "--truth", truths[0]).status == 0
    assert board("submit", "b", sent).status == 0
    command = ["board", "rescore", "b", "--truth", str(truths[1]), "--json", "-"]
    done = subprocess.run([sys.executable, "-c", TIMED, *command], capture_output=True, text=True)
    counted = [int(number) for number in re.findall(rf"(\d+) of {teams} submissions", done.stderr)]
    assert counted == [*range(teams + 1)]
    found, scores = json.loads(done.stdout)["correction"], {}
    one = partial(scoring.score, "tricorder3", resamples=0)
    for team in list(outputs)[:8]:
        cards = [one(truth=path, predictions=sent / f"{team}.csv") for path in truths]
        scores[team] = [card.score for card in cards]
    assert len(found["changes"]) == teams
    for change in found["changes"]:
        said = outputs[change["team"]].argmax(1)
        won, lost = said[:9] == changed[:9], said[:9] == labels[:9]
        assert set(change["cases_more_right"]) == {f"c{i}.jpg" for i in np.flatnonzero(won)}
        assert set(change["cases"]) == {f"c{i}.jpg" for i in np.flatnonzero(won | lost)}
        if change["team"] in scores:
            assert [change["score_before"], change["score"]] == scores[change["team"]]
    for rank, score in (("rank_before", "score_before"), ("rank", "score")):
        values = [change[score] for change in found["changes"]]
        assert [c[rank] for c in found["changes"]] == [1 + sum(v > own for v in values) for own in values]
    assert float(done.stderr.splitlines()[-1]) <= most_seconds


def of_hecktor(folder: Path) -> Path:
    """Copy the sample's truth."""
    test_set = next(iter(samples.test_sets("hecktor2026").values()))
    return shutil.copytree(test_set.path, folder / "truth")


@pytest.mark.parametrize("part", ["t", "time", "masks"])
def test_every_part_of_a_truth_names_its_cases(tmp_path, part):
    challenge = load_challenge("hecktor2026")
    before = challenge.read_truth(str(of_hecktor(tmp_path / "before")))
    place = of_hecktor(tmp_path / "after")
    table = place / "clinical.csv"
    lines = table.read_text().splitlines()
    header, row = lines[0].split(","), lines[1].split(",")
    if part == "masks":
        names = sorted(path for path in place.rglob("*.nii.gz"))
        own = [path for path in names if str(before.ids[2]) in str(path)]
        other = [path for path in names if str(before.ids[3]) in str(path)]
        own[0].write_bytes(other[0].read_bytes())
        expected = str(before.ids[2])
    else:
        row[header.index("T-stage" if part == "t" else "RFS")] = "T1" if part == "t" else "1001"
        lines[1] = ",".join(row)
        table.write_text("\n".join(lines) + "\n")
        expected = row[0]
    added, removed, relabelled = changed_cases(before, challenge.read_truth(str(place)))
    assert (added, removed) == ((), ())
    assert relabelled == {expected: (part,)}


def test_nuclei_that_moved_name_their_tile():
    challenge = load_challenge("puma")
    truth = challenge.read_truth(next(iter(samples.test_sets("puma").values())).path)
    moved = replace(truth.nuclei[3], centroids=truth.nuclei[3].centroids + 1)
    other = replace(truth, nuclei=(*truth.nuclei[:3], moved, *truth.nuclei[4:]))
    assert changed_cases(truth, other)[2] == {str(truth.ids[3]): ("nuclei",)}
