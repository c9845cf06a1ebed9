"""Evaluation script of EvalAI: the value that its `evaluate` returns."""

from pathlib import Path
from typing import Any

from scoring.services.platforms.evaluation import evaluate
from scoring.services.platforms.settings import PlatformSettings


def evaluation(
    test_annotation_file: str, user_submission_file: str, phase_codename: str, settings: PlatformSettings
) -> dict[str, Any]:
    """Score a submission.

    Args:
        test_annotation_file: The truth: a table or a zip.
        user_submission_file: The submission.
        phase_codename: Of the phase; its split has the same name.
        settings: How to score.

    Returns:
        `result`, a dictionary of leaderboard columns for the split; `submission_result`, the same for the
        participant's file.

    Raises:
        Refused: With everything that is wrong; the platform shows it to the participant.
    """
    result = evaluate(lambda: Path(user_submission_file), Path(test_annotation_file), settings)
    numbers = result.numbers
    return {
        "result": [{phase_codename: numbers}],
        "submission_result": numbers,
        "submission_metadata": {"benchside": result.as_dict()["version"]},
    }
