"""How the eleven classes look under a dermatoscope: one function per look draws onto bare skin and says where
the lesion lies.

The features are those of dermoscopy textbooks (pigment network, globules, blue-white veil, arborising
vessels, ...), drawn freely: they teach nothing about real lesions.
"""

from collections.abc import Callable

import numpy as np
from scipy.ndimage import gaussian_filter

from sample_data.generator import vessels
from sample_data.generator.canvas import Canvas, smoothstep
from sample_data.generator.optics import Skin
from sample_data.generator.outline import Outline, blob, cluster


def _place(
    canvas: Canvas,
    irregularity: float,
    warp: float,
    edge: float,
    size: tuple[float, float] = (88, 165),
    parts: int = 1,
) -> Outline:
    """A lesion near the middle of the picture, of a radius within `size` px, of one blob or a cluster of
    `parts`."""
    centre = canvas.width / 2 + canvas.random.normal(0, 24), canvas.height / 2 + canvas.random.normal(0, 24)
    radius, waves, bend = (
        canvas.uniform(*size),
        irregularity * canvas.uniform(0.6, 1.4),
        warp * canvas.uniform(0.5, 1.5),
    )
    distance = (
        blob(canvas, centre, radius, waves, bend)
        if parts == 1
        else cluster(canvas, centre, radius, parts, waves, bend)
    )
    # Real edges are never smooth curves: a little raggedness at the scale of the skin's own texture.
    distance = distance + 1.6 * canvas.noise(1.0, 12, 70)
    return Outline(distance, centre, radius, edge * canvas.uniform(0.6, 1.5))


def _network(canvas: Canvas, cell: float, width: float, strength: float, disorder: float = 0) -> np.ndarray:
    """Pigment network: dark lines around pale holes, of mean about 0. disorder 0 is even, 1 broken and of
    changing thickness."""
    thickness = width * (1 + 0.35 * canvas.noise(1.8, 2, 16)).clip(0.4, 2)
    lines = canvas.cells(cell, 0.55, 9 + 8 * disorder).walls(thickness) * (
        0.72 + 0.45 * canvas.noise(2.0, 1, 9)
    ).clip(0.1, 1.5)
    if disorder:
        lines = lines * np.clip(0.75 + 0.6 * disorder * canvas.noise(1.8, 2, 14), 0, 2)
    return strength * (lines - 0.32)


def _inner_blob(canvas: Canvas, outline: Outline, away: float, low: float, high: float) -> np.ndarray:
    """A soft patch (ulcer, dark off-centre area) with a radius of `low`..`high` px, `away` radii off the
    middle; 0..1."""
    centre = tuple(middle + canvas.random.normal(0, away * outline.radius) for middle in outline.centre)
    return smoothstep(9, -9, blob(canvas, centre, canvas.uniform(low, high), 0.14, 8)) * outline.cover


def draw_nevus(canvas: Canvas, skin: Skin) -> Outline:
    """NV: one even pattern: network, globules or homogeneous brown."""
    outline = _place(canvas, 0.035, 6, 14, (70, 175))
    cover = outline.cover
    depth = canvas.uniform(0.55, 1.45) * (1 + skin.tone / 2)
    skin.melanin += (
        cover
        * depth
        * (0.65 + 0.35 * outline.depth(0, 0.7) * canvas.uniform(-0.5, 1.2))
        * (1 + 0.10 * canvas.noise(1.9))
    )
    skin.blood += cover * canvas.uniform(0, 0.12)
    pattern = canvas.random.random()
    if pattern < 0.55:
        network = _network(
            canvas, canvas.uniform(13, 19), canvas.uniform(2.4, 3.6), canvas.uniform(0.5, 0.95)
        )
        skin.melanin += cover * network * outline.depth(-0.03, 0.35)
    elif pattern < 0.85:
        globules = canvas.cells(canvas.uniform(14, 21), 0.5, 3).spots(canvas.uniform(4, 6), 0.7)
        skin.melanin += cover * canvas.uniform(0.5, 1) * (globules - 0.25)
    else:
        skin.melanin += cover * 0.10 * canvas.noise(1.2, 6, 90)
    return outline


