"""A scorecard as one HTML file that a person can read, print and attach to a paper (`scorecard.html`). It
asks nothing of any network.

Reports of a comparison: `scoring.comparison.report`; of a board: `scoring.boards.publication.public_report`.
"""

from scoring.presentation.html.scorecard import CASES, fragment, html, views_of

__all__ = ["CASES", "fragment", "html", "views_of"]
