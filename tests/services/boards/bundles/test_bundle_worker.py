"""Bundles in a confined process: those of every challenge are checked, scored again and ranked there."""

import io
import json
import zipfile
from dataclasses import replace

import pytest

from scoring.challenges import challenge_ids, samples
from scoring.common import isolation
from scoring.common.findings import InputRefused
from scoring.inference.reader_pool import LIMITS, ReaderPool
from scoring.inputs.sources import sha256
from scoring.services.boards import serialization
from scoring.services.boards.board import BoardSettings, create, opened
from scoring.services.boards.bundles import bundle
from scoring.services.boards.submissions.submitting import SubmissionRequest, submit
from scoring.services.store.database import open_store
from tests.support.boards import board, labels, predictions

TABLES = {"melanoma": "labels.csv", "tricorder3": "labels.csv", "isic": "ISIC_2019_Sample_GroundTruth.csv"}
OWN = {"tricorder3": {"model_size_mib": 12.5}}


@pytest.fixture(scope="module")
def confined():
    """Lets bundles be read as in a server."""
    limits = replace(LIMITS, decoders=("scoring.services.boards.bundles.bundle_worker",))
    pool = ReaderPool(limits, warm=1, mend="Import it on the command line.")
    isolation.use(pool.run)
    yield
    isolation.use(None)
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
    with pytest.raises(InputRefused, match="has other scores than its scorecard says"):
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


def test_what_few_cases_hide_in_an_interval_refuses_no_own_bundle(place, tmp_path):
    """Intervals of nearly perfect submissions are up to half as wide as their replicates alone give."""
    board("create", "melanoma", "--id", "b", "--title", "B", "--truth", labels(tmp_path / "l.csv", (0, 3, 7)))
    for seed in range(4):
        file = predictions(tmp_path / f"{seed}.csv", seed, 0.5, tuple(range(30, 32 + seed)))
        assert board("submit", "b", "--team", f"team{seed}", "--predictions", file).status == 0
    assert board("export", "b", tmp_path / "b.zip", "--with-truth").status == 0
    assert board("delete", "b", "--yes").status == 0
    done = board("import", tmp_path / "b.zip")
    assert done.status == 0, done.err
