"""Hidden truth: `disclosure_rules` rounds and withholds scores, `disclosure` says which are shown,
`guessing_budget` counts what they tell, `test_set_split` withholds a part."""
