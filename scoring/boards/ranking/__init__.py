"""Ranking of a board: `ranked_submissions` picks what counts of each team, `board_ranking` orders teams."""
