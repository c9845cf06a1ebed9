"""What stands between skin and picture: light, gel, hair, rulers, the tube of the instrument, the camera."""

import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from scipy.ndimage import gaussian_filter, shift

from sample_data.generator.canvas import OVERSAMPLING, Canvas, smoothstep
from sample_data.generator.optics import Skin
from sample_data.generator.outline import Outline

HAIR_COLOURS = ((38, 26, 20), (70, 48, 30), (120, 88, 55), (150, 140, 130))
HAIR_SHARES = (0.45, 0.30, 0.17, 0.08)
INK = (88, 62, 128)
RULER = (35, 32, 38)
TUBE = (8, 6, 7)


def light(canvas: Canvas, skin: Skin, outline: Outline, colours: np.ndarray) -> np.ndarray:
    """Relief in slanting light, and light that fades towards the corners. Colours: height x width x 3, about
    0..1."""
    relief = gaussian_filter(14 * outline.cover + 0.9 * canvas.noise(1.2, 6, 90) + 10 * skin.keratin, 1.2)
    down, across = np.gradient(relief)
    bearing = canvas.uniform(0, 2 * np.pi)
    slope = np.clip(across * np.cos(bearing) + down * np.sin(bearing), -2, 2)
    middle = canvas.width / 2 + canvas.uniform(-50, 50), canvas.height / 2 + canvas.uniform(-50, 50)
    away = np.hypot(canvas.columns - middle[0], canvas.rows - middle[1]) / (max(canvas.shape) / 2)
    return colours * ((1 + 0.045 * slope) * (1.06 - canvas.uniform(0.06, 0.22) * away**2))[..., None]


def ambient(canvas: Canvas, colours: np.ndarray) -> np.ndarray:
    """A room's light instead of the instrument's: warm or cold, from one side, shining where skin is greasy.
    Colours as for `light`."""
    warmth, bearing, fall = (
        canvas.uniform(-0.08, 0.16),
        canvas.uniform(0, 2 * np.pi),
        canvas.uniform(0.05, 0.30),
    )
    along = (canvas.columns - canvas.width / 2) * np.cos(bearing) + (
        canvas.rows - canvas.height / 2
    ) * np.sin(bearing)
    shine = canvas.uniform(0, 0.22) * smoothstep(
        0.8, 2.4, canvas.noise(1.8, 1, 30) + 0.3 * canvas.noise(0.8, 20, 160)
    )
    shaded = (
        colours
        * (1 + fall * along / max(canvas.shape))[..., None]
        * np.array([1 + warmth, 1, 1 - warmth], np.float32)
    )
    return shaded * (1 - shine[..., None]) + shine[..., None]


def bubbles(canvas: Canvas, colours: np.ndarray) -> np.ndarray:
    """Air bubbles in the contact gel: a dark ring and a highlight each."""
    for _ in range(canvas.integer(1, 9)):
        column, row, radius = (
            canvas.uniform(0, canvas.width),
            canvas.uniform(0, canvas.height),
            canvas.uniform(3, 11),
        )
        away = np.hypot(canvas.columns - column, canvas.rows - row)
        glint = np.hypot(canvas.columns - column + 0.4 * radius, canvas.rows - row + 0.4 * radius)
        ring, highlight = np.exp(-(((away - radius) / 1.2) ** 2)), np.exp(-((glint / (0.33 * radius)) ** 2))
        colours = colours * (1 - 0.25 * ring[..., None]) + 0.5 * highlight[..., None]
    return colours


def camera(canvas: Canvas, colours: np.ndarray) -> np.ndarray:
    """White balance, exposure, gamma and sensor noise; to uint8."""
    balance = np.array(
        [canvas.uniform(0.95, 1.05), 1, canvas.uniform(0.93, 1.07)], np.float32
    ) * canvas.uniform(0.86, 1.06)
    colours = np.clip(colours * balance, 0, 1) ** (1 / canvas.uniform(0.92, 1.12))
    grain = canvas.random.standard_normal(colours.shape, dtype=np.float32) * canvas.uniform(0.005, 0.013)
    return np.rint(np.clip(colours + grain, 0, 1) * 255).astype(np.uint8)