def _streaks(canvas: Canvas, outline: Outline) -> np.ndarray:
    """Radial streaks over a part of the edge, 0..1."""
    bearing = np.arctan2(canvas.rows - outline.centre[1], canvas.columns - outline.centre[0])
    rays = np.clip(np.sin(bearing * canvas.integer(24, 40) + 5 * canvas.noise(2.4, 1, 7)), 0, 1) ** 2
    sector = smoothstep(-0.2, 0.5, np.cos(bearing - canvas.uniform(0, 2 * np.pi)))
    ragged = outline.distance + 7 * canvas.noise(1.9)
    return gaussian_filter(
        rays * smoothstep(20, -8, ragged) * smoothstep(-34, -4, outline.distance) * sector, 1.6
    )


def draw_melanoma(canvas: Canvas, skin: Skin) -> Outline:
    """MEL: asymmetric, several colours, some of: atypical network, blue-white veil, regression, dots,
    streaks."""
    outline = _place(canvas, 0.115, 11, 9, (85, 190))
    cover, mottling = outline.cover, canvas.noise(1.9)
    dark = _inner_blob(canvas, outline, 0.35, 0.4 * outline.radius, 0.65 * outline.radius)
    skin.melanin += (
        cover
        * canvas.uniform(0.7, 1.8)
        * (1 + skin.tone / 2)
        * (0.55 + 0.30 * mottling.clip(-1.6, 2) + 0.75 * dark)
    )
    if canvas.chance(0.75):
        network = _network(
            canvas, canvas.uniform(15, 24), canvas.uniform(3, 5.2), canvas.uniform(0.55, 1.15), disorder=1
        )
        skin.melanin += cover * network * smoothstep(-0.6, 0.7, canvas.noise(2.2, 1, 5))
    if canvas.chance(0.65):
        veil = smoothstep(-0.2, 1.6, canvas.noise(2.1, 1, 7) + 0.25 * mottling) * cover
        skin.deep += canvas.uniform(0.55, 1.1) * veil * (1 + 0.15 * canvas.noise(1.2, 6, 90))
        skin.keratin += 0.12 * veil
    if canvas.chance(0.45):
        regression = smoothstep(0.5, 1.4, canvas.noise(2.3, 1, 5)) * cover
        skin.melanin *= 1 - 0.75 * regression
        skin.keratin += 0.22 * regression
        skin.deep += 0.7 * regression * canvas.discs(150, 1, 2.2, regression)
    if canvas.chance(0.6):
        skin.blood += cover * canvas.uniform(0.15, 0.5) * smoothstep(0.3, 1.2, canvas.noise(2.2, 1, 5))
    skin.melanin += (
        1.5 * cover * canvas.discs(canvas.integer(12, 60), 2, 5.2, cover * smoothstep(-1, 1, mottling))
    )
    if canvas.chance(0.5):
        skin.melanin += canvas.uniform(0.4, 1.0) * _streaks(canvas, outline)
    return outline


