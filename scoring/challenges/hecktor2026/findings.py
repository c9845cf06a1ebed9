"""Findings about a score: missing parts, points for empty masks, small numbers of patients, and the published
rules."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.challenges.doubtful_results import consequence, constant_output
from scoring.challenges.hecktor2026.evaluation import HecktorEvaluation
from scoring.challenges.hecktor2026.formula import (
    CHOICES,
    FEW_EVENTS,
    OPTIONS,
    STAGES,
    STRUCTURES,
    SUSPECT_C_INDEX,
    T0,
    HecktorOptions,
)
from scoring.challenges.hecktor2026.stages import NO_STAGE
from scoring.challenges.hecktor2026.tables import chosen
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.findings import SMALL_CLASS, Finding, note, warning
from scoring.common.fixes import InputChanges, SuggestedFix
from scoring.core.scorecard import Official
from scoring.core.submitted_part import offered
from scoring.statistics.replicates import Replicates


def missing_findings(evaluation: HecktorEvaluation) -> Iterator[Finding]:
    """Yield findings about missing parts. Each names all patients who lack the part. Their codes are
    `subtask-missing`, `missing-mask`, `missing-stage` and `missing-risk`."""
    truth, submission, options = evaluation.truth, evaluation.submission, evaluation.options
    absent = truth.has_mask & (np.array(submission.masks.states) == "missing")
    if truth.has_mask.any() and not submission.contents.layout.masks:
        yield _subtask("segmentation", "there is no mask, so the mask of every patient counts as empty.")
    elif absent.any():
        yield _missing(
            "missing-mask", "masks", _named(truth, absent), "the mask is missing and counts as empty"
        )
    for kind in STAGES:
        takes_part, submitted = evaluation.true_stages[kind] >= 0, submission.stages[kind]
        if not takes_part.any():
            continue
        if submitted is None:
            message = f"there is no {kind.upper()} stage, so the stage of every patient counts as wrong."
            yield _subtask(f"{kind.upper()} stage", message)
        elif (lacking := takes_part & (submitted == NO_STAGE)).any():
            yield _missing(
                "missing-stage",
                f"{kind.upper()} stage",
                _named(truth, lacking),
                f"the {kind.upper()} stage is missing and counts as wrong",
            )
    column = chosen(submission.scores, options.prognosis_direction)
    if truth.has_survival.any() and column is None:
        yield _subtask("prognosis", "there is no column of scores, so no patient has a score.")
    elif truth.has_survival.any() and column is not None:
        lacking = truth.has_survival & np.isnan(evaluation.risks) & ~submission.scores[column].unusable
        if lacking.any():
            rule = {
                "non-concordant": "count as non-concordant",
                "half": "count half",
                "exclude": "are left out",
            }[options.missing_risk]
            yield _missing(
                "missing-risk",
                "prognosis",
                _named(truth, lacking),
                f"the score is missing, so pairs with these patients {rule}",
            )


def _subtask(where: str, message: str) -> Finding:
    return warning("subtask-missing", where, message)


def _missing(code: str, where: str, patients: list[str], message: str) -> Finding:
    return warning(
        code, where, f"{message} ({len(patients)} patient{'s' * (len(patients) > 1)}): {', '.join(patients)}."
    )


def _named(truth: HecktorTruth, chosen_patients: Iterable[bool]) -> list[str]:
    return [patient for patient, is_chosen in zip(truth.ids, chosen_patients, strict=True) if is_chosen]


UNDEFINED = {
    "segmentation": "no patient has a mask to compare: segmentation and score are undefined (null).",
    "balanced_accuracy_t": "no patient of the truth has a T stage: staging and score are undefined (null).",
    "balanced_accuracy_n": "no patient of the truth has an N stage: staging and score are undefined (null).",
    "c_index": (
        "no comparable pair is left (a relapse before another patient's time): C-index and score "
        "are undefined (null)."
    ),
}


def score_findings(
    evaluation: HecktorEvaluation, metrics: Mapping[str, float], replicates: Replicates
) -> Iterator[Finding]:
    """Yield the findings about the files, then the findings about the score."""
    truth, is_assumed = evaluation.truth, evaluation.options.prognosis_direction == "auto"
    yield from truth.findings
    yield from (f for f in evaluation.submission.read if f.code != "direction-assumed" or is_assumed)
    yield from offered(missing_findings(evaluation), len(evaluation.submission.absent))
    yield from (
        warning("subtask-not-scored", name, message)
        for name, message in UNDEFINED.items()
        if np.isnan(metrics[name])
    )
    yield from _segmentation(truth, metrics)
    for kind in STAGES:
        yield from _staging(evaluation, kind, replicates)
    yield from _prognosis(evaluation, metrics)
    yield from constant_output(evaluation.risks, "prognosis")
    yield from replicates.findings


def _segmentation(truth: HecktorTruth, metrics: Mapping[str, float]) -> Iterator[Finding]:
    if metrics["dice_from_empty_cases"] > 0:
        message = (
            f"{metrics['dice_from_empty_cases']:.4f} of the segmentation score comes from "
            "structures that are empty in truth and prediction (--empty-masks one)."
        )
        yield note("empty-credit", "segmentation", message)
    if truth.has_mask.any():
        masks = [mask for mask in truth.masks if mask]
        for name, label in STRUCTURES.values():
            if not any(mask.voxels[label] for mask in masks):
                sentence = f"no patient of the truth has a {name}: only empty masks count for its Dice."
                yield warning("absent-class", name, sentence)


def _staging(evaluation: HecktorEvaluation, kind: str, replicates: Replicates) -> Iterator[Finding]:
    truth, taking_part = evaluation.truth, evaluation.true_stages[kind]
    everyone = truth.stages[kind]
    if kind == "t" and (at_zero := np.flatnonzero(everyone == T0)).size:
        named = ", ".join(truth.ids[i] for i in at_zero)
        if evaluation.options.t0 == "count":
            message = (
                f"{at_zero.size} patient{'s have' if at_zero.size > 1 else ' has'} T0 in the truth, a stage "
                "that submissions may not predict. T0 counts as a class that no team can predict, which "
                f"lowers the balanced accuracy of T for all teams that follow the rules: {named}."
            )
            yield warning("stage-t0", "T0", message)
        else:
            sentence = (
                "patients with T0 in the truth are left out of the T stage score by --t0 exclude "
                f"({at_zero.size}): {named}."
            )
            yield note("stage-t0", "T0", sentence)
    if not (taking_part >= 0).any():
        return
    support = np.bincount(taking_part[taking_part >= 0], minlength=len(STAGES[kind]))
    for name, n in zip(STAGES[kind], support.tolist(), strict=True):
        if n == 0 and name != "T0":
            yield warning(
                "absent-class", name, f"no patient of the truth is {name}: the mean recall leaves {name} out."
            )
        elif 0 < n < SMALL_CLASS and replicates.values:
            width = consequence("interval of the recall", n, replicates.kind)
            yield warning("few-cases-in-class", name, f"{n} patient{'s' * (n > 1)}: {width}.")


def _prognosis(evaluation: HecktorEvaluation, metrics: Mapping[str, float]) -> Iterator[Finding]:
    truth, direction = evaluation.truth, evaluation.options.prognosis_direction
    events = int(np.nansum(truth.event[truth.has_survival]))
    if 0 < events < FEW_EVENTS:
        sentence = (
            f"{events} event{'s' * (events > 1)}: with fewer than {FEW_EVENTS}, the C-index is very "
            "uncertain."
        )
        yield warning("few-events", "prognosis", sentence)
    if metrics["c_index"] < SUSPECT_C_INDEX and metrics["c_index_flipped"] > metrics["c_index"]:
        message = (
            f"the C-index is {metrics['c_index']:.4f}, and {metrics['c_index_flipped']:.4f} with the sign of "
            "every score reversed: are times read as risks, or risks as times? The organizers' template "
            "writes a risk to "
            "rfs.json, but rfs.json is read as a time. See --prognosis-direction."
        )
        now = chosen(evaluation.submission.scores, direction) if direction == "auto" else direction
        other, noun = ("risk", "risks") if now == "time" else ("time", "times")
        label = f"Scores as {noun}: C-index {metrics['c_index_flipped']:.4f}"
        fix = SuggestedFix(label, InputChanges(options=(("prognosis_direction", other),)))
        yield warning("direction-suspect", "c_index", message).with_fixes(fix)


PAIRS = {
    "non-concordant": "their pairs counted as lost",
    "half": "their pairs counted half",
    "exclude": "their pairs left out",
}
"""Value of the option `missing_risk` -> words that say how pairs count in which a patient has no score."""


def official(evaluation: HecktorEvaluation, score: float) -> Official:
    """Return whether a score was computed by the published rules; if not, also the score by these rules.
    `score` is the score of the evaluation, NaN if undefined."""
    options = evaluation.options
    usual = HecktorOptions()
    changed = [name for name in CHOICES if getattr(options, name) != getattr(usual, name)]
    if not changed:
        return Official.compare(score, score)
    labels = {option.name: option.label for option in OPTIONS}
    changes = ", ".join(
        f"{labels[name]}: {getattr(options, name)} instead of {getattr(usual, name)}" for name in changed
    )
    published = float(replace(evaluation, options=usual).point["score"][0])
    return Official.compare(score, published, f"The rules differ from the published rules ({changes}).")


def missing_words(evaluation: HecktorEvaluation, metrics: Mapping[str, Any]) -> str:
    """Return a text that says which parts are missing or unusable; "" if there are none."""
    truth, staged = evaluation.truth, {k: codes >= 0 for k, codes in evaluation.true_stages.items()}
    lacking = (
        ("masks", ("n_missing_masks", "n_malformed_masks"), truth.has_mask, "counted as empty"),
        ("T stages", ("n_missing_t",), staged["t"], "counted as wrong"),
        ("N stages", ("n_missing_n",), staged["n"], "counted as wrong"),
        ("risk scores", ("n_missing_risk",), truth.has_survival, PAIRS[evaluation.options.missing_risk]),
    )
    counted = [(noun, sum(int(metrics[name]) for name in names), of, how) for noun, names, of, how in lacking]
    return "; ".join(
        f"{n} of {int(of.sum())} {noun} missing or unusable, {how}" for noun, n, of, how in counted if n
    )
