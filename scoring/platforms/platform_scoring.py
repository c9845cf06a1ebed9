"""Scoring inside a container of Grand Challenge, Codabench or EvalAI.

Grand Challenge: reads `/input`, writes `/output/metrics.json`. The platform adds `inputs.json` to the
submission. A phase that runs algorithms provides `predictions.json`, the list of jobs, and their outputs in
`<pk>/output/`. A phase that accepts prediction files provides the file or its content. The truth is uploaded
to the phase, apart from the container, and appears in `/opt/ml/input/data/ground_truth`.

Codabench: reads `input/res` and `input/ref`, writes `output/scores.json` and `output/detailed_results.html`.

EvalAI: the bundle's remote worker sends the result of `score_evalai`.
"""

import json
from pathlib import Path
from typing import Any

from markupsafe import escape

from scoring.common.direction_and_range import SCORE
from scoring.common.text import as_json
from scoring.inputs.grand_challenge_jobs import INPUTS as INPUTS_LISTING
from scoring.inputs.grand_challenge_jobs import as_table
from scoring.inputs.sources import open_source
from scoring.platforms.evaluation import (
    EvaluationResult,
    PlatformSettings,
    PlatformSubmission,
    SubmissionRefused,
    content,
    evaluate,
)
from scoring.platforms.grand_challenge_sockets import answers

INPUT, OUTPUT, TRUTH = Path("/input"), Path("/output"), Path("/opt/ml/input/data/ground_truth")
METRICS = "metrics.json"


def score_grand_challenge(
    settings: PlatformSettings, submitted: Path = INPUT, truth: Path = TRUTH, output: Path = OUTPUT
) -> EvaluationResult:
    """Score a submission on Grand Challenge and write `metrics.json`. Raises SubmissionRefused; nothing is
    written then."""
    result = evaluate(lambda: submission(submitted, settings), truth, settings)
    (output / METRICS).write_text(as_json(result.as_dict()), encoding="utf-8")
    return result


ANSWERS = "results of the jobs"
"""Name in messages for the table that Benchside makes from the answers of the jobs."""


def submission(folder: Path, settings: PlatformSettings) -> PlatformSubmission:
    """Return a submission in the form that the challenge reads. Raises InputRefused if the files of the
    platform cannot be read as a submission."""
    inputs = settings.challenge.inputs
    path = content(folder, (INPUTS_LISTING,))
    if path.is_file():
        return PlatformSubmission(path)
    files = answers(open_source(path, "submission", inputs.streamed), inputs, settings.sockets)
    table = None if inputs.submission.several else as_table(files, inputs.answers)
    if table is None:
        return PlatformSubmission(files)
    return PlatformSubmission(open_source(table.data, ANSWERS), table.places(ANSWERS))


SCORES, DETAILS = "scores.json", "detailed_results.html"
OF_PLATFORM = ("metadata", "metadata.yaml")
"""Names of files that the platform adds to a submission."""


def score_codabench(settings: PlatformSettings, folder: Path, output: Path) -> EvaluationResult:
    """Score a submission on Codabench and write the result files.

    Args:
        folder: The folder that contains `res` and `ref`.

    Raises:
        SubmissionRefused: If the submission cannot be scored; it lists all problems, and so do the detailed
            results. No scores are written then.
    """
    try:
        result = evaluate(
            lambda: PlatformSubmission(content(folder / "res", OF_PLATFORM)), folder / "ref", settings
        )
    except SubmissionRefused as refused:
        (output / DETAILS).write_text(_page(f"<pre>{escape(refused)}</pre>"), encoding="utf-8")
        raise
    (output / SCORES).write_text(json.dumps(result.numbers, allow_nan=False) + "\n", encoding="utf-8")
    (output / DETAILS).write_text(_details(result), encoding="utf-8")
    return result


def _details(result: EvaluationResult) -> str:
    """Return the full report of a public truth, of a hidden one the score."""
    if result.settings.is_public:
        from scoring.presentation.html import html

        return html(result.card)
    value = result.as_dict()
    rows = [
        f"<tr><th>{escape(name)}</th><td>{number}</td></tr>"
        for name, number in {"score": value["score"], **value["metrics"]}.items()
    ]
    return _page(f"<table>{''.join(rows)}</table><p>{value['n_cases']} cases</p>")


def _page(body: str) -> str:
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Result</title>'
    return f"{head}<body>{body}</body></html>\n"


def score_evalai(
    truth: Path, submitted: Path, phase_codename: str, settings: PlatformSettings
) -> dict[str, Any]:
    """Score a submission for EvalAI's remote worker.

    Args:
        truth: The folder with the test set.
        phase_codename: Code name of the phase; the split in the result gets the same name.

    Returns:
        `result` and `metadata`, which the platform's `update_submission` needs.

    Raises:
        SubmissionRefused: If the submission cannot be scored; it lists all problems, which the platform shows
            to the participant.
    """
    result = evaluate(lambda: PlatformSubmission(submitted), truth, settings)
    columns = (SCORE, *settings.metrics)
    accuracies = {name: value for name, value in result.numbers.items() if name in columns}
    split = {"split": phase_codename, "show_to_participant": True, "accuracies": accuracies}
    return {"result": [split], "metadata": {"benchside": result.as_dict()["version"]}}
