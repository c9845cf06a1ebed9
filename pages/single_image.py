"""Page of single images: a model's output for one photograph or tile, its uncertainty, saliency maps and
performance on similar cases."""

import streamlit as st

from pages.display import layout
from pages.input_widgets import drop_messages
from pages.server import access
from pages.single_image_sections import photograph_layout, tile_layout
from scoring.challenges import REGISTRY, challenge_ids, load_challenge
from scoring.common.text import markdown
from scoring.single_image import photograph

access.guard(__file__)

CHALLENGES = {
    name: support for name in challenge_ids() if (support := load_challenge(name).display.single_image)
}
ABOUT = (
    "This page shows the output of a model for one image: scores for a photograph of skin, with reasons to "
    "trust or doubt them, or the nuclei in a tissue tile."
)
KINDS = {"photograph": photograph_layout.show, "tile": tile_layout.show}


def single_image() -> None:
    with st.container(key="single_opening"):
        layout.plain_opening("Single image", ABOUT)
    challenge_id = _challenge()
    drop_messages.line()
    KINDS[CHALLENGES[challenge_id].kind](challenge_id)
    with st.bottom:
        layout.closing()
    photograph.SPARE.prepare()  # last: its start takes processor time that the answer needs


def _challenge() -> str:
    """Return the challenge in the address, or the first; say so where the named one has no single image."""
    key, named = "single_challenge", st.query_params.get("challenge")
    if st.session_state.get(key) not in CHALLENGES:
        st.session_state[key] = named if named in CHALLENGES else next(iter(CHALLENGES))
    chosen = st.segmented_control(
        "Challenge",
        list(CHALLENGES),
        key=key,
        required=True,
        format_func=lambda name: REGISTRY[name].short_name,
        on_change=_to_address,
        args=(key,),
        persist_state="session",
        label_visibility="collapsed",
    )
    chosen = chosen or next(iter(CHALLENGES))
    if named and named not in CHALLENGES:
        called = REGISTRY[named].short_name if named in REGISTRY else f"The challenge “{markdown(named, 40)}”"
        shown = REGISTRY[chosen].short_name
        st.info(f"{called} has no single image. This page shows {shown} instead.", icon=":material/info:")
    return chosen


def _to_address(key: str) -> None:
    drop_messages.dismiss()
    for other in ("case", "model", "set"):
        st.query_params.pop(other, None)
    st.query_params["challenge"] = st.session_state[key]


single_image()
