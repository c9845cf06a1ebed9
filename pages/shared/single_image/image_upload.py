"""The image that a model is asked about: a case of the test set, an own photograph or one from the camera. Of
an own file pixels alone stay."""

import secrets
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared import submissions
from pages.shared.inputs import Input
from pages.shared.single_image import model, session
from scoring.findings import InputRefused
from scoring.single_image import photograph, wording
from scoring.single_image.photograph import Photograph
from scoring.single_image.quality import Quality, of_photograph
from scoring.text import markdown

SAMPLE, OWN, CAMERA = "Sample", "My image", "Camera"
TYPES = ("jpg", "jpeg", "png", "webp", "tif", "tiff", "bmp", "gif")
MOST_MB = 64
CASES_IN_SIGHT = 8
HELD, REFUSED, TURN = (f"{session.PREFIX}{name}" for name in ("own", "refused", "turn"))


@dataclass(frozen=True)
class Image:
    """The image in use. token: names it in this session, and holds nothing of it. case: its place in the test
    set, None for an own one."""

    token: str
    photograph: Photograph
    name: str
    case: int | None = None


def image(challenge_id: str, test_set: Input, truth) -> Image | None:
    """Draw where the image comes from and give it; None while there is none."""
    source = st.segmented_control(
        "Image",
        [SAMPLE, OWN, CAMERA],
        key="single_source",
        required=True,
        default=SAMPLE,
        persist_state="session",
        width="stretch",
    )
    return _of_test_set(challenge_id, test_set, truth) if source == SAMPLE else _own(source)


def measured(shown: Image) -> Quality:
    """The quality of the image."""
    return session.kept("quality", shown.token, lambda: of_photograph(shown.photograph))


def _of_test_set(challenge_id: str, test_set: Input, truth) -> Image | None:
    places = [i for i, member in enumerate(truth.images) if member is not None]
    if not places:
        st.info(
            "This test set has no images: choose another, or an image of your own.",
            icon=":material/hide_image:",
        )
        return None
    key = f"single_case_{challenge_id}"
    names = {truth.ids[i]: i for i in places}
    if key not in st.session_state and st.query_params.get("case") in names:
        st.session_state[key] = st.query_params["case"]
    if st.session_state.get(key) not in (None, *names):
        del st.session_state[key]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", wrap=False):
        chosen = st.selectbox(
            "Case",
            list(names),
            key=key,
            on_change=_to_address,
            args=(key,),
            persist_state="session",
            format_func=str,
        )
        with st.popover(
            "Gallery", icon=":material/grid_view:", key="single_gallery", on_change="rerun"
        ) as gallery:
            if gallery.open:
                _gallery(challenge_id, test_set, truth, places, key)
    return _received(challenge_id, test_set.key, names[chosen], truth)


def _to_address(key: str) -> None:
    st.query_params["case"] = st.session_state[key]


def _gallery(challenge_id: str, test_set: Input, truth, places: list[int], key: str) -> None:
    """Cases to choose from, page by page."""
    pages = -(-len(places) // CASES_IN_SIGHT)
    cards, page = st.container(), st.pagination(pages, key=f"{key}_page") if pages > 1 else 1
    shown = places[(page - 1) * CASES_IN_SIGHT : page * CASES_IN_SIGHT]
    thumbnails = submissions.thumbnails(challenge_id, test_set.key, tuple(shown), truth)
    with cards, st.grid(min_column_width=110, gap="small"):
        for place, thumbnail in zip(shown, thumbnails, strict=True):
            with st.container(gap="xsmall"):
                if thumbnail:
                    st.image(thumbnail, width="stretch", alt=f"Case {truth.ids[place]}")
                st.button(
                    "Try this",
                    key=f"{key}_{place}",
                    on_click=_choose,
                    args=(key, truth.ids[place]),
                    width="stretch",
                )


def _choose(key: str, case: str) -> None:
    st.session_state[key] = st.query_params["case"] = case
    st.session_state["single_gallery"] = False


def _received(challenge_id: str, truth_key: str, index: int, truth) -> Image | None:
    """A case of the test set, taken in as an own image would be."""
    token = f"{challenge_id}-{truth_key.rsplit(':', 1)[-1]}-{index}"
    found = session.kept("case", token, lambda: submissions.attempt(_decoded, truth, index))
    if found.refused:
        st.error(markdown(found.refused.problems[0].message, 600), icon=":material/broken_image:")
        return None
    return Image(token, found.value, truth.ids[index], index)


def _decoded(truth, index: int) -> Photograph:
    return photograph.received(truth.picture(index))


def _own(source: str) -> Image | None:
    held = st.session_state.get(HELD)
    if held is not None:
        st.button(
            "Remove my image",
            on_click=_remove,
            icon=":material/delete:",
            width="stretch",
            key="single_remove",
        )
        return held
    st.markdown(wording.BANNER)
    st.caption(f"{wording.PRIVACY} {wording.CONSENT}")
    agreed = st.checkbox("I have read this", key="single_agreed", persist_state="session")
    key = f"single_file_{st.session_state.get(TURN, 0)}"
    if source == OWN:
        st.file_uploader(
            "Drop an image or choose one",
            TYPES,
            key=key,
            on_change=_taken,
            args=(key,),
            max_upload_size=MOST_MB,
            disabled=not agreed,
        )
    elif agreed:
        st.camera_input("Take a photograph", key=key, on_change=_taken, args=(key,))
    for words in st.session_state.get(REFUSED, ()):
        st.error(markdown(words, 600), icon=":material/broken_image:")
    return None


def _remove() -> None:
    session.forget()
    model.close()


def _taken(key: str) -> None:
    """Take the pixels out of an upload and drop the rest at once: the bytes, their name, and the widget that
    knows both."""
    file = st.session_state[key]
    if file is None:
        return
    st.session_state.pop(REFUSED, None)
    try:
        st.session_state[HELD] = Image(
            secrets.token_hex(4), photograph.received(file.getvalue()), photograph.CALLED
        )
    except InputRefused as refused:
        # The words alone: the exception holds on to the bytes.
        st.session_state[REFUSED] = tuple(problem.message for problem in refused.problems)
    context = get_script_run_ctx()
    context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
