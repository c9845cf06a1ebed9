"""Hostile bundles of boards: each is refused in a sentence, before anything large is made of it."""

import errno
import io
import json
import sqlite3
import zipfile

import numpy as np
import pytest

from scoring.boards import serialization
from scoring.boards.board import listed
from scoring.boards.bundles import bundle
from scoring.boards.bundles.manifest import PROBLEMS, check_manifest
from scoring.common.findings import InputRefused
from scoring.inputs.sources import sha256
from scoring.store.database import open_store
from scoring.store.kept_files import Bucket, Folder
from tests.support import bundles
from tests.support.memory import growth

DIGEST = "0" * 64
LEADERBOARD = {"platform": "x", "score": None, "columns": [], "ascending": False, "entries": []}


def refusal(data: bytes) -> str:
    with pytest.raises(InputRefused) as caught:
        bundle.counted(data)
    assert {problem.code for problem in caught.value.problems} <= {"bad-bundle", "bad-card", "bad-zip"}
    return str(caught.value)


def test_the_bundle_that_is_changed_below_is_read_as_it_is():
    assert sorted(bundle.counted(bundles.packed({})).teams) == ["alpha", "beta"]
    assert check_manifest(bundles.manifest()) == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("board.version", 10**10, "is not a number from 1 to"),
        ("board.version", 10**9, "versions of the test set are missing"),
        ("board.version", True, "it is not a whole number"),
        ("board.counts", "zzz", "zzz is not one of last, best"),
        ("board.id", "../b", "is not small letters, digits and hyphens"),
        ("board.created", "9999-12-31T23:59:59.999999+00:00", "is not a time in UTC"),
        ("board.created", "2026-02-30T00:00:00.000000+00:00", "is not a time in UTC"),
        ("board.options", {"imported": "x"}, "it is not an object with score, compare, statistics"),
        ("board.options", {"imported": LEADERBOARD}, "leaderboards of other platforms cannot be in a bundle"),
        ("board.options", [], "it is not an object with score, compare, statistics"),
        ("board.options.statistics.resamples", 10**9, "board.options.statistics"),
        ("board.options.statistics.seed", "0", "board.options.statistics"),
        ("board.options.score", {"no_option": 1}, "these are not options of"),
        ("board.evil", 1, "board.'evil': this version of Benchside does not know it"),
        ("zz", [], "'zz': this version of Benchside does not know it"),
        ("teams.0.evil", 1, "teams[0].'evil': this version of Benchside does not know it"),
        ("board.challenge", "unheard-of", "this version of Benchside does not know its challenge"),
        ("test_sets.0.sha256", "/dev/zero", "/dev/zero is not 64 hexadecimal digits"),
        ("test_sets.0.number", 0, "is not a number from 1 to"),
        (
            "board.options.declaration",
            {"title": "a\u202eb"},
            "board.options.declaration: title: it contains the hidden character U+202E: write it without",
        ),
        ("submissions.0.sha256", "../" * 20, "is not 64 hexadecimal digits"),
        ("submissions.0.phase", "third", "phases are missing"),
        ("submissions.0.name", "a\u202eb", "it has control or hidden characters"),
        ("scorings.0.card", "", "is not 64 hexadecimal digits"),
        ("scorings.0.low", float("inf"), "its manifest cannot be read"),
        ("scorings.0.low", 10**400, "is not a finite number"),
        ("scorings.0.low", 0.9999, "an interval does not match its scorecard"),
        ("scorings.0.score", 0.9999, "a score does not match its scorecard"),
        ("scorings.0.problems", [{"message": 3}], "it is not a list of findings"),
        ("phases.0.per_day", -5, "-5 is not a number from 1 to"),
        ("phases.0.total", 2.5, "it is not a whole number"),
        ("phases.0.opens", "2027-01-01T00:00:00.000000+00:00", "a phase closes before it opens"),
        ("teams.0.name", "x" * 201, "it has more than 200 characters"),
        ("files", {"/dev/zero": 1}, "is not 64 hexadecimal digits"),
        ("files", {DIGEST: 1}, "the file 000000000000 is missing"),
    ],
)
def test_a_manifest_with_one_wrong_value_is_refused_with_its_place(path, value, words):
    said = refusal(bundles.with_value(path, value))
    assert words in said
    assert "Error" not in said.replace("ValueError", "")


