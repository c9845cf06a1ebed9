"""Headers of volumes against nibabel, and what is no volume."""

import gzip
import io
import zlib

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.nifti_and_metaimage import open_volume
from tests.support.volumes import AFFINE, TYPES, metaimage, nifti, random_labels, zipped

LABELS = random_labels(np.random.default_rng(0), (4, 3, 5))
NAN = float("nan")
TURNED = AFFINE @ np.array([[0.8, -0.6, 0, 1], [0.6, 0.8, 0, -2], [0, 0, 1, 3], [0, 0, 0, 1]])
AXES = st.tuples(*[st.floats(-2, 2, allow_subnormal=False)] * 9).filter(
    lambda m: abs(np.linalg.det(np.reshape(m, (3, 3)))) > 0.01
)


def read(data: bytes) -> tuple:
    """Header and all voxels."""
    header, file = open_volume(io.BytesIO(data))
    return header, file.read()


def fault(data: bytes) -> MaskError:
    with pytest.raises(MaskError) as caught:
        read(data)
    assert caught.value.words.startswith("it")
    assert len(caught.value.words) < 250
    return caught.value


def by_nibabel(data: bytes, version: int) -> nibabel.Nifti1Image:
    return (nibabel.Nifti1Image, nibabel.Nifti2Image)[version - 1].from_bytes(data)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", [*TYPES, "f2"][:10])
def test_nifti_of_every_type_and_order(version, order, kind):
    data = nifti(LABELS, TURNED, order + kind, version)
    header, voxels = read(data)
    assert (header.grid.shape, header.dtype, header.is_scaled) == ((4, 3, 5), np.dtype(order + kind), False)
    assert (np.frombuffer(voxels, header.dtype).reshape((4, 3, 5), order="F") == LABELS).all()
    np.testing.assert_allclose(header.grid.affine, by_nibabel(data, version).affine)


@given(AXES, st.tuples(*[st.floats(-500, 500)] * 3), st.sampled_from([1, 2]), st.sampled_from(["<u1", ">u1"]))
def test_nifti_is_placed_as_nibabel_places_it(axes, origin, version, dtype):
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = np.reshape(axes, (3, 3)), origin
    for codes in ({}, {"sform_code": 0}, {"sform_code": 0, "qform_code": 0}):
        data = nifti(LABELS, affine, dtype, version, fields=codes)
        np.testing.assert_array_equal(read(data)[0].grid.affine, by_nibabel(data, version).affine)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "fields",
    [
        {"sform_code": 0, "pixdim": [0, 0.98, 0.98, 3, 0, 0, 0, 0]},
        {"sform_code": 0, "pixdim": [1, 0.98, -0.98, 3, 0, 0, 0, 0]},
        {"sform_code": 99},
        {"sform_code": 0, "qform_code": 99, "pixdim": [0, 0.98, 0.98, 3, 0, 0, 0, 0]},
    ],
)
def test_small_faults_of_placing_are_put_right_as_nibabel_does(fields, version, caplog):
    data = nifti(LABELS, TURNED, version=version, fields=fields)
    found = read(data)[0].grid.affine
    assert not caplog.records
    np.testing.assert_array_equal(found, by_nibabel(data, version).affine)


@pytest.mark.parametrize(
    ("slope", "intercept", "expected"),
    [
        *((0.5, 0, (0.5, 0)), (2, 1, (2, 1)), (NAN, NAN, (1, 0)), (0, 5, (1, 0)), (NAN, 3, (1, 0))),
        (1, 0, (1, 0)),
    ],
)
def test_scaling(slope, intercept, expected):
    header, _ = read(nifti(LABELS, slope=slope, intercept=intercept))
    assert (header.slope, header.intercept) == expected
    assert header.is_scaled == (expected != (1, 0))


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("order", "<>")
def test_extensions_are_skipped(version, order):
    data = nifti(LABELS, dtype=order + "u1", version=version, extension=b"made by a scanner " * 100)
    assert (by_nibabel(data, version).get_fdata() == LABELS).all()
    assert read(data)[1] == LABELS.tobytes(order="F")


@pytest.mark.parametrize(
    "wrapped", [zipped, lambda data: data, lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:])]
)
@pytest.mark.parametrize("written", [nifti, metaimage])
def test_gzip_is_known_by_its_bytes(written, wrapped):
    assert read(wrapped(written(LABELS)))[1] == LABELS.tobytes(order="F")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("kind", TYPES)
