"""Evaluation container of Grand Challenge: reads `/input`, writes `/output/metrics.json`.

A phase that runs algorithms gives `predictions.json`, the list of jobs, and what each wrote in
`<pk>/output/`; a phase that takes prediction files gives the file or its content. The truth is uploaded to
the phase, apart from the container, and lies in `/opt/ml/input/data/ground_truth` then.
"""

import json
from pathlib import Path

from scoring.inputs.jobs import as_table
from scoring.inputs.sources import Source, open_source
from scoring.services.platforms.evaluation import EvaluationResult, content, evaluate
from scoring.services.platforms.settings import PlatformSettings

INPUT, OUTPUT, TRUTH = Path("/input"), Path("/output"), Path("/opt/ml/input/data/ground_truth")
METRICS = "metrics.json"


def run(
    settings: PlatformSettings, submitted: Path = INPUT, truth: Path = TRUTH, output: Path = OUTPUT
) -> EvaluationResult:
    """Score a submission and write `metrics.json`. Raises Refused; nothing is written then."""
    result = evaluate(lambda: submission(submitted, settings), truth, settings)
    text = json.dumps(result.as_dict(), ensure_ascii=False, allow_nan=False, indent=1)
    (output / METRICS).write_text(text + "\n", encoding="utf-8")
    return result


def submission(place: Path, settings: PlatformSettings) -> Source:
    """Return a submission as the challenge reads it. Raises InputRefused."""
    inputs = settings.challenge.inputs
    found = content(place)
    if inputs.submission.several or found.is_file():
        return found
    table = as_table(open_source(found, "submission", inputs.streamed))
    return found if table is None else open_source(table, "answers.csv")
