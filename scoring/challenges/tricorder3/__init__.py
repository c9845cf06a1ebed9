"""Safe-Scan TRICORDER-3: eleven skin-lesion classes from a photograph and demographics.

Source: the challenge's own description (classes, risk groups, formula) and, where that is silent, the public
validator code of February 2026.
"""

from scoring.challenges.tricorder3.definition import CHALLENGE

__all__ = ["CHALLENGE"]
