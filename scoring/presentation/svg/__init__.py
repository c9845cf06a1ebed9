"""Figures drawn without a browser, as SVG for reports and papers.

`draw_figure` draws a whole one from `plot_layout` (sizes), `curves_and_points`, `bars`, `frame_and_legend`.
"""
