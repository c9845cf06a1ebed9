"""Comparison of teams on the same truth. This package reads no files.

* scores, ranks, ties, pairs of teams: `compare.compare`; of scorecards: `compare.compare_cards`
* groups of teams that the test cannot separate: `many_teams.groups`; teams that could be best:
  `many_teams.could_be_best`
* sentences about the leader and its certainty: `summary_text.leaders`; smallest difference that the data can
  detect: `summary_text.gap`
* two teams in any metric, near-identical submissions: `pairs.pairs_of`, `pairs.near_identical`
* is one of two submissions better: `two_submissions.change`; the answer as text: `two_submissions.summary`
* hard cases, cases on which teams disagree: `case_list.correctness`; cases that became right or wrong:
  `case_list.right_and_wrong`; a grid of cases: `case_list.case_list`
* classes and subgroups: `class_measures`; other metrics, schemes and weights: `robustness.robustness`
* ranking, lead and stability as tables and figures: `views.ranking`, `views.lead`, `views.stability`,
  `figures`
* HTML report, its appendix, zip for a paper: `report.html`, `report.appendix`, `report.paper_zip`
* reasons why submissions cannot be compared: `comparability.unequal`
* facts about teams: `team_facts.read_facts`
* tables of teams, of their differences, and of ranks under other rules: `team_views`, `difference_views`,
  `rule_views`
* teams that figures show if there are many: `display`; units and decimals: `score_units`

Ranks averaged over metrics belong to challenges: `scoring.challenges.hecktor2026.ranking`,
`scoring.challenges.declared.comparison`. Tests and intervals are in `scoring.statistics`.
"""
