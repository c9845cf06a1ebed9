"""Hidden truth: what a board tells of it, and what bounds guessing."""
