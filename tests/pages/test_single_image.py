"""The page of single images as its visitors use it. What it shows is compared with what the batch path says
of the same image."""

import gc
import io
import json
import re
import shutil
import struct
import threading
import time
import weakref
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import cache, partial
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import streamlit as st
from PIL import Image
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from pages.challenge import scoring_run, superseded_run
from pages.input_widgets import dropped_files, dropped_photographs, selectors, upload_quota
from pages.server import background_jobs
from pages.single_image_sections import (
    image_upload,
    model_and_test_set,
    model_processes,
    photograph_layout,
    prediction,
    query,
    reader_session,
    record,
    session_queue,
    session_state,
    side_by_side,
)
from scoring.challenges import load_challenge, samples
from scoring.inference.model_pool import Cancelled
from scoring.metrics import calibration
from scoring.single_image import abstention, image_prediction, nuclei, photograph, whole_slide, wording
from scoring.single_image import quality as chips
from scoring.single_image.image_prediction import predict, views
from scoring.single_image.model import opened as opened_model
from scoring.single_image.model_inputs import model_task
from scoring.single_image.reader_study import Impression, ReadImage
from tests.inference import builders
from tests.support import photographs, slides
from tests.support.banned_words import banned
from tests.support.foreign import gallery
from tests.support.single_image import (
    TILE_SUPPORT,
    constant,
    crashing_on_the_left,
    lesion,
    of_left_less_right,
    of_patches,
    of_quadrant,
    sigmoid_of,
    times,
)
from tests.support.thinned import crossed, some, some_rows
from tests.support.visits import finished as settled
from tests.support.visits import words, written

TABS = ("Why", "Threshold", "Cases alike", "What if", "Side by side", "Record")
CLOSING = "Research use only. Not a medical device; no output of this page is a diagnosis."
SKIN = ("tricorder3", "melanoma", "isic")
SKIN_SET = next(iter(samples.test_sets("melanoma").values())).path
NAMES = model_task("melanoma").names
TILES = samples.test_sets("puma")["sample"].path
MEASURED_CASES = 24


MEASURE = chips.measured


class First:
    """The first cases of a test set: to measure all of them takes seconds."""

    def __init__(self, truth):
        self.picture, self.count = truth.picture, len(truth)

    def __len__(self):
        return MEASURED_CASES

    def measured(self):
        found = MEASURE(self)
        return replace(found, qualities=(*found.qualities, *[None] * (self.count - len(self))))


@pytest.fixture(autouse=True)
def few_are_tried(monkeypatch) -> None:
    """How often there is no answer is counted on 12 images: tests/single_image/test_abstention.py holds the
    counts."""
    monkeypatch.setattr(abstention, "TRIED", 12)


@pytest.fixture(scope="session")
def every_sixteenth(tmp_path_factory):
    """Return what makes of a sample test set one of every sixteenth case, which any model has soon run on."""
    folder = tmp_path_factory.mktemp("few")

    @cache
    def few(sample: samples.SampleTestSet) -> selectors.ChosenInput:
        (table,) = [*sample.path.glob("*GroundTruth.csv"), *sample.path.glob("labels.csv")]
        head, *rows = table.read_text().splitlines()
        place = folder / sample.name
        (place / "images").mkdir(parents=True)
        (place / table.name).write_text("\n".join([head, *rows[::16]]))
        for row in rows[::16]:
            name = f"{Path(row.split(',')[0]).stem}.jpg"
            shutil.copy(sample.path / "images" / name, place / "images" / name)
        return selectors.ChosenInput(f"sample:every sixteenth of {sample.name}", sample.name, place, False)

    return lambda sample: few(replace(sample, submissions=None))


@pytest.fixture
def few_cases(monkeypatch, every_sixteenth) -> None:
    monkeypatch.setattr(selectors, "sample_set", every_sixteenth)


@pytest.fixture
def single_image(opened):
    return lambda **address: settled(opened("single_image", **address))


def own(app: AppTest, data: bytes, name: str = "jane-doe.jpg") -> AppTest:
    """An own file through its input, after the notice was read."""
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    if not app.checkbox(key="single_agreed").value:
        app.checkbox(key="single_agreed").set_value(True).run()
    next(one for one in app.file_uploader if one.key.startswith("single_file")).upload(name, data).run()
    return app.run()


def person(app: AppTest, age: int | None = 61, sex: str | None = "f", site: str | None = "leg") -> AppTest:
    """Age, sex and site of an own photograph."""
    token = app.session_state[dropped_photographs.HELD][0].token
    app.number_input(key=f"single_age_{token}").set_value(age)
    app.segmented_control(key=f"single_sex_{token}").set_value(sex)
    app.selectbox(key=f"single_site_{token}").set_value(site)
    return settled(app.run())


def case_box(app: AppTest) -> Selectbox:
    """The choice of a case of the test set."""
    return next(box for box in app.selectbox if box.key.startswith("single_case"))


def said(app: AppTest) -> str:
    return words(app) + "\n".join(plain(e.value) for kind in (app.header, app.warning) for e in kind)


def plain(text: str) -> str:
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def lead(app: AppTest) -> tuple[str, float]:
    """The highest-scoring class and its score; of no answer, after it was asked to show the scores anyway."""
    for toggle in app.toggle:
        if toggle.key.startswith("single_anyway") and not toggle.value:
            toggle.set_value(True).run()
    name, score = re.search(r"Highest score: (.+) [<>]?([01]\.\d\d)", said(app)).groups()
    return name, float(score)


def first_of(truth):
    """A test set of which only the first case has an image: others are not run."""
    if hasattr(truth, "photographs"):
        return replace(truth, ids=truth.ids[:1], photographs=truth.photographs[:1])
    return replace(truth, images=(truth.images[0], *[None] * (len(truth) - 1)))


def large_png(width: int, height: int) -> bytes:
    """A PNG that says it is large and holds next to nothing."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(b"\0" * 64)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )


@pytest.mark.parametrize("challenge", some(SKIN, 3))
def test_it_opens_on_a_sample_and_says_what_the_batch_path_says(single_image, challenge):
    app = single_image(challenge=challenge)
    assert not app.exception
    assert not app.error
    assert tuple(tab.label for tab in app.tabs) == TABS
    sample = next(iter(samples.test_sets(challenge).values()))
    chosen = next(s for s in sample.submissions.values() if s.is_model)
    truth = load_challenge(challenge).read_truth(sample.path)
    row = load_challenge(challenge).predict(chosen.path, first_of(truth)).outputs[0]
    expected = max(row[0], 1 - row[0]) if len(row) == 1 else row.max()
    assert lead(app)[1] == pytest.approx(expected, abs=0.0051)
    assert "In this test set (n = " in said(app)
    assert "On the test set the model is right on " in said(app)
    assert "True class of this test image: " in said(app)
    assert re.search(
        r"green-badge\[. Sharpness: in the usual range \(sharper than \d+% of the other test images\)\]",
        said(app),
    )
    assert "Similarity to the test images: usual" in said(app)


def test_a_model_of_percentages_is_measured_on_the_test_set_as_on_the_image(single_image, few_cases):
    """Beside "outputs are percent" nothing was known of it: the rule of the official score refused it."""
    app = single_image(challenge="isic")
    first, (card,) = lead(app), re.findall("On the test set the model is right on [^.]+", said(app))
    sample = next(iter(samples.test_sets("isic").values()))
    data = times(next(s for s in sample.submissions.values() if s.is_model).path.read_bytes(), 100)
    app = settled(uploader(app, "single_isic").set_value([("percent.onnx", data, "")]).run())
    assert not app.exception
    assert "could not be run on the test set" not in "".join(e.value for e in app.info)
    assert lead(app) == first
    assert card in said(app)
    for sentence in (
        wording.POSSIBLE,
        "The model's outputs are percent: the scores are the outputs divided by 100.",
        "The official challenge refuses this model, because the outputs are not finite numbers from 0 to 1",
    ):
        assert said(app).count(sentence) >= 1, sentence


def test_cases_that_look_alike_stand_beside_those_that_were_scored_alike(single_image):
    app = single_image(challenge="melanoma", tab="Cases alike")
    assert not app.exception
    assert "Which test cases look most like this image?" in said(app)
    assert "Which test cases have similar scores?" in said(app)
    assert said(app).count(". Source: sample test set melanoma, n = 149. First line: the truth.") == 2


@pytest.mark.parametrize(("challenge", "tab"), crossed(SKIN, TABS, 12))
def test_no_tab_says_what_a_research_label_forbids(single_image, challenge, tab):
    app = single_image(challenge=challenge, tab=tab)
    assert not app.exception
    assert CLOSING in said(app)
    assert banned(said(app).replace(CLOSING, "")) == []


@pytest.mark.soak
def test_an_address_opens_a_case_of_a_challenge_under_a_model(single_image):
    app = single_image(challenge="melanoma", model="palette", case="images/M0042.jpg")
    assert case_box(app).value == "images/M0042.jpg"
    assert app.selectbox(key="single_melanoma_sample_model").value == "palette"


def test_the_picked_case_and_the_address_follow_the_test_set(single_image):
    """Beside an image of an own test set stood a case of the sample, whose number the browser had kept."""
    app = single_image(challenge="melanoma", case="images/M0042.jpg")
    sample = case_box(app).key
    folder = samples.test_sets("melanoma")["sample"].path
    rows = (folder / "labels.csv").read_text().splitlines()[:3]
    names = [row.split(",")[0] for row in rows[1:]]
    files = [("t/labels.csv", "\n".join(rows).encode())]
    files += [(f"t/{name}", (folder / name).read_bytes()) for name in names]
    app.file_uploader(key="melanoma_set_files").set_value([(*file, "") for file in files]).run()
    app = settled(app)
    assert case_box(app).key != sample
    assert (case_box(app).value, app.query_params.get("case")) == (names[0], None)
    case_box(app).set_value(names[1]).run()
    assert app.query_params["case"] in (names[1], [names[1]])
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    assert "case" not in app.query_params
    app.segmented_control(key="single_source").set_value(image_upload.SAMPLE).run()
    assert case_box(app).value == names[1]
    assert app.query_params["case"] in (names[1], [names[1]])


@pytest.mark.parametrize(
    "address",
    some([{"challenge": "<b>"}, {"case": "../../etc/passwd"}, {"model": "nobody", "tab": "Nowhere"}], 3),
)
def test_an_address_that_was_tampered_with_opens_the_sample(single_image, address):
    app = single_image(**address)
    assert not app.exception
    assert not app.error
    assert lead(app)


def test_nothing_of_an_own_file_but_its_pixels_is_kept_or_said(single_image):
    app = person(own(single_image(), photographs.phone(photographs.quarters(900, 700))))
    assert not app.exception
    assert lead(app)
    assert "Removed from the file: position, camera or scanner, date and time, name or comment" in said(app)
    assert wording.TURNED in said(app)
    assert app.session_state[dropped_photographs.HELD][0].photograph.size == (700, 900)
    assert not any(secret.decode() in said(app) for secret in (*photographs.SECRETS, b"jane-doe"))
    held = [
        value
        for name, value in app.session_state._state.filtered_state.items()
        if str(name).startswith(session_state.PREFIX)
    ]
    assert not any(
        secret in text for text in map(bytes_of, held) for secret in (*photographs.SECRETS, b"jane-doe")
    )
    assert not any("jane" in value for value in map(str, app.query_params.values()))


def bytes_of(value: object) -> bytes:
    """All that a value of the session holds, as bytes."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, (tuple, list, set)):
        return b" ".join(map(bytes_of, value))
    if isinstance(value, dict):
        return bytes_of(list(value.items()))
    return bytes_of(list(vars(value).values())) if hasattr(value, "__dict__") else str(value).encode()


