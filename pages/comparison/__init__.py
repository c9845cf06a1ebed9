"""Tabs of the page that compares teams; what they show is computed in `scoring.comparison`.

* teams chosen, dropped and scored: `teams.selected_teams`, `scored_teams.show`;
  facts of teams: `team_facts.editor`
* lead, ranking, other weights: `ranking.lead_tab`, `ranking.ranking_tab`; classes: `differences.classes`;
  cases: `cases.cases`
* what all tabs share: `context.ComparisonContext`
"""