def test_entries_that_the_tables_hold_once_are_refused_twice():
    value = bundles.manifest()
    value["scorings"].append(value["scorings"][0])
    assert "two entries have the same submission_id and number" in refusal(bundles.with_manifest(value))


def test_every_problem_is_named_up_to_a_number():
    value = bundles.manifest()
    value["teams"] = [{}] * 1_000
    value["board"]["version"] = -1
    problems = check_manifest(value)
    assert len(problems) == PROBLEMS
    assert "-1 is not a number from 1 to" in problems[0].message


def test_a_small_file_with_a_large_number_takes_no_memory():
    lists = ("test_sets", "teams", "submissions", "scorings", "phases")
    value = bundles.manifest() | {name: [] for name in lists}
    value |= {"files": {}} | {"board": value["board"] | {"version": 2**31 - 1}}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        packed.writestr(bundles.MANIFEST, json.dumps(value))
    grown = growth()
    assert "versions of the test set are missing" in refusal(target.getvalue())
    assert grown() < 50


def test_cards_that_unpack_to_more_than_a_bundle_may_are_not_unpacked(monkeypatch):
    value, large = bundles.manifest(), io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(serialization.DOCUMENT, "{}")
        for number in range(6):
            packed.writestr(f"arrays/{number}", bytes(40_000_000))
    digest = sha256(large.getvalue())
    value["scorings"][0]["card"] = digest
    value["files"][digest] = len(large.getvalue())
    changed = {f"files/{digest}": large.getvalue(), bundles.MANIFEST: json.dumps(value).encode()}
    monkeypatch.setattr(serialization, "card_from_bytes", None)
    assert "it unpacks to 240 MB; at most 200 MB are read" in refusal(bundles.packed(changed))


def test_a_bundle_that_unpacks_to_too_much_is_not_unpacked():
    changed = {f"files/{number:064}": bytes(45_000_000) for number in range(5)}
    assert "it unpacks to 225 MB" in refusal(bundles.packed(changed, zipfile.ZIP_DEFLATED))
    long = bundles.packed({bundles.MANIFEST: b" " * 21_000_000}, zipfile.ZIP_DEFLATED)
    assert "its manifest has more than 20 MB" in refusal(long)


@pytest.mark.parametrize("shape", [(10**10,), (10**5, 10**5), (0, 10**10)])
def test_an_array_that_says_it_is_longer_than_it_is_is_refused(shape):
    """numpy allocates what the header says before it reads."""
    header, target = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_2_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(io.BytesIO(card())) as whole, zipfile.ZipFile(target, "w") as written:
        written.writestr(serialization.DOCUMENT, whole.read(serialization.DOCUMENT))
        written.writestr("arrays/a", header.getvalue() + bytes(80))
    with pytest.raises(InputRefused, match="bad-card"):
        serialization.card_from_bytes(target.getvalue())


@pytest.mark.parametrize(
    ("key", "value"), [("score", "0.9"), ("cases", {}), ("n_cases", True), ("more", None)]
)
def test_a_card_whose_document_has_other_kinds_of_values_is_refused(key, value):
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(card())) as whole, zipfile.ZipFile(target, "w") as written:
        document = json.loads(whole.read(serialization.DOCUMENT))
        written.writestr(serialization.DOCUMENT, json.dumps(document | {key: value}))
    with pytest.raises(InputRefused, match=r"bad-card .*TypeError"):
        serialization.card_from_bytes(target.getvalue())


def card() -> bytes:
    return bundles.members()[f"files/{bundles.manifest()['scorings'][0]['card']}"]


