"""Columns that were probably meant where one is missing, as mends that rename them."""

import difflib
import re
from collections.abc import Collection, Sequence

from scoring.mends import ANY, Changes, Mend, renamed, renaming

ALIKE = 0.75
"""Share of letters from which on two headers are another spelling of one (`difflib`)."""
MOST = 4
"""Columns that are offered for one that is missing."""


def renamings(
    header: Sequence[str], what: str, names: Sequence[str], taken: Collection[str] = (), exact: bool = False
) -> tuple[Mend, ...]:
    """Return mends that read a column as the one that is missing, alternatives to each other.

    Args:
        header: Headers of the table.
        what: What is missing, for the button: "the score".
        names: Names that would be read; the first is what a column is renamed to.
        taken: Headers that are read as something else.
        exact: Whether names are read exactly as written only.
    """
    free = [written for written in header if written and written not in taken]
    found = [mend for written in free for mend in _with_affix(written, free, what, names, exact)]
    if not found:
        plain = {_plain(written): written for written in free}
        near = [k for name in names for k in difflib.get_close_matches(_plain(name), plain, 1, ALIKE)]
        found = [read_as(plain[k], what, names[0]) for k in near]
    return tuple({mend.changes: mend for mend in found}.values())[:MOST]


def read_as(written: str, what: str, name: str) -> Mend:
    """Return the mend that reads one column as what is missing."""
    return Mend(f"Read column “{written[:60]}” as {what}", Changes(columns=((written, name),)))


def _with_affix(
    written: str, free: Sequence[str], what: str, names: Sequence[str], exact: bool
) -> list[Mend]:
    """Return the mend for a header that is a name with something before or after it; that takes the same off
    other headers too, where they have it."""
    for name in names:
        between = "[^A-Za-z0-9]"
        found = re.fullmatch(rf"(?i)((?:.*{between})?)({re.escape(name)})((?:{between}.*)?)", written)
        if len(name) < 2 or not found or not found[1] + found[3]:
            continue
        before, middle, after = found.groups()
        pair = (f"{before}{ANY}{after}", ANY)
        alike = [other for other in free if renamed(other, (pair,)) != other]
        if not (before and after) and len(alike) > 1 and (middle == name or not exact):
            return [renaming("column", (pair,))]
        return [read_as(written, what, name if exact else names[0])]
    return []


def _plain(text: str) -> str:
    return re.sub(r"[ \-]", "_", text.strip().lower())
