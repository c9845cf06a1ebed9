"""Back ends of the views: Plotly `figures`, `svg` for print, `html` reports, `paper` archives (LaTeX,
CSV)."""
