"""What the answer hangs on: which parts of the image, and which age, sex and site. Both are asked for,
neither is shown unasked."""

from functools import partial

import numpy as np
import streamlit as st

from pages.shared import layout, submissions
from pages.shared.single_image import model, session
from pages.shared.single_image.query import Query
from pages.shared.submissions import Outcome, Running
from scoring.figures import single_image
from scoring.figures.numerals import decimal
from scoring.figures.outputs import Sweep, setting_dots, sweep_lines
from scoring.single_image import masks, occlusion, sweep, wording
from scoring.single_image.saliency import SaliencyMap
from scoring.text import markdown

HIDDEN, MASKS = "hide one part after the other", "hide random halves (RISE)"
METHODS = {"occlusion": HIDDEN, "masks": MASKS}
SWEEP_RUNS = 30


def parts(asked: Query) -> None:
    """A button, then a map of where hiding a part changes the scores."""
    method = st.segmented_control(
        "How",
        list(METHODS),
        key="single_method",
        required=True,
        default="occlusion",
        format_func=METHODS.get,
        persist_state="session",
    )
    grid = occlusion.grid_for(asked.answer.cpu_ms / 1000)
    runs = grid * grid if method == "occlusion" else masks.COUNT
    key = ("map", *asked.key, method, asked.answer.kind)
    wanted = f"single_map_{method}_{asked.image.token}"
    if not session.done(key) and st.session_state.get(wanted) != key:
        seconds = runs * asked.answer.cpu_ms / 1000
        st.caption(f"{wording.MAP} It takes {runs} runs of the model, about {max(1, seconds):.0f} s.")
        if st.button("Which parts move the score?", key="single_map", icon=":material/texture:"):
            st.session_state[wanted] = key
            model.measure_later()
            st.rerun()
        return
    found = session.beside(key, "runs", partial(_mapped, asked, method, grid))
    if isinstance(found, Running):
        submissions.running(found)
    elif found.refused:
        st.error(markdown(found.refused.problems[0].message, 600), icon=":material/block:")
    else:
        _map(asked, found.value)


def _mapped(asked: Query, method: str, grid: int, progress=None, cancelled=None) -> SaliencyMap:
    """In the queue: a worker of its own, so that the page can go on asking the other."""
    own = model.of_bytes(asked.subject, asked.given)
    try:
        if method == "occlusion":
            return occlusion.occlusion(own, asked.answer, grid, progress, cancelled)
        return masks.masks(own, asked.answer, progress=progress, cancelled=cancelled)
    finally:
        own.close()


def _map(asked: Query, found: SaliencyMap) -> None:
    subject, answer = asked.subject, asked.answer
    left, right = st.columns([3, 2], gap="large")
    with right:
        k = st.selectbox(
            "Class",
            answer.order,
            key=f"single_map_class_{asked.image.token}",
            format_func=lambda k: f"{subject.classes[k]} {answer.probabilities[k]:.2f}",
        )
        opacity = st.slider("Opacity of the map, %", 0, 100, 80, 5, key="single_opacity") / 100
        largest = found.largest(k)
        if largest is not None:
            row, column, before, after = largest
            st.markdown(f"**{markdown(wording.map_line(subject.classes[k], before, after))}**")
            st.caption("Outlined: that part.")
        red, blue = ":red[■] supports", ":blue[■] opposes"
        st.markdown(f"{red} · {blue} {markdown(subject.classes[k])}")
        st.caption(wording.MAP)
    with left:
        cell = None if largest is None else (row, column, found.drops.shape[1])
        layout.chart(
            single_image.saliency(
                single_image.Saliency(
                    subject.classes[k],
                    found.picture(k),
                    found.scale(k),
                    asked.preview,
                    asked.image.photograph.size,
                    cell,
                ),
                layout.theme(),
                opacity,
            ),
            (
                f"The strongest colours stand for {decimal(found.scale(k), 3)}. Hover: how far the "
                "score falls without that part."
            ),
            key="saliency",
        )


def person(asked: Query) -> None:
    """A button, then the answers at other ages, sexes and sites."""
    answer, subject = asked.answer, asked.subject
    if answer.vector is None:
        st.info(
            "This model takes the image alone: age, sex and body site cannot change its answer.",
            icon=":material/info:",
        )
        return
    key = (*asked.key, answer.kind)
    if not session.held("sweep", key):
        st.caption(
            f"Asks the model {SWEEP_RUNS} times more, each time with another age, sex or body site, "
            f"about {_seconds(answer.cpu_ms)} s."
        )
        if st.button("What if the person were another?", key="single_sweep", icon=":material/tune:"):
            with st.spinner("Asking the model ..."):
                session.kept("sweep", key, lambda: submissions.attempt(sweep.sweep, asked.opened, answer))
            st.rerun()
        return
    outcome: Outcome = session.kept("sweep", key, Outcome)
    if outcome.refused:
        st.error(markdown(outcome.refused.problems[0].message, 600), icon=":material/block:")
        return
    found = outcome.value
    for words in sweep.changes(found, answer, subject.classes):
        st.markdown(markdown(words, 600))
    risk = {name: group for name, group in zip(subject.classes, subject.risk, strict=True) if group}
    for place, field in zip(st.columns(3, gap="medium"), ("age", "gender", "location"), strict=True):
        with place:
            _field(found, field, subject.classes, risk, answer.vector)


def _seconds(cpu_ms: float) -> str:
    return f"{max(1, SWEEP_RUNS * cpu_ms / 1000):.0f}"


def _field(found: sweep.Sweep, field: str, classes, risk, vector: np.ndarray) -> None:
    values, rows = found.values(field), found.probabilities[field]
    own = sweep.described(vector)[field]
    found = Sweep(values, rows, classes, own, risk)
    if field == "age":
        figure = sweep_lines(found, layout.theme(), "What if the person were older?", "age in years")
        caption = "Dotted: the age given."
    else:
        question = {"gender": "What if the sex were another?", "location": "What if it were elsewhere?"}[
            field
        ]
        figure = setting_dots(found, layout.theme(), question)
        caption = "Bold: as given."
    layout.chart(figure, caption, key=f"single_{field}")
