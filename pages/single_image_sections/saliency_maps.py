"""Saliency maps of a model's output, and its outputs for another age, sex and site; both are computed on a
click."""

from functools import partial

import numpy as np
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome, Running
from pages.display import finding_list, layout
from pages.display.layout import Fact
from pages.single_image_sections import model_processes, session_state
from pages.single_image_sections.query import Query
from scoring.common.text import markdown
from scoring.presentation.figures import single_image
from scoring.presentation.figures.model_outputs import AGE_SWEPT, Sweep, setting_dots, sweep_lines
from scoring.presentation.figures.number_format import score
from scoring.single_image import occlusion_saliency, other_demographics, random_mask_saliency, wording
from scoring.single_image.explanation import Explanation, conclusion, explanation
from scoring.single_image.explanation import runs as explanation_runs
from scoring.single_image.other_demographics import DemographicSweep
from scoring.single_image.saliency import FLOOR, SCALE, SaliencyMap

SWEEP_RUNS, USUAL_OPACITY = 30, 50
WAYS = (
    "One part hidden at a time",
    f"Random half of the picture hidden, {random_mask_saliency.COUNT} times",
)


def parts(query: Query) -> None:
    """Draw a button, and after a click two maps of the parts whose hiding changes the scores, side by
    side."""
    grid = occlusion_saliency.grid_for(query.answer.cpu_ms / 1000)
    runs = explanation_runs(grid)
    key = ("maps", *query.key, query.answer.kind)
    wanted = f"single_maps_{query.setup.image.token}"
    if session_state.outcome(key) is None and st.session_state.get(wanted) != key:
        st.caption(
            f"{wording.MAP} You see the maps of two methods, to check whether they agree. You also see how "
            f"light and colour of the whole image change the score. The maps need {runs} runs of the model."
        )
        if st.button("Which parts change the score?", key="single_map", icon=":material/texture:"):
            st.session_state[wanted] = key
            model_processes.measure_later()
            st.rerun()
        return
    outcome = session_state.beside(key, "runs", partial(_mapped, query, grid))
    if isinstance(outcome, Running):
        scoring_run.running(outcome)
    elif outcome.refused:
        finding_list.problems(outcome.refused)
    else:
        _maps(query, outcome.value)


def made(query: Query) -> Explanation | None:
    """Return the maps of an answer, None if nobody requested them."""
    outcome = session_state.outcome(("maps", *query.key, query.answer.kind))
    return None if outcome is None else outcome.value


def _mapped(query: Query, grid: int, progress=None, cancelled=None) -> Explanation:
    with model_processes.own_worker(query.setup.task, query.setup.model) as own:
        return explanation(own, query.answer, grid, progress=progress, cancelled=cancelled)


def _maps(query: Query, maps: Explanation) -> None:
    task, answer = query.setup.task, query.answer
    layout.heading("Which parts of the image change the score?")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        k = st.selectbox(
            "Class",
            answer.order,
            key=f"single_map_class_{query.setup.image.token}",
            format_func=lambda k: f"{task.names[k]} {score(float(answer.probabilities[k]))}",
            width=320,
        )
        opacity = st.slider(
            "Opacity of the colours, %", 0, 100, USUAL_OPACITY, 5, key="single_opacity", width=260
        )
    name = task.names[k]
    for sentence in conclusion(maps, k, name):
        st.markdown(f"**{markdown(sentence, 600)}**")
    before = maps.whole.before[k]
    layout.facts(
        [
            Fact(f"{change[0].upper()}{change[1:]}", score(float(row[k])), f"before: {score(before)}")
            for change, row in maps.whole.after.items()
        ]
    )
    largest = maps.one_by_one.largest(k)
    if largest is not None and maps.one_by_one.matters(k):
        _, _, before, after = largest
        st.markdown(markdown(f"{wording.map_line(name, before, after)} Outlined: that part.", 300))
    for column, way, drawn in zip(st.columns(2, gap="medium"), WAYS, maps.maps, strict=True):
        with column:
            _map(query, drawn, k, way, opacity / 100)
    st.caption(wording.MAP)
    with st.expander("Technical", icon=":material/build:"):
        _technical(maps, k)


