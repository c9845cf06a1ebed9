"""Output formats of the views: Plotly `figures`, `svg` for print, `html` reports, `paper` archives (LaTeX,
CSV).

* HTML report of a score: `html.scorecard.html`; of one image: `html.single_image.html`;
  blocks: `html.report_blocks.sections`
* figure for the page: a module of `figures` for each kind, such as `figures.calibration.reliability`
* figure without a browser: `svg.draw_figure.svg`; zip for a paper: `paper.archive.zipped`;
  LaTeX: `paper.latex.table`

`scoring.common.text` must make text from files and visitors safe before it arrives here.
"""