@pytest.mark.parametrize("digest", ["/dev/zero", "../../etc/passwd", "", "A" * 64, f"{DIGEST}\n"])
def test_nothing_but_a_digest_becomes_a_path(digest, tmp_path):
    for files in (Folder(tmp_path), Bucket("memory://here")):
        for work in (files.read, files.holds, lambda name, files=files: files.discard([name])):
            with pytest.raises(InputRefused, match=r"store-damaged .*64 hexadecimal digits"):
                work(digest)


def put(path: str, value: object):
    """Return what changes one value of a card's document."""
    return lambda document, _arrays: bundles.changed(document, path, value)


def twice(name: str):
    """Return what repeats an array of a card."""

    def change(_document, arrays):
        array = np.load(io.BytesIO(arrays[name]))
        target = io.BytesIO()
        np.lib.format.write_array(target, np.concatenate([array, array]), version=(2, 0))
        arrays[name] = target.getvalue()

    return change


def twice_as_large(name: str):
    """Return what doubles the values of an array of a card."""

    def change(_document, arrays):
        target = io.BytesIO()
        np.lib.format.write_array(target, 2 * np.load(io.BytesIO(arrays[name])), version=(2, 0))
        arrays[name] = target.getvalue()

    return change


def narrower(name: str):
    """Return what takes a tenth off each end of an interval."""

    def change(document, _arrays):
        low, high = document["intervals"][name]
        value = {**document["metrics"], "score": document["score"]}[name]
        document["intervals"][name] = [low + (value - low) / 10, high - (high - value) / 10]

    return change


def shuffled(_document, arrays):
    """Turn the replicates of the score around: with those of others they tell who is ahead."""
    array, target = np.load(io.BytesIO(arrays["arrays/score_replicates"])), io.BytesIO()
    np.lib.format.write_array(target, array[::-1], version=(2, 0))
    arrays["arrays/score_replicates"] = target.getvalue()


def of_beta(document, _arrays):
    """Take the name of the other team's file."""
    document["provenance"]["predictions_sha256"] = bundles.manifest()["submissions"][1]["sha256"]


def cut_off(document, _arrays):
    document["cases"] = document["cases"][:-1]


LYING_CARDS = {
    "score 2": (put("score", 2.0), "score is 2 in a scorecard, which is not from 0 to 1"),
    "score -1": (put("score", -1), "score is -1 in a scorecard, which is not from 0 to 1"),
    "score of no parts": (put("score", 0.51), "the score 0.51 of a scorecard is not 0"),
    "metric 5": (put("metrics.auc", 5.0), "auc is 5 in a scorecard, which is not from 0 to 1"),
    "negative loss": (
        put("metrics.log_loss", -0.1),
        "log_loss is -0.1 in a scorecard, which is not 0 or more",
    ),
    "metric text": (put("metrics.auc", "0.9"), "the metric auc of a scorecard is not a number"),
    "interval turned": (put("intervals.score", [0.9, 0.8]), "goes from 0.9 down to 0.8"),
    "interval beyond": (
        put("intervals.auc", [0.2, 1.5]),
        "auc in a scorecard, 0.2 to 1.5, goes beyond",
    ),
    # Of either team: which card is the first follows ids that are drawn.
    "interval elsewhere": (put("intervals.score", [0.5, 0.51]), "0.5 to 0.51, excludes 0."),
    "interval narrower": (narrower("score"), "computed again, differ from its scorecard"),
    "interval of a metric narrower": (narrower("brier_score"), "the intervals or replicates of "),
    "no interval": (put("intervals.score", None), "the intervals or replicates of "),
    "other replicates": (shuffled, "the intervals or replicates of "),
    "interval of three": (put("intervals.auc", [0.1, 0.2, 0.3]), "is not a pair of numbers"),
    "another team": (of_beta, "a scorecard names another submission than the manifest"),
    "another truth": (put("provenance.truth_sha256", DIGEST), "names another test set than the manifest"),
    "another table": (put("provenance.options.metadata_sha256", DIGEST), "another metadata table"),
    "n_cases": (put("n_cases", 7), "a scorecard states 7 cases but lists"),
    "no cases": (put("cases", []), "cases but lists 0"),
    "a case less": (cut_off, "cases but lists"),
    "case of another name": (put("cases.0.case", "other"), "has other cases"),
    "truth of a case": (put("cases.0.truth", "other"), "has other cases"),
    "units": (put("provenance.n_units", 3), "a scorecard has another number of units than it states"),
    "seed": (put("provenance.seed", 2**200), "in a scorecard, but 0 on the board"),
    "resamples": (put("provenance.resamples", 1000), "resamples is 1000 in a scorecard, but 20 on the board"),
    "option": (
        put("provenance.options.missing", "wrong"),
        "the option missing of a scorecard does not match",
    ),
    "kind of interval": (
        put("provenance.interval", "bca"),
        "the kind of interval of a scorecard does not match",
    ),
    "replicates": (twice("arrays/auc_replicates"), "auc_replicates of a scorecard are not 20 numbers"),
    "length": (twice("arrays/truth"), "truth of a scorecard has another length than its cases"),
    "another matrix": (put("confusion_matrix.counts", [[4, 0], [0, 4]]), "the details of "),
    "details of a class": (put("per_class.positive.recall", 0.99), "the details of "),
    "official": (put("official.reason", "any text"), "the details of "),
    "missing cases": (put("incomplete", "any text"), "the details of "),
    "outputs": (twice_as_large("arrays/outputs"), "the details of "),
    "matrix": (put("confusion_matrix.counts", [[-1, 2], [3, 4]]), "is not a square of counts"),
    "reason": (put("official.reason", "x" * 10_000_000), "a text in it has more than 20,000 characters"),
    "nested": (put("more.slices", json.loads("[" * 500 + "]" * 500)), "nested more than 40 deep"),
}


