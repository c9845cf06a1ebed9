"""Figures of a HECKTOR 2026 scorecard. The command line does not import this module, because it draws
nothing."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from scoring.challenges.hecktor2026 import patients, summary
from scoring.challenges.hecktor2026.formula import STRUCTURES
from scoring.common.findings import SMALL_CLASS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Figure
from scoring.presentation.figures import masks, survival
from scoring.presentation.figures.confusion import MatrixStyle, confusion_matrix_figure
from scoring.presentation.figures.number_format import UNDEFINED
from scoring.presentation.figures.plotly_figure import Drawing

RELAPSE = survival.Event("relapse", "relapsed")
NONE = "none"
"""Column name for patients without a usable prediction."""
CURVE_PARTS = ("time", "probability", "at_risk", "events", "censored", "number_at_risk")
CURVE_COLUMNS = {
    "day": "time",
    "without relapse": "survival",
    "at risk before": "at_risk",
    "relapsed": "events",
}
"""Suffix of an array with Kaplan-Meier numbers -> attribute of `Group`."""


def raincloud(card: ScoreCard) -> Figure:
    """Return a raincloud plot of the Dice of every patient."""
    clouds, rows = [], [row for row in card.cases if row["mask"] != "no-truth"]
    for structure, (name, _) in STRUCTURES.items():
        spread = patients.spread(card, structure)
        clouds.append(
            masks.Cloud(
                name,
                _patients(card, structure, spread.above),
                _patients(card, structure, spread.zero),
                len(spread.empty),
            )
        )
    return Figure(
        partial(masks.raincloud, clouds),
        "Area: density of the Dice above 0. Box: quartiles. Dots: patients, ✕ those with Dice 0. n "
        f"= {len(rows)}.",
        {key: [row[key] for row in rows] for key in ("case", "mask", "dice_gtvp", "dice_gtvn")},
        cases=True,
    )


def dice_by_volume(card: ScoreCard, structure: str) -> Figure:
    """Return a figure of Dice against true volume, with one point per patient. `structure` is a key of
    `STRUCTURES`."""
    return _by_patient(
        card,
        structure,
        masks.dice_by_volume,
        "Left, at “none”: the submission has this structure, but the truth does not. Patients are not drawn "
        "if both masks are empty.",
    )


def volumes(card: ScoreCard, structure: str) -> Figure:
    """Return a figure of predicted against true volumes. `structure` is a key of `STRUCTURES`."""
    return _by_patient(
        card,
        structure,
        masks.volumes,
        "Above the dotted line the submission's volume is too large. Patients are not drawn if both masks "
        "are empty.",
    )


def _by_patient(card: ScoreCard, structure: str, build: Callable[..., Drawing], caption: str) -> Figure:
    spread = patients.spread(card, structure)
    name, label = STRUCTURES[structure]
    drawn = _patients(card, structure, sorted((*spread.above, *spread.zero)))
    return Figure(
        partial(build, name, drawn, label - 1),
        f"{caption} n = {len(drawn.names)}.",
        {
            "case": drawn.names,
            "truth mL": drawn.truth_ml.tolist(),
            "predicted mL": drawn.predicted_ml.tolist(),
            "Dice": drawn.dice.tolist(),
        },
        cases=True,
    )


def _patients(card: ScoreCard, structure: str, places: Sequence[int]) -> masks.Patients:
    rows = [card.cases[index] for index in places]
    columns = (f"dice_{structure}", f"volume_{structure}_truth_ml", f"volume_{structure}_prediction_ml")
    return masks.Patients(
        [row["case"] for row in rows], *(np.array([row[name] for row in rows], float) for name in columns)
    )


def confusion(card: ScoreCard, kind: str) -> Figure | None:
    """Return the confusion matrix of stages; None if no patient has such a stage. `kind` is "T" or "N"."""
    matrix = card.more["confusion_matrices"][kind]
    labels, counts, missing = matrix["labels"], matrix["counts"], matrix["missing"]
    cells = np.c_[np.reshape(counts, (len(labels), -1)), missing].astype(int)
    if not cells.any():
        return None
    style = MatrixStyle(
        f"Which {kind} stages are confused?",
        unit="patients",
        is_counted=True,
        extra_column=(NONE, "no usable prediction"),
    )
    return Figure(
        partial(confusion_matrix_figure, cells, labels, style=style),
        f"Rows: stages of the truth with their numbers of patients, * under {SMALL_CLASS}. Colour: share of "
        f"the row. “{NONE}”: no usable prediction. n = {int(cells.sum())}.",
        {"truth": labels, **dict(zip([*labels, NONE], cells.T.tolist(), strict=True))},
    )


def kaplan_meier(card: ScoreCard) -> Figure | None:
    """Return survival curves of the three risk groups; None if no patient has time, event and score."""
    groups_and_test = card.more["survival"]
    groups = [
        survival.Group(
            group["name"],
            group["n"],
            group["events"],
            *(card.arrays[f"survival_{group['name']}_{part}"] for part in CURVE_PARTS),
        )
        for group in groups_and_test["groups"]
    ]
    n, p = sum(group.n for group in groups), groups_and_test["log_rank_p"]
    if not n:
        return None
    result = UNDEFINED if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"
    columns = {
        heading: np.concatenate([getattr(group, part) for group in groups]).tolist()
        for heading, part in CURVE_COLUMNS.items()
    }
    return Figure(
        partial(survival.kaplan_meier, groups, card.arrays["survival_moments"], RELAPSE),
        "Kaplan-Meier curves of thirds by predicted risk; equal scores stay together. Ticks: censored "
        f"patients. Log-rank p {result}. n = {n} patients with time, event and score.",
        {"group": [group.name for group in groups for _ in group.time], **columns},
    )


def pairs(card: ScoreCard) -> Figure:
    """Return a figure of the comparable pairs: concordant, discordant and tied."""
    counts = summary.pairs(card)
    listed = ", ".join(f"{n:,} {name}" for name, n in counts.items())
    return Figure(
        partial(survival.pair_bar, counts),
        "Comparable: one patient relapsed before the other's relapse or last follow-up. Hatched: no credit. "
        f"Here {listed}. n = {sum(counts.values()):,} pairs.",
        {"pairs": list(counts), "number": list(counts.values())},
    )
