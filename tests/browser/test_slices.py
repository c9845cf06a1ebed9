"""The slice viewer as a visitor uses it, on boxes of labels whose place and fate are known."""

import io

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser import driver, slices_app
from tests.browser.test_pages import RULES
from tests.support.thinned import some

APP = "tests/browser/slices_app.py"
TP, FP, FN = (0, 158, 115), (213, 94, 0), (86, 180, 233)
CROPPED = (40, 37, 20)
"""Voxels of the scene: the box of all labels and 30 mm on each side."""
LAST = np.array(CROPPED) - 1


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.locator(".stage").press(key)


def tag(page: Page, place: str):
    return page.locator(f".tags .{place}")


def where(page: Page) -> str:
    return page.locator(".where").inner_text()


def point(page: Page, voxel: tuple[int, int, int], across: int = 0, down: int = 1) -> tuple[float, float]:
    """Where the centre of a voxel of the file lies in the window; the scene's axes run against the file's."""
    box, view = (
        page.locator(".stage").bounding_box(),
        page.locator(".stage").evaluate("node => node.stage.view"),
    )
    x, y = ((LAST[axis] - voxel[axis] + 0.5) * slices_app.EDGES[axis] * view["s"] for axis in (across, down))
    return box["x"] + view["x"] + x, box["y"] + view["y"] + y


def card(page: Page, *where_is) -> dict[str, str]:
    """What the card says of a voxel."""
    page.mouse.move(*point(page, *where_is))
    names, values = (page.locator(f".card {part}").all_inner_texts() for part in ("dt", "dd"))
    return {"": page.locator(".card b").inner_text()} | dict(zip(names, values, strict=True))


def counted(page: Page, canvas: str, condition: str) -> int:
    """Pixels (r, g, b, a) of a canvas of the stage that meet a condition, once it is painted."""
    page.wait_for_function("node => !node.stage.request", arg=page.locator(".stage").element_handle())
    return page.locator(".stage").evaluate(
        """(node, [name, condition]) => {
          const canvas = node.stage[name], context = canvas.getContext("2d");
          const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
          const meets = new Function("r", "g", "b", "a", `return ${condition}`);
          let count = 0;
          for (let i = 0; i < data.length; i += 4)
            count += meets(data[i], data[i + 1], data[i + 2], data[i + 3]);
          return count;
        }""",
        [canvas, condition],
    )


def shows(page: Page, colour: tuple[int, int, int]) -> bool:
    """Whether the overlay has hatches or faces of a colour."""
    red, green, blue = colour
    near = f"Math.max(Math.abs(r - {red}), Math.abs(g - {green}), Math.abs(b - {blue})) <= 6"
    return counted(page, "overlay", f"a > 40 && {near}") > 50


CARDS = {
    (27, 11, 9): {"": "FP · spurious", "truth": "none", "prediction": slices_app.HOSTILE, "CT": "70 HU"},
    (10, 19, 9): {"": "FN · missed", "truth": "GTVp", "prediction": "none", "CT": "-100 HU"},
    (15, 15, 9): {"": "TP · found", "truth": "GTVp", "prediction": "GTVp", "voxel": "15, 15, 9"},
    (35, 30, 9): {"": "No label", "truth": "none", "PET": "0.4 SUV", "this slice": "TP 80 · FP 20 · FN 20"},
}
"""What the card says of voxels."""


def test_it_opens_where_most_is_wrong_names_are_text_and_what_is_seen_is_saved(viewer):
    page = viewer()
    expect(tag(page, "tl")).to_have_text("Axial 10 / 20 · I 3.0 mm")
    expect(page.locator(".strip")).to_have_attribute(
        "aria-valuetext", "Slice 10 of 20: TP 80 · FP 20 · FN 20"
    )
    assert [tag(page, side).inner_text() for side in "lrtb"] == ["R", "L", "A", "P"]
    volumes = [chip.split()[-2:] for chip in page.locator(".layers .toggle:visible").all_inner_texts()[:4]]
    assert volumes == [["4.80", "mL"], ["0.48", "mL"], ["1.20", "mL"], ["0.05", "mL"]]
    assert page.locator(".stage").get_attribute("aria-label").startswith(f"Slices of {slices_app.HOSTILE}.")
    assert page.locator(".borders dt").all_inner_texts() == ["GTVp", slices_app.HOSTILE]
    assert page.locator(".viewer img").count() == 0
    for voxel, expected in CARDS.items():
        found = card(page, voxel)
        assert {name: found[name] for name in expected} == expected
    with page.expect_download() as download:
        page.get_by_role("button", name="Save this view as PNG").click()
    picture = np.array(Image.open(io.BytesIO(download.value.path().read_bytes())).convert("RGB"))
    size = page.locator(".stage").evaluate("node => [2 * node.clientWidth, 2 * node.clientHeight]")
    assert picture.shape[1] == size[0]
    assert picture.shape[0] > size[1]
    legend = picture[size[1] :].reshape(-1, 3)
    assert all((legend == colour).all(1).any() for colour in (TP, FP, FN))


