"""Guess at the columns of an unknown table: the case column, and the column of each required score. If
several guesses are possible, the user can choose.

`tables.missing_column` refuses a missing column with "did you mean".
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.common.fixes import SHOWN, InputChanges, Pairs, SuggestedFix
from scoring.common.text import normalized
from scoring.inputs import case_ids
from scoring.inputs.fix_suggestions import IN_PERCENT, LONGEST, NUMERIC, OF_ALL, OF_OTHERS, of_all_first
from scoring.inputs.number_parsing import FIXES, LOGITS, PERCENT, parse_numbers, scale_of
from scoring.inputs.tables import TextTable, key

AFFIXES = frozenset((
    *("prob", "probs", "probability", "probabilities", "p", "score", "scores", "logit", "logits", "softmax"),
    *("pred", "preds", "prediction", "predictions", "predicted", "sigmoid", "output", "outputs", "class"),
    *("conf", "confidence", "risk", "value", "y", "w", "ip", "wahrscheinlichkeit"),
))  # fmt: skip
"""Words that column names often contain beside the name of a class."""
ALIKE, LEAST_LETTERS = 0.86, 5
"""Two names of at least the second length count as spellings of each other if their similarity is at least
the first value."""
LOOKED_AT, MOST = 500, 4
"""Number of cells that are read to identify a column, and maximum number of columns offered for a required
column."""
MOST_IDS = 0.5
"""In a column of case ids, at least this share of cells must name cases of the truth."""


@dataclass(frozen=True)
class TableForm:
    """Required columns of a prediction table.

    Attributes:
        case: Name under which the case column is read.
        columns: Required column -> other accepted names of it, in the order of the challenge.
        case_names: Usual names of the case column, as `tables.key` returns them.
        only: Whether the table must have no other columns.
        of_probabilities: Whether the numbers are probabilities.
    """

    case: str
    columns: Mapping[str, tuple[str, ...]]
    case_names: tuple[str, ...] = ()
    only: bool = False
    of_probabilities: bool = True


@dataclass(frozen=True)
class ColumnGuess:
    """A guess at the columns of a table.

    Attributes:
        case: Header of the case column; None if none was found.
        columns: Required column -> header in the table; None if none was found.
        in_order: Whether numbered columns are assigned in the order of the challenge.
        any_of: Headers each of which could be the single required column, if names do not decide.
    """

    case: str | None
    columns: Mapping[str, str | None]
    in_order: bool = False
    any_of: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether every required column was found."""
        return self.case is not None and None not in self.columns.values()

    def changes(self, header: Sequence[str], form: TableForm) -> InputChanges:
        """Return the changes that rename the columns of a table as guessed. Other columns are left out if
        they would interfere. `header` contains the headers of the table."""
        named = {name: written for name, written in self.columns.items() if written is not None}
        present = {*map(key, header)}
        usual = next((name for name in form.case_names if name in present), None)
        if self.case is not None and key(self.case) != usual:
            named[form.case] = self.case
        used = {self.case, *self.columns.values()}
        others = [written for written in header if written not in used]
        left_out = others if form.only else [written for written in others if written in named]
        pairs: Pairs = (
            *((written, name) for name, written in named.items() if written != name),
            *((written, "") for written in dict.fromkeys(left_out)),
        )
        return InputChanges(columns=pairs)


def guess(table: TextTable, form: TableForm, ids: Sequence[str] | None) -> ColumnGuess:
    """Guess the columns of a table.

    Args:
        ids: Cases of the truth. None: without a column of a usual name, the case column is the first one
            whose cells are all different and no numbers.
    """
    headers = [header for header in dict.fromkeys(table.header) if len(header) <= LONGEST]
    case = _case(table, form, headers, ids)
    others = [header for header in headers if header and header != case and _numbers(table, header)]
    numbered = _numbered(others, len(form.columns))
    if numbered:
        return ColumnGuess(case, dict(zip(form.columns, numbered, strict=True)), True)
    if len(form.columns) == len(others) == 1:
        return ColumnGuess(case, dict(zip(form.columns, others, strict=True)))
    assigned = _assigned(others, form.columns)
    if len(form.columns) == 1 and not assigned:
        others = [header for header in others if not OF_OTHERS.fullmatch(header)] or others
        plain = [header for header in others if not _words(header)]
        assigned = dict.fromkeys(form.columns, plain[0]) if len(plain) == 1 else {}
    if len(form.columns) == 1 and all(header[-1].isdigit() for header in assigned.values()):
        numbers = [header for header in others if header[-1].isdigit() or OF_ALL.fullmatch(header)]
        return ColumnGuess(
            case, dict.fromkeys(form.columns), any_of=tuple(of_all_first(numbers or others))[:MOST]
        )
    return ColumnGuess(case, {name: assigned.get(name) for name in form.columns})


