"""Shared parts of the two Safe-Scan challenges, TRICORDER-3 and Melanoma.

Source: the loader of the public validator code of February 2026. Benchside reads input that the loader
refuses, and a finding names the consequence there.

* test set (table and images): `cases.read_truth`, `cases.read_images`;
  age, sex, site: `demographics.read_demographics`
* prediction tables aligned with the cases: `predictions.read_predictions`
* consequences in the validator for the same files: `official_program.file_consequences`
* predictions of a model: `models.predictions_of`
* ids, labels and columns: `tables`; parts of a scorecard: `evaluation`; `definition`
"""
