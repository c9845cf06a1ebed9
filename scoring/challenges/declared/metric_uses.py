"""Metrics of a declaration, those of the score and those beside it, with their options checked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from scoring.challenges.declared.declaration import MetricUse, PredictionColumns
from scoring.challenges.declared.keys import KEYS, KeyReader
from scoring.challenges.declared.toml_lines import Path
from scoring.metrics import registry
from scoring.metrics.registry import Metric

MOST_METRICS = 50


def metric_uses(
    keys: KeyReader,
    task: str,
    names: tuple[str, ...],
    positive: str | None,
    predictions: PredictionColumns,
) -> tuple[tuple[MetricUse, ...], tuple[MetricUse, ...]]:
    """Return the parts of the score, and the metrics beside it; what is wrong with them is kept by `keys`."""
    reader = _Uses(keys, task, names, positive, predictions)
    score, report = keys.section("score"), keys.tree.get("report", [])
    if not isinstance(report, list) or not all(isinstance(entry, dict) for entry in report):
        keys.refuse("bad-value", ("report",), "write each metric below a heading [[report]].")
        report = []
    parts = score.get("parts")
    if parts is not None and (
        not isinstance(parts, list) or not parts or not all(isinstance(p, dict) for p in parts)
    ):
        keys.refuse("bad-value", ("score", "parts"), 'write [{metric = "f2", weight = 60}, ...].')
        return (), ()
    if len(report) + len(parts or ()) > MOST_METRICS:
        keys.refuse("bad-value", ("report",), f"at most {MOST_METRICS} metrics are allowed.")
        return (), ()
    if (parts is None) == ("metric" not in score):
        advice = 'write metric = "...", or parts = [...] for a weighted sum.'
        keys.refuse("missing-key", ("score", "metric"), advice)
        return (), ()
    if parts is None:
        scored = [reader.use(("score",), score, KEYS["score"])]
    else:
        keys.unknown(("score",), score, KEYS["score"])
        places: list[Path] = [("score", "parts", i) for i in range(len(parts))]
        scored = [reader.use(at, part, KEYS["part"]) for at, part in zip(places, parts, strict=True)]
    reported = [reader.use(("report", i), entry, KEYS["report"]) for i, entry in enumerate(report)]
    known = tuple(use for use in scored if use is not None)
    return _weighted(keys, known), tuple(use for use in reported if use is not None)


def _weighted(keys: KeyReader, uses: Sequence[MetricUse]) -> tuple[MetricUse, ...]:
    """Return parts with weights that sum to 1."""
    total = sum(use.weight for use in uses)
    if uses and total <= 0:
        keys.refuse("bad-value", ("score", "parts"), "the weights sum to nothing: give one above 0.")
        return tuple(uses)
    if len({use.better for use in uses}) > 1:
        words = ", ".join(f"{use.key} ({use.better})" for use in uses)
        advice = f"parts of a sum need one direction in which they are better: {words}."
        keys.refuse("bad-value", ("score", "parts"), advice)
    if twice := {use.key for use in uses if sum(use.key == other.key for other in uses) > 1}:
        keys.refuse("bad-value", ("score", "parts"), f"{min(twice)} stands there twice.")
    return tuple(replace(use, weight=use.weight / total) for use in uses)


class _Uses:
    """Reads metrics of one declaration."""

    def __init__(
        self,
        keys: KeyReader,
        task: str,
        names: tuple[str, ...],
        positive: str | None,
        predictions: PredictionColumns,
    ) -> None:
        self.keys, self.task, self.names = keys, task, names
        self.positive, self.predictions = positive, predictions

    def use(self, path: Path, table: Mapping[str, Any], known: Sequence[str]) -> MetricUse | None:
        """Return a metric with its options, None where there is none of that name."""
        at = (*path, "metric")
        if not self.keys.required(at, table, "name a metric; `benchside metrics` lists them."):
            return None
        name = self.keys.text(at, table)
        if name is None:
            return None
        try:
            metric = registry.find(self.task, name)
        except KeyError as unknown:
            self.keys.refuse("unknown-metric", at, str(unknown.args[0]))
            self.keys.unknown(path, table, {*known, *(o for m in registry.METRICS for o in m.parameters)})
            return None
        if not self.task:
            return None
        self.keys.unknown(path, table, (*known, *metric.parameters))
        options = {key: table[key] for key in metric.parameters if key in table}
        for key, problem in metric.problems(options).items():
            self.keys.refuse("bad-value", (*path, key), f"it {problem}.")
            del options[key]
        self._check(path, metric, options)
        weight = self.keys.number((*path, "weight"), table, 1.0, 0) if "weight" in known else 1.0
        return MetricUse(metric, key_of(metric, options), options, float(weight))

    def _lacks_positive(self) -> bool:
        """Return whether no class is named as positive, which a single score is refused for already."""
        graded = self.task in ("classification", "ordinal") and bool(self.names)
        return graded and "positive" not in self.keys.tree and not self.predictions.score

    def _check(self, path: Path, metric: Metric, options: Mapping[str, Any]) -> None:
        """Refuse a metric that is not defined on what the file declares."""
        at, of = (*path, "metric"), options.get("class")
        if of is not None and of not in self.names:
            known = ", ".join(self.names[:20]) or "none are named"
            self.keys.refuse("bad-value", (*path, "class"), f"{of!r} is none of the classes: {known}.")
        if "average" in options and of is not None and self.task != "segmentation":
            self.keys.refuse("bad-value", (*path, "average"), "give average or class, not both.")
        several = self.task in ("classification", "ordinal") and len(self.names) > 2
        if "average" in metric.parameters and of is None and "average" not in options:
            if several:
                advice = f'of {len(self.names)} classes say which: average = "macro", or class = "...".'
                self.keys.refuse("missing-key", at, f"{metric.name} {advice}")
            elif self._lacks_positive():
                self.keys.refuse("missing-key", ("positive",), f"{metric.name} needs to know which class is.")
        has_scores = self.predictions.scores or self.predictions.score
        if metric.needs in ("scores", "probabilities") and not has_scores:
            self.keys.refuse("bad-value", at, f"{metric.name} needs scores; [predictions] has labels only.")


def key_of(metric: Metric, options: Mapping[str, Any]) -> str:
    """Return what a scorecard calls a metric: "f1_macro", "dice_whole_tumour", "f_beta_0.5"."""
    told = (f"{v:g}" if isinstance(v, float) else str(v) for v in options.values())
    return "_".join([metric.name, *(re.sub(r"[\s/]+", "_", text) for text in told)])