def _case(
    table: TextTable, form: TableForm, headers: Collection[str], ids: Sequence[str] | None
) -> str | None:
    """Return the column of cases: the one that is called so, unless none of its cells is a case and those of
    another column are."""
    known = {case_ids.stem(name).lower() for name in ids or ()}
    usual = next(
        (table.header[table.keys.index(name)] for name in form.case_names if name in table.keys), None
    )
    if usual is not None and (
        not known
        or any(case_ids.stem(cell).lower() in known for cell in table.cells(table.header.index(usual)))
    ):
        return usual
    best, share = None, 0.0
    for header in headers:
        cells = table.cells(table.header.index(header))[:LOOKED_AT]
        if known:
            fits = sum(case_ids.stem(cell).lower() in known for cell in cells) / len(cells)
        else:
            fits = float(len({*cells}) == len(cells) and not any(map(NUMERIC.fullmatch, cells)))
        if fits > share:
            best, share = header, fits
    return best if share >= MOST_IDS else usual


def _numbers(table: TextTable, header: str) -> bool:
    cells = table.columns[table.header.index(header)][:LOOKED_AT]
    numbers = (NUMERIC.fullmatch(cell[:LONGEST]) or IN_PERCENT.fullmatch(cell[:LONGEST]) for cell in cells)
    return sum(match is not None for match in numbers) > len(cells) / 2


def _numbered(headers: Sequence[str], count: int) -> list[str] | None:
    """Return headers of which each ends in a number, in the order of these, from 0 or 1 without a gap."""
    numbers: dict[int, str] = {}
    for header in headers:
        parts = _words(header)
        if len(parts) == 1 and parts[0].isdigit() and len(parts[0]) < 4:
            if int(parts[0]) in numbers:
                return None  # two lists of scores
            numbers[int(parts[0])] = header
    first = min(numbers, default=0)
    if first > 1 or count < 2 or sorted(numbers) != list(range(first, first + count)):
        return None
    return [numbers[k] for k in sorted(numbers)]


def _words(text: str) -> list[str]:
    """Return the words of a header without those that are beside names of classes."""
    plain = normalized("NFKD", text.replace("ß", "ss")).encode("ascii", "ignore").decode()
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", plain)
    return [word.lower() for word in parts if word.lower() not in AFFIXES]


def joined_words(text: str) -> str:
    """Return the words of a name as one word, without words that often occur beside class names. `text` is a
    heading, or the name of a class."""
    return "".join(_words(text))


