"""Runs inside the environment of the peers: a list of [truth, prediction] label images (lists of rows) as
JSON in, panoptica's panoptic quality of each as JSON out."""

import json
import sys

import numpy as np
from panoptica import InputType, Metric, NaiveThresholdMatching, Panoptica_Evaluator

EVALUATOR = Panoptica_Evaluator(
    expected_input=InputType.UNMATCHED_INSTANCE,
    instance_matcher=NaiveThresholdMatching(matching_metric=Metric.IOU, matching_threshold=0.5),
    instance_metrics=[Metric.IOU],
)


def quality(truth: list, predicted: list) -> dict:
    images = (np.array(image, np.uint16) for image in (predicted, truth))
    result = next(iter(EVALUATOR.evaluate(*images, verbose=False).values()))
    return {name: float(getattr(result, name)) for name in ("tp", "fp", "fn", "pq", "sq", "rq")}


if __name__ == "__main__":
    requests, answers = json.load(sys.stdin), sys.stdout
    sys.stdout = sys.stderr  # panoptica prints its citation
    json.dump([quality(*request) for request in requests], answers)
