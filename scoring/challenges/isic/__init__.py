"""ISIC Challenge lesion classification: balanced accuracy over the categories of the truth file.

Source: the evaluation page of 2019 and, where that is silent, `isic-challenge-scoring` 5.8.0 of July 2025
("the official scorer"). Where that gives a number, ours is that number; where it stops, what is defined is
given and the rest is None.
"""

from scoring.challenges.isic.definition import CHALLENGE

__all__ = ["CHALLENGE"]
