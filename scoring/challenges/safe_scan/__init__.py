"""What the two Safe-Scan challenges, TRICORDER-3 and Melanoma, share: test sets, demographics, prediction
tables and the wording of what the official validator would do.

Source: the loader of the public validator code of February 2026. Input that it refuses is read here, with a
finding that names the consequence there.
"""