@pytest.mark.parametrize("name", LYING_CARDS)
def test_a_card_that_contradicts_itself_or_its_row_is_refused_with_its_place(name):
    change, words = LYING_CARDS[name]
    said = refusal(bundles.with_card(change))
    assert words in said
    assert "export the board again" in said


def test_a_card_with_other_scores_than_its_submission_has_is_refused():
    def better(document, _arrays):
        document["metrics"]["brier_score"] /= 2
        document["intervals"]["brier_score"] = None

    said = refusal(bundles.with_card(better))
    assert "computed again, differ from its scorecard" in said


def with_doubled_key(name: str, data: bytes) -> bytes:
    """Return the bundle with one member in which the first key is there twice."""
    return bundles.packed({name: data.replace(b"{", b'{"format": "benchside-board/1", "format": "x", ', 1)})


def test_a_key_that_is_there_twice_is_refused():
    said = refusal(with_doubled_key(bundles.MANIFEST, bundles.members()[bundles.MANIFEST]))
    assert "an object has the key 'format' twice" in said
    with pytest.raises(InputRefused, match="has the key 'score' twice"):
        serialization.card_from_bytes(with_text(b'{"score": 1, "score": 2}'))


def with_text(text: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as written:
        written.writestr(serialization.DOCUMENT, text)
    return target.getvalue()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("board.options.statistics.seed", 2**200, "board.options.statistics"),
        ("board.options.score.x", json.loads("[" * 900 + "]" * 900), "nested more than 40 deep"),
        ("submissions.0.excluded", "x" * 10_000_000, "a text in it has more than 20,000 characters"),
        ("phases.0.total", 10**8, "is not a number from 1 to 1000000"),
        ("phases.1.opens", "2026-01-01T00:00:00.000000+00:00", "the phases 'first' and 'second' overlap"),
        ("scorings.0.problems", [{"code": "a", "where": "b", "message": "c"}], "a scorecard and problems"),
        ("scorings.0.card", None, "without a scorecard there must be problems and no score"),
    ],
)
def test_a_manifest_that_no_board_has_is_refused_with_its_place(path, value, words):
    assert words in refusal(bundles.with_value(path, value))


