"""Runs inside the environment of the official scorer: a list of [truth, predictions, metric] as JSON in, what
it says of each as JSON out."""

import io
import json
import sys
import warnings

from isic_challenge_scoring.classification import ClassificationMetric, ClassificationScore
from isic_challenge_scoring.types import ScoreError


def said(truth: str, predictions: str, metric: str) -> dict:
    try:
        # As its command opens a file: universal line ends.
        streams = [
            io.TextIOWrapper(io.BytesIO(text.encode("latin-1")), encoding="utf-8")
            for text in (truth, predictions)
        ]
        return ClassificationScore.from_stream(*streams, ClassificationMetric(metric)).to_dict(rocs=False)
    except ScoreError as refusal:
        return {"refused": str(refusal)}
    except Exception as fault:
        return {"stopped": type(fault).__name__}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump([said(*job) for job in json.load(sys.stdin)], sys.stdout)