def test_wheel_keys_and_strip_change_the_slice_and_wrong_regions_come_by_size(viewer):
    page = viewer()
    press(page, "ArrowDown")
    expect(tag(page, "tl")).to_contain_text("Axial 9 / 20")
    press(page, "ArrowUp", "ArrowUp")
    expect(tag(page, "tl")).to_contain_text("Axial 11 / 20")
    page.mouse.move(*point(page, (5, 5, 5)))
    page.mouse.wheel(0, 100)
    expect(tag(page, "tl")).to_contain_text("Axial 9 / 20")
    press(page, *["PageDown"] * 12)
    expect(tag(page, "tl")).to_contain_text("Axial 1 / 20")
    box = page.locator(".strip").bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + 30)
    expect(tag(page, "tl")).to_contain_text("Axial 20 / 20")
    page.locator(".strip").press("ArrowRight")
    expect(tag(page, "tl")).to_contain_text("Axial 19 / 20")
    press(page, "n")
    assert where(page) == "1 of 3 · FN 1.20 mL"
    expect(tag(page, "tl")).to_contain_text("Axial 8 / 20")
    press(page, "n")
    assert where(page) == "2 of 3 · FP 0.48 mL"
    press(page, "n")
    assert where(page) == "3 of 3 · Wrong label 0.05 mL"
    expect(tag(page, "tl")).to_contain_text("Axial 7 / 20")
    press(page, "n", "p", "p")
    assert where(page) == "2 of 3 · FP 0.48 mL"
    press(page, "2", "n")
    assert where(page) == "1 of 2 · FN 1.20 mL"


@pytest.mark.soak
def test_a_region_of_several_labels_is_looked_at_as_one(viewer):
    page = viewer("?k=regions")
    labels = page.get_by_role("group", name="Label").get_by_role("button")
    assert labels.all_inner_texts() == ["All", "whole", "core"]
    press(page, "l")
    volumes = [chip.split()[-2:] for chip in page.locator(".layers .toggle:visible").all_inner_texts()[:3]]
    assert volumes == [["4.85", "mL"], ["0.48", "mL"], ["1.20", "mL"]]
    press(page, "l", "n", "n")
    assert where(page) == "2 of 2 · FN 0.05 mL"
    assert card(page, (25, 20, 6))[""] == "FN · missed"
    press(page, "l", "l")
    assert card(page, (25, 20, 6))[""].startswith("TP")


@pytest.mark.soak
def test_one_label_has_results_of_its_own(viewer):
    page = viewer()
    press(page, "l", "l", "n", "n")
    assert where(page) == "2 of 2 · FN 0.05 mL"
    assert card(page, (25, 20, 6))[""] == "FN · missed"
    press(page, "l")
    assert card(page, (25, 20, 6))[""] == "Wrong label"


