"""Plotly figures, one module for each kind.

* confusion matrix: `confusion.confusion_matrix_figure`; ROC and precision-recall: `curves.roc_figure`,
  `curves.precision_recall_figure`
* calibration: `calibration.reliability`;
  thresholds, net benefit: `thresholds.threshold_lines`, `thresholds.net_benefit`
* survival: `survival.kaplan_meier`; Dice: `masks.raincloud`; nuclei: `detection.class_heat`;
  regression: `score_points`
* points won and lost: `score_points.points_lost`; rows with intervals: `intervals.intervals`
* teams: `comparison`, `team_ranges`, `team_maps`; runs by date: `scores_over_time.progress`
* one image, its saliency: `single_image.saliency`, `model_outputs.output_bars`
* heat maps: `heat_maps`; pictures of nuclei: `nuclei_pictures`; decimals: `number_format`

`theme` has the colours, `canvas` builds a figure, and `plotly_figure.Drawing` is the finished figure.
"""
