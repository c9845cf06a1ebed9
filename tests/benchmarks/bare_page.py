"""A page with five figures that are built once: what Streamlit itself costs.

Most of it is the garbage collection that ends every run; with `?frozen=1` what has been imported and built is
left out of it, as in the app, from then on.
"""

import gc

import plotly.graph_objects as go
import streamlit as st


@st.cache_resource
def figures() -> list[go.Figure]:
    return [go.Figure(go.Scatter(x=list(range(50)), y=[k * x for x in range(50)])) for k in range(5)]


st.title("Five figures")
for place, figure in enumerate(figures()):
    st.plotly_chart(figure, theme=None, key=f"figure_{place}")
if "frozen" in st.query_params:
    gc.collect()
    gc.freeze()
    st.query_params.clear()
