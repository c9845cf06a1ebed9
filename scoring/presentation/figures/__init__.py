"""Plotly figures, a module for each kind: confusion matrix, curves, intervals, survival, maps."""
