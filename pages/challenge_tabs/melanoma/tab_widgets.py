"""Tabs with widgets on the Melanoma page: thresholds, missed melanomas, net benefit at another prevalence,
all cases, and what the official code does with the files."""

import pandas as pd
import streamlit as st

from pages.challenge import case_table, scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs.shared_widgets import threshold_buttons
from pages.display import layout, tables
from scoring.challenges.classification_views import method
from scoring.challenges.melanoma import threshold_views, views
from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.challenges.melanoma.threshold import best_threshold, threshold_range
from scoring.challenges.melanoma.views import NAMES, calls, case_score
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Fact, Facts, Text

USUAL_WISH = 0.9
"""Initial value of the required sensitivity or specificity."""


def threshold_tab(scored: ScoredSubmission) -> None:
    """Draw the threshold slider with everything that changes with it, and the cost of a required sensitivity
    or specificity."""
    _chosen(scored)
    _wanted(scored)


@st.fragment
def _chosen(scored: ScoredSubmission) -> None:
    """A move repaints this and nothing else."""
    best = scoring_run.of_card("melanoma_best", scored, best_threshold)
    threshold = _threshold(scored.card, best)
    if threshold == THRESHOLD:
        for number, block in enumerate(scoring_run.of_card("melanoma_official", scored, _at_official)):
            scored_submission.block(block, scored, f"threshold/official/{number}")
        return
    for block in threshold_views.chosen(scored.card, threshold, best):
        scored_submission.block(block)


def _at_official(card: ScoreCard) -> tuple[Block, ...]:
    return threshold_views.chosen(card, THRESHOLD, best_threshold(card))


def _threshold(card: ScoreCard, best: float | None) -> float:
    """Draw the slider with its buttons and return the threshold."""
    low, high = threshold_range(card)
    if not low <= st.session_state.get("threshold", low) <= high:
        st.session_state["threshold"] = THRESHOLD  # chosen for another submission, whose scores reach further
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        threshold = st.slider(
            "Threshold: cases with a higher score are predicted as melanoma",
            low,
            high,
            THRESHOLD,
            (high - low) / 1000,
            format="%.3f",
            key="threshold",
            bind="query-params",
            persist_state="page",
        )
        threshold_buttons(
            "Official 0.5",
            "to_official",
            {"threshold": THRESHOLD},
            None if best is None else {"threshold": min(max(best, low), high)},
        )
    return threshold


@st.fragment
def _wanted(scored: ScoredSubmission) -> None:
    """Choose a sensitivity and a specificity. A move repaints this and nothing else."""
    layout.heading("Which specificity is possible at a required sensitivity, and the reverse?")
    for column, wanted in zip(st.columns(2, gap="large"), ("sensitivity", "specificity"), strict=True):
        with column:
            value = st.slider(
                f"Required {wanted} (at least)",
                0.5,
                1.0,
                USUAL_WISH,
                0.01,
                format="%.2f",
                key=f"wanted_{wanted}",
                bind="query-params",
                persist_state="page",
            )
            scored_submission.block(_cost(scored, wanted, value))
    st.caption(method(scored.card))


def _cost(scored: ScoredSubmission, wanted: str, value: float) -> Facts | Text:
    if value != USUAL_WISH:
        return threshold_views.cost(scored.card, wanted, value)
    return scoring_run.of_card(
        f"melanoma_{wanted}", scored, lambda card: threshold_views.cost(card, wanted, value)
    )


def missed_tab(scored: ScoredSubmission) -> None:
    """Draw the predictive values of a positive prediction, and links to the wrong cases."""
    scored_submission.block(calls(scored.card))
    (_, alarms), (missed, _) = scored.card.confusion[1]
    with st.container(horizontal=True, gap="small"):
        case_table.lead("missed melanomas", missed, of_truth="positive", of_called="negative")
        case_table.lead("false alarms", alarms, of_truth="negative", of_called="positive")
    _worth(scored)


PREVALENCES = {"as in the test set": None, "1%": 0.01, "2%": 0.02, "5%": 0.05, "10%": 0.1, "20%": 0.2}


