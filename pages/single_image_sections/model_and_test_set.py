"""Selectors of model and test set, and the display of the image."""

from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome, Running
from pages.display import finding_list
from pages.display.layout import draw_picture
from pages.input_widgets import selectors
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import image_upload, prediction
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.query import preview
from scoring.challenges import load_challenge, samples
from scoring.common.text import markdown
from scoring.inference.image_sanitizer import MICROSCOPES
from scoring.inference.single_image_task import TileSupport
from scoring.single_image import quality, wording
from scoring.single_image.likeness import likeness_chip

SEEN_PX = 300
"""Maximum px of the image on the page."""


def model_and_test_set(challenge_id: str) -> tuple[ChosenInput, ChosenInput, object]:
    """Draw the selectors of model and test set; return no cases if the test set cannot be read."""
    test_set, sample_key, truth = cases(challenge_id)
    offered = samples.test_sets(challenge_id)[sample_key].submissions
    chosen, panel = selectors.model(offered, f"single_{challenge_id}_{sample_key}")
    panel.caption(
        "Your own model, for this session only." if chosen.own else markdown(offered[panel.sample].about, 400)
    )
    return test_set, chosen, truth


def cases(challenge_id: str) -> tuple[ChosenInput, str, Any]:
    """Draw the selector of the test set; return the choice, the sample's key, and its cases, None if they
    cannot be read."""
    challenge = load_challenge(challenge_id)
    kind, support = challenge.inputs.truth, challenge.display.single_image
    test_set, panel = selectors.test_set(
        samples.test_sets(challenge_id), challenge_id, kind.words, kind.endings
    )
    truth = scoring_run.truth(challenge_id, test_set)
    if isinstance(truth, Running):
        scoring_run.running(truth)
    elif truth.refused:
        finding_list.refusal(truth.refused)
    else:
        panel.caption(
            f"{len(truth.value)} cases."
            + " All results on test cases that this page shows come from this test set."
            * (support is not None and support.kind == "photograph")
        )
        return test_set, panel.sample, truth.value
    return test_set, panel.sample, None


def sample_key(challenge_id: str) -> str:
    """Return the key of the sample test set that is chosen, or that was chosen before the visitor's own."""
    offered = samples.test_sets(challenge_id)
    chosen = st.session_state.get(f"{challenge_id}_set")
    return chosen if chosen in offered else next(iter(offered))


def model_title(challenge_id: str, chosen: ChosenInput) -> str:
    """Return a model's displayed name: the title of a sample, or the file name of a visitor's model."""
    offered = samples.test_sets(challenge_id)[sample_key(challenge_id)].submissions.values()
    titles = {selectors.sample_submission(entry).key: entry.title for entry in offered if entry.is_model}
    return titles.get(chosen.key, chosen.name)


def tile_quality(
    support: TileSupport, chosen: ChosenImage, micrometres: float | None, among: Outcome | Running | None
) -> tuple[quality.QualityBadge, ...]:
    """Draw the quality of a tile before anything is counted on it, and return it. micrometres: per pixel,
    None if unknown. among: the test set's tiles."""
    st.caption(_about_image(chosen))
    badges = quality.tile_chips(
        image_upload.measured(chosen), *chosen.photograph.size, support.micrometres_per_pixel, micrometres
    )
    unlikeness = image_upload.unlikeness(among, chosen, tile=True)
    all_badges = (
        *badges,
        *likeness_chip(unlikeness, "tile", image_upload.other_field_of(among, chosen, unlikeness)),
    )
    prediction.chips(all_badges)
    return all_badges


def tile_scale(support: TileSupport, chosen: ChosenImage) -> float | None:
    """Return micrometres per pixel: the challenge's for its test tiles, or else the file's, or else the
    entered value; None if unknown."""
    if chosen.case is not None:
        return support.micrometres_per_pixel
    if chosen.photograph.seen.micrometres:
        return chosen.photograph.seen.micrometres
    return st.number_input(
        "Micrometres per pixel",
        *MICROSCOPES,
        None,
        0.01,
        "%.3f",
        key=f"single_scale_{chosen.token.partition('-')[0]}",  # the same for each region of a slide
        placeholder=f"not in the file; the challenge's tiles have {support.micrometres_per_pixel:g}",
        help="Without this size, nuclei are counted, but no densities are computed.",
    )


def title_of(test_set: ChosenInput) -> str:
    """Return the name of a test set for sentences."""
    return test_set.name if test_set.own else f"sample test set {test_set.name}"


def picture(chosen: ChosenImage) -> None:
    """Draw the image and the other contents of its file."""
    width, height = chosen.photograph.size
    draw_picture(
        preview(chosen),
        width=round(SEEN_PX * min(1, width / height)),
        alt=f"The image that the model receives, {width} by {height} px",
    )
    st.caption(_about_image(chosen))


def _about_image(chosen: ChosenImage) -> str:
    photograph, (width, height) = chosen.photograph, chosen.photograph.size
    return (
        f"{width} × {height} px. {wording.dropped_line(photograph.dropped, photograph.of_slide)}"
        + f" {wording.TURNED}" * photograph.turned
        + f" {photograph.framed}" * bool(photograph.framed)
    )