def test_files_are_those_that_are_listed_and_needed():
    value, extra = bundles.manifest(), b"nobody needs this"
    assert "'files/x' is not listed" in refusal(bundles.packed({"files/x": extra}))
    value["files"][sha256(extra)] = len(extra)
    changed = {f"files/{sha256(extra)}": extra, bundles.MANIFEST: json.dumps(value).encode()}
    assert "nothing refers to the file" in refusal(bundles.packed(changed))
    value = bundles.manifest()
    value["files"][next(iter(value["files"]))] += 1
    assert "is not as large as stated" in refusal(bundles.with_manifest(value))


def contents(store) -> tuple[list[str], dict[str, bytes]]:
    """Return all rows of a store, and all files of its folder but the database's own."""
    with sqlite3.connect(store.folder / "benchside.db") as connection:
        rows = [*connection.iterdump()]
    paths = (path for path in store.folder.rglob("*") if path.is_file() and "benchside.db" not in path.name)
    return rows, {str(path.relative_to(store.folder)): path.read_bytes() for path in paths}


HOSTILE = {
    **{name: lambda change=change: bundles.with_card(change) for name, (change, _) in LYING_CARDS.items()},
    "per day": lambda: bundles.with_value("phases.0.per_day", -5),
    "twins": lambda: bundles.with_value("teams.1.name", "аlpha"),
    "doubled": lambda: with_doubled_key(bundles.MANIFEST, bundles.members()[bundles.MANIFEST]),
    "extra": lambda: bundles.packed({"files/x": b"x"}),
    "no arrays": lambda: bundles.with_card(lambda _document, arrays: arrays.clear()),
    "submission of another board": lambda: bundles.with_value("board.id", "other"),
    "the same board": lambda: bundles.packed({}),
    "submissions of the same ids": lambda: bundles.with_manifest(under_another_id()),
}


def under_another_id():
    value = bundles.manifest()
    value["board"]["id"] = "other"
    for rows in (value[name] for name in value if name not in ("board", "format", "files")):
        for row in rows:
            row["board_id"] = "other"
    return value


@pytest.fixture
def held(tmp_path):
    """A store with a board."""
    store = open_store(tmp_path / "store")
    bundle.import_board(store, bundles.packed({}))
    return store


def test_a_refused_bundle_leaves_store_and_folder_as_they_were(held):
    before = contents(held)
    for name, make in HOSTILE.items():
        with pytest.raises(InputRefused) as caught:
            bundle.import_board(held, make())
        codes = {problem.code for problem in caught.value.problems}
        assert codes <= {"bad-bundle", "bad-card", "board-exists"}, name
        assert contents(held) == before, name
    assert [entry["id"] for entry in listed(held)] == ["b"]


def test_an_import_that_the_disk_ends_leaves_store_and_folder_as_they_were(tmp_path, monkeypatch):
    store, written = open_store(tmp_path / "store"), []
    before, keep = contents(store), Folder.keep

    def keep_two(files, data):
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "full")
        written.append(data)
        return keep(files, data)

    monkeypatch.setattr(Folder, "keep", keep_two)
    with pytest.raises(InputRefused, match="store-full"):
        bundle.import_board(store, bundles.packed({}))
    assert len(written) == 2
    assert contents(store) == before


@pytest.mark.parametrize("name", ["", " ", "\u00a0", "\u3164"])
def test_a_board_that_cannot_be_ranked_is_not_imported(name):
    """The command refused it, and kept it."""
    value = bundles.manifest()
    value["teams"][0]["name"] = value["submissions"][0]["team"] = name
    assert refusal(bundles.with_manifest(value))


@pytest.mark.parametrize("twin", ["аlpha", "a\u200blpha", "ɑlpha", "alpha\u2800", "𝐚lpha"])
def test_teams_that_look_alike_are_in_no_bundle(twin):
    value = bundles.manifest()
    value["teams"][1]["name"] = value["submissions"][1]["team"] = twin
    assert "look alike" in refusal(bundles.with_manifest(value)) or "hidden characters" in refusal(
        bundles.with_manifest(value)
    )
