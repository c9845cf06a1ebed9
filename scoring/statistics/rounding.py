"""How scores are rounded before they are compared."""

DIGITS = 12
"""Decimals of a comparison, so that float noise makes no rank; written numbers stay unrounded."""
