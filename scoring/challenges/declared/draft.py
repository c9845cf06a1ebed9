"""Draft of a declaration from a truth table: what its columns are, and which task and metric fit."""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from scoring.common.findings import InputRefused, error
from scoring.inputs.case_tables import UNIT_COLUMNS, find_table
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import MISSING, key
from scoring.metrics import registry

MASKS = (".nii", ".nii.gz", ".mha")
MOST_CLASSES, MOST_GROUPS = 50, 20
"""Different values of a column of classes, and of a subgroup; more are numbers or texts."""
GROUPS = ("center", "centre", "site", "scanner", "vendor", "sex", "gender", "hospital", "cohort")
POSITIVE = ("1", "true", "yes", "positive", "malignant", "tumor", "tumour", "abnormal", "disease", "melanoma")
CASE = re.compile(r"case|patient|subject|image|file|study|slide|name|uid|(?:^|_)id$|^id", re.IGNORECASE)
TIME = re.compile(r"time|days|months|years|rfs|pfs|dfs|(?:^|_)os$|^os|survival", re.IGNORECASE)
EVENT = re.compile(r"event|status|relapse|death|dead|recurrence|progress", re.IGNORECASE)
LABEL = re.compile(r"label|target|class|diagnos|^dx$|truth|grade|stage|malignan|finding", re.IGNORECASE)
DECIMAL_COMMA = re.compile(r"^([-+]?\d+),(\d+)$", re.ASCII)
ORDERED = re.compile(r"grade|stage|score|level|isup|severity|diagnosis", re.IGNORECASE)
USUAL = {
    "classification": "balanced_accuracy",
    "multilabel": "auc",
    "ordinal": "quadratic_kappa",
    "regression": "mae",
    "survival": "c_index",
}
"""Task of tables -> the metric that is suggested."""


@dataclass(frozen=True)
class TruthTable:
    """A truth as it was read, for choosing its columns.

    Attributes:
        name: What messages call it.
        columns: Cells by heading, without blanks around them.
        decimal_comma: Whether "0,5" is a number: where another character parts the columns.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]
    decimal_comma: bool = False

    def values(self, heading: str) -> list[str]:
        """Return the different values of a column, in the order in which they come."""
        return list(dict.fromkeys(cell for cell in self.columns[heading] if cell.lower() not in MISSING))

    def number(self, cell: str) -> float | None:
        """Return what a cell holds as a number, None for other text."""
        with suppress(ValueError):
            return float(DECIMAL_COMMA.sub(r"\1.\2", cell) if self.decimal_comma else cell)
        return None

    def is_number(self, heading: str) -> bool:
        """Return whether every cell of a column that is not empty is a number."""
        values = self.values(heading)
        return bool(values) and all(self.number(value) is not None for value in values)

    def is_flag(self, heading: str) -> bool:
        """Return whether a column holds nothing but 0 and 1."""
        return self.is_number(heading) and {self.number(value) for value in self.values(heading)} <= {
            0.0,
            1.0,
        }


@dataclass(frozen=True)
class Draft:
    """A declaration that is being written.

    Attributes:
        id: Address and name of the file.
        title: Above the page.
        task: One of the tasks of tables.
        case: Column of the case id.
        label: Column of the class; "" where every class has a column.
        classes: Names of the classes, or of the labels.
        positive: The class that a single score is of; "" for none.
        value: Column of the number (regression).
        time: Column of the time (survival).
        event: Column of the event (survival).
        predicted: What predictions have: "label", "scores" or "score" of classes; else the task's own.
        sent: Column of the prediction; "" for the usual name.
        metric: Name of the metric of the score.
        options: Options of the metric.
        missing: What a missing prediction does.
        unit: Column of what is resampled together; "" for the case.
        subgroups: Columns whose values are compared.
    """

    id: str
    title: str
    task: str
    case: str
    label: str = ""
    classes: tuple[str, ...] = ()
    positive: str = ""
    value: str = ""
    time: str = ""
    event: str = ""
    predicted: str = "label"
    sent: str = ""
    metric: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    missing: str = "refuse"
    unit: str = ""
    subgroups: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the truth was taken for, a sentence each."""
        numbers = {"value": self.value, "time": self.time, "event": self.event}
        columns = ", ".join(f"{name} {column!r}" for name, column in numbers.items() if column)
        of_classes = f"{self.label!r} holds" if self.label else "columns of 0 and 1 hold"
        kind = {"ordinal": "grades in order", "multilabel": "labels"}.get(self.task, "classes")
        found = f"{of_classes} {len(self.classes)} {kind}." if self.classes else f"{self.task}: {columns}."
        positive = (f"{self.positive!r} is taken as positive.",) if self.positive else ()
        sent = () if self.predicted == "scores" else (f"Predictions have it in a column {self.column!r}.",)
        return (f"The case id is {self.case!r}.", found, *positive, *sent)

    @property
    def column(self) -> str:
        """Column of the prediction, where it is one."""
        return self.sent or {"label": self.label, "value": self.value}.get(self.predicted, self.predicted)

    def toml(self) -> str:
        """Return the file."""
        about = {"id": self.id, "title": self.title, "about": f"{self.title}.", "task": self.task}
        of_classes = {"classes": list(self.classes), "positive": self.positive}
        truth: dict[str, Any] = {"case": self.case, "label": self.label, "value": self.value}
        truth |= {"time": self.time, "event": self.event}
        if self.classes and not self.label:
            truth["columns"] = "classes"
        truth["unit"] = self.unit
        score = {"metric": self.metric, **self.options}
        sections = {"truth": truth, "predictions": self._predictions(), "score": score}
        if self.subgroups:
            sections["subgroups"] = {"columns": list(self.subgroups)}
        lines = _pairs({**about, **of_classes})
        for name, pairs in sections.items():
            lines += ["", f"[{name}]", *_pairs(pairs)]
        return "\n".join(lines) + "\n"

    def _predictions(self) -> dict[str, Any]:
        column = "classes" if self.predicted == "scores" else self.column
        return {self.predicted: column, "missing": self.missing}


