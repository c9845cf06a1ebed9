"""Statistics of scores: intervals, tests of teams, rankings.

* bootstrap: draw replicates: `replicates.draw`; compute metrics on them: `replicates.evaluate`
* confidence intervals from replicates: `intervals.percentile`, `intervals.bca`, `intervals.wilson_t`;
  interval of a share: `intervals.wilson`; choice of the method: `interval_options.StatisticsOptions`
* test of two teams (swap test): `permutation_test.swap_test`; bootstrap test on request:
  `paired_bootstrap.bootstrap_test`
* interval of a difference of two teams: `team_pairs.with_intervals`, `intervals.difference_t`
* McNemar, DeLong, Wilcoxon: `mcnemar_delong_wilcoxon`; p-values adjusted for many comparisons:
  `mcnemar_delong_wilcoxon.holm`; smallest detectable difference:
  `replicate_comparison.resolvable_gap`
* teams compared on the same replicates, stability of ranks: `replicate_comparison.compare`;
  ranks, Kendall's tau: `ranking`
* by how much the winner's score is too high on average: `optimism.winner_optimism`; correction for repeated
  comparisons on one board: `paired_bootstrap.corrected`
* all pairs of teams: `team_pairs`; number of replicates, seed, kind of interval: `interval_options`,
  `interval_basis`

Metrics are in `scoring.metrics`.
"""
