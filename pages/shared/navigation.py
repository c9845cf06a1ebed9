"""Names the pages. A flat navigation at the top leaves the whole width to the data and is clean for screen
readers."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pages.shared import access, address, drop, headline, kept_files, placement_line, score_first, uploads  # noqa: E402
from pages.shared.access import Entry  # noqa: E402
from scoring.challenges import REGISTRY  # noqa: E402
from scoring.services.access.roles import Role  # noqa: E402

st.set_page_config(page_icon="🔬", layout="wide")
ENTRIES = [
    Entry(path=PAGES / "overview.py", title="Benchside", default=True),
    *(Entry(path=PAGES / f"{name}.py", title=row.short_name) for name, row in REGISTRY.items()),
    Entry(path=PAGES / "single_image.py", title="Single image"),
    Entry(path=PAGES / "compare_teams.py", title="Compare teams"),
    Entry(path=PAGES / "board.py", title="Boards"),
    Entry(path=PAGES / "about.py", title="About this server"),
]
page = st.navigation([entry.page() for entry in ENTRIES], position="top")
headline.styles()
with st.container(key="unseen"):
    if access.allowed(Role.PARTICIPANT):
        drop.anywhere()
    address.steps()
access.bar()
kept_files.say_lost()
uploads.say_refused()
placement_line.say_empty()
opens = address.begin(page.url_path)
score_first.begin(opens and page.url_path in REGISTRY)
page.run()
address.end()
kept_files.outlive_reload()
