"""All patients in one table."""

import pandas as pd

from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
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
            "case": layout.words("patient"),
            "center": layout.words("center"),
            "mask": layout.words("mask"),
            "dice_gtvp": layout.number("GTVp", better="higher"),
            "dice_gtvn": layout.number("GTVn", better="higher"),
            "t_truth": layout.words("T"),
            "t_prediction": layout.words("T predicted"),
            "n_truth": layout.words("N"),
            "n_prediction": layout.words("N predicted"),
            "risk": layout.number("risk", 3),
            "time": layout.number("days", 0),
            "event": layout.number("relapse", 0),
            "discordant_pairs": layout.number("discordant pairs", 0, better="lower"),
        },
        "A click on a row opens the patient. Risk: as it was read, the higher the worse.",
        key="patient_rows",
        height=320,
        on_select=LINK.row("patient_rows", list(rows["case"])),
        selection_mode="single-row",
    )
