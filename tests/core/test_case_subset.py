"""A part of the cases scores what files of these cases alone score, in every challenge."""

import io
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import numpy as np
import pytest

from scoring.challenges import challenge_ids, load_challenge
from scoring.common.findings import InputRefused
from scoring.core.submitted_part import of_cases
from tests.challenges.declared import test_gallery, test_mask_readers, test_object_readers
from tests.support.sample_files import sample_files

ENDINGS = (".csv", ".nii.gz", ".nii", ".mha")
Files = bytes | dict[str, bytes]


def contents(source: bytes | Path | dict[str, bytes]) -> Files:
    """Return a file, or the files of a folder or zip by name."""
    if isinstance(source, Path) and source.is_dir():
        found = (file for file in sorted(source.rglob("*")) if file.is_file())
        return {file.relative_to(source).as_posix(): file.read_bytes() for file in found}
    data = source.read_bytes() if isinstance(source, Path) else source
    if isinstance(data, bytes) and data.startswith(b"PK"):
        with ZipFile(io.BytesIO(data)) as packed:
            return {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
    return data


def limited(files: Files, cases: set[str]) -> Files:
    """Return files without those, and without rows of those, of other cases."""
    if isinstance(files, bytes):
        header, *lines = files.decode("utf-8-sig").splitlines()
        return "\n".join([header, *(x for x in lines if cases & {*map(stem, x.split(","))}), ""]).encode()
    return {
        name: limited(data, cases) if name.endswith(".csv") else data
        for name, data in files.items()
        if name.endswith(".csv") or any(case in name for case in cases)
    }


def stem(cell: str) -> str:
    name = PurePosixPath(cell.strip()).name
    return next((name.removesuffix(e) for e in (".jpg", ".png") if name.endswith(e)), name)


def declared(name: str):
    """Return truth and submission of a challenge that is a file: of labels, of points, of masks."""
    if name == "midog2021":
        truth, found, scores = test_object_readers.random_points(3, 2)
        return test_object_readers.tables(name, truth, found, scores, None)
    truths, guesses = (test_mask_readers.masks(seed, (1, 2, 4)) for seed in (1, 2))
    return test_mask_readers.folder(truths), test_mask_readers.folder(guesses)


@pytest.mark.parametrize("challenge_id", challenge_ids())
def test_a_part_scores_as_its_files_alone(challenge_id):
    truth_source, sent = map(contents, sample_files(challenge_id))
    if challenge_id == "hecktor2026":
        truth_source = {n: d for n, d in truth_source.items() if n.startswith(("masks/", "clinical.csv"))}
    the_part_scores_as_its_files(load_challenge(challenge_id), truth_source, sent)


def test_a_part_of_declared_challenges_scores_as_its_files_alone():
    frames = test_gallery.random_labels("aptos2019", 4)
    for name, (truth, sent) in {
        "aptos2019": map(test_gallery.table, frames),
        "midog2021": declared("midog2021"),
        "brats2021": declared("brats2021"),
    }.items():
        the_part_scores_as_its_files(load_challenge(name), truth, sent)


def the_part_scores_as_its_files(challenge, truth_source: Files, sent: Files) -> None:
    truth = challenge.read_truth(truth_source)
    chosen = np.flatnonzero(np.random.default_rng(5).random(len(truth)) < 0.6)
    cases = {stem(truth.ids[index]) for index in chosen}
    submission = challenge.read_predictions(sent, truth)
    how = {"resamples": 50, "with_curves": False}
    whole = challenge.score(truth, submission, **how)
    part = challenge.score(of_cases(truth, chosen), of_cases(submission, chosen), **how)
    alone_truth = challenge.read_truth(limited(truth_source, cases))
    alone = challenge.score(alone_truth, challenge.read_predictions(limited(sent, cases), alone_truth), **how)
    assert 0 < part.n_cases == alone.n_cases == len(chosen) < len(truth)
    assert (part.score, dict(part.metrics)) == (alone.score, dict(alone.metrics))
    assert part.score != whole.score
    assert part.intervals == alone.intervals
    assert part.cases == alone.cases
    assert set(part.arrays) == set(alone.arrays)
    for name, array in part.arrays.items():
        np.testing.assert_array_equal(array, alone.arrays[name], err_msg=name)


def test_a_challenge_that_does_not_say_what_belongs_to_a_case_is_refused():
    with pytest.raises(InputRefused, match="bad-split"):
        of_cases(object(), np.array([0]))
