"""Figures drawn without a browser, as SVG for reports and papers.

* draw a whole figure: `draw_figure.svg`; measure its layout: `plot_layout.measured`; axes: `axes`
* lines and points: `curves_and_points.scatter`; bars, heat maps: `bars.bars`;
  frame, legend: `frame_and_legend`; text: `text`
"""
