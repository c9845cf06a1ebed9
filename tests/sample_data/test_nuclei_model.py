"""The committed nuclei model keeps its contract, and has learnt what the README says."""

import hashlib
import json

import numpy as np
import onnx
import pytest

from sample_data.generator.histology.nuclei import CLASSES
from sample_data.models.try_nuclei import FOLDER, peaks, probabilities, trial
from scoring.inference.onnx_scan import scan
from tests.sample_data.committed import ROOT

MODEL = FOLDER / "models" / "dense.onnx"
CASES = ["sample_primary_roi_001", "sample_metastatic_roi_003"]


def test_contract():
    loaded = onnx.load(str(MODEL))
    onnx.checker.check_model(loaded)
    shapes = {
        tensor.name: [axis.dim_param or axis.dim_value for axis in tensor.type.tensor_type.shape.dim]
        for tensor in (*loaded.graph.input, *loaded.graph.output)
    }
    assert shapes == {
        "image": ["batch", 3, "height", "width"],
        "probabilities": ["batch", 11, "rows", "columns"],
    }
    summary = scan(MODEL.read_bytes())
    assert summary["metadata"]["categories"].split(",") == ["background", *CLASSES]
    assert (summary["ir_version"], summary["opset"]) == (7, 13)
    assert MODEL.stat().st_size < 1_000_000
    assert hashlib.sha256(MODEL.read_bytes()).hexdigest() in (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_described():
    about = json.loads((FOLDER / "models.json").read_text(encoding="utf-8"))
    assert list(about) == [path.stem for path in (FOLDER / "models").iterdir()]
    assert set(about["dense"]) == {"title", "about"}


@pytest.mark.parametrize(("height", "width"), [(128, 128), (100, 77)])
def test_any_size_gives_probabilities_at_a_quarter_of_it(height, width):
    picture = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    answer = probabilities(MODEL, picture)
    assert answer.shape == (11, -(-height // 4), -(-width // 4))
    assert answer.min() >= 0
    assert answer.sum(0) == pytest.approx(np.ones(answer.shape[1:]), abs=1e-5)


def test_it_finds_most_nuclei_and_names_most_of_them():
    card = trial(MODEL, CASES)
    assert card.metrics["micro_f1"] > 0.9
    assert card.metrics["macro_f1_pooled"] > 0.8


def test_a_peak_is_one_nucleus_at_its_place():
    answer = np.zeros((11, 40, 40), np.float32)
    for row, column, kind in ((10, 20, 0), (30, 5, 3), (30, 25, 9)):
        answer[1 + kind, row - 1 : row + 2, column - 1 : column + 2] = 0.9
    answer[1 + 4, 10, 36] = 0.2
    answer[0] = 1 - answer.sum(0)
    found = {nucleus["class"]: nucleus["centroid"] for nucleus in peaks(answer, 4.0)}
    assert found == {"tumor": [82.0, 42.0], "histiocytes": [22.0, 122.0], "apoptotic_cells": [102.0, 122.0]}
