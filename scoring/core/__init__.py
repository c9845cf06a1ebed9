"""Nouns of the product: challenge, options, submission, scorecard, views. Read `challenge` first.

`scorecard` is `scorecard.json`; `views` are its figures and tables as data. `applied_fixes` writes the
changed file of a submission. Findings are in `scoring.common`.
"""
