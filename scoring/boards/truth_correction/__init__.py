"""Correction of a board's truth.

* preview: cases, refusals, ranks that change: `correction_preview.correction`
* every submission scored again: `rescoring.rescore`; kept per version: `version_results`
"""
