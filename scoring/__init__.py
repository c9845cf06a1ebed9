"""Official challenge scores for cancer-imaging models. Everything that computes is here; nothing here imports
Streamlit.

>>> challenge = scoring.load_challenge("tricorder3")
>>> truth = challenge.read_truth("labels.csv")
>>> card = challenge.score(truth, challenge.read_predictions("predictions.csv", truth))
>>> card.score, card.to_json()
"""

import os
from typing import TYPE_CHECKING, Any

from scoring.challenges import challenge_ids, load_challenge
from scoring.common.findings import Finding, InputRefused
from scoring.core.scorecard import NOTEBOOK_RENDERERS, Official, ScoreCard
from scoring.version import __version__

# Read when onnxruntime is imported, which nothing here did so far: otherwise it asks its maker's server, and
# keeps files in the user's folder.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"

if TYPE_CHECKING:
    from scoring.comparison.compare import Comparison, compare

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
]


def _notebook_html(card: ScoreCard) -> str:
    """Return a card as HTML. Reports are slow to import, so the first card that is shown loads them."""
    from scoring.presentation.html import fragment

    return fragment(card)


NOTEBOOK_RENDERERS.append(_notebook_html)


def __getattr__(name: str) -> Any:
    """Load comparisons when they are first used: scoring one submission needs none."""
    if name in ("Comparison", "compare"):
        from scoring.comparison import compare as module

        return getattr(module, name)
    raise AttributeError(f"module 'scoring' has no attribute {name!r}")
