"""The registry of metrics: those of each task, found by name."""

import difflib

from scoring.metrics.catalogue import METRICS
from scoring.metrics.metric import TASKS, Metric, Parameter

__all__ = ["METRICS", "TASKS", "Metric", "Parameter", "find", "of_task"]


def of_task(task: str) -> tuple[Metric, ...]:
    """Return the metrics of a task, in the order in which they are listed.

    Raises:
        KeyError: There is no such task.
    """
    if task not in TASKS:
        raise KeyError(_unknown("task", task, TASKS))
    return tuple(metric for metric in METRICS if task in metric.tasks)


def find(task: str, name: str) -> Metric:
    """Return a metric of a task, of any where that is "", by its name.

    Raises:
        KeyError: There is none; the message suggests others.
    """
    metrics = {metric.name: metric for metric in (of_task(task) if task else METRICS)}
    if name in metrics:
        return metrics[name]
    # Other names lead to the name, which is the one to write.
    other = {key.lower(): m.name for m in metrics.values() for key in (*m.other_names, m.title)}
    meant = other.get(name.lower().replace("_", " ")) or other.get(name.lower())
    raise KeyError(_unknown(f"metric of {task}" if task else "metric", name, tuple(metrics), meant))


def _unknown(what: str, name: str, known: tuple[str, ...], meant: str | None = None) -> str:
    near = [meant] if meant else difflib.get_close_matches(name, known, 3, 0.6)
    advice = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
    return f"{name!r} is no {what}: {advice}"
