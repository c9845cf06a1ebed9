"""Comparisons of teams, and their details: by class, case, subgroup, rule and weight. No file is read."""
