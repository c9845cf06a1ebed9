"""Suggests fixes for a table: renamed columns, changed case names, and numbers with decimal commas.

`tables.missing_column` reports a missing column; `pages.input_widgets.fix_buttons` draws buttons.
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice, takewhile
from typing import Literal

from scoring.common.fixes import (
    ANY,
    InputChanges,
    Pairs,
    SuggestedFix,
    editing,
    quoted_mark,
    renamed,
    renaming,
)
from scoring.inputs.case_ids import case_parts

ALIKE = 0.75
"""Minimum similarity (`difflib`) of two headers that count as spellings of each other."""
MOST = 4
"""Maximum number of columns offered for a missing column."""
SEPARATORS = ("|", "^", ":", " ")
"""Rare separators, which Benchside uses only if the visitor chooses them."""
LONGEST = 200
"""Maximum number of characters of a header that are compared."""
LOOKED_AT = 20
"""Number of rows that decide whether a column contains ids, numbers or other text."""
NUMERIC = re.compile(r"\s*[+-]?(?:\d++(?:[.,]\d+)?|[.,]\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
IN_PERCENT = re.compile(r"\s*[+-]?(?:[0-9]++(?:[.,][0-9]+)?|[.,][0-9]+)\s*%\s*")
"""Pattern of a number with a percent sign; blanks may be between them."""
OF_ALL = re.compile(r"(.*[_. ])?(mean|avg|average|ensemble|combined|score|final)([_. ].*)?", re.IGNORECASE)
"""Pattern of a heading for the joint result of several models; such a column is offered first."""
OF_OTHERS = re.compile(
    r"(?i)y_true|(?:ground[_ ]?)?truth|gt|(?:true|actual)[_ ](?:label|class|value)"
    r"|age(?:_.*)?|alter|fold|width|height"
)
"""Pattern of headings of numeric columns that are not predictions, such as the truth."""
Kind = Literal["", "text", "id", "number"]
Columns = Sequence[Sequence[str]]


def renamings(
    header: Sequence[str],
    missing: str,
    names: Sequence[str],
    reserved: Collection[str] = (),
    exact: bool = False,
) -> tuple[SuggestedFix, ...]:
    """Return alternative fixes that use an existing column as the missing one.

    Args:
        missing: Words for the missing column on the button: "the score".
        names: Accepted names of the column; the fix renames a column to the first of them.
        reserved: Headers of columns that have another purpose.
        exact: Whether only headers equal to one of `names` are accepted, not similar ones.
    """
    free = [written for written in header if 0 < len(written) <= LONGEST and written not in reserved]
    fixes = [fix for written in free for fix in _with_affix(written, free, missing, names, exact)]
    if not fixes:
        plain = {_plain(written): written for written in free}
        near = [k for name in names for k in difflib.get_close_matches(_plain(name), plain, 1, ALIKE)]
        fixes = [read_as(plain[k], missing, names[0]) for k in near]
    return tuple({fix.changes: fix for fix in fixes}.values())[:MOST]


def read_as(written: str, missing: str, name: str) -> SuggestedFix:
    """Return the fix that uses a column as the missing one."""
    return SuggestedFix(
        f"Read column “{written[:60]}” as {missing}", InputChanges(columns=((written, name),))
    )


def shared_affix(header: Sequence[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix that removes a common prefix or suffix of most headers; empty if there is none."""
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
    """Return fixes that use a column with the right kind of cells as the missing one. They are offered if no
    header is similar.

    Args:
        missing: Words for the missing column on the button.
        name: New name of the column.
        kind: "text", "id" (all texts differ) or "number"; "": no fixes.
    """
    fits = [
        written
        for written, cells in zip(header, columns, strict=True)
        if written
        and all((NUMERIC.fullmatch(c[:LONGEST]) is not None) == (kind == "number") for c in cells[:LOOKED_AT])
        and (kind != "id" or len({*cells}) == len(cells))
    ]
    fits = [written for written in fits if kind != "number" or not OF_OTHERS.fullmatch(written)] or fits
    first = of_all_first(fits)[:MOST]
    return [read_as(written, missing, name) for written in first] if kind and len(header) > 1 else []


def of_all_first(header: Iterable[str]) -> list[str]:
    """Return the headers with those first that name the combined result of several models."""
    return sorted(header, key=lambda written: not OF_ALL.fullmatch(written))


def is_of_all(fix: SuggestedFix) -> bool:
    """Return whether a fix reads a column whose name means the combined result of several models, or the
    score."""
    return any(OF_ALL.fullmatch(old) is not None and new for old, new in fix.changes.columns)


def row_names(header: Sequence[str], columns: Columns, name: str) -> tuple[SuggestedFix, ...]:
    """Return the fix that uses the first column as ids if it has no name and all its texts differ, as in R's
    row names. Otherwise empty."""
    cells = columns[0] if header and not header[0] else ()
    is_text = not any(NUMERIC.fullmatch(cell[:LONGEST]) for cell in cells)
    is_ids = bool(cells) and is_text and len({*cells}) == len(cells)
    return (renaming("column", (("", name),)),) if is_ids else ()


