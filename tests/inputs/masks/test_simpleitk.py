"""Masks that SimpleITK writes are read, and masks that the tests write are what SimpleITK reads."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest

from scoring.inputs.masks.counting import count, examine
from scoring.inputs.masks.nifti_and_metaimage import open_volume
from tests.support import peer
from tests.support.soak import FACTOR
from tests.support.volumes import counted, metaimage, nifti, opener, random_labels, zipped

PROGRAM = Path(__file__).with_name("simpleitk.py")
KINDS = ("uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64")


def turned(random: np.random.Generator) -> np.ndarray:
    """A random rotation [3, 3]."""
    return np.linalg.qr(random.normal(size=(3, 3)))[0]


def placed(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Spacing, origin and directions."""
    return random.uniform(0.5, 4, 3), random.uniform(-300, 300, 3), turned(random)


@pytest.mark.slow
def test_masks_written_by_simpleitk_are_counted():
    random, jobs, expected = np.random.default_rng(0), [], []
    for number in range(36 * FACTOR):
        shape = random.integers(2, 9, 3)
        true, guess = random_labels(random, shape), random_labels(random, shape)
        where = [part.ravel().tolist() for part in placed(random)]
        for labels in (true, guess):
            ending = (".mha", ".nii.gz", ".nii", ".nrrd")[random.integers(4)]
            values = labels.ravel(order="F").tolist()
            jobs.append(
                [
                    "write",
                    ending,
                    shape.tolist(),
                    values,
                    KINDS[number % len(KINDS)],
                    *where,
                    bool(random.integers(2)),
                ]
            )
        expected.append(counted(true, guess))
    files = [base64.b64decode(file) for file in peer.asked(PROGRAM, jobs)]
    for truth, prediction, table in zip(files[::2], files[1::2], expected, strict=True):
        found = count(examine(opener(truth)), opener(prediction))
        assert (found.state, found.fault) == ("ok", None)
        assert found.table.tolist() == table


@pytest.mark.slow
def test_headers_say_what_simpleitk_reads():
    random, files = np.random.default_rng(1), []
    for number in range(40 * FACTOR):
        spacing, origin, directions = placed(random)
        affine = np.eye(4)
        affine[:3, :3], affine[:3, 3] = directions * spacing, origin
        labels, dtype = (
            random_labels(random, random.integers(2, 9, 3)),
            "<>"[number % 2] + ("u1", "i2", "f4", "f8")[number // 2 % 4],
        )
        files.append((".mha", metaimage(labels, affine, dtype, packed=number % 3 == 0)))
        files.append((".nii.gz", zipped(nifti(labels, affine, dtype))))
    answers = peer.asked(
        PROGRAM, [["read", ending, base64.b64encode(data).decode()] for ending, data in files]
    )
    for (_, data), answer in zip(files, answers, strict=True):
        header, voxels = open_volume(io.BytesIO(data))
        assert list(header.grid.shape) == answer["shape"]
        assert np.frombuffer(voxels.read(), header.dtype).tolist() == answer["values"]
        np.testing.assert_allclose(header.grid.affine, answer["affine"], rtol=1e-5, atol=1e-3)
