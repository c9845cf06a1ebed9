"""Tabs with widgets on the HECKTOR page: viewer, patients, centers, the choice whether prognosis scores are
risks or times, and scores under other interpretations of the rules."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs import shared_widgets
from pages.challenge_tabs.shared_widgets import choose_case
from pages.display import layout, tables
from pages.display.render import CaseLink
from pages.server import url_state
from scoring.challenges.hecktor2026 import patients, summary
from scoring.challenges.hecktor2026.formula import DIRECTION
from scoring.challenges.hecktor2026.patients import IMAGE_NAMES, patient, scene
from scoring.challenges.hecktor2026.rescoring import (
    center_figure,
    center_intervals,
    rule_variants,
    variants_view,
)
from scoring.challenges.hecktor2026.views import centers
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.number_format import share

LINK = CaseLink("patient", "place")


@st.fragment
def viewer_tab(scored: ScoredSubmission) -> None:
    """Draw one patient. A fragment: a click in the viewer redraws only this tab."""
    index = _choose_patient(scored)
    viewer_column, facts_column = st.columns([11, 5], gap="medium")
    with viewer_column:
        shared_widgets.slices(scored, index, scene, LINK)
    with facts_column:
        volumes = patients.volumes(scored.truth, scored.predictions, index)
        for number, block in enumerate(patient(scored.card, index, volumes)):
            scored_submission.block(block, scored, f"patient {index}/{number}")


def _choose_patient(scored: ScoredSubmission) -> int:
    """Draw the choice of a patient and return its index; at first the worst of those with CT or PET."""
    names = [row["case"] for row in scored.card.cases]
    images = scored.truth.contents.layout.images

    def with_images(name: str) -> str:
        return " · ".join((name, *(IMAGE_NAMES[kind] for kind in images.get(name, ()))))

    with st.container(key="case_steps", horizontal=True, vertical_alignment="center", gap="small"):
        return choose_case("Patient", names, LINK, lambda: _first(scored, images), with_images, 260)


def _first(scored: ScoredSubmission, images: Mapping[str, Any]) -> str:
    """Return the patient whose masks fit worst, of those with images if there are any."""
    cases = scored.card.cases
    order = [patient_row.case for patient_row in patients.worst(scored.card, "dice", len(cases))]
    return next((name for name in order if name in images), (*order, cases[0]["case"])[0])


def patient_table(card: ScoreCard) -> pd.DataFrame:
    """Return the facts about every patient."""
    return pd.DataFrame(card.cases)


def all_patients(scored: ScoredSubmission) -> None:
    """Draw the table of all patients; choosing a row opens the patient in the viewer."""
    rows = patient_table(scored.card)
    layout.table(
        f"How was each patient scored? {scored.card.n_cases}",
        rows,
        {
            "case": tables.text_column("patient"),
            "center": tables.text_column("center"),
            "mask": tables.text_column("mask"),
            "dice_gtvp": tables.number_column("GTVp", better="higher"),
            "dice_gtvn": tables.number_column("GTVn", better="higher"),
            "t_truth": tables.text_column("T"),
            "t_prediction": tables.text_column("T predicted"),
            "n_truth": tables.text_column("N"),
            "n_prediction": tables.text_column("N predicted"),
            "risk": tables.number_column("risk", 3),
            "time": tables.number_column("days", 0),
            "event": tables.number_column("relapse", 0),
            "discordant_pairs": tables.number_column("discordant pairs", 0, better="lower"),
        },
        "A click on a row opens the patient. A higher risk means an earlier relapse.",
        key="patient_rows",
        height=320,
        on_select=LINK.row("patient_rows", list(rows["case"])),
        selection_mode="single-row",
    )


MEASURES = {
    "segmentation": "segmentation",
    "Dice of GTVp": "dice_gtvp",
    "Dice of GTVn": "dice_gtvn",
    "balanced accuracy of T": "balanced_accuracy_t",
    "balanced accuracy of N": "balanced_accuracy_n",
    "C-index": "c_index",
}
"""Name shown -> key in `per_center`."""


def centers_tab(scored: ScoredSubmission) -> None:
    """Draw one measure by center, with intervals, beside all numbers of each center."""
    tables = centers(scored.card)
    if not tables:
        st.info("The test set names no center (column CenterID).", icon=":material/location_off:")
        return
    figure_column, table_column = st.columns([2, 3], gap="large")
    with figure_column:
        chosen = url_state.select("Quantity", list(MEASURES), "center_quantity", 260)
        between = scoring_run.of_card(
            "hecktor_centers", scored, partial(center_intervals, scored.truth, scored.predictions)
        )
        figure = center_figure(scored.card, MEASURES[chosen], chosen, between)
        scored_submission.block(figure, scored, f"center {chosen}")
    with table_column:
        for table in tables:
            scored_submission.block(table, scored, "centers")


COLUMNS = {"risk": "a column of risks", "time": "a column of times (RFS)"}
RULES = {"risk": "higher means an earlier relapse", "time": "lower means an earlier relapse"}


def direction_switch(scored: ScoredSubmission) -> None:
    """Warn that scores may have the reverse direction, with a button that reverses them."""
    if not any(finding.code == "direction-suspect" for finding in scored.card.findings):
        return
    direction, m = summary.direction(scored.card, scored.predictions), scored.card.metrics
    if direction is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":orange-badge[▲ direction] The C-index is **{share(m['c_index'])}**; with the sign of every "
            f"score reversed, it would be **{share(m['c_index_flipped'])}**. Benchside interprets the "
            "scores as a "
            f"{direction.reading}. Is this right?"
        )
        st.button(
            f"Interpret the scores as a {direction.other}",
            key="switch_direction",
            icon=":material/swap_vert:",
            on_click=_read_as,
            args=(direction.other,),
        )


def _read_as(reading: str) -> None:
    st.session_state[DIRECTION.name] = reading


def direction_used(scored: ScoredSubmission) -> None:
    """Draw which column of scores was used, and whether it was read as a risk or a time."""
    direction = summary.direction(scored.card, scored.predictions)
    if direction is None:
        st.markdown(
            "The submission has no column of risk scores, so the scores of all patients count as missing."
        )
        return
    how = "because of the option" if direction.forced else "because of the column's name"
    st.markdown(
        f"The scores come from {COLUMNS[direction.column]}. Benchside interprets them as a "
        f"**{direction.reading}** ({RULES[direction.reading]}), {how}."
    )


def readings_tab(scored: ScoredSubmission) -> None:
    """Draw the score under other readings, one rule changed at a time."""
    variants = scoring_run.of_card(
        "hecktor_readings", scored, partial(rule_variants, scored.truth, scored.predictions)
    )
    scored_submission.block(variants_view(scored.card, variants), scored, "readings")
