"""A page with five figures that are built once: what Streamlit itself costs.

What has been imported and built is left out of the garbage collections that end every run, as the app does.
"""

import gc

import plotly.graph_objects as go
import streamlit as st


@st.cache_resource
def figures() -> list[go.Figure]:
    built = [go.Figure(go.Scatter(x=list(range(50)), y=[k * x for x in range(50)])) for k in range(5)]
    gc.collect()
    gc.freeze()
    return built


st.title("Five figures")
for place, figure in enumerate(figures()):
    st.plotly_chart(figure, theme=None, key=f"figure_{place}")