@pytest.mark.parametrize("tab", some(["Why", "Record"], 2))
def test_an_upload_is_gone_once_it_was_read_and_its_pixels_with_all_made_of_them_when_removed(
    single_image, tab
):
    app = settled(own(single_image(challenge="melanoma", tab=tab), photographs.phone()))
    assert app.session_state[dropped_photographs.HELD][0].name == photograph.CALLED
    assert lead(app)
    if tab == "Why":
        app.button(key="single_map").click().run()
        settled(app)
        assert "Strongest change" in said(app)
    pixels = weakref.ref(app.session_state[dropped_photographs.HELD][0].photograph)
    app.button(key="single_remove").click().run()
    assert not [
        name for name in app.session_state._state.filtered_state if str(name).startswith(session_state.PREFIX)
    ]
    assert not app.file_uploader[0].value
    app.segmented_control(key="single_source").set_value(image_upload.SAMPLE).run()
    gc.collect()
    assert pixels() is None
    assert lead(app)


def uploader(app: AppTest, start: str):
    return next(one for one in app.file_uploader if one.key.startswith(start))


def test_the_notice_stays_ticked_when_an_image_is_removed_while_the_page_still_draws_it(
    single_image, monkeypatch
):
    """The browser still sent the tick with the click, forgot it when the page was drawn, and drew none."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    ticked = app.checkbox(key="single_agreed").check()._widget_state
    app = own(app, photographs.encoded(lesion()))
    app.button(key="single_remove").click()
    sent = WidgetStates(widgets=[*app._tree.get_widget_states().widgets, ticked])
    with monkeypatch.context() as one:
        one.setattr(app._tree, "get_widget_states", lambda: sent)
        app.run()
    drawn = app.checkbox(key="single_agreed")
    assert drawn.value
    assert drawn.proto.default or drawn.proto.set_value, "a browser that draws it anew has no tick"


def pressed_and_dropped(app: AppTest, monkeypatch, start: str, picture: bytes) -> AppTest:
    """Press "Remove" and drop a picture in one run, as when the page still removes what was there."""
    app.button(key="single_remove").click()
    uploader(app, start).upload("b.png", picture)
    states = app._tree.get_widget_states()
    clicks = [widget for widget in states.widgets if widget.HasField("trigger_value")]
    others = [widget for widget in states.widgets if widget not in clicks]
    merged = WidgetStates(widgets=[*others, *clicks])  # the order in which Streamlit merges waiting requests
    with monkeypatch.context() as one:
        one.setattr(app._tree, "get_widget_states", lambda: merged)
        return app.run()


def test_an_image_dropped_while_the_page_still_removes_another_is_taken(single_image, monkeypatch):
    app = own(single_image(challenge="melanoma"), photographs.encoded(lesion()))
    first = app.session_state[dropped_photographs.HELD][0].token
    pressed_and_dropped(app, monkeypatch, "single_file", photographs.encoded(lesion(72)))
    (held,) = app.session_state[dropped_photographs.HELD]
    assert (held.token != first, held.name, held.photograph.size) == (True, photograph.CALLED, (72, 72))


def test_an_image_dropped_while_the_page_still_removes_a_session_is_the_only_one_of_a_new_session(
    single_image, monkeypatch
):
    """It was lost, or stood among the removed ones."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.segmented_control(key="single_read").set_value(reader_session.OWN).run()
    app = settled(dropped(app, "single_session", [photographs.encoded(lesion())] * 2))
    first = app.session_state[dropped_photographs.QUEUED]
    app = pressed_and_dropped(app, monkeypatch, "single_session", photographs.encoded(lesion(72)))
    queue = app.session_state[dropped_photographs.QUEUED]
    assert (queue is not first, queue.added, first.added) == (True, 1, 2)
    assert app.segmented_control(key="single_source").value == image_upload.SESSION


