"""Challenges declared as files (NAME.toml): parsed, scored and compared like built-in ones, without code.

* the file with every problem, line and "did you mean": `parser.parse`, by keys of `parser.KeyReader`
* its `Challenge`, also found by `load_challenge(challenge.id)`: `library.of_text`
* gallery and own files: `library.known`, `library.find`; the folder of own files: `library.own_folder`
* first file from the columns or masks of a truth: `draft.suggest`, a `draft` that the form changes
* readers of truth and predictions: `table_readers`, `mask_readers`, `object_readers`; constant baseline:
  `baseline`
* score and intervals: `card.score`, `measures`; order of teams by mean rank: `comparison.ranked_by`
* metrics with their pitfalls: `scoring.metrics.registry.of_task`
* the parsed file: `declaration.Declaration`; its `Challenge`: `definition.challenge_of`; ONNX models:
  `model.predict`
* headline, figures and tables: `views.views`; arrays of cases: `cases`;
  the viewer's masks and marks: `scenes`
"""
