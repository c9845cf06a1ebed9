"""Correction of a board's truth.

* preview of what changes (cases, refused submissions, ranks): `correction_preview.correction`
* rescoring of all submissions: `rescoring.rescore`; result of a submission on one version:
  `scoring.boards.serialization.VersionResult`
"""