def draw_keratosis(canvas: Canvas, skin: Skin) -> Outline:
    """BKL: sharp edge, waxy brown, ridges like a brain's, comedo-like openings, milia-like cysts."""
    outline = _place(canvas, 0.08, 14, 4, (75, 175))
    cover, inner = outline.cover, outline.cover * (0.2 + outline.core)
    skin.melanin += cover * canvas.uniform(0.25, 1.15) * (1 + skin.tone / 2) * (1 + 0.15 * canvas.noise(1.9))
    skin.keratin += cover * canvas.uniform(0.03, 0.15)
    skin.keratin_colour = (0.93, 0.84, 0.66)
    if canvas.chance(0.6):
        ridges = canvas.cells(canvas.uniform(22, 44), 0.6, 18).walls(canvas.uniform(4, 8))
        skin.melanin += (
            cover
            * canvas.uniform(0.3, 0.9)
            * (ridges * (0.8 + 0.4 * canvas.noise(2, 1, 10)).clip(0.1, 1.6) - 0.25)
        )
    skin.melanin += 1.5 * cover * canvas.discs(canvas.integer(6, 34), 2.5, 7, inner)
    skin.keratin += 0.75 * cover * canvas.discs(canvas.integer(10, 46), 2.2, 5, inner, (0.5, 1))
    if canvas.chance(0.35):
        skin.melanin *= 1 - 0.35 * cover * smoothstep(0.4, 1.3, canvas.noise(1.6, 4, 24))
    if canvas.chance(0.3):
        skin.blood += 0.12 * cover
    return outline


def draw_dermatofibroma(canvas: Canvas, skin: Skin) -> Outline:
    """DF: a delicate network around a white scar-like centre."""
    outline = _place(canvas, 0.04, 8, 22, (75, 150))
    cover = outline.cover
    skin.melanin += (
        cover
        * canvas.uniform(0.25, 0.7)
        * (1 + skin.tone / 2)
        * outline.depth(-0.1, 0.6)
        * (1 + 0.15 * canvas.noise(1.9))
    )
    network = _network(canvas, canvas.uniform(13, 18), canvas.uniform(2, 3), canvas.uniform(0.35, 0.75))
    skin.melanin += (
        cover * network * smoothstep(-0.8, 0.4, canvas.noise(2.2, 1, 5)) * outline.depth(-0.05, 0.3)
    )
    ragged = outline.distance + 12 * canvas.noise(2.4, 1, 7) + 6 * canvas.noise(1.9)
    scar = smoothstep(-outline.radius * canvas.uniform(0.25, 0.5), -outline.radius * 0.95, ragged)
    skin.melanin *= 1 - 0.45 * scar
    skin.keratin += canvas.uniform(0.10, 0.36) * scar * (1 + 0.25 * canvas.noise(1.2, 6, 90))
    skin.keratin += 0.16 * scar * vessels.linear(canvas, 8, scar)
    skin.blood += canvas.uniform(0.05, 0.2) * cover + 0.10 * outline.rim
    return outline


def draw_basal_cell_carcinoma(canvas: Canvas, skin: Skin) -> Outline:
    """BCC: pearly pink, arborising vessels, some of: blue-grey nests, leaf-like brown spots, an ulcer."""
    outline = _place(canvas, 0.10, 8, 16, (75, 170))
    cover = outline.cover
    skin.blood += cover * canvas.uniform(0.10, 0.32) * (1 + 0.3 * canvas.noise(1.9))
    skin.keratin += cover * canvas.uniform(0.08, 0.22) * (1 + 0.4 * canvas.noise(1.2, 6, 90)).clip(0, 3)
    skin.melanin *= 1 - 0.35 * cover
    trees = vessels.arborising(
        canvas, canvas.integer(3, 8), cover * (outline.depth(0.05, 0.2) + 0.35 * outline.rim)
    )
    skin.blood += canvas.uniform(0.8, 1.6) * trees * smoothstep(18, -4, outline.distance)
    if canvas.chance(0.6):
        nests = canvas.cells(canvas.uniform(36, 70), 0.9, 14).spots(
            canvas.uniform(8, 16), canvas.uniform(0.15, 0.45)
        )
        skin.deep += (
            cover * canvas.uniform(0.5, 1.3) * nests * (0.9 + 0.35 * canvas.noise(1.6, 4, 40)).clip(0.1, 2)
        )
    if canvas.chance(0.35):
        skin.melanin += (
            0.6 * cover * canvas.cells(canvas.uniform(30, 44), 0.9, 8).spots(canvas.uniform(5, 9), 0.25)
        )
    if canvas.chance(0.42):
        ulcer = _inner_blob(canvas, outline, 0.3, 14, 38)
        skin.blood += 1.2 * ulcer
        skin.melanin += 0.7 * ulcer * (1 + 0.4 * canvas.noise(1.2, 6, 90))
    return outline


