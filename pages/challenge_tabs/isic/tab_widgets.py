"""Tabs with widgets on the ISIC page: choice of the malignant categories, thresholds, cases, message of the
official scorer."""

from functools import partial

import pandas as pd
import streamlit as st

import scoring
from pages.challenge import case_table, scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs.shared_widgets import threshold_buttons
from pages.display import downloads, layout, tables
from pages.input_widgets.selectors import ChosenInput
from pages.server import url_state
from scoring.challenges.isic import card_summary, official_rejections, thresholds
from scoring.challenges.isic.category_views import malignant, scores
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Fact
from scoring.presentation.figures.theme import short


@st.fragment
def malignant_tab(scored: ScoredSubmission) -> None:
    """Draw the choice of malignant categories. A fragment: another grouping redraws only this tab."""
    choice_column, curve_column = st.columns([2, 3], gap="large")
    with choice_column:
        layout.heading("Which categories are malignant?")
        chosen = st.multiselect(
            "Malignant",
            list(scored.card.per_class),
            default=scored.card.more["malignant"],
            key="malignant",
            bind="query-params",
            persist_state="page",
        )
        facts, why, curve = malignant(scored.card, chosen)
        scored_submission.block(facts)
        scored_submission.block(why)
    with curve_column:
        scored_submission.block(curve, scored, f"malignant/{chosen}")


def threshold_tab(scored: ScoredSubmission) -> None:
    """Draw the benefit of tuned thresholds, and a threshold for each category with its results."""
    for number, block in enumerate(scoring_run.of_card("isic_tuning", scored, thresholds.tuning)):
        scored_submission.block(block, scored, f"tuning/{number}")
    _sliders(scored)
    st.caption(
        "A file of rescaled scores: with it, the official threshold 0.5 gives the same decisions as these "
        "thresholds. Each score p "
        "is rescaled around its "
        "threshold t: up to t it becomes 0.5 p/t, above t 0.5 + 0.5 (p − t)/(1 − t). The order within a "
        "category stays the same, but another category can have the largest score: check the balanced "
        "accuracy above before you submit the file."
    )


@st.fragment
def _sliders(scored: ScoredSubmission) -> None:
    """A move repaints this and nothing else."""
    card = scored.card
    sliders_column, figure_column = st.columns([2, 3], gap="large")
    with sliders_column:
        layout.heading("Which threshold for each category?")
        _buttons(scored)
        chosen = _thresholds(card)
    with figure_column:
        for block in thresholds.table_at(card, chosen):
            scored_submission.block(block)
        name = url_state.select("Category in the figure", list(card.per_class), "swept", 240)
        sweep = scoring_run.of_card(f"isic_sweep_{name}", scored, lambda of: thresholds.sweep(of, name))
        scored_submission.block(thresholds.sweep_blocks(card, sweep, name, chosen[name]))
    rescaled = partial(thresholds.rescaled_table, card, chosen, scored.truth.id_name)
    name = f"{scored.name.rsplit('.', 1)[0]}-rescaled.csv"
    downloads.button("Rescaled predictions", rescaled, name, "download_rescaled")


def _buttons(scored: ScoredSubmission) -> None:
    best = scoring_run.of_card("isic_best", scored, thresholds.best)
    with st.container(horizontal=True, gap="small"):
        threshold_buttons(
            "All at 0.5",
            "to_half",
            {f"cut_{name}": 0.5 for name in best},
            {f"cut_{name}": threshold for name, threshold in best.items()},
            "Sets the threshold of each category to the value with the highest F1 on these cases. Expect "
            "a lower F1 on "
            "new cases.",
        )


def _thresholds(card: ScoreCard) -> dict[str, float]:
    with st.grid(min_column_width=200, gap="small"):
        return {
            name: st.slider(
                markdown(short(name)),
                0.0,
                1.0,
                0.5,
                0.005,
                format="%.3f",
                key=f"cut_{name}",
                bind="query-params",
                persist_state="page",
            )
            for name in card.per_class
        }


def case_rows(card: ScoreCard) -> pd.DataFrame:
    """Return one row per case: truth, its predicted class, and all scores."""
    outputs = pd.DataFrame(card.arrays["outputs"], columns=[f"score {name}" for name in card.per_class])
    return pd.concat([pd.DataFrame(list(card.cases)), outputs], axis=1)


def all_cases(scored: ScoredSubmission) -> None:
    """Draw the table of cases, and pixels and scores of the chosen one."""
    columns = {
        "case": tables.text_column("case"),
        "truth": tables.text_column("truth"),
        "predicted": tables.text_column("predicted"),
        "truth_score": tables.number_column("score of the true class", 3, better="higher"),
        "weight": tables.number_column("weight", 2),
    }
    how = (
        "Resized in one step (bilinear) to the model's size, even if the shape changes. EXIF orientation is "
        "ignored. Values are divided by 255. If a lesion has several photographs, the first one is shown."
    )
    case_table.table_and_case(scored, case_rows, columns, case_table.pixels_and_block(how, scores))


SHARED_MESSAGES = 32


def preflight_tab(scored: ScoredSubmission) -> None:
    """Draw the download of fixed predictions, and the inputs and outputs of a model."""
    card, model = scored.card, scored.card.more.get("model")
    fixed = partial(card_summary.fixed_predictions, card, scored.truth.id_name)
    name = f"{scored.name.rsplit('.', 1)[0]}-fixed.csv"
    downloads.button("Fixed predictions", fixed, name, "download_fixed")
    st.caption(
        "The same predictions in a file with the ids, columns and number format that the official scorer "
        "accepts."
    )
    if model is not None:
        layout.facts(
            [
                Fact("IR version", str(model["ir_version"])),
                Fact("Opset", str(model["opset"])),
                Fact("Outputs are", str(model["output_kind"])),
                Fact("Nodes", str(model["nodes"])),
            ]
        )
        scored_submission.tensors(model)
        scored_submission.remarks(card, ("category-order", "constant-output", "small-image", "alpha-dropped"))


def official_message(test_set: ChosenInput, submission: ChosenInput) -> None:
    """Draw the official scorer's single message about refused files; the page lists all problems above."""
    if submission.is_model:
        return
    layout.heading("What would the official scorer report?")
    outcome = _message(
        scoring.__version__, test_set.key, (submission.key, submission.name), test_set, submission
    )
    if outcome.refused is not None:
        st.markdown(
            "The official scorer could not open the files, or it needs more time or memory than this server "
            "allows."
        )
    elif outcome.value:
        st.markdown(f"The official scorer would report only this: “{markdown(outcome.value, 600)}”")
    else:
        st.markdown(
            "The official scorer would accept the predictions, because it does not check for the "
            "problems that Benchside refused."
        )


@st.cache_resource(max_entries=SHARED_MESSAGES, show_spinner=False)
def _message(
    version: str,
    truth_key: str,
    submission_key: tuple[str, str],
    _test_set: ChosenInput,
    _submission: ChosenInput,
) -> scoring_run.Outcome:
    return scoring_run.attempt(
        official_rejections.message, _submission.source, _test_set.source, _submission.name
    )
