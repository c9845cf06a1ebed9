"""PUMA track 2 task 2: nuclei of ten classes, detected in H&E regions of melanoma.

Source: the challenge's own description and its official evaluator, which differ. Each is available as a rule;
a third rule pools the counts of all images.

* test set and submission: `truth.read_truth`, `predictions.read_predictions`; class names: `nucleus_classes`
* pairs of true and predicted nuclei: `nuclei_matching.match_all`; macro F1: `formula.macro_f1`
* the platform's score: `official_program.official`; scorecard: `card.score`; views: `views.views`
* a model's map of probabilities, computed in overlapping windows: `dense_models.probabilities`; nuclei from
  this map: `dense_models.peaks`
* densities, distances, lymphocytes: `diagnostics.summary`; quality of outlines: `outline_quality.measure`
* files of nuclei by case: `cases.read_cases`; recognition of dropped files: `recognition`; ONNX models:
  `model`
* score by radius and confidence, suspicious shifts, warnings: `diagnostics`
* views: `image_views`, `detail_views`, `setting_views`; tables: `match_table`, `nuclei_listing`
* `definition`, `formula`
"""

from scoring.challenges.puma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
