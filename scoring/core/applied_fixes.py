"""Changes of a submission before it was read: as a finding, in the scorecard, and as the changed file."""

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

from scoring.common.findings import Finding, note
from scoring.common.fixes import OF_COORDINATES, InputChanges, SuggestedFix
from scoring.core.scorecard import ScoreCard
from scoring.inputs import table_formats
from scoring.inputs.masks.errors import MaskError
from scoring.inputs.masks.joined import SWAPPED, relabelled_mask
from scoring.inputs.sources import FixedSource, Source, SourceFiles, open_source
from scoring.inputs.table_edits import fixed_table
from scoring.inputs.tables import OTHER_FORMAT

FIXED = "mended"
"""Code of the note about what was changed of an input before it was read."""


class NamedInput(Protocol):
    """Something that was read."""

    @property
    def name(self) -> str: ...
    @property
    def findings(self) -> Sequence[Finding]: ...


Read = TypeVar("Read", bound=NamedInput)


def with_note(result: Read, source: Source, is_table: bool = True, has_program: bool = True) -> Read:
    """Return what was read with a note about what was changed of its files before.

    Args:
        source: The source; as it is where nothing was changed of it.
        is_table: Whether it is what the official program reads, before the changes: not a table inside of a
            workbook, a zip or a job.
        has_program: Whether there is an official program.
    """
    changes = source.changes.of_files if isinstance(source, FixedSource) else InputChanges()
    changes = changes if is_table else replace(changes, one_table=True)
    if not changes:
        return result
    message = f"read with changes: {changes.words()}."
    message += " The official program needs this in the file itself." * has_program
    finding = note(FIXED, result.name, message).with_fixes(SuggestedFix("", changes))
    return with_findings(result, (*findings_of(result), finding))


def findings_of(result: NamedInput) -> Sequence[Finding]:
    """Return the findings that something was read with."""
    findings: Sequence[Finding] = getattr(result, _of_findings(result))
    return findings


def with_findings(result: Read, findings: Sequence[Finding]) -> Read:
    """Return what was read with other findings.

    Args:
        result: What was read.
        findings: The findings that take the place of its own.
    """
    return cast(Read, replace(cast(Any, result), **{_of_findings(result): tuple(findings)}))


def _of_findings(result: NamedInput) -> str:
    names = {entry.name for entry in fields(cast(Any, result))}
    return "findings" if "findings" in names else "read"  # HECKTOR adds what is missing to what was read


def is_one_table(source: Source, opened: Source) -> bool:
    """Return whether a submission is a table of text, and nothing that holds one.

    Args:
        opened: The same, opened; answers of jobs are one table there.
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
    """Return the card with the changes of its inputs as provenance `mended`, and not official, as official
    programs read files as they are; as it is, without any.

    Args:
        reading: What is said if there is no official program for the score.
    """
    fixes, official = changes_in(card.findings), replace(card.official, reading=reading)
    if not fixes:
        other = next((f.message for f in card.findings if f.code == OTHER_FORMAT), None)
        if other and official.same:
            official = replace(official, same=False, score=None, reason=other, changes=1)
        return replace(card, official=official)
    n = n_changes(fixes)
    needed = f"{n} change{'s' * (n > 1)}, which the file itself needs: "
    needed += f"{'; '.join(changes.words() for changes in fixes)}."
    if official.same:
        reason = f"It is official after {needed}"
        official = replace(official, same=False, score=None, reason=reason, changes=n)
    elif official.score is not None:  # that of the changed file
        official = replace(official, score=None, reason=f"{official.reason} It was read with {needed}")
    mended = [changes.as_dict() for changes in fixes]
    return replace(card, provenance={**card.provenance, "mended": mended}, official=official)


def changes_in(findings: Iterable[Finding]) -> list[InputChanges]:
    """Return what was changed of inputs before they were read, by findings of them."""
    return [fix.changes for finding in findings if finding.code == FIXED for fix in finding.fixes]


def n_changes(changed: Iterable[InputChanges]) -> int:
    """Return how many changes there are; each name that is read otherwise is one."""
    values = [value for changes in changed for value in changes.as_dict().values()]
    return sum(len(value) if isinstance(value, dict) else 1 for value in values)


def changed_file(
    source: Source,
    name: str,
    table: str | bytes | None = None,
    is_table: bool = False,
    moved: Callable[..., bytes] | None = None,
) -> tuple[str, bytes]:
    """Return a submission with its changes applied, as it has to be handed in: its name and its bytes.

    Args:
        source: The submission, read with changes.
        table: What the challenge writes of it as the official program takes it; None: it is not known.
        is_table: Whether the official program takes one table.
        moved: Makes the edits of coordinates in a file, by its bytes, its name and them.
    """
    stem = name.rsplit(".", 1)[0] or name
    if table is not None and is_table:
        return f"{stem}-changed.csv", table.encode() if isinstance(table, str) else table
    files = open_source(source, name)
    edits = dict(source.changes.edits) if isinstance(source, FixedSource) else {}
    if moved is not None and OF_COORDINATES & edits.keys():
        plain, called = files.read, files.called
        files = replace(files, read=lambda member: moved(plain(member), called(member), edits))
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
