"""PUMA track 2 task 2: nuclei of ten classes, detected in H&E regions of melanoma.

Source: the challenge's own description; where that is silent or counts otherwise, its official evaluator.
Both are rules here, with a third that sums counts over the images first.

`truth.read_truth` and `predictions.read_predictions` read, `nuclei_matching` pairs nuclei, `formula` is the
score, `official_program` the platform's, `card.score` makes the scorecard.
"""

from scoring.challenges.puma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
