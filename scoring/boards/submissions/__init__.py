"""Submissions: phases and limits, scoring as they come, and what a participant is told."""
