"""Scorecard: the result of scoring one submission, saved as `scorecard.json`. Pages and reports show nothing
else. Its badge says whether the score is official, official after changes to the file, or something else."""

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


UNREAD = "The official program does not read files in this format"


@dataclass(frozen=True)
class Official:
    """Whether the official program gives the same score for the same files.

    Attributes:
        same: True if both scores are equal, or both are undefined.
        score: Score of the official program; None if it stops with an error, or if its score is unknown or
            undefined.
        reason: Sentences that say why the official score differs; None if it is the same. Page, report, JSON
            and terminal show these sentences, so they must not mention options or buttons.
        changes: Number of changes to the submitted file after which the score is official; 0 if no change is
            needed or none helps.
        reading: Badge of a score that no official program computes, such as "by our interpretation"; else "".
        converted: Whether the files have a format that the official program cannot read. `score` is then its
            score of the converted file.
    """

    same: bool
    score: float | None
    reason: str | None = None
    changes: int = 0
    reading: str = ""
    converted: bool = False

    @classmethod
    def compare(cls, score: float | None, official: float | None, *reasons: str) -> "Official":
        """Compare a score with the official one.

        Args:
            score: Score of the card; None or NaN if undefined.
            official: Score of the official program; None or NaN if the program stops with an error or the
                score is unknown.
            *reasons: Sentences that say why both scores may differ. Without reasons the score counts as
                official. With reasons it is official only if both numbers are equal.
        """
        score, official = plain(score), plain(official)
        if not reasons or (score is not None and score == official):
            return cls(True, score)
        return cls(False, official, " ".join(reasons))

    def badge(self, write: Callable[[float], str] = repr) -> str:
        """Return the short label beside the score, such as "official", that page, report and terminal show.
        `write` is the function that formats a score."""
        if self.changes:
            after = f"after {self.changes} change{'s' * (self.changes > 1)}: download the changed file"
            return f"{self.reading}, {after}" if self.reading else f"official {after}"
        if self.same:
            return self.reading or "official for this file as it is"
        if self.score is None:
            return "not an official score"
        after = " after conversion" * self.converted
        return f"not the official score, which is {write(self.score)}{after}"

    def as_dict(self) -> dict[str, Any]:
        """Return the entry of `scorecard.json` as a dictionary."""
        entry = {"same": self.same, "score": self.score, "reason": self.reason, "badge": self.badge()}
        return {**entry, "converted": True} if self.converted else entry

    def words(self, source: str, write: Callable[[float], str] = repr) -> str:
        """Return sentences that say whether the score is official.

        Args:
            source: End of a sentence that says who computes the official score: "as the validator computes
                it".
        """
        if self.same:
            if self.score is not None:
                return f"Official score, {source}."
            return "The official score is undefined too."
        start = "Not an official score."
        if self.score is not None:
            start = f"Not the official score, which is {write(self.score)}."
            if self.converted:
                start = f"{UNREAD}. After conversion, the official score is {write(self.score)}."
        return f"{start} {self.reason}".rstrip()


@dataclass(frozen=True)
class ScoreCard:
    """The result of scoring one submission. Pages, figures and reports need nothing else.

    The challenge names the entries of `metrics`, `per_class` and `cases`. Undefined numbers are None.

    Attributes:
        score: The number that ranks the submission.
        per_class: Values of the metrics of each class: class -> metric -> value. `score_lost` and
            `score_worth` are shares of 1: 0.01 is 1 of 100 points.
        n_cases: Number of cases of the ground truth.
        cases: One row per case, in the order of the ground truth.
        findings: Warnings and notes about the input and the result.
        provenance: How the numbers were computed: version, digests of the files, options, seed, unit.
        official: Whether the official program gives the same score for these files.
        incomplete: Missing parts of the submission and how they count ("7 of 8 images have no prediction and
            count as empty"); empty if it is complete.
        confusion_matrix: `labels` and `counts`, with the true classes as rows; None if the challenge has
            none.
        intervals: 95 % interval [low, high] of each metric, None if undefined. Empty if no bootstrap
            replicates were drawn.
        more: Further top-level keys of this challenge in JSON, such as `points` (shares of 1).
        arrays: Read-only arrays by name that are too large for JSON, such as replicates and curves.
        matches: Detections and missed objects of a detection challenge, as columns of equal length.
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
        """Whether the card contains scores but no cases, so that it reveals only scores and nothing else
        about the ground truth."""
        return not self.cases and not self.arrays

    @property
    def confusion(self) -> tuple[list[str], list[list[int]]]:
        """Labels and counts of the confusion matrix, true classes as rows; both empty if there is none."""
        matrix = self.confusion_matrix or {"labels": [], "counts": []}
        return matrix["labels"], matrix["counts"]

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `scorecard.json` as a dictionary, with a fixed order of keys."""
        return {key: plain(value) for key, value in self._ordered().items()}

    def to_json(self) -> str:
        """Return the text of `scorecard.json`. Numbers are not rounded; undefined numbers are null.

        The same input, options and seed give the same bytes.
        """
        entries = (
            f"{json.dumps(key)}: {_case_text(value) if key == 'cases' else _text(plain(value), indent=1)}"
            for key, value in self._ordered().items()
        )
        return "{\n" + ",\n".join(entries) + "\n}\n"

    def to_frame(self) -> "DataFrame":
        """Return a pandas DataFrame with a row per case, by case id, in the order of the ground truth."""
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
"""Functions that render a card as HTML in a notebook; `import scoring` registers the report's renderer."""


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
    """Convert NumPy values, tuples and mappings to JSON types; NaN and infinity become None."""
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
