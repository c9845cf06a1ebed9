"""The pictures of the README: `python -m tests.browser.screenshots docs/pictures [NAME ...]`."""

import argparse
import io
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from scoring.boards.sample_board import ID, create_sample
from scoring.store.database import open_store
from tests.browser import driver
from tests.browser.driver import DESKTOP, PHONE

COLOURS = 256
"""Of the palette that makes a large picture a third as large."""
DRAWN = """() => {
  const plots = [...document.querySelectorAll(".js-plotly-plot")];
  const images = [...document.querySelectorAll("img")];
  return plots.every(p => p.querySelector(".main-svg")) && images.every(i => i.complete);
}"""


@dataclass(frozen=True)
class Shot:
    """One picture. height: of the window in pixels, so that a picture ends where a thought ends; None: as
    high as the page."""

    name: str
    address: str
    theme: str
    width: int
    height: int | None


SHOTS = (
    Shot("tricorder3-light", "tricorder3?submission=delphi", "light", DESKTOP["width"], 1060),
    Shot("tricorder3-risk-dark", "tricorder3?submission=delphi&tab=Risk", "dark", DESKTOP["width"], None),
    Shot(
        "tricorder3-classes-light",
        "tricorder3?submission=aurora&tab=Classes",
        "light",
        DESKTOP["width"],
        None,
    ),
    Shot("tricorder3-phone", "tricorder3?submission=delphi", "light", PHONE["width"], 1500),
    Shot("puma-viewer-light", "puma?tab=Viewer", "light", DESKTOP["width"], None),
    Shot("hecktor2026-viewer-dark", "hecktor2026?tab=Viewer&patient=ALD-003", "dark", DESKTOP["width"], None),
    Shot("compare-teams-light", "compare_teams", "light", DESKTOP["width"], None),
    Shot("board-light", f"board?board={ID}", "light", DESKTOP["width"], 1000),
    Shot("board-history-dark", f"board?board={ID}&tab=History", "dark", DESKTOP["width"], None),
    Shot("single-image-phone", "single_image", "light", PHONE["width"], 1700),
)


def fitted(page: Page, shot: Shot) -> None:
    """The main area scrolls inside the window, so the window is made as high as what is in it."""
    height = shot.height or page.evaluate(
        """() => document.querySelector('[data-testid="stMain"]').scrollHeight"""
    )
    page.set_viewport_size({"width": shot.width, "height": height})
    driver.settled(page)
    page.wait_for_function(DRAWN, timeout=driver.PATIENCE)


def written(picture: bytes, path: Path, most: int = 250_000) -> None:
    """As PNG; one of more than `most` bytes, with photographs, gets a palette."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.save(path, optimize=True)
    if path.stat().st_size > most:
        image.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)


def main(folder: Path, names: Sequence[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shots = [shot for shot in SHOTS if not names or shot.name in names]
    with tempfile.TemporaryDirectory() as place:
        create_sample(open_store(place))
        with driver.served(BENCHSIDE_STORE=place) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=driver.chromium(), args=list(driver.ARGUMENTS)
            )
            for shot in shots:
                context = browser.new_context(
                    color_scheme=shot.theme, viewport={"width": shot.width, "height": DESKTOP["height"]}
                )
                page = driver.visit(context, f"{server.address}/{shot.address}")
                page.wait_for_function(DRAWN, timeout=driver.PATIENCE)
                fitted(page, shot)
                written(page.screenshot(animations="disabled"), folder / f"{shot.name}.png")
                context.close()
            browser.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("names", nargs="*", metavar="NAME", help="pictures to take; default all")
    chosen = arguments.parse_args()
    main(chosen.folder, chosen.names)
