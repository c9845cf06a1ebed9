"""Files for papers.

* zip with all files: `archive.of_card`, `archive.zipped`; paragraph for the methods section:
  `archive.methods`
* tables as LaTeX and CSV: `latex.table`, `latex.comma_separated`
"""
