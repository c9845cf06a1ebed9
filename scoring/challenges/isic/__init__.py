"""ISIC Challenge lesion classification: balanced accuracy over the categories of the truth file.

Source: the evaluation page of 2019; for open questions, `isic-challenge-scoring` 5.8.0 of July 2025 ("the
official scorer"). If the official scorer gives a number, Benchside gives the same number. If it stops,
Benchside gives all values that are defined; the others are None.

* test set and submission: `truth.read_truth`, `predictions.read_predictions`
* balanced accuracy and other measures: `measures.quantities`; scorecard: `card.score`; views: `views.views`
* the official scorer's score and refusals: `official_program.official`, `official_rejections.first_refusal`
* thresholds other than 0.5: `thresholds.sweep`
* tables: `tables`; categories by year: `categories`; ONNX models: `model.predict`;
  matched cases: `official_program`
* how the official scorer rounds numbers: `official_float_parsing`; numbers for views: `card_summary`
* views of categories and thresholds: `category_views`, `thresholds`;
  `options`, `definition`
"""

from scoring.challenges.isic.definition import CHALLENGE

__all__ = ["CHALLENGE"]
