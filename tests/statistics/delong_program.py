"""Runs inside the environment of the peers: lists of two teams' scores and the positives as JSON in,
MLstatkit's p-values out."""

import json
import sys

from MLstatkit import Delong_test

print(
    json.dumps(
        [
            float(Delong_test(positive, a, b, return_ci=False, return_auc=False)[1])
            for a, b, positive in json.load(sys.stdin)
        ]
    )
)
