"""Bytes that a store keeps and a bundle carries: sources as one file, and scorecards.

A scorecard has all that comparisons need of it. Bytes that are read may come from anybody.
"""

import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scoring.common.arrays import Array
from scoring.common.findings import Finding, InputRefused, error
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.inputs import workbooks
from scoring.inputs.inflate import ByteFile
from scoring.inputs.sources import Source, is_zip, open_source


def packed(source: Source, name: str | None = None) -> tuple[str, bytes]:
    """Return the name and the bytes of a source; a folder becomes a zip, always with the same bytes.

    Raises:
        InputRefused: Where it cannot be read.
    """
    files = open_source(source, name)
    filename = files.name.encode("utf-8", "replace").decode()  # a name in another encoding cannot be kept
    if files.kind == "folder":
        members = (as_read(member, _read(files.open(member))) for member in files.members)
        return f"{filename}.zip", zipped(members)
    if isinstance(source, bytes):
        return filename, source
    if files.kind == "file":
        return as_read(filename, files.read(files.members[0]))
    return filename, Path(str(source)).read_bytes()


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


DOCUMENT, ARRAYS, MATCHES = "card.json", "arrays/", "matches/"
WRITTEN = (1980, 1, 1, 0, 0, 0)
"""Time of every member, so that the same card gives the same bytes."""
MOST_BYTES = 1 << 30
"""Of a card that is unpacked."""
PLAIN = (
    "challenge",
    "score",
    "metrics",
    "per_class",
    "n_cases",
    "incomplete",
    "provenance",
    "intervals",
    "more",
)


def card_to_bytes(card: ScoreCard) -> bytes:
    """Return a scorecard as a file. The same card gives the same bytes."""
    document = {name: plain(getattr(card, name)) for name in (*PLAIN, "cases", "confusion_matrix")}
    document |= {"official": plain(asdict(card.official)), "findings": [f.as_dict() for f in card.findings]}
    document["has_matches"] = card.matches is not None
    arrays = {ARRAYS + name: array for name, array in card.arrays.items()}
    arrays |= {MATCHES + name: array for name, array in (card.matches or {}).items()}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        packed.writestr(zipfile.ZipInfo(DOCUMENT, WRITTEN), text, zipfile.ZIP_DEFLATED)
        for name in sorted(arrays):
            data = _array_bytes(arrays[name])
            packed.writestr(zipfile.ZipInfo(name, WRITTEN), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def card_from_bytes(data: bytes) -> ScoreCard:
    """Return the scorecard of a file.

    Raises:
        InputRefused: `bad-card` where it is none.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            if sum(member.file_size for member in packed.infolist()) > MOST_BYTES:
                raise ValueError("it is too large")
            document = json.loads(packed.read(DOCUMENT))
            arrays = {name: _array(packed.read(name)) for name in packed.namelist() if name != DOCUMENT}
        return _card(document, arrays)
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, EOFError, NotImplementedError) as problem:
        message = f"a scorecard in it cannot be read ({type(problem).__name__}): export the board again."
        raise InputRefused([error("bad-card", "scorecard", message)]) from problem


def _card(document: dict[str, Any], arrays: dict[str, Array]) -> ScoreCard:
    matches = {
        name.removeprefix(MATCHES): value for name, value in arrays.items() if name.startswith(MATCHES)
    }
    return ScoreCard(
        **{name: document[name] for name in (*PLAIN, "confusion_matrix")},
        cases=tuple(document["cases"]),
        findings=tuple(Finding(**entry) for entry in document["findings"]),
        official=Official(**document["official"]),
        arrays={
            name.removeprefix(ARRAYS): value for name, value in arrays.items() if name.startswith(ARRAYS)
        },
        matches=matches if document["has_matches"] else None,
    )


def _array_bytes(array: Array) -> bytes:
    target = io.BytesIO()
    storable = array.astype(str) if array.dtype == object else array
    np.lib.format.write_array(target, np.asarray(storable), version=(2, 0), allow_pickle=False)
    return target.getvalue()


def _array(data: bytes) -> Array:
    array: Array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    array.setflags(write=False)
    return array
