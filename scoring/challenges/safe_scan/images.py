"""Which file shows which case."""

import posixpath
from collections import Counter
from collections.abc import Sequence

from scoring.challenges.safe_scan.official_loader import score_zero
from scoring.challenges.safe_scan.tables import once, several
from scoring.common.findings import Finding
from scoring.inputs import matching
from scoring.inputs.case_tables import IMAGE_ENDINGS
from scoring.inputs.sources import SourceFiles
from scoring.inputs.tables import TextTable


def find_images(
    pictures: SourceFiles, folder: str, ids: Sequence[str]
) -> tuple[tuple[str | None, ...], frozenset[int]]:
    """Return the member that shows each id, and the indices of those that stand elsewhere: not at their path
    below `folder`, but where the base name occurs once."""
    if pictures.kind == "file":
        return (None,) * len(ids), frozenset()
    members = set(pictures.members)
    names = Counter(posixpath.basename(m) for m in members)
    by_name = {posixpath.basename(m): m for m in members}
    found: list[str | None] = []
    elsewhere = set()
    for i, name in enumerate(ids):
        exact = posixpath.join(folder, matching.as_written(name))
        base = matching.base_name(name)
        if exact in members:
            found.append(exact)
        elif names[base] == 1:
            found.append(by_name[base])
            elsewhere.add(i)
        else:
            found.append(None)
    return tuple(found), frozenset(elsewhere)


def image_findings(
    pictures: SourceFiles,
    table: TextTable,
    ids: Sequence[str],
    images: Sequence[str | None],
    elsewhere: frozenset[int],
) -> list[Finding]:
    """Return `image-elsewhere` and the consequence of missing images; nothing for a source without images."""
    if pictures.kind == "file" or not any(m.lower().endswith(IMAGE_ENDINGS) for m in pictures.members):
        return []
    found = once(
        "image-elsewhere",
        table,
        sorted(elsewhere),
        "the image was found by its name in another folder; the official loader does not find it there.",
    )
    absent = [i for i, member in enumerate(images) if member is None]
    if absent:
        words = f"{several(table, absent)}: the image is missing ({ids[absent[0]]})."
        found.append(score_zero(table.place(absent[0]), words))
    return found
