"""Inflating piece by piece: what comes out, and every way in which a stream can be wrong."""

import gzip
import io
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inputs import inflate
from scoring.inputs.inflate import Inflated, fill, gunzipped

DATA = bytes(range(256)) * 9 + bytes(100_000)
CHECKED = {"checksum": zlib.crc32(DATA), "size": len(DATA)}


def deflated(data: bytes, bare: bool = False) -> bytes:
    pack = zlib.compressobj(6, zlib.DEFLATED, -15 if bare else 15)
    return pack.compress(data) + pack.flush()


def pieces(file, size: int) -> bytes:
    """Everything, read `size` bytes at a time."""
    found, buffer = b"", bytearray(size)
    while count := fill(file, memoryview(buffer)):
        found += buffer[:count]
    return found


@pytest.fixture(params=["installed", "of the standard library"])
def inflaters(request, monkeypatch):
    if request.param != "installed":
        monkeypatch.setattr(inflate, "GzipFile", gzip.GzipFile)
        monkeypatch.setattr(inflate, "deflate", zlib)


@given(
    st.lists(st.binary(max_size=20) | st.integers(0, 200_000).map(bytes), max_size=4).map(b"".join),
    st.integers(1, 100_000),
    st.booleans(),
)
def test_what_went_in_comes_out(data, size, bare):
    size = max(size, len(data) // 1000)
    before = b"stands before it"
    packed = io.BytesIO(before + deflated(data, bare))
    packed.seek(len(before))
    file = Inflated(packed, bare, zlib.crc32(data), len(data))
    for _ in range(2):
        assert pieces(file, size) == data
        assert (file.tell(), file.seek(0), file.tell()) == (len(data), 0, 0)
    zipped = gunzipped(io.BytesIO(gzip.compress(data)))
    assert pieces(zipped, size) == data


def test_what_is_no_gzip_stays_as_it_is():
    file = io.BytesIO(DATA)
    assert gunzipped(file) is file
    assert file.read() == DATA


def test_seeking_leads_to_the_front_only():
    file = Inflated(io.BytesIO(deflated(DATA)))
    for place in ((5, io.SEEK_SET), (0, io.SEEK_CUR), (0, io.SEEK_END)):
        with pytest.raises(io.UnsupportedOperation):
            file.seek(*place)


def test_the_file_is_closed_with_it():
    file = io.BytesIO(deflated(DATA))
    with Inflated(file):
        pass
    assert file.closed


@pytest.mark.parametrize("bare", [False, True])
def test_cut_off_anywhere(bare, inflaters):
    packed = deflated(DATA, bare)
    for length in range(len(packed)):
        with pytest.raises(EOFError):
            Inflated(io.BytesIO(packed[:length]), bare).read()


@pytest.mark.parametrize(
    ("packed", "settings"),
    [
        (deflated(DATA) + b"\0", {}),
        (deflated(DATA)[:-1] + b"?", {}),
        (b"??" + deflated(DATA), {}),
        (deflated(DATA, bare=True), {}),
        (deflated(DATA), {"bare": True}),
        (deflated(DATA, bare=True), {"bare": True, **CHECKED, "checksum": 1}),
        (deflated(DATA, bare=True), {"bare": True, **CHECKED, "size": len(DATA) + 1}),
        (deflated(DATA, bare=True), {"bare": True, **CHECKED, "size": len(DATA) - 1}),
        (deflated(DATA, bare=True) + b"?", {"bare": True, **CHECKED}),
    ],
)
def test_wrong_streams(packed, settings, inflaters):
    with pytest.raises((zlib.error, inflate.deflate.error)):
        Inflated(io.BytesIO(packed), **settings).read()


def test_nothing_is_inflated_far_beyond_the_announced_size():
    file = Inflated(io.BytesIO(deflated(bytes(50 << 20), bare=True)), bare=True, checksum=0, size=1000)
    with pytest.raises(zlib.error, match="more data"):
        pieces(file, 5000)
    assert file.tell() <= 5000