def draw_actinic_keratosis(canvas: Canvas, skin: Skin) -> Outline:
    """AKIEC: the strawberry pattern (red network around pale follicles), scale, sometimes brown."""
    outline = _place(canvas, 0.13, 15, 24, (85, 190))
    cover = outline.cover
    skin.blood += cover * canvas.uniform(0.25, 0.55) * (1 + 0.28 * canvas.noise(1.9)).clip(0.2, 3)
    cells = canvas.cells(canvas.uniform(20, 30), 0.35, 5)
    follicles = smoothstep(canvas.uniform(5, 7.5), 3, cells.nearest) * cover
    skin.blood *= 1 - 0.55 * follicles
    skin.keratin += 0.34 * follicles * (cells.tint < 0.85)
    skin.melanin += 0.55 * cover * smoothstep(2.6, 1.2, cells.nearest) * (cells.tint < 0.5)
    scale = smoothstep(0.6, 1.6, canvas.noise(1.4, 4, 40) + 0.3 * outline.core)
    skin.keratin += canvas.uniform(0.25, 0.7) * scale * cover
    skin.keratin_colour = (0.97, 0.93, 0.81)
    if canvas.chance(0.35):
        skin.melanin += (
            cover
            * canvas.uniform(0.2, 0.6)
            * (1 + skin.tone / 2)
            * (0.5 + 0.5 * smoothstep(-0.5, 1, canvas.noise(1.9)))
        )
    skin.blood += 0.7 * cover * vessels.linear(canvas, canvas.integer(10, 40), cover)
    return outline


def draw_squamous_cell_carcinoma(canvas: Canvas, skin: Skin) -> Outline:
    """SCCKA: a keratin plug, white circles, hairpin vessels with pale halos at the rim, blood spots."""
    outline = _place(canvas, 0.08, 10, 12, (80, 165))
    cover, mottling, fine = outline.cover, canvas.noise(1.9), canvas.noise(1.2, 6, 90)
    skin.blood += cover * canvas.uniform(0.22, 0.5) * (1 + 0.2 * mottling)
    ragged = outline.distance + 14 * canvas.noise(1.8, 2, 12) + 6 * mottling
    plug = smoothstep(
        -outline.radius * canvas.uniform(0.2, 0.5), -outline.radius * canvas.uniform(0.6, 0.9), ragged
    )
    skin.keratin += canvas.uniform(0.4, 0.9) * plug * (1 + 0.22 * fine + 0.18 * canvas.noise(1.6, 4, 40))
    skin.melanin += plug * canvas.uniform(0.15, 0.7) * (1 + 0.5 * mottling).clip(0, 3)
    yellow = canvas.random.random()
    skin.keratin_colour = (0.96, 0.91 - 0.07 * yellow, 0.80 - 0.22 * yellow)
    skin.blood += 1.2 * plug * canvas.discs(canvas.integer(2, 14), 3, 9, plug)
    skin.keratin += (
        0.33
        * canvas.cells(canvas.uniform(22, 30), 0.5, 6).spots(canvas.uniform(4, 6), 0.55)
        * cover
        * (1 - plug)
    )
    loops = vessels.hairpins(canvas, canvas.integer(22, 70), outline.rim + 0.3 * cover * (1 - plug)) * (
        1 - plug
    )
    skin.keratin += 0.6 * gaussian_filter(loops, 4)
    skin.blood += 1.35 * loops
    if canvas.chance(0.35):
        skin.melanin += 0.9 * plug * smoothstep(0.3, 1.2, mottling)
    return outline


