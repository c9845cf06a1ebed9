"""Files for papers: tables as LaTeX and CSV, figures as SVG, methods and citations in one zip."""
