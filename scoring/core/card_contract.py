"""Parts of a scorecard that comparisons, boards and history need.

| part | what it holds |
|---|---|
| `cases` | `n_cases` rows, each with its id as `case`, in the truth's order |
| `metrics` | metrics that can rank teams (`ComparisonSpec.metrics`), parts of the score |
| `provenance` | what `scoring.core.submission.provenance` returns |
| `arrays["aligned"]` | `fingerprint` of the predictions, uint8 [32]; `Challenge.score` adds it |
| `arrays["truth"]`, `"predicted"` | class numbers [N], -1 for none, if the cases have classes |
| `arrays["outputs"]`, `"score_weights"` | float [N, K], NaN if none; case weights [N] |
| `arrays["score_replicates"]` | score in each replicate [B]: `scoring.statistics`, `Replicates.arrays` |
| `more["slices"]`, `"model_size_mib"` | column -> group -> row; size of the model in MiB |
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.common.direction_and_range import SCORE, Quantity
from scoring.common.findings import Finding, error
from scoring.core.scorecard import ScoreCard
from scoring.statistics.replicates import array_name

PROVENANCE = ("version", "truth_sha256", "predictions_sha256", "model_sha256", "options")
STATISTICS = ("seed", "resamples", "interval", "unit", "n_units")
OF_CASES = ("truth", "predicted", "outputs", "score_weights")
ROUNDING = 1e-9
"""Tolerance by which a score may exceed its range, because sums of fractions are not exact."""


def with_fingerprint(card: ScoreCard, predictions: Any) -> ScoreCard:
    """Return the card with the fingerprint of its predictions, unless it already has one.

    Args:
        predictions: The predictions that were scored; if they have no `fingerprint`, the card stays the same.
    """
    fingerprint = getattr(predictions, "fingerprint", None)
    if "aligned" in card.arrays or fingerprint is None:
        return card
    return replace(card, arrays={**card.arrays, "aligned": fingerprint})


def lacking(
    card: ScoreCard, challenge_id: str, metrics: Sequence[str], quantity: Callable[[str], Quantity]
) -> Iterator[Finding]:
    """Yield an error for every part of a scorecard that is missing or differs from the challenge's
    declaration.

    Args:
        metrics: Names of the metrics that the challenge declares.
        quantity: Function that returns direction and range of the score or of a metric.
    """
    checks = (_of_parts(card, challenge_id, metrics), _of_arrays(card), _of_ranges(card, metrics, quantity))
    for check in checks:
        for where, message in check:
            yield error("incomplete-scorecard", f"{challenge_id}: {where}", message)


def _of_parts(card: ScoreCard, challenge_id: str, metrics: Sequence[str]) -> Iterator[tuple[str, str]]:
    n = card.n_cases
    if card.challenge != challenge_id:
        yield "challenge", f"it is {card.challenge!r}: write {challenge_id!r}."
    if len(card.cases) != n or any(not isinstance(row.get("case"), str) for row in card.cases[:1]):
        yield "cases", f"give {n} rows, one for each case, each with its id as `case`."
    if missing := sorted({*metrics} - card.metrics.keys()):
        yield "metrics", f"the challenge declares {', '.join(missing)}, but the card does not have them."
    if missing := [key for key in (*PROVENANCE, *STATISTICS) if key not in card.provenance]:
        yield "provenance", f"it lacks {', '.join(missing)}: use `submission.provenance`."


def _of_arrays(card: ScoreCard) -> Iterator[tuple[str, str]]:
    n = card.n_cases
    if "aligned" not in card.arrays:
        yield (
            "arrays",
            "equal predictions cannot be recognised: give predictions a `fingerprint`, uint8 [32].",
        )
    for name in OF_CASES:
        if name in card.arrays and card.arrays[name].shape[:1] != (n,):
            yield f"arrays[{name!r}]", f"it has {len(card.arrays[name])} entries for {n} cases."
    name, resamples = array_name(SCORE), card.provenance.get("resamples", 0)
    drawn = card.arrays.get(name, np.empty(0))
    if card.score is not None and resamples and drawn.shape != (resamples,):
        yield (
            f"arrays[{name!r}]",
            f"it needs the scores of all {resamples} replicates: take them from `Replicates.arrays`.",
        )


def _of_ranges(
    card: ScoreCard, metrics: Sequence[str], quantity: Callable[[str], Quantity]
) -> Iterator[tuple[str, str]]:
    for name, value in {SCORE: card.score, **{key: card.metrics.get(key) for key in metrics}}.items():
        of = quantity(name)
        if value is not None and not of.holds(value, ROUNDING):
            yield name, f"it is {value:g}, and declared as {of.words}: give `Scoring` its range."
