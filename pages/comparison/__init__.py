"""Tabs of the page that compares teams; what they show is computed in `scoring.comparison`."""
