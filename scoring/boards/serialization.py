"""Serialization: sources and scorecards become bytes for stores and bundles, and results become rows of the
database.

A stored scorecard has everything that comparisons need. Reading is strict, because the bytes may come from
anybody.
"""

import io
import json
import math
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from scoring.common.arrays import Array
from scoring.common.file_opening import WRITTEN, read_file, zipped
from scoring.common.findings import Finding, InputRefused, error
from scoring.common.strict_json import StrictJsonError, strict_loads
from scoring.core.scorecard import Official, ScoreCard, plain
from scoring.inputs.archives import Archive, open_archive
from scoring.inputs.inflate import ByteFile
from scoring.inputs.sources import Source, open_source, sha256
from scoring.store import schema
from scoring.version import __version__


def packed(source: Source, name: str | None = None) -> tuple[str, bytes]:
    """Return the name and bytes of a source. A folder is packed into a zip that always has the same bytes.
    Raises InputRefused if it cannot be read."""
    files = open_source(source, name)
    filename = files.name.encode("utf-8", "replace").decode()  # a name in another encoding cannot be kept
    if files.kind == "folder":
        members = ((member, _read(files.open(member))) for member in files.members)
        return f"{filename}.zip", zipped(members)
    if isinstance(source, bytes):
        return filename, source
    if files.kind == "file":
        return filename, files.read(files.members[0])
    try:
        return filename, read_file(Path(str(source)))
    except OSError as problem:  # a pipe was read to its end when it was opened
        message = f"it cannot be saved ({problem.strerror or problem}): name a file that can be read."
        raise InputRefused([error("unreadable-file", filename, message)]) from problem


def _read(file: ByteFile) -> bytes:
    with file as opened:
        data: bytes = opened.read()
    return data


HEAD = 12
"""Number of bytes before the header in the file of an array; the last four contain the length of the
header."""
DOCUMENT, ARRAYS, MATCHES = "card.json", "arrays/", "matches/"
COMPRESSION = 3
"""zlib level of stored scorecards. They are 3 % larger than with the default level 6, but written in two
thirds of the time."""
MOST_BYTES = 1 << 30
"""Maximum bytes of an unpacked card."""
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


_KINDS: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("challenge", "incomplete"), str),
    (("score",), float | int | None),
    (("n_cases",), int),
    (("metrics", "per_class", "provenance", "intervals", "more", "official"), dict),
    (("cases", "findings"), list),
    (("confusion_matrix",), dict | None),
    (("has_matches",), bool),
)
"""Types that the values in a card's JSON document must have."""


def card_to_bytes(card: ScoreCard) -> bytes:
    """Return a scorecard as bytes. The same scorecard always gives the same bytes."""
    document = {name: plain(getattr(card, name)) for name in (*PLAIN, "cases", "confusion_matrix")}
    document |= {"official": plain(asdict(card.official)), "findings": [f.as_dict() for f in card.findings]}
    document["has_matches"] = card.matches is not None
    arrays = {ARRAYS + name: array for name, array in card.arrays.items()}
    arrays |= {MATCHES + name: array for name, array in (card.matches or {}).items()}
    names = sorted(arrays)
    members = dict(zip(names, names if _are_paths(names) else map(str, range(len(names))), strict=True))
    if not _are_paths(names):
        document["arrays"] = names
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False)
        packed.writestr(zipfile.ZipInfo(DOCUMENT, WRITTEN), text, zipfile.ZIP_DEFLATED, COMPRESSION)
        for name, member in members.items():
            data = _array_bytes(arrays[name])
            packed.writestr(zipfile.ZipInfo(member, WRITTEN), data, zipfile.ZIP_DEFLATED, COMPRESSION)
    return target.getvalue()


def _are_paths(names: Sequence[str]) -> bool:
    """Return whether all names can be members of one zip. With classes such as `/x`, or `a` beside `A`, they
    cannot."""
    parts = {part.strip() for name in names for part in name.split("/")}
    folded = {unicodedata.normalize("NFC", name).casefold() for name in names}
    return len(folded) == len(names) and parts.isdisjoint(("", ".", "..")) and "\\" not in "".join(names)


_MALFORMED = (ValueError, LookupError, TypeError, AttributeError, RecursionError, SyntaxError, TokenError)
"""Exceptions that json, numpy or `ScoreCard` raise for invalid scorecards."""


