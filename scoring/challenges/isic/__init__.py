"""ISIC Challenge lesion classification: balanced accuracy over the categories of the truth file.

Source: the evaluation page of 2019 and, where that is silent, `isic-challenge-scoring` 5.8.0 of July 2025
("the official scorer"). If the official scorer gives a number, ours is
the same; if it stops, defined values are given and the others are None.
"""

from scoring.challenges.isic.definition import CHALLENGE

__all__ = ["CHALLENGE"]