def test_metaimages_of_every_type_and_order(packed, order, kind):
    header, voxels = read(metaimage(LABELS, TURNED, order + kind, packed))
    assert (header.grid.shape, header.dtype, header.is_scaled) == ((4, 3, 5), np.dtype(order + kind), False)
    assert (np.frombuffer(voxels, header.dtype).reshape((4, 3, 5), order="F") == LABELS).all()
    np.testing.assert_allclose(header.grid.affine, TURNED)


def test_metaimages_with_lines_left_out_or_called_otherwise():
    bare = read(
        metaimage(
            LABELS,
            TransformMatrix=None,
            Offset=None,
            ElementSpacing=None,
            CenterOfRotation=None,
            ObjectType=None,
        )
    )[0]
    np.testing.assert_array_equal(bare.grid.affine, np.diag([-1, -1, 1, 1]))
    old = metaimage(
        LABELS, TransformMatrix=None, Offset=None, ElementSpacing=None, Position="1 2 3", ElementSize="4 5 6"
    )
    np.testing.assert_array_equal(
        read(old)[0].grid.affine, [[-4, 0, 0, -1], [0, -5, 0, -2], [0, 0, 6, 3], [0, 0, 0, 1]]
    )
    high = metaimage(LABELS, dtype=">u2", BinaryDataByteOrderMSB=None, ElementByteOrderMSB=True)
    assert read(high)[0].dtype == np.dtype(">u2")


