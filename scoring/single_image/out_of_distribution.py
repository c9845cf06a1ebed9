"""Outlier score: how far an image is from the nearest images of a test set; the limit beyond which there is
no answer; and how often the test set's own images exceed it (false alarms).

It is a local outlier factor: the mean distance of the image to its eight nearest images, divided by the mean
distance of these to their own nearest images. Distances use the appearance (`metrics.image_quality`),
standardised by median and median deviation, with extreme values clipped, and decorrelated with shrunk
correlations. The usual range is measured on the test set: the factor of each image is computed without this
image.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import stdtrit

from scoring.common.arrays import Array, Floats

LEAST_ALARMS, ALARMS, MOST_ALARMS = 0.005, 1.4, 0.03
"""These numbers define the share of images like the test set's that are called completely unlike it: the
first, plus the second divided by the number of images, but at most the third. It is larger for few images,
because otherwise more foreign pictures would get an answer. It assumes that logarithms of distances are
normally distributed; real distances have a longer tail."""
UNLIKE = 1.25
"""Ratio of two shares of such images: those called unlike the test set's, and those called completely
unlike."""
FEWEST, NEAREST = 5, 8
CUT, RIDGE, LEAST = 4.0, 0.05, 1e-3
FOLDS = 50
COPY, CHUNK = 0.3, 500
"""Two images count as copies if their distance is at most this share of the usual distance to the eighth
nearest image. Saving again as JPEG or in a smaller size gives 0.1 to 0.3; other photographs have 0.4 or more.
The second number is that of images that are compared at once."""
NORMAL, TINY = 1.4826, 1e-6
PHOTOGRAPH_PATCHES, TILE_PATCHES = 3, 4
"""Number of parts along each side of a photograph, and of a tile."""
WHOLE, MIDDLE = 0, 1 + PHOTOGRAPH_PATCHES**2 // 2
PLACES = ([WHOLE], [MIDDLE], [part for part in range(1, 1 + PHOTOGRAPH_PATCHES**2) if part != MIDDLE])
"""Groups of a photograph's parts that are compared with the same parts of other photographs: the whole, the
middle, and the surroundings."""


@dataclass(frozen=True)
class OutlierScore:
    """How much an image differs from the test set.

    Attributes:
        distance: Local outlier factor of the image with respect to the test set's images.
        limit: Factor above which an image is called unlike the test set's images.
        far_limit: Factor above which an image is called completely unlike them.
        false_alarms: Number of the test set's own images whose factor is above `limit`; each is compared with
            the others.
        far_alarms: Number of the test set's own images whose factor is above `far_limit`, so that they would
            get no answer.
        generated: Whether the test set's images are computer-generated.
    """

    distance: float
    limit: float
    far_limit: float
    false_alarms: int
    far_alarms: int
    images: int
    generated: bool = False

    @property
    def unlike(self) -> bool:
        """Whether the distance is above `limit`: the image differs from the test set's images."""
        return self.distance > self.limit

    @property
    def far(self) -> bool:
        """Whether the distance is above `far_limit`: the image differs so much that an answer means
        nothing."""
        return self.distance > self.far_limit