def unpacked_bytes(data: bytes) -> int:
    """Return the unpacked size of a scorecard file. Raises InputRefused if the file is not a zip."""
    return sum(_archive(data).sizes.values())


def card_from_bytes(data: bytes, longest_text: int | None = None) -> ScoreCard:
    """Read a scorecard from the bytes of a file.

    Args:
        longest_text: Maximum characters of a text; None: no limit.

    Raises:
        InputRefused: With `bad-card` if the file is not a scorecard.
    """
    archive = _archive(data)
    try:
        if sum(archive.sizes.values()) > MOST_BYTES:
            raise ValueError("it is too large")
        document = strict_loads(archive.read(DOCUMENT), longest_text)
        named = {str(k): name for k, name in enumerate(document.get("arrays", ()))}
        arrays = {named.get(m, m): _array(archive.read(m)) for m in archive.sizes if m != DOCUMENT}
        return _card(document, arrays)
    except StrictJsonError as problem:
        raise _bad_card(str(problem)) from problem
    except (InputRefused, *_MALFORMED) as problem:
        raise _bad_card(type(problem).__name__) from problem


def _archive(data: bytes) -> Archive:
    try:
        return open_archive(data, "scorecard")
    except InputRefused as refused:
        raise _bad_card(refused.problems[0].message.partition(":")[0].rstrip(".")) from refused


def _bad_card(problem: str) -> InputRefused:
    message = f"a scorecard in it cannot be read ({problem}): export the board again."
    return InputRefused([error("bad-card", "scorecard", message)])


def _card(document: dict[str, Any], arrays: dict[str, Array]) -> ScoreCard:
    matches = {
        name.removeprefix(MATCHES): value for name, value in arrays.items() if name.startswith(MATCHES)
    }
    for names, kind in _KINDS:
        for name in names:
            if not isinstance(document[name], kind) or isinstance(document[name], bool) != (kind is bool):
                raise TypeError(name)
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


@lru_cache(maxsize=256)
def _header(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and type of an array. Results are cached, because many arrays have equal headers,
    and reading a header takes longer than reading the numbers."""
    file = io.BytesIO(head)
    np.lib.format.read_magic(file)
    header: tuple[tuple[int, ...], bool, np.dtype[Any]] = np.lib.format.read_array_header_2_0(file)
    return header


def _array(data: bytes) -> Array:
    """Return an array. Raises ValueError if its length is not the one that its header states."""
    start = HEAD + int.from_bytes(data[HEAD - 4 : HEAD], "little")
    shape, is_fortran, dtype = _header(data[:start])
    held = len(data) - start
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != held or max(shape, default=0) > max(held, 1):
        raise ValueError("an array whose length is not the stated one")
    array: Array = np.frombuffer(data, dtype, offset=start) if held else np.empty(0, dtype)
    array = array.reshape(shape, order="F" if is_fortran else "C")
    array.setflags(write=False)
    return array


@dataclass(frozen=True)
class VersionResult:
    """The result of a submission on one version of the test set.

    Attributes:
        card: The scorecard, on the withheld part if the test set is split; None if the submission is refused.
        problems: Problems for which the submission is refused; empty if it is not refused.
        shown: The scorecard on the shown part; None if the test set is not split.
    """

    card: ScoreCard | None
    problems: tuple[Finding, ...] = ()
    shown: ScoreCard | None = None

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Return the scorecards as files by SHA-256, with the file of `card` first. Empty if the submission
        is refused."""
        cards = (card_to_bytes(card) for card in (self.card, self.shown) if card)
        return {sha256(data): data for data in cards}

    def rows(self, submission_id: str, test_set: schema.TestSetVersion) -> list[schema.Base]:
        """Return the database rows of the result. The row of `ScoredVersion` comes first."""
        of: dict[str, Any] = {"submission_id": submission_id, "board_id": test_set.board_id}
        of["number"] = test_set.number
        findings = [problem.as_dict() for problem in self.problems]
        digests = [*self.files]
        known = {**of, **_numbers(self.card), "card": next(iter(digests), None)}
        row = schema.ScoredVersion(**known, problems=findings, program=__version__)
        if self.shown is None:
            return [row]
        return [row, schema.ShownPart(**of, **_numbers(self.shown), card=digests[-1])]


def _numbers(card: ScoreCard | None) -> dict[str, float | None]:
    """Return score and interval of a scorecard as columns."""
    low, high = (card.intervals.get("score") if card else None) or (None, None)
    return {"score": card.score if card else None, "low": low, "high": high}
