"""What a scorecard says about itself: what was left open, what earned credit, what is too small to be sure
of."""

from collections.abc import Iterator, Mapping

import numpy as np

from scoring.challenges.hecktor2026.formula import (
    FEW_EVENTS,
    SMALL_CLASS,
    STAGES,
    STRUCTURES,
    SUSPECT_C_INDEX,
    T0,
)
from scoring.challenges.hecktor2026.missing import missing_findings, stage_truth
from scoring.challenges.hecktor2026.options import HecktorOptions
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.findings import Finding, note, warning
from scoring.statistics.replicates import Replicates

UNDEFINED = {
    "segmentation": "no mask pair is left to be scored: segmentation and score are undefined (null).",
    "balanced_accuracy_t": "no patient of the truth has a T stage: staging and score are undefined (null).",
    "balanced_accuracy_n": "no patient of the truth has an N stage: staging and score are undefined (null).",
    "c_index": (
        "no comparable pair is left (an event before another's time): C-index and score are undefined (null)."
    ),
}


def score_findings(
    truth: HecktorTruth,
    submission: HecktorSubmission,
    options: HecktorOptions,
    metrics: Mapping[str, float],
    found: Replicates,
) -> Iterator[Finding]:
    """Findings of reading, then those of the score."""
    yield from truth.findings
    yield from (
        f for f in submission.read if f.code != "direction-assumed" or options.prognosis_direction == "auto"
    )
    yield from missing_findings(truth, submission, options)
    yield from (
        warning("subtask-not-scored", name, words)
        for name, words in UNDEFINED.items()
        if np.isnan(metrics[name])
    )
    yield from _segmentation(truth, metrics)
    for kind in STAGES:
        yield from _staging(truth, options, kind, bool(found.values))
    yield from _prognosis(truth, metrics)
    yield from found.findings


def _segmentation(truth: HecktorTruth, metrics: Mapping[str, float]) -> Iterator[Finding]:
    if metrics["dice_from_empty_cases"] > 0:
        words = (
            f"{metrics['dice_from_empty_cases']:.4f} of segmentation was earned where truth and "
            "prediction are both empty (--empty-masks one)."
        )
        yield note("empty-credit", "segmentation", words)
    if truth.has_mask.any():
        masks = [mask for mask in truth.masks if mask]
        for name, label in STRUCTURES.values():
            if not any(mask.voxels[label] for mask in masks):
                yield warning(
                    "absent-class",
                    name,
                    f"no patient of the truth has a {name}: its Dice rests on empty masks alone.",
                )


def _staging(
    truth: HecktorTruth, options: HecktorOptions, kind: str, has_intervals: bool
) -> Iterator[Finding]:
    everyone, taking_part = truth.stages[kind], stage_truth(truth, kind, options)
    if kind == "t" and (at_zero := np.flatnonzero(everyone == T0)).size:
        named = ", ".join(truth.ids[i] for i in at_zero)
        if options.t0 == "count":
            words = (
                f"{at_zero.size} patient{'s have' if at_zero.size > 1 else ' has'} T0 in the truth, a stage "
                "that submissions may not answer. It counts as a class that nobody gets right, which lowers "
                f"the balanced accuracy of T for all who follow the rules: {named}."
            )
            yield warning("stage-t0", "T0", words)
        else:
            yield note(
                "stage-t0",
                "T0",
                f"T0 in the truth leaves the T stage under --t0 exclude ({at_zero.size}): {named}.",
            )
    if not (taking_part >= 0).any():
        return
    support = np.bincount(taking_part[taking_part >= 0], minlength=len(STAGES[kind]))
    for name, n in zip(STAGES[kind], support.tolist(), strict=True):
        if n == 0 and name != "T0":
            yield warning(
                "absent-class", name, f"no patient of the truth is {name}: it is left out of the mean recall."
            )
        elif 0 < n < SMALL_CLASS and has_intervals:
            words = f"{n} patient{'s' * (n > 1)}: interval of the recall too narrow below {SMALL_CLASS}."
            yield warning("few-cases-in-class", name, words)


def _prognosis(truth: HecktorTruth, metrics: Mapping[str, float]) -> Iterator[Finding]:
    events = int(np.nansum(truth.event[truth.has_survival]))
    if 0 < events < FEW_EVENTS:
        yield warning(
            "few-events",
            "prognosis",
            f"{events} event{'s' * (events > 1)}: below {FEW_EVENTS} the C-index says little.",
        )
    if metrics["c_index"] < SUSPECT_C_INDEX and metrics["c_index_flipped"] > metrics["c_index"]:
        words = (
            f"the C-index is {metrics['c_index']:.4f}, with every sign reversed "
            f"{metrics['c_index_flipped']:.4f}: "
            "are times read as risks, or the other way round? See --prognosis-direction."
        )
        yield warning("direction-suspect", "c_index", words)
