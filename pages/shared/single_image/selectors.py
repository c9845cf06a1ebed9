"""Selectors of model and test set, and the image itself."""

import streamlit as st

from pages.shared import inputs, layout, submissions
from pages.shared.inputs import Input
from pages.shared.single_image import image_upload, prediction
from pages.shared.single_image.image_upload import Image
from pages.shared.single_image.query import preview
from pages.shared.submissions import Running
from scoring import samples
from scoring.challenges import load_challenge
from scoring.single_image import quality, wording
from scoring.text import markdown

SEEN_PX = 300
"""Longest side of the image on the page."""


def selectors(challenge_id: str) -> tuple[Input, Input, object]:
    """Draw the selectors of model and test set; without cases where the test set cannot be read."""
    test_set, sample_key, truth = cases(challenge_id)
    offered = samples.test_sets(challenge_id)[sample_key].submissions
    given, door = inputs.model(offered, f"single_{challenge_id}_{sample_key}")
    door.caption(
        "Your own model, kept for this session." if given.own else markdown(offered[door.sample].about, 400)
    )
    return test_set, given, truth


def cases(challenge_id: str) -> tuple[Input, str, object]:
    """Draw the selector of the test set; return the choice, the sample's key, and its cases, None where
    they cannot be read."""
    challenge = load_challenge(challenge_id)
    kind = challenge.inputs.truth
    test_set, door = inputs.test_set(samples.test_sets(challenge_id), challenge_id, kind.words, kind.endings)
    truth = submissions.truth(challenge_id, test_set)
    if isinstance(truth, Running):
        submissions.running(truth)
    elif truth.refused:
        layout.refusal(truth.refused)
    else:
        door.caption(
            f"{len(truth.value)} cases."
            + " Every number about a test set speaks of this one."
            * (challenge.single_image.kind == "photograph")
        )
        return test_set, door.sample, truth.value
    return test_set, door.sample, None


def tile_quality(shown: Image) -> None:
    """Draw what can be said of a tile before anything is counted on it."""
    st.caption(_about_image(shown))
    prediction.chips(quality.tile_chips(image_upload.measured(shown), *shown.photograph.size))


def title_of(test_set: Input) -> str:
    """Return what sentences call a test set."""
    return test_set.name if test_set.own else f"sample test set {test_set.name}"


def picture(shown: Image) -> None:
    """Draw the image and what its file holds besides."""
    width, height = shown.photograph.size
    st.image(
        preview(shown),
        width=round(SEEN_PX * min(1, width / height)),
        alt=f"The image that the model is asked about, {width} by {height} px",
    )
    st.caption(_about_image(shown))


def _about_image(shown: Image) -> str:
    width, height = shown.photograph.size
    return (
        f"{width} × {height} px. {wording.dropped_line(shown.photograph.dropped)}"
        + f" {wording.TURNED}" * shown.photograph.turned
    )