@pytest.mark.parametrize(
    ("source", "start"),
    some_rows([(image_upload.SAMPLE, "single_image"), (image_upload.OWN, "single_file")], 2),
)
def test_a_drop_that_the_browser_names_again_is_taken_once(single_image, source, start):
    """Of 17 images "34 images: confirm this text" was said: until the browser has drawn the page anew, each
    of its requests names the files."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(source).run()
    pictures = [photographs.encoded(lesion(72 + n)) for n in range(7)]
    uploader(app, start).set_value([(f"{n}.png", data, "image/png") for n, data in enumerate(pictures)])
    drawn = app._tree
    app.run()
    app._tree = drawn
    app.run()
    assert len(app.session_state[dropped_photographs.WAITING]) == 7
    app = settled(app.checkbox(key="single_agreed").check().run())
    assert app.session_state[dropped_photographs.QUEUED].added == 7


def test_what_stands_above_an_image_is_drawn_before_it_is_decoded(single_image, monkeypatch):
    """The browser draws it meanwhile. It got nothing to draw until the image was decoded."""
    app, steps = single_image(challenge="melanoma"), []
    for module, name in ((model_and_test_set, "model_and_test_set"), (photograph, "received")):
        work = getattr(module, name)
        step = partial(
            lambda work, name, *_, **options: steps.append(name) or work(*_, **options), work, name
        )
        monkeypatch.setattr(module, name, step)
    own(app, photographs.encoded(lesion()))
    assert steps[-3:] == ["model_and_test_set", "received", "model_and_test_set"]


def test_a_run_that_ends_while_it_takes_an_image_neither_loses_it_nor_takes_it_twice(
    single_image, monkeypatch
):
    app, free, runs = single_image(challenge="melanoma"), upload_quota.free, []

    def ends(file) -> None:
        free(file)
        runs.append(file)
        if len(runs) == 1:
            st.rerun()

    monkeypatch.setattr(upload_quota, "free", ends)
    app = own(app, photographs.encoded(lesion(72)))
    assert len(runs) == 2
    (held,) = app.session_state[dropped_photographs.HELD]
    assert held.photograph.size == (72, 72)


@pytest.fixture
def forgetful(monkeypatch) -> Iterator[None]:
    """A server that no longer has files whose names begin with "gone"."""
    add = MemoryUploadedFileManager.add_file

    def kept(manager, session_id, file) -> None:
        if not file.name.startswith("gone"):
            add(manager, session_id, file)

    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", kept)
    yield
    upload_quota.QUOTA.close("test session id")


@pytest.mark.parametrize(
    ("source", "names"),
    crossed([image_upload.OWN, image_upload.SESSION], [("gone.png",), ("gone.png", "there.png")], 2),
)
def test_an_upload_that_is_gone_is_asked_for_again_and_takes_no_other_with_it(
    single_image, forgetful, source, names
):
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(source).run()
    if source == image_upload.SESSION:
        app.segmented_control(key="single_read").set_value(reader_session.OWN).run()
    app.checkbox(key="single_agreed").set_value(True).run()
    start = "single_file" if source == image_upload.OWN else "single_session"
    files = [(name, photographs.encoded(lesion()), "image/png") for name in names]
    uploader(app, start).set_value(files).run()
    assert not app.exception
    assert upload_quota.GONE in {e.value for e in app.error}
    state = app.session_state._state.filtered_state
    queue = state.get(dropped_photographs.QUEUED)
    taken = queue.added if queue else len(state.get(dropped_photographs.HELD, ()))
    assert taken == len(names) - 1


@pytest.mark.parametrize(
    ("page", "key"),
    [("overview", "any_files"), ("melanoma", "melanoma_submission_files"), ("puma", "puma_set_files")],
)
def test_an_upload_that_is_gone_is_asked_for_again_on_every_page(opened, forgetful, page, key):
    app = opened(page)
    app.file_uploader(key=key).upload("gone.csv", b"filename,score\n").run()
    assert not app.exception
    assert upload_quota.GONE in {e.value for e in app.error}


def test_age_sex_and_site_are_never_filled_in(single_image):
    app = own(single_image(tab="Record"), photographs.phone())
    assert not headlines(app)
    assert "Enter: age, sex, body site." in said(app)
    app = person(app, sex=None)
    assert not headlines(app)
    assert "Enter: sex." in said(app)
    assert lead(person(app, sex="unknown"))
    assert wording.UNKNOWN_INPUT in said(app)
    assert "Bold numbers: scores; grey numbers: sum of a group." in said(app)
    token = app.session_state[dropped_photographs.HELD][0].token
    app = settled(app.checkbox(key=f"single_age_unknown_{token}").set_value(True).run())
    assert "unknown (the model received 0), unknown, leg" in said(app)


def test_a_challenge_without_single_images_is_named_in_one_sentence(single_image):
    app = single_image(challenge="hecktor2026")
    assert "HECKTOR 2026 has no single image. This page shows TRICORDER-3 instead." in said(app)
    assert "has no single image" not in said(single_image(challenge="melanoma"))
    assert "The challenge “nobody” has no single image." in said(single_image(challenge="nobody"))


def test_no_age_is_changed_without_a_word(single_image):
    """130 left the answer for the former age, 12.5 became 12, and an emptied age of a case came back."""
    app = person(own(single_image(challenge="tricorder3", tab="Record"), photographs.phone()))
    assert lead(app)
    app = person(app, age=130)
    assert not headlines(app)
    assert "Enter: age. The age must be from 0 to 120 years." in said(app)
    assert not headlines(person(app, age=-1))
    app = person(app, age=12.5)
    assert lead(app)
    assert "12.5, female, leg" in said(app)


def test_the_age_of_a_case_can_be_emptied_and_made_unknown(single_image):
    app = settled(single_image(challenge="tricorder3", tab="Record"))
    age = next(one for one in app.number_input if one.key.startswith("single_age"))
    assert age.value is not None
    app = settled(age.set_value(None).run())
    assert next(one for one in app.number_input if one.key.startswith("single_age")).value is None
    assert not headlines(app)
    assert "Enter: age." in said(app)
    unknown = next(one for one in app.checkbox if one.key.startswith("single_age_unknown"))
    app = settled(unknown.set_value(True).run())
    assert headlines(app)
    assert "unknown (the model received 0)" in said(app)


def test_no_answer_is_said_before_age_sex_and_site_are_asked_for(single_image):
    """ "The answer will appear here", beside an image that gets none."""
    tile = Image.open(next(TILES.glob("*.tif"))).convert("RGB")
    app = settled(own(single_image(challenge="tricorder3"), photographs.encoded(np.asarray(tile))))
    assert "The model gives no answer for this image" in said(app)
    assert "The answer will appear here" not in said(app)


@pytest.mark.parametrize(
    ("data", "sentence"),
    some_rows(
        [
            (b"%PDF-1.7 no image", "PDF"),
            (b"", "empty"),
            (photographs.phone()[:3000], "cut off"),
            (photographs.animated("GIF"), "animated"),
            (photographs.sixteen_bits("PNG"), "16 bits"),
            (photographs.encoded(photographs.quarters(), "JPEG", "CMYK"), "CMYK"),
            (large_png(20_000, 10_000), "pixels"),
        ],
        7,
    ),
    ids=["not an image", "empty", "truncated", "animated", "16 bits", "CMYK", "200 megapixels"],
)
def test_an_image_that_cannot_be_used_gets_one_sentence_and_the_page_stays_usable(
    single_image, data, sentence
):
    app = own(single_image(challenge="melanoma"), data, "strange.png")
    assert not app.exception
    assert len(app.error) == 1
    assert sentence in plain(app.error[0].value)
    app = settled(own(app, photographs.phone()))
    assert not app.error
    assert lead(app)


def test_a_tile_is_not_skin(single_image):
    tile = Image.open(next(TILES.glob("*.tif"))).convert("RGB")
    app = settled(own(single_image(challenge="melanoma"), photographs.encoded(np.asarray(tile))))
    assert "many look like stained tissue" in said(app)


@pytest.mark.parametrize("kind", some(["fur", "text"], 2))
def test_a_foreign_picture_is_called_so_with_the_rate_of_false_alarms(single_image, kind):
    (drawn,) = gallery(1)[kind]
    app = settled(own(single_image(challenge="melanoma"), photographs.encoded(drawn)))
    assert re.search(r"(unlike|nothing like) the images of the test set", said(app))
    assert re.search(r"own images, \d+ of \d+ \(\d+%; .*get the same result if compared", said(app))
    assert not re.search(r"green-badge\[. Similarity", said(app))


def test_skin_on_the_page_of_tissue_is_called_foreign(single_image):
    app = settled(own(single_image(challenge="puma"), photographs.encoded(lesion(1024))))
    assert "nothing like the tiles of the test set" in said(app)
    assert headlines(app)[0] == "No answer"
    assert not app.dataframe
    next(one for one in app.toggle if one.key.startswith("single_anyway")).set_value(True).run()
    assert headlines(app)[0] == "No answer"
    assert list(app.dataframe[0].value.columns) == ["class", "nuclei"]
    assert "micrometres per pixel not known" in said(app)
    next(one for one in app.number_input if one.key.startswith("single_scale")).set_value(0.46)
    app.run()
    assert "per mm²" in app.dataframe[0].value.columns
    assert "0.46 µm per px; models of this challenge are made for 0.23 µm per px" in said(app)


@pytest.mark.parametrize(
    ("challenge", "data"),
    some_rows(
        [
            ("melanoma", builders.classifier(11)),
            ("tricorder3", builders.classifier(1)),
            ("isic", b"no model"),
            ("tricorder3", b""),
        ],
        4,
    ),
)
def test_a_model_of_another_challenge_is_refused_in_words(single_image, challenge, data):
    app = single_image(challenge=challenge)
    app.file_uploader(key=next(u.key for u in app.file_uploader if u.key.endswith("_model_files"))).upload(
        "team.onnx", data
    ).run()
    assert not app.exception
    assert app.error
    assert all(one.value[0].isupper() for one in app.error), "the model: the model gives"
    assert not headlines(app)
    app.segmented_control(key="single_challenge").set_value(
        "melanoma" if challenge != "melanoma" else "tricorder3"
    ).run()
    assert lead(settled(app))


def impression(app: AppTest, start: str, label: int, confidence: str) -> AppTest:
    """Fill in an impression: a class number, or -1 for unsure."""
    field = next(s for s in app.selectbox if s.key.startswith(start))
    field.set_value(label)
    app.segmented_control(key=f"{field.key}_confidence").set_value(confidence)
    return app.run()


def press(app: AppTest, end: str) -> AppTest:
    return next(b for b in app.button if b.key.endswith(end)).click().run()


def test_the_own_impression_comes_first(single_image):
    app = single_image(challenge="melanoma")
    app.toggle(key="single_first").set_value(True).run()
    assert not headlines(app)
    assert "True class of this test image" not in said(app)
    impression(app, "single_impression", 1, "low")
    press(app, "_reveal")
    assert "Your impression: **melanoma**, confidence low." in said(app)
    assert lead(app)


def test_ten_cases_are_read_before_and_after_the_models_answer(single_image):
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app = settled(press(app, "single_begin"))
    truth, shown = load_challenge("melanoma").read_truth(SKIN_SET), []
    for n in range(10):
        assert "Highest score" not in said(app)
        assert "True class" not in said(app)
        assert next(b for b in app.button if b.key.endswith("_show")).disabled
        assert "Give your confidence first." in said(app)
        impression(app, "single_read_cases", -1 if n == 0 else 0, "medium")
        press(app, "_show")
        headline = re.search(r"Highest score: (.+?) [<>]?[01]\.\d\d", said(app))
        assert (headline is None) == ("No answer" in said(app))
        shown.append("no answer" if headline is None else headline[1])
        assert "True class" not in said(app)
        again = next(s for s in app.selectbox if s.key.endswith("_after"))
        assert (again.value, app.segmented_control(key=f"{again.key}_confidence").value) == (None, None)
        assert next(b for b in app.button if b.key.endswith("_next")).disabled
        assert "Give your impression and confidence first." in said(app)
        impression(app, again.key, -1 if n == 0 else n == 1, "high")
        press(app, "_next")
    readers, images = written(app, "Reader alone"), written(app, "Impression with the model")
    names, truths, alone, model, _, assisted, *_ = zip(*(row[:6] for row in images), strict=True)
    assert list(alone) == ["unsure", *[NAMES[0]] * 9]
    assert list(assisted) == ["unsure", NAMES[1], *[NAMES[0]] * 8]
    assert list(truths) == [NAMES[truth.labels[truth.ids.index(f"images/{name}")]] for name in names]
    assert sorted(truths) == sorted(NAMES * 5)
    assert list(model) == shown
    right = sum(said == true for said, true in zip(alone, truths, strict=True))
    assert readers[0][1].startswith(f"{right} of 10 ")
    assert not app.dataframe
    assert "you changed your impression in 1 of 10 images" in said(app)


def test_own_images_of_a_session_are_read_with_age_sex_and_site_and_nothing_is_kept_of_their_files(
    single_image,
):
    app = single_image(challenge="tricorder3")
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.segmented_control(key="single_read").set_value(reader_session.OWN).run()
    app.checkbox(key="single_agreed").set_value(True).run()
    uploader = next(one for one in app.file_uploader if one.key.startswith("single_session"))
    files = [photographs.phone(), b"%PDF-1.7 no image", photographs.encoded(lesion())]
    uploader.set_value([(f"jane{n}.jpg", data, "image/jpeg") for n, data in enumerate(files)]).run()
    app = settled(app)
    assert not app.exception
    assert re.search(r"Image 2 \(jane1\.jpg\): .*PDF", said(app))
    assert app.session_state[dropped_photographs.QUEUED].waiting == {}
    for _ in range(2):
        impression(app, "single_read_own", 2, "low")
        assert next(b for b in app.button if b.key.endswith("_show")).disabled
        next(n for n in app.number_input if n.key.startswith("single_age")).set_value(50)
        next(s for s in app.selectbox if s.key.startswith("single_site")).set_value("leg")
        next(s for s in app.segmented_control if s.key.startswith("single_sex")).set_value("f")
        press(app.run(), "_show")
        assert ("Highest score" in said(app)) != ("No answer" in said(app))
        impression(app, next(s.key for s in app.selectbox if s.key.endswith("_after")), 2, "low")
        press(app, "_next")
    names = [row[:2] for row in written(app, "Impression with the model")]
    assert names == [["image 1", "jane0.jpg"], ["image 3", "jane2.jpg"]]
    assert "No true class is known" in said(app)
    held = [
        v
        for k, v in app.session_state._state.filtered_state.items()
        if str(k).startswith(session_state.PREFIX)
    ]
    assert not any(secret in text for text in map(bytes_of, held) for secret in photographs.SECRETS)
    press(app, "single_remove")
    assert not [
        name for name in app.session_state._state.filtered_state if str(name).startswith(session_state.PREFIX)
    ]


def frames_of(monkeypatch) -> dict:
    """What the CSV files of a page contain, by key."""
    frames = {}
    monkeypatch.setattr(
        reader_session.layout,
        "footer",
        lambda _, numbers, _question, key=None, **more: frames.update({key: numbers}),
    )
    return frames


def test_names_of_files_are_shown_to_their_visitor_and_are_in_the_csv_only_if_ticked(
    single_image, monkeypatch
):
    """Fifteen dropped files were "image 1" to "image 15", and nobody could tell them apart."""
    app, frames = single_image(challenge="melanoma"), frames_of(monkeypatch)
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.toggle(key="single_session_first").set_value(False).run()
    app.segmented_control(key="single_read").set_value(reader_session.OWN).run()
    app = settled(dropped(app, "single_session", [photographs.encoded(lesion()), b"%PDF-1.7 no image"]))
    assert "Image 1 (0.png): **" in said(app)
    assert re.search(r"Image 2 \(1\.png\): .*PDF", said(app))
    assert [row[1] for row in written(app, "Highest score")] == ["0.png"]
    assert "file" not in frames["single_answers"]().columns
    app.checkbox(key="single_answers_names").check().run()
    assert frames["single_answers"]()["file"].tolist() == ["0.png"]


def test_a_change_of_readings_is_a_number_in_the_csv(single_image, monkeypatch):
    """It was "'+0 points": a sign at the front made a spreadsheet's guard quote a harmless number."""
    images = [ReadImage(str(n), *[Impression(0, "low")] * 2, 0, 0.9, n % 2) for n in range(4)]
    frames, drawn = frames_of(monkeypatch), []
    monkeypatch.setattr(reader_session.layout, "heading", lambda _: None)
    monkeypatch.setattr(reader_session.st, "markdown", drawn.append)
    reader_session._tally(SimpleNamespace(task=model_task("melanoma")), images)
    frame = frames["single_readers"]()
    assert frame["change in points"].tolist() == [0.0] * 3
    assert {"change in points, 95% interval_low", "change in points, 95% interval_high"} <= {*frame.columns}
    assert "| +0 points |" in plain(drawn[2])


