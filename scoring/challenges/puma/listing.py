"""The nuclei of one case as rows of a table, with what became of each in words."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.challenges.puma.matches import FALSE_NEGATIVE, FALSE_POSITIVE, REASONS, STATUSES, TRUE_POSITIVE
from scoring.challenges.puma.names import CLASSES
from scoring.challenges.puma.overlay import PREDICTION, TRUTH

LISTS = {
    "errors": (FALSE_POSITIVE, FALSE_NEGATIVE),
    "FP": (FALSE_POSITIVE,),
    "FN": (FALSE_NEGATIVE,),
    "TP": (TRUE_POSITIVE,),
    "all": (TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE),
}
"""What can be listed, and the statuses in it."""
SIDES = ("truth", "prediction")
MOST = 2000
"""Rows of a list at most: a browser takes seconds for a hundred thousand."""


@dataclass(frozen=True)
class NucleusRow:
    """A nucleus of the truth, or a prediction without one. side, number: where it stands in its file's list.
    centroid: x, y in px. partner: number of the prediction that it matches, None without. confidence: of the
    prediction. distance: px, to the match or to the nucleus that `why` is about; both None where there is
    none. iou: of the outlines of a match, None without."""

    status: str
    name: str
    side: str
    number: int
    centroid: tuple[float, float]
    confidence: float | None
    distance: float | None
    partner: int | None
    why: str
    iou: float | None = None


@dataclass(frozen=True)
class Listing:
    """rows: the first `MOST`. total: how many there are."""

    rows: tuple[NucleusRow, ...]
    total: int

    def place(self, side: str, number: int) -> int | None:
        """Return the row of a nucleus, a matched prediction standing in the row of its truth; None where it
        is not listed."""
        for place, row in enumerate(self.rows):
            if (row.side, row.number) == (side, number) or (
                side == "prediction" and row.side == "truth" and row.partner == number
            ):
                return place
        return None


def listing(drawn: Mapping[str, np.ndarray], which: str, radius: float, most: int = MOST) -> Listing:
    """Return rows of one case, truth first, each side in file order. drawn: of `overlay`. which: one of
    LISTS. radius: px, of the matching."""
    alone = (drawn["kind"] == TRUTH) | (drawn["status"] != TRUE_POSITIVE)
    chosen = np.flatnonzero(alone & np.isin(drawn["status"], LISTS[which]))
    return Listing(tuple(_row(drawn, i, radius) for i in chosen[:most].tolist()), len(chosen))


def found(drawn: Mapping[str, np.ndarray], side: str, number: int, radius: float) -> NucleusRow | None:
    """Return one nucleus of a case, a matched prediction as the row of its truth; None where the case has no
    such nucleus."""
    here = np.flatnonzero((drawn["kind"] == SIDES.index(side)) & (drawn["number"] == number))
    if not len(here):
        return None
    i = int(here[0])
    matched = drawn["kind"][i] == PREDICTION and drawn["status"][i] == TRUE_POSITIVE
    return _row(drawn, int(drawn["partner"][i]) if matched else i, radius)


def _row(drawn: Mapping[str, np.ndarray], i: int, radius: float) -> NucleusRow:
    status, partner, predicted = (
        int(drawn["status"][i]),
        int(drawn["partner"][i]),
        drawn["kind"][i] == PREDICTION,
    )
    matched = status == TRUE_POSITIVE
    told = i if predicted else partner if matched else -1
    x, y = drawn["centroids"][i].tolist()
    return NucleusRow(
        STATUSES[status],
        CLASSES[drawn["cls"][i]],
        SIDES[int(predicted)],
        int(drawn["number"][i]),
        (x, y),
        float(drawn["score"][told]) if told >= 0 else None,
        float(drawn["distance"][i]) if partner >= 0 else None,
        int(drawn["number"][partner]) if matched else None,
        _why(drawn, i, radius),
        None if np.isnan(drawn["iou"][i]) else float(drawn["iou"][i]),
    )


def _why(drawn: Mapping[str, np.ndarray], i: int, radius: float) -> str:
    reason, partner = REASONS[drawn["reason"][i]], int(drawn["partner"][i])
    there = SIDES[1 - int(drawn["kind"][i])]
    if reason == "nothing-near":
        return f"no {there} within {radius:g} px"
    if reason == "missing-case":
        return "there is no prediction for this image"
    if not reason:
        return "matched"
    away = f"{drawn['distance'][i]:.1f} px away"
    if reason == "taken":
        return f"the {there} of this class, {away}, belongs to another nucleus"
    return f"the nearest {there}, {away}, says {CLASSES[drawn['cls'][partner]].replace('_', ' ')}"
