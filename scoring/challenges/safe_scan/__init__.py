"""Shared parts of the two Safe-Scan challenges, TRICORDER-3 and Melanoma: test sets, demographics, prediction
tables, models, and consequences at the official validator.

Source: the loader of the public validator code of February 2026. Input that it refuses is read here, with a
finding that names the consequence there.
"""