def test_an_image_dropped_before_the_notice_is_read_waits_and_is_not_lost(single_image):
    """The uploader was switched off without a word, and a drop on it did nothing."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    for n in range(2):
        uploader = next(one for one in app.file_uploader if one.key.startswith("single_file"))
        assert not uploader.disabled
        uploader.upload(f"{n}.png", photographs.encoded(lesion(300 + n))).run()
    assert "2 images**: confirm this text to see the model's answer. Tick “I have read" in said(app)
    app = settled(app.checkbox(key="single_agreed").check().run())
    assert len(app.session_state[dropped_photographs.HELD]) == 2


def test_images_of_a_session_dropped_before_the_notice_is_read_stay_in_the_session(single_image):
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.segmented_control(key="single_read").set_value(reader_session.OWN).run()
    uploader = next(one for one in app.file_uploader if one.key.startswith("single_session"))
    uploader.set_value([("1.png", photographs.encoded(lesion()), "image/png")]).run()
    assert "confirm this text to see the model's answer" in said(app)
    app.checkbox(key="single_agreed").check().run()
    assert app.segmented_control(key="single_source").value == image_upload.SESSION
    assert app.session_state[dropped_photographs.QUEUED].added == 1


def test_no_uploader_gets_its_name_again_after_an_image_was_removed(single_image):
    """The browser lists the files of the first uploader again to one of the same name."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    app.checkbox(key="single_agreed").check().run()
    first = {one.key for one in app.file_uploader if one.key.startswith("single_file")}
    own(app, photographs.encoded(lesion()))
    app.button(key="single_remove").click().run()
    assert not first & {one.key for one in app.file_uploader}


def test_the_run_of_a_replaced_model_is_stopped(single_image, monkeypatch):
    """It went on, and the next model's run waited for it."""
    app = single_image(challenge="melanoma")

    def endless(_challenge, *_, cancelled=None, **_more):
        while not cancelled():
            time.sleep(0.01)
        raise Cancelled

    monkeypatch.setattr(type(load_challenge("melanoma")), "predict", endless)
    uploader = app.file_uploader(key="single_melanoma_sample_model_files")
    uploader.upload("old.onnx", builders.classifier(1, vector=False)).run()
    jobs = background_jobs.queue()._jobs
    (old,) = (job for key, job in jobs.items() if "old.onnx" in key)
    assert not old.cancelled()
    next(one for one in app.file_uploader if one.key.endswith("_model_files")).upload(
        "new.onnx", of_quadrant(224)
    ).run()
    try:
        assert old.stop.is_set()
        assert "**old.onnx** was stopped before its end, because **new.onnx** replaced it." in said(app)
    finally:
        for job in jobs.values():
            job.stop.set()


def test_that_a_run_was_stopped_is_said_only_beside_the_same_image():
    """It stayed after the image had changed."""

    def page() -> None:
        import streamlit as st

        from pages.challenge import superseded_run

        superseded_run.line("x", st.session_state["image"])

    app = AppTest.from_function(page)
    app.session_state[superseded_run.STOPPED.format("x")] = ("was stopped", ())
    for image, shown in (("a", 1), ("a", 1), ("b", 0), ("a", 0)):
        app.session_state["image"] = image
        assert (len(app.run().info), bool(app.exception)) == (shown, False)


def test_receipts_of_files_go_when_another_challenge_is_chosen(single_image):
    """ "was read as a TRICORDER-3 test set" stayed on the page of another challenge."""
    app = single_image(challenge="melanoma")
    app.session_state[dropped_files.TOGETHER] = {"some files"}
    app.segmented_control(key="single_challenge").set_value("tricorder3").run()
    assert app.session_state[dropped_files.TOGETHER] == set()
    assert not app.exception


def test_long_work_for_another_model_is_stopped(monkeypatch):
    jobs = {("me", "maps", name): (background_jobs.Job(), [print]) for name in ("old", "new")}
    monkeypatch.setattr(session_state, "st", SimpleNamespace(session_state={session_state.JOBS: {**jobs}}))
    session_state.stop_others("new")
    assert [job.stop.is_set() for job, _ in jobs.values()] == [True, False]
    assert [box for _, box in jobs.values()] == [[], [print]]


def dropped(app: AppTest, start: str, pictures: list[bytes]) -> AppTest:
    """Pictures at the uploader whose key begins so, after the notice was read."""
    for box in app.checkbox:
        if box.key == "single_agreed" and not box.value:
            box.set_value(True).run()
    uploader = next(one for one in app.file_uploader if one.key.startswith(start))
    return uploader.set_value([(f"{n}.png", data, "image/png") for n, data in enumerate(pictures)]).run()


def test_more_images_than_a_lesion_has_are_a_session_and_none_of_them_is_lost(single_image):
    """Six were taken as photographs of one lesion, and of the other 14 nothing was said."""
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.OWN).run()
    app = settled(dropped(app, "single_file", [photographs.encoded(lesion(72 + n)) for n in range(20)]))
    assert app.segmented_control(key="single_source").value == image_upload.SESSION
    assert list(app.session_state[dropped_photographs.QUEUED].done) == list(range(1, 21))
    assert "0 of 20 read" in "".join(str(one.proto.text) for one in app.get("progress"))
    dropped(app, "single_session", [photographs.encoded(lesion(64))])
    app = settled(app)
    assert list(app.session_state[dropped_photographs.QUEUED].done) == list(range(2, 22))
    assert "20 images with together 100 MB, so the oldest image was removed" in said(app)


def test_a_photograph_too_many_for_a_lesion_is_said(single_image):
    app = own(single_image(challenge="melanoma"), photographs.encoded(lesion()))
    app = dropped(app, "single_file", [photographs.encoded(lesion(72 + n)) for n in range(7)])
    assert len(app.session_state[dropped_photographs.HELD]) == 6
    assert image_upload.TOO_MANY in {plain(e.value) for e in app.error}


def test_answers_of_a_session_are_shown_at_once_as_csv_and_are_not_read_afterwards(single_image):
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.toggle(key="single_session_first").set_value(False).run()
    app = settled(press(app, "single_begin"))
    truth, images = load_challenge("melanoma").read_truth(SKIN_SET), written(app, "Highest score")
    assert len(images) == 10
    for name, true, model, _, *remarks in images:
        assert true == NAMES[truth.labels[truth.ids.index(f"images/{name}")]]
        assert (model == "no answer") <= bool(remarks)
    assert said(app).count("Highest score:") == sum(row[2] != "no answer" for row in images)
    assert said(app).count(wording.only_line(NAMES)) == 1
    app.toggle(key="single_session_first").set_value(True).run()
    assert "10 of 10 images do not count as read, because you saw the model's answers first." in said(app)
    assert "Highest score" not in said(app)


def test_both_maps_are_made_when_asked_and_it_is_said_how_far_they_agree(single_image):
    app = single_image(challenge="tricorder3")
    assert "Hiding" not in said(app)
    assert "The maps need 327 runs of the model." in said(app)
    app.button(key="single_map").click().run()
    settled(app)
    assert not app.exception
    assert re.search(r"The two maps .*\(correlation -?[01]\.\d\d|Hiding .*shows no effect", said(app))
    assert re.search(r"Light or colour of the whole image changes|Made lighter, darker", said(app))
    assert "Random half of the picture hidden, 256 times" in "".join(
        str(chart.proto.spec) for chart in app.get("plotly_chart")
    ) + said(app)
    drawn = [chart for chart in app.get("plotly_chart") if "saliency" in str(chart.proto.id)]
    assert len(drawn) == 2
    for chart in drawn:
        heat = json.loads(chart.proto.spec)["data"][0]
        assert (heat["zmin"], heat["zmax"]) == (-0.25, 0.25)
    assert "lowers the score by -" not in said(app)


def test_another_age_sex_or_site_is_asked_for(single_image):
    app = single_image(tab="What if")
    app.button(key="single_sweep").click().run()
    assert not app.exception
    assert "Same picture, another age" in said(app)
    assert "Same picture, another sex" in said(app)
    assert "What if the" not in said(app)
    assert "highest class" in said(app)
    assert "takes only the image" in said(single_image(challenge="melanoma", tab="What if"))


def test_a_wanted_sensitivity_gives_a_threshold_with_its_cost(single_image):
    app = single_image(challenge="melanoma", tab="Threshold")
    thresholds = []
    for wanted in (50, 90):
        app.slider(key="sensitivity").set_value(wanted).run()
        facts = [plain(e.value) for e in app.markdown]
        thresholds.append(
            float(
                next(
                    re.search(r"\*\*([\d.]+)\*\*.*scores at or above it count as malignant", f)[1]
                    for f in facts
                    if "scores at or above" in f
                )
            )
        )
    assert thresholds[0] > thresholds[1]
    assert "cross-validated in five parts, each with its own threshold, with 95% intervals" in said(app)


def test_another_share_of_malignant_cases_is_called_so_and_not_rarer(single_image):
    """ "What if such lesions were rarer?" went up to half, of a set that holds 30 %."""
    app, sums = single_image(challenge="melanoma", tab="Threshold"), []
    for share, name in ((0.005, "0.5%"), (0.5, "50%")):
        app.select_slider(key="prevalence").set_value(share).run()
        facts = "\n".join(plain(e.value) for e in app.markdown)
        before, after = (
            float(re.search(rf"\*\*([\d.]+)\*\*[^*]*{about}", facts)[1])
            for about in ("as in the test set", f"at {name}")
        )
        sums.append(after - before)
        assert f"Filled: reweighted to {name}." in said(app)
    assert sums[0] < 0 < sums[1]
    assert "rarer" not in said(app)


def test_reweighted_scores_of_an_overconfident_model_are_called_invalid(single_image):
    """The tab named the condition, and not that it fails for this model."""
    fails = "This condition is not met here. The model's scores are higher than its accuracy"
    app = single_image(challenge="melanoma", tab="Threshold")
    assert "valid only if the scores are calibrated on the test set" in said(app)
    assert fails not in said(app)
    app.file_uploader(key="single_melanoma_sample_model_files").upload("team.onnx", constant(1)).run()
    app = settled(app)
    lead(app)
    assert fails in said(app)
    facts = "\n".join(plain(e.value) for e in app.markdown)
    assert re.search(r"\*\*–\*\*[^*]*not valid for this model", facts)
    assert "at 3%" not in facts
    assert "At this threshold, every one of these cases counts as malignant." in said(app)


