"""A scorecard as one HTML file that a person can read, print and attach to a paper. It asks nothing of any
network."""

from scoring.presentation.html.scorecard import CASES, fragment, html, views_of

__all__ = ["CASES", "fragment", "html", "views_of"]
