"""Challenge page: scoring run, headline, case table, second submission; the form of a new challenge."""
