"""A page with nothing but the slice viewer, for its tests: boxes of labels whose place and fate are known.
`?k=` chooses what is shown."""

import sys
from pathlib import Path

import numpy as np
import streamlit as st

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages.display import viewer
from pages.display.viewer.payload import slice_results
from scoring.inputs.scenes import read_scene
from tests.support.volumes import nifti, opener

HOSTILE = "<img src=x onerror=alert(1)>"
SHAPE, EDGES, CORNER = (40, 40, 20), (2, 2, 3), (-40, -40, -30)
AFFINE = np.array([[2, 0, 0, -40.0], [0, 2, 0, -40], [0, 0, 3, -30], [0, 0, 0, 1]])
"""Indices grow to the right, front and head."""
MISSED = (slice(10, 12), slice(10, 20), slice(5, 10))
FOUND = (slice(12, 20), slice(10, 20), slice(5, 10))
SPURIOUS = (slice(25, 30), slice(10, 14), slice(8, 10))
RENAMED = (slice(25, 27), slice(20, 22), slice(6, 7))


def masks() -> tuple[np.ndarray, np.ndarray]:
    truth, prediction = np.zeros(SHAPE, np.uint8), np.zeros(SHAPE, np.uint8)
    truth[MISSED] = 1
    truth[FOUND] = prediction[FOUND] = 1
    prediction[SPURIOUS] = 2
    truth[RENAMED], prediction[RENAMED] = 2, 1
    return truth, prediction


def images() -> dict[str, bytes]:
    """CT: 10 x the first index less 200 HU. PET: on voxels of twice the edge, a tenth of the third index."""
    x = np.indices(SHAPE)[0]
    coarse = AFFINE @ np.diag([2, 2, 2, 1])
    coarse[:3, 3] += AFFINE[:3, :3] @ [0.5, 0.5, 0.5]
    pet = np.indices((20, 20, 10))[2] / 10
    return {"CT": nifti(10 * x - 200, AFFINE, "<i2"), "PET": nifti(pet, coarse, "<f4")}


@st.cache_resource
def payload(kind: str):
    truth, prediction = (opener(nifti(mask, AFFINE)) for mask in masks())
    found = {} if kind == "masks" else {name: opener(data) for name, data in images().items()}
    if kind == "empty":
        truth = prediction = opener(nifti(np.zeros(SHAPE), AFFINE))
    regions = [("whole", (1, 2)), ("core", (2,))] if kind == "regions" else ()
    scene, labels = read_scene(HOSTILE, truth, prediction, found), ("none", "GTVp", HOSTILE)
    return slice_results(scene, name=HOSTILE, labels=labels, regions=regions)


@st.fragment
def body() -> None:
    asked = st.radio("Go to", ("nowhere", "27 11 8"), horizontal=True)
    focus = (
        None
        if asked == "nowhere"
        else {"voxel": [int(number) for number in asked.split()], "plane": "coronal"}
    )
    found = viewer.show(payload(st.query_params.get("k", "images")), "viewer", height=460, focus=focus)
    st.text(f"selected {None if found is None else (found['voxel'], found['plane'])}")


st.set_page_config(page_title="Slices", layout="wide")
body()