@pytest.mark.parametrize("written", [nifti, metaimage])
def test_trailing_axes_of_length_one_are_dropped(written):
    labels = LABELS.reshape(4, 3, 5, 1)
    lines = (
        {}
        if written is nifti
        else {
            "TransformMatrix": " ".join(map(str, np.eye(4).ravel().tolist())),
            "Offset": "0 0 0 0",
            "ElementSpacing": "1 1 1 1",
        }
    )
    header, voxels = read(written(labels, **lines))
    assert header.grid.shape == (4, 3, 5)
    assert voxels == LABELS.tobytes(order="F")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (nifti(np.zeros((4, 3, 5, 2))), "4×3×5×2"),
        (nifti(np.zeros((4, 3, 5, 1, 2))), "4×3×5×1×2"),
        (nifti(np.zeros((4, 3))), "4×3"),
        (metaimage(LABELS, ElementNumberOfChannels=2), "4×3×5×2"),
        (metaimage(LABELS, NDims=2, DimSize="4 15"), "4×15"),
    ],
)
def test_not_three_axes(data, words):
    assert fault(data).code == "wrong-grid"
    assert f"shape {words}:" in fault(data).words


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (zipped(b""), "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(400), "neither"),
        (bytes(1000), "neither"),
        (bytes(128) + b"DICM" + bytes(400), "neither"),
        (nifti(LABELS)[:300], "cut off"),
        (nifti(LABELS, version=2)[:500], "cut off"),
        (nifti(LABELS)[:350], "cut off"),
        (zipped(nifti(LABELS))[:40], "cut off"),
        (b"\x1f\x8b\x08" + bytes(20), "cannot be read"),
        (nifti(LABELS, fields={"magic": b"ni1"}), "two files"),
        (nifti(LABELS, fields={"magic": b""}), "two files"),
        (nifti(LABELS, fields={"vox_offset": 0}), "byte 0"),
        (nifti(LABELS, fields={"vox_offset": -5}), "byte -5"),
        (nifti(LABELS, fields={"vox_offset": 1e9}), "byte 1e+09"),
        (nifti(LABELS, fields={"vox_offset": NAN}), "byte nan"),
        (nifti(LABELS, fields={"vox_offset": 5000}), "cut off"),
        (nifti(LABELS, fields={"dim": [3, 4, -3, 5, 1, 1, 1, 1]}), "states the shape"),
        (nifti(LABELS, fields={"dim": [3, 4, 0, 5, 1, 1, 1, 1]}), "states the shape"),
        (nifti(LABELS, fields={"dim": [3, 30000, 30000, 1000, 1, 1, 1, 1]}), "at most"),
        (nifti(LABELS, fields={"dim": [3] + [32767] * 7}), "at most"),
        (nifti(LABELS, version=2, fields={"dim": [3] + [2**62] * 7}), "at most"),
        (nifti(LABELS, fields={"dim": [77, 4, 3, 5, 1, 1, 1, 1]}), "77 axes"),
        (nifti(LABELS, fields={"datatype": 128}), "not real numbers"),
        (nifti(LABELS, fields={"datatype": 32}), "not real numbers"),
        (nifti(LABELS, fields={"datatype": 7}), "cannot be read"),
        (nifti(LABELS, fields={"scl_slope": 1, "scl_inter": NAN}), "cannot be read"),
        (nifti(LABELS, fields={"srow_x": [NAN, 0, 0, 0]}), "affine"),
        (nifti(LABELS, fields={"srow_x": [0, 0, 0, 0]}), "affine"),
        (metaimage(LABELS, ElementSpacing="0 1 1"), "affine"),
        (metaimage(LABELS, ElementSpacing="nan 1 1"), "affine"),
        (metaimage(LABELS, ElementSpacing="inf 1 1"), "affine"),
        (metaimage(LABELS, ElementSpacing="1e200 1e200 1"), "affine"),
        (
            metaimage(LABELS, TransformMatrix="0 1 0 1 0 0 0 0 1", ElementSpacing="1e-310 1e-310 1e-310"),
            "affine",
        ),
        (metaimage(LABELS, Offset="0 1e308 0"), "affine"),
        (metaimage(LABELS, ElementSpacing="1 1"), "cannot be read"),
        (metaimage(LABELS, DimSize="4 3 x"), "cannot be read"),
        (metaimage(LABELS, DimSize=None), "axes"),
        (metaimage(LABELS, DimSize="4 3 5 1"), "axes"),
        (metaimage(LABELS, ElementType="MET_FLOAT_ARRAY"), "not binary numbers"),
        (metaimage(LABELS, ElementType=None), "not binary numbers"),
        (metaimage(LABELS, ElementType="x" * 3000), "not binary numbers"),
        (metaimage(LABELS, DimSize=" ".join(["9" * 1000] * 3)), "at most"),
        (metaimage(LABELS, NDims="9" * 4000), "axes"),
        (metaimage(LABELS, NDims="9" * 4000, DimSize=None), "axes"),
        (metaimage(LABELS, BinaryData=False), "not binary numbers"),
        (metaimage(LABELS).replace(b"LOCAL", b"/etc/passwd"), "another file"),
        (metaimage(LABELS).replace(b"NDims", b"HeaderSize = 90\nNDims"), "begin elsewhere"),
        (metaimage(LABELS).replace(b"NDims", b"HeaderSize = -1\nNDims"), "begin elsewhere"),
        (metaimage(LABELS)[:60], "cut off"),
        (b"NDims = 3\n" * 300, "more than 256 lines"),
        (b"NDims = " + b"3" * 9999, "a line of 4,096 bytes"),
    ],
)
def test_what_is_no_volume(data, words):
    found = fault(data)
    assert found.code == "unreadable-file"
    assert words in found.words


@given(st.data())
def test_damaged_headers_give_a_header_or_a_fault(data):
    written = bytearray(
        data.draw(st.sampled_from([nifti(LABELS), nifti(LABELS, version=2), metaimage(LABELS)]))
    )
    for place in data.draw(st.lists(st.integers(0, min(400, len(written) - 1)), min_size=1, max_size=4)):
        written[place] = data.draw(st.integers(0, 255))
    try:
        header, _ = open_volume(io.BytesIO(bytes(written)))
    except MaskError:
        return
    assert min(header.grid.shape) > 0
    assert np.isfinite(header.grid.affine).all()


@pytest.mark.parametrize("stated", [-1, 0, 1, 10**9, "abc", -5, +5])
def test_a_size_of_compressed_voxels_that_is_another_is_refused(stated):
    """SimpleITK reads other voxels for 1, fails for -1 and for more than the file has."""
    right = len(zlib.compress(LABELS.astype("<u1").tobytes(order="F")))
    given = right + stated if stated in (-5, 5) else stated
    with pytest.raises(ValueError, match=f"its CompressedDataSize is {given}, but {right} bytes follow"):
        read(metaimage(LABELS, packed=True, CompressedDataSize=given))
    assert read(metaimage(LABELS, packed=True, CompressedDataSize=right))[1] == read(metaimage(LABELS))[1]
