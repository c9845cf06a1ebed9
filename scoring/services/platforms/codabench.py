"""Scoring program of Codabench: reads `input/res` and `input/ref`, writes `output/scores.json` and
`output/detailed_results.html`."""

import json
from pathlib import Path

from markupsafe import escape

from scoring.services.platforms.evaluation import EvaluationResult, SubmissionRefused, content, evaluate
from scoring.services.platforms.settings import PlatformSettings

SCORES, DETAILS = "scores.json", "detailed_results.html"
OF_PLATFORM = ("metadata", "metadata.yaml")
"""Files that the platform puts beside a submission."""


def run(settings: PlatformSettings, place: Path, output: Path) -> EvaluationResult:
    """Score a submission and write the result files.

    Args:
        settings: How to score.
        place: The folder that holds `res` and `ref`.
        output: Where to write.

    Raises:
        Refused: With everything that is wrong; the detailed results say it too, and there are no scores.
    """
    try:
        result = evaluate(lambda: content(place / "res", OF_PLATFORM), place / "ref", settings)
    except SubmissionRefused as refused:
        (output / DETAILS).write_text(_page(f"<pre>{escape(refused)}</pre>"), encoding="utf-8")
        raise
    (output / SCORES).write_text(json.dumps(result.numbers, allow_nan=False) + "\n", encoding="utf-8")
    (output / DETAILS).write_text(_details(result), encoding="utf-8")
    return result


def _details(result: EvaluationResult) -> str:
    """Return the full report of a public truth, of a hidden one score and interval."""
    if result.settings.is_public:
        from scoring.presentation.html import html

        return html(result.card)
    value = result.as_dict()
    rows = [
        f"<tr><th>{escape(name)}</th><td>{number}</td><td>{_span(value['intervals'].get(name))}</td></tr>"
        for name, number in {"score": value["score"], **value["metrics"]}.items()
    ]
    head = "<tr><th></th><th>value</th><th>95% interval</th></tr>"
    return _page(f"<table>{head}{''.join(rows)}</table><p>{value['n_cases']} cases</p>")


def _span(pair: list[float] | None) -> str:
    return f"{pair[0]} to {pair[1]}" if pair else ""


def _page(body: str) -> str:
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Result</title>'
    return f"{head}<body>{body}</body></html>\n"
