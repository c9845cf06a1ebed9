"""Board bundles: a board as one file that can be imported elsewhere.

* write one: `bundle.export`; without any truth in it: `without_truth.bare`
* read one: `bundle.read_bundle`, in a confined process (`unpacking.unpack_bundle`, `bundle_worker`)
* schema of the manifest, checked first: `manifest.check_manifest`
* scored and ranked again before the import: `rehearsal.rehearsed`;
  cards against rows: `scorecard_checks.contradictions`
* import into the store: `bundle.import_board`
"""
