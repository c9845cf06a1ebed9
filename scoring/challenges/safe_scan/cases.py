"""Reads test sets: a table with image, label, age, gender and body location, and the images."""

import posixpath
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from scoring.challenges.safe_scan import demographics, official_program
from scoring.challenges.safe_scan.demographics import Demographics
from scoring.challenges.safe_scan.official_program import score_zero
from scoring.challenges.safe_scan.tables import CODES, once, read_ids, several
from scoring.common.arrays import Ints
from scoring.common.findings import Finding, InputRefused, ordered, warning
from scoring.core.challenge import Context
from scoring.inputs import case_ids, case_images, tables
from scoring.inputs.case_ids import ID_COLUMNS
from scoring.inputs.case_images import image_members
from scoring.inputs.case_tables import IMAGE_ENDINGS, WITH_METADATA, find_table, table_members
from scoring.inputs.sources import Source, SourceFiles, open_source, sha256
from scoring.inputs.tables import TextTable
from scoring.inputs.text_columns import LazyColumns, trimmed
from scoring.inputs.truncated_images import is_whole

READ_BYTES = 500_000_000
"""If the images have more bytes together than this, they are not checked for completeness."""


@dataclass(frozen=True)
class SafeScanCases:
    """The N cases of a test set, in file order.

    Attributes:
        labels: Class numbers [N]; None for images without labels.
        images: Name in `pictures` of each case's image; None if there is none.
        columns: Header (as `tables.key` returns it) -> cells [N] of the table.
        digest_of: File name -> SHA-256, of the files that were read.
    """

    per_case: ClassVar[tuple[str, ...]] = ("ids", "demographics", "labels", "images", "columns")
    name: str
    files: SourceFiles
    ids: tuple[str, ...]
    demographics: Demographics
    labels: Ints | None
    pictures: SourceFiles
    images: tuple[str | None, ...]
    columns: Mapping[str, tuple[str, ...]]
    id_column: str
    digest_of: Mapping[str, str]
    findings: tuple[Finding, ...]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def true_labels(self) -> Ints:
        """Class numbers [N]. Raises ValueError if the cases have no labels."""
        if self.labels is None:
            raise ValueError(f"{self.name} holds no labels")
        return self.labels

    picture = case_images.picture


@dataclass(frozen=True)
class LabelColumn:
    """Labels of a table.

    Attributes:
        labels: Class numbers [N], -1 if unreadable.
        cancels: Rows with labels for which the official loader would cancel the run.
    """

    labels: Ints
    cancels: tuple[str, ...] = ()


ReadLabels = Callable[[TextTable, list[Finding], list[Finding]], LabelColumn]
"""Function that reads the labels of a table. It adds problems and findings to the given lists."""


def read_truth(
    read_labels: ReadLabels,
    source: Source,
    images: Source | None,
    context: Context,
    with_demographics: bool = True,
) -> SafeScanCases:
    """Read a test set; for arguments and errors see `read_cases`."""
    return read_cases(source, context.name, read_labels, images, with_demographics)


def read_cases(
    source: Source,
    name: str | None,
    read_labels: ReadLabels | None,
    images: Source | None = None,
    with_demographics: bool = True,
) -> SafeScanCases:
    """Read a table, or a folder or zip with a table and images.

    Args:
        source: The table, folder or zip.
        read_labels: Function that reads the challenge's labels; None for cases without labels.
        with_demographics: Whether models receive age, gender and location. If so, missing values are
            reported.

    Raises:
        InputRefused: If there are problems. It lists all of them; its `salvaged` contains the part that could
            be read.
    """
    try:
        cases = _read_cases(source, name, read_labels, images, with_demographics)
    except InputRefused as refused:
        raise InputRefused(
            ordered(refused.problems, CODES), ordered(refused.findings, CODES), refused.salvaged
        ) from refused
    return replace(cases, findings=tuple(ordered(cases.findings, CODES)))


def read_images(source: Source, name: str | None = None, with_demographics: bool = True) -> SafeScanCases:
    """Read cases without labels. Cases are the rows of the table if the folder or zip contains a table,
    otherwise all images by file name. Raises InputRefused if the table has problems, or if there is neither
    table nor image."""
    files = open_source(source, name)
    if files.kind == "file" or table_members(files):
        return read_cases(files, None, None, with_demographics=with_demographics)
    members = image_members(files)
    sentence = (
        f"there is no table: age, gender and location of all {len(members)} images are unknown (0, -1, "
        "-1 for the model)."
    )
    findings = (warning("missing-demographics", files.name, sentence),) if with_demographics else ()
    return SafeScanCases(
        files.name,
        files,
        members,
        demographics.unknown(len(members)),
        None,
        files,
        members,
        {},
        "",
        {},
        findings,
    )


