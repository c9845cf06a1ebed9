"""A page with nothing but the viewer, for its tests: a few nuclei whose place and fate are known. `?k=`
chooses what is shown."""

import io
import sys
from pathlib import Path

import numpy as np
import streamlit as st
from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2]))

from pages.display import viewer
from pages.display.viewer import nuclei
from scoring.inputs.nuclei.reader import Nuclei

WIDTH, HEIGHT, SIDE = 400, 300, 20
UM_PER_PX, RADIUS = 0.23, 15.0
HOSTILE = "<img src=x onerror=alert(1)>"
CLASSES = ("tumor", "plasma_cells", HOSTILE)
REASONS = ("", "missing-case", "taken", "other-class", "nothing-near")
# side, place of the centre, class, status, reason, row of the partner, confidence, distance
ROWS = (
    (0, (60, 60), 0, 0, 0, 3, 1.0, 5.0),
    (0, (200, 60), 0, 2, 3, 4, 1.0, 6.2),
    (0, (340, 60), 2, 2, 4, -1, 1.0, np.nan),
    (1, (63, 64), 0, 0, 0, 0, 0.9, 5.0),
    (1, (206, 61), 1, 1, 3, 1, 0.8, 6.2),
    (1, (60, 240), 2, 1, 4, -1, 0.7, np.nan),
)


def columns(rows=ROWS) -> dict[str, np.ndarray]:
    side, centres, cls, status, reason, partner, score, distance = map(np.array, zip(*rows, strict=True))
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * SIDE / 2
    return {
        "xy": (centres[:, None] + corners).reshape(-1, 2),
        "start": 4 * np.arange(len(rows) + 1),
        "centroids": centres,
        "kind": side,
        "cls": cls,
        "status": status,
        "reason": reason,
        "partner": partner,
        "number": np.array([(side[:i] == side[i]).sum() for i in range(len(rows))]),
        "score": score,
        "distance": distance,
        "iou": np.where(status == 0, 0.62, np.nan),
    }


def picture() -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), (214, 160, 200)).save(file, "JPEG")
    return file.getvalue()


def payload(kind: str):
    jpeg = None if kind == "plain" else picture()
    name = "photo" if kind == "detections" else HOSTILE
    about = nuclei.TileInfo(name, (WIDTH, HEIGHT), CLASSES, UM_PER_PX, jpeg)
    if kind == "detections":
        c, n = columns(), len(ROWS)
        found = Nuclei(
            classes=c["cls"],
            centroids=c["centroids"],
            confidences=c["score"],
            scores=np.ones(n),
            numbers=np.arange(n),
            vertices=c["xy"],
            starts=c["start"],
        )
        return nuclei.detections(found, about)
    rows = ROWS
    if kind == "rescored":  # another radius: the pair is none any more
        rows = (
            (0, (60, 60), 0, 2, 4, -1, 1.0, np.nan),
            *ROWS[1:3],
            (1, (63, 64), 0, 1, 4, -1, 0.9, np.nan),
            *ROWS[4:],
        )
    return nuclei.results(columns(rows), about, REASONS, RADIUS)


@st.fragment
def body() -> None:
    kinds = ("results", "rescored", "plain", "detections")
    kind = st.radio("Kind", kinds, index=kinds.index(st.query_params.get("k", "results")), horizontal=True)
    asked = st.radio("Go to", ("nowhere", "truth 2", "prediction 2"), horizontal=True)
    focus = None if asked == "nowhere" else {"side": asked.split()[0], "index": 2}
    found = viewer.show(payload(kind), "viewer", height=500, focus=focus)
    st.session_state.runs = st.session_state.get("runs", 0) + 1
    st.text(f"selected {None if found is None else (found['side'], found['index'], found['status'])}")
    st.text(f"runs {st.session_state.runs}")


st.set_page_config(page_title="Viewer", layout="wide")
body()
