"""The hand-built graph computes what its definition says."""

import numpy as np
import onnxruntime
import pytest

from sample_data.models.graph import DARKEST, Bank, Head, build

RANDOM = np.random.default_rng(0)
FILTERS, BIASES = (
    RANDOM.normal(size=(5, 3, 3, 3)).astype(np.float32),
    RANDOM.normal(size=5).astype(np.float32),
)
WEIGHTS = RANDOM.random((8, 8)).astype(np.float32)
IMAGE = RANDOM.random((1, 3, 16, 16)).astype(np.float32)


def run(model: bytes, image: np.ndarray, codes=None) -> np.ndarray:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(
        None, {"image": image, **({} if codes is None else {"demographics": np.float32([codes])})}
    )[0][0]


def answers(image: np.ndarray) -> np.ndarray:
    """Each filter at every second pixel of the optical density, zero beyond the edge; filters x 8 x 8."""
    density = np.pad(-np.log(np.maximum(image[0], DARKEST)), ((0, 0), (1, 1), (1, 1)))
    places = range(0, 16, 2)
    values = np.array(
        [
            [[(density[:, r : r + 3, c : c + 3] * kernel).sum() for c in places] for r in places]
            for kernel in FILTERS
        ]
    )
    return np.maximum(values + BIASES[:, None, None], 0)


def test_image_features_follow_their_definition():
    values = answers(IMAGE)
    blocks = values.reshape(5, 2, 4, 2, 4).mean((2, 4))
    expected = [
        values.mean((1, 2)),
        (values * WEIGHTS).mean((1, 2)),
        (values**2 * WEIGHTS).mean((1, 2)),
        blocks.max((1, 2)),
    ]
    features = run(build(Bank(FILTERS, BIASES, WEIGHTS), 1, (16, 16), True), IMAGE, (50, 1, 3))
    assert features[:20] == pytest.approx(np.sqrt(np.concatenate(expected)), abs=1e-5)


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        ((50, 1, 3), [0.5, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]),
        ((90, 0, 7), [0.9, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]),
        ((0, -1, -1), [0] * 11),
    ],
)
def test_demographics_are_one_hot_and_unknown_is_all_zeros(codes, expected):
    assert run(build(Bank(FILTERS, BIASES), 1, (16, 16), True), IMAGE, codes)[-11:] == pytest.approx(
        expected, abs=1e-6
    )


def test_pooling_first_is_pooling_before():
    bank, head = (
        Bank(FILTERS, BIASES),
        Head(RANDOM.normal(size=(21, 11)).astype(np.float32), np.zeros(11, np.float32)),
    )
    large = np.repeat(np.repeat(IMAGE, 4, axis=2), 4, axis=3)
    pooled = run(build(bank, 4, ("height", "width"), True, head), large, (50, 1, 3))
    plain = run(build(bank, 1, (16, 16), True, head), IMAGE, (50, 1, 3))
    assert pooled == pytest.approx(plain, abs=1e-5)
    assert pooled.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("columns", [1, 3])
def test_without_demographics_probabilities_are_those_of_the_linear_scores(columns):
    bank, matrix = Bank(FILTERS, BIASES), RANDOM.normal(size=(10, columns)).astype(np.float32)
    features = run(build(bank, 1, (16, 16), False), IMAGE)
    scores = features @ matrix + 0.3
    expected = 1 / (1 + np.exp(-scores)) if columns == 1 else np.exp(scores) / np.exp(scores).sum()
    outputs = run(build(bank, 1, (16, 16), False, Head(matrix, np.full(columns, 0.3, np.float32))), IMAGE)
    assert outputs == pytest.approx(expected, abs=1e-5)


def test_categories_are_noted_in_the_metadata():
    model = build(Bank(FILTERS, BIASES), 1, (16, 16), False, categories=("MEL", "NV"))
    metadata = (
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
        .get_modelmeta()
        .custom_metadata_map
    )
    assert metadata == {"categories": "MEL,NV"}
