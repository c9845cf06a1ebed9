"""Runs inside the environment of the peers: the C-index of resampled patients, one call after the other, as
one writes it with lifelines or scikit-survival."""

import json
import sys
import time as clock

import lifelines.utils
import numpy as np
from sksurv.metrics import concordance_index_censored

request = json.load(sys.stdin)
time, event, risk = np.array(request["time"]), np.array(request["event"], bool), np.array(request["risk"])
places = [
    np.repeat(np.arange(len(time)), row)
    for row in np.random.default_rng(0).multinomial(len(time), np.full(len(time), 1 / len(time)), 1000)
]
programs = {
    "lifelines": lambda i: lifelines.utils.concordance_index(time[i], -risk[i], event[i]),
    "scikit-survival": lambda i: concordance_index_censored(event[i], time[i], risk[i], tied_tol=0)[0],
}
one = programs[request["program"]]
one(places[0])
begun = clock.process_time()
values = [one(place) for place in places]
print(
    json.dumps(
        {
            "cpu_seconds": clock.process_time() - begun,
            "interval": np.quantile(values, [0.025, 0.975]).tolist(),
        }
    )
)
