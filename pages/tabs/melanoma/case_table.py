"""All cases of a Melanoma submission, and what the model received of the chosen one."""

import pandas as pd

from pages.challenge import case_table
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import tables
from scoring.challenges.melanoma.views import NAMES, case_score
from scoring.core.scorecard import ScoreCard


def rows(card: ScoreCard) -> pd.DataFrame:
    """Return one row per case."""
    return pd.DataFrame(
        [{**c, "truth": NAMES[c["truth"]], "predicted": NAMES[c["predicted"]]} for c in card.cases]
    )


def all_cases(shown: ScoredSubmission) -> None:
    """Draw the table of cases, and pixels and score of the chosen one."""
    columns = {
        "case": tables.text_column("case"),
        "truth": tables.text_column("truth"),
        "predicted": tables.text_column("called"),
        "output": tables.number_column("score", 4),
        "age": tables.number_column("age", 0),
        "gender": tables.text_column("gender"),
        "location": tables.text_column("body site"),
    }
    how = (
        "Stretched in one step (bicubic) from the photograph, without keeping the aspect; not turned by "
        "EXIF; divided by 255."
    )
    case_table.table_and_case(shown, rows, columns, case_table.pixels_and_block(how, case_score))
