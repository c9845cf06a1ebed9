"""Draft of a declaration: the keys of an unfinished challenge file as a tree, and its text. The first draft
is made from the columns or masks of a truth."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scoring.challenges.declared.declaration import FORMAT, GRADED, TASKS
from scoring.challenges.declared.parser import KEYS
from scoring.common.findings import InputRefused, error
from scoring.common.toml_text import toml_of
from scoring.inputs.case_tables import UNIT_COLUMNS
from scoring.inputs.number_parsing import parse_numbers
from scoring.inputs.tables import key
from scoring.inputs.truth_contents import TruthMasks, TruthTable
from scoring.metrics import registry

Draft = Mapping[str, Any]
"""Keys and tables of a challenge's file, as parsed by `tomllib`; an empty value stands for a missing key."""
metrics_of = registry.of_task
"""Function that returns the metrics by which a task can be ranked; pages use it instead of importing
`scoring.metrics`."""


def toml(draft: Draft) -> str:
    """Return the text of a challenge file (TOML)."""
    return toml_of({key: draft.get(key) for key in KEYS[""]})


def reasons(draft: Draft) -> tuple[str, ...]:
    """Return one sentence for each decision about how the truth was interpreted."""
    if regions := draft.get("regions"):
        names = (f"{name!r} has {', '.join(map(str, values))}" for name, values in regions.items())
        return (f"Mask values of each region: {'; '.join(names)}.",)
    truth, classes, (kind, column) = draft["truth"], draft["classes"], predicted(draft)
    sentences = [f"The column {truth['case']!r} contains the case id."]
    named = [f"the {key} in column {truth[key]!r}" for key in ("value", "time", "event") if truth.get(key)]
    if truth.get("places"):
        named.append(f"the coordinates in columns {', '.join(map(repr, truth['places']))}")
    if named:
        sentences.append(f"The task is {draft['task']}, with {' and '.join(named)}.")
    if classes:
        holds = (
            f"The column {truth['label']!r} contains"
            if truth.get("label")
            else "The columns of 0 and 1 stand for"
        )
        what = {"ordinal": "grades in order", "multilabel": "labels"}.get(draft["task"], "classes")
        sentences.append(f"{holds} {len(classes)} {what}.")
    if draft.get("positive"):
        sentences.append(f"{draft['positive']!r} is the positive class.")
    if kind != "scores":
        case = case_of_predictions(draft)
        sentences.append(
            f"Predictions have the case id in column {case!r} and the {kind} in column {column!r}."
        )
    return tuple(sentences)


def predicted(draft: Draft) -> tuple[str, str]:
    """Return the kind of prediction, such as "label", and the column that contains it. The kind is "" for
    masks."""
    pairs = ((k, str(column)) for k, column in draft["predictions"].items() if k not in ("case", "missing"))
    return next(pairs, ("", ""))


def case_of_predictions(draft: Draft) -> str:
    """Return the name of the column that contains the case id in prediction tables."""
    return str(draft["predictions"].get("case") or draft["truth"]["case"])


def with_predicted(draft: Draft, kind: str, column: str = "") -> Draft:
    """Return a draft for another kind of prediction.

    Args:
        column: Column with the prediction; "" for the default name.
    """
    usual = {"scores": "classes"}.get(kind) or draft["truth"].get(kind) or kind
    settings = {key: value for key, value in draft["predictions"].items() if key in ("case", "missing")}
    return {**draft, "predictions": {kind: column or usual, **settings}}


def with_metric(draft: Draft, name: str) -> Draft:
    """Return a draft with another metric and the kind of predictions that it needs."""
    metric, two = registry.find(draft["task"], name), len(draft["classes"]) == 2
    numbers = {name: p.default for name, p in metric.parameters.items() if p.kind is not str}
    options = {name: default for name, default in numbers.items() if default is not None}
    if "average" in metric.parameters and draft["task"] in (*GRADED, "multilabel"):
        options |= {} if two and draft["task"] == "classification" else {"average": "macro"}
    made = {**draft, "score": {"metric": name, **options}}
    if metric.needs in ("scores", "probabilities") and predicted(draft)[0] == "label":
        return with_predicted(made, "score" if two else "scores")
    return made


def titled(title: str) -> Draft:
    """Return the keys of a draft that name the challenge. The id is the title in lower case, with only
    letters, digits and hyphens."""
    challenge_id = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-")
    return {"id": challenge_id or "challenge", "title": title, "about": f"{title}."}


MOST_CLASSES, MOST_GROUPS = 50, 20
"""Maximum number of different values in a column of classes, and in a column of subgroups."""
WORDS: Mapping[str, Any] = FORMAT["words"]
CASE, TIME, EVENT, LABEL, ORDERED, AXIS, RADIUS = (
    re.compile(pattern, re.IGNORECASE) for pattern in FORMAT["headings"].values()
)


def suggest(truth: TruthTable | TruthMasks, name: str = "") -> Draft:
    """Return a first draft with the task that fits the truth best. Raises InputRefused if no column can be
    the case id."""
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
    groups = [h for h in subgroups(truth, [case, unit]) if key(h) in WORDS["groups"]]
    draft = {**draft, "truth": {"case": case, "unit": unit}, "subgroups": {"columns": groups}}
    others = [h for h in others if h not in (unit, *groups)] or others
    for fits in (_survival, _flags, _classes, _regression):
        if found := fits(truth, others):
            return with_task(truth, draft, **found)
    return with_task(truth, draft, "classification", label=others[0] if others else case)


