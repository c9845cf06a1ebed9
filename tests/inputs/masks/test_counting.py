"""Counts of two masks against plain loops over whole arrays, and every kind of mask that counts as
missing."""

import functools
import gzip
import io
import zlib
from collections import Counter
from dataclasses import replace

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring import InputRefused
from scoring.inputs import inflate
from scoring.inputs.masks import blocks
from scoring.inputs.masks.blocks import VOXELS
from scoring.inputs.masks.counting import count, examine
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.sources import open_source
from tests.support.archives import archive_of
from tests.support.soak import FACTOR
from tests.support.thinned import crossed
from tests.support.volumes import (
    AFFINE,
    TYPES,
    WAYS,
    counted,
    metaimage,
    nifti,
    opener,
    random_labels,
    zipped,
)

SHAPE = (4, 3, 5)
RANDOM = np.random.default_rng(0)
TRUE, GUESS = random_labels(RANDOM, SHAPE), random_labels(RANDOM, SHAPE)
NAN = float("nan")
# Larger than one block, and no multiple of it.
LARGE = (71, 81, 91)


def truth_of(labels: np.ndarray = TRUE, affine: np.ndarray = AFFINE):
    return examine(opener(zipped(nifti(labels, affine))))


TRUTH = truth_of()


def fault(data: bytes) -> MaskError:
    """Why a prediction counts as missing."""
    found = count(TRUTH, opener(data))
    assert found.state == "malformed"
    assert found.table.tolist() == counted(TRUE, np.zeros_like(TRUE))
    assert (found.notes, found.digest) == ((), b"")
    return found.fault


def stored(labels: np.ndarray, kind: str, order: str, form: str, affine: np.ndarray = AFFINE) -> bytes:
    dtype = order + kind
    if form.startswith("mha"):
        return metaimage(labels, affine, dtype, packed=form == "mha packed")
    data = nifti(labels, affine, dtype, version=2 if "2" in form else 1)
    return zipped(data) if form.endswith(".gz") else data


FORMS = st.tuples(
    st.sampled_from(sorted(TYPES)),
    st.sampled_from("<>"),
    st.sampled_from(["nii", "nii.gz", "nii2.gz", "mha", "mha packed"]),
)


@given(st.integers(0, 2**32), st.tuples(*[st.integers(1, 9)] * 3), st.floats(0, 1), FORMS, FORMS)
def test_tables_restated(seed, shape, filled, form_of_truth, form):
    random = np.random.default_rng(seed)
    true, guess = random_labels(random, shape, filled), random_labels(random, shape, filled)
    truth = examine(opener(stored(true, *form_of_truth)))
    found = count(truth, opener(stored(guess, *form)))
    assert truth.voxels.tolist() == [int((true == label).sum()) for label in range(3)]
    assert found.table.tolist() == counted(true, guess)
    assert (found.state, found.fault, found.notes, truth.notes) == ("ok", None, (), ())


@pytest.mark.parametrize("filled", [0, 0.0001, 0.01, 0.5, 1])
@pytest.mark.parametrize("kind", ["u1", "f4"])
def test_masks_of_several_blocks(filled, kind):
    true, guess = random_labels(RANDOM, LARGE, filled), random_labels(RANDOM, LARGE, filled)
    truth = truth_of(true)
    assert true.size > VOXELS
    assert true.size % VOXELS % 8
    for kept in (truth, replace(truth, runs=None)):
        assert count(kept, opener(stored(guess, kind, "<", "nii.gz"))).table.tolist() == counted(true, guess)


def test_runs_are_kept_only_where_they_are_few():
    assert truth_of(random_labels(RANDOM, LARGE, 0.0001)).runs is not None
    assert truth_of(random_labels(RANDOM, LARGE, 0.5)).runs is None


@pytest.mark.slow
@pytest.mark.parametrize(("way", "slab"), crossed(WAYS, [VOXELS, blocks.SLAB], 2))
def test_masks_stored_in_another_orientation(way, slab, monkeypatch):
    monkeypatch.setattr(blocks, "SLAB", slab)
    true, guess = random_labels(RANDOM, LARGE, 0.001), random_labels(RANDOM, LARGE, 0.001)
    axes, back = way
    codes = nibabel.orientations.ornt_transform(
        [[axis, 1] for axis in range(3)], [[a, -1 if b else 1] for a, b in zip(axes, back, strict=True)]
    )
    turned = nibabel.Nifti1Image(guess, AFFINE).as_reoriented(codes)
    found = count(truth_of(true), opener(nifti(np.asarray(turned.dataobj), turned.affine)))
    assert found.table.tolist() == counted(true, guess)
    assert found.notes == (() if way == WAYS[0] else ("reoriented-mask",))
    assert found.digest == count(truth_of(true), opener(nifti(guess))).digest


