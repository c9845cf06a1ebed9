"""A person with a photograph, from the input to the answer and to why, on a desk and on a phone."""

import base64
import itertools
import re
import time
import urllib.request

import numpy as np
import pytest
from PIL import Image

from tests.browser import driver
from tests.browser.driver import DESKTOP, PHONE, SCREENS
from tests.support import photographs, slides
from tests.support.foreign import gallery

LESION = driver.ROOT / "sample_data" / "tricorder3" / "images" / "L0007.jpg"


@pytest.fixture
def single_image(visitor, server):
    return lambda question="", theme="light", viewport=DESKTOP: driver.visit(
        visitor(theme, viewport), f"{server.address}/single_image{question}"
    )


def phone_photograph() -> bytes:
    with Image.open(LESION) as lesion:
        return photographs.phone(np.asarray(lesion.convert("RGB").resize((1600, 1200))))


def choose(page, field: str, option: str) -> None:
    box = page.get_by_role("combobox", name=field)
    box.click()
    box.fill(option)
    box.press("Enter")
    driver.settled(page)


PASTE = """data => {
  const bytes = Uint8Array.from(atob(data), c => c.charCodeAt(0)), transfer = new DataTransfer();
  transfer.items.add(new File([bytes], "image.png", {type: "image/jpeg"}));
  document.body.dispatchEvent(new ClipboardEvent("paste", {clipboardData: transfer, bubbles: true}));
}"""


def give_photograph(
    page, photograph: bytes | None = None, name: str = "jane-doe.jpg", is_pasted: bool = False
) -> None:
    page.get_by_text("My image", exact=True).click()
    driver.settled(page)
    page.get_by_text("I have read this").click()
    driver.settled(page)
    if is_pasted:
        page.evaluate(PASTE, base64.b64encode(phone_photograph()).decode())
    else:
        page.locator("[class*='single_file'] input[type=file]").set_input_files(
            {"name": name, "mimeType": "image/jpeg", "buffer": photograph or phone_photograph()}
        )
    page.get_by_role("button", name="Remove my image").wait_for()
    driver.settled(page)


@pytest.mark.parametrize(
    ("theme", "viewport"),
    [
        pytest.param("light", PHONE, id="phone", marks=pytest.mark.soak),
        pytest.param("dark", DESKTOP, id="desktop"),
    ],
)
def test_a_photograph_gets_an_answer_and_a_map_and_is_removed(single_image, theme, viewport):
    page = single_image("?model=palette", theme, viewport)  # a map runs a model 327 times: the quickest
    give_photograph(page)
    page.get_by_text("Enter: age, sex, body site.").wait_for()
    page.get_by_label("Age", exact=True).fill("61")
    page.get_by_label("Age", exact=True).press("Enter")
    driver.settled(page)
    choose(page, "Body site", "leg")
    page.get_by_role("radio", name="female", exact=True).click()
    page.get_by_role("heading").filter(has_text="Highest score:").wait_for()
    page.get_by_role("button", name="Which parts change the score?").click()
    page.get_by_text("Strongest change").first.wait_for()
    driver.settled(page)
    assert page.get_by_test_id("stException").count() == 0
    assert not page.evaluate(driver.WIDER)
    assert headings_in_order(page)
    assert page.get_by_text("Research use only").first.is_visible()
    assert "Jane" not in page.content()
    assert "jane" not in page.url + page.content()
    page.get_by_role("button", name="Remove my image").click()
    driver.settled(page)
    page.get_by_text("Drop or paste images of one lesion, or choose them").wait_for()
    assert page.get_by_role("heading").filter(has_text="Highest score:").count() == 0


@pytest.mark.parametrize("end", ["removed", pytest.param("tab closed", marks=pytest.mark.soak)])
def test_nothing_of_a_pasted_photograph_can_be_fetched_once_it_is_removed_or_its_tab_closed(
    visitor, server, end
):
    """Neither what the page showed nor a record that was downloaded, by whoever knows the addresses."""
    mine, stranger = visitor(), visitor(viewport=PHONE)
    asked: list[str] = []
    mine.on("request", lambda request: asked.append(request.url))
    page = driver.visit(mine, f"{server.address}/single_image?challenge=melanoma&tab=Record")
    give_photograph(page, is_pasted=True)
    with page.expect_download() as download:
        page.get_by_role("button", name="Record to print (HTML)").click()
    assert b"Record of one image" in download.value.path().read_bytes()
    addresses = {address for address in asked if f"{server.address}/media/" in address}
    shown = page.eval_on_selector_all("img", "images => images.map(image => image.src)")
    assert len(shown) > 0
    assert [source for source in shown if not source.startswith("data:")] == []
    assert [stranger.request.get(address).status for address in addresses] == [200]
    if end == "removed":
        page.get_by_role("button", name="Remove my image").click()
    else:
        page.close()
    until = time.monotonic() + 5
    while (statuses := {stranger.request.get(address).status for address in addresses}) != {404}:
        assert time.monotonic() < until, statuses


