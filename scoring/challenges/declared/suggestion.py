"""Suggestion of a draft from a truth: what its columns or masks are, and which task and metric fit."""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from scoring.challenges.declared.declaration import FORMAT, TASKS
from scoring.challenges.declared.draft import Draft, predicted, titled, with_metric, with_predicted
from scoring.challenges.declared.mask_readers import TruthMasks, found_in_masks
from scoring.common.findings import InputRefused, error
from scoring.inputs.case_tables import UNIT_COLUMNS, find_table, table_members
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.sources import Source, open_source
from scoring.inputs.tables import MISSING, key

MOST_CLASSES, MOST_GROUPS = 50, 20
"""Different values of a column of classes, and of a subgroup; more are numbers or texts."""
DECIMAL_COMMA = re.compile(r"^([-+]?\d+),(\d+)$", re.ASCII)
WORDS: Mapping[str, Any] = FORMAT["words"]
CASE, TIME, EVENT, LABEL, ORDERED, AXIS, RADIUS = (
    re.compile(pattern, re.IGNORECASE) for pattern in FORMAT["headings"].values()
)


@dataclass(frozen=True)
class TruthTable:
    """A truth as it was read, for choosing its columns.

    Attributes:
        columns: Cells by heading, without blanks around them.
        decimal_comma: Whether "0,5" is a number: where another character parts the columns.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]
    decimal_comma: bool = False

    def values(self, heading: str, beside: Sequence[str] = ()) -> list[str]:
        """Return the different values of a column, in the order in which they come; where others are given,
        of the rows in which each of these is filled."""
        rows = zip(*(self.columns[name] for name in (heading, *beside)), strict=True)
        return list(dict.fromkeys(cells[0] for cells in rows if not MISSING & {*map(str.lower, cells)}))

    def number(self, cell: str) -> float | None:
        """Return the content of a cell as a number, None for other text."""
        with suppress(ValueError):
            return float(DECIMAL_COMMA.sub(r"\1.\2", cell) if self.decimal_comma else cell)
        return None

    def numbers(self, heading: str) -> set[float]:
        """Return the different numbers of a column; none where a cell holds other text."""
        numbers = [self.number(value) for value in self.values(heading)]
        return set() if None in numbers else {number for number in numbers if number is not None}

    def is_flag(self, heading: str) -> bool:
        """Return whether a column holds nothing but 0 and 1."""
        return set() < self.numbers(heading) <= {0.0, 1.0}

    def is_measured(self, heading: str) -> bool:
        """Return whether a column holds numbers with decimals: a measurement, not classes or years."""
        return not all(number.is_integer() for number in self.numbers(heading))


def read_truth(source: Source, name: str | None = None) -> TruthTable | TruthMasks:
    """Read a truth, to choose its columns or to name the values of its masks. Raises InputRefused."""
    files = open_source(source, name, streamed=MASK_ENDINGS)
    if any(member.lower().endswith(MASK_ENDINGS) for member in files.members):
        return found_in_masks(files)
    if files.kind != "file" and not table_members(files):
        message = f"it holds neither a table nor a mask: convert masks in other formats to {MASK_ENDINGS[0]}."
        raise InputRefused([error("no-table", files.name, message)])
    _, table = files.read_table(find_table(files))
    if not table.columns or not table.columns[0]:
        raise InputRefused([error("empty-truth", table.name, "it has no case: a row for each is needed.")])
    columns = {heading: tuple(table.cells(i)) for i, heading in enumerate(table.header) if heading}
    return TruthTable(table.name, columns, table.delimiter != ",")


def suggest(truth: TruthTable | TruthMasks, name: str = "") -> Draft:
    """Return the draft that fits a truth best.

    Raises InputRefused where no column can be the case id.

    Args:
        name: Of its file, which the id is made of.
    """
    words = re.sub(r"[^\w ()]+", " ", re.sub(r"\.\w+$", "", name)).replace("_", " ")
    title = words.strip() or "New challenge"
    draft = titled(title[:1].upper() + title[1:])
    if isinstance(truth, TruthMasks):
        regions = {truth.called(value): [value] for value in truth.found}
        return with_task(truth, {**draft, "regions": regions}, "segmentation")
    if found := _objects(truth, list(truth.columns)):
        return with_task(truth, draft, **found)
    case = _case(truth)
    others = [heading for heading in truth.columns if heading != case]
    unit = next((h for h in others if key(h) in UNIT_COLUMNS), "")
    groups = [h for h in others if key(h) in WORDS["groups"] and 1 < len(truth.values(h)) <= MOST_GROUPS]
    draft = {**draft, "truth": {"case": case, "unit": unit}, "subgroups": {"columns": groups}}
    others = [h for h in others if h not in (unit, *groups)] or others
    for fits in (_survival, _flags, _classes, _regression):
        if found := fits(truth, others):
            return with_task(truth, draft, **found)
    return with_task(truth, draft, "classification", label=others[0] if others else case)


def with_task(
    truth: TruthTable | TruthMasks, draft: Draft, task: str, classes: Sequence[str] = (), **columns: Any
) -> Draft:
    """Return a draft with another task or other columns, and what follows from them.

    Args:
        task: One of `scoring.metrics.registry.TASKS`.
        classes: Names of the classes, where each has a column.
        **columns: Keys of [truth] with the columns of the task.
    """
    label, known = columns.get("label", ""), draft.get("truth", {})
    if label and isinstance(truth, TruthTable):
        held = truth.values(label, columns.get("places", ()))
        classes = sorted(held, key=lambda value: (truth.number(value) or 0.0, value))
    two = len(classes) == 2 and task == "classification"
    of_columns = {"columns": "classes" if classes and not label else ""}
    sent = TASKS[task].get("sent") or ("" if task == "segmentation" else "label" if label else "scores")
    made = {
        **draft,
        "task": task,
        "classes": [*classes],
        "positive": _positive(truth, label, classes) if two and isinstance(truth, TruthTable) else "",
        "truth": {"case": known.get("case", ""), **columns, **of_columns, "unit": known.get("unit", "")},
        "predictions": {"missing": "refuse"},
        "report": [{"metric": "hd95"}] if task == "segmentation" else [],
    }
    usual = "auc" if two and label else TASKS[task]["metric"]
    return with_metric(with_predicted(made, sent) if sent else made, usual)


def with_sent(truth: TruthTable, draft: Draft, sent: TruthTable) -> Draft:
    """Return a draft whose predictions are called as in a submission, where its columns tell which they are.

    Args:
        truth: The truth, whose columns a submission may have too.
        sent: The submission.
    """
    kind, column = predicted(draft)
    if kind in ("label", "score") and draft["classes"] and {*draft["classes"]} <= {*sent.columns}:
        return with_predicted(draft, "scores")
    others = [h for h in sent.columns if h not in truth.columns and (kind == "label" or sent.numbers(h))]
    if kind in ("", "scores") or column in sent.columns or len(others) != 1:
        return draft
    return with_predicted(draft, kind, others[0])


def _positive(truth: TruthTable, label: str, classes: Sequence[str]) -> str:
    """Return which of two classes is named as a finding is, else the rarer one."""
    named = [value for value in classes if value.lower() in WORDS["positive"]]
    return named[0] if named else min(reversed(classes), key=truth.columns.get(label, ()).count)


def _case(truth: TruthTable) -> str:
    """Return the column of the case id: different in every row, one that is named like one before others.
    Raises InputRefused where there is none."""
    n = len(next(iter(truth.columns.values())))
    unique = [heading for heading in truth.columns if len(truth.values(heading)) == n]
    named = [heading for heading in unique if CASE.search(heading)]
    if not unique:
        message = (
            "no column has a different value in every row, so no column can be the case id: add a column of "
            "ids here and to the predictions; if several columns together name a case, join their texts."
        )
        raise InputRefused([error("missing-column", truth.name, message)])
    return (*named, *unique)[0]


def _survival(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    time = next((h for h in others if TIME.search(h) and truth.numbers(h) and not truth.is_flag(h)), None)
    event = next((h for h in others if h != time and EVENT.search(h) and truth.is_flag(h)), None)
    return {"task": "survival", "time": time, "event": event} if time and event else {}


def _flags(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    """Return several columns of 0 and 1: classes where each row has one 1, else labels."""
    flags = [heading for heading in others if truth.is_flag(heading)]
    if len(flags) < 2:
        return {}
    rows = zip(*(truth.columns[heading] for heading in flags), strict=True)
    one_each = all(sum(truth.number(cell) or 0.0 for cell in row) == 1 for row in rows)
    return {"task": "classification" if one_each else "multilabel", "classes": flags}


def _classes(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    n = len(next(iter(truth.columns.values())))
    counts = {heading: len(truth.values(heading)) for heading in others}
    few = [
        heading
        for heading, k in counts.items()
        if 2 <= k <= MOST_CLASSES and (k <= n / 2 or (k < n and LABEL.search(heading)))
    ]
    named = [heading for heading in few if LABEL.search(heading) or truth.is_flag(heading)]
    if not named and any(map(truth.is_measured, others)):
        return {}
    unnamed = [heading for heading in few if not CASE.search(heading) and not truth.is_measured(heading)]
    label = next(iter([*named, *sorted(unnamed, key=lambda heading: bool(truth.numbers(heading)))]), None)
    if label is None:
        return {}
    is_ordered = (
        counts[label] > 2 and ORDERED.search(label) and truth.numbers(label) and not truth.is_measured(label)
    )
    return {"task": "ordinal" if is_ordered else "classification", "label": label}


def _regression(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    measured = [heading for heading in others if truth.is_measured(heading)]
    value = next(iter([*measured[::-1], *filter(truth.numbers, others)]), None)
    return {"task": "regression", "value": value} if value else {}


def _objects(truth: TruthTable, headings: Sequence[str]) -> dict[str, Any]:
    """Return the columns of boxes or points, of which an image may have several rows."""
    plain = {re.sub("[^a-z0-9]", "", heading.lower()): heading for heading in headings}
    named = next((names for names in (*WORDS["corners"], *WORDS["sizes"]) if set(names) <= set(plain)), ())
    axes = {found[1].lower(): h for h in headings if (found := AXIS.search(h)) and truth.numbers(h)}
    places = [plain[name] for name in named] or [axes[a] for a in "xyz" if a in axes]
    others = [heading for heading in headings if heading not in places]
    if len(places) < 2 or not others:
        return {}
    case = next((heading for heading in others if CASE.search(heading)), others[0])
    labels = (h for h in others if h != case and LABEL.search(h) and 1 < len(truth.values(h)) <= MOST_CLASSES)
    radius = next((heading for heading in others if RADIUS.search(heading)), "")
    return {
        "task": "boxes" if named else "points",
        "case": case,
        "label": next(labels, ""),
        "places": places,
        "boxes": "size" if named in WORDS["sizes"] else "",
        "radius": "" if named else radius,
    }
