"""Primary tumours and lymph nodes that fit a T and an N stage, by size and number (AJCC/UICC, 7th
edition)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import binary_dilation, distance_transform_edt, label

from sample_data.generator.headneck.grid import Grid
from sample_data.generator.headneck.phantom import AIR, FAT, UNDER_SKIN_MM, Body
from sample_data.generator.headneck.shapes import Point

GTVP, GTVN = 1, 2
# Where primaries sit, on the left, and how often.
SITES = {
    "tonsil": ((19, 16, 19), 0.36),
    "base of tongue": ((8, 34, 9), 0.28),
    "hypopharynx": ((14, 17, -20), 0.16),
    "nasopharynx": ((11, 20, 53), 0.10),
    "oral tongue": ((13, 54, 21), 0.10),
}
PRIMARY_MM = {"T1": (10, 19), "T2": (22, 39), "T3": (42, 52), "T4": (40, 64)}
# Number of nodes, longest diameter of the first and of the others (mm), and whether they lie on both sides.
NODES = {
    "N0": ((0, 0), (0, 0), (0, 0), False),
    "N1": ((1, 1), (10, 27), (0, 0), False),
    "N2a": ((1, 1), (33, 52), (0, 0), False),
    "N2b": ((2, 5), (14, 40), (9, 22), False),
    "N2c": ((2, 5), (14, 36), (9, 24), True),
    "N3": ((1, 3), (63, 69), (10, 22), False),
}
LOBE_MM, LOBE_DEPTH = 7, 0.12
ATTEMPTS = 100
BULGING_MM, BULGE_MM = 32, 8  # nodes that are larger than this push the skin out, so far
COVER_MM = 8  # of fat and skin over what bulges
DIRECTIONS = np.array(
    [(i, j, k) for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2) for k in (0, 1, 2) if i or j or k], float
)


@dataclass(frozen=True)
class Disease:
    """labels: uint8, x, y, z: 0, GTVP or GTVN. site: of the primary, "" without one. primary_mm, nodes_mm:
    longest diameters as drawn."""

    labels: np.ndarray
    site: str
    primary_mm: float
    nodes_mm: tuple[float, ...]


def longest_extent(mask: np.ndarray, grid: Grid) -> float:
    """The largest width of a set of voxels over many directions, mm, whole voxels included; 0 for none."""
    points = np.argwhere(mask) * grid.steps
    if not len(points):
        return 0.0
    along = points @ (DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)).T
    return float(np.ptp(along, axis=0).max() + min(grid.spacing))


def grow(
    body: Body, allowed: np.ndarray, lobes: np.ndarray, centre: Point, proportions: Point, diameter: float
) -> np.ndarray:
    """A lobed lump around a point whose longest extent is about `diameter` mm, inside what is allowed and in
    one piece."""
    offsets = (
        (where - middle) / share for where, middle, share in zip(body.where, centre, proportions, strict=True)
    )
    distance = np.sqrt(sum(offset**2 for offset in offsets)) / (1 + LOBE_DEPTH * lobes)
    radius = diameter / 2
    for _ in range(4):
        mask = _largest_piece((distance < radius) & allowed)
        radius *= np.clip(diameter / max(longest_extent(mask, body.grid), 1), 0.7, 1.3)
    return mask


def _largest_piece(mask: np.ndarray) -> np.ndarray:
    pieces, count = label(mask, np.ones((3, 3, 3)))
    return pieces == 1 + np.argmax(np.bincount(pieces.ravel())[1:]) if count > 1 else mask


def _jugular(random: np.random.Generator, side: int, diameter: float) -> Point:
    """Somewhere along the deep cervical chain, larger ones in its middle."""
    up = random.uniform(-58, 26) if diameter < 32 else random.uniform(-24, 4)
    return side * random.uniform(34, 42), np.interp(up, (-60, 26), (14, -6)) + random.uniform(-7, 12), up


def _node_sizes(random: np.random.Generator, n_stage: str) -> Iterator[tuple[float, int]]:
    """Longest diameter, mm, and 1 for the primary's side, -1 for the other, of each node."""
    (fewest, most), first, others, both_sides = NODES[n_stage]
    for number in range(random.integers(fewest, most + 1)):
        yield random.uniform(*(others if number else first)), -1 if both_sides and number % 2 else 1


