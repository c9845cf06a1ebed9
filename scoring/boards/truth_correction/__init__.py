"""Correction of a truth: preview, and scoring again."""
