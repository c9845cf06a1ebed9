"""Shared parts of the two Safe-Scan challenges, TRICORDER-3 and Melanoma.

Source: the loader of the public validator code of February 2026. Benchside also reads files that this loader
refuses; a finding then says what the loader would do.

* test set (table and images): `cases.read_truth`, `cases.read_images`;
  age, sex, site: `demographics.read_demographics`
* prediction tables, matched to the cases: `predictions.read_predictions`
* what the validator does with the same files: `official_program.file_consequences`
* predictions of a model: `models.predictions_of`
* ids, labels and columns: `tables`; parts of a scorecard: `evaluation`; `definition`
"""
