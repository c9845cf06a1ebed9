"""Metrics: each quantity once, for all replicates at once (weights [B, N]: row b is one resampled test set).

A yes-or-no decision (sensitivity, F-beta, net benefit for decision curves): `binary`; classes (balanced
accuracy, F1): `classification`; areas of a score: `auc_and_average_precision`; kappa, MCC, log loss:
`kappa_and_class_metrics`. Masks: `dice_and_panoptic_quality`, `mask_measures` (Hausdorff distance, surface
Dice, lesions); points and boxes: `detections` (FROC, mAP). Catalogue of metrics by name: `catalogue.toml`,
read by `registry`; its formulas: `segmentation`, `regression` and those above. C-index, Kaplan-Meier:
`survival`; ECE, Brier score: `calibration`.

What is measured of teams beside the score (intervals, tests) is in `scoring.statistics`.
"""
