"""Suggested fixes of a table: columns, names of cases and decimal commas that were probably meant.

A column that is missing is told by `tables.missing_column`; buttons: `pages.input_widgets.fix_buttons`.
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Literal

from scoring.common.fixes import ANY, InputChanges, SuggestedFix, editing, quoted_mark, renamed, renaming
from scoring.inputs.case_ids import case_parts

ALIKE = 0.75
"""Share of letters from which on two headers are another spelling of one (`difflib`)."""
MOST = 4
"""Columns that are offered for one that is missing."""
SEPARATORS = ("|", "^", ":", " ")
"""That some programs write between cells; not read unless that is chosen."""
LONGEST = 200
"""Characters of a header that is compared."""
LOOKED_AT = 20
"""Rows by which a column's kind is told."""
NUMERIC = re.compile(r"\s*[+-]?\d*[.,]?\d+([eE][+-]?\d+)?\s*", re.ASCII)
IN_PERCENT = re.compile(r"\s*[+-]?[0-9]*[.,]?[0-9]+\s*%\s*")
"""A number with a percent sign, before which any blank may stand."""
Kind = Literal["", "text", "id", "number"]
Columns = Sequence[Sequence[str]]


def renamings(
    header: Sequence[str],
    missing: str,
    names: Sequence[str],
    reserved: Collection[str] = (),
    exact: bool = False,
) -> tuple[SuggestedFix, ...]:
    """Return fixes that read a column as the one that is missing, alternatives to each other.

    Args:
        header: Headers of the table.
        missing: What is missing, for the button: "the score".
        names: Names that would be read; the first is what a column is renamed to.
        reserved: Headers that are read as something else.
        exact: Whether names are read exactly as written only.
    """
    free = [written for written in header if 0 < len(written) <= LONGEST and written not in reserved]
    fixes = [fix for written in free for fix in _with_affix(written, free, missing, names, exact)]
    if not fixes:
        plain = {_plain(written): written for written in free}
        near = [k for name in names for k in difflib.get_close_matches(_plain(name), plain, 1, ALIKE)]
        fixes = [read_as(plain[k], missing, names[0]) for k in near]
    return tuple({fix.changes: fix for fix in fixes}.values())[:MOST]


def read_as(written: str, missing: str, name: str) -> SuggestedFix:
    """Return the fix that reads one column as what is missing."""
    return SuggestedFix(
        f"Read column “{written[:60]}” as {missing}", InputChanges(columns=((written, name),))
    )


