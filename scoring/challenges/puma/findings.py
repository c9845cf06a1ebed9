"""Findings about the reliability of a PUMA score."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoring.challenges.doubtful_results import consequence
from scoring.challenges.puma.formula import RADIUS, Tallies
from scoring.challenges.puma.nuclei_matching import MatchingRule, PairedNuclei
from scoring.challenges.puma.nucleus_classes import CLASSES
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.common.findings import SMALL_CLASS, Finding, note, warning
from scoring.statistics.replicates import Replicates


def score_warnings(
    d: PairedNuclei,
    predictions: NucleiPredictions,
    rule: MatchingRule,
    counted: Tallies,
    metrics: Mapping[str, Any],
    replicates: Replicates,
) -> Iterator[Finding]:
    """Yield the warnings and notes of scoring. counted: with the chosen rule."""
    changed = [f"radius {rule.radius:g} px"] * (rule.radius != RADIUS)
    if rule.min_confidence is not None:
        changed.append(f"only predictions of confidence {rule.min_confidence:g} and more")
    if changed:
        message = (
            f"{' and '.join(changed)}: not the challenge's rule ({RADIUS:g} px, every prediction). "
            "Do not compare this with other scores."
        )
        yield warning("changed-rules", "score", message)
    yield from _classes(counted, len(d))
    if not metrics["n_predicted"]:
        message = (
            "no predicted nucleus is scored: precision and the predicted share of lymphocytes are "
            "undefined (null)."
        )
        yield warning("no-predictions", predictions.name, message)
    if rule.name == "grand-challenge":
        yield from _deviations(d, predictions)
    if replicates.values:
        yield from _few_images(counted, len(d), replicates.kind)


def _few_images(counted: Tallies, images: int, kind: str | None) -> Iterator[Finding]:
    if images < SMALL_CLASS:
        width = consequence("intervals of every F1", images, kind)
        yield warning("few-cases-in-class", "per_class", f"{images} image{'s' * (images > 1)}: {width}.")
        return
    held = zip(CLASSES, (counted.support > 0).sum(0).tolist(), strict=True)
    for name, n in ((name, n) for name, n in held if 0 < n < SMALL_CLASS):
        width = consequence("interval of F1", n, kind)
        holding = f"{n} image{'s hold' if n > 1 else ' holds'} it"
        yield warning("few-cases-in-class", name, f"{holding}: {width}.")


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
            message = f"no nucleus of it in the truth of {images} image{'s' * (images > 1)}; {consequence}."
            yield warning("absent-class", name, message)
        elif not predicted:
            yield warning(
                "never-predicted", name, f"{support:,} in the truth and not one predicted: its F1 is 0."
            )


def _deviations(d: PairedNuclei, predictions: NucleiPredictions) -> Iterator[Finding]:
    missing = int(d.missing.sum())
    if missing:
        message = (
            f"{missing} missing case{'s' * (missing > 1)} scored as empty; the official evaluator "
            "would stop instead."
        )
        yield note("differs-from-platform", predictions.name, message)
    if any(len(n) and not len(n.vertices) for n in predictions.nuclei):
        message = "centroids are scored; the official evaluator reads only polygons."
        yield note("differs-from-platform", predictions.name, message)
    unread = int((d.confidence != d.score).sum())
    if unread:
        message = (
            f"the confidences of {unread:,} nuclei stand under another key than `score`, which this "
            "rule does not read: they are matched by distance alone."
        )
        yield note("confidence-not-read", predictions.name, message)