@pytest.mark.parametrize("tab", some(["Threshold", "Cases alike"], 2))
def test_an_own_test_set_without_images_leaves_the_answer_and_says_what_is_missing(single_image, tab):
    """The tab promised a progress below, although nothing ran."""
    app = single_image(challenge="melanoma", tab=tab)
    table = samples.test_sets("melanoma")["sample"].path / "labels.csv"
    app.file_uploader(key="melanoma_set_files").upload("mine.csv", table.read_bytes()).run()
    assert not app.exception
    app = settled(own(app, photographs.phone()))
    assert not app.exception
    assert lead(app)
    in_tab, below = (e.value for e in app.info if "could not be run on the test set" in e.value)
    assert in_tab == f"This section needs the model's answers for the test set. {below}"
    assert "progress is shown below" not in said(app) + "".join(e.value for e in app.info)


def test_the_latest_tile_is_the_shown_one_and_beside_a_refused_file_the_page_names_the_tile(single_image):
    """Five tiles were added one after the other, and the nuclei of the first stayed without a word."""
    app = own(single_image(challenge="puma"), photographs.encoded(np.full((512, 512, 3), 200, np.uint8)))
    app = settled(dropped(app, "single_file", [photographs.encoded(np.full((256, 256, 3), 200, np.uint8))]))
    choice = app.segmented_control(key="single_photograph")
    held = app.session_state[dropped_photographs.HELD]
    assert (choice.label, choice.value) == ("Tile", held[1].token)
    choice.set_value(held[0].token).run()
    assert app.segmented_control(key="single_photograph").value == held[0].token
    app = settled(dropped(app, "single_file", [b"%PDF-1.7 no image"]))
    assert "The page still shows tile 1." in said(app)
    press(app, "single_remove")
    app = own(app, photographs.encoded(np.full((512, 512, 3), 190, np.uint8)))
    assert "still shows" not in said(app)
    assert not app.exception


def test_a_model_of_another_challenge_finds_no_nuclei(single_image):
    app = single_image(challenge="puma")
    app.file_uploader(key="single_puma_model_files").upload(
        "team.onnx", builders.classifier(11, vector=False)
    ).run()
    assert not app.exception
    assert "choose the challenge that it was made for" in plain(app.error[0].value)


@pytest.mark.soak
def test_decoded_pixels_are_bounded_counted_and_the_oldest_image_makes_room(single_image, monkeypatch):
    app = own(
        single_image(challenge="tricorder3"), photographs.encoded(np.zeros((2_500, 4_000, 3), np.uint8))
    )
    assert "Reduced from 4,000 × 2,500 px" in said(app)
    (image,) = app.session_state[dropped_photographs.HELD]
    pixels = image.photograph.pixels
    assert pixels.nbytes <= 15_000_000
    state = {dropped_photographs.HELD: app.session_state[dropped_photographs.HELD]}
    assert pixels.nbytes <= dropped_photographs.held_bytes(state) <= pixels.nbytes + 3 * 512 * 8 * 512
    monkeypatch.setattr(image_upload, "HELD_BYTES", 20_000_000)
    uploader = next(e for e in app.file_uploader if e.key.startswith("single_file"))
    uploader.upload("two.png", photographs.encoded(np.zeros((2_500, 3_000, 3), np.uint8))).run()
    (latest,) = app.session_state[dropped_photographs.HELD]
    assert (latest.name, latest.photograph.size[0] < 3_000) == ("image 1", True)
    assert latest.token != image.token
    assert image_upload.OLDEST_DROPPED in {plain(e.value) for e in app.error}


def test_more_pixels_than_are_held_make_the_oldest_tile_leave(single_image, monkeypatch):
    monkeypatch.setattr(image_upload, "HELD_BYTES", 4_000_000)
    app = own(single_image(challenge="puma"), photographs.encoded(np.full((1_100, 1_000, 3), 200, np.uint8)))
    (first,) = app.session_state[dropped_photographs.HELD]
    uploader = next(e for e in app.file_uploader if e.key.startswith("single_file"))
    uploader.upload("two.png", photographs.encoded(np.full((1_000, 1_000, 3), 200, np.uint8))).run()
    (latest,) = app.session_state[dropped_photographs.HELD]
    assert latest.token != first.token
    assert 4_000_000 < latest.photograph.held_bytes + first.photograph.held_bytes < photograph.HELD_BYTES
    assert image_upload.OLDEST_DROPPED in {plain(e.value) for e in app.error}


def test_a_tile_too_large_to_keep_is_refused_with_what_to_do(single_image, monkeypatch):
    monkeypatch.setattr(image_upload, "WHOLE_PIXELS", 500_000)
    app = own(single_image(challenge="puma"), photographs.encoded(photographs.quarters(1_000, 800)), "t.png")
    assert [e.value for e in app.error] == [photograph.TILE_TOO_LARGE]


def test_a_region_of_a_slide_becomes_the_tile(single_image):
    """The most stained place first, then one that is typed; densities go by the file's scale."""
    data = slides.pyramid(slides.tissue(), "jpeg", description=slides.APERIO.format(0.2527))
    app = own(single_image(challenge="puma"), data, "Jane Doe.svs")
    (held,) = app.session_state[dropped_photographs.HELD]
    assert not app.exception
    assert held.photograph.framed in said(app)
    assert dropped_photographs.held_bytes({dropped_photographs.HELD: (held,)}) > len(data) + 3 * 1024**2
    for name, value in (("Left", 500), ("Top", 250)):
        app.number_input(key=f"single_{name}_{held.token}").set_value(value)
    app.run()
    (moved,) = app.session_state[dropped_photographs.HELD]
    assert np.array_equal(moved.photograph.pixels, whole_slide.region(held.slide, moved.slide.box).pixels)
    assert "Removed from the file" not in said(app)
    assert "The slide's file stays in memory unchanged" in said(app)
    assert "1,024 × 1,024 px at x 500, y 250, level 0 of 3 (full resolution), 0.2527 µm per px." in said(app)
    (toggle,) = [one for one in app.toggle if one.key.startswith("single_anyway")]
    toggle.set_value(True).run()
    assert f"{1024**2 * 0.2527**2 / 1e6:.4f} mm²" in said(app)
    assert "Jane" not in said(app)


def test_a_slide_smaller_than_a_tile_says_what_the_model_receives(single_image):
    data = slides.pyramid(slides.tissue(900, 600), "jpeg", levels=2)
    app = own(single_image(challenge="puma"), data, "slide.tif")
    (held,) = app.session_state[dropped_photographs.HELD]
    assert not app.exception
    assert held.photograph.size == (900, 600)
    assert whole_slide.smaller_line(held.slide) in said(app)


def test_a_region_that_cannot_be_read_leaves_the_one_before(single_image):
    spoilt = slides.changed(slides.pyramid(slides.tissue(), "zlib"), 325, [0] * 62 + [1 << 30])
    app = own(single_image(challenge="puma"), spoilt, "slide.tif")
    (held,) = app.session_state[dropped_photographs.HELD]
    left, top = held.slide.size[0] - 1024, held.slide.size[1] - 1024
    assert held.slide.box[:2] != (left, top)
    for name, value in (("Left", left), ("Top", top)):
        app.number_input(key=f"single_{name}_{held.token}").set_value(value)
    app.run()
    assert "its tile cannot be read" in app.error[0].value
    assert app.session_state[dropped_photographs.HELD] == (held,)


@pytest.mark.parametrize("challenge", some(["melanoma", "tricorder3"], 2))
def test_a_slide_is_no_photograph(single_image, challenge):
    app = own(single_image(challenge=challenge), slides.pyramid(slides.tissue(), "jpeg"), "slide.svs")
    assert [plain(e.value) for e in app.error] == [whole_slide.NO_TISSUE]
    assert dropped_photographs.HELD not in app.session_state


def test_a_photograph_is_no_tile(single_image):
    app = own(single_image(challenge="puma"), photographs.phone(photographs.quarters(2400, 1800)))
    assert not app.exception
    assert "nothing like the tiles of the test set" in said(app)
    assert "do not match haematoxylin and eosin" in said(app)


def test_counts_of_a_tile_are_those_of_the_model(single_image):
    app = single_image(challenge="puma")
    assert not app.exception
    tile = photograph.received(sorted(TILES.glob("*.tif"))[0].read_bytes())
    detector = nuclei.opened(TILE_SUPPORT, samples.models("puma")["dense"].path.read_bytes())
    try:
        expected = nuclei.overview(TILE_SUPPORT, nuclei.detected(detector, tile.pixels), tile.size)
    finally:
        detector.close()
    counted = app.dataframe[0].value.set_index("class")["nuclei"]
    assert counted.sum() == expected.total
    assert counted["lymphocytes"] == expected.counts[1]
    assert f"**{expected.total:,}**" in said(app)
    share = expected.lymphocytes
    assert wording.LYMPHOCYTES == "Lymphocytes among detected nuclei"
    assert wording.LYMPHOCYTES in said(app)
    assert f"{share.hits:,} of {share.n:,}; {share.low:.0%} to {share.high:.0%}" in said(app)


@pytest.mark.parametrize(("pixels_per_cm", "area"), [(20_000, "0.2621"), (None, None)])
def test_densities_of_an_own_tile_need_the_scale_of_its_file(single_image, pixels_per_cm, area):
    """Every tile had the challenge's scale: 8,365 and 22,715 nuclei per mm2 for one tissue."""
    file, tile = io.BytesIO(), Image.open(sorted(TILES.glob("*.tif"))[0]).convert("RGB")
    scale = {} if pixels_per_cm is None else {"resolution": pixels_per_cm, "resolution_unit": "cm"}
    tile.save(file, "TIFF", **scale)
    app = settled(own(single_image(challenge="puma"), file.getvalue(), "tile.tif"))
    assert app.dataframe[0].value["nuclei"].sum() > 900
    assert ("per mm²" in app.dataframe[0].value.columns) == (area is not None)
    assert f"tile of {area} mm²" in said(app) if area else "micrometres per pixel not known" in said(app)


def test_a_tile_may_come_with_a_file_of_its_nuclei(single_image):
    app = single_image(challenge="puma")
    app.segmented_control(key="single_nuclei_from").set_value("Prediction file").run()
    assert "Drop a file with the tile's nuclei" in said(app) + "".join(e.value for e in app.info)
    listed = sorted(Path(TILES).glob("*.geojson"))[0].read_bytes()
    app.file_uploader(key="single_puma_nuclei_file").upload("tile.geojson", listed).run()
    assert not app.exception
    assert app.dataframe[0].value["nuclei"].sum() == len(json.loads(listed)["features"])
    app.file_uploader(key="single_puma_nuclei_file").upload("tile.json", b"{]").run()
    assert app.error
    assert not app.exception


