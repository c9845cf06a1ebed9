"""A bundle without test sets: every byte of it is read, and none tells the truth."""

import io
import json
import zipfile

import numpy as np
import pytest

from scoring.boards import deletion, serialization
from scoring.boards.board import BoardSettings, create, opened
from scoring.boards.bundles import bundle
from scoring.boards.hidden_truth import visible_results
from scoring.boards.hidden_truth.disclosure_rules import HiddenRules
from scoring.boards.publication import public_report
from scoring.boards.ranking.board_ranking import board_ranking
from scoring.boards.submissions import submitting
from scoring.boards.submissions.submitting import SubmissionRequest
from scoring.boards.truth_correction import rescoring
from scoring.challenges import load_challenge, samples
from scoring.store.database import open_store
from tests.boards.ranking.test_decision import canonical_sha256
from tests.support.boards import CASES, TRUTH, board, filled, labels
from tests.support.hidden_boards import MAX, good, handed_in, hidden_board, table

FEW = {"resamples": 20, "seed": 0, "group": None, "interval": "auto"}
HEAVY = [pytest.param(name, marks=pytest.mark.slow) for name in ("isic", "puma", "hecktor2026")]


def parts(data: bytes, place: str = "bundle") -> dict[str, bytes]:
    """Return all files of a zip, and of the zips in it, but for what teams submitted."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        for name in packed.namelist():
            content = packed.read(name)
            where = f"{place}/{name}"
            found |= parts(content, where) if content[:4] == b"PK\3\4" else {where: content}
    return found


def cards_of(data: bytes) -> list[dict]:
    """Return the documents of the scorecards in a bundle."""
    return [
        json.loads(content) for name, content in parts(data).items() if name.endswith(serialization.DOCUMENT)
    ]


def own_files(data: bytes) -> dict[str, bytes]:
    """Return what the bundle holds beside the files that teams submitted."""
    manifest = json.loads(parts(data)["bundle/manifest.json"])
    sent = tuple(f"bundle/files/{row['sha256']}" for row in (*manifest["submissions"], *manifest["refused"]))
    return {name: content for name, content in parts(data).items() if not name.startswith(sent)}


def test_no_byte_of_an_open_board_holds_what_the_truth_says_of_a_case(place, tmp_path):
    truth = tmp_path / "labels.csv"
    rows = (
        f"{case},{ill},canaryplace{i % 3},{40.125 + i}"
        for i, (case, ill) in enumerate(zip(CASES, TRUTH, strict=True))
    )
    truth.write_text("filename,label,Location,Age\n" + "\n".join(rows) + "\n")
    store = open_store()
    one = create(store, "b", "melanoma", str(truth), BoardSettings("B", statistics=FEW))
    for number in range(3):
        submitting.submit(one, SubmissionRequest(f"team{number}", "p.csv", good(number)))
    rescoring.rescore(store, "b", str(labels(tmp_path / "corrected.csv", wrong=(1,))))
    whole, data = (bundle.export(opened(store, "b"), with_truth) for with_truth in (True, False))
    assert any(b"canaryplace" in content for content in parts(whole).values()), "the search finds it"
    assert b"canary" not in b"".join(own_files(data).values())
    assert b".125" not in b"".join(own_files(data).values())
    assert not [name for name in parts(data) if "/arrays/" in name or "/matches/" in name]
    for card in cards_of(data):
        assert (card["cases"], card["per_class"], card["confusion_matrix"], card["more"]) == (
            [],
            {},
            None,
            {},
        )
        assert card["findings"] == []
        assert max(map(len, lists_in(card)), default=0) <= 2, "nothing is as long as the test set"


def test_no_byte_of_an_open_board_checks_a_guess_of_the_truth(place, tmp_path, monkeypatch):
    """The SHA-256 of the truth stood in bundles, in what is published and in the final ranking."""
    filled(tmp_path)
    store, sites = open_store(), tmp_path / "sites.csv"
    sites.write_text(
        "filename,site\n" + "".join(f"{case},canaryplace{i % 3}\n" for i, case in enumerate(CASES))
    )
    assert board("rescore", "b", "--yes", "--metadata", sites).status == 0
    assert board("final", "b", "--freeze").status == 0
    assert board("rescore", "b", "--yes", "--truth", labels(tmp_path / "corrected.csv")).status == 0
    with store.read() as session:
        rows = session.connection().exec_driver_sql("select sha256, metadata_sha256 from test_set").all()
    guesses = [digest for row in rows for digest in (*row, canonical_sha256([*row])) if digest]
    now = opened(store, "b")
    whole, data = (bundle.export(now, with_truth) for with_truth in (True, False))
    found = b"".join(parts(whole).values())
    assert all(digest.encode() in found for digest in guesses if digest in dict(rows)), (
        "the search finds them"
    )
    assert board("publish", "b", tmp_path / "p.zip").status == 0
    shown = board("show", "b", "--json", "-", "--html", tmp_path / "b.html").out.encode()
    public = b"".join([shown, *parts((tmp_path / "p.zip").read_bytes()).values(), *parts(data).values()])
    public += (tmp_path / "b.html").read_bytes()
    secrets = [*guesses, now.row.options["salt"]]
    assert [text for text in secrets if text[:10].encode() in public] == []
    told = json.loads(shown)["final"]
    assert [one["what"] for one in told["changes"]][:1] == ["the truth"]
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    (tmp_path / "b.zip").write_bytes(data)
    imported = board("import", tmp_path / "b.zip", "--json", "-")
    assert imported.status == 0, imported.err
    assert imported.json["final"] | {"changes": []} == told | {"changes": []}
    assert [one["what"] for one in imported.json["final"]["changes"]][:1] == ["the truth"]
    assert bundle.export(opened(open_store(), "b"), with_truth=False) == data


def test_beyond_scores_and_intervals_a_bundle_tells_nothing_of_two_labels(place, tmp_path):
    """Two cases that a file answers alike may have each other's labels: the intervals, of replicates of a
    known seed, are others with more than 500 units, as the documentation says."""
    draw, few = np.random.default_rng(1), FEW | {"resamples": 50}
    names = [f"c{i}" for i in range(600)]
    answers, truth = draw.integers(0, 2, 600), draw.integers(0, 2, 600)
    one, other = (int(np.flatnonzero((answers == 1) & (truth == label))[0]) for label in (0, 1))
    swapped = truth.copy()
    swapped[[one, other]] = truth[[other, one]]
    told = []
    for labels_of, store_name in ((truth, "a"), (swapped, "b")):
        path = tmp_path / f"{store_name}.csv"
        rows = (f"{case},{label}" for case, label in zip(names, labels_of, strict=True))
        path.write_text("filename,label\n" + "\n".join(rows) + "\n")
        board_id = f"board-{store_name}"
        made = create(open_store(), board_id, "melanoma", str(path), BoardSettings("B", statistics=few))
        values = [0.9 if answer else 0.1 for answer in answers]
        submitting.submit(made, SubmissionRequest("team", "p.csv", table(values, names), id=store_name * 32))
        (card,) = cards_of(bundle.export(opened(open_store(), board_id), False))
        told.append((card.pop("intervals"), card))
    assert told[0][1] == told[1][1]
    assert told[0][0] != told[1][0]


def lists_in(value: object) -> list[list]:
    if isinstance(value, dict):
        return [found for one in value.values() for found in lists_in(one)]
    if isinstance(value, list):
        return [value, *(found for one in value for found in lists_in(one))]
    return []


@pytest.mark.parametrize("challenge_id", ["melanoma", "tricorder3", *HEAVY])
def test_a_board_of_any_challenge_is_ranked_elsewhere(place, tmp_path, monkeypatch, challenge_id):
    test_set = next(iter(samples.test_sets(challenge_id).values()))
    store = open_store()
    one = create(store, "b", challenge_id, test_set.path, BoardSettings("B", statistics=FEW))
    for team in [each for each in test_set.submissions.values() if not each.is_model][:2]:
        name, data = serialization.packed(team.path)
        own = {
            option.name: team.options[option.name]
            for option in load_challenge(challenge_id).options
            if option.per_team and option.name in team.options
        }
        submitting.submit(one, SubmissionRequest(team.title, name, data, own))
    here = board_ranking(opened(store, "b"))
    data = bundle.export(here.board, with_truth=False)
    assert not [name for name in parts(data) if "/arrays/" in name or "/matches/" in name]
    for card in cards_of(data):
        assert (card["cases"], card["per_class"], card["confusion_matrix"]) == ([], {}, None)
        assert {*card["more"]} <= {"model_size_mib"}
    monkeypatch.setenv("BENCHSIDE_STORE", str(tmp_path / "elsewhere"))
    other = open_store()
    assert bundle.import_board(other, data) == "b"
    there = board_ranking(opened(other, "b"))
    wanted = ("team", "rank", "score", "interval", "submission")
    ranked = [
        [{name: team[name] for name in wanted} for team in ranking.as_dict()["teams"]]
        for ranking in (here, there)
    ]
    assert ranked[0] == ranked[1]
    assert "No difference can be tested, because the scores came without" in public_report.html(there)
    assert bundle.export(opened(other, "b"), with_truth=False) == data


@pytest.mark.parametrize("known", [HiddenRules(), HiddenRules(step=0.1), HiddenRules("none")], ids=str)
def test_a_hidden_board_goes_with_what_was_shown_alone(place, tmp_path, known):
    """Full scores of enough submissions that lie in the bundle would be equations about the labels."""
    one = hidden_board(tmp_path, known)
    for wrong in (30, 29, 5):
        handed_in(one, good(wrong))
    handed_in(one, good(11), actor=MAX, team="beta")
    rescoring.rescore(one.store, "h", str(labels(tmp_path / "corrected.csv", wrong=(1, 7, 20))))
    ranking = board_ranking(opened(one.store, "h"))
    public = visible_results.published(ranking)
    data = bundle.export(ranking.board, with_truth=False)
    text = b"".join(own_files(data).values())
    with one.store.read() as session:
        truths = session.connection().exec_driver_sql("select sha256 from test_set").scalars().all()
        scores = session.connection().exec_driver_sql("select score from scoring").scalars().all()
    assert [digest for digest in truths if digest.encode() in text] == []
    full = [score for score in scores if score != round(score, 3)]
    assert full
    assert [score for score in full if str(score).encode() in text] == []
    assert b"canary" not in text
    deletion.delete_board(one.store, "h")
    bundle.import_board(one.store, data)
    there = visible_results.published(board_ranking(opened(one.store, "h")))
    told = ("team", "rank", "score", "submission")
    assert [[team[name] for name in told] for team in there["teams"]] == [
        [team[name] for name in told] for team in public["teams"]
    ]
    assert board("show", "h").status == 0
    assert bundle.export(opened(one.store, "h"), with_truth=False) == data


def test_a_class_that_lacks_is_not_told_by_the_official_program(place, tmp_path):
    """ "There is no case of UNK" stood in the cards of an export without truth."""
    store, classes = open_store(), ("MEL", "NV", "UNK")
    for name, used in (("whole", 3), ("lacking", 2)):
        rows = [f"c{i}," + ",".join(str(int(i % used == k)) for k in range(3)) for i in range(60)]
        truth = tmp_path / f"{name}.csv"
        truth.write_text("\n".join(["image," + ",".join(classes), *rows]) + "\n")
        one = create(store, name, "isic", str(truth), BoardSettings("B", statistics=FEW))
        submitting.submit(one, SubmissionRequest("team", "p.csv", truth.read_bytes()))
    visible, hidden = [], []
    for found in (visible, hidden):
        for name in ("whole", "lacking"):
            (card,) = cards_of(bundle.export(opened(store, name), False))
            found.append(card["official"])
        visible_results.hide(store, "whole", HiddenRules("none"))
        visible_results.hide(store, "lacking", HiddenRules("none"))
    assert "UNK" not in json.dumps(visible)
    assert hidden[0] == hidden[1]
    assert hidden[0]["same"] is False
