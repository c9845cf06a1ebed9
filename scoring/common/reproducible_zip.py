"""Reproducible zips: the same content gives the same bytes."""

import io
import zipfile
from collections.abc import Iterable

WRITTEN = (1980, 1, 1, 0, 0, 0)
"""Fixed time of every member, so that the same content gives the same bytes."""


def zipped(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of files by name. They are not compressed, because other versions of zlib give other
    bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as written:
        for name, data in members:
            written.writestr(zipfile.ZipInfo(name, WRITTEN), data)
    return target.getvalue()
