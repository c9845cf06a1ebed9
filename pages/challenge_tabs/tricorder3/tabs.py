"""Tabs with widgets on the TRICORDER-3 page: mistakes, all cases, another patient."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import scoring
from pages.challenge import case_table as cases
from pages.challenge import scored_submission, scoring_run
from pages.challenge.case_table import UPRIGHT
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs.shared_widgets import case_gallery, n_cases
from pages.display import layout, tables
from scoring.challenges.classification_views import class_name
from scoring.challenges.tricorder3.formula import CLASSES
from scoring.challenges.tricorder3.model import SWEEP_AGES, SWEEP_SITES
from scoring.challenges.tricorder3.views import are_probabilities
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Fact, Figure, SideBySide, Text
from scoring.presentation.figures.numerals import decimal
from scoring.presentation.figures.outputs import Sweep, output_bars, setting_dots, sweep_lines
from scoring.presentation.figures.theme import Theme

ID = "tricorder3"
CHALLENGE = scoring.load_challenge(ID)
RISKS = CHALLENGE.display.class_risks
GALLERIES = {
    "malignant called benign": ("malignant", "benign"),
    "malignant called medium": ("malignant", "medium"),
    "all other mistakes": None,
}


@st.fragment
def mistakes(scored: ScoredSubmission) -> None:
    """Choose a kind of mistake and look at its cases, surest first."""
    card = scored.card
    by_kind = scoring_run.of_card("mistakes", scored, mistaken)
    chosen = st.segmented_control(
        "Mistakes to look at",
        list(GALLERIES),
        key="mistakes",
        bind="query-params",
        required=True,
        default=next((k for k in by_kind if by_kind[k]), "malignant called benign"),
    )
    indices = by_kind[chosen]
    has_outputs = any(card.cases[i]["outputs"] for i in indices)
    order = (
        "" if not has_outputs else ", surest first" if are_probabilities(card) else ", largest output first"
    )
    title = f"{chosen.capitalize()}{order}, {n_cases(len(indices))}"
    caption = _about_pictures(has_outputs, any(scored.truth.images))
    case_gallery(scored, (title, caption), indices, partial(_words_of, card), "gallery")


def mistaken(card: ScoreCard) -> dict[str, list[int]]:
    """Return the cases of each kind of mistake, surest first."""
    by_kind = {kind: [i for i, case in enumerate(card.cases) if _belongs(case, kind)] for kind in GALLERIES}
    return {
        kind: sorted(indices, key=lambda i: -_largest(card.cases[i])) for kind, indices in by_kind.items()
    }


def _largest(case: Mapping) -> float:
    return max(case["outputs"]) if case["outputs"] else -math.inf


def _about_pictures(has_outputs: bool, has_images: bool) -> str:
    lines = (
        f"First line: the truth{' and its output' * has_outputs}. Second line: the class that was "
        f"predicted{' and that output' * has_outputs}."
    )
    return lines + f" {UPRIGHT}" * has_images


def _belongs(case: Mapping, chosen: str) -> bool:
    pair = (case["truth_risk"], case["predicted_risk"])
    return (
        pair == GALLERIES[chosen]
        if GALLERIES[chosen]
        else not case["correct"] and pair not in GALLERIES.values()
    )


def _words_of(card: ScoreCard, i: int) -> tuple[str, tuple[str, str], str]:
    """Return alternative text, lines and caption of a case."""
    c = card.cases[i]
    truth = f"{class_name(c['truth'], c['truth_risk'])}  "
    prediction = f"{class_name(c['predicted'], c['predicted_risk'])}  " if c["predicted"] else "no prediction"
    if c["outputs"]:
        truth += decimal(c["truth_score"], 2)
        prediction += f"**{_largest(c):.2f}**" if c["predicted"] else ""
    facts = " ".join(str(v) for v in (c["age"], c["gender"], c["location"]) if v is not None)
    alt = f"Lesion {c['case']}, truth {c['truth']}, called {c['predicted'] or 'nothing'}"
    return alt, (truth, prediction), f"{c['case'].rsplit('/', 1)[-1]} · {facts}"


CASE_COLUMNS = {
    "case": "case",
    "truth": "truth",
    "predicted": "called",
    "truth_score": "output of the truth",
    "truth_risk": "risk",
    "predicted_risk": "called risk",
    "age": "age",
    "gender": "gender",
    "location": "body site",
}
"""Columns of the table of cases, and their heads."""
DECIMALS = {"truth_score": 3, "age": 0}


def case_table(card: ScoreCard) -> pd.DataFrame:
    """Return a row per case: what it is, what it was called, and the outputs."""
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
    """All cases, and what the model received of the chosen one."""
    columns = {
        key: tables.number_column(head, DECIMALS[key]) if key in DECIMALS else tables.text_column(head)
        for key, head in CASE_COLUMNS.items()
    }
    cases.table_and_case(scored, case_table, columns, received)


def received(scored: ScoredSubmission, index: int) -> None:
    """What the model received of a case, and what it said."""
    card, case = scored.card, scored.card.cases[index]
    pixels_column, outputs_column = st.columns([1, 1], gap="large")
    with pixels_column:
        cases.pixels(
            scored,
            index,
            (
                "Stretched to 512 × 512 without keeping the aspect, then to the size that the model "
                "declares; not turned by EXIF; divided by 255."
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
        st.caption("The three numbers as the model receives them.")
    with outputs_column:
        for number, block in enumerate(outputs(card, case)):
            scored_submission.block(block, scored, f"outputs/{index}/{number}")
    if scored.submission.is_model and st.toggle(
        "Change age, gender and body site", key="what_if", bind="query-params"
    ):
        what_if(case, scored.truth, scored.submission, scored.truth_key, index)


def outputs(card: ScoreCard, case: Mapping) -> Iterator[Block]:
    """Yield what the model said of a case."""
    if not case["outputs"]:
        yield Text(
            "There are no outputs for this case: labels only, or no prediction.",
            "note",
            "What did the model say?",
        )
        return
    drawn = partial(_bars, case)
    yield Figure(
        drawn,
        "The eleven outputs as they came; the score takes the largest.",
        {"class": list(CLASSES), "output": case["outputs"]},
    )
    if not are_probabilities(card):
        yield Figure(
            partial(drawn, normalised=True), "A softmax for display; it is not in the score.", key="softmax"
        )


def _bars(case: Mapping, theme: Theme, normalised: bool = False) -> go.Figure:
    return output_bars(case["outputs"], CLASSES, theme, RISKS, case["truth"], normalised=normalised)


def what_if(case: Mapping, truth, submission, truth_key: str, index: int) -> None:
    """Return the outputs had the patient been older, of another gender, or the lesion elsewhere."""
    outcome = scoring_run.sweep(ID, truth_key, submission.key, index, truth, submission)
    if outcome.refused:
        st.info(markdown(outcome.refused), icon=":material/info:")
        return
    swept = outcome.value

    def settings(names: Sequence[str], key: str, question: str) -> Figure:
        sweep = Sweep(names, swept[key], CLASSES, case[key] or "unknown", RISKS)
        return Figure(lambda theme: setting_dots(sweep, theme, question), "Bold: as given.")

    ages = Sweep(SWEEP_AGES, swept["age"], CLASSES, case["encoded"][0], RISKS)
    older = Figure(
        lambda theme: sweep_lines(ages, theme, "What if the patient were older?", "age in years"),
        "Dotted: the age given.",
    )
    gender = settings(["male", "female", "unknown"], "gender", "What if the gender were different?")
    site = settings(SWEEP_SITES, "location", "What if it were elsewhere?")
    scored_submission.block(SideBySide(((older,), (gender,), (site,)), (1, 1, 1)))
