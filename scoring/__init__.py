"""Official challenge scores for cancer-imaging models. All computation is in this package; nothing in it
imports Streamlit.

>>> card = scoring.score("tricorder3", truth="labels.csv", predictions="predictions.csv")
>>> card.score, card.metrics, card.to_frame()
>>> scoring.compare("tricorder3", "labels.csv", {"alpha": "alpha.csv", "beta": "beta.csv"}).ranks
"""

import os
import sys

# First of all: libraries, and syntax that an older Python lacks, would end it with a traceback.
if sys.version_info < (3, 11):  # noqa: UP036
    print(
        f"Benchside needs Python 3.11 or newer; this is {'.'.join(map(str, sys.version_info[:3]))}.",
        file=sys.stderr,
    )
    sys.exit(2)

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scoring.challenges import challenge_ids, load_challenge
from scoring.common.findings import Finding, InputRefused
from scoring.core.scorecard import NOTEBOOK_RENDERERS, Official, ScoreCard
from scoring.version import __version__

# Read when onnxruntime is imported, which nothing here did so far: otherwise it asks its maker's server, and
# keeps files in the user's folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

if TYPE_CHECKING:
    from scoring.comparison.compare import Comparison
    from scoring.library import compare, log, score

__all__ = [
    "Comparison",
    "Finding",
    "InputRefused",
    "Official",
    "ScoreCard",
    "__version__",
    "challenge_ids",
    "compare",
    "load_challenge",
    "log",
    "score",
]


def _notebook_html(card: ScoreCard) -> str:
    """Return a card as HTML. Reports are slow to import, so the first card that is shown loads them."""
    from scoring.presentation.html import fragment

    return fragment(card)


NOTEBOOK_RENDERERS.append(_notebook_html)


def __getattr__(name: str) -> Any:
    """Load the functions that score and compare when they are first used: the command line does not use
    them."""
    if name in ("compare", "log", "score"):
        return getattr(import_module("scoring.library"), name)
    if name == "Comparison":
        return import_module("scoring.comparison.compare").Comparison
    raise AttributeError(f"module 'scoring' has no attribute {name!r}")
