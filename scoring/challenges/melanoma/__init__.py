"""Safe-Scan Melanoma: one risk score per photograph.

Source: the challenge's own description (0.6 F2 + 0.3 accuracy + 0.1 AUC) and, where that is silent, the
public validator code until mid 2025.

`tables` reads truth (by `safe_scan.cases.read_truth`) and predictions, `formula` is the score, `card.score`
makes the scorecard, `threshold` finds other thresholds.
"""

from scoring.challenges.melanoma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
