"""Choice of a region of a visitor's slide, on an overview with a frame that is dragged or typed."""

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.challenge import scoring_run
from pages.input_widgets.dropped_photographs import HELD
from pages.single_image_sections import draggable_frame, session_state
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.draggable_frame import Span
from scoring.common.text import markdown
from scoring.presentation.figures import single_image as figures
from scoring.single_image import whole_slide
from scoring.single_image.turn_and_crop import Box
from scoring.single_image.whole_slide import WholeSlide

SIDES = ("Left", "Top")
"""Of the region, px."""
OVERVIEW_SIDE = 1400


def shown(image: ChosenImage | None, tools: DeltaGenerator) -> ChosenImage | None:
    """Draw the overview of a slide, and in `tools` the position of the region; return the image of this
    region. Other images are returned as they are."""
    if image is None or image.slide is None:
        return image
    whole_slide.SPARE.prepare()
    with tools:
        image, slide = _read(image, image.slide, _numbers(image.token, image.slide))
        wide, tall = slide.box[2:]
        st.caption(
            f"Drag a frame, or enter its corner: the model receives {wide:,} × {tall:,} px. The first "
            "region is the most coloured one. Benchside keeps the slide in memory until you remove the file. "
            f"{whole_slide.smaller_line(slide)}"
        )
    with st.container(key="single_slide"):
        _overview(image.token, image.name, slide)
    return replace(image, token="-".join(map(str, (image.token, *slide.box[:2]))))


def _numbers(token: str, slide: WholeSlide) -> Box:
    """Draw the position of the region, which the keyboard can change, and return the region."""
    wide, tall = slide.box[2:]
    most, keys = (slide.size[0] - wide, slide.size[1] - tall), [f"single_{name}_{token}" for name in SIDES]
    with st.grid(min_column_width=90, gap="small"):
        for side, name in enumerate(SIDES):
            st.session_state.setdefault(keys[side], slide.box[side])
            st.number_input(f"{name}, px", 0, most[side], key=keys[side], persist_state="session")
    left, top = (st.session_state[key] for key in keys)
    return left, top, wide, tall


def _overview(token: str, name: str, slide: WholeSlide) -> None:
    """Draw the overview with the frame."""
    jpeg = session_state.cached(
        f"overview {name}", token, lambda: figures.preview(slide.overview, OVERVIEW_SIDE)
    )
    draggable_frame.draw(
        f"single_slide_{token}",
        jpeg,
        slide.size,
        slide.box,
        slide.micrometres,
        "The whole slide with rulers and the region; two numbers, left and top, also set the region",
        partial(_dragged, token, slide),
    )


def _dragged(token: str, slide: WholeSlide, columns: Span, rows: Span) -> None:
    """Choose the region around the middle of what was dragged."""
    x, y = (sum(span) / 2 for span in (columns, rows))
    for name, value in zip(SIDES, whole_slide.around(slide, x, y), strict=False):
        st.session_state[f"single_{name}_{token}"] = value


def _read(image: ChosenImage, slide: WholeSlide, box: Box) -> tuple[ChosenImage, WholeSlide]:
    """Return the image of another region, and remember it; the same image if the region cannot be read."""
    if box == slide.box:
        return image, slide
    outcome = scoring_run.attempt(whole_slide.region, slide, box)
    if outcome.refused:
        st.error(markdown(outcome.refused.problems[0].message, 600), icon=":material/broken_image:")
        return image, slide
    slide = replace(slide, box=box)
    moved = replace(image, slide=slide, photograph=outcome.value)
    held = st.session_state.get(HELD, ())
    st.session_state[HELD] = tuple(moved if other.token == image.token else other for other in held)
    return moved, slide
