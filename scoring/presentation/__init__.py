"""Output formats of views: Plotly figures in `figures`, figures for print in `svg`, HTML reports in `html`,
and zips with LaTeX and CSV for papers in `paper`.

* HTML report of a score: `html.scorecard.html`; of one image: `html.single_image.html`;
  blocks: `html.report_blocks.sections`
* figure for the page: a module of `figures` for each kind, such as `figures.calibration.reliability`
* figure without a browser: `svg.draw_figure.svg`; zip for a paper: `paper.archive.zipped`;
  LaTeX: `paper.latex.table`

Text from files and visitors must be escaped with `scoring.common.text` before it is passed to this package.
"""
