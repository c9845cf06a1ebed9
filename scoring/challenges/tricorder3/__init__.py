"""Safe-Scan TRICORDER-3: eleven skin-lesion classes from a photograph and demographics.

Source: the challenge's own description (classes, risk groups, formula) and, where that is silent, the public
validator code of February 2026.

`tables` reads truth (by `safe_scan.cases.read_truth`) and predictions, `formula.final_score` is the score,
`card.score` makes the scorecard with points lost by class, `measures` what has an interval.
"""

from scoring.challenges.tricorder3.definition import CHALLENGE

__all__ = ["CHALLENGE"]
