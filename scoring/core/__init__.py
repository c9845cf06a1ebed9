"""Nouns of the product: challenge, options, submission, scorecard, views. Read `challenge` first.

`scorecard` is `scorecard.json`; `views` are its figures and tables as data. Findings are in `scoring.common`.
"""
