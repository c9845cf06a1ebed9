"""Ranking of a board: the submission of each team that counts, the decision rule and the final ranking."""