def draw_vascular_lesion(canvas: Canvas, skin: Skin) -> Outline:
    """VASC: red, blue or black lacunae between pale septa."""
    outline = _place(canvas, 0.07, 9, 5, (60, 135), parts=canvas.integer(1, 4))
    cover = outline.cover
    cells = canvas.cells(canvas.uniform(30, 60), 0.75, 20)
    lacunae, tint = (
        gaussian_filter(smoothstep(1, 10, cells.second - cells.nearest), 2.2),
        gaussian_filter(cells.tint, 5),
    )
    skin.blood += cover * (canvas.uniform(0.6, 1.4) + canvas.uniform(0.5, 1.3) * lacunae * (0.5 + 0.8 * tint))
    skin.deep += cover * lacunae * canvas.random.random() * canvas.uniform(0.25, 0.95) * (0.5 + 0.7 * tint)
    skin.keratin += canvas.uniform(0.02, 0.16) * cover * (1 - lacunae)
    skin.melanin *= 1 - 0.3 * cover
    skin.blood *= 1 + 0.18 * canvas.noise(1.9) * cover
    if canvas.chance(0.3):
        skin.melanin += 1.1 * cover * smoothstep(0.5, 1.2, canvas.noise(2.2, 1, 6))
        skin.deep += 0.5 * cover * smoothstep(0.6, 1.2, canvas.noise(1.9))
    return outline


def draw_inflammation(canvas: Canvas, skin: Skin) -> Outline:
    """INF: red patches with faint edges, dotted vessels, fine scale, sometimes a ring."""
    parts = canvas.integer(2, 6) if canvas.chance(0.35) else 1
    outline = _place(canvas, 0.11, 24, 34, (95, 200), parts=parts)
    cover = outline.cover
    skin.blood += cover * canvas.uniform(0.22, 0.6) * (1 + 0.25 * canvas.noise(1.9)).clip(0.2, 3)
    skin.melanin *= 1 - 0.15 * cover
    skin.blood += cover * canvas.uniform(0.5, 1.0) * vessels.dotted(canvas, canvas.integer(120, 420), cover)
    skin.keratin += canvas.uniform(0.2, 0.65) * smoothstep(0.75, 1.7, canvas.noise(1.1, 6, 60)) * cover
    skin.keratin_colour = (0.98, 0.95, 0.91)
    if canvas.chance(0.35):
        skin.keratin += (
            0.3 * cover * smoothstep(0.8, 0.2, np.abs(outline.distance + outline.radius * 0.25) / 14)
        )
        skin.blood *= 1 - 0.45 * outline.depth(0.35, 0.7)
    if canvas.chance(0.25):
        skin.melanin += 0.7 * cover * smoothstep(0.9, 1.8, canvas.noise(1.9))
    return outline


def draw_other_malignant(canvas: Canvas, skin: Skin) -> Outline:
    """MAL_OTH: a milky red or purple nodule with irregular vessels, sometimes ulcerated or brown."""
    outline = _place(canvas, 0.10, 13, 10, (85, 180))
    cover, kind, milky = outline.cover, canvas.random.random(), canvas.noise(2.1, 2, 14)
    skin.blood += cover * canvas.uniform(0.35, 0.9) * (1 + 0.22 * canvas.noise(1.9))
    skin.keratin += cover * (
        canvas.uniform(0.08, 0.26) + canvas.uniform(0.08, 0.3) * smoothstep(0, 2.4, milky)
    )
    if kind < 0.55:
        skin.deep += cover * canvas.uniform(0, 0.5) * (1 + 0.4 * canvas.noise(2.2, 1, 8)).clip(0, 2)
    skin.blood += cover * canvas.uniform(0.6, 1.2) * vessels.linear(canvas, canvas.integer(14, 60), cover)
    skin.blood += 0.6 * cover * vessels.dotted(canvas, canvas.integer(1, 120), cover)
    if kind < 0.35:
        ulcer = _inner_blob(canvas, outline, 0.25, 22, 55)
        skin.blood += ulcer
        skin.melanin += ulcer * (1 + 0.4 * canvas.noise(1.2, 6, 90))
    elif kind < 0.55:
        skin.melanin += cover * canvas.uniform(0.2, 0.6) * smoothstep(-0.5, 1, canvas.noise(2.4, 1, 7))
    return outline


