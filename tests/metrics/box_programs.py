"""Runs inside the environment of the peers: COCO data sets with results as JSON in, what pycocotools says as
JSON out."""

import contextlib
import io
import json
import sys

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def said(truth: dict, results: list) -> dict:
    with contextlib.redirect_stdout(io.StringIO()):
        data = COCO()
        data.dataset = truth
        data.createIndex()
        evaluation = COCOeval(data, data.loadRes(results), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
    # Limits x recalls x classes, of all areas and at most 100 detections; -1 = no object.
    precision = evaluation.eval["precision"][:, :, :, 0, 2]
    present = precision[0, 0] > -1
    return {"coco_map": np.mean(precision[:, :, present]), "ap": np.mean(precision[0][:, present])}


print(json.dumps([said(*case) for case in json.load(sys.stdin)]))
