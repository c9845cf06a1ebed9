"""Models as the official validator runs them: limits, messages, and cases that have images."""

from collections.abc import Iterable
from dataclasses import replace

from scoring.challenges.safe_scan.cases import SafeScanCases
from scoring.challenges.safe_scan.tables import CODES
from scoring.common.arrays import Floats, Ints
from scoring.common.findings import Finding, InputRefused, ordered
from scoring.core.submission import Predictions
from scoring.inference.challenge_task import Wording, no_images
from scoring.inference.model_contract import Contract
from scoring.inference.preflight import Inspection
from scoring.inference.run_model import ModelRun

CONTRACT = Contract(highest_ir_version=10, highest_opset=21, runtime="the validator's runtime (1.19)")
WORDING = Wording(
    missing_image="Add the image; the validator gives every model the score 0 when one image is missing.",
    unreadable_image="The validator gives every model the score 0 when one image is unreadable.",
    small_image=". Small images are enlarged, as in the validator.",
    transparent_image=". The rules exclude transparency. Benchside removes it, as the validator does.",
    not_finite=(
        ", which the official code reads as the largest value. Fix the model, or let missing cases count "
        "as wrong (--missing wrong)."
    ),
    not_finite_trial=", which the official code reads as the largest value; such cases are refused here.",
    slow="the validator stops the model.",
)
"""Ends of messages that say what the validator does with images and outputs."""


def with_images(cases: SafeScanCases) -> SafeScanCases:
    """Return only the cases that have an image, for trial runs. The full run reports cases without an image.
    Raises InputRefused if no case has one."""
    usable = [i for i, member in enumerate(cases.images) if member is not None]
    if not usable:
        raise InputRefused([no_images(cases.pictures.name)], cases.findings)
    return replace(
        cases, ids=tuple(cases.ids[i] for i in usable), images=tuple(cases.images[i] for i in usable)
    )


def predictions_of(
    run: ModelRun, inspected: Inspection, name: str, outputs: Floats, labels: Ints, about: Iterable[Finding]
) -> Predictions:
    """Return the outputs of a model as `Predictions` for the cases on which it ran.

    Args:
        outputs: Outputs to score [N, K].
        labels: Class numbers [N], -1 if there is none.
    """
    return Predictions(
        name,
        outputs,
        labels,
        faults=tuple(ordered(run.faults, CODES)),
        findings=tuple(ordered([*inspected.findings, *run.findings, *about], CODES)),
        model=inspected.model,
        images=run.images,
    )
