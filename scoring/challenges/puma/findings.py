"""Findings about a PUMA score: its reliability, and what the Grand Challenge evaluator gives."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from scoring.challenges.puma import matching
from scoring.challenges.puma.formula import METRICS, RADIUS, RULE_NAMES, Tallies, quantities
from scoring.challenges.puma.matching import Detections, MatchingRule, reaching
from scoring.challenges.puma.names import CLASSES, PLATFORM
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.common.findings import SMALL_CLASS, Finding, note, warning
from scoring.core.scorecard import Official
from scoring.inputs.nuclei import POLYGONS


def score_warnings(
    d: Detections,
    predictions: NucleiPredictions,
    rule: MatchingRule,
    counted: Tallies,
    metrics: Mapping[str, Any],
    resampled: bool,
) -> Iterator[Finding]:
    """Yield the warnings and notes of scoring. counted: by the chosen rule. resampled: with intervals."""
    changed = [f"radius {rule.radius:g} px"] * (rule.radius != RADIUS)
    if rule.min_confidence is not None:
        changed.append(f"only predictions of confidence {rule.min_confidence:g} and more")
    if changed:
        yield warning(
            "changed-rules",
            "score",
            f"{' and '.join(changed)}: not the challenge's rule ({RADIUS:g} px, every prediction). "
            "Compare with no other score.",
        )
    yield from _classes(counted, len(d))
    if not metrics["n_predicted"]:
        yield warning(
            "no-predictions",
            predictions.name,
            "no predicted nucleus is scored: precision and the predicted share of lymphocytes are "
            "undefined (null).",
        )
    if rule.name == "grand-challenge":
        yield from _deviations(d, predictions)
    if resampled:
        yield from _few_images(counted, len(d))


def _few_images(counted: Tallies, images: int) -> Iterator[Finding]:
    if images < SMALL_CLASS:
        yield warning(
            "few-cases-in-class",
            "per_class",
            f"{images} image{'s' * (images > 1)}: intervals of every F1 too narrow below {SMALL_CLASS}.",
        )
        return
    held = zip(CLASSES, (counted.support > 0).sum(0).tolist(), strict=True)
    for name, n in ((name, n) for name, n in held if 0 < n < SMALL_CLASS):
        yield warning(
            "few-cases-in-class",
            name,
            f"{n} image{'s hold' if n > 1 else ' holds'} it: interval of F1 too narrow below {SMALL_CLASS}.",
        )


def _classes(counted: Tallies, images: int) -> Iterator[Finding]:
    for name, support, predicted in zip(
        CLASSES, counted.support.sum(0).tolist(), counted.predicted.sum(0).tolist(), strict=True
    ):
        if not support:
            consequence = (
                f"{predicted:,} predicted, all wrong: its F1 is 0"
                if predicted
                else "it counts 0 in the mean of ten classes (macro_f1)"
            )
            yield warning(
                "absent-class",
                name,
                f"no nucleus of it in the truth of {images} image{'s' * (images > 1)}; {consequence}.",
            )
        elif not predicted:
            yield warning(
                "never-predicted", name, f"{support:,} in the truth and not one predicted: its F1 is 0."
            )


def _deviations(d: Detections, predictions: NucleiPredictions) -> Iterator[Finding]:
    missing = int(d.missing.sum())
    if missing:
        yield note(
            "differs-from-platform",
            predictions.name,
            f"{missing} missing case{'s' * (missing > 1)} scored as empty; the official evaluator "
            "would stop instead.",
        )
    if any(len(n) and not len(n.vertices) for n in predictions.nuclei):
        yield note(
            "differs-from-platform",
            predictions.name,
            "centroids are scored as they are; the official evaluator reads polygons only.",
        )
    unread = int((d.confidence != d.score).sum())
    if unread:
        yield note(
            "confidence-not-read",
            predictions.name,
            f"the confidences of {unread:,} nuclei stand under another key than `score`, which this "
            "rule does not read: they are matched by distance alone.",
        )


EVALUATOR = "grand-challenge"


def official(
    d: Detections,
    predictions: NucleiPredictions,
    rule: MatchingRule,
    counted: Tallies,
    score: float | None,
) -> Official:
    """Return what the evaluator gives.

    Args:
        d: Truth and predicted nuclei.
        predictions: What was submitted.
        rule: What it was scored by.
        counted: Tallies of the evaluator's matching, at the radius and smallest confidence of `rule`.
        score: The score here; None or NaN where it is undefined.
    """
    stops, foreign = list(_stops(d, predictions)), _foreign(predictions)
    reasons = [*stops, *foreign, *_otherwise(d, rule)]
    if stops or (foreign and any(name in PLATFORM for name in predictions.names)):
        return Official.compare(score, None, *reasons)
    # Without a single name that the evaluator knows, nothing is found and every class has F1 0.
    gives = 0.0 if foreign else _evaluated(d, rule, counted)
    return Official.compare(score, gives, *reasons)


def missing_words(d: Detections) -> str:
    """Return how many images have no prediction, "" where none lacks it."""
    n = int(d.missing.sum())
    return f"{n} of {len(d)} tiles missing, counted as empty" if n else ""


def _stops(d: Detections, predictions: NucleiPredictions) -> Iterator[str]:
    if missing := missing_words(d):
        yield f"{missing}: the Grand Challenge evaluator stops."
    if predictions.lists - {POLYGONS}:
        yield "The Grand Challenge evaluator reads Multiple polygons JSON only, and stops at other files."


def _foreign(predictions: NucleiPredictions) -> tuple[str, ...]:
    if all(name in PLATFORM for name in predictions.names):
        return ()
    return (
        "The Grand Challenge evaluator compares class names as written, and some here are none of its ten.",
    )


def _otherwise(d: Detections, rule: MatchingRule) -> Iterator[str]:
    if rule.name != EVALUATOR:
        yield f"This is the macro F1 by the rule “{RULE_NAMES[rule.name]}”, not by the evaluator's."
    if rule.radius != RADIUS:
        yield f"Nuclei are matched within {rule.radius:g} px here, within {RADIUS:g} px there."
    if _leaves_out(d, rule):
        yield f"Predictions with a confidence below {rule.min_confidence:g} are left out here, not there."


def _leaves_out(d: Detections, rule: MatchingRule) -> bool:
    least = rule.min_confidence
    return least is not None and bool((d.confidence < least).any())


def _evaluated(d: Detections, rule: MatchingRule, counted: Tallies) -> float | None:
    """Return the evaluator's macro F1 of all predictions at its own radius; None where the nuclei are too
    crowded for it."""
    if rule.radius != RADIUS or _leaves_out(d, rule):
        within = reaching(d, RADIUS)
        if within is None:
            return None
        counted = matching.tallies(within, matching.match(within, MatchingRule(EVALUATOR, RADIUS, -np.inf)))
    values = quantities(EVALUATOR, dict.fromkeys(METRICS, counted), np.ones((1, len(d))))
    return float(values["score"][0])
