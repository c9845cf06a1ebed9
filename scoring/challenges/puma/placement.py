"""Whether predictions lie where the truth does: a submission with x and y exchanged, or in other units, is
told so."""

from collections.abc import Iterator, Sequence

import numpy as np
import scipy

from scoring.common.findings import Finding, warning
from scoring.inputs.nuclei import Nuclei

CASES = 8
NUCLEI = 500
NEAR = 5.0
SPACING = 0.25
FEW, MANY, TIMES = 0.3, 0.4, 3
"""Looked into below a share FEW of predictions near a truth nucleus; said where another reading has MANY, and
TIMES as many."""
FACTORS = {
    0.23: "they look like px divided by 0.23",
    1 / 0.23: "they look like µm: divide by 0.23",
    0.25: "they look like px at four times the size",
    0.5: "they look like px at twice the size",
    2.0: "they look like px at half the size",
    4.0: "they look like px at a quarter of the size",
    1024.0: "they look like shares of the image's side: multiply by it",
}
"""What centroids times a factor would mean."""


def placement(
    name: str, truth: Sequence[Nuclei], predicted: Sequence[Nuclei], sizes: np.ndarray
) -> Iterator[Finding]:
    """`swapped-axes` or `scale` for a submission of which few centroids lie near a truth nucleus, but many
    would, read otherwise; or of which most lie outside the images.

    truth, predicted: by case; sizes: width and height, int [N, 2]. A few cases and nuclei are looked at,
    spread evenly; classes are not.
    """
    both = [index for index in range(len(truth)) if len(truth[index]) and len(predicted[index])]
    chosen = (
        [both[place] for place in np.unique(np.linspace(0, len(both) - 1, min(CASES, len(both))).astype(int))]
        if both
        else []
    )
    looks = [
        (
            scipy.spatial.cKDTree(truth[i].centroids),
            _some(predicted[i].centroids),
            _radius(sizes[i], len(truth[i])),
        )
        for i in chosen
    ]
    share = _share(looks)
    if looks and share < FEW:
        enough = max(MANY, TIMES * share)
        readings = {
            factor: _share([(tree, xy * factor, radius) for tree, xy, radius in looks]) for factor in FACTORS
        }
        best = max(readings, key=readings.__getitem__)
        swapped = _share([(tree, xy[:, ::-1], radius) for tree, xy, radius in looks])
        if swapped >= max(enough, readings[best]):
            words = (
                f"{swapped:.0%} of the centroids lie next to a truth nucleus with x and y exchanged, "
                f"{share:.0%} as written: write [x, y]."
            )
            yield warning("swapped-axes", name, words)
            return
        if readings[best] >= enough:
            words = (
                f"{readings[best]:.0%} of the centroids lie next to a truth nucleus when multiplied by "
                f"{best:g}, {share:.0%} as written: "
            )
            yield warning("scale", name, f"{words}{FACTORS[best]}.")
            return
    total = sum(map(len, predicted))
    beyond = sum(int(found.outside(size).sum()) for found, size in zip(predicted, sizes, strict=True))
    if 2 * beyond > total:
        yield warning(
            "scale",
            name,
            f"{beyond:,} of {total:,} centroids lie outside their image: "
            "are they in px of the image, [x, y]?",
        )


def _some(centroids: np.ndarray) -> np.ndarray:
    return centroids[:: -(-len(centroids) // NUCLEI)]


def _radius(size: np.ndarray, nuclei: int) -> float:
    """Near: closer than nuclei would be to each other by chance."""
    return min(NEAR, SPACING * float(np.sqrt(size[0] * size[1] / nuclei)))


def _share(looks: Sequence[tuple["scipy.spatial.cKDTree", np.ndarray, float]]) -> float:
    """Return the share of centroids that lie within their radius of a truth nucleus."""
    near = sum(
        int(np.isfinite(tree.query(xy, distance_upper_bound=radius)[0]).sum()) for tree, xy, radius in looks
    )
    return near / max(1, sum(len(xy) for _, xy, _ in looks))
