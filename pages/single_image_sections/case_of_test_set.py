"""Choice of a case of the test set; the address names it."""

import streamlit as st

from pages.challenge import scoring_run
from pages.display import tables
from pages.display.layout import draw_picture
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import session_state
from pages.single_image_sections.chosen_image import ChosenImage
from scoring.common.text import markdown
from scoring.single_image import photograph
from scoring.single_image.photograph import WHOLE_PIXELS, Photograph

CASES_IN_SIGHT = 8


def chosen(challenge_id: str, test_set: ChosenInput, truth) -> ChosenImage | None:
    """Draw the choice of a case, and return it; None if there is none, or if it cannot be read."""
    key, names = _key_and_names(challenge_id, test_set, truth)
    if not names:
        _to_address(None, names)
        st.info(
            "This test set has no images: choose another, or an image of your own.",
            icon=":material/hide_image:",
        )
        return None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False):
        case = st.selectbox(
            "Case",
            list(names),
            key=key,
            persist_state="session",
            format_func=tables.shortener(list(names)),
            label_visibility="collapsed",
        )
        with st.popover(
            "Gallery", icon=":material/grid_view:", key="single_gallery", on_change="rerun"
        ) as gallery:
            if gallery.open:
                _gallery(challenge_id, test_set, truth, list(names.values()), key)
    _to_address(case, names)
    return _received(challenge_id, test_set.key, names[case], truth)


def leave_address(challenge_id: str, test_set: ChosenInput, truth) -> None:
    """Remove the case from the address while another image is shown, but remember the choice."""
    _to_address(None, _key_and_names(challenge_id, test_set, truth)[1])


def _key_and_names(challenge_id: str, test_set: ChosenInput, truth) -> tuple[str, dict[str, int]]:
    """Return the session key of the choice, and the position of each case with an image. A new choice in the
    address is applied."""
    # A key for each test set: of a box with the same key, a browser keeps the text after the options change.
    key = f"single_case_{challenge_id}_{test_set.key.rsplit(':', 1)[-1]}"
    names = {truth.ids[i]: i for i, member in enumerate(truth.images) if member is not None}
    if key not in st.session_state and st.query_params.get("case") in names:
        st.session_state[key] = st.query_params["case"]
    if st.session_state.get(key) not in (None, *names):
        del st.session_state[key]
    return key, names


def _to_address(case: str | None, names: dict[str, int]) -> None:
    """Let the address name the case on the page. The first needs no name."""
    named = st.query_params.get("case")
    if case is None or (case == next(iter(names)) and named not in names):
        st.query_params.pop("case", None)
    elif named != case:
        st.query_params["case"] = case


def _gallery(challenge_id: str, test_set: ChosenInput, truth, places: list[int], key: str) -> None:
    """Cases to choose from, page by page."""
    pages = -(-len(places) // CASES_IN_SIGHT)
    cards, page = st.container(), st.pagination(pages, key=f"{key}_page") if pages > 1 else 1
    on_page = places[(page - 1) * CASES_IN_SIGHT : page * CASES_IN_SIGHT]
    thumbnails = scoring_run.thumbnails(challenge_id, test_set.key, tuple(on_page), truth)
    with cards, st.grid(min_column_width=110, gap="small"):
        for index, thumbnail in zip(on_page, thumbnails, strict=True):
            with st.container(gap="xsmall"):
                if thumbnail:
                    draw_picture(thumbnail, width="stretch", alt=f"Case {truth.ids[index]}")
                st.button(
                    "Try this",
                    key=f"{key}_{index}",
                    on_click=_choose,
                    args=(key, truth.ids[index]),
                    width="stretch",
                )


def _choose(key: str, case: str) -> None:
    st.session_state[key] = case
    st.session_state["single_gallery"] = False


def _received(challenge_id: str, truth_key: str, index: int, truth) -> ChosenImage | None:
    """Return a case of the test set, received as an own image would be."""
    token = f"{challenge_id}-{truth_key.rsplit(':', 1)[-1]}-{index}"
    outcome = session_state.cached("case", token, lambda: scoring_run.attempt(_decoded, truth, index))
    if outcome.refused:
        st.error(markdown(outcome.refused.problems[0].message, 600), icon=":material/broken_image:")
        return None
    return ChosenImage(token, outcome.value, truth.ids[index], index, token)


def _decoded(truth, index: int) -> Photograph:
    return photograph.received(truth.picture(index), most_pixels=WHOLE_PIXELS)
