"""The definition of TRICORDER-3."""

from scoring.challenges.safe_scan import definition as shared
from scoring.challenges.tricorder3.comparison import COMPARISON
from scoring.challenges.tricorder3.formula import CLASSES, ID, OPTIONS, RISK, WEIGHTS
from scoring.core.challenge import Challenge, Words
from scoring.core.challenge_files import Sample
from scoring.core.lazy import Lazy

RULE = """
| part | weight | definition |
|---|--:|---|
| accuracy | 45 | correct cases / all cases, rounded to 6 decimals |
| weighted F1 | 45 | (3 × malignant + 2 × medium + 1 × benign) / 6, each the plain mean of its classes' F1, rounded to 6 decimals |
| efficiency | 10 | 1 up to 50 MiB (the challenge's MB), falling to 0 at 150 MiB, rounded to 6 decimals |

A class without a case in the test set counts 0 in its group's mean, so the best possible score can be below 100 points.
"""

CHALLENGE = Challenge(
    id=ID,
    words=Words(
        title="TRICORDER-3, 11 skin-lesion classes",
        about=(
            "A photograph with age, gender and body site. Malignant classes have the largest weights. Small "
            "models get more points."
        ),
        formula="45 × accuracy + 45 × risk-weighted F1 + 10 × efficiency",
        rule=RULE,
        citations=shared.citations("tricorder3", "TRICORDER-3: skin lesion classification based on images"),
        official_source="as the validator computes it",
    ),
    options=OPTIONS,
    inputs=shared.inputs(CLASSES),
    readers=shared.readers(ID),
    scoring=shared.scoring(ID, WEIGHTS),
    comparison=COMPARISON,
    samples=(Sample("sample", "tricorder3", "Sample: 220 drawn lesions, 11 classes"),),
    model=shared.model_support(ID, CLASSES, Lazy("scoring.challenges.tricorder3.model:sweep")),
    display=shared.display(ID, class_risks=RISK),
)
