"""All cases of a Melanoma submission, and what the model received of the chosen one."""

import pandas as pd

from pages.challenge import case_table
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
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
        "case": layout.words("case"),
        "truth": layout.words("truth"),
        "predicted": layout.words("called"),
        "output": layout.number("score", 4),
        "age": layout.number("age", 0),
        "gender": layout.words("gender"),
        "location": layout.words("body site"),
    }
    how = (
        "Stretched in one step (bicubic) from the photograph, without keeping the aspect; not turned by "
        "EXIF; divided by 255."
    )
    case_table.table_and_case(shown, rows, columns, case_table.pixels_and_block(how, case_score))
