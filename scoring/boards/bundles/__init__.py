"""Board bundles: a board as one file, exported, checked, rehearsed in a confined process, imported."""
