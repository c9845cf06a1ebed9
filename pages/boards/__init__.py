"""Boards page: list, ranking, submissions, settings and truth correction; nothing is computed here
(`scoring.boards`)."""
