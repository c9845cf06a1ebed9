"""A tile of stained tissue, and the nuclei in it."""

import streamlit as st

from pages.shared.single_image import image_upload, selectors, tile
from scoring.text import markdown


def show(challenge_id: str) -> None:
    """Draw a tile of stained tissue with the nuclei that a model or a file gives."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        image_place, setup = st.container(), st.expander("Model and tiles", icon=":material/tune:")
    with setup:
        given = tile.source()
        test_set, _, truth = selectors.cases(challenge_id)
    if truth is None:
        return
    with image_place:
        shown = image_upload.image(challenge_id, test_set, truth)
        if shown is not None:
            selectors.tile_quality(shown)
    with right:
        if shown is None or given is None:
            st.info(
                "The nuclei will stand here."
                if given
                else "Drop a file with the tile's nuclei: see “Model and tiles”.",
                icon=":material/image:",
            )
            return
        found, detector = tile.found(given, shown)
        if found.refused:
            for problem in found.refused.problems:
                st.error(
                    f"{markdown(problem.where)}: {markdown(problem.message, 600)}", icon=":material/block:"
                )
        else:
            tile.show(found.value, shown, given, detector)
