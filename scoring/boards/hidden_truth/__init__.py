"""Hidden truth: what a board discloses of it, what bounds guessing, which part of it is withheld."""
