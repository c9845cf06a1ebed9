"""ISIC Challenge lesion classification: balanced accuracy over the categories of the truth file.

Source: the evaluation page of 2019 and, where that is silent, `isic-challenge-scoring` 5.8.0 of July 2025
("the official scorer"). If the official scorer gives a number, ours is
the same; if it stops, defined values are given and the others are None.

`truth.read_truth` and `predictions.read_predictions` read, `measures` has the score, `official_rejections`
the official scorer's refusals, `official_program` its score, `card` makes the scorecard.
"""

from scoring.challenges.isic.definition import CHALLENGE

__all__ = ["CHALLENGE"]