def _worth(scored: ScoredSubmission) -> None:
    """Draw the predictive values of a positive prediction at the chosen prevalence."""
    chosen = _chosen_prevalence()
    block = scoring_run.of_card(
        f"melanoma_worth_{chosen}", scored, lambda card: views.in_practice(card, PREVALENCES[chosen])
    )
    scored_submission.block(block)
    share = "as in the test set" if PREVALENCES[chosen] is None else chosen
    st.caption(
        f"Share of people with a melanoma: {share}. Sensitivity and specificity come from the test set. "
        f"{method(scored.card)}"
    )


def benefit_tab(scored: ScoredSubmission) -> None:
    """Draw the net benefit at the chosen prevalence."""
    chosen = _chosen_prevalence() if "reliability_n" in scored.card.arrays else "as in the test set"
    blocks = scoring_run.of_card(
        f"melanoma_benefit_{chosen}", scored, lambda card: views.benefit(card, PREVALENCES[chosen])
    )
    for block in blocks:
        scored_submission.block(block, scored, f"benefit/{chosen}")


def _chosen_prevalence() -> str:
    """Draw the choice of a prevalence, the same on every tab."""
    return st.segmented_control(
        "Share of people with a melanoma",
        list(PREVALENCES),
        key="prevalence",
        bind="query-params",
        persist_state="page",
        required=True,
        default=next(iter(PREVALENCES)),
        help="The share of melanomas is far higher in test sets than in the population.",
    )


def case_rows(card: ScoreCard) -> pd.DataFrame:
    """Return one row per case."""
    return pd.DataFrame(
        [{**c, "truth": NAMES[c["truth"]], "predicted": NAMES[c["predicted"]]} for c in card.cases]
    )


def all_cases(scored: ScoredSubmission) -> None:
    """Draw the table of cases, and pixels and score of the chosen one."""
    columns = {
        "case": tables.text_column("case"),
        "truth": tables.text_column("truth"),
        "predicted": tables.text_column("predicted"),
        "output": tables.number_column("score", 4),
        "age": tables.number_column("age", 0),
        "gender": tables.text_column("gender"),
        "location": tables.text_column("body site"),
    }
    how = (
        "Resized in one step (bicubic) to the model's size, even if the shape changes. EXIF orientation is "
        "ignored. Values are divided by 255."
    )
    case_table.table_and_case(scored, case_rows, columns, case_table.pixels_and_block(how, case_score))


ZERO = "would give score 0, because a prediction is missing or is not a number"
VERDICTS = {
    "official-run-cancelled": "would cancel the whole run",
    "official-score-zero": "would give every model the score 0",
    "official-other-table": "would read a different table from the one that Benchside read",
    "image-elsewhere": "would not find images in other folders, and give every model the score 0",
    "label-spelling": "would count positives that are not spelled True as negative",
    "one-class-truth": "would yield NaN, because the truth has only one class",
    "several-score-columns": "would use the first column of scores, whatever its content",
    "missing-case": ZERO,
    "missing-value": ZERO,
    "not-finite": ZERO,
    "ir-version": "would refuse the model (IR version)",
    "opset-version": "would refuse the model (opset)",
    "adapted-input": "would refuse the model (its input)",
    "input-size": "would feed 224 × 224 pixels, and the model would fail",
    "fixed-batch-1": "would have failed until 2025, because until then the challenge fed images in blocks "
    "of 200",
    "two-column-output": "would score the first of several output columns",
    "logits": "would compare the raw output with 0.5, even if it is a logit",
}
"""Finding code -> what the official code does, as "It ..."."""
REMARKS = (
    "two-column-output",
    "input-size",
    "fixed-batch-1",
    "logits",
    "constant-output",
    "small-image",
    "alpha-dropped",
)


def preflight_tab(scored: ScoredSubmission) -> None:
    """Draw whether the official code would run the model and read the tables."""
    card, model = scored.card, scored.card.more.get("model")
    scored_submission.verdicts(
        card,
        "What would the official code report?",
        VERDICTS,
        "It **would read these files** without an error" + (" and **run this model**." if model else "."),
    )
    if model is None:
        st.caption("The submission is a prediction file, so its model is unknown.")
        return
    layout.facts(
        [
            Fact("Size", f"{model['size_mib']:.2f} MiB", "not scored"),
            Fact("IR version", str(model["ir_version"]), "official code: up to 10"),
            Fact("Opset", str(model["opset"]), "official code: up to 21"),
            Fact("Outputs are", str(model["output_kind"])),
            Fact("Nodes", str(model["nodes"])),
        ]
    )
    scored_submission.tensors(model)
    scored_submission.remarks(card, REMARKS)
