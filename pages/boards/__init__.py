"""The page of boards: list, ranking and history, and what an organizer does."""