def uploads(server) -> int:
    """Bytes of uploads that the server holds."""
    with urllib.request.urlopen(f"{server.address}/_stcore/metrics") as answer:
        held = re.findall(r'cache_type="UploadedFileManager"[^}]*\} ([\d.e+]+)', answer.read().decode())
    return int(sum(map(float, held)))


@pytest.mark.soak
def test_the_server_keeps_models_that_were_dropped_but_no_photograph(visitor, fresh_server):
    page = driver.visit(visitor(), f"{fresh_server.address}/single_image?challenge=melanoma")
    give_photograph(page)
    assert uploads(fresh_server) == 0
    page.get_by_text("Model and test set").click()
    model = driver.ROOT / "sample_data" / "melanoma" / "models" / "palette.onnx"
    page.locator("[class*='_model_files'] input[type=file]").set_input_files(model)
    driver.settled(page)
    until = time.monotonic() + driver.PATIENCE / 1000
    while not uploads(fresh_server) and time.monotonic() < until:
        time.sleep(0.5)
    assert uploads(fresh_server) == model.stat().st_size


@pytest.mark.soak
def test_the_research_line_stays_in_sight(single_image):
    page = single_image()
    line = page.get_by_text("Research use only").first
    for _ in range(3):
        page.mouse.wheel(0, 900)
        box = line.bounding_box()
        assert 0 <= box["y"] < DESKTOP["height"]


@pytest.mark.soak
def test_the_record_is_one_page_to_print(single_image, tmp_path):
    page = single_image("?challenge=melanoma&tab=Record")
    with page.expect_download() as download:
        page.get_by_role("button", name="Record to print (HTML)").click()
    file = tmp_path / "record.html"
    file.write_bytes(download.value.path().read_bytes())
    page.goto(file.as_uri())
    page.get_by_role("heading", name="Record of one image").wait_for()
    assert page.get_by_text("Research use only").count() == 2
    assert page.get_by_role("img").count() == 1
    sheets = re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4"))
    assert len(sheets) == 1


def drag(page, area) -> None:
    """Drag a frame over the middle half of an area's width, and the second quarter of its height."""
    box = area.bounding_box()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.5 * box["height"], steps=8)
    page.mouse.up()


@pytest.mark.parametrize("viewport", SCREENS)
@pytest.mark.soak
def test_a_frame_is_dragged_over_an_own_image(single_image, viewport):
    page = single_image("?challenge=melanoma", viewport=viewport)
    give_photograph(page)
    page.get_by_text("Turn and crop").click()
    area = page.locator("[class*='single_frame'] .nsewdrag").first
    area.scroll_into_view_if_needed()
    driver.settled(page)
    drag(page, area)
    page.get_by_text("Changed by hand: cropped to").first.wait_for()
    driver.settled(page)
    said = page.get_by_text("Changed by hand: cropped to").first.inner_text()
    wide, tall, left, top = map(
        int, re.search(r"to (\d+) x (\d+) px, (\d+) px .* (\d+) px from the top", said).groups()
    )
    whole = [int(side) for side in re.search(r"of (\d+) x (\d+) px", said).groups()]
    assert wide == pytest.approx(0.5 * whole[0], abs=0.03 * whole[0])
    assert tall == pytest.approx(0.25 * whole[1], abs=0.03 * whole[1])
    assert (left, top) == (
        pytest.approx(whole[0] / 4, abs=whole[0] / 30),
        pytest.approx(whole[1] / 4, abs=whole[1] / 30),
    )
    field = page.get_by_label("Width", exact=True)
    assert field.input_value() == str(wide)
    field.fill("99999")
    field.press("Tab")
    page.get_by_role("button", name="Whole picture").click()
    page.get_by_text("Changed by hand: cropped to").first.wait_for(state="detached")
    driver.settled(page)
    assert field.input_value() == str(whole[0])


def on_first_screen(page, headline, picture=None) -> None:
    """Check that headline and picture (by default the image) end above the bottom bar."""
    end = page.get_by_text("Research use only. Not a medical device; no output").bounding_box()["y"]
    for shown in (picture or page.get_by_alt_text("The image that the model receives"), headline):
        box = shown.bounding_box()
        assert box["y"] + box["height"] <= end


def test_a_phone_shows_a_slide_and_its_headline_on_its_first_screen(single_image):
    """A tall overview and its explanation pushed the headline out of sight. The frame is still dragged."""
    page = single_image("?challenge=puma", viewport=PHONE)
    data = slides.pyramid(slides.tissue(), "jpeg", description=slides.APERIO.format(0.2527))
    give_photograph(page, data, "slide.svs")
    headline = page.get_by_role("heading").filter(has_text=re.compile("No answer|nuclei"))
    headline.wait_for()
    driver.settled(page)
    area = page.locator("[class*='single_slide'] .nsewdrag").first
    on_first_screen(page, headline, area)
    drag(page, area)
    page.get_by_text(re.compile(r"1,024 × 1,024 px at x [4-6]\d\d, y")).first.wait_for()


