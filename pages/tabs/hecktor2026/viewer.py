"""One patient's masks in slices, and the same in numbers."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import viewer
from pages.display.render import CaseLink
from pages.display.viewer import slices
from scoring.challenges.hecktor2026 import patients
from scoring.challenges.hecktor2026.patients import IMAGE_NAMES, patient, scene
from scoring.common.text import markdown

LINK = CaseLink("patient", "place")
KEPT_SCENES = 6
PLANES = ("axial", "coronal", "sagittal")


@st.fragment
def viewer_tab(shown: ScoredSubmission) -> None:
    """Draw one patient. A fragment: a click in the viewer repaints this and nothing else."""
    index = _choose_patient(shown)
    left, right = st.columns([11, 5], gap="medium")
    with left:
        _slices(shown, index)
    with right:
        volumes = patients.volumes(shown.truth, shown.predictions, index)
        for place, block in enumerate(patient(shown.card, index, volumes)):
            scored_submission.block(block, shown, f"patient {index}/{place}")


def _choose_patient(shown: ScoredSubmission) -> int:
    """Draw the choice of a patient, with steps to the one before and after, and return its place. The first
    one shown is the worst of those with CT or PET."""
    names = [row["case"] for row in shown.card.cases]
    images = shown.truth.contents.layout.images
    if st.session_state.get("patient") not in names:
        wanted = st.query_params.get("patient")
        st.session_state["patient"] = wanted if wanted in names else _first(shown, images)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        patient = st.selectbox(
            "Patient",
            names,
            key="patient",
            persist_state="page",
            width=260,
            on_change=LINK.leave,
            format_func=lambda name: " · ".join(
                (name, *(IMAGE_NAMES[kind] for kind in images.get(name, ())))
            ),
            label_visibility="collapsed",
        )
        # By hand: a bound widget that first appears with a value from elsewhere does not write it.
        st.query_params["patient"] = patient
        index = names.index(patient)
        for words, step in (("Previous", -1), ("Next", 1)):
            st.button(
                f"{words} patient",
                key=f"patient_{words}",
                icon=f":material/chevron_{'left' if step < 0 else 'right'}:",
                on_click=_go_to,
                args=(names[(index + step) % len(names)],),
            )
    return index


def _first(shown: ScoredSubmission, images: Mapping[str, Any]) -> str:
    """Return the patient whose masks fit worst, of those with images if there are any."""
    cases = shown.card.cases
    order = [one.case for one in patients.worst(shown.card, "dice", len(cases))]
    return next((name for name in order if name in images), (*order, cases[0]["case"])[0])


def _go_to(patient: str) -> None:
    st.session_state["patient"] = patient
    LINK.leave()


def _slices(shown: ScoredSubmission, index: int) -> None:
    found = _packed(shown.truth_key, shown.given.key, index, shown.truth, shown.predictions)
    if found.refused:
        st.info(markdown(str(found.refused), 600), icon=":material/visibility_off:")
        return
    drawn: Any = found.value
    if drawn is None:
        st.info("This patient has no truth mask: there is nothing to show.", icon=":material/visibility_off:")
        return
    payload, findings = drawn
    for finding in findings:
        st.markdown(f":orange-badge[▲ {finding.code}] {markdown(finding.message, 600)}")
    viewer.show(payload, "slices", focus=_place_in_address(), on_select=lambda: _put_place(payload))


@st.cache_resource(max_entries=KEPT_SCENES, scope="session", show_spinner="Reading the masks ...")
def _packed(truth_key: str, submission_key: str, index: int, _truth, _predictions) -> scoring_run.Outcome:
    """Return what the viewer shows of a patient, and its findings; None without a truth mask."""
    found = scoring_run.attempt(scene, _truth, _predictions, index)
    read: Any = found.value
    if found.refused or read is None:
        return found
    return scoring_run.Outcome((slices.results(read, name=_truth.ids[index]), read.findings))


def _put_place(payload) -> None:
    """Write the place that was clicked into the address."""
    chosen: Mapping[str, Any] | None = viewer.selected("slices", payload)
    if chosen:
        st.query_params["place"] = "-".join([chosen["plane"], *map(str, chosen["voxel"])])


def _place_in_address() -> Mapping | None:
    plane, *voxel = st.query_params.get("place", "").split("-")
    whole = all(part.isdecimal() and len(part) < 6 for part in voxel)
    if plane not in PLANES or len(voxel) != 3 or not whole:
        return None
    return {"plane": plane, "voxel": [int(part) for part in voxel]}
