"""The committed models load where the challenges' runtimes would load them, and have learnt what their README
says."""

import hashlib
import json
from dataclasses import dataclass
from functools import cache

import numpy as np
import onnx
import onnxruntime
import pytest
from PIL import Image
from sklearn.metrics import roc_auc_score

from sample_data.generator.catalogue import LESIONS
from sample_data.generator.demographics import LOCATIONS
from sample_data.generator.skin_image import SYMBOLS
from tests.sample_data.committed import ROOT, columns, table


@dataclass(frozen=True)
class Expected:
    """side: of the images that the model receives. free: whether it would take any. low, high: band of its
    figure, accuracy of eleven classes, AUC of melanoma, balanced accuracy of ISIC; on every second case.
    """

    sample: str
    name: str
    side: int
    low: float
    high: float
    free: bool = False


MODELS = (
    Expected("tricorder3", "convolutional", 160, 0.6, 0.8),
    Expected("tricorder3", "kmeans", 512, 0.6, 0.8),
    Expected("tricorder3", "palette", 512, 0.4, 0.6, free=True),
    Expected("melanoma", "convolutional", 224, 0.85, 0.98),
    Expected("melanoma", "palette", 224, 0.7, 0.95, free=True),
    Expected("isic2018", "kmeans", 224, 0.5, 0.85),
    Expected("isic2019", "kmeans", 224, 0.5, 0.85),
)
WITH_DEMOGRAPHICS = [model for model in MODELS if model.sample == "tricorder3"]
FILTERS = {"tricorder3": Image.Resampling.LANCZOS, "melanoma": Image.Resampling.BICUBIC}
all_models = pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.sample}-{model.name}")


def file_of(model: Expected):
    return ROOT / model.sample / "models" / f"{model.name}.onnx"


def stretched(image: Image.Image, side: int, how: Image.Resampling) -> Image.Image:
    return image.resize((side, image.height), how).resize((side, side), how)


@cache
def received(sample: str, side: int) -> np.ndarray:
    """Every second case as the challenge prepares it, uint8, cases x 3 x side x side. The tables are
    shuffled: about half of each class."""
    how, pixels = FILTERS.get(sample, Image.Resampling.BILINEAR), []
    for path in sorted((ROOT / sample / "images").iterdir())[::2]:
        image = Image.open(path).convert("RGB")
        pixels.append(
            np.asarray(stretched(stretched(image, 512, how) if sample == "tricorder3" else image, side, how))
        )
    return np.stack(pixels).transpose(0, 3, 1, 2)


@cache
def truth(sample: str) -> np.ndarray:
    """Label numbers of the same cases; 1 is melanoma."""
    if sample.startswith("isic"):
        rows = table(ROOT / sample / f"ISIC_{sample[4:]}_Sample_GroundTruth.csv")[1::2]
        return np.array([row[1:].index("1.0") for row in rows])
    if sample == "melanoma":
        return np.array([label == "True" for label in columns(ROOT / sample / "labels.csv")["label"]]).astype(
            int
        )[::2]
    return np.array([SYMBOLS.index(label) for label in columns(ROOT / sample / "labels.csv")["Class"]])[::2]


def codes() -> np.ndarray:
    labels = columns(ROOT / "tricorder3" / "labels.csv")
    people = zip(labels["Age"], labels["Gender"], labels["Location"], strict=True)
    return np.array(
        [(int(age), gender == "m", LOCATIONS.index(location) + 1) for age, gender, location in people],
        np.float32,
    )[::2]


def outputs(model: Expected, people: np.ndarray | None, count: int | None = None) -> np.ndarray:
    session = onnxruntime.InferenceSession(str(file_of(model)), providers=["CPUExecutionProvider"])
    found = []
    for place, image in enumerate(received(model.sample, model.side)[:count]):
        known = {} if people is None else {"demographics": people[place : place + 1]}
        found.append(session.run(None, {"image": image[None] / np.float32(255), **known})[0])
    return np.concatenate(found)


def figure(model: Expected, found: np.ndarray) -> float:
    labels = truth(model.sample)
    if model.sample == "melanoma":
        return float(roc_auc_score(labels, found[:, 0]))
    right = found.argmax(axis=1) == labels
    return float(
        right.mean()
        if model.sample == "tricorder3"
        else np.mean([right[labels == label].mean() for label in set(labels)])
    )


@all_models
def test_contract(model):
    loaded = onnx.load(str(file_of(model)))
    onnx.checker.check_model(loaded)
    assert loaded.ir_version <= 10
    assert max(opset.version for opset in loaded.opset_import) <= 17
    assert file_of(model).stat().st_size <= 400_000
    shapes = {
        tensor.name: [axis.dim_param or axis.dim_value for axis in tensor.type.tensor_type.shape.dim]
        for tensor in (*loaded.graph.input, *loaded.graph.output)
    }
    width = {"tricorder3": 11, "melanoma": 1}.get(model.sample, len(LESIONS[model.sample].plan.labels))
    expected = {
        "image": ["batch", 3, *(("height", "width") if model.free else (model.side, model.side))],
        "output": ["batch", width],
    }
    assert shapes == expected | ({"demographics": ["batch", 3]} if model in WITH_DEMOGRAPHICS else {})
    noted = {entry.key: entry.value for entry in loaded.metadata_props}
    assert noted.get("categories") == (
        ",".join(LESIONS[model.sample].plan.labels) if model.sample.startswith("isic") else None
    )


@pytest.mark.soak
@all_models
def test_what_was_learnt_is_in_its_band(model):
    found = outputs(model, codes() if model in WITH_DEMOGRAPHICS else None)
    assert 0 <= found.min() < found.max() <= 1
    assert model.sample == "melanoma" or found.sum(axis=1) == pytest.approx(np.ones(len(found)), abs=1e-5)
    assert model.low <= figure(model, found) <= model.high


@pytest.mark.parametrize("sample", LESIONS)
def test_models_are_described_with_their_hashes(sample):
    about = json.loads((ROOT / sample / "models.json").read_text(encoding="utf-8"))
    files = [file_of(model) for model in MODELS if model.sample == sample]
    assert sorted(about) == sorted(path.stem for path in files)
    assert sorted((ROOT / sample / "models").iterdir()) == sorted(files)
    assert all(set(one) == {"title", "about"} for one in about.values())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(hashlib.sha256(path.read_bytes()).hexdigest() in readme for path in files)