def with_task(
    truth: TruthTable | TruthMasks, draft: Draft, task: str, classes: Sequence[str] = (), **columns: Any
) -> Draft:
    """Return a draft with another task or other columns. Everything that depends on the task or the columns
    is chosen anew.

    Args:
        classes: Names of the classes, if each class has a column.
        columns: Key of the section [truth] -> column.
    """
    label, known = columns.get("label", ""), draft.get("truth", {})
    if label and isinstance(truth, TruthTable):
        held = truth.values(label, columns.get("places", ()))
        numbers = np.nan_to_num(parse_numbers(held, truth.decimal_comma).values)
        classes = [name for _, name in sorted(zip(numbers.tolist(), held, strict=True))]
    two = len(classes) == 2 and task == "classification" and isinstance(truth, TruthTable)
    named = [value for value in classes if value.lower() in WORDS["positive"]]
    cells = truth.columns.get(label, ()) if isinstance(truth, TruthTable) else ()
    of_columns, sent = {"columns": "classes" if classes and not label else ""}, TASKS[task].get("sent")
    sent = sent or ("" if task == "segmentation" else "label" if label else "scores")
    made = {
        **draft,
        "task": task,
        "classes": [*classes],
        "positive": [*named, min(reversed(classes), key=cells.count)][0] if two else "",  # the rarer one
        "truth": {"case": known.get("case", ""), **columns, **of_columns, "unit": known.get("unit", "")},
        "predictions": {"missing": "refuse"},
        "report": [{"metric": "hd95"}] if task == "segmentation" else [],
    }
    usual = "auc" if two and label else TASKS[task]["metric"]
    return with_metric(with_predicted(made, sent) if sent else made, usual)


def with_sent(truth: TruthTable, draft: Draft, sent: TruthTable) -> Draft:
    """Return a draft with the column names of a submission, unless several columns could be the
    prediction."""
    ids, case = {*truth.columns[draft["truth"]["case"]]}, draft["truth"]["case"]
    shared = {heading: len(ids.intersection(cells)) for heading, cells in sent.columns.items()}
    if case not in shared and any(shared.values()):
        case = max(shared, key=shared.__getitem__)
        draft = {**draft, "predictions": {**draft["predictions"], "case": case}}
    kind, column = predicted(draft)
    if kind in ("label", "score") and draft["classes"] and {*draft["classes"]} <= {*sent.columns}:
        return with_predicted(draft, "scores")
    others = [
        h for h in sent.columns if h not in (case, *truth.columns) and (kind == "label" or sent.numbers(h))
    ]
    if kind in ("", "scores") or column in sent.columns or len(others) != 1:
        return draft
    return with_predicted(draft, kind, others[0])


def subgroups(truth: TruthTable, used: Sequence[object]) -> list[str]:
    """Return the columns that can define subgroups: they have few different values and are not used
    otherwise."""
    return [h for h in truth.columns if h not in used and 1 < len(truth.values(h)) <= MOST_GROUPS]


def _case(truth: TruthTable) -> str:
    """Return a column with a different value in every row, preferably one named like an id. Raises
    InputRefused if there is no such column."""
    n = len(next(iter(truth.columns.values())))
    unique = [heading for heading in truth.columns if len(truth.values(heading)) == n]
    if not unique:
        message = (
            "the case id needs a column with a different value in every row, but no column has this. Add a "
            "column of ids to truth and predictions. If several columns together name a case, join their "
            "texts."
        )
        raise InputRefused([error("missing-column", truth.name, message)])
    return next(filter(CASE.search, unique), unique[0])


def _survival(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    time = next((h for h in others if TIME.search(h) and truth.numbers(h) and not truth.is_flag(h)), None)
    event = next((h for h in others if h != time and EVENT.search(h) and truth.is_flag(h)), None)
    return {"task": "survival", "time": time, "event": event} if time and event else {}


def _flags(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    """Return the task and the columns, if several columns contain only 0 and 1. They are classes if each row
    has exactly one 1, otherwise labels."""
    flags = [heading for heading in others if truth.is_flag(heading)]
    if len(flags) < 2:
        return {}
    columns = [parse_numbers(truth.columns[h], truth.decimal_comma).values for h in flags]
    one_each = bool((np.nansum(columns, axis=0) == 1).all())
    return {"task": "classification" if one_each else "multilabel", "classes": flags}


def _classes(truth: TruthTable, others: Sequence[str]) -> dict[str, Any]:
    n = len(next(iter(truth.columns.values())))
    counts = {heading: len(truth.values(heading)) for heading in others}
    few = [h for h, k in counts.items() if k <= n / 2 or (k < n and LABEL.search(h))]
    few = [heading for heading in few if 2 <= counts[heading] <= MOST_CLASSES]
    named = [heading for heading in few if LABEL.search(heading) or truth.is_flag(heading)]
    if not named and any(map(truth.is_measured, others)):
        return {}
    unnamed = [heading for heading in few if not CASE.search(heading) and not truth.is_measured(heading)]
    label = next(iter([*named, *sorted(unnamed, key=lambda heading: bool(truth.numbers(heading)))]), None)
    if label is None:
        return {}
    is_graded = counts[label] > 2 and ORDERED.search(label) and truth.numbers(label)
    is_ordered = is_graded and not truth.is_measured(label)
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
    case = next(filter(CASE.search, others), others[0])
    labels = (h for h in others if h != case and LABEL.search(h) and 1 < len(truth.values(h)) <= MOST_CLASSES)
    columns = {"case": case, "label": next(labels, ""), "places": places}
    if named:
        return {"task": "boxes", **columns, "boxes": "size" if named in WORDS["sizes"] else ""}
    return {"task": "points", **columns, "boxes": "", "radius": next(filter(RADIUS.search, others), "")}
