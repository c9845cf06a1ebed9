"""What the official code would do with the files of a Melanoma submission, and what its model takes."""

import streamlit as st

from pages.challenge import scored_submission
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from scoring.core.views import Fact

ZERO = "would give score 0, for a prediction is missing or no number"
VERDICTS = {
    "official-run-cancelled": "would cancel the whole run",
    "official-score-zero": "would give every model the score 0",
    "label-spelling": "would count positives that are not spelled True as negative",
    "one-class-truth": "would yield NaN, for the truth has one class only",
    "several-score-columns": "would take the first column of scores, whatever it holds",
    "missing-case": ZERO,
    "missing-value": ZERO,
    "not-finite": ZERO,
    "ir-version": "would refuse the model (IR version)",
    "opset-version": "would refuse the model (opset)",
    "input-size": "would feed 224 × 224 pixels, and the model would fail",
    "fixed-batch-1": "would have failed until 2025, when blocks of 200 images were fed",
    "two-column-output": "would score the first of several output columns",
    "logits": "would compare the raw output with 0.5, logit or not",
}
"""Finding code -> what the official code does then, as "It ..."."""
REMARKS = (
    "two-column-output",
    "input-size",
    "fixed-batch-1",
    "logits",
    "constant-output",
    "small-image",
    "alpha-dropped",
)


def official_run(shown: ScoredSubmission) -> None:
    """Draw whether the official code would run the model and read the tables."""
    card, model = shown.card, shown.card.more.get("model")
    scored_submission.verdicts(
        card,
        "What would the official code do?",
        VERDICTS,
        "It **would read these files** without complaint" + (" and **run this model**." if model else "."),
    )
    if model is None:
        st.caption("The submission is a prediction file: nothing is known of its model.")
        return
    layout.facts(
        [
            Fact("Size", f"{model['size_mib']:.2f} MiB", "not scored"),
            Fact("IR version", str(model["ir_version"]), "up to 10 there"),
            Fact("Opset", str(model["opset"]), "up to 21 there"),
            Fact("Outputs are", str(model["output_kind"])),
            Fact("Nodes", str(model["nodes"])),
        ]
    )
    scored_submission.tensors(model)
    scored_submission.remarks(card, REMARKS)
