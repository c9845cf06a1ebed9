"""Ranking of a board.

* which submission of a team is ranked: `ranked_submissions.counting`; all results:
  `ranked_submissions.results`
* order of teams with ties, rank changes, history: `board_ranking.board_ranking`, `board_ranking.history_rows`
* decision rule, fixed before the first submission: `decision_rule.fix_rule`
* final ranking, frozen: `final_ranking.freeze`; later changes: `final_ranking.changes`
* rule and final ranking as tables: `decision_views.sections`
"""