def read_truth_table(source: Source, name: str | None = None) -> TruthTable:
    """Read a truth, to choose its columns. Raises InputRefused."""
    files = open_source(source, name)
    if files.kind != "file" and any(member.lower().endswith(MASKS) for member in files.members):
        message = (
            "it holds masks, and a file is suggested from tables. Start from one of masks: "
            "benchside challenge show lits17 --text"
        )
        raise InputRefused([error("no-table", files.name, message)])
    _, table = files.read_table(find_table(files))
    if not table.columns or not table.columns[0]:
        raise InputRefused([error("empty-truth", table.name, "it has no case: a row for each is needed.")])
    columns = {heading: tuple(table.cells(i)) for i, heading in enumerate(table.header) if heading}
    return TruthTable(table.name, columns, table.delimiter != ",")


def suggest(truth: TruthTable, name: str = "") -> Draft:
    """Return the draft that fits a truth best.

    Args:
        truth: The table.
        name: Of its file, which the id is made of.

    Raises:
        InputRefused: No column can be the case id.
    """
    case = _case(truth)
    others = [heading for heading in truth.columns if heading != case]
    words = re.sub(r"[^\w ()-]+", " ", re.sub(r"\.\w+$", "", name)).replace("_", " ")
    title = words.strip() or "New challenge"
    unit = next((h for h in others if key(h) in UNIT_COLUMNS), "")
    groups = (h for h in others if key(h) in GROUPS and 1 < len(truth.values(h)) <= MOST_GROUPS)
    draft = Draft(
        id_of(title),
        title[:1].upper() + title[1:],
        "classification",
        case,
        unit=unit,
        subgroups=tuple(groups),
    )
    others = [h for h in others if h not in (unit, *draft.subgroups)] or others
    for fits in (_survival, _flags, _classes, _regression):
        if found := fits(truth, others):
            return with_task(truth, draft, **found)
    return with_task(truth, draft, task="classification", label=others[0] if others else case)


def with_task(truth: TruthTable, draft: Draft, **chosen: Any) -> Draft:
    """Return a draft with other columns or another task, and what follows from them.

    Args:
        truth: The table.
        draft: The draft.
        **chosen: `task` and its columns.
    """
    values: dict[str, Any] = {**draft.__dict__, "positive": "", "options": {}, **chosen}
    task, label = values["task"], values["label"]
    if task in ("classification", "ordinal") and label:
        classes = truth.values(label)
        values["classes"] = tuple(sorted(classes, key=lambda value: (truth.number(value) or 0.0, value)))
    if task in ("regression", "survival"):
        values |= {"classes": (), "label": ""}
    classes, two = values["classes"], len(values["classes"]) == 2 and task == "classification"
    values["positive"] = _positive(truth, label, classes) if two else ""
    by_task = {"regression": "value", "survival": "risk", "multilabel": "scores"}
    values["predicted"] = by_task.get(task, "label" if label else "scores")
    return with_metric(Draft(**values), "auc" if two and label else USUAL[task])


