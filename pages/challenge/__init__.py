"""The page of a challenge: run, headline, cases, second submission, and the form for a new challenge."""
