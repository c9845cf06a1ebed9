"""Correction of a board's truth.

* preview of what changes (cases, refused submissions, ranks): `correction_preview.correction`
* rescoring of all submissions: `rescoring.rescore`; results of each version: `version_results`
"""
