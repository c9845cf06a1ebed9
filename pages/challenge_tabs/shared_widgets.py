"""Widgets for the tabs of several challenges: choice of cases and thresholds, slices."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import viewer
from pages.display.render import CaseLink
from pages.display.viewer.payload import LABELS, slice_results
from scoring.common.text import markdown
from scoring.inputs.scenes import Scene


def choose_case(
    noun: str,
    names: Sequence[str],
    link: CaseLink,
    first: Callable[[], str],
    format_func: Callable[[str], str],
    width: int,
) -> int:
    """Draw the choice of a case and return its index. Session and address store the case.

    Args:
        link: Keys of the case and of the position in it, which is reset for another case.
        first: Function that returns the initial case if neither session nor address names one.
        format_func: As in `st.selectbox`.
        width: Width of the box in px.
    """
    # By hand: a bound box that is drawn for the first time leaves a value that a click elsewhere has set out
    # of the address.
    key = link.case
    wanted = (st.session_state.get(key), st.query_params.get(key))
    case = next((name for name in wanted if name in names), None) or first()
    st.session_state[key] = st.query_params[key] = case
    st.selectbox(
        noun,
        names,
        key=key,
        persist_state="page",
        width=width,
        on_change=link.leave,
        format_func=format_func,
        label_visibility="collapsed",
    )
    index = names.index(case)
    for label, step, side in (("Previous", -1, "left"), ("Next", 1, "right")):
        other = names[(index + step) % len(names)]
        st.button(
            f"{label} {noun.lower()}",
            key=f"{key}_{label}",
            icon=f":material/chevron_{side}:",
            on_click=_go_to,
            args=(link, other),
        )
    return index


def _go_to(link: CaseLink, case: str) -> None:
    st.session_state[link.case] = case
    link.leave()


def threshold_buttons(
    label: str, key: str, official: Mapping[str, float], best: Mapping[str, float] | None, caution: str = ""
) -> None:
    """Draw buttons for the official and the best thresholds.

    Args:
        official: Key of a slider -> the official threshold.
        best: Key of a slider -> the best threshold; None if there is none.
    """
    st.button(label, key=key, on_click=_set_sliders, args=(official,), icon=":material/flag:")
    if best is not None:
        st.button(
            "Best on these cases",
            key="to_best",
            on_click=_set_sliders,
            args=(best,),
            icon=":material/star:",
            help=caution or None,
        )


def _set_sliders(values: Mapping[str, float]) -> None:
    st.session_state.update(values)


KEPT_SCENES = 6
PLANES = ("axial", "coronal", "sagittal")
ReadScene = Callable[[Any, Any, int], Scene | None]
"""(truth, predictions, index of a case) -> its scene; None without a truth mask. Raises InputRefused."""


def slices(
    scored: ScoredSubmission,
    index: int,
    read: ReadScene,
    link: CaseLink,
    labels: Sequence[str] = LABELS,
    regions: tuple[tuple[str, tuple[int, ...]], ...] = (),
) -> None:
    """Draw the slices of a case, with a note about omitted parts.

    Args:
        labels: Names of the labels 0, 1, 2 ...
        regions: As in `slice_results`.
    """
    content = (scored.card.challenge, scored.truth_key, scored.submission.key, index)
    outcome = _packed(content, tuple(labels), regions, scored.truth, scored.predictions, read)
    if outcome.refused:
        st.info(markdown(str(outcome.refused), 600), icon=":material/visibility_off:")
        return
    if outcome.value is None:
        st.info("This case has no truth mask, so the viewer is empty.", icon=":material/visibility_off:")
        return
    payload, findings = outcome.value
    for finding in findings:
        st.markdown(f":orange-badge[▲ {finding.code}] {markdown(finding.message, 600)}")
    focus = _place_in_address(link)
    viewer.show(payload, "slices", focus=focus, on_select=partial(_put_place, link, payload))


@st.cache_resource(max_entries=KEPT_SCENES, scope="session", show_spinner="Reading the masks ...")
def _packed(
    content: tuple, labels: tuple[str, ...], regions: tuple, _truth, _predictions, _read: ReadScene
) -> scoring_run.Outcome:
    """Return what the viewer shows of a case, and its findings; None without a truth mask."""
    outcome = scoring_run.attempt(_read, _truth, _predictions, content[-1])
    scene: Any = outcome.value
    if outcome.refused or scene is None:
        return outcome
    payload = slice_results(scene, name=_truth.ids[content[-1]], labels=labels, regions=regions)
    return scoring_run.Outcome((payload, scene.findings))


def _put_place(link: CaseLink, payload) -> None:
    """Write the place that was clicked into the address."""
    chosen: Mapping[str, Any] | None = viewer.selected("slices", payload)
    if chosen:
        st.query_params[link.parameter] = "-".join([chosen["plane"], *map(str, chosen["voxel"])])


def _place_in_address(link: CaseLink) -> Mapping | None:
    plane, *voxel = st.query_params.get(link.parameter, "").split("-")
    whole = all(part.isdecimal() and len(part) < 6 for part in voxel)
    if plane not in PLANES or len(voxel) != 3 or not whole:
        return None
    return {"plane": plane, "voxel": [int(part) for part in voxel]}
