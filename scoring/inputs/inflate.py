"""Decompresses gzip and zlib while a file is read, with zlib-ng if it is installed."""

import io
import zlib
from typing import Any

deflate: Any
GzipFile: Any
try:
    from zlib_ng import zlib_ng as deflate
    from zlib_ng.gzip_ng import GzipNGFile as GzipFile
except ImportError:
    import zlib as deflate
    from gzip import GzipFile

DEFLATE_ERRORS: tuple[type[Exception], ...] = (zlib.error, deflate.error)
"""Exceptions for damaged data."""
ByteFile = io.BufferedIOBase | io.RawIOBase
"""A binary file that is read in pieces."""

GZIP = b"\x1f\x8b"
PACKED_BYTES = 1 << 16


class _Gunzipped(GzipFile):  # type: ignore[misc]  # one of two classes
    """The content of a gzip file, inflated into the caller's buffer; the base class copies it there."""

    def readinto(self, buffer: Any) -> int:
        filled: int = self._buffer.readinto(buffer)
        return filled


def gunzipped(file: ByteFile) -> ByteFile:
    """Return a seekable file, decompressed if it is gzip. Checksum and length are checked at the end."""
    head = file.read(2)
    file.seek(0)
    content: ByteFile = _Gunzipped(fileobj=file, mode="rb") if head == GZIP else file
    return content


def fill(file: ByteFile, view: memoryview) -> int:
    """Read until `view` is full or the file ends. Return the number of bytes read."""
    filled = 0
    while filled < len(view):
        count = file.readinto(view[filled:])
        if not count:
            break
        filled += count
    return filled


class FrontFile(io.RawIOBase):
    """A file whose content is generated while it is read. The file can only be rewound to its start."""

    noun = "a file"
    _position = 0

    def rewind(self) -> None:
        """Return to the start of the file."""
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if (offset, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation(f"{self.noun} is read from its front")
        self.rewind()
        return 0


class Inflated(FrontFile):
    """Decompressed content of a zlib or deflate stream. At the end of the stream, zlib's checksum and the
    given checksum are verified. Data after the stream are an error."""

    noun = "a compressed stream"

    def __init__(
        self, file: ByteFile, bare: bool = False, checksum: int | None = None, size: int = 0, stated: str = ""
    ):
        """Read from the present position of `file`. It must be seekable, and is closed together with this
        file.

        Args:
            bare: Whether the data are deflate without header and checksum of zlib.
            checksum: CRC-32 of the content; None if only zlib's own checksum is verified.
            size: Number of bytes of the content, which is verified together with `checksum`.
            stated: Number of compressed bytes that a header states (`CompressedDataSize`); it is verified
                unless it is "".
        """
        self._file, self._start, self._bare = file, file.tell(), bare
        self._checksum, self._size, self._stated = checksum, size, stated
        self.rewind()

    def rewind(self) -> None:
        self._file.seek(self._start)
        self._inflate = deflate.decompressobj(-zlib.MAX_WBITS if self._bare else zlib.MAX_WBITS)
        self._packed, self._position, self._sum = b"", 0, 0

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._inflate.eof:
            self._packed = self._packed or self._file.read(PACKED_BYTES)
            data = self._inflate.decompress(self._packed, len(buffer))
            if not data and not self._packed:
                raise EOFError("the compressed data end before their end marker")
            self._packed = self._inflate.unconsumed_tail
            if data:
                self._count(data)
                buffer[: len(data)] = data
                return len(data)
        if self._checksum is not None and (self._sum, self._position) != (self._checksum, self._size):
            raise zlib.error("CRC check failed")
        if self._inflate.unused_data or self._file.read(1):
            raise zlib.error("more data follow the compressed data")
        if self._stated not in ("", str(length := self._file.tell() - self._start)):
            raise ValueError(f"its CompressedDataSize is {self._stated[:40]}, but {length} bytes follow")
        return 0

    def _count(self, data: bytes) -> None:
        self._position += len(data)
        if self._checksum is not None:
            self._sum = deflate.crc32(data, self._sum)
            if self._position > self._size:
                raise zlib.error("more data than the header states")
