"""Bundles in a confined process: those of every challenge are checked, scored again and ranked there."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from scoring.boards import serialization
from scoring.boards.board import BoardSettings, create, opened
from scoring.boards.bundles import bundle
from scoring.boards.submissions.submitting import SubmissionRequest, submit
from scoring.challenges import challenge_ids, samples
from scoring.common import transport
from scoring.common.findings import InputRefused
from scoring.inference.reader_pool import LIMITS, ReaderPool
from scoring.inputs.sources import sha256
from scoring.store.database import open_store
from tests.support.boards import CASES, board, labels, predictions

TABLES = {"melanoma": "labels.csv", "tricorder3": "labels.csv", "isic": "ISIC_2019_Sample_GroundTruth.csv"}
OWN = {"tricorder3": {"model_size_mib": 12.5}}


@pytest.fixture(scope="module")
def confined():
    """Lets bundles be read as in a server."""
    limits = replace(LIMITS, decoders=("scoring.boards.bundles.bundle_worker",))
    pool = ReaderPool(limits, warm=1, fix="Import it on the command line.")
    transport.use(pool.run)
    yield
    transport.use(None)
    pool.close()


def exported(store, challenge_id: str) -> bytes:
    """Return the bundle of a board with the first two sample teams, test set included."""
    test_set = next(iter(samples.test_sets(challenge_id).values()))
    truth = test_set.path / TABLES[challenge_id] if challenge_id in TABLES else test_set.path
    create(store, "b", challenge_id, str(truth), BoardSettings("B", statistics={"resamples": 20}))
    entries = [entry for entry in test_set.submissions.values() if not entry.is_model][:2]
    for number, entry in enumerate(entries):
        name, data = serialization.packed(str(entry.path))
        submit(opened(store, "b"), SubmissionRequest(f"team {number}", name, data, OWN.get(challenge_id, {})))
    return bundle.export(opened(store, "b"), with_truth=True)


@pytest.mark.parametrize("challenge_id", challenge_ids())
def test_a_board_of_every_challenge_is_checked_there_and_a_card_that_lies_is_found(
    confined, challenge_id, tmp_path
):
    data = exported(open_store(tmp_path / "from"), challenge_id)
    store = open_store(tmp_path / "to")
    assert bundle.import_board(store, data) == "b"
    assert bundle.export(opened(store, "b"), with_truth=True) == data
    with pytest.raises(InputRefused, match="computed again, differ from its scorecard"):
        bundle.counted(improved(data))


def improved(data: bytes) -> bytes:
    """Return a bundle in which one submission has the scorecard of a better one."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(members["manifest.json"])
    worse, better = sorted(manifest["scorings"], key=lambda scoring: scoring["score"])
    names = {row["id"]: row["sha256"] for row in manifest["submissions"]}
    of_better, target = members.pop(f"files/{better['card']}"), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(of_better)) as card, zipfile.ZipFile(target, "w") as written:
        for name in card.namelist():
            part = card.read(name)
            if name == serialization.DOCUMENT:
                mine, theirs = (names[each["submission_id"]] for each in (worse, better))
                part = part.replace(theirs.encode(), mine.encode())
                if len({row["options"].get("model_size_mib") for row in manifest["submissions"]}) > 1:
                    raise AssertionError("the sizes of models have to be the same here")
            written.writestr(name, part)
    members[f"files/{better['card']}"] = of_better
    members.pop(f"files/{worse['card']}")
    del manifest["files"][worse["card"]]
    digest = sha256(target.getvalue())
    worse |= {"card": digest} | {key: better[key] for key in ("score", "low", "high")}
    members[f"files/{digest}"], manifest["files"][digest] = target.getvalue(), len(target.getvalue())
    members["manifest.json"] = json.dumps(manifest).encode()
    return serialization.zipped(members.items())


TINY = "filename,label\n" + "".join(f"{CASES[i]},{i % 3 == 0}\n" for i in range(7))
"""Seven cases, the fewest but one that have an interval."""


@pytest.mark.parametrize("truth", ["whole", "tiny"])
def test_no_own_bundle_is_refused_for_its_intervals(truth, place, tmp_path):
    """What few cases hide makes intervals of perfect and nearly perfect submissions wider or narrower than
    their replicates alone give."""
    known, is_tiny = labels(tmp_path / "l.csv", (0, 3, 7)), truth == "tiny"
    if is_tiny:
        known.write_text(TINY)
    made = board("create", "melanoma", "--id", "b", "--title", "B", "--truth", known, "--resamples", 200)
    assert made.status == 0, made.err
    wrong = {"perfect": (0, 3, 7), "nearly": (0, 3, 7, 30), "more": (30, 31, 32)}
    if is_tiny:
        wrong = {"perfect": (), "nearly": (1,), "useless": (0, 1, 2, 3), "none": tuple(range(7))}
    for number, (team, cases) in enumerate(wrong.items()):
        file = predictions(tmp_path / f"{team}.csv", number, 0.5, cases)
        if is_tiny:
            file.write_text("".join(file.read_text().splitlines(keepends=True)[:8]))
        done = board("submit", "b", "--team", team, "--predictions", file)
        assert done.status == 0, done.err
    for more in (("--with-truth",), ()):
        assert board("export", "b", tmp_path / "b.zip", *more).status == 0
        store = open_store(tmp_path / f"to{len(more)}")
        assert bundle.import_board(store, (tmp_path / "b.zip").read_bytes()) == "b"
