"""TRICORDER-3: one submission, scored, with the details of its score."""

from collections.abc import Mapping

import scoring
from pages.challenge.challenge_page import ChallengePage, Lines, show
from pages.challenge_tabs.tricorder3 import tab_widgets
from pages.server import access
from scoring.challenges.tricorder3.formula import CLASSES
from scoring.common.findings import SMALL_CLASS

access.guard(__file__)

CHALLENGE = scoring.load_challenge("tricorder3")
BOARD = (
    "The public board ranks by the sum of the last five runs divided by five, even for a model with fewer "
    "runs. The leader stays first unless another model is better by 0.0001 or more. "
    "The board calls the support-weighted F1 “fbeta”; the score uses the risk-weighted F1."
)


def score_options(submission) -> Mapping:
    return {} if submission.is_model else submission.options


def about_truth(truth) -> str:
    present = {int(k) for k in set(truth.labels)}
    few = sum(1 for k in present if (truth.labels == k).sum() < SMALL_CLASS)
    pictures = sum(image is not None for image in truth.images)
    return (
        f"{len(truth)} case{'s' * (len(truth) != 1)}, {len(present)} of {len(CLASSES)} "
        f"classes present, {few} with fewer than {SMALL_CLASS} cases; {pictures} "
        f"image{'s' * (pictures != 1)}"
    )


def about_submission(card) -> str:
    size = card.more["model_size_mib"]
    return (
        f"{card.n_cases - card.more['n_missing']} of {card.n_cases} predictions, "
        f"{'model size unknown: enter it below' if size is None else f'{size:.2f} MiB'}"
    )


TABS = {
    "Points": None,
    "Risk": tab_widgets.mistakes,
    "Classes": None,
    "Curves": None,
    "Calibration": None,
    "Subgroups": None,
    "Cases": tab_widgets.all_cases,
    "Preflight": None,
}
"""The widgets below the section with a given name."""

show(
    ChallengePage(
        CHALLENGE,
        score_options=score_options,
        lines=Lines(about_truth, about_submission, BOARD),
        tabs=TABS,
        table=tab_widgets.case_table,
    )
)
