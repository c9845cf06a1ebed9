"""Board bundles: a board as one file that can be imported elsewhere.

* export: `bundle.export`; export without the truth: `without_truth.bare`
* read a bundle in a confined process: `bundle.read_bundle` (`unpacking.unpack_bundle`, `bundle_worker`)
* schema of the manifest: `manifest.check_manifest`
* trial before the import, which scores and ranks again: `rehearsal.rehearsed`; comparison of scorecards with
  rows: `scorecard_checks.contradictions`
* import into the store: `bundle.import_board`
"""
