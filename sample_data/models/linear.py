"""The linear head on a bank of filters: features from the ONNX graph itself, then logistic regression."""

import numpy as np
import onnxruntime
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sample_data.models.graph import Bank, Head, build
from sample_data.models.task import Task
from sample_data.models.training_set import Examples, forget_some, labelled

STRENGTHS = (0.003, 0.01, 0.03, 0.1, 0.3)  # inverse regularisation, chosen on a sixth of the training images
BATCH = 32
TURNS = 4


def run(model: bytes, pictures: np.ndarray, demographics: np.ndarray | None) -> np.ndarray:
    """The model's output for uint8 pictures, n x h x w x 3, and float32 codes, n x 3, where it takes them."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    outputs = []
    for start in range(0, len(pictures), BATCH):
        part = slice(start, start + BATCH)
        image = np.ascontiguousarray((pictures[part] / np.float32(255)).transpose(0, 3, 1, 2))
        codes = {} if demographics is None else {"demographics": demographics[part]}
        outputs.append(session.run(None, {"image": image, **codes})[0])
    return np.concatenate(outputs)


def fit(features: np.ndarray, labels: np.ndarray, images: np.ndarray) -> Head:
    """Logistic regression on standardised features, n x features, folded into one matrix for raw ones.
    images: which image a row is of."""
    train, held_out = next(
        GroupShuffleSplit(1, test_size=1 / 6, random_state=0).split(features, labels, images)
    )

    def trained(strength: float, rows: np.ndarray):
        return make_pipeline(StandardScaler(), LogisticRegression(C=strength, max_iter=500)).fit(
            features[rows], labels[rows]
        )

    found = {
        strength: trained(strength, train).score(features[held_out], labels[held_out])
        for strength in STRENGTHS
    }
    print("held-out accuracy", {strength: round(float(accuracy), 3) for strength, accuracy in found.items()})
    scaler, regression = (
        step for _, step in trained(max(found, key=found.get), np.arange(len(labels))).steps
    )
    matrix = (regression.coef_ / scaler.scale_).T
    return Head(matrix.astype(np.float32), (regression.intercept_ - scaler.mean_ @ matrix).astype(np.float32))


def train(bank: Bank, examples: Examples, task: Task, size: tuple[int | str, int | str], seed: int) -> bytes:
    """The finished model, from each image turned by 0, 90, 180 and 270 degrees.

    Training images are already pooled, so the graph that computes their features does not pool again.
    """
    random = np.random.default_rng(seed)
    known, labels = labelled(examples, task)
    model = build(bank, 1, known.pooled.shape[1:3], task.demographics)
    turned = [
        run(
            model,
            np.rot90(known.pooled, turn, (1, 2)),
            forget_some(known.demographics, random) if task.demographics else None,
        )
        for turn in range(TURNS)
    ]
    head = fit(np.concatenate(turned), np.tile(labels, TURNS), np.tile(np.arange(len(labels)), TURNS))
    return build(bank, task.pool, size, task.demographics, head, task.categories)