def between_cells(header: Sequence[str], columns: Columns) -> tuple[SuggestedFix, ...]:
    """Return the fix for a table that has only one column because its cells are separated by an unusual
    character. Otherwise empty."""
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
"""A prefix or suffix is removed only if at least this share of names then matches."""
COMPARED = 500
"""Maximum number of names that are compared."""
SPELLINGS = 20
"""Maximum number of different beginnings of names (such as names of centers) that may be spelled
differently."""
ZEROS_BEFORE = re.compile(rf"0+{re.escape(ANY)}")
ENDS_IN_NUMBER = re.compile(r"((?:.*\D)?)(\d++)", re.ASCII | re.DOTALL)


def without_affix(names: Iterable[str], cases: Iterable[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix that removes a common prefix or suffix of case names, or adds missing leading zeros.
    Empty if too few names would fit.

    Args:
        names: Names that fit no case, even without folder and extension.
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
    return _with_zeros(stems, known) or _in_other_spelling(stems, known)


def _in_other_spelling(stems: Sequence[str], known: Collection[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix for names that are cases in other letters or with other marks between, perhaps with more
    before or after: hk_001_pred, sub-HK001 for HK-001. Each name must be one case, and none of two."""
    cases_of: dict[str, list[str]] = {}
    for case in known:
        cases_of.setdefault(_letters(case), []).append(case)
    patterns: Counter[tuple[str, str]] = Counter()
    found: dict[str, str] = {}
    for stem in stems:
        spelled = ((cases_of.get(_letters(stem[i:j]), []), i, j) for i, j in _within_marks(stem))
        cases, i, j = next(((cases, i, j) for cases, i, j in spelled if cases), ([], 0, 0))
        if len(cases) == 1:
            found[stem] = case = cases[0]
            pairs_of_letters = zip(reversed(stem[i:j]), reversed(case), strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs_of_letters))
            old, new = stem[: j - same], case[: len(case) - same]
            patterns[f"{old}{ANY}{stem[j:]}", f"{new}{ANY}"] += bool(same and (old + stem[j:]))
    if len(found) < max(1, LEAST * len(stems)) or len({*found.values()}) < len(found):
        return ()
    pairs = tuple(pair for pair, count in patterns.most_common(SPELLINGS) if count)
    if sum(patterns[pair] for pair in pairs) < len(found) or any(
        renamed(case, pairs) != case for case in known
    ):
        pairs = tuple(found.items())  # a pattern would change names that are right, or not all others
    return (renaming("case", pairs),)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))


def _within_marks(stem: str) -> list[tuple[int, int]]:
    """Return where names may begin and end in a longer one, the longest first."""
    marks = [i for i, letter in enumerate(stem) if not letter.isalnum()]
    places = [
        (i, j) for i in (0, *(m + 1 for m in marks[:MOST])) for j in (*marks[-MOST:], len(stem)) if i < j
    ]
    return sorted(places, key=lambda place: place[0] - place[1])


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
            return (_filled(fits[0], start, width, (pair,)),)
    of_starts = [
        (match, match[1], width)
        for match in parts
        for start, width in wanted
        if match[1] == start and f"{start}{match[2].zfill(width)}" in known
    ]
    pairs = dict.fromkeys((f"{start}{ANY}", f"{start}{ANY}{{{width}}}") for _, start, width in of_starts)
    is_enough = len(of_starts) >= max(1, LEAST * len(stems)) and len(pairs) <= SPELLINGS
    is_one_each = len({old for old, _ in pairs}) == len(pairs) and all(start for _, start, _ in of_starts)
    return (_filled(*of_starts[0], tuple(pairs)),) if is_enough and is_one_each else ()


def _filled(match: re.Match[str], start: str, width: int, pairs: Pairs) -> SuggestedFix:
    label = f"Read “{match[0]}” as “{start}{match[2].zfill(width)}” and so on"
    return SuggestedFix(label, InputChanges(cases=pairs))


COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*", re.ASCII)
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
FRACTION = re.compile(r"\s*\d+\s*", re.ASCII)
AS_COMMAS = SuggestedFix("Read commas as decimal commas", InputChanges(decimal_commas=True))


def fixes_of(cells: Sequence[str]) -> tuple[SuggestedFix, ...]:
    """Return the fix for cells that are not numbers because of commas or percent signs. Otherwise empty."""
    if any(map(IN_PERCENT.fullmatch, cells)):
        return (editing("divide", "100", "Read 45% as 0.45"),)
    return (AS_COMMAS,) if any(map(COMMA.fullmatch, cells)) else ()


def cut_at_commas(cells: Sequence[str], width: int) -> bool:
    """Return whether the numbers of a row were probably split into several cells at their decimal commas."""
    return (
        width > 1
        and len(cells) == 2 * width - 1
        and all(map(WHOLE.fullmatch, cells[1::2]))
        and all(map(FRACTION.fullmatch, cells[2::2]))
    )
