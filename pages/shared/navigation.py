"""Names the pages. A flat navigation at the top leaves the whole width to the data and is clean for screen
readers."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

st.set_page_config(page_icon="🔬", layout="wide")
st.navigation(
    [
        st.Page(PAGES / "overview.py", title="Benchside", default=True),
        st.Page(PAGES / "tricorder3.py", title="TRICORDER-3"),
        st.Page(PAGES / "melanoma.py", title="Melanoma"),
        st.Page(PAGES / "isic.py", title="ISIC"),
        st.Page(PAGES / "puma.py", title="PUMA"),
        st.Page(PAGES / "hecktor2026.py", title="HECKTOR 2026"),
        st.Page(PAGES / "single_image.py", title="Single image"),
        st.Page(PAGES / "compare_teams.py", title="Compare teams"),
    ],
    position="top",
).run()
