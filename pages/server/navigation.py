"""Navigation: names, addresses and icons of the pages in the bar at the top."""

import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "pages"
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pages.input_widgets import drop_messages, drop_target, reload_recovery, upload_quota  # noqa: E402
from pages.server import access, deferred_widgets, url_state  # noqa: E402
from pages.server.access import NavEntry  # noqa: E402
from scoring.access.roles import Role  # noqa: E402
from scoring.challenges import REGISTRY  # noqa: E402

st.set_page_config(page_icon="🔬", layout="wide")
ENTRIES = [
    NavEntry(path=PAGES / "overview.py", title="Benchside", default=True),
    *(NavEntry(path=PAGES / f"{name}.py", title=row.short_name) for name, row in REGISTRY.items()),
    NavEntry(path=PAGES / "challenges.py", title="More challenges"),
    NavEntry(path=PAGES / "declared.py", title="Challenge", is_listed=False),
    NavEntry(path=PAGES / "single_image.py", title="Single image"),
    NavEntry(path=PAGES / "compare_teams.py", title="Compare teams"),
    NavEntry(path=PAGES / "board.py", title="Boards"),
    NavEntry(path=PAGES / "about.py", title="About this server"),
]
page = st.navigation([entry.page() for entry in ENTRIES], position="top")
with st.container(key="unseen"):
    if access.allowed(Role.PARTICIPANT):
        drop_target.anywhere()
    url_state.steps()
access.bar()
reload_recovery.say_lost()
upload_quota.say_refused()
drop_messages.say_none()
opens = url_state.start_run(page.url_path)
deferred_widgets.begin(opens and page.url_path in REGISTRY)
page.run()
url_state.end()
reload_recovery.outlive_reload()
