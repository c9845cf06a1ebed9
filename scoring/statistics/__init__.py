"""Statistics of scores: intervals, tests of teams, rankings.

* bootstrap: cases drawn: `replicates.draw`; quantities on them: `replicates.evaluate`
* confidence intervals of them: `intervals.percentile`, `intervals.bca`, `intervals.wilson_t`;
  of a share: `intervals.wilson`; method chosen: `interval_options.StatisticsOptions`
* two teams told apart (swap test): `permutation_test.swap_test`;
  by request: `paired_bootstrap.bootstrap_test`
* McNemar, DeLong, Wilcoxon, Holm: `mcnemar_delong_wilcoxon`;
  smallest difference found: `power.resolvable_gap`
* teams compared on the same replicates: `replicate_comparison.compare`; ranks, Kendall's tau: `ranking`
* winner's curse: `optimism.winner_optimism`; many looks at one board: `repeated_looks.corrected`
* every two teams: `team_pairs`; replicates, seed, kind of interval: `interval_options`, `interval_basis`

Metrics are in `scoring.metrics`.
"""
