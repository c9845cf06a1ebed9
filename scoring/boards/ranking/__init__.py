"""Ranking of a board: `ranked_submissions.counting` picks the submission that counts of each team,
`board_ranking` orders teams, `decision_rule` names the winners."""