def test_rounding_is_noted_of_masks_in_another_orientation():
    backwards = AFFINE @ np.diag([1, 1, -1, 1.0])
    backwards[:3, 3] += (SHAPE[2] - 1) * AFFINE[:3, 2]
    found = count(TRUTH, opener(nifti(GUESS[:, :, ::-1] + 0.001, backwards, "<f4")))
    assert found.notes == ("float-mask", "reoriented-mask")
    assert found.table.tolist() == counted(TRUE, GUESS)


def test_a_missing_mask_is_an_empty_one():
    found = count(TRUTH, None)
    assert (found.state, found.fault, found.digest) == ("missing", None, b"")
    assert found.table.tolist() == counted(TRUE, np.zeros_like(TRUE))


@given(FORMS)
def test_the_digest_is_that_of_the_labels(form):
    truth, other = TRUTH, GUESS.copy()
    other[3, 2, 4] = (other[3, 2, 4] + 1) % 3
    digest = count(truth, opener(nifti(GUESS))).digest
    assert count(truth, opener(stored(GUESS, *form))).digest == digest
    assert count(truth, opener(stored(other, *form))).digest != digest


def test_the_digest_knows_nothing_of_how_background_is_stored():
    truth, guess = truth_of(random_labels(RANDOM, LARGE, 0)), np.zeros(LARGE, int)
    guess[0, 0, 0] = 1
    moved = count(truth, opener(nifti(guess + 3, slope=1, intercept=-3)))
    rounded = count(truth, opener(nifti(guess + 0.001, dtype="<f4")))
    assert moved.digest == rounded.digest == count(truth, opener(nifti(guess))).digest


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        (GUESS * 0.5, {"dtype": "<f4", "slope": 2}),
        (GUESS * 2, {"slope": 0.5}),
        (GUESS + 3, {"slope": 1, "intercept": -3}),
        (2 - GUESS, {"slope": -1, "intercept": 2}),
        (GUESS * 100.0 - 50, {"dtype": ">i2", "slope": 0.01, "intercept": 0.5}),
    ],
)
def test_scaled_values_are_the_labels(values, settings):
    true = np.zeros_like(GUESS)
    found = count(truth_of(true), opener(nifti(values, **settings)))
    assert found.table.tolist() == counted(true, GUESS)


def test_what_is_stored_as_zero_is_a_label_where_the_scaling_says_so():
    found = count(TRUTH, opener(nifti(np.zeros(SHAPE), slope=1, intercept=2)))
    assert found.table.tolist() == counted(TRUE, np.full(SHAPE, 2))


@pytest.mark.parametrize("dtype", ["<f4", ">f8"])
@pytest.mark.parametrize("off", [0.01, -0.01, 0.001, -1e-6])
def test_values_near_a_label_are_rounded_and_noted(dtype, off):
    found = count(TRUTH, opener(nifti(GUESS + off, dtype=dtype)))
    assert found.table.tolist() == counted(TRUE, GUESS)
    assert found.notes == ("float-mask",)
    assert examine(opener(nifti(GUESS + off, dtype=dtype))).notes == ("float-mask",)


def test_whole_numbers_stored_as_floats_are_not_worth_a_note():
    assert count(TRUTH, opener(nifti(GUESS, dtype="<f8"))).notes == ()
    assert count(TRUTH, opener(nifti(-0.0 * GUESS + GUESS, dtype="<f8"))).notes == ()


def one_voxel(value: float) -> np.ndarray:
    values = GUESS.astype(float)
    values[3, 2, 4] = value
    return values


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (nifti(one_voxel(3)), "the label 3;"),
        (nifti(one_voxel(255)), "the label 255;"),
        (nifti(one_voxel(-1), dtype="<i1"), "the label -1;"),
        (nifti(one_voxel(-1), dtype=">i8"), "the label -1;"),
        (nifti(one_voxel(256), dtype=">u2"), "the label 256;"),
        (nifti(one_voxel(7), dtype="<f4"), "the label 7;"),
        (nifti(one_voxel(2.0), slope=2), "the label 4;"),
        (nifti(np.arange(60).reshape(SHAPE)), "the labels 3, 4, 5, 6, 7 ...;"),
        (nifti(one_voxel(0.5), dtype="<f4"), "fractional values (0.5);"),
        (nifti(one_voxel(0.989), dtype="<f8"), "fractional values (0.989);"),
        (nifti(one_voxel(1.011), dtype="<f8"), "fractional values (1.011);"),
        (nifti(one_voxel(1), slope=0.5), "fractional values (0.5);"),
        (nifti(one_voxel(NAN), dtype="<f4"), "NaN"),
        (nifti(one_voxel(np.inf), dtype=">f8"), "infinite"),
        (nifti(one_voxel(1e300), dtype=">f8", slope=1e30), "infinite"),
        (metaimage(one_voxel(9), packed=True), "the label 9;"),
    ],
)
def test_values_that_are_no_labels(data, words):
    found = fault(data)
    assert found.code == "bad-label"
    assert words in found.words
    assert "allowed are 0 (background), 1 (GTVp) and 2 (GTVn)" in found.words
    with pytest.raises(MaskError) as alone:
        examine(opener(data))
    assert alone.value.words == found.words


