"""Statistics of scores: `replicates` (bootstrap) and their confidence `intervals`, tests of teams, rankings.

Two teams are told apart by `permutation_test` (the swap test), by `paired_bootstrap` on request, by
`mcnemar_delong_wilcoxon` (McNemar, DeLong, Wilcoxon; Holm). Differences that it can resolve: `power`.
Winner's curse: `optimism`. Metrics are in `scoring.metrics`.
"""
