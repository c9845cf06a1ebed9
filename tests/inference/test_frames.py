"""The channel's frames: what is written is read, and nothing else is."""

import io
import json
import os
import struct
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.inference import worker_protocol

headers = st.dictionaries(
    st.text().filter(lambda key: key != "parts"),
    st.none() | st.booleans() | st.integers() | st.text(),
    max_size=5,
)


def framed(header, *parts: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<I", len(text)) + text + b"".join(parts)


@given(headers, st.lists(st.binary(max_size=50), max_size=5))
def test_what_is_written_is_read(header, parts):
    stream = io.BytesIO()
    worker_protocol.write_frame(stream, header, parts)
    stream.seek(0)
    assert worker_protocol.read_frame(stream, 1000) == (header, parts)
    assert not stream.read()


@given(st.binary(max_size=200))
def test_garbage_is_a_broken_frame(data):
    with pytest.raises(worker_protocol.BrokenFrame):
        worker_protocol.read_frame(io.BytesIO(b"\xff" + data), 100)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_but_a_frame_header_is_a_broken_frame(value):
    with pytest.raises(worker_protocol.BrokenFrame):
        worker_protocol.read_frame(
            io.BytesIO(
                framed({"parts": [value] if not isinstance(value, int) or isinstance(value, bool) else "x"})
            ),
            100,
        )


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"{\xff}",
        b'{"parts": 3}',
        b'{"parts": [-1]}',
        b'{"parts": [true]}',
        b'{"parts": [1e9]}',
        b"[" * 100_000,
        json.dumps({"parts": [0] * 65}).encode(),
        b'{"parts": [101]}',
        b'{"parts": [60, 60]}',
    ],
)
def test_malformed_or_large_headers_are_broken_frames(header):
    with pytest.raises(worker_protocol.BrokenFrame):
        worker_protocol.read_frame(io.BytesIO(framed(header, b"x" * 200)), 100)


def test_a_header_longer_than_allowed_is_not_read():
    stream = io.BytesIO(struct.pack("<I", worker_protocol.HEADER_BYTES + 1) + b"x" * 10)
    with pytest.raises(worker_protocol.BrokenFrame):
        worker_protocol.read_frame(stream, 100)
    assert stream.tell() == 4


def test_every_cut_of_a_frame_is_a_broken_frame():
    stream = io.BytesIO()
    worker_protocol.write_frame(stream, {"op": "run"}, [b"picture", b"vector"])
    whole = stream.getvalue()
    for length in range(len(whole)):
        with pytest.raises(worker_protocol.BrokenFrame):
            worker_protocol.read_frame(io.BytesIO(whole[:length]), 100)


def test_streams_that_take_and_give_little_at_a_time():
    class Slow(io.BytesIO):
        def write(self, data):
            return super().write(bytes(data[:3]))

        def readinto(self, buffer):
            return super().readinto(buffer[:2])

    stream = Slow()
    worker_protocol.write_frame(stream, {"op": "run"}, [b"0123456789"])
    stream.seek(0)
    assert worker_protocol.read_frame(stream, 10) == ({"op": "run"}, [b"0123456789"])


@pytest.mark.parametrize("sizes", [(), (0,), (3, 0, 5), (300_000, 7), (70_000, 0, 70_000)])
def test_a_frame_larger_than_its_pipe_arrives_whole(sizes):
    parts = [bytes([place + 1]) * size for place, size in enumerate(sizes)]
    ends = os.pipe()
    with os.fdopen(ends[0], "rb", buffering=0) as reader, os.fdopen(ends[1], "wb", buffering=0) as writer:
        thread = threading.Thread(target=worker_protocol.write_frame, args=(writer, {"op": "run"}, parts))
        thread.start()
        assert worker_protocol.read_frame(reader, 1 << 20) == ({"op": "run"}, parts)
        thread.join()


def test_more_parts_than_a_system_takes_at_once_are_sent_and_refused():
    ends = os.pipe()
    with os.fdopen(ends[0], "rb", buffering=0) as reader, os.fdopen(ends[1], "wb", buffering=0) as writer:
        worker_protocol.write_frame(writer, {}, [b"1"] * 3000)
        with pytest.raises(worker_protocol.BrokenFrame):
            worker_protocol.read_frame(reader, 1 << 20)