def metrics_of(task: str) -> tuple[registry.Metric, ...]:
    """Return the metrics that a task can be ranked by."""
    return registry.of_task(task)


def with_metric(draft: Draft, name: str) -> Draft:
    """Return a draft with another metric: predictions then have what it needs.

    Args:
        draft: The draft.
        name: Of a metric of its task.
    """
    metric = registry.find(draft.task, name)
    values: dict[str, Any] = {**draft.__dict__, "metric": name, "options": {}}
    two = len(draft.classes) == 2
    if metric.needs in ("scores", "probabilities") and draft.predicted == "label":
        values["predicted"] = "score" if two else "scores"
    if "average" in metric.parameters and not (two and draft.task == "classification"):
        values["options"] = {"average": "macro"}
    return Draft(**values)


def _positive(truth: TruthTable, label: str, classes: Sequence[str]) -> str:
    """Return which of two classes is named as a finding is, else the rarer one."""
    named = [value for value in classes if value.lower() in POSITIVE]
    return named[0] if named else min(reversed(classes), key=truth.columns.get(label, ()).count)


def _case(truth: TruthTable) -> str:
    """Return the column of the case id: different in every row, one that is named like one before others.

    Raises:
        InputRefused: There is none.
    """
    n = len(next(iter(truth.columns.values())))
    unique = [heading for heading in truth.columns if len(truth.values(heading)) == n]
    named = [heading for heading in unique if CASE.search(heading)]
    if not unique:
        message = "no column has a different value in every row, so that none can be the case id."
        raise InputRefused([error("missing-column", truth.name, message)])
    return (*named, *unique)[0]


def _survival(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    time = next((h for h in others if TIME.search(h) and truth.is_number(h) and not truth.is_flag(h)), None)
    event = next((h for h in others if h != time and EVENT.search(h) and truth.is_flag(h)), None)
    return {"task": "survival", "time": time, "event": event} if time and event else {}


def _flags(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    """Return several columns of 0 and 1: classes where each row has one 1, else labels."""
    flags = [heading for heading in others if truth.is_flag(heading)]
    if len(flags) < 2:
        return {}
    rows = zip(*(truth.columns[heading] for heading in flags), strict=True)
    one_each = all(sum(truth.number(cell) or 0.0 for cell in row) == 1 for row in rows)
    return {"task": "classification" if one_each else "multilabel", "classes": tuple(flags)}


def _classes(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    n = len(next(iter(truth.columns.values())))
    few = [
        heading
        for heading in others
        if 2 <= (k := len(truth.values(heading))) <= MOST_CLASSES
        and (k <= n / 2 or (k < n and LABEL.search(heading)))
    ]
    whole = [h for h in few if all(number.is_integer() for number in _floats(truth, h))]
    named = [heading for heading in few if LABEL.search(heading) or truth.is_flag(heading)]
    texts = [heading for heading in few if not truth.is_number(heading) and not CASE.search(heading)]
    if not named and any(_is_measured(truth, heading) for heading in others):
        return {}
    label = next(iter([*named, *texts, *(heading for heading in whole if not CASE.search(heading))]), None)
    if label is None:
        return {}
    numbers = truth.is_number(label) and label in whole and len(truth.values(label)) > 2
    is_ordered = numbers and bool(ORDERED.search(label))
    return {"task": "ordinal" if is_ordered else "classification", "label": label}


def _regression(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    numbers = [heading for heading in others if truth.is_number(heading)]
    value = next(iter([*(heading for heading in numbers if _is_measured(truth, heading)), *numbers]), None)
    return {"task": "regression", "value": value} if value else {}


def _is_measured(truth: TruthTable, heading: str) -> bool:
    """Return whether a column holds numbers with decimals: a measurement, not classes or years."""
    return truth.is_number(heading) and not all(n.is_integer() for n in _floats(truth, heading))


def _floats(truth: TruthTable, heading: str) -> list[float]:
    return [number for value in truth.values(heading) if (number := truth.number(value)) is not None]


def id_of(title: str) -> str:
    """Return an id made of a title: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-") or "challenge"


def _pairs(pairs: Mapping[str, Any]) -> list[str]:
    """Return keys with values as TOML; empty ones are left out."""
    return [f"{name} = {_value(value)}" for name, value in pairs.items() if value not in ("", [], None)]


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):  # the escapes of JSON are those of TOML, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
