"""A first declaration, written from the columns of a truth: a person checks and changes it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.challenges.declared.parser import MOST_CLASSES
from scoring.common.arrays import Floats
from scoring.common.findings import InputRefused, error
from scoring.inputs.case_tables import ID_COLUMNS, UNIT_COLUMNS, find_table
from scoring.inputs.cells import parse_numbers
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import TextTable, key
from scoring.metrics import registry

LABELS = ("label", "class", "target", "diagnosis", "truth", "ground_truth", "grade", "stage", "category", "y")
POSITIVE = ("1", "true", "yes", "positive", "malignant", "tumor", "tumour", "abnormal", "disease", "melanoma")
TIMES = ("time", "days", "months", "survival_time", "os", "rfs", "pfs", "dfs", "follow_up")
EVENTS = ("event", "status", "relapse", "death", "dead", "progression", "recurrence", "censored")
GROUPS = ("center", "centre", "site", "scanner", "vendor", "sex", "gender", "hospital", "cohort")
MOST_VALUES = 20
"""Different values of a column up to which it can be that of classes or subgroups."""
SCORE = {
    "classification": "balanced_accuracy",
    "multilabel": "auc",
    "ordinal": "quadratic_kappa",
    "regression": "mae",
    "survival": "c_index",
}
"""Task -> the metric that is suggested; of two classes it is the area under the ROC curve."""


@dataclass(frozen=True)
class Suggestion:
    """A declaration that fits a truth.

    Attributes:
        task: What seems to be asked.
        text: The file.
        reasons: Why it is so, a sentence each.
    """

    task: str
    text: str
    reasons: tuple[str, ...]


def suggest(source: Source, name: str | None = None, challenge_id: str = "my-challenge") -> Suggestion:
    """Return a first declaration of a challenge.

    Args:
        source: Its truth, a table.
        name: What messages call it.
        challenge_id: Its id.

    Raises:
        InputRefused: The table cannot be read, or no column of it can be a truth.
    """
    files = open_source(source, name)
    _, table = files.read_table(find_table(files))
    columns = _Columns(table)
    task, lines, reasons = _task(columns)
    case = json.dumps(columns.case, ensure_ascii=False)
    unit = next((h for h in columns.others if key(h) in UNIT_COLUMNS), None)
    groups = [h for h in columns.others if key(h) in GROUPS and 1 < len(columns.values(h)) <= MOST_VALUES]
    truth = [f"case = {case}", *lines["truth"], *([f"unit = {_quoted(unit)}"] if unit else [])]
    metric = registry.find(task, lines.get("metric", [SCORE[task]])[0])
    text = [
        f"id = {_quoted(challenge_id)}",
        f"title = {_quoted(challenge_id.replace('-', ' ').capitalize())}",
        f"task = {_quoted(task)}",
        *lines["classes"],
        *("", "[truth]", *truth, "", "[predictions]", *lines["predictions"], 'missing = "refuse"'),
        *("", "[score]", f"# {metric.pitfall}", f"metric = {_quoted(metric.name)}"),
        *(["", "[subgroups]", f"columns = {_listed(groups)}"] if groups else []),
    ]
    return Suggestion(task, "\n".join(text) + "\n", (f"The case id is {columns.case!r}.", *reasons))


def _quoted(text: str | None) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(names: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


class _Columns:
    """Columns of a truth. case: that of the case id; others: the rest, by header."""

    def __init__(self, table: TextTable) -> None:
        self.table = table
        self.places = {header: i for i, header in enumerate(table.header) if header}
        known = [h for wanted in ID_COLUMNS for h in self.places if key(h) == wanted]
        unique = [h for h in self.places if len(self.values(h)) == len(table)]
        found = next((h for h in (*known, *unique) if h in unique), None)
        if found is None:
            message = "no column has a different value in every row, so that none can be the case id."
            raise InputRefused([error("missing-column", table.header_place, message)])
        self.case = found
        self.others = tuple(h for h in self.places if h != found)

    def values(self, header: str) -> tuple[str, ...]:
        """Return the different values of a column, sorted, numbers by size."""
        found = set(self.table.cells(self.places[header]))
        if all(re.fullmatch(r"-?\d{1,15}", value) for value in found):
            return tuple(sorted(found, key=int))
        return tuple(sorted(found))

    def numbers(self, header: str) -> Floats | None:
        """Return a column as numbers; None where a cell is none."""
        read = parse_numbers(self.table.cells(self.places[header]), self.table.delimiter != ",")
        return None if np.isnan(read.values).any() else read.values

    def bits(self) -> list[str]:
        """Return the columns of 0 and 1 that hold both."""
        return [h for h in self.others if (v := self.numbers(h)) is not None and set(v) == {0.0, 1.0}]

    def named(self, names: Sequence[str], among: Sequence[str]) -> str | None:
        """Return the first column of one of these names."""
        return next((h for name in names for h in among if key(h) == name), None)


Lines = Mapping[str, list[str]]


def _task(columns: _Columns) -> tuple[str, Lines, tuple[str, ...]]:
    """Return the task that the columns of a truth speak of, lines of its file, and why."""
    for found in (*_survival(columns), *_of_label(columns), *_of_bits(columns), *_of_any(columns)):
        return found
    message = f"no column can be a truth. Columns: {', '.join(columns.others) or 'none'}."
    raise InputRefused([error("missing-column", columns.table.header_place, message)])


def _survival(columns: _Columns) -> Iterator[tuple[str, Lines, tuple[str, ...]]]:
    numbers = [h for h in columns.others if columns.numbers(h) is not None]
    time, event = columns.named(TIMES, numbers), columns.named(EVENTS, columns.bits())
    if time and event:
        lines = [f"time = {_quoted(time)}", f"event = {_quoted(event)}"]
        reason = f"{time!r} is a time and {event!r} an event, 1 where it was seen."
        yield "survival", {"truth": lines, "predictions": ['risk = "risk"'], "classes": []}, (reason,)


def _of_label(columns: _Columns) -> Iterator[tuple[str, Lines, tuple[str, ...]]]:
    label = columns.named(LABELS, columns.others)
    if label is not None:
        yield _of_column(columns, label)


def _of_bits(columns: _Columns) -> Iterator[tuple[str, Lines, tuple[str, ...]]]:
    bits = columns.bits()
    if len(bits) < 2:
        return
    total = np.sum([np.asarray(columns.numbers(h)) for h in bits], axis=0)
    task = "classification" if (total == 1).all() and len(bits) > 2 else "multilabel"
    kind = "one of several classes" if task == "classification" else "any number of labels"
    lines = {
        "classes": [f"classes = {_listed(bits)}"],
        "truth": ['columns = "classes"'],
        "predictions": ['scores = "classes"'],
    }
    yield task, lines, (f"{len(bits)} columns hold 0 and 1: a case has {kind}.",)


def _of_any(columns: _Columns) -> Iterator[tuple[str, Lines, tuple[str, ...]]]:
    known = (*GROUPS, *UNIT_COLUMNS)
    candidates = [h for h in columns.others if key(h) not in known and len(columns.values(h)) > 1]
    few = [h for h in candidates if len(columns.values(h)) <= MOST_VALUES]
    numbers = [h for h in candidates if columns.numbers(h) is not None]
    if chosen := [*few, *numbers][:1]:
        yield _of_column(columns, chosen[0])


def _of_column(columns: _Columns, label: str) -> tuple[str, Lines, tuple[str, ...]]:
    """Return the task of one column: a number, grades in order, or classes."""
    values, numbers = columns.values(label), columns.numbers(label)
    if numbers is not None and len(values) > MOST_VALUES:
        lines = {"classes": [], "truth": [f"value = {_quoted(label)}"], "predictions": ['value = "value"']}
        return "regression", lines, (f"{label!r} holds numbers, {len(values)} different ones.",)
    if len(values) > MOST_CLASSES or len(values) < 2:
        message = f"{label!r} holds {len(values)} different values: it can be no class."
        raise InputRefused([error("missing-column", columns.table.header_place, message)])
    classes = [f"classes = {_listed(values)}"]
    lines = {"classes": classes, "truth": [f"label = {_quoted(label)}"], "predictions": ['label = "label"']}
    if len(values) == 2:
        cells = columns.table.cells(columns.places[label])
        named = [value for value in values if value.lower() in POSITIVE]
        positive = named[0] if named else min(values, key=cells.count)
        lines["classes"] = [*classes, f"positive = {_quoted(positive)}"]
        lines |= {"predictions": ['score = "score"'], "metric": ["auc"]}
        return "classification", lines, (f"{label!r} holds two classes; {positive!r} is taken as positive.",)
    ordered = all(re.fullmatch(r"\d{1,3}", value) for value in values)
    reason = f"{label!r} holds {len(values)} {'grades in order' if ordered else 'classes'}."
    return "ordinal" if ordered else "classification", lines, (reason,)
