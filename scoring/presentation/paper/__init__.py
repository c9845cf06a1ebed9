"""Files for papers.

* zip of everything: `archive.of_card`, `archive.zipped`; methods paragraph: `archive.methods`
* tables as LaTeX and CSV: `latex.table`, `latex.comma_separated`
"""
