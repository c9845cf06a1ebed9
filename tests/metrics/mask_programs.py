"""Runs inside the environment of the peers: pairs of masks as JSON in, what surface-distance says as JSON."""

import json
import sys

import numpy as np
import surface_distance


def said(truth: list, prediction: list, spacing: list, tolerance: float) -> dict:
    masks = [np.array(mask, bool) for mask in (truth, prediction)]
    found = surface_distance.compute_surface_distances(*masks, spacing)
    sides = [
        (found[f"distances_{a}_to_{b}"], found[f"surfel_areas_{a}"])
        for a, b in (("gt", "pred"), ("pred", "gt"))
    ]
    return {
        "dice": surface_distance.compute_dice_coefficient(*masks),
        "hd95": surface_distance.compute_robust_hausdorff(found, 95),
        "nsd": surface_distance.compute_surface_dice_at_tolerance(found, tolerance),
        "assd": sum(d @ a for d, a in sides) / sum(a.sum() for _, a in sides),
    }


print(json.dumps([said(*case) for case in json.load(sys.stdin)]))
