"""Fixes that were applied to a submission before it was read: the finding that lists them, their entry in the
scorecard, and the changed file."""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from scoring.common.findings import Finding, note
from scoring.common.fixes import OF_COORDINATES, InputChanges, SuggestedFix, renamed
from scoring.core.scorecard import ScoreCard
from scoring.inputs import table_formats
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.joined import SWAPPED, relabelled_mask
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source
from scoring.inputs.table_edits import fixed_table
from scoring.inputs.tables import OTHER_FORMAT

FIXED = "mended"
"""Code of the note that lists the changes to an input file."""


class NamedInput(Protocol):
    """The result of reading a file."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


Read = TypeVar("Read", bound=NamedInput)


def with_note(result: Read, source: Source, is_table: bool = True, has_program: bool = True) -> Read:
    """Return the result of reading files, with a note about the changes that were made to the files.

    Args:
        source: The source of the files. If it has no changes, the result is returned unchanged.
        is_table: Whether the official program can read the original file as a table. False for a table inside
            a workbook, a zip or a platform job.
        has_program: Whether the challenge has an official program.
    """
    changes = source.changes.of_files if isinstance(source, FixedSource) else InputChanges()
    changes = changes if is_table else replace(changes, one_table=True)
    if not changes:
        return result
    message = f"the input was read with these changes: {changes.words()}."
    message += " The official program needs these changes in the file itself." * has_program
    finding = note(FIXED, result.name, message).with_fixes(SuggestedFix("", changes))
    return with_findings(result, (*findings_of(result), finding))


def findings_of(result: NamedInput) -> Sequence[Finding]:
    """Return the findings in the result of reading a file."""
    findings: Sequence[Finding] = getattr(result, _of_findings(result))
    return findings


def with_findings(result: Read, findings: Sequence[Finding]) -> Read:
    """Return a copy of the result of reading a file, with its findings replaced.

    Args:
        findings: The findings that replace the earlier ones.
    """
    return cast(Read, replace(cast(Any, result), **{_of_findings(result): tuple(findings)}))


def _of_findings(result: NamedInput) -> str:
    names = {entry.name for entry in fields(cast(Any, result))}
    return "findings" if "findings" in names else "read"  # HECKTOR adds what is missing to what was read


def by_written(fix: SuggestedFix, source: Source) -> SuggestedFix:
    """Return a fix whose edits use the column names of the file, because edits are applied before columns are
    renamed.

    Args:
        fix: The fix, with the column names after renaming.
        source: The source of the table, with the changes made so far.
    """
    columns = source.changes.columns if isinstance(source, FixedSource) else ()
    back = tuple((new, old) for old, new in columns if new)
    edits = tuple(
        (name, ": ".join([*(renamed(part, back) for part in named), rest]))
        for name, value in fix.changes.edits
        for *named, rest in [value.split(": ")]
    )
    return replace(fix, changes=replace(fix.changes, edits=edits))


def is_one_table(source: Source, opened: Source) -> bool:
    """Return whether a submission is a single text table rather than an archive or workbook.

    Args:
        opened: The same submission after opening, in which the answers of platform jobs form one table.
    """
    plain, files = (entry.source if isinstance(entry, FixedSource) else entry for entry in (source, opened))
    if not isinstance(files, SourceFiles):
        return True
    inside = next(iter(files.sizes), "").lower()
    if files.kind == "zip" or len(files.sizes) != 1 or inside.endswith(table_formats.ENDINGS):
        return False
    if isinstance(plain, bytes):
        return not plain.startswith(b"PK")
    is_of_jobs = isinstance(plain, Mapping) or (isinstance(plain, (str, Path)) and not Path(plain).is_file())
    return files.kind == "folder" or not is_of_jobs


def with_provenance(card: ScoreCard, reading: str = "") -> ScoreCard:
    """Return the scorecard with the changes of its input files in `provenance.mended`. Such a card is not
    official, because official programs read unchanged files. Without changes, only `official` can change: it
    gets the badge `reading`, and it is not official if a file has another format (`OTHER_FORMAT`).

    Args:
        reading: Badge of the score if no official program computes it; else "".
    """
    fixes, official = changes_in(card.findings), replace(card.official, reading=reading)
    if not fixes:
        other = next((f.message for f in card.findings if f.code == OTHER_FORMAT), None)
        if other and official.same:
            official = replace(official, same=False, score=None, reason=other, changes=1)
        return replace(card, official=official)
    n = n_changes(fixes)
    needed = f"{n} change{'s' * (n > 1)}, which must be made in the file itself: "
    needed += f"{'; '.join(changes.words() for changes in fixes)}."
    if official.same:
        reason = f"The score becomes official after {needed}"
        official = replace(official, same=False, score=None, reason=reason, changes=n)
    elif official.converted:
        n = official.changes and official.changes + n
        official = replace(official, changes=n, reason=f"{official.reason} It was read with {needed}")
    elif official.score is not None:  # that of the changed file
        official = replace(official, score=None, reason=f"{official.reason} It was read with {needed}")
    mended = [changes.as_dict() for changes in fixes]
    return replace(card, provenance={**card.provenance, "mended": mended}, official=official)


def changes_in(findings: Iterable[Finding]) -> list[InputChanges]:
    """Return the changes of input files that the findings list."""
    return [fix.changes for finding in findings if finding.code == FIXED for fix in finding.fixes]


def n_changes(changed: Iterable[InputChanges]) -> int:
    """Return the number of changes; each renamed class counts as one."""
    values = [value for changes in changed for value in changes.as_dict().values()]
    return sum(len(value) if isinstance(value, dict) else 1 for value in values)


def changed_file(
    source: Source,
    name: str,
    table: str | bytes | None = None,
    is_table: bool = False,
    moved: Callable[..., bytes] | None = None,
) -> tuple[str, bytes]:
    """Return the file name and bytes of a submission with its changes applied, ready to submit.

    Args:
        source: The submission, read with changes.
        table: The predictions in the form that the official program reads; None if the challenge has none.
        is_table: Whether the official program reads a single table.
        moved: Function that edits the coordinates in a file, from its bytes, its name and the edits.
    """
    stem = name.rsplit(".", 1)[0] or name
    if table is not None:
        return f"{stem}-changed.{'csv' if is_table else 'zip'}", table.encode() if isinstance(
            table, str
        ) else table
    files = open_source(source, name)
    edits = dict(source.changes.edits) if isinstance(source, FixedSource) else {}
    if moved is not None and OF_COORDINATES & edits.keys():
        plain, shown_name = files.read, files.called
        files = replace(files, read=lambda member: moved(plain(member), shown_name(member), edits))
    if files.kind == "file":
        (member,) = files.members
        if not member.lower().endswith(table_formats.ENDINGS):
            return f"{stem}-changed{name[len(stem) :]}", files.read(member)
        return f"{stem}-changed.csv", fixed_table(files.read(member), name, InputChanges())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in files.members:
            written, data = _swapped(files, member) if edits.get("swap_labels") == "yes" else (member, None)
            data = files.read(member) if data is None else data
            archive.writestr(zipfile.ZipInfo(written), data, zipfile.ZIP_DEFLATED)
    return f"{stem}-changed.zip", packed.getvalue()


def _swapped(files: SourceFiles, member: str) -> tuple[str, bytes | None]:
    """Return a mask with labels 1 and 2 exchanged, as a MetaImage; None for what is no mask."""
    try:
        with relabelled_mask(partial(files.open, member), SWAPPED) as mask:
            return re.sub(r"(\.nii(\.gz)?|\.mha)$", ".mha", member, flags=re.IGNORECASE), mask.read()
    except MaskError:
        return member, None
