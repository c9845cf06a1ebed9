"""Plotly figures, a module for each kind; `theme` has the colours, `canvas` builds, `plotly_figure` is the
result."""
