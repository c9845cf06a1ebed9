"""Names the pages. A flat navigation at the top leaves the whole width to the data and is clean for screen
readers."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pages.shared import address, drop, headline, kept_files, uploads  # noqa: E402
from scoring.challenges import REGISTRY  # noqa: E402

st.set_page_config(page_icon="🔬", layout="wide")
page = st.navigation(
    [
        st.Page(PAGES / "overview.py", title="Benchside", default=True),
        *(st.Page(PAGES / f"{name}.py", title=row.short_name) for name, row in REGISTRY.items()),
        st.Page(PAGES / "single_image.py", title="Single image"),
        st.Page(PAGES / "compare_teams.py", title="Compare teams"),
        st.Page(PAGES / "board.py", title="Boards"),
        st.Page(PAGES / "about.py", title="About this server"),
    ],
    position="top",
)
headline.styles()
with st.container(key="unseen"):
    drop.anywhere()
    address.steps()
kept_files.say_lost()
uploads.say_refused()
address.begin(page.url_path)
page.run()
address.end()
kept_files.outlive_reload()
