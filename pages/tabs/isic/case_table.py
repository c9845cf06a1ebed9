"""All cases of an ISIC submission, and what the model received of the chosen one."""

import pandas as pd

from pages.challenge import case_table
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import tables
from scoring.challenges.isic.category_views import scores
from scoring.core.scorecard import ScoreCard


def rows(card: ScoreCard) -> pd.DataFrame:
    """Return one row per case: truth, what it was called, and all scores."""
    outputs = pd.DataFrame(card.arrays["outputs"], columns=[f"score {name}" for name in card.per_class])
    return pd.concat([pd.DataFrame(list(card.cases)), outputs], axis=1)


def all_cases(shown: ScoredSubmission) -> None:
    """Draw the table of cases, and pixels and scores of the chosen one."""
    columns = {
        "case": tables.text_column("case"),
        "truth": tables.text_column("truth"),
        "predicted": tables.text_column("called"),
        "truth_score": tables.number_column("score of the truth", 3, better="higher"),
        "weight": tables.number_column("weight", 2),
    }
    how = (
        "Stretched in one step (bilinear) without keeping the aspect; not turned by EXIF; divided by "
        "255. Of a lesion with several photographs: the first."
    )
    case_table.table_and_case(shown, rows, columns, case_table.pixels_and_block(how, scores))
