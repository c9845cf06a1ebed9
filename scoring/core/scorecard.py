"""The result of scoring one submission, and `scorecard.json`: everything that is shown comes from here."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from scoring.common.arrays import Array
from scoring.common.findings import Finding

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Official:
    """Whether a score is what the official program gives for the same files.

    Attributes:
        same: Whether it is. Where both are undefined, it is.
        score: What the official program gives; None where it stops, or where that is unknown or undefined.
        reason: Why that is another number, in plain sentences; None where it is the same. No option and no
            widget is named: page, report, JSON and terminal all show it.
        changes: After how many changes of the submitted file it is official; 0 where it is so at once, or
            where no change of that file makes it so.
        reading: What is said if there is no official program for the score; "" where one does.
    """

    same: bool
    score: float | None
    reason: str | None = None
    changes: int = 0
    reading: str = ""

    @classmethod
    def compare(cls, score: float | None, official: float | None, *reasons: str) -> "Official":
        """Compare a score with the official one.

        Args:
            score: What the card shows; None or NaN where it is undefined.
            official: What the official program gives; None or NaN where it stops or that is unknown.
            *reasons: Why they may differ, a sentence each. Without any the score is the official one; with
                some it is where both are the same number.
        """
        score, official = plain(score), plain(official)
        if not reasons or (score is not None and score == official):
            return cls(True, score)
        return cls(False, official, " ".join(reasons))

    def badge(self, write: Callable[[float], str] = repr) -> str:
        """Return in a few words what the score is worth: the same on page, report, JSON and terminal.

        Args:
            write: Writes a score as the reader sees it elsewhere.
        """
        if self.changes:
            after = f"after {self.changes} change{'s' * (self.changes > 1)}: download the changed file"
            return f"{self.reading}, {after}" if self.reading else f"official {after}"
        if self.same:
            return self.reading or "official for this file as it is"
        if self.score is None:
            return "not an official score"
        return f"not the official score, which is {write(self.score)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the object that `scorecard.json` holds."""
        return {"same": self.same, "score": self.score, "reason": self.reason, "badge": self.badge()}

    def words(self, source: str, write: Callable[[float], str] = repr) -> str:
        """Return one or more sentences that say whether the score is official.

        Args:
            source: Who computes the official score: "as the validator computes it".
            write: Writes a score as the reader sees it elsewhere.
        """
        if self.same:
            if self.score is not None:
                return f"Official score, {source}."
            return "The official score is undefined too."
        start = (
            "Not an official score."
            if self.score is None
            else f"Not the official score, which is {write(self.score)}."
        )
        return f"{start} {self.reason}"


@dataclass(frozen=True)
class ScoreCard:
    """One scored submission. No page, figure or report goes back to the files.

    Names of `metrics`, `per_class` and `cases` are those of the challenge; undefined numbers are None.

    Attributes:
        score: What the challenge ranks by.
        metrics: Values by name.
        per_class: Values by class and name.
        cases: One row per case, in the truth's order.
        findings: Warnings and notes about the input and the result.
        provenance: The basis of the numbers: version, digests, options, seed, unit.
        official: Whether `score` is what the official program gives for these files.
        incomplete: What the submission lacks and how that is counted ("7 of 8 images have no prediction and
            count as empty"); empty where it is complete.
        confusion_matrix: `labels` and `counts` (rows: truth); None where the challenge has none.
        intervals: 95 % interval [low, high] by metric, None where undefined; empty without replicates.
        more: The challenge's own top-level keys (`points`, `risk_matrix`, `slices`, `model` ...).
        arrays: What is too large or too fine for JSON, for example replicates and curves: read-only arrays by
            name.
        matches: Detections and misses, one row each, as columns of equal length (detection challenges).
    """

    challenge: str
    score: float | None
    metrics: Mapping[str, float | None]
    per_class: Mapping[str, Mapping[str, Any]]
    n_cases: int
    cases: tuple[Mapping[str, Any], ...]
    findings: tuple[Finding, ...]
    provenance: Mapping[str, Any]
    official: Official = field(kw_only=True)
    incomplete: str = field(default="", kw_only=True)
    confusion_matrix: Mapping[str, Any] | None = None
    intervals: Mapping[str, list[float] | None] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)
    arrays: Mapping[str, Array] = field(default_factory=dict)
    matches: Mapping[str, Array] | None = None

    @property
    def is_bare(self) -> bool:
        """Whether it has scores alone: its cases were left out, so that nothing on it tells the truth."""
        return not self.cases and not self.arrays

    @property
    def confusion(self) -> tuple[list[str], list[list[int]]]:
        """Labels and counts of the confusion matrix, rows = truth; both empty where the card has none."""
        matrix = self.confusion_matrix or {"labels": [], "counts": []}
        return matrix["labels"], matrix["counts"]

    def as_dict(self) -> dict[str, Any]:
        """Return the object that `scorecard.json` holds, in the order of the contract."""
        return {key: plain(value) for key, value in self._ordered().items()}

    def to_json(self) -> str:
        """Write `scorecard.json`: numbers unrounded, undefined ones null.

        The same input, options and seed give the same bytes.
        """
        entries = (
            f"{json.dumps(key)}: {_case_text(value) if key == 'cases' else _text(plain(value), indent=1)}"
            for key, value in self._ordered().items()
        )
        return "{\n" + ",\n".join(entries) + "\n}\n"

    def to_frame(self) -> "DataFrame":
        """Return the cases as a table of pandas: a row each, in the truth's order, by case id."""
        import pandas as pd  # slow to import, and nothing else here needs it

        frame = pd.DataFrame([dict(case) for case in self.cases])
        return frame.set_index(str(frame.columns[0])) if len(frame) else frame

    def __repr__(self) -> str:
        official = ", official" * self.official.same
        return f"<ScoreCard {self.challenge}: score {self.score}, {self.n_cases} cases{official}>"

    def _repr_html_(self) -> str:
        """Return score, findings, facts and tables for a notebook, as the registered renderer writes them."""
        return NOTEBOOK_RENDERERS[-1](self)

    def _ordered(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "challenge": self.challenge,
            **{key: value for key, value in self.more.items() if key == "submitted_part"},
            "score": self.score,
            "metrics": self.metrics,
            "per_class": self.per_class,
        }
        if self.confusion_matrix is not None:
            value["confusion_matrix"] = self.confusion_matrix
        return value | {
            "official": self.official.as_dict(),
            "incomplete": self.incomplete or None,
            "n_cases": self.n_cases,
            "intervals": self.intervals,
            **self.more,
            "cases": list(self.cases),
            "findings": [f.as_dict() for f in self.findings],
            "provenance": self.provenance,
        }


NOTEBOOK_RENDERERS: list[Callable[[ScoreCard], str]] = []
"""HTML renderers of a card in a notebook; `import scoring` registers that of the reports."""


def _text(value: object, **layout: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)


def _case_text(cases: Sequence[Mapping[str, Any]]) -> str:
    """Return the cases as JSON, a value a line."""
    # Without `indent` json runs as compiled code: a tenth of the time for 100,000 cases.
    try:
        return _text(cases, separators=(",\n ", ": "))
    except (TypeError, ValueError):  # NumPy scalars, NaN
        return _text(plain(cases), separators=(",\n ", ": "))


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


def plain(value: Any) -> Any:
    """Return NumPy scalars and arrays, tuples and mappings as JSON knows them; NaN and infinity as None."""
    # The most frequent first: a card of 1,000 cases has 30,000 values.
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    return value
