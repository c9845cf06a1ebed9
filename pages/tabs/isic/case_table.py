"""All cases of an ISIC submission, and what the model received of the chosen one."""

import pandas as pd
import streamlit as st

from pages.shared import cases, layout, render
from pages.shared.challenge_page import ScoredSubmission
from scoring.challenges.isic.case_views import scores
from scoring.scorecard import ScoreCard


def rows(card: ScoreCard) -> pd.DataFrame:
    """Return one row per case: truth, what it was called, and all scores."""
    outputs = pd.DataFrame(card.arrays["outputs"], columns=[f"score {name}" for name in card.per_class])
    return pd.concat([pd.DataFrame(list(card.cases)), outputs], axis=1)


def all_cases(shown: ScoredSubmission) -> None:
    """Draw the table of cases, and pixels and scores of the chosen one."""
    table = rows(shown.card)
    columns = {
        "case": layout.words("case"),
        "truth": layout.words("truth"),
        "predicted": layout.words("called"),
        "truth_score": layout.number("score of the truth ↑", 3),
        "weight": layout.number("weight", 2),
    }
    columns = {name: column for name, column in columns.items() if name in table}
    index = cases.chosen(shown.card, table, columns)
    left, right = st.columns([1, 1], gap="large")
    with left:
        cases.pixels(
            shown,
            index,
            "Stretched in one step (bilinear) without keeping the aspect; not turned by EXIF; divided by "
            "255. Of a lesion with several photographs: the first.",
        )
    with right:
        render.block(scores(shown.card, index), shown, f"case/{index}")
