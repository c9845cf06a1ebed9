"""Masks, stages, scores and whole subtasks that a submission lacks."""

from collections.abc import Iterable, Iterator

import numpy as np

from scoring.challenges.hecktor2026 import stages
from scoring.challenges.hecktor2026.formula import STAGES, T0
from scoring.challenges.hecktor2026.options import HecktorOptions
from scoring.challenges.hecktor2026.prognosis import chosen, oriented
from scoring.challenges.hecktor2026.submission import HecktorSubmission
from scoring.challenges.hecktor2026.truth import HecktorTruth
from scoring.common.findings import Finding, warning


def stage_truth(truth: HecktorTruth, kind: str, options: HecktorOptions) -> np.ndarray:
    """True stages as codes [N], -1 = the patient does not take part."""
    codes = truth.stages[kind]
    return np.where(codes == T0, stages.MISSING, codes) if kind == "t" and options.t0 == "exclude" else codes


def missing_findings(
    truth: HecktorTruth, submission: HecktorSubmission, options: HecktorOptions
) -> Iterator[Finding]:
    """Yield `subtask-missing`, `missing-mask`, `missing-stage` and `missing-risk`, each naming all
    patients."""
    absent = truth.has_mask & (np.array(submission.masks.states) == "missing")
    if truth.has_mask.any() and not submission.contents.layout.masks:
        yield _subtask("segmentation", "there is no mask: every mask counts as empty.")
    elif absent.any():
        yield _missing("missing-mask", "masks", _named(truth, absent), "no mask, counted as empty")
    for kind in STAGES:
        takes_part, submitted = stage_truth(truth, kind, options) >= 0, submission.stages[kind]
        if not takes_part.any():
            continue
        if submitted is None:
            words = f"there is no {kind.upper()} stage: every one counts as wrong."
            yield _subtask(f"{kind.upper()} stage", words).mended_by(*submission.near.get(kind, ()))
        elif (lacking := takes_part & (submitted == stages.MISSING)).any():
            yield _missing(
                "missing-stage",
                f"{kind.upper()} stage",
                _named(truth, lacking),
                f"no {kind.upper()} stage, counted as wrong",
            )
    column = chosen(submission.scores, options.prognosis_direction)
    if truth.has_survival.any() and column is None:
        near = (*submission.near.get("risk", ()), *submission.near.get("time", ()))
        yield _subtask("prognosis", "there is no column of scores: none of the patients has one.").mended_by(
            *near
        )
    elif truth.has_survival.any() and column is not None:
        scores = oriented(submission.scores, options.prognosis_direction, len(truth))
        lacking = truth.has_survival & np.isnan(scores) & ~submission.scores[column].unusable
        if lacking.any():
            rule = {
                "non-concordant": "count as non-concordant",
                "half": "count half",
                "exclude": "are left out",
            }[options.missing_risk]
            yield _missing(
                "missing-risk", "prognosis", _named(truth, lacking), f"no score, so pairs with them {rule}"
            )


def _subtask(where: str, words: str) -> Finding:
    return warning("subtask-missing", where, words)


def _missing(code: str, where: str, patients: list[str], words: str) -> Finding:
    return warning(code, where, f"{words} ({len(patients)}): {', '.join(patients)}.")


def _named(truth: HecktorTruth, chosen_patients: Iterable[bool]) -> list[str]:
    return [patient for patient, is_chosen in zip(truth.ids, chosen_patients, strict=True) if is_chosen]
