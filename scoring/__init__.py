"""Official challenge scores for cancer-imaging models. Everything that computes lives here; nothing here
imports Streamlit.

>>> challenge = scoring.load_challenge("tricorder3")
>>> truth = challenge.read_truth("labels.csv")
>>> card = challenge.score(truth, challenge.read_predictions("predictions.csv", truth))
>>> card.score, card.to_json()
"""

from scoring.challenges import challenge_ids, load_challenge
from scoring.comparison.compare import Comparison, compare
from scoring.findings import Finding, InputRefused
from scoring.scorecard import ScoreCard
from scoring.version import __version__

__all__ = [
    "Comparison",
    "Finding",
    "InputRefused",
    "ScoreCard",
    "__version__",
    "challenge_ids",
    "compare",
    "load_challenge",
]
