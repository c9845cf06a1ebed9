"""Registry of metrics by name and task, read from `catalogue.toml`."""

import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from scoring.metrics.metric import TASKS, Metric, Parameter

__all__ = ["METRICS", "TASKS", "Metric", "Parameter", "find", "of_task"]
CATALOGUE = Path(__file__).with_name("catalogue.toml")
KINDS: dict[str, type[float] | type[int] | type[str]] = {"float": float, "int": int, "str": str}


def _metrics(catalogue: Mapping[str, Any]) -> Iterator[Metric]:
    """Yield the metrics as listed; those of classes are followed by the same of several labels."""
    known = {
        name: Parameter(KINDS[p["kind"]], p.get("default"), tuple(p["allowed"]), p["about"])
        for name, p in catalogue["parameter"].items()
    }
    over_labels = {"average": known["labels.average"], "class": known["class"]}
    listed, of_labels = [], []
    for group in catalogue["group"]:
        for row in group["metric"]:
            metric = Metric(
                row["name"],
                row["title"],
                tuple(group["tasks"]),
                group["better"],
                tuple(group["range"]),
                group["needs"],
                f"{group['module']}:{row['name']}",
                row["defined"],
                row["source"],
                row["pitfall"],
                tuple(row.get("other_names", ())),
                {name.rpartition(".")[2]: known[name] for name in row.get("parameters", ())},
                row.get("measures", ""),
            )
            listed.append(metric)
            if "classification" in metric.tasks and row.get("over_labels", True):
                several = {**metric.parameters, **over_labels}
                of_labels.append(replace(metric, tasks=("multilabel",), parameters=several))
    yield from (metric for metric in listed if "classification" in metric.tasks)
    yield from of_labels
    yield from (metric for metric in listed if "classification" not in metric.tasks)


METRICS = tuple(_metrics(tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))))


def of_task(task: str) -> tuple[Metric, ...]:
    """Return the metrics of a task, in the order of the list.

    Raises:
        KeyError: If there is no task with this name.
    """
    if task not in TASKS:
        raise KeyError(_unknown("task", task, TASKS))
    return tuple(metric for metric in METRICS if task in metric.tasks)


def find(task: str, name: str) -> Metric:
    """Return a metric by its name.

    Args:
        task: The task; "" for any.
        name: Name of the metric. For a similar name, the error message suggests the right one.

    Raises:
        KeyError: If there is no such metric; the message suggests others.
    """
    metrics = {metric.name: metric for metric in (of_task(task) if task else METRICS)}
    if name in metrics:
        return metrics[name]
    other = {key.lower(): m.name for m in metrics.values() for key in (m.name, *m.other_names, m.title)}
    meant = other.get(name.lower().replace("_", " ")) or other.get(name.lower())
    raise KeyError(_unknown(f"metric of {task}" if task else "metric", name, tuple(metrics), meant))


def _unknown(kind: str, name: str, known: tuple[str, ...], meant: str | None = None) -> str:
    near = [meant] if meant else difflib.get_close_matches(name, known, 3, 0.6)
    advice = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
    return f"{name!r} is not a {kind}: {advice}"
