"""Tabs of the page that compares teams; `scoring.comparison` computes their content.

* choice, upload and scoring of teams: `teams.selected_teams`, `scored_teams.show`; facts of teams:
  `team_facts.editor`
* lead, ranking, other weights: `ranking.lead_tab`, `ranking.ranking_tab`; classes: `differences.classes`;
  cases: `cases.cases`
* what all tabs share: `context.ComparisonContext`
"""
