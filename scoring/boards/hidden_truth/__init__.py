"""Hidden truth: what a board reveals about it, and what bounds guessing."""
