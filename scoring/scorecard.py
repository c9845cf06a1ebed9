"""The result of scoring one submission: everything that is shown anywhere comes from here."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from scoring.findings import Finding


@dataclass(frozen=True)
class ScoreCard:
    """One scored submission. No page, figure or report goes back to the files.

    Names of `metrics`, `per_class` and `cases` are those of the challenge; undefined numbers are None. `more`
    holds the challenge's own top-level keys (`points`, `risk_matrix`, `slices`, `model` ...). `arrays` holds
    what is too large or too fine for JSON: read-only NumPy arrays by name. `labels_only`, `replicates` and
    the like stand there too. matches: what was detected and what was missed, one row each, as columns of
    equal length (detection challenges).
    """

    challenge: str
    score: float | None
    metrics: Mapping[str, float | None]
    per_class: Mapping[str, Mapping]
    n_cases: int
    cases: tuple[Mapping, ...]
    findings: tuple[Finding, ...]
    provenance: Mapping
    confusion_matrix: Mapping | None = None
    intervals: Mapping[str, list | None] = field(default_factory=dict)
    more: Mapping = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    matches: Mapping[str, np.ndarray] | None = None

    def as_dict(self) -> dict:
        """The object that `scorecard.json` holds, in the order of the contract."""
        return plain(self._ordered())

    def to_json(self) -> str:
        """`scorecard.json`: numbers unrounded, undefined ones null, the same bytes for the same input,
        options and seed."""
        entries = (
            f"{json.dumps(key)}: {_case_text(value) if key == 'cases' else _text(plain(value), indent=1)}"
            for key, value in self._ordered().items()
        )
        return "{\n" + ",\n".join(entries) + "\n}\n"

    def _ordered(self) -> dict:
        value = {
            "challenge": self.challenge,
            "score": self.score,
            "metrics": self.metrics,
            "per_class": self.per_class,
        }
        if self.confusion_matrix is not None:
            value["confusion_matrix"] = self.confusion_matrix
        return value | {
            "n_cases": self.n_cases,
            "intervals": self.intervals,
            **self.more,
            "cases": list(self.cases),
            "findings": [f.as_dict() for f in self.findings],
            "provenance": self.provenance,
        }


def _text(value, **layout) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)


def _case_text(cases: list) -> str:
    """The cases, a value a line. Without `indent` json runs as compiled code: a tenth of the time for 100,000
    cases, if they are plain already."""
    lines = {"separators": (",\n ", ": ")}
    try:
        return _text(cases, **lines)
    except (TypeError, ValueError):
        return _text(plain(cases), **lines)


def plain(value):
    """NumPy scalars and arrays, tuples and mappings as JSON knows them; NaN and infinite numbers become
    None."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value
