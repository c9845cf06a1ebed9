"""Boards page: `board_list`, `board_page` (ranking, history), `submitting`, `participants`, `settings`,
`truth_correction`.

Nothing is computed here: see `scoring.boards`; its `views` draw the ranking and the history of scores.
"""
