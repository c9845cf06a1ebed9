"""The macro F1 that the official program, the Grand Challenge evaluator, gives for the same files."""

from collections.abc import Iterator
from itertools import compress

import numpy as np

from scoring.challenges.puma import nuclei_matching
from scoring.challenges.puma.cases import WrittenFiles
from scoring.challenges.puma.formula import RADIUS, RULE_NAMES, Tallies, class_values, macro_f1, sums
from scoring.challenges.puma.nuclei_matching import MatchingRule, PairedNuclei, reaching
from scoring.challenges.puma.nucleus_classes import CLASSES, PLATFORM, position
from scoring.challenges.puma.predictions import NucleiPredictions
from scoring.challenges.puma.truth import PumaTruth
from scoring.common.arrays import Bools
from scoring.core.scorecard import Official
from scoring.inputs.nuclei.reader import POLYGONS

EVALUATOR, CENTROIDS = "grand-challenge", "nuclei"


def official(
    truth: PumaTruth,
    predictions: NucleiPredictions,
    d: PairedNuclei,
    rule: MatchingRule,
    counted: Tallies,
    score: float | None,
) -> Official:
    """Return whether the official evaluator gives the same score.

    Args:
        counted: Counts from the evaluator's matching, with the radius and the smallest confidence of `rule`.
        score: Benchside's score; None or NaN if it is undefined.
    """
    stops = list(_stops(truth, predictions, d))
    written = predictions.written
    names = frozenset[str]().union(*truth.written.names, *written.names)
    foreign = not names <= {*PLATFORM}
    reasons = [*stops, *_as_written(truth.written, written, foreign), *_otherwise(d, rule)]
    if stops or not reasons:
        return Official.compare(score, None, *reasons)
    if predictions.is_foreign and not foreign and CENTROIDS not in truth.written.keys:
        evaluated = _of_known_names(_counted(d, rule, counted))
        same = score == evaluated
        reasons = reasons if same else list(_otherwise(d, rule))
        return Official(False, evaluated, " ".join(reasons), changes=int(same), converted=True)
    return Official.compare(score, _evaluated(truth.written, written, d, rule, counted), *reasons)


def missing_words(d: PairedNuclei) -> str:
    """Return a text that says how many images have no prediction; "" if all have one."""
    n = int(d.missing.sum())
    return f"{n} of {len(d)} tiles missing, counted as empty" if n else ""


def _stops(truth: PumaTruth, predictions: NucleiPredictions, d: PairedNuclei) -> Iterator[str]:
    if missing := missing_words(d):
        yield f"{missing}: the Grand Challenge evaluator stops."
    codes = {finding.code for finding in (*truth.findings, *predictions.findings)}
    if "extra-case" in codes:
        yield "The Grand Challenge evaluator stops at predictions for cases that the truth does not have."
    if truth.written.marked or predictions.written.marked:
        yield "The Grand Challenge evaluator stops at files that begin with a byte order mark."
    if truth.written.unnamed or predictions.written.unnamed:
        yield "The Grand Challenge evaluator stops at polygons without the key “name”."


def _as_written(truth: WrittenFiles, written: WrittenFiles, foreign: bool) -> Iterator[str]:
    if CENTROIDS in truth.keys or written.is_foreign:
        yield (
            "The Grand Challenge evaluator reads only Multiple polygons JSON; it finds no nucleus in other "
            "files."
        )
    if foreign:
        yield (
            "The Grand Challenge evaluator compares class names exactly; some of these names are "
            "not among its ten."
        )


def _otherwise(d: PairedNuclei, rule: MatchingRule) -> Iterator[str]:
    if rule.name != EVALUATOR:
        yield f"This macro F1 uses the rule “{RULE_NAMES[rule.name]}”, not the evaluator's rule."
    if rule.radius != RADIUS:
        yield (
            f"This score matches nuclei within {rule.radius:g} px, the Grand Challenge evaluator within "
            f"{RADIUS:g} px."
        )
    if _leaves_out(d, rule):
        yield (
            f"This score leaves out predictions with a confidence below {rule.min_confidence:g}; the Grand "
            "Challenge evaluator counts them."
        )


def _leaves_out(d: PairedNuclei, rule: MatchingRule) -> bool:
    least = rule.min_confidence
    return least is not None and bool((d.confidence < least).any())


def _evaluated(
    truth: WrittenFiles, written: WrittenFiles, d: PairedNuclei, rule: MatchingRule, counted: Tallies
) -> float | None:
    """Return the evaluator's macro F1 of all predictions that it reads, at its own radius; None if the
    nuclei are too crowded for it, or a class has several names."""
    counted_there = _counted(d, rule, counted)
    if counted_there is None:
        return None
    read = np.array([key == POLYGONS for key in written.keys])[:, None]
    known = np.array([key != CENTROIDS for key in truth.keys])[:, None]
    hits = counted_there.true_positive * read * known
    there = Tallies(hits, counted_there.support * known, counted_there.predicted * read)
    pairs = _alike(_names(truth, known), _names(written, read))
    if pairs is None:
        return None
    alike, names = pairs
    if alike.all() and names == int(there.occurs.any(0).sum()):
        return _of_known_names(there)
    values = class_values(EVALUATOR, sums(there, np.ones((1, len(d)))))
    return float(np.where(alike, np.nan_to_num(values), 0).sum()) / names if names else None


def _counted(d: PairedNuclei, rule: MatchingRule, counted: Tallies) -> Tallies | None:
    """Return the tallies of all predictions at the evaluator's radius; None if the nuclei are too crowded for
    it."""
    if rule.radius == RADIUS and not _leaves_out(d, rule):
        return counted
    within = reaching(d, RADIUS)
    if within is None:
        return None
    matched = nuclei_matching.match(within, MatchingRule(EVALUATOR, RADIUS, -np.inf))
    return nuclei_matching.tallies(within, matched)


def _of_known_names(counted: Tallies | None) -> float | None:
    """Return the evaluator's macro F1 where each class has one of its ten names."""
    if counted is None:
        return None
    values = class_values(EVALUATOR, sums(counted, np.ones((1, len(counted.support)))))
    return float(macro_f1(EVALUATOR, values, int(counted.occurs.any(0).sum()))[0])


def _names(written: WrittenFiles, is_read: Bools) -> frozenset[str]:
    """Return the names in the files that the evaluator reads, bool [N, 1]."""
    return frozenset[str]().union(*compress(written.names, is_read[:, 0].tolist()))


def _alike(there: frozenset[str], sent: frozenset[str]) -> tuple[Bools, int] | None:
    """Return which classes have one name in truth and predictions, bool [10], and the number of names, each
    of which is a class to the evaluator; None if that does not say which nuclei can match."""
    shared = there & sent
    if any(position(name) is None for name in there | sent):
        return None  # left out here, or read as a class that was chosen for the name
    alike = np.ones(len(CLASSES), bool)
    for k in range(len(CLASSES)):
        names = {name for name in there | sent if position(name) == k}
        if len(names) > 1 and names & shared:
            return None
        alike[k] = len(names) < 2
    return alike, len(there | sent)
