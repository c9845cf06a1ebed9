"""A tile of stained tissue, and the nuclei in it."""

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Running
from pages.single_image_parts import image_upload, model, selectors, tile
from scoring.common.text import markdown
from scoring.single_image.nuclei import tile_support


def show(challenge_id: str) -> None:
    """Draw a tile of stained tissue with the nuclei that a model or a file gives."""
    support = tile_support(challenge_id)
    left, right = st.columns([2, 5], gap="large")
    with left:
        image_place = st.container(key="single_place")
        with st.container(key="single_setup"):
            setup = st.expander("Model and tiles", icon=":material/tune:")
    with setup:
        given = tile.source(challenge_id)
        test_set, _, truth = selectors.cases(challenge_id)
    if truth is None:
        right.info("Without a test set nothing is shown: see “Model and tiles”.", icon=":material/help:")
        return
    among = model.measured(challenge_id, test_set, truth)
    with image_place:
        shown = image_upload.image(challenge_id, test_set, truth)
        if shown is not None:
            chips = selectors.tile_quality(support, shown, among)
    with right:
        if shown is None or given is None:
            st.info(
                "The nuclei will stand here."
                if given
                else "Drop a file with the tile's nuclei: see “Model and tiles”.",
                icon=":material/image:",
            )
            return
        found, detector = tile.found(support, given, shown)
        if isinstance(found, model.Waiting):
            model.wait_for_place(found)
        elif found.refused:
            for problem in found.refused.problems:
                st.error(
                    f"{markdown(problem.where)}: {markdown(problem.message, 600)}", icon=":material/block:"
                )
        else:
            title = selectors.model_title(challenge_id, given)
            tile.show(found.value, shown, given, detector, tile.About(support, title, chips))
    if isinstance(among, Running):
        st.caption("Meanwhile the tiles of the test set are measured, to see whether this one is like them.")
        scoring_run.running(among)
