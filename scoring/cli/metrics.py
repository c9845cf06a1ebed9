"""Command `metrics`: prints the catalogue of metrics, with direction, range, parameters and pitfall of
each."""

import argparse
import math
from collections.abc import Sequence
from typing import Any

from scoring.cli.output import write
from scoring.cli.refusing_parser import Parser
from scoring.common.text import as_json
from scoring.metrics import registry

MEANING = "list the metrics of a task with direction, range, parameters and pitfall"


def fill(command: Parser) -> None:
    """Add the arguments of `benchside metrics` to its parser."""
    command.add_argument(
        "task", nargs="?", choices=registry.TASKS, metavar="TASK", help=", ".join(registry.TASKS)
    )
    command.add_argument("--json", metavar="FILE", help="write JSON to this file (- for standard output)")


def run(arguments: argparse.Namespace) -> None:
    """Print the metrics of one task or of all."""
    tasks = [arguments.task] if arguments.task else list(registry.TASKS)
    if arguments.json:
        document = {task: [as_row(metric) for metric in registry.of_task(task)] for task in tasks}
        write(arguments.json, as_json(document), "--json")
        return
    for task in tasks:
        print(f"{task}\n")
        for metric in registry.of_task(task):
            other = f" ({', '.join(metric.other_names)})" if metric.other_names else ""
            print(f"  {metric.name}: {metric.title}{other}")
            print(
                f"    {metric.better} is better, {span(metric)}; computed from {metric.needs}. "
                f"{metric.defined}"
            )
            if metric.parameters:
                print(f"    Options: {', '.join(metric.parameters)}")
            print(f"    Pitfall: {metric.pitfall}")
            print(f"    Source: {metric.source}")
        print_options(registry.of_task(task))


def print_options(metrics: Sequence[registry.Metric]) -> None:
    """Print each option once, because an option has the same meaning in all metrics."""
    options = {name: parameter for metric in metrics for name, parameter in metric.parameters.items()}
    if options:
        print("\n  Options:")
    for name, parameter in options.items():
        default = "" if parameter.default is None else f" Default: {parameter.default}."
        print(f"    {name} = {allowed(parameter)}. {parameter.about}{default}")
    print()


def as_row(metric: registry.Metric) -> dict[str, Any]:
    """Return a metric as a JSON value; an infinite end of its range is null."""
    ends = [end if math.isfinite(end) else None for end in metric.range]
    return {
        "name": metric.name,
        "title": metric.title,
        "other_names": list(metric.other_names),
        "better": metric.better,
        "range": ends,
        "needs": metric.needs,
        "parameters": {
            name: {"allowed": allowed(p), "default": p.default, "about": p.about}
            for name, p in metric.parameters.items()
        },
        "defined": metric.defined,
        "pitfall": metric.pitfall,
        "source": metric.source,
    }


def span(metric: registry.Metric) -> str:
    """Return the range of a metric as text."""
    low, high = metric.range
    if math.isinf(low):
        return f"at most {high:g}"
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"


def allowed(parameter: registry.Parameter) -> str:
    """Return the allowed values of a parameter as text."""
    if parameter.kind is str:
        return ", ".join(map(repr, parameter.allowed)) if parameter.allowed else "a name"
    low, high = (float(end) for end in parameter.allowed)
    kind = "whole number" if parameter.kind is int else "number"
    return f"{kind}, {low:g} to {high:g}" if math.isfinite(high) else f"{kind}, {low:g} or more"