def test_small_planes_lead_a_click_is_told_and_the_page_asks_for_a_place(viewer):
    page = viewer()
    assert page.locator(".preview:visible .link").all_inner_texts() == ["Coronal", "Sagittal"]
    box = page.locator(".preview:visible canvas").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.9)
    expect(tag(page, "tl")).to_contain_text("Axial 2 / 20")
    page.get_by_role("button", name="Show the sagittal plane on the stage").click()
    assert page.locator(".preview:visible .link").all_inner_texts() == ["Axial", "Coronal"]
    expect(tag(page, "tl")).to_contain_text("Sagittal 20 / 40")
    press(page, "a", *["ArrowUp"] * 8)
    page.mouse.click(*point(page, (27, 12, 9)))
    expect(page.get_by_text("selected ([27, 12, 9], 'axial')")).to_be_visible()
    press(page, "c")
    expect(tag(page, "tl")).to_contain_text("Coronal 13 / 40 · P 16.0 mm")
    assert [tag(page, side).inner_text() for side in "lrtb"] == ["R", "L", "S", "I"]
    press(page, "s")
    expect(tag(page, "tl")).to_contain_text("Sagittal 28 / 40 · R 14.0 mm")
    assert [tag(page, side).inner_text() for side in "lrtb"] == ["A", "P", "S", "I"]
    press(page, "ArrowDown", "Enter")
    expect(page.get_by_text("selected ([26, 12, 9], 'sagittal')")).to_be_visible()
    page.get_by_text("27 11 8").click()
    expect(tag(page, "tl")).to_have_text("Coronal 12 / 40 · P 18.0 mm")
    assert card(page, (27, 11, 8), 0, 2)[""] == "FP · spurious"


@pytest.mark.soak
def test_backgrounds_and_windows(viewer):
    page = viewer()
    grey, black = "r === g && g === b && r > 0", "r + g + b === 0 && a > 0"
    assert counted(page, "ground", grey) > 1000
    assert counted(page, "ground", "r !== g || g !== b") == 0
    before = counted(page, "ground", black)
    page.get_by_label("Window of CT").select_option("CT: Bone")
    expect(tag(page, "tr")).to_have_text("CT -450 to 1050 HU")
    assert counted(page, "ground", black) < before
    press(page, "b")
    expect(tag(page, "tr")).to_have_text("PET 0.0 to 10.0 SUV")
    press(page, "b")
    expect(tag(page, "tr")).to_have_text("CT -450 to 1050 HU · PET 0.0 to 10.0 SUV")
    assert counted(page, "ground", "b > r") > 1000
    page.mouse.move(*point(page, (20, 30, 9)))
    page.mouse.down(button="right")
    page.mouse.move(*(value + 60 for value in point(page, (20, 30, 9))))
    page.mouse.up(button="right")
    expect(tag(page, "tr")).not_to_contain_text("PET 0.0 to 10.0 SUV")
    press(page, "b")
    assert tag(page, "tr").count() == 0


@pytest.mark.parametrize("theme", some(["dark", "light"], 2))
def test_everybody_can_use_it(viewer, theme):
    page = viewer(theme=theme)
    press(page, "b", "b")
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert [problem["id"] for problem in found.response["violations"]] == []


def test_a_phone_sees_all_of_it(viewer):
    page = viewer(viewport=driver.PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= driver.PHONE["width"]
    for part in (".stage", ".strip", ".preview:visible canvas"):
        box = page.locator(part).first.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= driver.PHONE["width"]


def test_masks_without_a_background_are_drawn_projected_and_hidden(viewer):
    page = viewer("?k=masks")
    assert page.get_by_role("group", name="Background").count() == 0
    assert card(page, (15, 15, 9))[""] == "TP · found"
    assert [shows(page, colour) for colour in (TP, FP, FN)] == [True, True, True]
    press(page, "ArrowUp", "ArrowUp")
    assert not shows(page, FP)
    press(page, "m")
    expect(tag(page, "tl")).to_have_text("Axial MIP")
    assert [shows(page, colour) for colour in (TP, FP, FN)] == [True, True, True]
    assert card(page, (27, 11, 9)) == {"": "Along the line of sight", "FP": "6.0 mm deep"}
    press(page, "ArrowDown")
    expect(tag(page, "tl")).to_contain_text("Axial 11 / 20")
    press(page, "ArrowDown", "ArrowDown")
    press(page, "2")
    assert [shows(page, colour) for colour in (TP, FP, FN)] == [True, False, True]
    press(page, "t", "d", "1", "3", "x")
    assert counted(page, "overlay", "a > 0") == 0


@pytest.mark.soak
def test_masks_without_labels_have_nothing_wrong(viewer):
    page = viewer("?k=empty")
    expect(tag(page, "tl")).to_contain_text("Axial 10 / 20")
    press(page, "n")
    assert where(page) == "none wrong"