def _read_cases(
    source: Source,
    name: str | None,
    read_labels: ReadLabels | None,
    images: Source | None,
    with_demographics: bool,
) -> SafeScanCases:
    files = open_source(source, name)
    pictures = files if images is None else open_source(images)
    member = find_table(files, WITH_METADATA)
    data, table = files.read_table(member)
    problems = list(table.problems)
    findings: list[Finding] = []
    if read_labels:
        findings += official_program.place_consequences(files, member)
        findings += table.notes or official_program.file_consequences(table, data, with_demographics)
    ids = read_ids(table, problems, findings)
    labels = read_labels(table, problems, [] if ids is None else findings) if read_labels else None
    if ids is None:
        raise InputRefused(problems, findings)
    read = demographics.read_demographics(table, problems)
    folder = posixpath.dirname(member) if pictures is files and files.kind != "file" else ""
    members, elsewhere = find_images(pictures, folder, ids)
    findings += [
        *(read.findings if with_demographics else ()),
        *official_program.column_consequences(
            table, labels.cancels if labels else None, read.official_errors if with_demographics else ()
        ),
        *official_program.path_consequences(table, _written_ids(table)),
        *image_findings(pictures, table, ids, members, elsewhere),
        *(_not_opened(pictures, table, ids, members) if read_labels else ()),
    ]
    cases = SafeScanCases(
        files.name,
        files,
        ids,
        read.values,
        labels.labels if labels else None,
        pictures,
        members,
        _columns(table),
        next(key for key in ID_COLUMNS if key in table.keys),
        {member: sha256(data)},
        tuple(_one_alias(findings)),
    )
    if problems:
        raise InputRefused(tables.settled(table, problems), cases.findings, salvaged=_matchable(cases))
    return cases


def _written_ids(table: TextTable) -> Sequence[str]:
    """Return the cells of the column of images, not trimmed."""
    column, _ = tables.find_column(table, ID_COLUMNS)
    return () if column is None else table.columns[column]


def _columns(table: TextTable) -> Mapping[str, tuple[str, ...]]:
    """Return the trimmed cells by key, last column first; if columns have the same key, the first counts."""
    named = reversed([*zip(table.keys, table.columns, strict=True)])
    return LazyColumns({key: partial(trimmed, cells) for key, cells in named})


def _matchable(cases: SafeScanCases) -> SafeScanCases:
    """Return the cases that predictions can be matched to: without nameless and repeated rows."""
    first = {name: i for i, name in reversed(list(enumerate(cases.ids)))}
    rows = [
        i for name, i in sorted(first.items(), key=lambda item: item[1]) if name.lower() not in tables.MISSING
    ]
    return replace(cases, ids=tuple(cases.ids[i] for i in rows), images=tuple(cases.images[i] for i in rows))


def _one_alias(findings: list[Finding]) -> list[Finding]:
    """Return the findings with all `header-alias` as one, at the place of the first."""
    aliases = [f for f in findings if f.code == "header-alias"]
    if len(aliases) < 2:
        return findings
    whole = replace(aliases[0], message=f"{len(aliases)} headers: " + " ".join(f.message for f in aliases))
    return [whole if f is aliases[0] else f for f in findings if f.code != "header-alias" or f is aliases[0]]


def find_images(
    pictures: SourceFiles, folder: str, ids: Sequence[str]
) -> tuple[tuple[str | None, ...], frozenset[int]]:
    """Return the file name of each id's image, and the indices of images that were found elsewhere: not at
    their path below `folder`, but by a base name that occurs only once."""
    if pictures.kind == "file":
        return (None,) * len(ids), frozenset()
    members = set(pictures.members)
    names = Counter(posixpath.basename(m) for m in members)
    by_name = {posixpath.basename(m): m for m in members}
    images: list[str | None] = []
    elsewhere = set()
    for i, name in enumerate(ids):
        exact = posixpath.join(folder, case_ids.as_written(name))
        base = case_ids.base_name(name)
        if exact in members:
            images.append(exact)
        elif names[base] == 1:
            images.append(by_name[base])
            elsewhere.add(i)
        else:
            images.append(None)
    return tuple(images), frozenset(elsewhere)


def image_findings(
    pictures: SourceFiles,
    table: TextTable,
    ids: Sequence[str],
    images: Sequence[str | None],
    elsewhere: frozenset[int],
) -> list[Finding]:
    """Return two findings: about images in unexpected places, and about the consequence of missing images.
    Empty if the source has no images."""
    if pictures.kind == "file" or not any(m.lower().endswith(IMAGE_ENDINGS) for m in pictures.members):
        return []
    findings = once(
        "image-elsewhere",
        table,
        sorted(elsewhere),
        "the image was found by its name in another folder; the official loader does not find it there.",
    )
    absent = [i for i, member in enumerate(images) if member is None or not pictures.sizes[member]]
    if absent:
        sentence = f"{several(table, absent)}: the image is missing or empty ({ids[absent[0]]})."
        findings.append(score_zero(table.place(absent[0]), sentence))
    return findings


def _not_opened(
    pictures: SourceFiles, table: TextTable, ids: Sequence[str], images: Sequence[str | None]
) -> list[Finding]:
    """Return the consequence of images of which it is not known that the validator can open them: they are
    read, up to `READ_BYTES` in all, and not decoded."""
    there = [(i, member) for i, member in enumerate(images) if member and pictures.sizes[member]]
    is_small = sum(pictures.sizes[member] for _, member in there) <= READ_BYTES
    doubtful = [i for i, member in there if not (is_small and is_whole(pictures.read(member)))]
    if not doubtful:
        return []
    sentence = (
        f"{several(table, doubtful)}: Benchside found no complete JPEG or PNG ({ids[doubtful[0]]}). If the "
        "validator cannot open an image, it gives every model the score 0."
    )
    return [warning("images-not-opened", table.place(doubtful[0]), sentence)]