def _assigned(headers: Sequence[str], wanted: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return needed column -> header, the surest pairs first, none of them twice and none in doubt."""
    pairs = sorted(_pairs(headers, wanted), key=lambda pair: -pair[0])
    assigned: dict[str, str] = {}
    doubtful: set[str] = set()
    for sure, name, header in pairs:
        if name in assigned or header in assigned.values() or header in doubtful:
            continue
        rivals = [other for s, other, h in pairs if h == header and other not in assigned and s >= sure]
        alike = [h for s, other, h in pairs if other == name and s == sure and h not in assigned.values()]
        if len(rivals) > 1 or len(alike) > 1:
            doubtful.update((header,) if len(rivals) > 1 else alike)
        else:
            assigned[name] = header
    return assigned


def _pairs(headers: Sequence[str], wanted: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[float, str, str]]:
    words = {header: _words(header) for header in headers}
    starts = Counter(tuple(parts[:n]) for parts in words.values() for n in range(1, len(parts)))
    start = max((len(first) for first, count in starts.items() if count >= max(2, len(wanted))), default=0)
    common = next((first for first, count in starts.items() if len(first) == start and count > 1), ())
    plain = {h: "".join(parts[start * (tuple(parts[:start]) == common) :]) for h, parts in words.items()}
    for name, others in wanted.items():
        codes = {joined_words(name), re.sub(r"[^a-z0-9]", "", name.lower())}
        names = {joined_words(other) for other in others}
        for header, written in plain.items():
            if header == name:
                yield 4.0, name, header
            elif written and written in codes:
                yield 3.0, name, header
            elif written and written in names:
                yield 2.0, name, header
            elif len(written) >= LEAST_LETTERS:
                alike = max(
                    (difflib.SequenceMatcher(None, written, other).ratio() for other in names if other),
                    default=0,
                )
                if alike >= ALIKE:
                    yield alike, name, header


ROWS_LOOKED_AT = 2_000
"""Number of rows, evenly spread over a table, that decide the scale of its numbers."""


def readings_of(table: TextTable, form: TableForm, guessed: ColumnGuess) -> list[SuggestedFix]:
    """Return alternative fixes if a guess is ambiguous. They assign numbered columns in one of two orders, or
    use one of the columns that could be the required one. `guessed` is the guess."""
    readings = {"": guessed}
    if guessed.any_of and guessed.case is not None:
        named = [dict.fromkeys(form.columns, header) for header in guessed.any_of]
        readings = {f" {i}": replace(guessed, columns=columns) for i, columns in enumerate(named)}
    elif guessed.in_order:
        by_name = dict(zip(sorted(guessed.columns), guessed.columns.values(), strict=True))
        readings = {
            ", classes in the challenge's order": guessed,
            ", classes in alphabetical order": replace(guessed, columns=by_name),
        }
    changes = {how: _changes(table, form, reading) for how, reading in readings.items()}
    distinct = {frozenset(c.columns): (how, c) for how, c in reversed(changes.items()) if c}
    return [
        SuggestedFix(f"{_named(c).command()}{how * guessed.in_order}", c)
        for how, c in reversed(distinct.values())
    ]


def rival_of(
    table: TextTable, form: TableForm, guessed: ColumnGuess, ids: Sequence[str] | None
) -> tuple[SuggestedFix, ...]:
    """Return fixes for a table with two complete sets of columns, of which one may be the truth.

    Each fix uses one set: the columns with the required names, or the same names with a prefix or suffix.
    Empty if there is only one set.

    Args:
        guessed: The guess, which contains the first set.
    """
    own = {*guessed.columns.values()}
    if (
        not guessed.is_whole
        or guessed.in_order
        or {*map(key, form.columns)} != {key(name or "") for name in own}
    ):
        return ()
    unread = [index for index, header in enumerate(table.header) if header not in own]
    rest = replace(
        table,
        header=tuple(table.header[index] for index in unread),
        keys=tuple(table.keys[index] for index in unread),
        columns=[table.columns[index] for index in unread],
    )
    other = guess(rest, form, ids)
    if not other.is_whole or other.in_order or len(form.columns) < 2:
        return ()
    changes = _changes(table, form, other)
    dropped = tuple((written, "") for written in other.columns.values() if written)
    first = InputChanges(
        columns=tuple((dict(guessed.changes(table.header, form).columns) | dict(dropped)).items())
    )
    names = ", ".join(f"“{name}”" for name in list(form.columns)[:SHOWN])
    return (
        SuggestedFix(_named(changes).command(), changes),
        SuggestedFix(f"Read columns {names} and so on by their names", first),
    )


def _named(changes: InputChanges) -> InputChanges:
    """Return changes without the columns that are left out, which a label names only where nothing else
    is changed."""
    columns = tuple((old, new) for old, new in changes.columns if new)
    return replace(changes, columns=columns or changes.columns)


def _changes(table: TextTable, form: TableForm, guessed: ColumnGuess) -> InputChanges:
    """Return what reads columns as guessed; percent, numbers up to 255 and logits of classes as
    probabilities."""
    changes = guessed.changes(table.header, form)
    step = -(-len(table) // ROWS_LOOKED_AT)
    columns = [table.columns[table.header.index(header)] for header in guessed.columns.values() if header]
    cells = [[cell.strip() for cell in list(column)[::step]] for column in columns]
    if not cells or not form.of_probabilities:
        return changes
    if all(map(IN_PERCENT.fullmatch, (cell for column in cells for cell in column))):
        scale = PERCENT
    else:
        points = ([cell.replace(",", ".") for cell in column] for column in cells)
        scale = scale_of(np.column_stack([parse_numbers(column).values for column in points]))
    fixes = FIXES.get(scale, ())[: 1 if scale != LOGITS or len(cells) > 1 else 0]
    return changes.joined(fixes[0].changes) if fixes else changes
