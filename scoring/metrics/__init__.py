"""Metrics, computed for all replicates at once. In the weights [B, N], row b is one resampled test set of N
cases.

* sensitivity, specificity, F-beta, net benefit: `binary.decisions`, `binary.f_beta`, `binary.net_benefit`
* accuracy, recall, F1, confusion matrix of classes: `classification.counts`,
  `classification.confusion_matrix`
* ROC AUC, average precision, partial AUC: `auc_and_average_precision.auc`; points of the curves: `curves`
* balanced accuracy, kappa (linear, quadratic), MCC, log loss, top-k: `kappa_and_class_metrics`,
  from formulas in `catalogue.toml`
* ECE, Brier score, reliability diagram (drawn by `scoring.presentation.figures.calibration`):
  `calibration.reliability`
* whether outputs are probabilities, logits or percent: `output_kinds.output_kind`,
  `output_kinds.are_percent`; outputs converted to probabilities: `output_kinds.probabilities`
* Dice: `dice_and_panoptic_quality.dice`; connected components, lesions:
  `connected_components.components`;
  Hausdorff, surface Dice, lesions of masks: `mask_measures.hd95`, `mask_measures.nsd`
* points and boxes: FROC, mAP: `detection_matching.froc_points`, `detection_matching.coco_boxes`,
  `detections.f1`
* IoU of boxes and of outlines: `detection_matching.box_iou`, `polygon_overlap.iou`;
  matching: `greedy_matching`; nuclei of PUMA: `scoring.challenges.puma.nuclei_matching.match`
* C-index, Kaplan-Meier, log-rank: `survival.c_index`, `survival.kaplan_meier`;
  RMSE, correlations: `regression`
* marks that show the hits, false alarms and misses of an image: `detection_matching.object_marks`
* prediction sets: `conformal.coverage`; best thresholds: `thresholds.best`; subgroups: `subgroups.quantities`
* find a metric by name: `registry.find`; all metrics of a task: `registry.of_task`; the list of metrics, with
  their pitfalls: `catalogue.toml`
* agreement of two submissions: `submission_agreement.kappa`; sharpness and colours: `image_quality.quality`
* surfaces and their distances: `surface_distances`; nearest points: `point_pairs`
* types of the registry: `metric.Metric`, `task_cases`, `segmentation`

`scoring.presentation.figures` draws curves and diagrams: `curves`, `calibration`, `survival`. Intervals and
tests of teams are in `scoring.statistics`.
"""
