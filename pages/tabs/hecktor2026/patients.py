"""All patients in one table."""

import pandas as pd

from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout, tables
from pages.tabs.hecktor2026.viewer import LINK
from scoring.core.scorecard import ScoreCard


def patient_table(card: ScoreCard) -> pd.DataFrame:
    """Return what is known of every patient."""
    return pd.DataFrame(card.cases)


def all_patients(shown: ScoredSubmission) -> None:
    """Draw the table of all patients; choosing a row opens the patient in the viewer."""
    rows = patient_table(shown.card)
    layout.table(
        f"What became of each patient? {shown.card.n_cases}",
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
        "A click on a row opens the patient. Risk: as it was read, the higher the worse.",
        key="patient_rows",
        height=320,
        on_select=LINK.row("patient_rows", list(rows["case"])),
        selection_mode="single-row",
    )
