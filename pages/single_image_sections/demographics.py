"""Fields for age, sex and body site, for models with a second input; nothing is filled in."""

import math

import numpy as np
import streamlit as st

from pages.single_image_sections.chosen_image import ChosenImage
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.inference.single_image_task import UNKNOWN_WORD, PatientFields
from scoring.single_image import wording
from scoring.single_image.model_inputs import OLDEST, vector

OF_AGE = f" The age must be from 0 to {OLDEST} years."
SEXES = {"m": "male", "f": "female", UNKNOWN_WORD: UNKNOWN_WORD}


def vector_of(patient: PatientFields, image: ChosenImage, truth) -> np.ndarray | None:
    """Draw the fields for the model's second input, and return the input; None while something is missing. A
    test case has its own values; a missing one must be entered."""
    known = (None, None, None) if image.case is None else _of_case(patient, truth, image.case)
    return fields(patient, image.person, known)


def age_unknown(token: str) -> bool:
    """Return whether the visitor said that the age of a person, `token`, is unknown."""
    return bool(st.session_state.get(_unknown_key(token), False))


def _unknown_key(token: str) -> str:
    return f"single_age_unknown_{token}"


def fields(
    patient: PatientFields, token: str, known: tuple[float | None, str | None, str | None]
) -> np.ndarray | None:
    """Draw age, sex and site of a person, `token`, and return them as a model's input; None while something
    is missing. known: given values, which can be changed or emptied."""
    (age, sex, site), sites = known, (*patient.locations, UNKNOWN_WORD)
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        unknown, key = age_unknown(token), f"single_age_{token}"
        if key not in st.session_state:
            st.session_state[key] = age  # not as the field's own value: an emptied field would return to it
        years = st.number_input(  # without limits: the browser would keep a number beyond them to itself
            "Age",
            value=None,
            step=1.0,
            format="%g",
            key=key,
            placeholder="years",
            width=110,
            disabled=unknown,
        )
        unknown = st.checkbox("Age unknown", key=_unknown_key(token))
        site = st.selectbox(
            "Body site",
            sites,
            None if site is None else sites.index(site),
            key=f"single_site_{token}",
            placeholder="choose",
            width=150,
        )
        sex = st.segmented_control(
            "Sex", list(SEXES), default=sex, key=f"single_sex_{token}", format_func=SEXES.__getitem__
        )
    try:
        encoded = vector(patient, UNKNOWN_WORD if unknown else years, sex, site)
    except InputRefused as refused:
        missing = ", ".join(
            {"gender": "sex", "location": "body site"}.get(name, name) for name in _missing(refused)
        )
        wrong_age = "" if unknown or years is None or 0 <= years <= OLDEST else OF_AGE
        st.info(
            (
                "The model takes age, sex and body site. An empty field would change the model's answer. "
                f"Enter: {missing}.{wrong_age}"
            ),
            icon=":material/edit:",
        )
        return None
    if unknown:
        st.caption(markdown(wording.UNKNOWN_AGE))
    if UNKNOWN_WORD in (sex, site):
        st.caption(markdown(wording.UNKNOWN_INPUT))
    return encoded


def _missing(refused: InputRefused) -> list[str]:
    return [problem.where for problem in refused.problems]


def _of_case(patient: PatientFields, truth, index: int) -> tuple[float | None, str | None, str | None]:
    people = truth.demographics
    age, gender, site = people.age[index], people.gender[index], people.location[index]
    return (
        None if math.isnan(age) else float(age),
        {1: "m", 0: "f"}.get(int(gender)),
        patient.locations[int(site) - 1] if site > 0 else None,
    )
