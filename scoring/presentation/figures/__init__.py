"""Plotly figures, a module for each kind: confusion matrices, ROC `curves`, `calibration`, `survival`,
`thresholds`, points lost (`score_points`), scores of teams or own runs by date (`scores_over_time`),
comparisons of teams.

`theme` has the colours, `canvas` builds, `plotly_figure` is the result.
"""
