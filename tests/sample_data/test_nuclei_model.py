"""The committed nuclei model keeps its contract, and has learnt what the README says."""

import hashlib
import json

import onnx

from sample_data.generator.histology.nuclei import CLASSES
from sample_data.models.try_nuclei import FOLDER, trial
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


def test_it_finds_most_nuclei_and_names_most_of_them():
    card = trial(MODEL, CASES)
    assert card.metrics["micro_f1"] > 0.9
    assert card.metrics["macro_f1_pooled"] > 0.8
