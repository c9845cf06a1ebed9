"""Tabs with widgets on the TRICORDER-3 page: mistakes, all cases, and outputs for another age, sex or body
site."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import scoring
from pages.challenge import case_table as cases
from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout, tables
from scoring.challenges.tricorder3.formula import CLASSES
from scoring.challenges.tricorder3.model import SWEEP_AGES, SWEEP_SITES
from scoring.challenges.tricorder3.views import are_probabilities
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Fact, Figure, SideBySide, Text
from scoring.presentation.figures.model_outputs import (
    AGE_SWEPT,
    Sweep,
    output_bars,
    setting_dots,
    sweep_lines,
)
from scoring.presentation.figures.theme import Theme

ID = "tricorder3"
CHALLENGE = scoring.load_challenge(ID)
RISKS = CHALLENGE.display.class_risks
HARM = (("malignant", "benign"), ("malignant", "medium"))
"""Pairs of the true risk group and the predicted risk group that are harmful errors."""


def mistakes(scored: ScoredSubmission) -> None:
    """Draw links to the cases of each kind of mistake."""
    matrix = scored.card.more["risk_matrix"]
    of = {group: matrix["labels"].index(group) for pair in HARM for group in pair}
    with st.container(horizontal=True, gap="small"):
        for truth, called in HARM:
            if count := matrix["counts"][of[truth]][of[called]]:
                groups = [f"truth risk: {truth}", f"predicted risk: {called}"]
                cases.lead(f"{truth} predicted as {called}", count, of_groups=groups)
        cases.lead("all mistakes", sum(not case["correct"] for case in scored.card.cases), cases="mistakes")


CASE_COLUMNS = {
    "case": "case",
    "truth": "truth",
    "predicted": "called",
    "truth_score": "output of the true class",
    "truth_risk": "risk",
    "predicted_risk": "predicted risk",
    "age": "age",
    "gender": "gender",
    "location": "body site",
}
"""Columns of the table of cases, and their headings."""
DECIMALS = {"truth_score": 3, "age": 0}


def case_table(card: ScoreCard) -> pd.DataFrame:
    """Return a row per case: facts, its predicted class, and the outputs."""
    keys = (
        "case",
        "truth",
        "predicted",
        "correct",
        "truth_risk",
        "predicted_risk",
        "age",
        "gender",
        "location",
        "truth_score",
    )
    outputs = [c["outputs"] or [None] * len(CLASSES) for c in card.cases]
    rows = [[c[key] for key in keys] + values for c, values in zip(card.cases, outputs, strict=True)]
    return pd.DataFrame(rows, columns=[*keys, *CLASSES])


def all_cases(scored: ScoredSubmission) -> None:
    """Draw all cases, and the model's input for the chosen case."""
    columns = {
        key: tables.number_column(head, DECIMALS[key]) if key in DECIMALS else tables.text_column(head)
        for key, head in CASE_COLUMNS.items()
    }
    cases.table_and_case(scored, case_table, columns, received)


def received(scored: ScoredSubmission, index: int) -> None:
    """Draw the model's input and outputs for a case."""
    card, case = scored.card, scored.card.cases[index]
    pixels_column, outputs_column = st.columns([1, 1], gap="large")
    with pixels_column:
        cases.pixels(
            scored,
            index,
            (
                "Resized to 512 × 512, then to the size that the model declares, even if the shape changes. "
                "EXIF orientation is ignored. Values are divided by 255."
            ),
        )
        age, gender, location = case["encoded"]
        layout.facts(
            [
                Fact("Age", f"{age:g}", "missing" if case["age"] is None else "years"),
                Fact("Gender", f"{gender:g}", case["gender"] or "unknown"),
                Fact("Body site", f"{location:g}", case["location"] or "unknown"),
            ]
        )
        st.caption("Age, gender and body site as the numbers that the model receives.")
    with outputs_column:
        for number, block in enumerate(outputs(card, case)):
            scored_submission.block(block, scored, f"outputs/{index}/{number}")
    if scored.submission.is_model and st.toggle(
        "Change age, gender and body site", key="what_if", bind="query-params"
    ):
        what_if(case, scored.truth, scored.submission, scored.truth_key, index)


def outputs(card: ScoreCard, case: Mapping) -> Iterator[Block]:
    """Yield the model's outputs for a case."""
    if not case["outputs"]:
        yield Text(
            "The submission has no outputs for this case, only a label or nothing.",
            "note",
            "What did the model predict?",
        )
        return
    drawn = partial(_bars, case)
    yield Figure(
        drawn,
        "The eleven raw outputs of the model. For the score, only the class with the largest output counts.",
        {"class": list(CLASSES), "output": case["outputs"]},
    )
    if not are_probabilities(card):
        yield Figure(
            partial(drawn, normalised=True),
            "The outputs as probabilities (softmax), for display only: the score does not use them.",
            key="softmax",
        )


def _bars(case: Mapping, theme: Theme, normalised: bool = False) -> go.Figure:
    return output_bars(case["outputs"], CLASSES, theme, RISKS, case["truth"], normalised=normalised)


def what_if(case: Mapping, truth, submission, truth_key: str, index: int) -> None:
    """Draw the outputs for another age, gender or body site."""
    outcome = scoring_run.sweep(ID, truth_key, submission.key, index, truth, submission)
    if outcome.refused:
        st.info(markdown(outcome.refused), icon=":material/info:")
        return
    swept = outcome.value

    def settings(names: Sequence[str], key: str, question: str) -> Figure:
        sweep = Sweep(names, swept[key], CLASSES, case[key] or "unknown", RISKS)
        return Figure(lambda theme: setting_dots(sweep, theme, question), "The value of this case is bold.")

    ages = Sweep(SWEEP_AGES, swept["age"], CLASSES, case["encoded"][0], RISKS)
    older = Figure(
        lambda theme: sweep_lines(ages, theme, "What if the patient were older?", "age in years"),
        AGE_SWEPT,
    )
    gender = settings(["male", "female", "unknown"], "gender", "What if the gender were different?")
    site = settings(SWEEP_SITES, "location", "What if the lesion were on another body site?")
    scored_submission.block(SideBySide(((older,), (gender,), (site,)), (1, 1, 1)))
