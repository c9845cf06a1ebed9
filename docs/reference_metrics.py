"""The reference page of the metrics that a challenge file may name, from their catalogue."""

from collections.abc import Iterator

from reference_python import cell

from scoring.cli.metrics import allowed, span
from scoring.metrics import registry


def metrics() -> str:
    """Return the metrics of each task with meaning, range, direction and pitfall."""
    lines = [
        "# Metrics",
        "",
        "To use a metric in a [challenge file](../own-challenge.md), copy its name from the first column. "
        "For one task, `benchside metrics TASK` prints the same list and the source of each definition.",
        "",
    ]
    for task in registry.TASKS:
        lines += [f"## {task}", "", *_metrics(task), "", *_options(task), ""]
    return "\n".join(lines)


def _metrics(task: str) -> Iterator[str]:
    yield "| metric | meaning | range | better | options | pitfall |\n|---|---|---|---|---|---|"
    for metric in registry.of_task(task):
        names = f" ({', '.join(metric.other_names)})" if metric.other_names else ""
        options = ", ".join(f"`{name}`" for name in metric.parameters)
        told = cell(f"{metric.title}{names}. {metric.defined}")
        cells = f"`{metric.name}`", told, span(metric), metric.better, options, cell(metric.pitfall)
        yield f"| {' | '.join(cells)} |"


def _options(task: str) -> Iterator[str]:
    """Yield the table of options. An option has the same meaning in all metrics of a task."""
    found = {name: one for metric in registry.of_task(task) for name, one in metric.parameters.items()}
    if not found:
        return
    yield "| option | value | default | meaning |\n|---|---|---|---|"
    for name, one in found.items():
        default = "" if one.default is None else f"`{one.default}`"
        yield f"| `{name}` | {allowed(one)} | {default} | {cell(one.about)} |"
