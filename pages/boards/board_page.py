"""A board: the public part, and the tabs of its organizer."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import streamlit as st

from pages.boards import actions, participants, settings, submitting, truth_correction
from pages.boards.actions import BoardPage
from pages.challenge.scoring_run import Outcome, attempt
from pages.display import downloads, finding_list, layout, render
from pages.display.render import BlockPath
from pages.server import access, url_state
from scoring.access.roles import NOBODY, Role
from scoring.boards import imported_leaderboards, views
from scoring.boards.board import OpenBoard, opened
from scoring.boards.bundles import bundle
from scoring.boards.publication import public_report, publication_archive
from scoring.boards.ranking.board_ranking import board_ranking, rows_digest
from scoring.boards.submissions import phases_and_limits
from scoring.boards.teams import members
from scoring.common.findings import InputRefused
from scoring.common.text import as_json, markdown
from scoring.core.views import Section
from scoring.store.database import Store

ORGANIZERS_TABS = ("Submissions", "Corrections", "Participants", "Settings")
UNREADABLE = {"board-damaged", "bad-card", "store-damaged"}
PUBLIC = "public"
"""Value of `view` in the address when an organizer looks at the public page."""

STATES = {
    phases_and_limits.OPEN: "event_available",
    phases_and_limits.UPCOMING: "event_upcoming",
    phases_and_limits.CLOSED: "event_busy",
}
"""Whether submissions are accepted -> icon."""


def show(store: Store, board_id: str) -> None:
    """Draw a board, or why there is none."""
    leaderboard, organizes = attempt(imported_leaderboards.find, store, board_id), actions.may_organize()
    if leaderboard.refused:
        _refused(store, board_id, leaderboard.refused)
        return
    board = leaderboard.value
    if board is not None:
        layout.plain_opening(markdown(board.title, 80), f"{board.leaderboard.platform}, {board.created[:10]}")
        _way("All boards", "arrow_back")
        render.draw_all(views.leaderboard(board), BlockPath(None, False, "board"))
        if organizes:
            settings.delete(store, board_id, board.title, 0)
        return
    is_public = not organizes or st.query_params.get("view") == PUBLIC
    top = st.container(gap="small")
    bar = st.container(horizontal=True, gap="small", vertical_alignment="center")
    ways = bar.container(horizontal=True, gap="small", vertical_alignment="center", width="content")
    board_outcome = attempt(opened, replace(store, actor=NOBODY) if is_public else store, board_id)
    with bar:
        phase = None if board_outcome.refused else _phase(store, board_id)
    outcome = (
        board_outcome if board_outcome.refused else attempt(_board_page, store, board_id, is_public, phase)
    )
    if not organizes:
        _record_guess(outcome)
    if outcome.refused:
        _refused(store, board_id, outcome.refused)
        return
    page: BoardPage = outcome.value
    with top:
        _opening(page, is_public)
    if organizes:
        with ways:
            _ways(page, is_public)
    with bar:
        _state(page)
    if organizes:
        _clock(page)
    tabs: dict[str, Callable[[], None]] = {
        section.name: partial(_section, page, section) for section in page.sections
    }
    if not is_public:
        whole = page if phase is None else _board_page(store, board_id, is_public, None)
        tabs["Submissions"] = partial(submitting.show, whole)
        tabs["Corrections"] = partial(truth_correction.show, whole)
        tabs["Participants"] = partial(participants.show, store, page.board, whole.ranking)
        tabs["Settings"] = partial(settings.show, whole)
    elif not organizes and access.is_configured() and access.allowed(Role.PARTICIPANT):
        tabs["Submit"] = partial(participants.submit, store, page.board)
    may_log_in = access.is_configured() and not store.actor.key
    is_own_tab = st.query_params.get("tab") in (None, *tabs)
    layout.tabs(tabs, bound=is_own_tab or not may_log_in)  # the tab is there after the login
    _downloads(page, is_public)


def _refused(store: Store, board_id: str, refused: InputRefused) -> None:
    """Say why a board cannot be shown, and let its organizer delete an unreadable board."""
    layout.plain_opening("Boards", "")
    finding_list.refusal(refused, title="This board cannot be shown")
    _way("All boards", "arrow_back")
    if actions.may_organize() and {problem.code for problem in refused.problems} & UNREADABLE:
        settings.delete(store, board_id, board_id, None)


def _clock(page: BoardPage) -> None:
    """Tell the organizer that submissions have times in the future."""
    store, board_id = page.board.store, page.board.row.id
    problem = phases_and_limits.clock_problem(store, board_id)
    if problem:
        st.warning(problem, icon=":material/schedule:")
        if st.button(
            "Set the future times to the current time", icon=":material/schedule:", key="board_clock"
        ):
            actions.do(phases_and_limits.set_times_right, store, board_id)


def _record_guess(outcome: Outcome) -> None:
    """Record for the organizers that somebody else opened their tabs, or a board that is not there."""
    tab = st.query_params.get("tab")
    if outcome.refused and any(problem.code == "no-board" for problem in outcome.refused.problems):
        access.record_refused("/board?board=…")
    elif tab in ORGANIZERS_TABS:
        access.record_refused(f"/board?tab={tab}")


def _phase(store: Store, board_id: str) -> str | None:
    """Draw which phase is ranked, where the board has phases; None: all."""
    known = attempt(phases_and_limits.phases, store, board_id).value
    if not known:
        return None
    every = "All phases"
    chosen = st.segmented_control(
        "Phase whose submissions are ranked",
        [every, *(phase.name for phase in known)],
        default=every,
        format_func=lambda name: markdown(name, 60),
        key="phase",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return None if chosen == every else chosen


def _board_page(store: Store, board_id: str, is_public: bool, phase: str | None) -> BoardPage:
    """Return a board. Cached blocks of the public part contain no actions; those of an organizer belong to
    that organizer only."""
    actor = NOBODY if is_public else store.actor
    key = (store.place, rows_digest(store, board_id), repr((actor, phase)))
    return _cached_page(key, replace(store, actor=actor), board_id, is_public, phase)


@st.cache_resource(max_entries=16, show_spinner="Ranking ...")
def _cached_page(
    key: tuple[str, ...], _store: Store, board_id: str, is_public: bool, phase: str | None
) -> BoardPage:
    ranking = board_ranking(opened(_store, board_id), phase)
    sections = public_report.sections if is_public else public_report.open_sections
    return BoardPage(ranking, sections(ranking), key)


def _opening(page: BoardPage, is_public: bool) -> None:
    row = page.board.row
    rule = f"{views.RULE}\n\n{page.board.challenge.words.rule.strip()}"
    with st.container(key="board_opening"):
        layout.opening(markdown(row.title, 80), views.formula(page.ranking), rule)
    version = f" · version {row.version} of the test set" if row.version > 1 else ""
    origin = f" · {page.board.imported}" if page.board.imported else ""
    st.caption(f"{page.board.challenge.words.title}{version} · open since {row.created[:10]}{origin}")


def _ways(page: BoardPage, is_public: bool) -> None:
    """Draw the ways from a board to the others, and between its views."""
    board_id = page.board.row.id
    _way("All boards", "arrow_back")
    if is_public:
        _way("Organizer’s view", "edit", board=board_id)
        st.caption("The public sees only this page.", width="content")
    else:
        _way("Public view", "public", board=board_id, view=PUBLIC)


def _state(page: BoardPage) -> None:
    """Draw whether the board takes submissions now."""
    if page.ranking.phases:
        state, sentence = phases_and_limits.state_now(page.ranking.phases)
        icon, is_open = STATES[state], state == phases_and_limits.OPEN
        st.badge(markdown(sentence, 120), icon=f":material/{icon}:", color="green" if is_open else "gray")


def _way(label: str, icon: str, **address_of: str) -> None:
    """Draw a button that opens another view of this page."""
    st.button(
        label,
        key=f"board_way_{icon}",
        type="tertiary",
        icon=f":material/{icon}:",
        on_click=url_state.replace,
        kwargs=address_of,
    )


def _section(page: BoardPage, section: Section) -> None:
    render.draw_all(section.blocks, page.path(section.name))


def _downloads(page: BoardPage, is_public: bool) -> None:
    """Draw the downloads: the report for everybody, the whole board for its organizer."""
    stem = f"board-{page.board.row.id}"
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        report, key = partial(public_report.html, page.ranking), "download_board"
        downloads.button("Report (HTML)", report, f"{stem}.html", key)
        downloads.button(
            "board.json", lambda: as_json(public_report.value(page.ranking)), f"{stem}.json", f"{key}_json"
        )
        if not is_public:
            downloads.button(
                "To publish (zip)",
                partial(publication_archive.publication, page.ranking),
                f"{stem}-publication.zip",
                "download_publication",
                help="Report, numbers, BIAS checklist to complete, CITATION.cff and Zenodo metadata",
            )
            with_truth = st.toggle("with the test sets", key="board_with_truth")
            downloads.button(
                "Whole board (zip)",
                partial(_bundle, page.board, with_truth),
                f"{stem}.zip",
                "download_bundle",
                help="Another server can import this file. It contains case ids: do not publish it.",
            )
    if not is_public:
        st.caption("The report, board.json and the publication files contain no case ids.")


def _bundle(board: OpenBoard, with_truth: bool) -> bytes:
    """Return the bundle on behalf of the visitor to whom it was offered: downloads are made without a known
    visitor."""
    members.require_current(board.store, board.store.actor, Role.ORGANIZER)
    return bundle.export(board, with_truth)
