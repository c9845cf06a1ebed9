"""PUMA track 2 task 2: nuclei of ten classes, detected in H&E regions of melanoma.

Source: the challenge's own description; where that is silent or counts otherwise, its official evaluator.
Both are rules here, with a third that sums counts over the images first.
"""

from scoring.challenges.puma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
