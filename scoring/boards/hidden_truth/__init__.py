"""Hidden truth: `visible_results` decides which scores, classes and cases a participant sees.

`disclosure_rules` rounds scores or shows them by the Ladder, `guessing_budget` counts what they tell,
`test_set_split` withholds a part.
"""
