"""HTML reports. A report is one file to read, print or attach to a paper; it loads nothing from a network.

* of a scorecard: `scorecard.html`; of one image: `single_image.html`;
  of a comparison: `scoring.comparison.report.html`;
* of a board: `scoring.boards.publication.public_report.html`
* blocks of `scoring.core.views` as HTML, and the front page: `report_blocks.sections`; the whole file:
  `page_template.document`
* views of a scorecard whose challenge defines no views: `default_views.views`
"""

from scoring.presentation.html.scorecard import CASES, fragment, html, views_of

__all__ = ["CASES", "fragment", "html", "views_of"]
