"""Tabs with widgets on the page of a declared challenge: the viewer, and pictures of cases."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import streamlit as st

from pages.challenge import case_table
from pages.challenge.scored_submission import ScoredSubmission
from pages.challenge_tabs import shared_widgets
from pages.challenge_tabs.shared_widgets import choose_case
from pages.display import layout, viewer
from pages.display.render import CaseLink
from pages.display.tables import shortener
from pages.display.viewer import nuclei
from pages.display.viewer.payload import Payload
from scoring.challenges.declared import scenes
from scoring.challenges.declared.declaration import Declaration
from scoring.challenges.declared.scenes import are_flat, marks
from scoring.challenges.declared.views import worst_first
from scoring.common.text import markdown, named, shortened
from scoring.core.scorecard import ScoreCard
from scoring.inference import thumbnails
from scoring.presentation.figures.number_format import decimal

LINK = CaseLink("case", "place")
VIEWER = "Viewer"
KEPT_CASES, MARGIN = 8, 1.05
"""Maximum cached drawings of cases, and width of an image without a picture relative to its marks."""
LARGE = 800
"""Width in px of a single picture."""


def tabs(declaration: Declaration) -> Mapping[str, Callable[[ScoredSubmission], None] | None]:
    """Return the tabs of a declared challenge: sections, and the widgets below them."""
    names = ("Metrics", "Classes", "Curves", "Thresholds", "Errors", "Calibration", "Subgroups")
    live = {VIEWER: partial(viewer_tab, declaration)} if has_viewer(declaration) else {}
    cases = {"Cases": partial(cases_tab, LINK if live else None)}
    return {**dict.fromkeys(names), **cases, **live, "Model": None}


def has_viewer(declaration: Declaration) -> bool:
    """Return whether cases are shown in a viewer: masks, and points and boxes in pictures."""
    return declaration.task == "segmentation" or bool(declaration.truth.places and are_flat(declaration))


@st.fragment
def viewer_tab(declaration: Declaration, scored: ScoredSubmission) -> None:
    """Draw truth and prediction of a case; a click in the viewer redraws only this tab."""
    card = scored.card
    names = [row["case"] for row in card.cases]
    with st.container(key="case_steps", horizontal=True, vertical_alignment="center", gap="small"):
        index = choose_case("Case", names, LINK, partial(_worst, card), shortener(names), 260)
        facts = (f"{named(name)} {_value(value)}" for name, value in card.cases[index].items())
        st.caption(markdown(" · ".join([*facts][1:]), 200))
    if declaration.task == "segmentation":
        read = partial(scenes.scene, declaration)
        names_of = scenes.label_names(declaration), scenes.labels_of_regions(declaration)
        shared_widgets.slices(scored, index, read, LINK, *names_of)
    else:
        content = (card.challenge, scored.truth_key, scored.submission.key, index)
        viewer.show(_marked(content, declaration, scored.truth, scored.predictions), "marks")


@st.cache_resource(max_entries=KEPT_CASES, scope="session", show_spinner="Drawing the marks ...")
def _marked(content: tuple, _declaration: Declaration, _truth, _predictions) -> Payload:
    """Return objects and detections of an image as the viewer takes them, over its picture, if it has one."""
    index = content[-1]
    drawn = marks(_declaration, _truth, _predictions, index)
    jpeg, size = thumbnails.sized_tile(_truth, index)
    if size is None:
        ends = np.vstack([drawn["xy"], drawn["centroids"], np.ones((1, 2))]).max(0)
        size = (int(ends[0] * MARGIN) + 1, int(ends[1] * MARGIN) + 1)
    classes = _declaration.classes or ("object",)
    info = nuclei.TileInfo(_truth.ids[index], size, classes, 0.0, jpeg, ("object", "objects"))
    return nuclei.results(drawn, info, [""], 0.0)


def _worst(card: ScoreCard) -> str:
    return str(card.cases[worst_first(card)[0]]["case"])


@st.fragment
def cases_tab(link: CaseLink | None, scored: ScoredSubmission) -> None:
    """Draw the cases as pictures; a click opens the viewer, or the picture if there is no viewer."""
    if not any(scored.truth.images):
        return
    if link is not None:
        case_table.grid(scored, "opens the viewer", link.open)
        return
    case_table.grid(scored, "shows it larger", case_table.choose)
    names = list(scored.truth.ids)
    if (chosen := st.session_state.get("case")) in names:
        index = names.index(chosen)
        row = scored.card.cases[index].items()
        facts = (f"{named(name)} {_value(value)}" for name, value in row)
        if (picture := thumbnails.tile(scored.truth, index, LARGE)) is not None:
            layout.draw_picture(picture, markdown(" · ".join(facts), 300), alt=f"Case {chosen}")


def _value(value: object) -> str:
    return decimal(value, 3) if isinstance(value, float) else "–" if value is None else shortened(value, 40)
