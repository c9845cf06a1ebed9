"""A gallery of pictures that are no lesions and no tissue, drawn: fur, leaf, text, sky, screen, black, noise,
X-ray."""

from collections.abc import Callable

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import gaussian_filter

SIDE = 512
Random = np.random.Generator


def _picture(values: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _cloud(random: Random, width: float | tuple[float, float], side: int = SIDE) -> np.ndarray:
    """Smooth noise of mean 0 and deviation 1."""
    noise = gaussian_filter(random.normal(0, 1, (side, side)), width, mode="wrap")
    return (noise - noise.mean()) / noise.std()


def fur(random: Random) -> np.ndarray:
    """Short hair in one direction, orange or grey, with stripes."""
    colour = np.array([(214, 138, 66), (150, 140, 130), (90, 62, 40), (228, 196, 150)][random.integers(4)])
    angle = random.uniform(0, 180)
    hair = _cloud(random, (6.0, 0.8)) * 26 + _cloud(random, (40.0, 12.0)) * 16
    turned = Image.fromarray((hair + 128).astype(np.float32)).rotate(
        angle, Image.Resampling.BILINEAR, fillcolor=128
    )
    return _picture(colour + (np.asarray(turned) - 128)[..., None])


def leaf(random: Random) -> np.ndarray:
    """A green leaf with veins."""
    y, x = np.mgrid[:SIDE, :SIDE] / SIDE - 0.5
    angle = random.uniform(0, np.pi)
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    veins = np.exp(-(((along * 9 + np.abs(across) * 7) % 1 - 0.5) ** 2) * 260) + np.exp(-((across * 60) ** 2))
    green = np.array([58, 128, 44]) + random.integers(-18, 18, 3)
    return _picture(green + veins[..., None] * [60, 60, 40] + _cloud(random, 2.0)[..., None] * 7)


def text(random: Random) -> np.ndarray:
    """A printed page."""
    paper = Image.new("RGB", (SIDE, SIDE), tuple(int(v) for v in random.integers(225, 255, 3)))
    draw = ImageDraw.Draw(paper)
    step = int(random.integers(12, 26))
    for top in range(20, SIDE - 20, step):
        left = 24
        while left < SIDE - 60:
            word = int(random.integers(10, 60))
            for letter in range(left, left + word, 5):
                draw.line(
                    (letter, top, letter + int(random.integers(0, 4)), top + step // 2),
                    fill=(25, 25, 30),
                    width=2,
                )
            left += word + 9
    return np.asarray(paper)


def sky(random: Random) -> np.ndarray:
    """Blue, with clouds."""
    y = np.linspace(0, 1, SIDE)[:, None, None]
    blue = np.array([70, 130, 215]) * (1 - y) + np.array([170, 205, 240]) * y
    cloud = np.clip(_cloud(random, 30.0) * 0.5 + _cloud(random, 9.0) * 0.2 + random.uniform(-0.3, 0.3), 0, 1)[
        ..., None
    ]
    return _picture(blue * (1 - cloud) + 248 * cloud + random.normal(0, 1.5, (SIDE, SIDE, 1)))


def screen(random: Random) -> np.ndarray:
    """Windows of a computer."""
    desk = Image.new("RGB", (SIDE, SIDE), tuple(int(v) for v in random.integers(20, 110, 3)))
    draw = ImageDraw.Draw(desk)
    for _ in range(int(random.integers(3, 6))):
        left, top = (int(v) for v in random.integers(0, SIDE - 200, 2))
        right, bottom = left + int(random.integers(150, 300)), top + int(random.integers(120, 260))
        ground = (245, 246, 248) if random.random() < 0.6 else (30, 32, 40)
        draw.rectangle((left, top, right, bottom), fill=ground)
        draw.rectangle((left, top, right, top + 18), fill=tuple(int(v) for v in random.integers(40, 230, 3)))
        for line in range(top + 28, bottom - 8, 12):
            ink = (60, 60, 70) if ground[0] > 128 else tuple(int(v) for v in random.integers(120, 255, 3))
            draw.rectangle((left + 8, line, left + 8 + int(random.integers(20, 130)), line + 5), fill=ink)
    return np.asarray(desk)


def black(random: Random) -> np.ndarray:
    """A lens cap."""
    return _picture(np.abs(random.normal(0, 3, (SIDE, SIDE, 3))) + random.uniform(0, 6))


def noise(random: Random) -> np.ndarray:
    """Nothing but noise, in colours or grey."""
    layers = 3 if random.random() < 0.5 else 1
    return np.repeat(random.integers(0, 256, (SIDE, SIDE, layers), np.uint8), 3 // layers, 2)


def x_ray(random: Random) -> np.ndarray:
    """A chest, grey on black."""
    y, x = np.mgrid[:SIDE, :SIDE] / SIDE - 0.5
    body = 1 / (1 + np.exp((np.hypot(x / 0.46, y / 0.6) - 0.8) * 22))
    lungs = sum(
        np.exp(-(((x - side * random.uniform(0.15, 0.2)) / 0.12) ** 4 + ((y + 0.02) / 0.28) ** 4))
        for side in (-1, 1)
    )
    ribs = np.clip(np.sin((y + 0.5 * x**2) * random.uniform(55, 75)), 0, 1) * lungs
    spine = np.exp(-((x / 0.05) ** 2))
    grey = 20 + body * (170 - 110 * lungs + 34 * ribs + 50 * spine) + _cloud(random, 1.2) * 4
    return _picture(np.repeat(grey[..., None], 3, 2))


GALLERY: dict[str, Callable[[Random], np.ndarray]] = {
    "fur": fur,
    "leaf": leaf,
    "text": text,
    "sky": sky,
    "screen": screen,
    "black": black,
    "noise": noise,
    "X-ray": x_ray,
}


def gallery(seeds: int = 4, *kinds: str) -> dict[str, list[np.ndarray]]:
    """Pictures uint8 [512, 512, 3] of each kind, or of some kinds, one per seed."""
    return {
        name: [draw(np.random.default_rng([seed, place])) for seed in range(seeds)]
        for place, (name, draw) in enumerate(GALLERY.items())
        if not kinds or name in kinds
    }