def _yellow_lobules(canvas: Canvas, skin: Skin, outline: Outline) -> None:
    cover, cells = outline.cover, canvas.cells(canvas.uniform(22, 36), 0.5, 8)
    skin.keratin += (
        canvas.uniform(0.28, 0.55)
        * smoothstep(1, 8, cells.second - cells.nearest)
        * cover
        * (0.75 + 0.4 * cells.tint)
    )
    skin.keratin_colour = (0.97, 0.89, 0.66)
    skin.blood += 0.16 * cover + 0.9 * cover * vessels.linear(canvas, canvas.integer(10, 26), outline.rim)
    skin.melanin += 0.4 * outline.depth(0.45, 0.8)


def _pale_papule(canvas: Canvas, skin: Skin, outline: Outline) -> None:
    cover = outline.cover
    skin.keratin += canvas.uniform(0.15, 0.4) * cover * (1 + 0.25 * canvas.noise(1.2, 6, 90))
    skin.blood += canvas.uniform(0.1, 0.3) * cover + 0.8 * cover * vessels.dotted(
        canvas, canvas.integer(20, 150), cover
    )


def _collision(canvas: Canvas, skin: Skin, outline: Outline) -> None:
    """Half nevus, half keratosis."""
    cover, angle = outline.cover, canvas.uniform(0, 2 * np.pi)
    across = (canvas.columns - outline.centre[0]) * np.cos(angle) + (
        canvas.rows - outline.centre[1]
    ) * np.sin(angle)
    brown = smoothstep(-25, 25, across + 18 * canvas.noise(2, 1, 10)) * cover
    skin.melanin += (brown * canvas.uniform(0.5, 1.1) + 0.2 * cover) * (1 + skin.tone / 2) + brown * _network(
        canvas, 16, 3, 0.6
    )
    skin.keratin += (cover - brown) * (0.5 * canvas.discs(24, 2, 5, cover) + 0.15)


def draw_other_benign(canvas: Canvas, skin: Skin) -> Outline:
    """BEN_OTH: yellow lobules, a pale papule, or two benign lesions in one."""
    outline = _place(canvas, 0.07, 9, 9, (60, 130))
    kind = canvas.random.random()
    (_yellow_lobules if kind < 0.5 else _pale_papule if kind < 0.8 else _collision)(canvas, skin, outline)
    return outline


LOOKS: dict[str, Callable[[Canvas, Skin], Outline]] = {
    "AKIEC": draw_actinic_keratosis,
    "BCC": draw_basal_cell_carcinoma,
    "BEN_OTH": draw_other_benign,
    "BKL": draw_keratosis,
    "DF": draw_dermatofibroma,
    "INF": draw_inflammation,
    "MAL_OTH": draw_other_malignant,
    "MEL": draw_melanoma,
    "NV": draw_nevus,
    "SCCKA": draw_squamous_cell_carcinoma,
    "VASC": draw_vascular_lesion,
}


def draw(canvas: Canvas, skin: Skin, look: str) -> Outline:
    """Draws a lesion of that look onto `skin`, in place."""
    outline = LOOKS[look](canvas, skin)
    mottled = outline.cover * canvas.uniform(0.06, 0.20) * canvas.noise(1.15, 5, 120)
    skin.melanin *= (1 + mottled).clip(0.3, 2)
    skin.blood *= (1 + 0.15 * outline.cover * canvas.noise(1.2, 4, 80)).clip(0.2, 2)
    return outline
