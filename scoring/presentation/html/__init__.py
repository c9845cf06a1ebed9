"""HTML reports: one file to read, print and attach to a paper. It loads nothing from a network.

* of a scorecard: `scorecard.html`; of one image: `single_image.html`;
  of a comparison: `scoring.comparison.report.html`;
* of a board: `scoring.boards.publication.public_report.html`
* blocks of `scoring.core.views` as HTML, the front page: `report_blocks.sections`;
  the file: `page_template.document`
* views of a card whose challenge has none: `default_views.views`
"""

from scoring.presentation.html.scorecard import CASES, fragment, html, views_of

__all__ = ["CASES", "fragment", "html", "views_of"]
