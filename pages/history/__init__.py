"""Kept runs: the tab History, recent runs, keeping and opening again."""
