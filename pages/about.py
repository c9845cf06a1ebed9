"""Page about this server: confinement of models, limits, folders, and what needs fixing."""

import streamlit as st

from pages.display import layout
from pages.input_widgets import upload_quota
from pages.server import access, request_guard
from scoring.cli import doctor
from scoring.cli.doctor import Check
from scoring.common.text import markdown
from scoring.inference.cluster.scheduler import is_named

access.guard(__file__)

SIGNS = {"ok": ":green[✓]", "caution": ":orange-badge[▲ could be better]", "fault": ":red-badge[✕ to fix]"}
WHOLE = "How models are confined, which limits apply, where files are stored, and what needs fixing."
PART = "How models are confined, which limits apply, and where files are stored."


def about() -> None:
    public = request_guard.is_public()
    layout.plain_opening("About this server", PART if public else WHOLE)
    with st.spinner("Checking this machine ..."):
        entries = [*doctor.examine(public, upload_quota.occupancy()), *_statistics(), _login(public)]
    entries_shown = [entry for entry in entries if entry.public or not public]
    _summary(entries_shown, public)
    for group in dict.fromkeys(entry.group for entry in entries_shown):
        layout.heading(group)
        st.markdown(_lines([entry for entry in entries_shown if entry.group == group], public))
    if public:
        st.caption("The operator of this server can see more details with the command `benchside doctor`.")
    with st.bottom:
        layout.closing()


def _statistics() -> list[Check]:
    """Streamlit's own statistics, where somebody turned them on."""
    if not st.get_option("browser.gatherUsageStats"):
        return []
    advice = "Set browser.gatherUsageStats to false, as this project's settings do."
    effect = "each visitor's browser reports usage to Streamlit's makers"
    return [Check(doctor.PROGRAM, "Usage statistics", effect, "fault", advice, public=True)]


def _login(public: bool) -> Check:
    """Return the sentence about the permissions of visitors."""
    rule = "no login: everybody who can reach this server may use every page"
    if access.is_configured():
        rule = "by OpenID Connect, with the roles organizer, participant and visitor"
    elif public:
        rule = "no login: everybody whom the proxy admits may use every page, but nobody may change boards"
    return Check(doctor.PROGRAM, "Login", rule, public=True)


def _summary(entries: list[Check], public: bool) -> None:
    wrong = [entry for entry in entries if entry.state != "ok"]
    if not wrong:
        sentence = "" if is_named() else " Nothing leaves this machine."
        st.success(f"Everything is in order.{sentence}", icon=":material/verified_user:")
        return
    count = len(doctor.faults(wrong))
    sentence = (
        f"{count} problem{'s' * (count != 1)} to fix"
        if count
        else "Everything works; some settings could be improved"
    )
    st.warning(f"{sentence}:\n\n{_lines(wrong, public)}", icon=":material/build:")


def _lines(entries: list[Check], public: bool) -> str:
    """Return the lines of a group. public: advice is left out, because it concerns only the operator."""
    lines = []
    for entry in entries:
        lines.append(f"{SIGNS[entry.state]} {markdown(entry.name)}: **{markdown(entry.value, 300)}**")
        if entry.mend and not public:
            lines.append(f":orange[→ {markdown(entry.mend, 300)}]")
    return "  \n".join(lines)


about()
