"""Scores inside the platforms that challenges are run on: Grand Challenge, Codabench and EvalAI.

Each of them lays out submission and truth in its own folders and wants its own result file; the scores are
those of every other way to score.
"""
