"""The definition of Melanoma."""

from scoring.challenges.melanoma.comparison import COMPARISON
from scoring.challenges.melanoma.formula import ID, OPTIONS, WEIGHTS
from scoring.challenges.safe_scan import definition as shared
from scoring.core.challenge import Challenge, Words
from scoring.core.challenge_files import Sample

RULE = """
| part | weight | definition |
|---|--:|---|
| F2 | 60 | 5 TP / (5 TP + 4 FN + FP) at the threshold: a missed melanoma costs four times a false alarm |
| accuracy | 30 | correct cases / all cases at the threshold |
| AUC | 10 | share of (melanoma, other) pairs that the scores put in the right order, ties half |

A case is predicted as melanoma if its score is **strictly greater than 0.5**. Nothing is rounded.
"""

CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="Melanoma, risk from a photograph",
        about="One number from 0 to 1 for a phone photograph. A missed melanoma costs more than a false "
        "alarm.",
        formula="60 × F2 + 30 × accuracy + 10 × AUC",
        rule=RULE,
        citations=shared.citations("safescan_melanoma", "Melanoma competition"),
        official_source="as the challenge's own code computes it",
    ),
    options=OPTIONS,
    inputs=shared.inputs(("score",)),
    readers=shared.readers(ID),
    scoring=shared.scoring(ID, WEIGHTS),
    comparison=COMPARISON,
    samples=(Sample("sample", "melanoma", "Sample: 150 drawn lesions, 45 melanomas"),),
    model=shared.model_support(ID, ("score",)),
    display=shared.display(ID, condition=("melanoma", "melanomas")),
)