def _node(
    body: Body,
    allowed: np.ndarray,
    lobes: np.ndarray,
    side: int,
    diameter: float,
    random: np.random.Generator,
) -> np.ndarray:
    """One node that does not touch what is not allowed."""
    for _ in range(ATTEMPTS):
        proportions = (random.uniform(0.7, 0.95), random.uniform(0.7, 0.95), 1.0)
        mask = grow(body, allowed, lobes, _jugular(random, side, diameter), proportions, diameter)
        if abs(longest_extent(mask, body.grid) - diameter) < 3:
            return mask
    raise RuntimeError(f"no room for a node of {diameter:.0f} mm")


def draw(body: Body, t_stage: str, n_stage: str, random: np.random.Generator) -> Disease:
    """t_stage: T1 to T4, or anything else for no visible primary. n_stage: a key of NODES."""
    solid, lobes, side = body.solid(), body.grid.noise(random, LOBE_MM), int(random.choice((-1, 1)))
    bulge = (body.depth > -BULGE_MM) & (body.depth <= UNDER_SKIN_MM)
    labels = np.zeros(body.grid.shape, np.uint8)
    names, places, shares = zip(*((name, *rest) for name, rest in SITES.items()), strict=True)
    place = random.choice(len(names), p=shares)
    diameter = random.uniform(*PRIMARY_MM.get(t_stage, (0, 0)))
    if diameter:
        right, front, up = places[place]
        soft = solid if t_stage != "T4" else (body.depth > UNDER_SKIN_MM) & (body.density > -400)
        labels[
            grow(body, soft, lobes, (side * right, front, up), tuple(random.uniform(0.8, 1.1, 3)), diameter)
        ] = GTVP
    for size, same_side in _node_sizes(random, n_stage):
        free = (solid | bulge if size > BULGING_MM else solid) & ~binary_dilation(
            labels > 0, np.ones((3, 3, 3)), iterations=2
        )
        labels[_node(body, free, lobes, side * same_side, size, random)] = GTVN
    return Disease(
        labels,
        names[place] if diameter else "",
        longest_extent(labels == GTVP, body.grid),
        node_extents(labels, body.grid),
    )


def node_extents(labels: np.ndarray, grid: Grid) -> tuple[float, ...]:
    """Longest extent of each node, mm, largest first."""
    pieces, count = label(labels == GTVN, np.ones((3, 3, 3)))
    return tuple(
        sorted((longest_extent(pieces == number, grid) for number in range(1, count + 1)), reverse=True)
    )


def _cover(body: Body, mask: np.ndarray) -> None:
    """Fat and skin over what bulges out of a body."""
    cover = COVER_MM - distance_transform_edt(~mask, body.grid.spacing).astype(np.float32)
    outer = (body.depth <= UNDER_SKIN_MM) & (cover > body.depth)
    share = body.share(cover)[outer]
    body.density[outer] = np.maximum(body.density[outer], AIR + share * (FAT[0] - AIR))
    body.uptake[outer] = np.maximum(body.uptake[outer], share * FAT[1])
    body.depth[outer] = cover[outer]


def show(body: Body, disease: Disease, random: np.random.Generator) -> None:
    """Paints the disease on a body: it takes up glucose, and what is thick enough is often dead in the
    middle."""
    if disease.labels.any():
        _cover(body, disease.labels > 0)
    texture, necrotic = body.grid.noise(random, 6), random.random() < 0.5
    for kind, uptake in ((GTVP, random.uniform(6, 15)), (GTVN, random.uniform(4, 11))):
        mask = disease.labels == kind
        if mask.any():
            core = (distance_transform_edt(mask, body.grid.spacing) > 8) & necrotic
            body.density[mask] = np.where(core, 24, 78 + 5 * texture)[mask]
            body.uptake[mask] = (uptake * np.where(core, 0.3, np.clip(0.9 + 0.18 * texture, 0.4, 1.4)))[mask]
