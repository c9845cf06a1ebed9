"""Boards: submissions of several teams collected over weeks, scored as they come, ranked by comparison."""
