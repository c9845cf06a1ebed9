"""Comparison of teams on one truth: `compare` ranks, `pairs` tells teams apart and finds near-identical ones.

Ranks averaged over metrics are a challenge's own: `ranking` of HECKTOR, `comparison` of `declared`. Details:
by class, case, subgroup, other rules and weights (`robustness`). The tests are in `scoring.statistics`, the
figures' drawing in `scoring.presentation.figures.comparison`. No file is read.
"""
