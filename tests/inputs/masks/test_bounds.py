"""What reading a mask may cost: memory, and how far a file that lies about itself is read."""

import gzip
import io
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pytest

from scoring.inputs.masks.counting import count, examine
from tests.support.peer import ROOT
from tests.support.volumes import AFFINE, metaimage, nifti, opener, random_labels

SMALL = (20, 20, 20)
CLINICAL = (512, 512, 200)
BACKWARDS = AFFINE @ np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, CLINICAL[2] - 1], [0, 0, 0, 1.0]])
MOST_MB = 50
BOMB = 100 << 20
NOISE = np.random.default_rng(0).bytes(4 << 20)
measurable = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="peak memory is read from Linux's /proc"
)


def zeros(head: bytes, size: int, packed: int = 31) -> bytes:
    """`head` and then `size` zeros, in gzip or (15) as a zlib stream."""
    pack = zlib.compressobj(1, zlib.DEFLATED, packed)
    return (
        pack.compress(head)
        + b"".join(pack.compress(bytes(1 << 20)) for _ in range(size >> 20))
        + pack.flush()
    )


def header_of(shape, affine=AFFINE, dtype="<u1") -> bytes:
    return nifti(np.zeros((1, 1, 1)), affine, dtype, fields={"dim": [3, *shape, 1, 1, 1, 1]})[:352]


def grown(tmp_path, truth: bytes, prediction: bytes) -> tuple[str, float]:
    """The state of the prediction, and by how many megabytes the memory grew."""
    for name, data in (("truth", truth), ("prediction", prediction)):
        (tmp_path / name).write_bytes(data)
    command = [
        sys.executable,
        "-m",
        "tests.inputs.masks.memory",
        tmp_path / "truth",
        tmp_path / "prediction",
    ]
    state, megabytes = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    return state, float(megabytes)


@pytest.mark.slow
@measurable
@pytest.mark.parametrize("affine", [BACKWARDS, pytest.param(AFFINE, marks=pytest.mark.soak)])
def test_clinical_masks_are_never_held(tmp_path, affine):
    """One that is stored backwards costs most."""
    size = int(np.prod(CLINICAL))
    truth = zeros(header_of(CLINICAL), size)
    state, megabytes = grown(
        tmp_path, truth, gzip.compress(header_of(CLINICAL, affine) + bytes([0, 1, 2, 0]) * (size // 4), 1)
    )
    assert state == "ok"
    assert megabytes < MOST_MB


@pytest.mark.slow
@measurable
@pytest.mark.parametrize("shape", [SMALL, (1000, 1000, 1000)])
def test_a_bomb_in_gzip_does_not_go_off(shape, tmp_path):
    assert_harmless(zeros(header_of(shape), BOMB), tmp_path)


@pytest.mark.slow
@measurable
def test_a_bomb_in_a_metaimage_does_not_go_off(tmp_path):
    header, end, _ = metaimage(np.zeros(SMALL), packed=True).partition(b"LOCAL\n")
    assert_harmless(header + end + zeros(b"", BOMB, 15), tmp_path)


@pytest.mark.slow
@measurable
def test_what_stands_before_the_voxels_is_not_held(tmp_path):
    gap = 60 << 20
    header = nifti(np.zeros((1, 1, 1)), fields={"dim": [3, *SMALL, 1, 1, 1, 1], "vox_offset": 352 + gap})[
        :352
    ]
    state, megabytes = grown(
        tmp_path, nifti(np.ones(SMALL)), zeros(header, gap) + gzip.compress(bytes(int(np.prod(SMALL))))
    )
    assert state == "ok"
    assert megabytes < MOST_MB


def assert_harmless(bomb: bytes, tmp_path) -> None:
    state, megabytes = grown(tmp_path, nifti(np.ones(SMALL)), bomb)
    assert state == "malformed"
    assert megabytes < MOST_MB


@pytest.mark.parametrize("shape", [SMALL, (400, 400, 20)])
@pytest.mark.parametrize("wrapped", [lambda data: data, lambda data: gzip.compress(data, 0)])
def test_a_file_that_goes_on_is_not_read_on(shape, wrapped):
    """Neither one with more data than the header states nor one on another grid."""
    labels = random_labels(np.random.default_rng(0), SMALL)
    files = []

    def opened():
        files.append(Watched(wrapped(header_of(shape) + labels.tobytes(order="F") + NOISE)))
        return files[0]

    assert count(examine(opener(nifti(labels))), opened).state == "malformed"
    assert files[0].furthest < 1 << 20


class Watched(io.BytesIO):
    """Knows how far it was read."""

    furthest = 0

    def _noted(self, result):
        self.furthest = max(self.furthest, self.tell())
        return result

    def read(self, size=-1):
        return self._noted(super().read(size))

    def readinto(self, buffer):
        return self._noted(super().readinto(buffer))
