"""Back ends of the views: Plotly `figures`, `svg` for print, `html` reports, `paper` archives (LaTeX, CSV).

* HTML report of a score: `html.scorecard.html`; of one image: `html.single_image.html`;
  blocks: `html.report_blocks.sections`
* figure for the page: a module of `figures` for each kind, such as `figures.calibration.reliability`
* figure without a browser: `svg.draw_figure.svg`; zip for a paper: `paper.archive.zipped`;
  LaTeX: `paper.latex.table`

Text of strangers is made safe by `scoring.common.text` before it comes here.
"""
