"""Files are what independent readers and the formats' texts say."""

import io
import zipfile
import zlib

import nibabel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.volumes import archive, compressed, metaimage, nifti

signs = st.tuples(*[st.sampled_from((-1, 1))] * 3)
grids = st.builds(
    Grid, st.tuples(*[st.integers(1, 5)] * 3), st.tuples(*[st.sampled_from((0.5, 2.34, 3.0))] * 3), signs
)


def numbered(grid: Grid, kind: str) -> np.ndarray:
    """Every voxel another value."""
    return np.arange(np.prod(grid.shape)).astype(kind).reshape(grid.shape)


def affine(grid: Grid) -> np.ndarray:
    """From the axes: voxel 0 and the next one along each axis."""
    matrix = np.eye(4)
    for row, (sign, step, count) in enumerate(zip(grid.signs, grid.spacing, grid.shape, strict=True)):
        matrix[row, row], matrix[row, 3] = sign * step, -sign * step * (count - 1) / 2
    return matrix


@given(grids, st.sampled_from(("uint8", "int16", "float32")), st.sampled_from((1.0, 0.02)))
def test_nibabel_reads_nifti_as_it_was_meant(grid, kind, slope):
    values = numbered(grid, kind)
    image = nibabel.Nifti1Image.from_bytes(nifti(values, grid, slope))
    assert image.affine == pytest.approx(affine(grid), abs=1e-4)
    assert image.header.get_zooms() == pytest.approx(grid.spacing)
    assert image.header.get_xyzt_units()[0] == "mm"
    assert image.get_fdata() == pytest.approx(values * slope, rel=1e-6)


@given(grids)
def test_a_metaimage_says_in_words_where_it_lies(grid):
    text, _, data = metaimage(numbered(grid, "uint8"), grid).partition(b"ElementDataFile = LOCAL\n")
    header = dict(line.split(" = ") for line in text.decode().splitlines())
    values = np.frombuffer(zlib.decompress(data), np.uint8).reshape(
        [int(count) for count in header["DimSize"].split()], order="F"
    )
    assert (values == numbered(grid, "uint8")).all()
    assert int(header["CompressedDataSize"]) == len(data)
    assert (header["ElementType"], header["CompressedData"]) == ("MET_UCHAR", "True")
    offset, spacing = (np.array(header[key].split(), float) for key in ("Offset", "ElementSpacing"))
    directions = np.array(header["TransformMatrix"].split(), float).reshape(3, 3)
    to_the_left_and_back = np.diag([-1, -1, 1, 1]) @ affine(grid)
    assert offset == pytest.approx(to_the_left_and_back[:3, 3])
    assert directions * spacing == pytest.approx(to_the_left_and_back[:3, :3])


def test_the_same_content_gives_the_same_bytes_without_a_name_or_a_time():
    content = {"a/b.txt": b"one", "c.bin": bytes(1000)}
    assert archive(content) == archive(dict(content))
    with zipfile.ZipFile(io.BytesIO(archive(content))) as file:
        assert {name: file.read(name) for name in file.namelist()} == content
        assert {member.date_time for member in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    # Flags (no name follows) and time of a gzip header.
    assert compressed(b"one")[3:8] == bytes(5)
