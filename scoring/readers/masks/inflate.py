"""Inflating gzip and zlib while reading, by zlib-ng where it is installed: the standard library takes ten times as long over zeros."""

import io
import zlib
from typing import BinaryIO

try:
    from zlib_ng import zlib_ng as deflate
    from zlib_ng.gzip_ng import GzipNGFile as GzipFile
except ImportError:
    import zlib as deflate
    from gzip import GzipFile

GZIP = b"\x1f\x8b"
PACKED_BYTES = 1 << 16


def gunzipped(file: BinaryIO) -> BinaryIO:
    """A seekable file itself, or what is in it if it begins as gzip does. Checksum and length are verified when the end is read."""
    head = file.read(2)
    file.seek(0)
    return GzipFile(fileobj=file, mode="rb") if head == GZIP else file


def fill(file: BinaryIO, view: memoryview) -> int:
    """Read until `view` is full or the file ends; the bytes read."""
    filled = 0
    while filled < len(view):
        count = file.readinto(view[filled:])
        if not count:
            break
        filled += count
    return filled


class Inflated(io.RawIOBase):
    """What a zlib stream holds, read once from front to end. The checksum is verified when the end is read; what follows the stream is an error."""

    def __init__(self, file: BinaryIO):
        self._file, self._inflate, self._packed = file, deflate.decompressobj(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        while not self._inflate.eof:
            self._packed = self._packed or self._file.read(PACKED_BYTES)
            data = self._inflate.decompress(self._packed, len(buffer))
            if not data and not self._packed:
                raise EOFError("the compressed data end before their end marker")
            self._packed = self._inflate.unconsumed_tail
            if data:
                buffer[: len(data)] = data
                return len(data)
        if self._inflate.unused_data or self._file.read(1):
            raise zlib.error("something follows the compressed data")
        return 0