def test_an_image_dropped_at_another_input_is_the_image_and_that_input_goes_on_with_its_own_file(
    single_image,
):
    app = single_image(challenge="puma")
    app.segmented_control(key="single_nuclei_from").set_value("Prediction file").run()
    listed, (fur,) = sorted(Path(TILES).glob("*.geojson"))[0].read_bytes(), gallery(1)["fur"]
    app.file_uploader(key="single_puma_nuclei_file").upload("tile.geojson", listed).run()
    app.file_uploader(key="single_puma_nuclei_file").upload("fur.png", photographs.encoded(fur)).run()
    assert [one.name for one in app.session_state["_single_waiting"]] == ["fur.png"]
    (widget,) = [one for one in app.file_uploader if one.key.startswith("single_puma_nuclei_file")]
    assert widget.value == [], "nothing names the image as a list of nuclei"
    assert "**tile.geojson**" in said(app)
    app.button(key="single_puma_nuclei_back").click().run()
    assert "Drop a file with the tile's nuclei" in said(app) + "".join(e.value for e in app.info)


def test_a_slow_model_is_turned_and_mirrored_only_when_asked(single_image, monkeypatch):
    monkeypatch.setattr(query, "PATIENCE_MS", 0)
    app = single_image(challenge="melanoma")
    assert "turned or mirrored copies" not in said(app)
    app.button(key="single_views").click().run()
    assert "of 7 turned or mirrored copies" in said(app) or "flips and rotations" in said(app)


@pytest.mark.parametrize(("shape", "runs"), [((8, 8, 3), 7), ((8, 6, 3), 3)])
def test_as_many_runs_are_announced_as_there_are_other_views(shape, runs):
    answer = SimpleNamespace(prepared=np.zeros(shape, np.uint8))
    question = query.Query(None, answer, None, None, ())
    assert question.other_views == runs


def test_a_click_fits_no_temperature_again(single_image, monkeypatch):
    fitted = []
    temperature = calibration.fit_temperature
    monkeypatch.setattr(calibration, "fit_temperature", lambda *a: fitted.append(a) or temperature(*a))
    app = single_image(challenge="melanoma")
    case_box(app).set_value("images/M0011.jpg").run()
    assert len(fitted) > 0
    before = len(fitted)
    app.run()
    assert len(fitted) == before


def test_a_worker_that_was_ended_is_opened_anew(single_image, monkeypatch):
    workers = []
    opened = model_processes.opened
    monkeypatch.setattr(model_processes, "opened", lambda *a: workers.append(opened(*a)) or workers[-1])
    app = single_image(challenge="melanoma", model="palette")
    workers[0].close()
    case_box(app).set_value("images/M0009.jpg").run()
    assert workers[0].ended
    assert len(workers) > 1
    assert not app.error
    assert lead(app)


def test_quality_is_said_before_the_model_is_opened(single_image, monkeypatch):
    """A model may take seconds to open, or wait in line."""
    app = single_image(challenge="melanoma")
    monkeypatch.setattr(model_processes, "worker", lambda *_: model_processes.Waiting(2))
    app = own(app, photographs.encoded(lesion(600)))
    assert "number 2 in the queue" in said(app)
    assert "Sharpness: in the usual range" in said(app)


def test_quality_is_drawn_before_similarity_is_computed(single_image, monkeypatch):
    """Similarity takes a tenth of a second, and the badges waited for it."""

    def never(*_):
        raise RuntimeError("similarity")

    app = single_image(challenge="melanoma")
    monkeypatch.setattr(image_upload, "seen_parts", never)
    app = own(app, photographs.encoded(lesion(600)))
    assert "Sharpness: in the usual range" in said(app)
    assert "Similarity" not in said(app)


def test_the_next_decoder_starts_after_the_answer(single_image, monkeypatch):
    """Its start takes a third of a second of processor time. It started while the quality was measured."""
    app, steps = single_image(challenge="melanoma"), []
    monkeypatch.setattr(photograph.SPARE, "prepare", lambda: steps.append("decoder"))
    monkeypatch.setattr(
        prediction, "show", lambda *_, show=prediction.show: steps.append("answer") or show(*_)
    )
    own(app, photographs.encoded(lesion(600)))
    assert steps[-2:] == ["answer", "decoder"]
    assert steps[0] == "decoder"


def test_a_session_says_of_a_worthless_model_that_it_is_one(single_image):
    """The headline of one image said so, those of a session did not."""
    app = single_image(challenge="melanoma")
    app.file_uploader(key="single_melanoma_sample_model_files").upload("team.onnx", constant(1)).run()
    app.segmented_control(key="single_source").set_value(image_upload.SESSION).run()
    app.toggle(key="single_session_first").set_value(False).run()
    app = settled(press(settled(app), "single_begin"))
    same = "the model gives nearly the same scores for every test image"
    assert said(app).count(f"but: {same}") >= 5
    assert any(same in row[-1] for row in written(app, "Highest score"))


def test_a_model_is_opened_before_the_image_comes_also_after_one_was_removed(single_image, monkeypatch):
    app = own(single_image(challenge="melanoma"), photographs.encoded(lesion(600)))
    asked = []
    monkeypatch.setattr(
        model_processes, "worker", lambda *_, worker=model_processes.worker: asked.append(1) or worker(*_)
    )
    app.button(key="single_remove").click().run()
    assert "The answer will appear here." in said(app)
    assert asked


def test_work_that_still_waits_lets_go_of_a_removed_image(single_image):
    app = settled(own(single_image(challenge="melanoma"), photographs.phone()))
    assert lead(app)
    blocked = threading.Event()
    app.session_state["_session"] = "visitor"
    key = ("visitor", "blocked")
    background_jobs.queue().submit(key, lambda job: blocked.wait(60))
    try:
        app.button(key="single_map").click().run()
        pixels = weakref.ref(app.session_state[dropped_photographs.HELD][0].photograph)
        app.button(key="single_remove").click().run()
        app.segmented_control(key="single_source").set_value(image_upload.SAMPLE).run()
        gc.collect()
        assert pixels() is None
    finally:
        blocked.set()
        background_jobs.queue().forget(key)


def test_no_answer_and_the_scores_shown_anyway_stay_while_maps_are_made(single_image):
    app = settled(own(single_image(challenge="melanoma"), photographs.encoded(gallery(1, "fur")["fur"][0])))
    score = lead(app)
    blocked = threading.Event()
    app.session_state["_session"] = "visitor"
    key = ("visitor", "blocked")
    background_jobs.queue().submit(key, lambda job: blocked.wait(60))
    try:
        app.button(key="single_map").click().run()
        assert headlines(app)[0] == "No answer"
        assert "This image is nothing like the images of the test set" in said(app)
        assert re.search(r"The model answered \d+ of \d+", said(app))
        assert "Highest score" in said(app)
    finally:
        blocked.set()
        background_jobs.queue().forget(key)
    settled(app)
    assert "Strongest change" in said(app)
    assert lead(app) == score


def headlines(app: AppTest) -> list[str]:
    found = [plain(one.value) for one in app.header]
    return [one for one in found if one.startswith(("Highest score", "No answer"))]


def test_no_answer_is_the_headline_and_scores_wait_until_they_are_asked_for(single_image):
    app = settled(own(single_image(challenge="melanoma"), photographs.encoded(gallery(1)["fur"][0])))
    assert headlines(app) == ["No answer"]
    assert "Highest score" not in said(app)
    assert [tab.label for tab in app.tabs] == []
    assert "What is in the record?" in said(app)
    assert re.search(r"answered \d+ of \d+ \(\d+%; \d+ to \d+%\) test images", said(app))
    toggle = next(one for one in app.toggle if one.key.startswith("single_anyway"))
    assert toggle.label == "Show the scores anyway"
    toggle.set_value(True).run()
    assert headlines(app)[0] == "No answer"
    assert "Highest score" in said(app)
    assert "Model: Convolutional network" in said(app)


def test_the_answer_names_its_model_its_classes_in_full_and_what_cannot_be_ruled_out(single_image):
    app = single_image(challenge="tricorder3")
    (headline,) = headlines(app)
    assert headline.startswith("Highest score: Other malignant proliferations including collisions 0.")
    assert "Model: Convolutional network" in said(app)
    assert "Possible classes (chosen to contain the true class in 9 of 10 test cases):" in said(app)
    assert "Treat it as no answer" not in said(app)
    (spoken,) = [one.proto.body for one in app.get("html") if 'role="status"' in one.proto.body]
    assert headline.removeprefix("Highest score: ") in spoken


def test_bars_are_the_range_over_the_copies_and_those_of_another_class_are_counted(single_image):
    app = single_image(challenge="melanoma", case="images/M0015.jpg")
    truth, data = load_challenge("melanoma").read_truth(SKIN_SET), samples.models("melanoma")
    found = opened_model(model_task("melanoma"), next(iter(data.values())).path.read_bytes())
    try:
        first = predict(found, photograph.received(truth.picture(truth.ids.index("images/M0015.jpg"))))
        seen = views(found, first)
    finally:
        found.close()
    sentence = f"In {seen.changed} of 7 turned or mirrored copies the model chose another class."
    copies = "the image and its 7 turned and mirrored copies"
    legend = f"Bold numbers: scores. Whiskers: range of the scores of {copies}."
    assert f"{legend} {sentence}" in said(app)
    assert seen.changed


def test_what_is_technical_is_folded_away(single_image):
    app = single_image(challenge="tricorder3")
    folded = {id(e) for block in app.expander for e in (*block.caption, *block.markdown)}
    outside = "\n".join(str(e.value) for e in (*app.caption, *app.markdown) if id(e) not in folded)
    assert "Possible classes" in outside
    for word in ("temperature", "raw output", "RISE", "lanczos", "location"):
        assert word not in outside


def test_the_camera_asks_for_full_resolution_and_a_refusal_is_a_sentence(single_image):
    app = single_image(challenge="melanoma")
    app.segmented_control(key="single_source").set_value(image_upload.CAMERA).run()
    app.checkbox(key="single_agreed").set_value(True).run()
    (camera,) = app.get("camera_input")
    assert "1080" in str(camera.proto)
    assert wording.CAMERA_REFUSED in said(app)


def test_an_own_image_is_turned_zoomed_and_cropped_and_the_record_says_so(single_image):
    app = settled(own(single_image(challenge="melanoma", tab="Record"), photographs.encoded(lesion(600))))
    before = lead(app)
    token = app.session_state[dropped_photographs.HELD][0].token
    assert not app.get("plotly_chart")[1:], "the frame is drawn before anybody opens it"
    app.session_state["single_turn"] = True
    app.run()
    app.segmented_control(key=f"single_quarters_{token}").set_value(1)
    app.run()
    for name, value in (("Left", 150), ("Top", 150), ("Width", 300), ("Height", 300)):
        app.number_input(key=f"single_{name}_{token}").set_value(value)
    settled(app.run())
    lead(app)
    words = "Changed by hand: turned by 90 degrees to the right, cropped to 300 x 300 px"
    assert words in said(app)
    assert before != lead(app)
    assert said(app).count(words) == 2
    app.number_input(key=f"single_Left_{token}").set_value(400)
    settled(app.run())
    assert "At Left 400, the width can be at most 200 px." in said(app)
    assert "px in the frame" in said(app)
    app.segmented_control(key=f"single_quarters_{token}").set_value(0)
    settled(app.run())
    assert "By hand" not in said(app)
    assert lead(app) == before