def _map(query: Query, saliency: SaliencyMap, k: int, way: str, opacity: float) -> None:
    largest, cell = saliency.largest(k), None
    if largest is not None and saliency.matters(k):
        cell = (*largest[:2], saliency.drops.shape[1])
    layout.chart(
        single_image.saliency(
            single_image.Saliency(
                query.setup.task.names[k],
                way,
                saliency.picture(k),
                SCALE,
                FLOOR,
                query.preview,
                query.setup.image.photograph.size,
                cell,
            ),
            layout.theme(),
            opacity,
        ),
        f"Strongest change: {saliency.strongest(k):.2f}.",
        key=f"saliency_{WAYS.index(way)}",
    )


def _technical(maps: Explanation, k: int) -> None:
    """Say how the maps were made."""
    grid, fine = maps.one_by_one.drops.shape[1], maps.random_halves.drops.shape[1]
    r = maps.correlation(k)
    st.markdown(
        f"- One part hidden at a time: occlusion with {grid} × {grid} soft patches in the colour around "
        "the lesion; the value is the original score minus the score with the patch.\n"
        f"- Random halves hidden: RISE, {random_mask_saliency.COUNT} random masks on {fine} × {fine} points. "
        "The value at each point is how far the score falls when the point is hidden: the covariance of "
        "score and mask, divided by the variance of the mask. By chance alone this value reaches "
        f"{maps.random_halves.noise[k]:.2f}.\n"
        f"- Both maps use the same colour scale, from {-SCALE:g} to {SCALE:g}, for every image, class and "
        f"model; changes below {FLOOR:g} are transparent.\n"
        f"- Correlation of both maps over the image (Pearson): {'none' if r is None else f'{r:.2f}'}."
    )


def person(query: Query) -> None:
    """Draw a button, and after a click the answers at other ages, sexes and sites."""
    answer, task = query.answer, query.setup.task
    if answer.vector is None:
        st.info(
            "This model takes only the image: age, sex and body site cannot change its prediction.",
            icon=":material/info:",
        )
        return
    key = (*query.key, answer.kind)
    if not session_state.held("sweep", key):
        st.caption(
            f"Runs the model {SWEEP_RUNS} more times, each time with another age, sex or body site; this "
            f"takes {_seconds(answer.cpu_ms)} s or more."
        )
        if st.button(
            "Same picture, another age, sex or body site", key="single_sweep", icon=":material/tune:"
        ):
            with st.spinner("Asking the model ..."):
                session_state.cached(
                    "sweep",
                    key,
                    lambda: scoring_run.attempt(other_demographics.sweep, query.setup.opened, answer),
                )
            st.rerun()
        return
    outcome: Outcome = session_state.cached("sweep", key, Outcome)
    if outcome.refused:
        finding_list.problems(outcome.refused)
        return
    swept = outcome.value
    for sentence in other_demographics.changes(swept, answer, task.names):
        st.markdown(markdown(sentence, 600))
    risk = {name: group for name, group in zip(task.names, task.risk, strict=True) if group}
    _field(swept, "age", task.names, risk, answer.vector)
    for column, field in zip(st.columns(2, gap="large"), ("gender", "location"), strict=True):
        with column:
            _field(swept, field, task.names, risk, answer.vector)


def _seconds(cpu_ms: float) -> str:
    return f"{max(1, SWEEP_RUNS * cpu_ms / 1000):.0f}"


def _field(swept: DemographicSweep, field: str, classes, risk, vector: np.ndarray) -> None:
    values, rows = swept.values(field), swept.probabilities[field]
    moved = Sweep(values, rows, classes, swept.patient.described(vector)[field], risk)
    if field == "age":
        figure = sweep_lines(moved, layout.theme(), "Same picture, another age", "age in years")
        caption = AGE_SWEPT
    else:
        figure = setting_dots(
            moved, layout.theme(), f"Same picture, another {other_demographics.FIELDS[field]}"
        )
        caption = "Bold: the values that you entered."
    layout.chart(figure, caption, key=f"single_{field}")
