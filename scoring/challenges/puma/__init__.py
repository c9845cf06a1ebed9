"""PUMA track 2 task 2: nuclei of ten classes, detected in H&E regions of melanoma.

Source: the challenge's own description; where that is silent or counts otherwise, its official evaluator.
Both are rules here, with a third that sums counts over the images first.

* test set and submission: `truth.read_truth`, `predictions.read_predictions`; class names: `nucleus_classes`
* pairs of true and predicted nuclei: `nuclei_matching.match_all`; macro F1: `formula.macro_f1`
* the platform's number: `official_program.official`; scorecard: `card.score`; views: `views.views`
* nuclei in a model's map of probabilities: `dense_models.probabilities`, `peaks.peaks`
* densities, distances, lymphocytes: `tissue_statistics.summary`; outlines: `outline_quality.measure`
* files of nuclei by case: `cases.read_cases`; dropped ones recognised: `recognition`; ONNX models: `model`
* score along radius and confidence, suspicious shifts: `diagnostics`; warnings: `findings`
* views: `image_views`, `detail_views`, `setting_views`; tables: `match_table`, `nuclei_listing`
* `comparison`, `options`, `definition`, `example`
"""

from scoring.challenges.puma.definition import CHALLENGE

__all__ = ["CHALLENGE"]