def hairs(canvas: Canvas, picture: np.ndarray) -> np.ndarray:
    """2 to 20 curved hairs that taper, with a soft shadow, more or less in one direction."""
    sheet, pen = canvas.sheet()
    direction = canvas.uniform(0, 2 * np.pi)
    for _ in range(int(canvas.random.choice([2, 4, 7, 12, 20], p=[0.3, 0.3, 0.2, 0.13, 0.07]))):
        start = np.array([canvas.uniform(-60, canvas.width + 60), canvas.uniform(-60, canvas.height + 60)])
        bearing, length = direction + canvas.random.normal(0, 0.5), canvas.uniform(160, 520)
        along = np.array([np.cos(bearing), np.sin(bearing)])
        bend = (start + start + length * along) / 2 + canvas.random.normal(0, 80) * np.array(
            [-along[1], along[0]]
        )
        t = np.linspace(0, 1, 40)[:, None]
        curve = OVERSAMPLING * (
            (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t**2 * (start + length * along)
        )
        width, strength = canvas.uniform(1.6, 4.6), canvas.integer(150, 245)
        for step in range(len(curve) - 1):
            pen.line(
                [tuple(curve[step]), tuple(curve[step + 1])],
                fill=strength,
                width=max(1, round(width * (1 - 0.6 * step / 40))),
            )
    opacity = canvas.develop(sheet, 0.3)[..., None]
    shadow = shift(gaussian_filter(opacity[..., 0], 2.2), (2, 2), order=0)[..., None] / 3
    colour = np.array(HAIR_COLOURS[int(canvas.random.choice(4, p=HAIR_SHARES))]) + canvas.random.integers(
        -8, 8, 3
    )
    shaded = picture * (1 - shadow) + np.array([60, 35, 25]) * shadow
    return (shaded * (1 - opacity) + colour * opacity).astype(np.uint8)


def ruler(canvas: Canvas, picture: np.ndarray) -> np.ndarray:
    """Ticks along the lower edge, every fifth one longer."""
    image = Image.fromarray(picture)
    pen = ImageDraw.Draw(image)
    base, spacing = canvas.height - canvas.uniform(12, 42), canvas.uniform(14, 22)
    for tick in range(int(canvas.width / spacing) + 1):
        pen.line(
            [tick * spacing, base, tick * spacing, base - (22 if tick % 5 == 0 else 11)], fill=RULER, width=2
        )
    return np.asarray(image)


def ink(canvas: Canvas, outline: Outline, picture: np.ndarray) -> np.ndarray:
    """Short strokes of a surgeon's pen beside the lesion."""
    sheet, pen = canvas.sheet()
    for _ in range(canvas.integer(2, 5)):
        bearing, away, half = (
            canvas.uniform(0, 2 * np.pi),
            outline.radius + canvas.uniform(35, 60),
            canvas.uniform(8, 18),
        )
        across, down = np.cos(bearing), np.sin(bearing)
        column, row = outline.centre[0] + away * across, outline.centre[1] + away * down
        ends = [column - half * down, row + half * across, column + half * down, row - half * across]
        pen.line(
            [OVERSAMPLING * end for end in ends], fill=canvas.integer(130, 200), width=canvas.integer(8, 14)
        )
    opacity = (
        canvas.develop(sheet, 1.6)[..., None]
        * np.clip(0.8 + 0.25 * canvas.noise(1.0, 8, 90), 0, 1)[..., None]
    )
    return (picture * (1 - opacity) + np.array(INK) * opacity).astype(np.uint8)


def tube(canvas: Canvas, picture: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The round black edge of the instrument; returns the picture and the mask of what stays visible
    (boolean, height x width)."""
    radius = (
        min(canvas.shape)
        / 2
        * canvas.uniform(0.92, 1.12)
        * (1 + 0.35 * (max(canvas.shape) / min(canvas.shape) - 1))
    )
    middle = canvas.width / 2 + canvas.uniform(-12, 12), canvas.height / 2 + canvas.uniform(-12, 12)
    away = np.hypot(canvas.columns - middle[0], canvas.rows - middle[1])
    dark = smoothstep(radius - 7, radius + 7, away)[..., None]
    return (picture * (1 - dark) + np.array(TUBE) * dark).astype(np.uint8), away < radius


def blur(canvas: Canvas, picture: np.ndarray) -> np.ndarray:
    """Out of focus by half a pixel to one and a half."""
    return np.asarray(Image.fromarray(picture).filter(ImageFilter.GaussianBlur(canvas.uniform(0.5, 1.5))))
