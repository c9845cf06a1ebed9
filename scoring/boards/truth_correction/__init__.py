"""Correction of a board's truth.

* preview of cases, refusals and ranks that change: `correction_preview.correction`
* rescoring of all submissions: `rescoring.rescore`; results of each version: `version_results`
"""
