"""A file or folder as one file, as a store keeps it and a bundle carries it."""

import io
import zipfile
from collections.abc import Iterable
from pathlib import Path

from scoring.inputs import workbooks
from scoring.inputs.inflate import ByteFile
from scoring.inputs.sources import Source, is_zip, open_source
from scoring.services.boards.cards import WRITTEN


def packed(source: Source, name: str | None = None) -> tuple[str, bytes]:
    """Return the name and the bytes of a source; a folder becomes a zip, always with the same bytes.

    Raises:
        InputRefused: Where it cannot be read.
    """
    files = open_source(source, name)
    called = files.name.encode("utf-8", "replace").decode()  # a name in another encoding cannot be kept
    if files.kind == "folder":
        members = (as_read(member, _read(files.open(member))) for member in files.members)
        return f"{called}.zip", zipped(members)
    if isinstance(source, bytes):
        return called, source
    if files.kind == "file":
        return as_read(called, files.read(files.members[0]))
    return called, Path(str(source)).read_bytes()


def as_read(name: str, data: bytes) -> tuple[str, bytes]:
    """Return a file that was read; a workbook, which is read as a table of text, is named as one."""
    is_text = name.lower().endswith(workbooks.ENDING) and not is_zip(data[:4], "")
    return f"{name}.csv" if is_text else name, data


def zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of files by name. They are not compressed: other versions of zlib give other bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as written:
        for name, data in members:
            written.writestr(zipfile.ZipInfo(name, WRITTEN), data)
    return target.getvalue()


def _read(file: ByteFile) -> bytes:
    with file as opened:
        data: bytes = opened.read()
    return data
