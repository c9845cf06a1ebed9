"""Fixes: changes in how an input is read. For fixes of refused tables see `inputs.fix_suggestions`."""

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

Pairs = tuple[tuple[str, str], ...]
"""Pairs of a name in the file and the name that replaces it."""
ANY = "*"
"""Wildcard that stands for the same text in both names of a pair."""
FILLED = re.compile(rf"{re.escape(ANY)}\{{(\d{{1,2}})\}}", re.ASCII)
"""Wildcard in the second name of a pair: the text of `ANY`, padded with leading zeros to a length."""
REPEATED = ("identical", "mean", "first", "last")
"""Rules that say which row counts if a case has several rows."""
SHOWN = 4
"""Maximum number of names of a list that are written out."""
EDITS = {
    "header": "the first line as a case",
    "leave_out": "the table without its column {}",
    "transpose": "cases in columns as rows",
    "labels": "the classes in “{}” as scores, 1 and 0",
    "fill": "{} where a value is missing",
    "infinite": "{} where a value is infinite",
    "survival": "each survival curve as its {}",
    "divide": "the numbers divided by {}",
    "softmax": "the softmax of the numbers",
    "sigmoid": "the sigmoid of the numbers",
    "complement": "1 minus the numbers",
    "scale": "the {} numbers unchanged as scores",
    "of_called": "the scores as scores of the class in “{}”",
    "order": "the model outputs in the order {}",
    "zeros": "0 as the score of “{}” in each case",
    "pixels": "pixels {}",
    "first": "output {} of the model first",
    "inputs": "the model inputs in the order {}",
    "vector": "all inputs but the image as one vector",
    "multiply": "the coordinates times {}",
    "exchange": "x and y exchanged",
    "swap_labels": "label 1 of masks as {}",
}
"""Name of an edit (of a whole table, a model's outputs, coordinates or masks) -> its description."""
LEAVE_OUT = "leave out "
OF_MODELS = ("order", "softmax", "sigmoid", "complement", "pixels", "first", "inputs", "vector")
"""Names of edits for models."""
TABLES_TOO = ("softmax", "sigmoid", "complement")
"""Names of edits for models that tables can have too."""
OF_COORDINATES = frozenset(("multiply", "exchange"))
"""Names of edits for lists of nuclei."""
NUMBER = (r"(?!0+(\.0+)?$)\d{1,9}(\.\d{1,20})?", "a number above 0")
PLACES = (r"[1-9]\d{0,2}( [1-9]\d{0,2})*", "numbers with blanks between them; the first has the number 1")
PIXELS = {
    "imagenet": "standardised by the mean and deviation of ImageNet",
    "signed": "from -1 to 1",
}
"""Pixel range of a model, if it is not from 0 to a maximum -> its description."""
BGR = " bgr"
"""Suffix of the edit `pixels`, which means that blue is the first channel."""
VALUES = {
    "divide": (r"(?!0+$)\d{1,9}", "a whole number above 0"),
    "pixels": (f"({NUMBER[0]}|{'|'.join(PIXELS)})({BGR})?", f"{NUMBER[1]}, or {' or '.join(PIXELS)}"),
    **dict.fromkeys(("multiply", "infinite"), NUMBER),
    **dict.fromkeys(("order", "inputs", "first"), PLACES),
    "swap_labels": ("yes|no", "yes or no"),
    "survival": ("mean|last", "mean or last"),
    "scale": ("raw", "raw"),
}
"""Name of an edit -> format of its value, as a pattern and as text."""


