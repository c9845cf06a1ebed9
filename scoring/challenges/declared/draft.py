"""Draft of a declaration: what is chosen of a challenge, and the file that it makes."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.metrics import registry

BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Keys that stand without quotes."""
metrics_of = registry.of_task
"""Metrics that a task can be ranked by."""
OF_CLASSES = ("classification", "ordinal", "multilabel")


@dataclass(frozen=True)
class Draft:
    """A declaration that is being written.

    Attributes:
        id: Address and name of the file.
        title: Above the page.
        task: One of `scoring.metrics.registry.TASKS`.
        case: Column of the case id.
        label: Column of the class; "" where every class has a column.
        classes: Names of the classes, or of the labels.
        positive: The class that a single score is of; "" for none.
        value: Column of the number (regression).
        time: Column of the time (survival).
        event: Column of the event (survival).
        places: Columns of the coordinates of a point, or of the box.
        boxes: "size" where the latter two of them are width and height, not a corner.
        radius: Column of how far off a point is still hit.
        regions: Values of a mask by region.
        predicted: What predictions have: "label", "scores" or "score" of classes; else the task's own.
        sent: Column of the prediction; "" for the usual name.
        metric: Name of the metric of the score.
        options: Options of the metric.
        report: Names of metrics beside the score.
        missing: What a missing prediction does.
        unit: Column of what is resampled together; "" for the case.
        subgroups: Columns whose values are compared.
    """

    id: str
    title: str
    task: str
    case: str = ""
    label: str = ""
    classes: tuple[str, ...] = ()
    positive: str = ""
    value: str = ""
    time: str = ""
    event: str = ""
    places: tuple[str, ...] = ()
    boxes: str = ""
    radius: str = ""
    regions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    predicted: str = "label"
    sent: str = ""
    metric: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    report: tuple[str, ...] = ()
    missing: str = "refuse"
    unit: str = ""
    subgroups: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """What the truth was taken for, a sentence each."""
        if self.regions:
            regions = (f"{', '.join(map(str, v))} is {name!r}" for name, v in self.regions.items())
            return (f"Values of the masks: {', '.join(regions)}.",)
        named = {"value": self.value, "time": self.time, "event": self.event}
        columns = [f"{name} {column!r}" for name, column in named.items() if column]
        columns += [f"places {', '.join(map(repr, self.places))}"] if self.places else []
        of_classes = f"{self.label!r} holds" if self.label else "columns of 0 and 1 hold"
        kind = {"ordinal": "grades in order", "multilabel": "labels"}.get(self.task, "classes")
        found = f"{of_classes} {len(self.classes)} {kind}." if self.classes else ""
        told = f"{self.task}: {', '.join(columns)}." if columns else ""
        positive = f"{self.positive!r} is taken as positive." if self.positive else ""
        sent = "" if self.predicted == "scores" else f"Predictions have it in a column {self.column!r}."
        return tuple(filter(None, (f"The case id is {self.case!r}.", told, found, positive, sent)))

    @property
    def column(self) -> str:
        """Column of the prediction, where it is one."""
        return self.sent or {"label": self.label, "value": self.value}.get(self.predicted, self.predicted)

    def toml(self) -> str:
        """Return the file."""
        about = {"id": self.id, "title": self.title, "about": f"{self.title}.", "task": self.task}
        truth = {
            **{name: getattr(self, name) for name in ("case", "label", "value", "time", "event")},
            "columns": "classes" if self.classes and not self.label else "",
            "places": list(self.places),
            "boxes": self.boxes,
            "radius": self.radius,
            "unit": self.unit,
        }
        sent = (
            {} if self.regions else {self.predicted: "classes" if self.predicted == "scores" else self.column}
        )
        sections: list[tuple[str, Mapping[str, Any]]] = [
            ("[regions]", {name: list(values) for name, values in self.regions.items()}),
            ("[truth]", truth),
            ("[predictions]", {**sent, "missing": self.missing}),
            ("[score]", {"metric": self.metric, **self.options}),
            *(("[[report]]", {"metric": name}) for name in self.report),
            ("[subgroups]", {"columns": list(self.subgroups)}),
        ]
        lines = _pairs({**about, "classes": list(self.classes), "positive": self.positive})
        for name, pairs in sections:
            if written := _pairs(pairs):
                lines += ["", name, *written]
        return "\n".join(lines) + "\n"


def with_metric(draft: Draft, name: str) -> Draft:
    """Return a draft with another metric: predictions then have what it needs.

    Args:
        draft: The draft.
        name: Of a metric of its task.
    """
    metric, two = registry.find(draft.task, name), len(draft.classes) == 2
    options: dict[str, Any] = {
        option: parameter.default
        for option, parameter in metric.parameters.items()
        if parameter.kind is not str and parameter.default is not None
    }
    if "average" in metric.parameters and draft.task in OF_CLASSES:
        options |= {} if two and draft.task == "classification" else {"average": "macro"}
    predicted = draft.predicted
    if metric.needs in ("scores", "probabilities") and predicted == "label":
        predicted = "score" if two else "scores"
    return replace(draft, metric=name, options=options, predicted=predicted)


def id_of(title: str) -> str:
    """Return an id made of a title: small letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].strip("-") or "challenge"


def _pairs(pairs: Mapping[str, Any]) -> list[str]:
    """Return keys with values as TOML; empty ones are left out."""
    return [
        f"{name if BARE.fullmatch(name) else _value(name)} = {_value(value)}"
        for name, value in pairs.items()
        if value not in ("", [], None)
    ]


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, str):  # the escapes of JSON are those of TOML, but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