@dataclass(frozen=True)
class KnownImages:
    """Appearance of a test set's images.

    Attributes:
        features: Appearance of each image [n, p, d]: a photograph as a whole and its parts; only the parts of
            a tile.
        indices: Positions of the images in the test set [n].
        factors: Result of `left_out`, if it was computed already; else None.
        generated: Whether the images are computer-generated.
    """

    features: Floats
    indices: Array
    tile: bool = False
    factors: Floats | None = None
    generated: bool = False

    def __len__(self) -> int:
        return len(self.indices)

    def distance(self, parts: Floats) -> float:
        """Return the local outlier factor of an image with the appearance `parts` [p, d]."""
        return float(self.distances(parts[None])[0])

    def distances(self, asked: Floats) -> Floats:
        """Return the local outlier factors [m] of images with the appearance `asked` [m, p, d]."""
        return self._distances(self.features[self._distinct[0]], asked)

    @cached_property
    def _distinct(self) -> tuple[Array, Array]:
        """Return the rows of images without their copies and near copies [m], and for each image its place
        among them [n]; all rows if only few are left. The distance of copies says nothing of other images."""
        if len(self) < FEWEST:
            return np.arange(len(self)), np.arange(len(self))
        rows = self.features.reshape(len(self), -1) if self.tile else self.features[:, 0]
        (plain,) = _standard(rows, rows)
        parts = np.array_split(plain, -(-len(plain) // CHUNK))
        typical = np.median(np.concatenate([_ranked(cdist(part, plain)) for part in parts]))
        near = 0 if self.tile else COPY * typical
        first = np.concatenate([(cdist(part, plain) <= near).argmax(1) for part in parts])
        kept, place = np.unique(first[first], return_inverse=True)
        return (kept, place) if len(kept) >= FEWEST else (np.arange(len(self)),) * 2

    def _distances(self, known: Floats, asked: Floats) -> Floats:
        """Return the local outlier factors [m] of images asked [m, p, d] among known ones [n, p, d]: the
        median of a tile's parts; of a photograph the geometric mean of the whole, the middle and twice what
        is around (the geometric mean of its parts)."""
        if self.tile:
            tiles: Floats = np.median(_factors(known, asked), 1)
            return tiles
        whole, middle, around = (np.log(_factors(known[:, rows], asked[:, rows])).mean(1) for rows in PLACES)
        distances: Floats = np.exp((whole + middle + 2 * around) / 4)
        return distances

    @cached_property
    def left_out(self) -> Floats:
        """Local outlier factor of each image [n], computed without the images in the same fold."""
        if self.factors is not None:
            return self.factors
        rows, place = self._distinct
        known, found, places = self.features[rows], np.empty(len(rows)), np.arange(len(rows))
        for first in range(min(FOLDS, len(rows))):
            fold = places[first::FOLDS]
            found[fold] = self._distances(np.delete(known, fold, 0), known[fold])
        factors: Floats = found[place]
        return factors

    def limit(self, alarms: float) -> float:
        """Return the factor that one more image like the test set's exceeds with probability `alarms`. It is
        Student's prediction limit for the logarithms of `left_out`; copies of an image count once."""
        return prediction_limit(self.left_out[self._distinct[0]], 1 - alarms)

    def unlikeness(self, parts: Floats, own: int | None = None) -> OutlierScore | None:
        """Return how much an image differs from the test set's images.

        Args:
            parts: Appearance of the parts of the image [p, d].
            own: Position of the image in the test set, if it is one of the test set's images. It is then
                compared with the others.

        Returns:
            The outlier score; None if the test set has fewer than 5 images, because these define no usual
            range.
        """
        if len(self) < FEWEST:
            return None
        places = np.flatnonzero(self.indices == (-1 if own is None else own))
        distance = float(self.left_out[places[0]]) if len(places) else self.distance(parts)
        share = min(MOST_ALARMS, LEAST_ALARMS + ALARMS / len(self._distinct[0]))
        limits = self.limit(UNLIKE * share), self.limit(share)
        alarms, far = (int((self.left_out > limit).sum()) for limit in limits)
        return OutlierScore(distance, *limits, alarms, far, len(self), self.generated)

    def alike(
        self, appearance: Floats, count: int, own: int | None = None, shown: Collection[int] | None = None
    ) -> list[int]:
        """Return the positions in the test set of the images that look most similar, nearest first; empty if
        there are fewer than 5 other images.

        Args:
            appearance: Appearance of the whole image and of its parts [p, d].
            own: Position of the image in the test set, if it is one of the test set's images.
            shown: Positions of the images that may be returned; None: all.
        """
        others = np.flatnonzero(self.indices != (-1 if own is None else own))
        if len(others) < FEWEST:
            return []
        known = self.features[others, 0]
        image, plain = _standard(known, appearance[:1], known)
        away = cdist(image, plain)[0]
        nearest = self.indices[others[np.argsort(away, kind="stable")]].tolist()
        return [index for index in nearest if shown is None or index in shown][:count]


def known_images(appearances: Sequence[Floats | None], tile: bool = False) -> KnownImages:
    """Collect the appearance of a test set's images.

    Args:
        appearances: Appearance of each case [p, d]; None for a case without an image.
        tile: Whether the images are tiles.
    """
    indices = [index for index, appearance in enumerate(appearances) if appearance is not None]
    rows = [appearance for appearance in appearances if appearance is not None]
    return KnownImages(np.array(rows) if rows else np.empty((0, 1, 1)), np.array(indices, int), tile)


def _ranked(away: Floats) -> Floats:
    """Return the distance [m] of each image to the last of its nearest: of distances [m, n] to all, itself
    included."""
    last = min(NEAREST, away.shape[1] - 1)
    ranked: Floats = np.partition(away, last, 1)[:, last]
    return ranked


def prediction_limit(usual: Floats, share: float) -> float:
    """Return the value below which one more number like those in `usual` (all above 0) lies with probability
    `share`. It is Student's prediction limit for their logarithms."""
    logarithms, n = np.log(usual), len(usual)
    away = stdtrit(n - 1, share) * logarithms.std(ddof=1) * np.sqrt(1 + 1 / n)
    return float(np.exp(logarithms.mean() + away))


def _factors(known: Floats, asked: Floats) -> Floats:
    """Return the local outlier factors [m, p] of the parts of images asked [m, p, d] among those of the known
    ones [n, p, d]."""
    rows, image = known.reshape(-1, known.shape[2]), np.repeat(np.arange(len(known)), known.shape[1])
    parts, plain = _standard(rows, asked.reshape(-1, known.shape[2]), rows)
    own, near = _nearest(cdist(parts, plain))
    needed, places = np.unique(near, return_inverse=True)
    among = cdist(plain[needed], plain)
    among[image[needed, None] == image] = np.inf
    around = _nearest(among)[0][places.reshape(near.shape)].mean(1)
    factors: Floats = (own + TINY) / (around + TINY)
    return factors.reshape(len(asked), -1)


def _nearest(away: Floats) -> tuple[Floats, Array]:
    """Return the mean of the nearest of distances [m, n], and their places [m, k]; infinite ones are none."""
    near = np.argpartition(away, min(NEAREST, away.shape[1]) - 1, 1)[:, :NEAREST]
    nearest = np.take_along_axis(away, near, 1)
    counts = np.isfinite(nearest)
    mean: Floats = np.where(counts, nearest, 0).sum(1) / counts.sum(1)
    return mean, near


def _standard(known: Floats, *rows: Floats) -> list[Floats]:
    """Return rows [m, d] as the known ones [n, d] become standard and uncorrelated."""
    middle = np.median(known, 0)
    spread = NORMAL * np.median(np.abs(known - middle), 0) + LEAST * (1 + np.abs(middle))
    usual = np.clip((known - middle) / spread, -CUT, CUT)
    covariance = usual.T @ usual / len(usual)
    # Of few images correlations are not known: then each number counts by itself.
    shrinkage = known.shape[1] / (known.shape[1] + len(known))
    shrunk = (1 - shrinkage) * covariance + shrinkage * np.diag(np.diag(covariance) + RIDGE)
    variances, directions = np.linalg.eigh(shrunk)
    plain = directions / np.sqrt(variances * known.shape[1])
    return [(some - middle) / spread @ plain for some in rows]
