"""Bundles: a board as one file, exported, checked, rehearsed in a confined process and imported."""
