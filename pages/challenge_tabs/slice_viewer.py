"""Slices of truth and prediction of a case over its images; the address stores the position."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import viewer
from pages.display.render import CaseLink
from pages.display.viewer import slices_payload
from scoring.common.text import markdown
from scoring.inputs.scenes import Scene

KEPT_SCENES = 6
PLANES = ("axial", "coronal", "sagittal")
ReadScene = Callable[[Any, Any, int], Scene | None]
"""(truth, predictions, index of a case) -> its scene; None without a truth mask. Raises InputRefused."""


def draw(
    scored: ScoredSubmission,
    index: int,
    read: ReadScene,
    link: CaseLink,
    labels: Sequence[str] = slices_payload.LABELS,
    regions: tuple[tuple[str, tuple[int, ...]], ...] = (),
) -> None:
    """Draw the slices of a case, with a note about omitted parts.

    Args:
        labels: Names of the labels 0, 1, 2 ...
        regions: As in `slices_payload.results`.
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
    payload = slices_payload.results(scene, name=_truth.ids[content[-1]], labels=labels, regions=regions)
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
