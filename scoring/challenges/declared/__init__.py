"""Challenges declared as files (NAME.toml): parsed, scored and compared like built-in ones, without code.

* read the file and report every problem with its line and "did you mean": `parser.parse`, with
  `parser.KeyReader`
* make the `Challenge`, which `load_challenge(challenge.id)` then finds: `library.of_text`
* files of the gallery and of the user: `library.known`, `library.find`; the user's folder:
  `library.own_folder`
* suggest a first file from the columns or masks of a truth: `draft.suggest`; the form on the page then
  changes this `draft`
* readers of truth and predictions: `table_readers`, `mask_readers`, `object_readers`; constant baseline:
  `baseline`
* score and intervals: `card.score`, `measures`; order of teams by mean rank: `comparison.ranked_by`
* metrics with their pitfalls: `scoring.metrics.registry.of_task`
* the parsed file: `declaration.Declaration`; the `Challenge` made from it: `definition.challenge_of`; ONNX
  models: `model.predict`
* headline, figures and tables: `views.views`; arrays of cases: `cases`; masks and marks for the viewer:
  `scenes`
"""
