"""Metrics of a declaration, those of the score and those beside it, with their options checked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from scoring.challenges.declared.declaration import MetricUse, PredictionColumns
from scoring.challenges.declared.keys import KEYS, NUMBER, KeyReader
from scoring.challenges.declared.toml_lines import Path
from scoring.metrics import registry
from scoring.metrics.registry import Metric

MOST_METRICS = 50


@dataclass(frozen=True)
class MetricReader:
    """Reads the metrics of one declaration; what is wrong with them is kept by `keys`.

    Attributes:
        task: One of `TASKS`, "" for none.
    """

    keys: KeyReader
    task: str
    names: tuple[str, ...]
    predictions: PredictionColumns

    def uses(self) -> tuple[tuple[MetricUse, ...], tuple[MetricUse, ...]]:
        """Return the parts of the score, and the metrics beside it."""
        keys = self.keys
        score, report = keys.section("score"), keys.tree.get("report", [])
        if not _is_tables(report):
            keys.bad(("report",), "write each metric below a heading [[report]].")
            report = []
        parts = score.get("parts")
        if parts is not None and (not parts or not _is_tables(parts)):
            keys.bad(("score", "parts"), 'write [{metric = "f2", weight = 60}, ...].')
            return (), ()
        if len(report) + len(parts or ()) > MOST_METRICS:
            keys.bad(("report",), f"at most {MOST_METRICS} metrics are allowed.")
            return (), ()
        if (parts is None) == ("metric" not in score):
            advice = 'write metric = "...", or parts = [...] for a weighted sum.'
            keys.refuse("missing-key", ("score", "metric"), advice)
            return (), ()
        if parts is None:
            scored = [self._use(("score",), score, "score")]
        else:
            keys.unknown(("score",), score, KEYS["score"])
            scored = [self._use(("score", "parts", i), part, "part") for i, part in enumerate(parts)]
        reported = [self._use(("report", i), entry, "report") for i, entry in enumerate(report)]
        known = tuple(use for use in scored if use is not None)
        return self._weighted(known), tuple(use for use in reported if use is not None)

    def _weighted(self, uses: tuple[MetricUse, ...]) -> tuple[MetricUse, ...]:
        """Return parts with weights that sum to 1."""
        at, total = ("score", "parts"), sum(use.weight for use in uses)
        if uses and total <= 0:
            self.keys.bad(at, "the weights sum to 0: give at least one weight above 0.")
            return uses
        if len({use.better for use in uses}) > 1:
            words = ", ".join(f"{use.key} ({use.better})" for use in uses)
            rule = "the parts of a sum must all be better when higher, or all better when lower"
            self.keys.bad(at, f"{rule}: {words}.")
        if twice := {use.key for use in uses if sum(use.key == other.key for other in uses) > 1}:
            self.keys.bad(at, f"{min(twice)} appears twice.")
        return tuple(replace(use, weight=use.weight / total) for use in uses)

    def _use(self, path: Path, table: Mapping[str, Any], section: str) -> MetricUse | None:
        """Return a metric with its options, None where there is none of that name."""
        at, known, keys = (*path, "metric"), KEYS[section], self.keys
        if not keys.required(at, "name a metric; `benchside metrics` lists them.", table):
            return None
        name = keys.value(at, table["metric"], known["metric"])
        if name is None:
            return None
        try:
            metric = registry.find(self.task, name)
        except KeyError as unknown:
            keys.refuse("unknown-metric", at, str(unknown.args[0]))
            keys.unknown(path, table, {*known, *(o for m in registry.METRICS for o in m.parameters)})
            return None
        if not self.task:
            return None
        keys.unknown(path, table, (*known, *metric.parameters))
        options = {key: table[key] for key in metric.parameters if key in table}
        for key, problem in metric.problems(options).items():
            keys.bad((*path, key), f"it {problem}.")
            del options[key]
        self._check(path, metric, options)
        weight = keys.value((*path, "weight"), table.get("weight", 1), NUMBER) if "weight" in known else 1
        return MetricUse(metric, key_of(metric, options), options, 1.0 if weight is None else float(weight))

    def _check(self, path: Path, metric: Metric, options: Mapping[str, Any]) -> None:
        """Refuse a metric that is not defined on what the file declares."""
        at, of = (*path, "metric"), options.get("class")
        if of is not None and of not in self.names:
            known = ", ".join(self.names[:20]) or "none are named"
            self.keys.bad((*path, "class"), f"{of!r} is not one of the classes: {known}.")
        if "average" in options and of is not None and self.task != "segmentation":
            self.keys.bad((*path, "average"), "give average or class, not both.")
        is_graded, n = self.task in ("classification", "ordinal"), len(self.names)
        if "average" in metric.parameters and of is None and "average" not in options and is_graded and n:
            if n > 2:
                advice = f'of {n} classes say which: average = "macro", or class = "...".'
                self.keys.refuse("missing-key", at, f"{metric.name} {advice}")
            elif "positive" not in self.keys.tree and not self.predictions.score:
                self.keys.refuse("missing-key", ("positive",), f"{metric.name} needs to know the class.")
        has_scores = self.predictions.scores or self.predictions.score
        if metric.needs in ("scores", "probabilities") and not has_scores:
            self.keys.bad(at, f"{metric.name} needs scores; [predictions] has labels only.")


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(entry, dict) for entry in value)


def key_of(metric: Metric, options: Mapping[str, Any]) -> str:
    """Return what a scorecard calls a metric: "f1_macro", "dice_whole_tumour", "f_beta_0.5"."""
    told = (f"{v:g}" if isinstance(v, float) else str(v) for v in options.values())
    return "_".join([metric.name, *(re.sub(r"[\s/]+", "_", text) for text in told)])
