"""Layout for a tile of stained tissue: image, source of nuclei, and the nuclei."""

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Running
from pages.display import finding_list
from pages.single_image_sections import image_upload, model_and_test_set, model_processes, tile_nuclei
from scoring.single_image.nuclei import tile_support

MEASURED = "Meanwhile Benchside measures the tiles of the test set, to find out whether your tile is similar."


def show(challenge_id: str) -> None:
    """Draw a tile of stained tissue with the nuclei from a model or a file."""
    support = tile_support(challenge_id)
    input_column, answer_column = st.columns([2, 5], gap="large")
    with input_column:
        source_place = st.container(key="single_from")
        tools_place = st.container(key="single_tools")
        image_place = st.container(key="single_place")
        with st.container(key="single_setup"):
            setup = st.expander("Model and tiles", icon=":material/tune:")
    with source_place:  # first, so that what is below never moves
        image_source = image_upload.chosen_source(is_tile=True)
    with setup:
        chosen = tile_nuclei.source(challenge_id)
        test_set, _, truth = model_and_test_set.cases(challenge_id)
    if truth is None:
        answer_column.info(
            "Without a test set nothing is shown: see “Model and tiles”.", icon=":material/help:"
        )
        return
    among = model_processes.measured(challenge_id, test_set, truth)
    with image_place:
        image = image_upload.image(image_source, challenge_id, test_set, truth, tools_place, is_tile=True)
        if image is not None:
            scale = model_and_test_set.tile_scale(support, image)
            chips = model_and_test_set.tile_quality(support, image, scale, among)
    with answer_column:
        if image is None or chosen is None:
            st.info(
                "The nuclei will appear here."
                if chosen
                else "Drop a file with the tile's nuclei: see “Model and tiles”.",
                icon=":material/image:",
            )
            return
        outcome, detector = tile_nuclei.detect(support, chosen, image)
        if isinstance(outcome, model_processes.Waiting):
            model_processes.wait_for_place(outcome)
        elif outcome.refused:
            finding_list.problems(outcome.refused, with_place=True)
        else:
            title = model_and_test_set.model_title(challenge_id, chosen)
            annotated = None if image.case is None else truth.nuclei[image.case]
            about = tile_nuclei.TileFacts(support, title, chips, scale, annotated)
            tile_nuclei.show(outcome.value, image, chosen, detector, about)
    if isinstance(among, Running):
        scoring_run.running(among, MEASURED)
