"""Hostile bundles of boards: each is refused in a sentence, before anything large is made of it."""

import io
import json
import zipfile

import numpy as np
import pytest

from scoring.common.findings import InputRefused
from scoring.inputs.sources import sha256
from scoring.services.boards import bundle, packing
from scoring.services.boards.manifest import PROBLEMS, check_manifest
from scoring.services.store.database import open_store
from scoring.services.store.files import Bucket, Folder
from tests.hostile.test_table import peak
from tests.support import bundles

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
        ("board.options", {"imported": LEADERBOARD}, "leaderboards of other platforms are in no bundle"),
        ("board.options", [], "it is not an object with score, compare, statistics"),
        ("board.options.statistics.resamples", 10**9, "board.options.statistics"),
        ("board.options.statistics.seed", "0", "board.options.statistics"),
        ("board.options.score", {"no_option": 1}, "these are no options of"),
        ("board.challenge", "unheard-of", "its challenge is not known here"),
        ("test_sets.0.sha256", "/dev/zero", "/dev/zero is not 64 hexadecimal digits"),
        ("test_sets.0.number", 0, "is not a number from 1 to"),
        ("submissions.0.sha256", "../" * 20, "is not 64 hexadecimal digits"),
        ("submissions.0.phase", "third", "phases are missing"),
        ("submissions.0.name", "a\u202eb", "it has control or hidden characters"),
        ("scorings.0.card", "", "is not 64 hexadecimal digits"),
        ("scorings.0.low", float("inf"), "its manifest cannot be read"),
        ("scorings.0.low", 10**400, "is not a finite number"),
        ("scorings.0.low", 0.9999, "an interval is not that of its scorecard"),
        ("scorings.0.score", 0.9999, "a score is not that of its scorecard"),
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
    before = peak()
    assert "versions of the test set are missing" in refusal(target.getvalue())
    assert peak() - before < 50


def test_cards_that_unpack_to_more_than_a_bundle_may_are_not_unpacked(monkeypatch):
    value, large = bundles.manifest(), io.BytesIO()
    with zipfile.ZipFile(large, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(packing.DOCUMENT, "{}")
        for number in range(6):
            packed.writestr(f"arrays/{number}", bytes(40_000_000))
    digest = sha256(large.getvalue())
    value["scorings"][0]["card"] = digest
    value["files"][digest] = len(large.getvalue())
    changed = {f"files/{digest}": large.getvalue(), bundles.MANIFEST: json.dumps(value).encode()}
    monkeypatch.setattr(packing, "card_from_bytes", None)
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
        written.writestr(packing.DOCUMENT, whole.read(packing.DOCUMENT))
        written.writestr("arrays/a", header.getvalue() + bytes(80))
    with pytest.raises(InputRefused, match="bad-card"):
        packing.card_from_bytes(target.getvalue())


@pytest.mark.parametrize(
    ("key", "value"), [("score", "0.9"), ("cases", {}), ("n_cases", True), ("more", None)]
)
def test_a_card_whose_document_has_other_kinds_of_values_is_refused(key, value):
    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(card())) as whole, zipfile.ZipFile(target, "w") as written:
        document = json.loads(whole.read(packing.DOCUMENT))
        written.writestr(packing.DOCUMENT, json.dumps(document | {key: value}))
    with pytest.raises(InputRefused, match=r"bad-card .*TypeError"):
        packing.card_from_bytes(target.getvalue())


def card() -> bytes:
    return bundles.members()[f"files/{bundles.manifest()['scorings'][0]['card']}"]


@pytest.mark.parametrize("digest", ["/dev/zero", "../../etc/passwd", "", "A" * 64, f"{DIGEST}\n"])
def test_nothing_but_a_digest_becomes_a_path(digest, tmp_path):
    for files in (Folder(tmp_path), Bucket("memory://here")):
        for work in (files.read, files.holds, lambda name, files=files: files.discard([name])):
            with pytest.raises(InputRefused, match=r"store-damaged .*64 hexadecimal digits"):
                work(digest)


def test_a_refused_bundle_leaves_nothing(tmp_path):
    store = open_store(tmp_path / "store")
    with pytest.raises(InputRefused):
        bundle.import_board(store, bundles.with_value("phases.0.per_day", -5))
    assert [*store.files.digests()] == []


@pytest.mark.parametrize("twin", ["аlpha", "a\u200blpha", "ɑlpha", "alpha\u2800", "𝐚lpha"])
def test_teams_that_look_alike_are_in_no_bundle(twin):
    value = bundles.manifest()
    value["teams"][1]["name"] = value["submissions"][1]["team"] = twin
    assert "look alike" in refusal(bundles.with_manifest(value)) or "hidden characters" in refusal(
        bundles.with_manifest(value)
    )
