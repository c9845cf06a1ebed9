"""Drawing of blocks, tables, findings and downloads; this package computes nothing.

* layout of every page: `layout.opening`, `layout.scored`; first figure as a still picture until the chart
  code has loaded: `layout.early_plot`; blocks of `scoring.core.views`: `render.draw`
* headline with its score: `headline.bar`; problems of a refused file: `finding_list.refusal`
* tables: `tables.frame`; downloads: `downloads.button`
* figures are made in `scoring.presentation.figures`, a module for each kind
* viewer of images, masks and nuclei: `viewer`; grid of cases: `case_grid`
* progress bar and Cancel of a long job: `pages.server.background_jobs.watch`
"""
