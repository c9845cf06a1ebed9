"""The committed models load where the official validator's runtime would load them, and have learnt what their README says."""
import csv
import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from PIL import Image

from sample_data.generator import tricorder3
from sample_data.generator.case import SYMBOLS
from sample_data.generator.demographics import LOCATIONS

FOLDER = Path(tricorder3.__file__).parents[1] / "tricorder3"
SIDES = {"convolutional": 160, "kmeans": 512, "palette": 512}
# Every second case: by the tables' shuffled order about ten of each class.
with (FOLDER / "labels.csv").open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file))[::2]
TRUTH = np.array([SYMBOLS.index(case["Class"]) for case in CASES])
CODES = np.array([(int(case["Age"]), case["Gender"] == "m", LOCATIONS.index(case["Location"]) + 1) for case in CASES], np.float32)


def file_of(name: str) -> Path:
    return FOLDER / "models" / f"{name}.onnx"


def stretched(image: Image.Image, side: int) -> Image.Image:
    return image.resize((side, image.height), Image.Resampling.LANCZOS).resize((side, side), Image.Resampling.LANCZOS)


@cache
def official(side: int) -> np.ndarray:
    """Cases x 3 x side x side, as the challenge prepares them."""
    images = (stretched(Image.open(FOLDER / case["NewFileName"]).convert("RGB"), 512) for case in CASES)
    pixels = [np.asarray(image if side == 512 else stretched(image, side)) for image in images]
    return np.stack(pixels).transpose(0, 3, 1, 2)


def outputs(name: str, codes: np.ndarray) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(file_of(name)), providers=["CPUExecutionProvider"])
    images = official(SIDES[name])
    return np.concatenate([
        session.run(None, {"image": images[i : i + 1] / np.float32(255), "demographics": codes[i : i + 1]})[0] for i in range(len(codes))
    ])


@pytest.mark.parametrize("name", SIDES)
def test_contract(name):
    model = onnx.load(str(file_of(name)))
    onnx.checker.check_model(model)
    assert model.ir_version <= 10
    assert max(opset.version for opset in model.opset_import) <= 17
    assert file_of(name).stat().st_size <= 400_000
    tensors = (*model.graph.input, *model.graph.output)
    image, demographics, output = ([axis.dim_param or axis.dim_value for axis in one.type.tensor_type.shape.dim] for one in tensors)
    assert (image[0], demographics, output) == ("batch", ["batch", 3], ["batch", 11])
    assert image[1:] == [3, *(["height", "width"] if name == "palette" else [SIDES[name]] * 2)]


@pytest.mark.parametrize(("name", "low", "high"), [("convolutional", 0.6, 0.8), ("kmeans", 0.6, 0.8), ("palette", 0.4, 0.6)])
def test_accuracy_is_in_its_band(name, low, high):
    probabilities = outputs(name, CODES)
    assert probabilities.sum(axis=1) == pytest.approx(np.ones(len(CASES)), abs=1e-5)
    assert probabilities.min() >= 0
    assert low <= (probabilities.argmax(axis=1) == TRUTH).mean() <= high


@pytest.mark.parametrize("name", SIDES)
def test_demographics_matter_and_may_be_unknown(name):
    known, unknown = outputs(name, CODES[:40]), outputs(name, np.tile(np.float32([0, -1, -1]), (40, 1)))
    assert np.abs(known - unknown).max() > 0.05
    # A model that had never met the codes for "unknown" would fall far below its accuracy on known ones.
    right = [(rows.argmax(axis=1) == TRUTH[:40]).mean() for rows in (known, unknown)]
    assert right[1] > right[0] - 0.3


def test_models_are_described_with_their_hashes():
    about = json.loads((FOLDER / "models.json").read_text(encoding="utf-8"))
    assert set(about) == set(SIDES) == {path.stem for path in (FOLDER / "models").glob("*.onnx")}
    assert all(set(one) == {"title", "about"} for one in about.values())
    readme = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    assert all(hashlib.sha256(file_of(name).read_bytes()).hexdigest() in readme for name in SIDES)