def shared_affix(header: Sequence[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix that takes off what most headers begin or end with; none where they have nothing in
    common."""
    patterns: Counter[str] = Counter()
    for written in header:
        if len(written) <= LONGEST:
            marks = [i for i, letter in enumerate(written) if not letter.isalnum()]
            patterns.update(f"{written[: i + 1]}{ANY}" for i in marks if i + 1 < len(written))
            patterns.update(f"{ANY}{written[i:]}" for i in marks if i)
    pattern, count = max(patterns.items(), key=lambda item: (item[1], len(item[0])), default=("", 0))
    return (renaming("column", ((pattern, ANY),)),) if count > max(1, len(header) / 2) else ()


def of_kind(
    header: Sequence[str], columns: Columns, missing: str, name: str, kind: Kind
) -> list[SuggestedFix]:
    """Return fixes that read a column of a kind as what is missing, for tables without a header that is near.

    Args:
        header: Headers of the table.
        columns: Its cells by column.
        missing: What is missing, for the button.
        name: What a column is renamed to.
        kind: "text", "id" (texts that all differ) or "number"; "": none is offered.
    """
    fits = [
        written
        for written, cells in zip(header, columns, strict=True)
        if written
        and all((NUMERIC.fullmatch(c[:LONGEST]) is not None) == (kind == "number") for c in cells[:LOOKED_AT])
        and (kind != "id" or len({*cells}) == len(cells))
    ]
    return [read_as(written, missing, name) for written in fits[:MOST]] if kind and len(header) > 1 else []


def row_names(header: Sequence[str], columns: Columns, name: str) -> tuple[SuggestedFix, ...]:
    """Return the fix that reads the first column, where it has no name and holds different texts, as R writes
    names of rows; none for another."""
    cells = columns[0] if header and not header[0] else ()
    is_text = not any(NUMERIC.fullmatch(cell[:LONGEST]) for cell in cells)
    is_ids = bool(cells) and is_text and len({*cells}) == len(cells)
    return (renaming("column", (("", name),)),) if is_ids else ()


def between_cells(header: Sequence[str], columns: Columns) -> tuple[SuggestedFix, ...]:
    """Return the fix for a table of one column whose cells another character separates; none for others."""
    if len(header) != 1:
        return ()
    for mark in SEPARATORS:
        count = header[0].count(mark)
        if count and all(cell.strip().count(mark) == count for cell in columns[0]):
            named = quoted_mark(mark)
            return (SuggestedFix(f"Read {named} as the separator of cells", InputChanges(delimiter=mark)),)
    return ()


def _with_affix(
    written: str, free: Sequence[str], missing: str, names: Sequence[str], exact: bool
) -> list[SuggestedFix]:
    """Return the fix for a header that is a name with something before or after it; that takes the same off
    other headers too, where they have it."""
    for name in names:
        between = "[^A-Za-z0-9]"
        match = re.fullmatch(rf"(?i)((?:.*{between})?)({re.escape(name)})((?:{between}.*)?)", written)
        if not match or (len(name) < 2 and match[1] + match[3]):
            continue
        before, middle, after = match.groups()
        pair = (f"{before}{ANY}{after}", ANY)
        alike = [other for other in free if renamed(other, (pair,)) != other]
        if bool(before) != bool(after) and len(alike) > 1 and (middle == name or not exact):
            return [renaming("column", (pair,))]
        return [read_as(written, missing, name if exact else names[0])]
    return []


def _plain(text: str) -> str:
    return re.sub(r"[ \-]", "_", text.strip().lower())


LEAST = 0.5
"""Share of the names that must fit without the prefix or suffix."""
COMPARED = 500
"""Names that are compared."""
ZEROS_BEFORE = re.compile(rf"0+{re.escape(ANY)}")
ENDS_IN_NUMBER = re.compile(r"(.*?)(\d+)", re.ASCII | re.DOTALL)


def without_affix(names: Iterable[str], cases: Iterable[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix that reads names of cases without what they all have before or after them, or with the
    zeros that they lack; none where that fits too few.

    Args:
        names: Those that fit no case, with or without folder and ending.
        cases: Names of the test set.
    """
    known = {case_parts(case)[1] for case in cases}
    stems = [stem for name in islice(names, COMPARED) if len(stem := case_parts(name)[1]) <= LONGEST]
    patterns: Counter[str] = Counter()
    for stem in stems:
        patterns.update(f"{stem[:cut]}{ANY}" for cut in range(1, len(stem)) if stem[cut:] in known)
        patterns.update(f"{ANY}{stem[cut:]}" for cut in range(1, len(stem)) if stem[:cut] in known)
    pattern, count = max(patterns.items(), key=lambda item: item[1], default=("", 0))
    if count and count >= LEAST * len(stems):
        zeros = sorted((p for p in patterns if ZEROS_BEFORE.fullmatch(p)), key=len, reverse=True)
        taken = zeros if pattern in zeros else [pattern]  # 0061 and 0004 have different zeros before them
        return (renaming("case", tuple((written, ANY) for written in taken)),)
    return _with_zeros(stems, known)


def _with_zeros(stems: Sequence[str], known: Collection[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix for names that lack zeros before their numbers, or all that is before these."""
    parts = [match for stem in stems if (match := ENDS_IN_NUMBER.fullmatch(stem))]
    wanted = Counter(
        (match[1], len(match[2]))
        for case in islice(known, COMPARED)
        if (match := ENDS_IN_NUMBER.fullmatch(case))
    )
    for (start, width), _ in wanted.most_common(MOST):
        fits = [m for m in parts if m[1] in ("", start) and f"{start}{m[2].zfill(width)}" in known]
        # A number alone could be that of another start, so all must fit.
        least = LEAST * len(stems) if {m[1] for m in fits} == {start} else len(stems)
        if len(fits) >= max(1, least) and len({m[1] for m in fits}) == 1:
            pair = (f"{fits[0][1]}{ANY}", f"{start}{ANY}{{{width}}}")
            label = f"Read case “{fits[0][0]}” as “{start}{fits[0][2].zfill(width)}”, and others alike"
            return (SuggestedFix(label, InputChanges(cases=(pair,))),)
    return ()


COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
FRACTION = re.compile(r"\s*\d+\s*", re.ASCII)
AS_COMMAS = SuggestedFix("Read commas inside numbers as decimal commas", InputChanges(decimal_commas=True))


def fixes_of(cells: Sequence[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix for cells that are not numbers; none where neither a comma nor a percent sign is why."""
    if any(map(IN_PERCENT.fullmatch, cells)):
        return (editing("divide", "100", "Read 45% as 0.45"),)
    return (AS_COMMAS,) if any(map(COMMA.fullmatch, cells)) else ()


def cut_at_commas(cells: Sequence[str], width: int) -> bool:
    """Return whether a row looks as if every number after the first cell had been cut at a decimal comma."""
    return (
        width > 1
        and len(cells) == 2 * width - 1
        and all(map(WHOLE.fullmatch, cells[1::2]))
        and all(map(FRACTION.fullmatch, cells[2::2]))
    )
