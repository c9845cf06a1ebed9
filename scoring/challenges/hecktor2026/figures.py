"""The figures of a scorecard, the same on the page and in the report. The package does not import this: the
command line draws nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import plotly.graph_objects as go

from scoring.challenges.hecktor2026 import patients, summary
from scoring.challenges.hecktor2026.formula import SMALL_CLASS, STRUCTURES
from scoring.figures import overlap, staging, survival
from scoring.figures.numerals import UNDEFINED
from scoring.figures.theme import Theme
from scoring.scorecard import ScoreCard

CURVE_PARTS = ("time", "probability", "at_risk", "events", "censored", "number_at_risk")


@dataclass(frozen=True)
class Drawing:
    """A figure. build: draws it in a theme. caption: how it is read, and n. numbers: what is drawn, columns
    of equal length by name."""

    build: Callable[[Theme], go.Figure]
    caption: str
    numbers: Mapping[str, Sequence]


def raincloud(card: ScoreCard) -> Drawing:
    """Dice of every patient."""
    clouds, rows = [], [row for row in card.cases if row["mask"] != "no-truth"]
    for structure, (name, _) in STRUCTURES.items():
        spread = patients.spread(card, structure)
        clouds.append(
            overlap.Cloud(
                name,
                _patients(card, structure, spread.above),
                _patients(card, structure, spread.zero),
                len(spread.empty),
            )
        )
    return Drawing(
        partial(overlap.raincloud, clouds),
        (
            "Area: density of the Dice above 0. Box: quartiles. Dots: patients, ✕ those with Dice 0. n "
            f"= {len(rows)}."
        ),
        {key: [row[key] for row in rows] for key in ("case", "mask", "dice_gtvp", "dice_gtvn")},
    )


def dice_by_volume(card: ScoreCard, structure: str) -> Drawing:
    """structure: a key of `STRUCTURES`."""
    return _by_patient(
        card,
        structure,
        overlap.dice_by_volume,
        "Left at “none”: the truth has none, the submission does. Both empty: not drawn.",
    )


def volumes(card: ScoreCard, structure: str) -> Drawing:
    """Predicted against true volume. structure: a key of `STRUCTURES`."""
    return _by_patient(
        card,
        structure,
        overlap.volumes,
        "Above the dotted line more is drawn than there is. Both empty: not drawn.",
    )


def _by_patient(card: ScoreCard, structure: str, build: Callable, caption: str) -> Drawing:
    spread = patients.spread(card, structure)
    drawn, (name, label) = (
        _patients(card, structure, sorted((*spread.above, *spread.zero))),
        STRUCTURES[structure],
    )
    return Drawing(
        partial(build, name, drawn, label - 1),
        f"{caption} n = {len(drawn.names)}.",
        {
            "case": drawn.names,
            "truth mL": drawn.truth_ml,
            "predicted mL": drawn.predicted_ml,
            "Dice": drawn.dice,
        },
    )


def _patients(card: ScoreCard, structure: str, places: Sequence[int]) -> overlap.Patients:
    rows = [card.cases[place] for place in places]
    columns = (f"dice_{structure}", f"volume_{structure}_truth_ml", f"volume_{structure}_prediction_ml")
    return overlap.Patients(
        [row["case"] for row in rows], *(np.array([row[name] for row in rows], float) for name in columns)
    )


def confusion(card: ScoreCard, kind: str) -> Drawing | None:
    """kind: "T" or "N". None where no patient has such a stage."""
    matrix = card.more["confusion_matrices"][kind]
    cells = np.c_[np.reshape(matrix["counts"], (len(matrix["labels"]), -1)), matrix["missing"]]
    if not cells.any():
        return None
    columns = [*matrix["labels"], staging.NONE]
    return Drawing(
        partial(staging.confusion, kind, matrix["labels"], matrix["counts"], matrix["missing"]),
        f"Rows: truth, with its patients, * under {SMALL_CLASS}. Colour: share of the row. "
        f"“{staging.NONE}”: no usable prediction. "
        f"n = {int(cells.sum())}.",
        {"truth": matrix["labels"], **dict(zip(columns, cells.T.tolist(), strict=True))},
    )


def kaplan_meier(card: ScoreCard) -> Drawing | None:
    """None where no patient has time, event and score."""
    found = card.more["survival"]
    groups = [
        survival.Group(
            group["name"],
            group["n"],
            group["events"],
            *(card.arrays[f"survival_{group['name']}_{part}"] for part in CURVE_PARTS),
        )
        for group in found["groups"]
    ]
    n, p = sum(group.n for group in groups), found["log_rank_p"]
    if not n:
        return None
    result = UNDEFINED if p is None else "< 0.001" if p < 0.001 else f"= {p:.3f}"
    numbers = {
        "group": [group.name for group in groups for _ in group.time],
        **{
            words: np.concatenate([getattr(group, part) for group in groups])
            for words, part in {
                "day": "time",
                "without relapse": "survival",
                "at risk before": "at_risk",
                "relapsed": "events",
            }.items()
        },
    }
    return Drawing(
        partial(survival.kaplan_meier, groups, card.arrays["survival_moments"]),
        "Kaplan-Meier curves of the thirds by predicted risk; equal scores stay together. Ticks: "
        "left unobserved. "
        f"Log-rank p {result}. n = {n} with time, event and score.",
        numbers,
    )


def pairs(card: ScoreCard) -> Drawing:
    """What became of the comparable pairs."""
    counts = summary.pairs(card)
    told = ", ".join(f"{n:,} {name}" for name, n in counts.items())
    return Drawing(
        partial(survival.pair_bar, counts),
        (
            f"Comparable: one relapsed before the other's time. Hatched: not won. Here {told}. n = "
            f"{sum(counts.values()):,} pairs."
        ),
        {"pairs": list(counts), "number": list(counts.values())},
    )
