"""Submissions: phases and limits, scoring as they come, and what a participant is told.

Which of a team's submissions counts: `scoring.boards.ranking.ranked_submissions`.
"""
