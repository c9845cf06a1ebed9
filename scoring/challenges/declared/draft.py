"""Draft of a declaration: the keys of an unfinished file as a tree, and its text."""

import re
from collections.abc import Mapping
from typing import Any

from scoring.challenges.declared.declaration import GRADED
from scoring.challenges.declared.keys import KEYS
from scoring.common.toml_text import toml_of
from scoring.metrics import registry

Draft = Mapping[str, Any]
"""Keys and tables of the file, as parsed by `tomllib`; an empty value means a missing key."""
metrics_of = registry.of_task
"""Metrics that can rank for each task, so that pages need not import `scoring.metrics`."""


def toml(draft: Draft) -> str:
    """Return the text of the file."""
    return toml_of({key: draft.get(key) for key in KEYS[""]})


def reasons(draft: Draft) -> tuple[str, ...]:
    """Return how the truth was interpreted, one sentence each."""
    if regions := draft.get("regions"):
        names = (f"{', '.join(map(str, values))} is {name!r}" for name, values in regions.items())
        return (f"Values of the masks: {', '.join(names)}.",)
    truth, classes, (kind, column) = draft["truth"], draft["classes"], predicted(draft)
    sentences = [f"The case id is {truth['case']!r}."]
    named = [f"{key} {truth[key]!r}" for key in ("value", "time", "event") if truth.get(key)]
    if truth.get("places"):
        named.append(f"places {', '.join(map(repr, truth['places']))}")
    if named:
        sentences.append(f"{draft['task']}: {', '.join(named)}.")
    if classes:
        holds = f"{truth['label']!r} holds" if truth.get("label") else "these columns contain 0 and 1:"
        what = {"ordinal": "grades in order", "multilabel": "labels"}.get(draft["task"], "classes")
        sentences.append(f"{holds} {len(classes)} {what}.")
    if draft.get("positive"):
        sentences.append(f"{draft['positive']!r} is taken as positive.")
    if kind != "scores":
        case = case_of_predictions(draft)
        sentences.append(f"Predictions have the case id in {case!r} and the {kind} in {column!r}.")
    return tuple(sentences)


def predicted(draft: Draft) -> tuple[str, str]:
    """Return the kind of prediction, such as "label" ("" for masks), and its column."""
    pairs = ((k, str(column)) for k, column in draft["predictions"].items() if k not in ("case", "missing"))
    return next(pairs, ("", ""))


def case_of_predictions(draft: Draft) -> str:
    """Return the column of the case id in predictions."""
    return str(draft["predictions"].get("case") or draft["truth"]["case"])


def with_predicted(draft: Draft, kind: str, column: str = "") -> Draft:
    """Return a draft with another kind of prediction. column: "" for the default name."""
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
    """Return the keys that name a challenge; its id consists of small letters, digits and hyphens."""
    challenge_id = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-")
    return {"id": challenge_id or "challenge", "title": title, "about": f"{title}."}
