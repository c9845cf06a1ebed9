"""Core types of Benchside: challenge, options, submission, scorecard, views.

* everything that a challenge offers (read this first): `challenge.Challenge`;
* the result of scoring, `scorecard.json`: `scorecard.ScoreCard`; whether a score is official, and its badge:
  `scorecard.Official`; settings of scoring: `challenge_parts.Scoring`, `options.Option`
* predictions aligned with a truth, and their provenance: `submission.Predictions`, `submission.provenance`;
* figures and tables as data: `views.Table`, `views.Figure`, `views.Headline`
* the changed file of a submission that was read with fixes: `applied_fixes.changed_file`;
* a guess at the columns of a refused table: `import_preview.preview`; the scores that different fixes give:
  `fix_trials.Trials`; contents of dropped files: `file_contents.read_contents`
* a test set reduced to the submitted cases: `submitted_part.part_of`
* a search for other pixel ranges if a model's score is near chance: `model_readings`
* the files that a challenge reads and writes: `challenge_parts`; what comparisons need: `comparison_spec`,
  `card_contract`
* functions that are imported on first call: `challenge_parts.Lazy`; a truth reduced to some cases:
  `submitted_part.of_cases`
"""