@dataclass(frozen=True)
class InputChanges:
    """Changes to an input before it is read, and changed settings.

    Attributes:
        columns: Pairs of a header and its replacement; "" leaves the column out. A `*` in both stands for the
            same text: ("prob_*", "*") removes the prefix.
        cases: Pairs of a case name in tables and file names, and its replacement.
        decimal_commas: Whether commas within the numbers of a comma-separated table are decimal commas.
        delimiter: Separator between the cells of a table; "": it is detected.
        repeated: Which of several rows is kept (one of `REPEATED`), and the column in which these rows are
            equal ("" for identical rows). ("", "") keeps all rows.
        options: Options of `score`.
        test_set: Key of the sample test set to score on; "" for the chosen one.
        one_table: Whether a workbook, zip, folder or job answers are read as one CSV table.
        edits: Pairs of the name of an edit (one of `EDITS`) and its value.
        submitted_only: Whether only the submitted cases are scored, as in `Challenge.submitted_part`.
    """

    columns: Pairs = ()
    cases: Pairs = ()
    decimal_commas: bool = False
    delimiter: str = ""
    repeated: tuple[str, str] = ("", "")
    options: tuple[tuple[str, Any], ...] = ()
    test_set: str = ""
    one_table: bool = False
    edits: Pairs = ()
    submitted_only: bool = False

    @property
    def of_files(self) -> "InputChanges":
        """The changes of files only, without settings. The edit that only states that numbers are correct as
        they are is left out too."""
        edits = tuple(pair for pair in self.edits if pair != RAW.changes.edits[0])
        return replace(self, options=(), test_set="", submitted_only=False, edits=edits)

    def __bool__(self) -> bool:
        return self != InputChanges()

    def joined(self, other: "InputChanges") -> "InputChanges":
        """Return both sets of changes together; in a conflict, those of `other` win."""
        return InputChanges(
            tuple((dict(self.columns) | dict(other.columns)).items()),
            tuple((dict(self.cases) | dict(other.cases)).items()),
            self.decimal_commas or other.decimal_commas,
            other.delimiter or self.delimiter,
            other.repeated if other.repeated[0] else self.repeated,
            tuple((dict(self.options) | dict(other.options)).items()),
            other.test_set or self.test_set,
            self.one_table or other.one_table,
            tuple((dict(self.edits) | dict(other.edits)).items()),
            self.submitted_only or other.submitted_only,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the changes of files for the provenance."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        pairs = {name: dict(values[name]) for name in ("columns", "cases", "edits") if values[name]}
        plain = {name: values[name] for name in ("decimal_commas", "delimiter", "one_table") if values[name]}
        row, column = self.repeated
        return pairs | plain | ({"repeated": {row: column} if column else row} if row else {})

    def words(self) -> str:
        """Return a short description of the changes, such as "columns without “prob_”"."""
        return ", ".join(self._parts())

    def command(self) -> str:
        """Return the changes as the label of a button, such as "Read column “Risk” as score and leave out
        column “Age”"."""
        parts = self._parts()
        left_out = [part for part in parts if part.startswith(LEAVE_OUT)]
        read = ", ".join(part for part in parts if part not in left_out)
        text = " and ".join([*[f"read {read}"] * bool(read), *left_out])
        return text[:1].upper() + text[1:]

    def _parts(self) -> list[str]:
        parts = [
            *_renamed_words("column", self.columns),
            *_renamed_words("case", self.cases),
            "commas in numbers as decimal commas" * self.decimal_commas,
            f"{quoted_mark(self.delimiter)} as the separator of cells" * bool(self.delimiter),
            _kept_words(self.repeated),
            "only the table, as CSV" * self.one_table,
            *(EDITS[name].format(_value_words(name, value)) for name, value in self.edits),
        ]
        return [*filter(None, parts)]


@dataclass(frozen=True)
class SuggestedFix:
    """A way to fix an input.

    Attributes:
        label: Label of the fix's button, as a command: "Read columns without “prob_”".
        option: Name of an option of `score` whose value only the visitor knows; "" for none.
        team: Team whose file the fix changes; "" if there is only one submission.
    """

    label: str
    changes: InputChanges
    option: str = ""
    team: str = ""


def renaming(kind: str, pairs: Pairs) -> SuggestedFix:
    """Return the fix that renames columns or cases.

    Args:
        kind: "column" or "case".
        pairs: Pairs of a name in the file and its replacement; "" leaves it out.
    """
    changes = InputChanges(columns=pairs) if kind == "column" else InputChanges(cases=pairs)
    return SuggestedFix(changes.command(), changes)


def editing(name: str, value: str = "yes", label: str = "") -> SuggestedFix:
    """Return the fix that edits a whole table.

    Args:
        name: One of `EDITS`.
        label: Label of the button; "": the label that `InputChanges.command` returns.
    """
    changes = InputChanges(edits=((name, value),))
    return SuggestedFix(label or changes.command(), changes)


def edits_problem(text: str, of_model: bool = False) -> str | None:
    """Check a text `EDIT=VALUE,...` and return the problem as a sentence; None if there is none.

    Args:
        of_model: Whether a model is edited instead of a prediction file.
    """
    of_files = [name for name in EDITS if name in TABLES_TOO or name not in OF_MODELS]
    allowed = OF_MODELS if of_model else of_files
    for name, value in parsed_pairs(text):
        if name not in allowed:
            return f"{name[:60]!r} is none of {', '.join(allowed)}."
        pattern, words = VALUES.get(name, ("", ""))
        if pattern and not re.fullmatch(pattern, value, re.ASCII):
            return f"{name}={value[:60]}: write {words}."
    return None


RAW = editing("scale", "raw", "Keep the numbers as they are (official)")


@lru_cache(maxsize=16)  # one for each of hundreds of thousands of rows
def keeping(row: str, column: str = "") -> SuggestedFix:
    """Return the fix that keeps one of several rows of the same case.

    Args:
        row: One of `REPEATED`.
        column: The column in which the rows are equal; "" for identical rows.
    """
    label = f"Keep the {row} row of each case" if column else "Keep one of identical rows"
    label = "Read the mean of the rows of each case" if row == "mean" else label
    return SuggestedFix(label, InputChanges(repeated=(row, column)))


def parsed_repeated(text: str) -> tuple[str, str]:
    """Parse `identical`, `mean=COLUMN`, `first=COLUMN` or `last=COLUMN`. Return the rule and the column; ("",
    "") for any other text."""
    row, _, column = text.partition("=")
    return (row, column) if row in REPEATED and (row == "identical") == (column == "") else ("", "")


def quoted_mark(mark: str) -> str:
    """Return the name of a separator, such as "comma", for messages."""
    return "blanks" if mark == " " else f"“{mark}”"


def renamed(name: str, pairs: Pairs) -> str:
    """Return the replacement of a name.

    Args:
        pairs: As in `renaming`; `*` stands for the same text in both names of a pair, `*{7}` for this text
            with leading zeros.

    Returns:
        The replacement by the first pair that matches; exact names come before patterns. "" for a name that
        is left out; the name itself if no pair matches.
    """
    exact = dict(pairs)
    if name in exact:
        return exact[name]
    for old, new in pairs:
        if middle := _middle(name, old):
            filled = FILLED.search(new)
            text = middle.zfill(int(filled[1])) if filled else middle
            return new.replace(filled[0] if filled else ANY, text, 1)
    return name


def parsed_pairs(text: str) -> list[tuple[str, str]]:
    """Return the pairs of `OLD=NEW,OLD=NEW`; names with a comma are quoted."""
    cells = next(csv.reader([text], skipinitialspace=True), [])
    return [(old.strip(), new.strip()) for old, _, new in (cell.rpartition("=") for cell in cells)]


def pairs_problem(text: str) -> str | None:
    """Check a text `OLD=NEW,OLD=NEW` and return the problem as a sentence; None if there is none."""
    for cell in next(csv.reader([text], skipinitialspace=True), []):
        old, mark, new = cell.rpartition("=")
        if not mark:
            return (
                f"{cell[:60]!r} is no OLD=NEW: write the name in the file, an equals sign and the other name."
            )
        if old.count(ANY) > 1 or new.count(ANY) > 1 or (ANY in new and ANY not in old):
            return f"{cell[:60]!r}: one {ANY} stands for the same text before and after the equals sign."
    return None


def written_pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """Return pairs in the format of `parsed_pairs`."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([f"{old}={new}" for old, new in pairs])
    return text.getvalue()


def _value_words(name: str, value: str) -> str:
    if name == "swap_labels":
        return "GTVn, label 2 as GTVp" if value == "yes" else "GTVp, label 2 as GTVn"
    if name != "pixels":
        return value.partition(": ")[0]
    kind = value.removesuffix(BGR)
    return PIXELS.get(kind, f"from 0 to {kind}") + ", blue first" * (kind != value)


def _kept_words(repeated: tuple[str, str]) -> str:
    row, column = repeated
    if not row:
        return ""
    return f"the {row} of rows with the same “{column}”" if column else "one of identical rows"


def _middle(name: str, pattern: str) -> str:
    """Return what stands for the `*` of a pattern, "" if the pattern does not fit."""
    start, mark, end = pattern.partition(ANY)
    if not mark or len(name) <= len(start) + len(end):
        return ""
    return name[len(start) : len(name) - len(end)] if name.startswith(start) and name.endswith(end) else ""


def _renamed_words(kind: str, pairs: Pairs) -> Iterable[str]:
    affixes = [old.replace(ANY, "") for old, new in pairs if new == ANY]
    if affixes:
        yield f"{kind}s without {_listed(affixes)}"
    dropped = [old for old, new in pairs if not new]
    if dropped:
        named = [old for old in dropped if old]
        label = [_listed(named)] * bool(named) + ["without a name"] * (len(named) < len(dropped))
        yield f"{LEAVE_OUT}{kind}{'s' * (len(dropped) > 1)} {' and '.join(label)}"
    others = [
        f"{f'“{old}”' if old else 'without a name'} as {new}" for old, new in pairs if new not in ("", ANY)
    ]
    if others:
        more = f" and {len(others) - SHOWN} more" if len(others) > SHOWN else ""
        yield f"{kind}{'s' * (len(others) > 1)} {', '.join(others[:SHOWN])}{more}"


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(f"“{name}”" for name in names[:SHOWN]) + more
