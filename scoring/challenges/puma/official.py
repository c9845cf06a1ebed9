"""Whether a score of PUMA is what the Grand Challenge evaluator gives for the same files."""

from collections.abc import Iterator

import numpy as np

from scoring.challenges.puma import matching
from scoring.challenges.puma.detections import Detections, reaching
from scoring.challenges.puma.formula import METRICS, RADIUS, RULE_NAMES, Tallies
from scoring.challenges.puma.matching import MatchingRule
from scoring.challenges.puma.measures import quantities
from scoring.challenges.puma.names import PLATFORM
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.core.scorecard import Official
from scoring.inputs.nuclei import POLYGONS

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
    found = quantities(EVALUATOR, dict.fromkeys(METRICS, counted), np.ones((1, len(d))))
    return float(found["score"][0])
