"""Trains kmeans.onnx without a deep-learning framework: `python -m sample_data.models.train_kmeans TASK
images*.npz kmeans.onnx`.

Filters are the k-means centres of whitened 7 x 7 patches of optical density (Coates and Ng 2012, "Learning
feature representations with k-means"), with both signs, plus plain colour thresholds; pooled over the image,
with demographics if any, into a logistic regression.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from sample_data.models.graph import DARKEST, Bank
from sample_data.models.linear import train
from sample_data.models.task import TASKS
from sample_data.models.training_set import load

CENTRES, PATCH, PATCHES = 96, 7, 60_000
WHITENING, BIAS = 0.05, -0.08
CENTRE_SPREAD = 13  # standard deviation of the weights that prefer the middle of the map, in its pixels
# Weights of red, green and blue optical density, and the threshold above which a colour answers: learnt
# filters are blind to plain colour.
COLOURS = (
    ((1, 0, 0), 0.3),
    ((1, 0, 0), 0.9),
    ((0, 1, 0), 0.5),
    ((0, 0, 1), 0.7),
    ((-1, 1, 0), 0.25),
    ((0, -1, 1), 0.15),
    ((1, 0, -1), 0.0),
    ((1, 1, 1), 2.2),
    ((-1, -1, -1), -0.5),
    ((-1, 1.6, -0.6), 0.15),
)


def patches(pictures: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """PATCHES x (3 PATCH PATCH) optical densities at random places, each of mean 0 and standard deviation
    about 1."""
    chosen = random.integers(0, len(pictures), PATCHES)
    rows, columns = random.integers(0, pictures.shape[1] - PATCH, (2, PATCHES))
    cut = np.stack(
        [pictures[i, r : r + PATCH, c : c + PATCH] for i, r, c in zip(chosen, rows, columns, strict=True)]
    )
    density = -np.log(np.maximum(cut / np.float32(255), DARKEST)).transpose(0, 3, 1, 2).reshape(PATCHES, -1)
    density -= density.mean(1, keepdims=True)
    return density / (density.std(1, keepdims=True) + 0.02)


def learnt_filters(pictures: np.ndarray, seed: int) -> np.ndarray:
    """2 CENTRES x 3 x PATCH x PATCH: k-means centres of whitened patches, taken back to pixels, of unit
    length, in both signs."""
    samples = patches(pictures, np.random.default_rng(seed))
    values, vectors = np.linalg.eigh(np.cov(samples.T))
    whitening = vectors @ np.diag((values + WHITENING) ** -0.5) @ vectors.T
    found = MiniBatchKMeans(CENTRES, n_init=2, random_state=seed, batch_size=2048).fit(samples @ whitening)
    filters = found.cluster_centers_ @ whitening
    filters -= filters.mean(1, keepdims=True)
    filters /= np.linalg.norm(filters, axis=1, keepdims=True)
    return np.concatenate([filters, -filters]).reshape(-1, 3, PATCH, PATCH)


def colour_filters() -> tuple[np.ndarray, np.ndarray]:
    """One blurred colour difference per line of COLOURS, and its bias."""
    filters = np.zeros((len(COLOURS), 3, PATCH, PATCH))
    filters[:, :, 1:-1, 1:-1] = (
        np.array([weights for weights, _ in COLOURS])[:, :, None, None] / (PATCH - 2) ** 2
    )
    return filters, -np.array([threshold for _, threshold in COLOURS])


def centre_weights(side: int) -> np.ndarray:
    away = np.arange(side) - (side - 1) / 2
    weights = np.exp(-(away[:, None] ** 2 + away**2) / (2 * CENTRE_SPREAD**2))
    return weights / weights.mean()


def bank(pictures: np.ndarray, seed: int) -> Bank:
    learnt, (colours, biases) = learnt_filters(pictures, seed), colour_filters()
    filters = np.concatenate([learnt, colours]).astype(np.float32)
    return Bank(
        filters,
        np.concatenate([np.full(len(learnt), BIAS), biases]).astype(np.float32),
        centre_weights(pictures.shape[1] // 2),
    )


if __name__ == "__main__":
    task, examples = TASKS[sys.argv[1]], load(sys.argv[2:-1])
    Path(sys.argv[-1]).write_bytes(
        train(bank(examples.pooled, seed=0), examples, task, (task.side, task.side), seed=0)
    )