@pytest.mark.parametrize("foreign", [True, False])
@pytest.mark.soak
def test_a_phone_shows_an_own_image_and_its_headline_on_its_first_screen(single_image, foreign):
    """Three buttons above the image pushed "No answer" out of sight."""
    page = single_image("?challenge=melanoma", viewport=PHONE)
    page.get_by_text("Similarity to the test images").wait_for(timeout=3 * driver.PATIENCE)
    fur = photographs.encoded(gallery(1, "fur")["fur"][0])
    give_photograph(page, fur if foreign else phone_photograph())
    headline = page.get_by_role("heading").filter(has_text="No answer" if foreign else "Highest score")
    headline.wait_for()
    driver.settled(page)
    on_first_screen(page, headline)
    assert headings_in_order(page)


def headings_in_order(page) -> bool:
    """Whether no heading is empty or skips a level, from the first one on."""
    headings = page.get_by_role("heading").all()
    levels = [0, *(int(heading.evaluate("e => e.tagName")[1]) for heading in headings)]
    steps = (after <= before + 1 for before, after in itertools.pairwise(levels))
    return all(steps) and all(heading.inner_text().strip() for heading in headings)


@pytest.mark.parametrize("viewport", SCREENS)
@pytest.mark.soak
def test_every_tab_has_headings_in_order_and_what_if_fits(single_image, viewport):
    page = single_image(viewport=viewport)
    if viewport == PHONE:
        assert_quality_and_headline_on_first_screen(page)
    driver.tab(page, "What if")
    page.get_by_role("button", name="Same picture, another age, sex or body site").click()
    page.get_by_text("Bold: the values that you entered.").first.wait_for()
    for name in [tab.inner_text() for tab in page.get_by_role("tab").all()]:
        driver.tab(page, name)
        assert headings_in_order(page), name
        assert not page.evaluate(driver.WIDER), name
    driver.tab(page, "What if")
    for chart in page.locator(".js-plotly-plot").all():
        box = chart.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= viewport["width"]


def assert_quality_and_headline_on_first_screen(page) -> None:
    page.get_by_text("Similarity to the test images").wait_for()
    driver.settled(page)
    headline = page.get_by_role("heading").filter(has_text=re.compile("Highest score|No answer"))
    on_first_screen(page, headline)
    assert headings_in_order(page)
    strip = page.get_by_role("tablist").evaluate("e => [e.scrollWidth, e.clientWidth]")
    assert strip[0] <= strip[1], "the last tab is cut"


@pytest.mark.soak
def test_a_phone_shows_image_quality_and_headline_on_its_first_screen_without_age(single_image):
    assert_quality_and_headline_on_first_screen(single_image("?challenge=isic", viewport=PHONE))


COLOURS = "e => [getComputedStyle(e).color, getComputedStyle(document.body).backgroundColor]"
CUT = "badges => badges.filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.soak
def test_a_session_is_stopped_goes_on_and_shows_each_image_as_it_comes(single_image, theme):
    """A click on "Cancel" was lost when the next image came, and the button for the answer had no colour."""
    page = single_image("?challenge=melanoma", theme)
    page.get_by_text("Similarity to the test images").wait_for(timeout=3 * driver.PATIENCE)
    page.get_by_text("Session", exact=True).click()
    driver.settled(page)
    page.get_by_role("button", name="Draw cases and begin").click()
    show = page.get_by_role("button", name="Show the model's answer")
    show.wait_for()
    text, paper = show.evaluate(COLOURS)
    assert show.is_disabled()
    assert text != paper
    assert page.locator(".stMarkdownBadge").evaluate_all(CUT) == []
    page.get_by_text("My images", exact=True).click()
    driver.settled(page)
    page.get_by_text("I have read this").click()
    driver.settled(page)
    page.get_by_text("My impression first").click()
    driver.settled(page)
    images = sorted(LESION.parent.glob("*.jpg"))[:20]
    page.locator("[class*='single_session'] input[type=file]").set_input_files(images)
    page.get_by_alt_text("Image 2", exact=True).wait_for()
    page.get_by_role("button", name="Cancel").last.click()
    said = page.get_by_text(re.compile(r"The model has answered \d+ of 20 images")).inner_text()
    done = int(re.search(r"\d+", said)[0])
    assert 2 <= done < 20
    assert page.get_by_alt_text(re.compile(r"^Image \d+$")).count() == done
    page.get_by_role("button", name="Continue").click()
    page.get_by_alt_text("Image 20", exact=True).wait_for()
    driver.settled(page)
    assert page.get_by_role("heading", name="What did the model answer?").count() == 1
