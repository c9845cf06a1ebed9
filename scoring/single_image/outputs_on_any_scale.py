"""Outputs of a model on any scale, for display: an official challenge may refuse outputs for their scale."""

from collections.abc import Callable, Iterable
from typing import Any

from scoring.challenges import load_challenge
from scoring.common.findings import InputRefused
from scoring.core.challenge import Context, Model
from scoring.core.options import complete
from scoring.core.submission import Predictions

REFUSED_SCALE = "model-output"


def scale_refusal(predictions: Predictions | None, refused: InputRefused | None) -> str:
    """Return why an official challenge refuses the scale of a model's outputs; "" if it does not, or if it
    refuses the model for more than the scale."""
    if refused is not None:
        messages = _about_scale(refused.problems)
        return messages[0] if len(messages) == len(refused.problems) else ""
    return next(iter(_about_scale(() if predictions is None else predictions.faults)), "")


def _about_scale(findings: Iterable[Any]) -> list[str]:
    return [finding.message for finding in findings if finding.code == REFUSED_SCALE]


def raw_predictions(
    challenge_id: str,
    model: Model,
    cases: Any,
    name: str | None = None,
    progress: Callable[[int, int], object] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Predictions:
    """Run a model on every case, and return its outputs unchanged. They are for display, never for a score.

    Raises:
        InputRefused: If the model or an image cannot be used.
        scoring.inference.model_pool.Cancelled: If the run is cancelled.
    """
    challenge = load_challenge(challenge_id)
    options = complete(challenge.options_of("predict"), {})
    how = Context(name, options, progress, cancelled, any_scale=True)
    predictions: Predictions = challenge.models("--model").predict(model, cases, how)
    return predictions