def resaved(challenge: str, case: int) -> np.ndarray:
    """The pixels of a sample case, as an own picture."""
    path = next(iter(samples.test_sets(challenge).values())).path
    return photograph.received(load_challenge(challenge).read_truth(path).picture(case)).pixels


def test_the_headline_says_what_is_unknown_of_the_person(single_image):
    app = settled(own(single_image(challenge="tricorder3"), photographs.encoded(resaved("tricorder3", 0))))
    app = person(app, sex="unknown")
    token = app.session_state[dropped_photographs.HELD][0].token
    app = settled(app.checkbox(key=f"single_age_unknown_{token}").set_value(True).run())
    assert "age unknown: the model received 0; sex unknown: the model received -1" in " ".join(headlines(app))


def test_drawn_cases_of_a_session_say_what_is_unknown_of_the_person():
    people = SimpleNamespace(age=np.array([np.nan, 40.0]), encoded=np.array([[0.0, -1, 2], [40, 1, 2]]))
    truth = SimpleNamespace(ids="ab", images="ab", labels=[0, 1], demographics=people, picture=str)
    opened, task = SimpleNamespace(takes_vector=True), model_task("tricorder3")
    queue = session_queue._drawn(SimpleNamespace(truth=truth, opened=opened, task=task), 0, 2)
    said_of = {source.name: source.unknown for source in queue._waiting.values()}
    unknown = ("age unknown: the model received 0", "sex unknown: the model received -1")
    assert said_of == {"a": unknown, "b": ()}


def test_several_photographs_of_one_lesion_stand_side_by_side_with_their_mean(single_image):
    seen = resaved("tricorder3", 0)
    app = settled(own(single_image(challenge="tricorder3", tab="Side by side"), photographs.encoded(seen)))
    app = person(app)
    lead(app)
    next(one for one in app.file_uploader if one.key.startswith("single_file")).upload(
        "two.png", photographs.encoded(seen[::-1])
    ).run()
    settled(app)
    assert not app.exception
    lead(app)
    assert len(app.session_state[dropped_photographs.HELD]) == 2
    assert "Missing" not in said(app)
    assert "Challenges whose cases are photographs score each on its own" in said(app)
    table = next(one.value for one in app.dataframe if "mean" in one.value.columns)
    assert table["mean"].to_numpy() == pytest.approx(
        (table["photograph 1"] + table["photograph 2"]).to_numpy() / 2
    )
    for number, taken in ((0, date(2026, 9, 1)), (1, date(2026, 3, 1))):
        token = app.session_state[dropped_photographs.HELD][number].token
        app.date_input(key=f"single_date_{token}").set_value(taken)
    app.run()
    assert not app.exception
    changes = re.findall(
        r"in photograph 2, 01 March 2026; .* in photograph 1, 01 September 2026; change", said(app)
    )
    assert changes
    app.segmented_control(key="single_photograph").set_value(
        app.session_state[dropped_photographs.HELD][1].token
    ).run()
    lead(settled(app))
    table = next(one.value for one in app.dataframe if "mean" in one.value.columns)
    assert list(table.columns[1:]) == ["photograph 1", "photograph 2", "mean"]


def test_a_foreign_picture_has_no_headline_before_its_similarity_is_known(single_image, monkeypatch):
    """A cat's chin was "another lesion 0.75" for 72 seconds, with four ticks, until similarity was
    measured."""
    app, blocked = single_image(challenge="melanoma"), threading.Event()

    def later(truth, **options):
        blocked.wait(60)
        return First(truth).measured()

    monkeypatch.setattr(model_processes.quality, "measured", later)
    monkeypatch.setattr(model_processes, "_saved", lambda *_: None)
    try:
        own(app, photographs.encoded(gallery(1)["fur"][0][..., ::-1]))  # blue
        assert not headlines(app)
        assert "Highest score" not in said(app)
        assert "What is in the record?" not in said(app)
        assert "Few colours of this image" not in said(app)  # the test set may have the same colours
        assert any(
            one.value.startswith("Benchside is measuring the images of the test set") for one in app.info
        )
    finally:
        blocked.set()
    assert headlines(settled(app)) == ["No answer"]


def test_a_case_of_an_own_test_set_has_no_headline_before_its_similarity_is_known(single_image, monkeypatch):
    """A case had a headline with a score for 3 to 25 seconds, and then no answer."""
    app, blocked, work = (
        single_image(challenge="melanoma"),
        threading.Event(),
        model_processes.quality.measured,
    )

    def later(*some, **more):
        blocked.wait(60)
        return work(*some, **more)

    monkeypatch.setattr(model_processes.quality, "measured", later)
    try:
        # Measures are shared by all sessions of the process: no other test shows these cases.
        app.file_uploader(key="melanoma_set_files").set_value(first_cases(5)).run()
        app.run()
        assert not headlines(app)
        assert "Highest score" not in said(app)
        assert "What is in the record?" not in said(app)
        assert any(one.value == photograph_layout.NOT_YET for one in app.info)
    finally:
        blocked.set()
    assert len(headlines(settled(app))) == 1


def test_while_the_model_runs_on_the_test_set_headline_and_record_call_the_answer_not_final(
    single_image, monkeypatch
):
    """The headline gave a score that became "No answer" a minute later."""
    files, blocked, attempt = {}, threading.Event(), scoring_run.attempt
    monkeypatch.setattr(
        record.downloads, "button", lambda _, content, _name, key, **more: files.update({key: content})
    )

    def later(work, *some, **more):
        if "progress" in more:
            blocked.wait(60)
        return attempt(work, *some, **more)

    app = own(single_image(challenge="melanoma", tab="Record"), photographs.encoded(resaved("melanoma", 4)))
    monkeypatch.setattr(scoring_run, "attempt", later)
    try:
        proven = sigmoid_of(constant(1))
        app.file_uploader(key="single_melanoma_sample_model_files").upload("t.onnx", proven).run()
        (headline,) = headlines(app)
        assert f", but: {wording.UNFINISHED}" in headline
        found = json.loads(files["single_json"]())
        assert found["cautions"][0] == wording.UNFINISHED
        assert found["test_set_not_compared"]["running"]
        assert f", but: {wording.UNFINISHED}" in unescape(files["single_html"]())
        cancel = next(one for one in app.button if (one.key or "").startswith("cancel_"))
        cancel.click().run()
    finally:
        blocked.set()
    for job in list(background_jobs.queue()._jobs.values()):
        job.future.exception()
    (headline,) = headlines(app.run())
    assert f", but: {wording.UNTRIED}" in headline
    assert not json.loads(files["single_json"]())["test_set_not_compared"]["running"]


def test_outputs_of_unknown_scale_get_no_score_before_the_model_has_run_on_the_test_set(
    single_image, monkeypatch
):
    """A logit of 0.38 was "another lesion 0.62", and "melanoma 0.59" once the test set was measured."""
    blocked, attempt = threading.Event(), scoring_run.attempt

    def later(work, *some, **more):
        if "progress" in more:
            blocked.wait(60)
        return attempt(work, *some, **more)

    logits = builders.classifier(1, vector=False, softmax=False, seed=7)
    app = own(single_image(challenge="melanoma"), photographs.encoded(resaved("melanoma", 4)))
    monkeypatch.setattr(scoring_run, "attempt", later)
    try:
        app.file_uploader(key="single_melanoma_sample_model_files").upload("t.onnx", logits).run()
        assert not headlines(app)
        assert wording.SCALE_WAITS in [plain(one.value) for one in app.info]
        assert not re.search("Highest score|No answer|turned or mirrored|correct|score of", said(app))
        assert not app.tabs
        assert not app.get("plotly_chart")
        assert re.search(r"Raw output: -?\d+\.\d+", said(app))
        app.toggle(key="single_first").set_value(True).run()
        assert "Raw output" not in said(app)
        next(one for one in app.button if (one.key or "").startswith("cancel_")).click().run()
    finally:
        blocked.set()
    for job in list(background_jobs.queue()._jobs.values()):
        job.future.exception()
    app.toggle(key="single_first").set_value(False).run()
    assert not headlines(app)
    assert wording.SCALE_UNKNOWN in [plain(one.value) for one in app.info]
    next(one for one in app.button if one.key.startswith("run_again")).click().run()
    assert len(headlines(settled(app))) == 1


def test_a_second_model_of_unknown_scale_gets_no_scores_before_it_has_run_on_the_test_set(single_image):
    app, blocked = single_image(challenge="melanoma", tab="Side by side"), threading.Event()
    app.session_state["_session"] = "visitor"
    key = ("visitor", "blocked")
    background_jobs.queue().submit(key, lambda job: blocked.wait(60))
    try:
        second = builders.classifier(1, vector=False, softmax=False, seed=7)
        app.selectbox(key="single_second_melanoma").set_value("own").run()
        uploader(app, "single_second_melanoma").upload("second.onnx", second).run()
        assert f"Second model: {wording.SCALE_WAITS}" in [plain(one.value) for one in app.info]
        assert not any("difference" in one.value.columns for one in app.dataframe)
        assert side_by_side.SHOWN not in app.session_state
    finally:
        blocked.set()
        background_jobs.queue().forget(key)
    assert any("difference" in one.value.columns for one in settled(app).dataframe)


def test_scores_shown_anyway_stand_beside_the_challenges_own_class(single_image, monkeypatch):
    """The page said "melanoma 0.59" where the challenge says another lesion."""
    sentence = "the challenge predicts no class (a rule)"
    monkeypatch.setattr(image_prediction, "_official_caution", lambda *_: sentence)
    monkeypatch.setattr(query.Query, "reasons", ("No reason.",))
    app = single_image(challenge="melanoma")
    assert "he challenge predicts" not in said(app)
    lead(app)
    assert "but the model gives no answer. The challenge predicts no class (a rule)." in said(app)


def test_a_headline_links_to_the_cautions_that_it_does_not_name(single_image, monkeypatch):
    badges = [chips.QualityBadge(name, chips.CAUTION, "x", "y") for name in ("size", "lesion", "exposure")]
    app = single_image(challenge="melanoma")
    monkeypatch.setattr(photograph_layout, "_chips", lambda *_: (*badges, photograph_layout.UNKNOWN_LIKENESS))
    app = settled(own(app, photographs.encoded(resaved("melanoma", 4))))
    (headline,) = headlines(app)
    assert re.search(r"; \[and \d more cautions? in the model card\]\(#model_card\)$", headline)
    assert "Further cautions: " in said(app)


