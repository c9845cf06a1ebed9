"""The command `metrics`: all metrics of a task, as text and as JSON."""

import json

import pytest

from scoring.metrics import registry
from tests.support.command_line import run


@pytest.mark.parametrize("task", registry.TASKS)
def test_every_metric_of_a_task_is_listed_with_its_pitfall(task):
    said = run("metrics", task).out
    rows = json.loads(run("metrics", task, "--json", "-").out)[task]
    assert [row["name"] for row in rows] == [metric.name for metric in registry.of_task(task)]
    for metric, row in zip(registry.of_task(task), rows, strict=True):
        assert f"\n  {metric.name}: {metric.title}" in said
        assert f"{metric.better} is better" in said
        assert metric.pitfall in said
        assert (row["better"], row["pitfall"]) == (metric.better, metric.pitfall)
        assert set(row["parameters"]) == set(metric.parameters)
        assert all(f"    {name} = " in said for name in metric.parameters)


def test_all_tasks_and_none():
    assert [line for line in run("metrics").out.splitlines() if line in registry.TASKS] == [*registry.TASKS]
    refused = run("metrics", "segmenting")
    assert refused.status == 2
    assert "segmentation" in refused.err
