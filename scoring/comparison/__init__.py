"""Comparison of teams on one truth: `compare` ranks, `pairs` and `two_submissions` tell teams apart.

Details: by class, case, subgroup, other rules and weights (`robustness`). The tests are in
`scoring.statistics`, the figures' drawing in `scoring.presentation.figures.comparison`. No file is read.
"""
