"""Nouns of the product: challenge, options, submission, scorecard, views.

* everything that a challenge offers (read this first): `challenge.Challenge`
* the result of scoring, `scorecard.json`: `scorecard.ScoreCard`;
  settings of scoring: `scores.Scoring`, `options.Option`
* predictions aligned with a truth; hashes and versions: `submission.Predictions`, `submission.provenance`
* figures and tables as data: `views.Table`, `views.Figure`, `views.Headline`
* changed file of a submission that was read with fixes: `applied_fixes.changed_file`
* columns of a refused table, to choose: `import_preview.preview`;
  contents of dropped files: `file_contents.read_contents`
* a part of the cases scored as a part: `submitted_part.part_of`;
  other pixels for a model near chance: `model_readings`
* what a challenge takes and writes: `challenge_files`;
  what comparisons need: `comparison_spec`, `card_contract`
* functions imported late: `lazy.Lazy`; a part of the cases: `case_subset.of_cases`
"""