def test_a_crash_on_a_test_image_names_it_and_the_record_names_the_test_set(single_image, monkeypatch):
    """The page said "The model crashed on an image.", and the record only that nothing was compared."""
    files = {}
    monkeypatch.setattr(
        record.downloads, "button", lambda _, content, _name, key, **more: files.update({key: content})
    )
    app = single_image(challenge="melanoma", tab="Record")
    crashing = sigmoid_of(crashing_on_the_left())
    app.file_uploader(key="single_melanoma_sample_model_files").upload("t.onnx", crashing).run()
    bright_left = np.full((600, 600, 3), 90, np.uint8)
    bright_left[:, :300] = 200
    *cases, (name, _, kind) = first_cases(4)
    cases.append((name, photographs.encoded(bright_left), kind))
    app.file_uploader(key="melanoma_set_files").set_value(cases).run()
    app = settled(own(settled(app), photographs.encoded(lesion(600))))
    assert not app.exception
    why = f"The model could not be run on the test set: The model crashed on test image {name[2:]}."
    assert any(why in plain(one.value) for one in app.info)
    found = json.loads(files["single_json"]())
    assert found["test_set"] is None
    assert found["test_set_not_compared"]["because"] == why
    assert found["test_set_not_compared"]["name"] in files["single_html"]()
    assert why in files["single_html"]()


def first_cases(count: int) -> list[tuple[str, bytes, str]]:
    """The files of an own test set: the first cases of a sample."""
    folder = samples.test_sets("melanoma")["sample"].path
    rows = (folder / "labels.csv").read_text().splitlines()[: count + 1]
    names = [row.split(",")[0] for row in rows[1:]]
    files = [("t/labels.csv", "\n".join(rows).encode())]
    return [(n, d, "") for n, d in (*files, *((f"t/{n}", (folder / n).read_bytes()) for n in names))]


@pytest.mark.parametrize("challenge", some(("isic", "puma", *SKIN[:2]), 4))
def test_an_own_image_beside_a_sample_waits_for_no_measuring(opened, monkeypatch, challenge):
    """On a server that had just started ISIC's 306 images were measured first, for 36 seconds."""

    def measured(*arguments, **options):
        raise AssertionError("The images of a sample are measured again.")

    monkeypatch.setattr(model_processes.quality, "measured", measured)
    app = own(opened("single_image", challenge=challenge), photographs.encoded(gallery(1)["fur"][0]))
    assert not app.exception
    assert "nothing like them" in said(app)


def test_a_refused_second_photograph_stands_in_the_headline_and_has_no_mean(single_image):
    """A cat beside a lesion counted: "Both photographs get another lesion", with a mean."""
    app = single_image(challenge="melanoma", tab="Side by side")
    own(app, photographs.encoded(resaved("melanoma", 4)))
    next(one for one in app.file_uploader if one.key.startswith("single_file")).upload(
        "two.png", photographs.encoded(gallery(1)["fur"][0])
    ).run()
    app = settled(app)
    (headline,) = headlines(app)
    assert re.match("Highest score: another lesion .*, but: .*photograph 2 gets no answer", headline)
    assert "Photograph 2 gets no answer: " in said(app)
    assert not any("mean" in one.value.columns for one in app.dataframe)


def test_the_record_holds_the_maps_and_the_second_model_that_the_page_showed(single_image, monkeypatch):
    """A download is made outside the visitor's session: both were missing from it."""
    files = {}
    monkeypatch.setattr(
        record.downloads, "button", lambda _, content, _name, key, **more: files.update({key: content})
    )
    app = single_image(challenge="melanoma")
    app.button(key="single_map").click().run()
    settled(app)
    for name in ("Side by side", "Record"):
        app.session_state["tab"] = name
        app.run()
        if name == "Side by side":
            app.selectbox(key="single_second_melanoma").set_value("palette").run()
    with ThreadPoolExecutor() as apart:
        found = json.loads(apart.submit(files["single_json"]).result())
        page = apart.submit(files["single_html"]).result()
    assert found["maps"]["class"] == found["answer"]["highest"]
    assert found["second_model"]["name"] == "Palette"
    assert "Second model, Palette: " in page


def test_two_models_stand_side_by_side(single_image):
    app = single_image(challenge="melanoma", tab="Side by side")
    lead(app)
    app.selectbox(key="single_second_melanoma").set_value("palette").run()
    settled(app)
    assert not app.exception
    table = next(one.value for one in app.dataframe if "difference" in one.value.columns)
    assert list(table.columns[1:]) == ["Convolutional network", "Palette", "difference"]
    assert re.search(r"Both models give .*: Convolutional network 0|The models differ: Conv", said(app))


def test_the_warning_about_a_second_model_is_a_box_and_stands_in_the_record(single_image, monkeypatch):
    """It was plain text, the sentence above had no caution, and the record nothing of the test set."""
    files = {}
    monkeypatch.setattr(
        record.downloads, "button", lambda _, content, _name, key, **more: files.update({key: content})
    )
    app = single_image(challenge="melanoma")
    lead(app)
    app.session_state["tab"] = "Side by side"
    app.run()
    app.selectbox(key="single_second_melanoma").set_value("own").run()
    wrong = times(constant(1), 0.9)
    files_of_field = [(name, wrong, "application/octet-stream") for name in ("other.onnx", "wrong.onnx")]
    uploader(app, "single_second_melanoma").set_value(files_of_field).run()
    settled(app)
    warned = next(plain(one.value) for one in app.warning if "Second model" in one.value)
    assert "scores are higher than its accuracy" in warned
    line = next(one for one in said(app).splitlines() if "Both models give" in one or "models differ" in one)
    assert "caution about wrong.onnx: the model gives nearly the same scores for every test image" in line
    assert "In use: wrong.onnx" in said(app)
    app.session_state["tab"] = "Record"
    app.run()
    found = json.loads(files["single_json"]())
    assert found["second_model"]["model_card"]["right"]["n"] == 150
    assert "gives nearly the same scores" in found["second_model"]["cautions"][0]
    assert warned.removeprefix("Second model: ") in unescape(files["single_html"]())


def test_a_second_model_answers_at_once_and_measures_the_test_set_afterwards(single_image):
    """Its answer waited for all images of the test set."""
    app, blocked = single_image(challenge="melanoma", tab="Side by side"), threading.Event()
    app.session_state["_session"] = "visitor"
    key = ("visitor", "blocked")
    background_jobs.queue().submit(key, lambda job: blocked.wait(60))
    try:
        second = builders.classifier(1, vector=False, seed=7)
        app.selectbox(key="single_second_melanoma").set_value("own").run()
        uploader(app, "single_second_melanoma").upload("second.onnx", second).run()
        assert any("difference" in one.value.columns for one in app.dataframe)
        assert "Second model: On the test set" not in said(app)
    finally:
        blocked.set()
        background_jobs.queue().forget(key)
    assert "Second model: On the test set the model is right on " in said(settled(app))


def shown_a_bright_left(single_image, model: bytes) -> AppTest:
    """Return the page with a model and an own image whose left half is bright."""
    app = single_image(challenge="melanoma")
    app.file_uploader(key="single_melanoma_sample_model_files").upload("team.onnx", model).run()
    bright_left = np.full((600, 600, 3), 90, np.uint8)
    bright_left[:, :300] = 200
    app = settled(own(settled(app), photographs.encoded(bright_left)))
    assert not app.exception
    return app


def test_a_model_that_gives_no_number_on_one_turn_gets_a_sentence(single_image, few_cases):
    app = shown_a_bright_left(single_image, of_left_less_right())
    assert headlines(app) == ["No answer"]
    assert "The model failed on this image turned or mirrored" in said(app)


def test_a_model_that_ends_with_an_error_crashed_on_this_image(single_image, few_cases):
    app = shown_a_bright_left(single_image, crashing_on_the_left())
    assert not headlines(app)
    assert [plain(one.value) for one in app.error] == ["The model crashed on this image."]


def test_a_test_set_of_one_case_gets_sentences(single_image):
    app = single_image(challenge="melanoma", tab="Threshold")
    folder = samples.test_sets("melanoma")["sample"].path
    head, first, *_ = (folder / "labels.csv").read_text().splitlines()
    name = first.split(",")[0]
    files = [("one/labels.csv", f"{head}\n{first}\n".encode()), (f"one/{name}", (folder / name).read_bytes())]
    app.file_uploader(key="melanoma_set_files").set_value([(n, d, "") for n, d in files]).run()
    app = settled(own(settled(app), photographs.encoded(lesion(600))))
    assert not app.exception
    lead(app)
    assert "similarity to the test images not known" in headlines(app)[0]
    assert "one other case: too few to estimate how often such a score is right" in said(app)
    app.segmented_control(key="single_source").set_value(image_upload.SAMPLE).run()
    lead(app)
    assert "There is no valid answer for another case of this test set." in "".join(e.value for e in app.info)


def test_an_own_test_set_is_measured_once_whatever_model_or_session_comes_next(single_image, monkeypatch):
    """120 images were measured again after some changes of the model, and in a second tab: 509 seconds."""
    measured, work = [], model_processes.quality.measured
    monkeypatch.setattr(scoring_run, "SESSION_RUNS", 2)  # the next model's result pushes out the oldest
    monkeypatch.setattr(
        model_processes.quality,
        "measured",
        lambda *some, **more: (measured.append(1), work(*some, **more))[1],
    )
    for models in (range(2), ()):
        app = single_image(challenge="melanoma")
        app.file_uploader(key="melanoma_set_files").set_value(first_cases(3)).run()
        for n in models:
            uploader(app, "single_melanoma").set_value(
                [(f"{n}.onnx", of_patches(np.full((2, 2), n / 10)), "")]
            ).run()
            app = settled(app)
        assert not settled(app).exception
    assert measured == [1]


def test_a_map_that_was_asked_for_goes_before_what_runs_unasked(opened, monkeypatch):
    def endless(truth, progress=None, cancelled=None, tile=False):
        while not cancelled():
            time.sleep(0.01)
        raise Cancelled

    monkeypatch.setattr(model_processes.quality, "measured", endless)
    monkeypatch.setattr(model_processes, "_saved", lambda *_: None)
    app = opened("single_image", challenge="melanoma")
    for key, job in list(background_jobs.queue()._jobs.items()):
        if "quality" not in key:
            job.future.exception()
    app.run()
    lead(app)
    app.button(key="single_map").click().run()
    try:
        until = time.monotonic() + 60
        while "Strongest change" not in said(app) and time.monotonic() < until:
            time.sleep(0.2)
            app.run()
        assert "Strongest change" in said(app)
    finally:
        for job in background_jobs.queue()._jobs.values():
            job.stop.set()
