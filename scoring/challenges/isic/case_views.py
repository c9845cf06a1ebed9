"""What is shown of one case."""

from functools import partial

from scoring.challenges.isic import card_summary
from scoring.common.text import markdown
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Figure
from scoring.presentation.figures.outputs import output_bars
from scoring.presentation.figures.theme import short


def scores(card: ScoreCard, index: int) -> Figure:
    """Return all scores of a case. index: its place in `card.cases`."""
    case, outputs = card.cases[index], card.arrays["outputs"][index].tolist()
    return Figure(
        partial(
            output_bars,
            outputs,
            [short(name) for name in card.per_class],
            risks={short(name): risk for name, risk in card_summary.risks(card).items()},
            truth=short(case["truth"]),
        ),
        f"Truth: {markdown(case['truth'])}. Called: {markdown(case['predicted'])}. The score takes the "
        "largest; a shared largest score is undecided, hence wrong.",
        {"category": list(card.per_class), "score": outputs},
    )
