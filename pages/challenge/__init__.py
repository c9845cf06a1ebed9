"""Challenge page (`challenge_page`): `scoring_run`, headline, `notes`, `case_table` (also cases fixed and
broken since the last run), `second_submission`; the form of a `new_challenge`."""
