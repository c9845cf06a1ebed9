"""Scoring inside Grand Challenge, Codabench and EvalAI: `entry_points`; uploads: `platform_bundles`.

Each of them lays out submission and truth in its own folders and wants its own result file; the scores are
those of every other way to score.
"""
