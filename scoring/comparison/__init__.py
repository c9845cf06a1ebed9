"""Comparison of teams on one truth. No file is read.

* scores, ranks, ties, pairs of teams: `compare.compare`; of scorecards: `compare.compare_cards`
* groups of teams that are not told apart: `many_teams.groups`; could be best: `many_teams.could_be_best`
* sentences: who leads and how certainly: `summary_text.leaders`;
  what the data can resolve: `summary_text.gap`
* one team against another in any metric, near-identical submissions: `pairs.pairs_of`, `pairs.near_identical`
* two runs of one person, better or not: `two_submissions.change`, in words `two_submissions.summary`
* cases fixed and broken, hard cases: `case_difficulty.correctness`; a grid of cases: `case_list.case_list`
* by class and subgroup: `class_measures`; other metrics, schemes and weights: `robustness.robustness`
* ranking, lead and stability as tables and figures: `views.ranking`, `views.lead`, `views.stability`,
  `figures`
* HTML report and zip for a paper: `report.html`, `report.paper_zip`
* may these submissions be compared?: `comparability.unequal`
* facts of teams: `team_facts.read_facts`
* tables of teams, differences and other rules: `team_views`, `difference_views`, `rule_views`
* what figures show of many teams: `display`; units and decimals: `score_units`

Ranks averaged over metrics are a challenge's own: `scoring.challenges.hecktor2026.ranking`,
`scoring.challenges.declared.comparison`. Tests and intervals are in `scoring.statistics`.
"""
