"""Runs inside the environment of the peers: Dice, HD95 and NSD of the masks of a file by surface-distance; as
JSON its CPU seconds and values."""

import json
import sys
import time

import numpy as np
import surface_distance

TOLERANCE = 1.0

with np.load(json.load(sys.stdin)) as file:
    truth, prediction, spacing = (file[name] for name in ("truth", "prediction", "spacing"))
seconds = []
for _ in range(3):
    start = time.process_time()
    found = surface_distance.compute_surface_distances(truth, prediction, spacing)
    values = (
        surface_distance.compute_dice_coefficient(truth, prediction),
        surface_distance.compute_robust_hausdorff(found, 95),
        surface_distance.compute_surface_dice_at_tolerance(found, TOLERANCE),
    )
    seconds.append(time.process_time() - start)
print(json.dumps({"cpu_seconds": min(seconds), "values": list(map(float, values))}))
