"""Looking closer at a comparison: to the leader, by class, case, subgroup, rule and weight. Pure functions of
`scoring.Comparison`; no file is read."""