@pytest.mark.parametrize(
    "data",
    [
        nifti(np.ones((1, 1, 1))),
        nifti(GUESS[:, :, :4]),
        nifti(GUESS.reshape(4, 15, 1)),
        nifti(GUESS, np.diag([1, 1, 1, 1.0])),
        metaimage(GUESS, TransformMatrix="0 1 0 1 0 0 0 0 1"),
    ],
)
def test_other_grids(data):
    assert fault(data).code == "wrong-grid"
    assert "Save the mask on the truth's grid" in fault(data).words


@pytest.fixture(params=["installed", "of the standard library"])
def inflaters(request, monkeypatch):
    """What inflates: the fast one, and the one that stands in for it."""
    if request.param != "installed":
        monkeypatch.setattr(inflate, "GzipFile", gzip.GzipFile)
        monkeypatch.setattr(inflate, "deflate", zlib)


def test_the_standard_library_stands_in(inflaters):
    labels = random_labels(RANDOM, LARGE, 0.01)
    for form in ("nii.gz", "nii2.gz", "mha packed"):
        assert count(truth_of(labels), opener(stored(labels, "i2", ">", form))).table.tolist() == counted(
            labels, labels
        )


def damaged(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (nifti(GUESS)[:-1], "cut off"),
        (zipped(nifti(GUESS)[:-1]), "cut off"),
        (zipped(nifti(GUESS))[:-1], "cut off"),
        (zipped(nifti(GUESS))[:-12], "cut off"),
        (metaimage(GUESS)[:-1], "cut off"),
        (metaimage(GUESS, packed=True)[:-1], "cut off"),
        (metaimage(GUESS[:, :, :4], packed=True, DimSize="4 3 5"), "cut off"),
        (nifti(GUESS) + b"\0", "more data"),
        (zipped(nifti(GUESS) + b"\0"), "more data"),
        (metaimage(GUESS) + b"\0", "more data"),
        (metaimage(np.zeros((4, 3, 6)), packed=True, DimSize="4 3 5"), "more data"),
        (metaimage(GUESS, packed=True) + b"\0", "damaged"),
        (zipped(nifti(GUESS)) + b"more behind the mask", "cannot be read"),
        (damaged(zipped(nifti(GUESS)), -6), "checksum"),
        (damaged(zipped(nifti(GUESS)), -2), "cannot be read"),
        (damaged(metaimage(GUESS, packed=True), -1), "checksum"),
    ],
)
def test_damaged_files(data, words, inflaters):
    found = fault(data)
    assert found.code == "unreadable-file"
    assert words in found.words


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "a.nii").write_bytes(nifti(GUESS))
    files = open_source(tmp_path)
    (tmp_path / "a.nii").unlink()
    found = count(TRUTH, functools.partial(files.open, "a.nii"))
    assert (found.state, found.fault.code) == ("malformed", "unreadable-file")


def test_masks_in_a_zip_and_a_member_of_it_that_is_damaged():
    packed = archive_of(
        {"a.nii": nifti(GUESS), "b.nii.gz": zipped(nifti(GUESS)), "c.mha": metaimage(GUESS, packed=True)}
    )
    for name, data in (("a.nii", packed), ("b.nii.gz", packed), ("c.mha", packed)):
        files = open_source(data, "z.zip")
        assert count(TRUTH, functools.partial(files.open, name)).table.tolist() == counted(TRUE, GUESS)
    broken = open_source(damaged(packed, 100), "z.zip")
    assert count(TRUTH, functools.partial(broken.open, "a.nii")).fault.code == "unreadable-file"


@pytest.mark.parametrize("changed", [lambda data: data[:-1], lambda _: nifti(GUESS)])
def test_a_truth_that_changes_refuses(changed):
    data = [nifti(random_labels(RANDOM, LARGE))]
    truth = examine(lambda: io.BytesIO(data[0]))
    data[0] = changed(data[0])
    with pytest.raises(InputRefused) as caught:
        count(truth, opener(nifti(random_labels(RANDOM, LARGE))))
    assert "changed during the run" in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "data",
    [zipped(nifti(GUESS)), metaimage(GUESS, packed=True), nifti(GUESS, dtype=">f4"), nifti(GUESS, version=2)],
)
def test_cut_off_anywhere(data):
    for length in range(len(data)):
        assert fault(data[:length]).code == "unreadable-file"


def test_damage_anywhere_is_counted_or_malformed_but_nothing_else():
    random, states = np.random.default_rng(1), Counter()
    good = [
        zipped(nifti(GUESS)),
        metaimage(GUESS, packed=True),
        metaimage(GUESS),
        nifti(GUESS, dtype="<f4"),
        nifti(GUESS, version=2),
    ]
    for number in range(500 * FACTOR):
        data = bytearray(good[number % len(good)])
        for place in random.integers(0, len(data), random.integers(1, 5)):
            data[place] = random.integers(0, 256)
        found = count(TRUTH, opener(bytes(data)))
        states[found.state] += 1
        assert found.table.sum() == TRUE.size
    assert set(states) == {"ok", "malformed"}
