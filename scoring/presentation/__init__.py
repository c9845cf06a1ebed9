"""Back ends of the views: Plotly `figures`, `svg` for print, `html` reports, `paper` archives (LaTeX, CSV).

Text of strangers is made safe by `scoring.common.text` (`markdown`, `shortened`) before it comes here.
"""
