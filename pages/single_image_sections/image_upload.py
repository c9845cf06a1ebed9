"""Choice of the image: a case of the test set, an own photograph or one from the camera. Only the pixels of a
visitor's file are stored."""

import secrets
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.challenge.scoring_run import Outcome, Running
from pages.input_widgets import dropped_files, dropped_photographs, upload_quota
from pages.input_widgets.dropped_photographs import HELD, MOST, QUEUED, WAITING, wait
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import (
    case_of_test_set,
    model_processes,
    session_state,
    slide_region,
    turn_and_crop,
)
from pages.single_image_sections.chosen_image import ChosenImage, upload_mb
from scoring.common.findings import InputRefused
from scoring.common.text import markdown
from scoring.core.file_contents import PICTURES
from scoring.single_image import photograph, whole_slide, wording
from scoring.single_image.likeness import other_field
from scoring.single_image.out_of_distribution import OutlierScore
from scoring.single_image.photograph import HELD_BYTES, PHOTOGRAPH_PIXELS, WHOLE_PIXELS
from scoring.single_image.quality import Quality, of_photograph, seen_parts
from scoring.single_image.similar_cases import Reference

SAMPLE, OWN, CAMERA, SESSION = "Sample", "My image", "Camera", "Session"
AGREED, READ, OWN_IMAGES = "single_agreed", "single_read", "My images"
"""Session key of the tick below the notice; session key of the source of a reading session's images; and the
value of this source for the visitor's own images."""
TYPES = tuple(ending.removeprefix(".") for ending in PICTURES)
OLDEST_DROPPED = (
    f"All your images together may take {HELD_BYTES // 1_000_000} MB of memory, so the oldest image was "
    "removed."
)
TOO_MANY = (
    f"The other images were left out. The page compares at most {MOST} images of a lesion, and a session "
    "has at most twenty images."
)
REFUSED, ARRIVED = f"{session_state.PREFIX}refused", f"{session_state.PREFIX}arrived"
TURN, SHOWN = "_turn_of_single_uploads", "single_photograph"
"""Session keys of the last refusal, uploads to be decoded, the uploader's number and the shown image. The
number rises with each removed image, because a browser sends its files again to an uploader of the same
name."""


def chosen_source(is_tile: bool) -> str:
    """Draw the choice of the image's origin, and return it. is_tile: whether it is stained tissue."""
    _expect(is_tile)
    source = st.segmented_control(
        "Image",
        [SAMPLE, OWN, CAMERA] if is_tile else [SAMPLE, OWN, CAMERA, SESSION],
        key="single_source",
        required=True,
        default=None if "single_source" in st.session_state else SAMPLE,
        persist_state="session",
        width="stretch",
        label_visibility="collapsed",
    )
    if source not in (OWN, SESSION):
        target(is_tile)
    return source or OWN


def image(
    source: str,
    challenge_id: str,
    test_set: ChosenInput,
    truth,
    tools: DeltaGenerator,
    is_tile: bool = False,
) -> ChosenImage | None:
    """Draw the choice of the image and return it; None if there is none, or in a session of images. tools:
    place for the buttons of visitors' images."""
    if source == SAMPLE:
        chosen = case_of_test_set.chosen(challenge_id, test_set, truth)
    else:
        case_of_test_set.leave_address(challenge_id, test_set, truth)
        if source == SESSION:
            return None
        session_state.drop("case")
        own = _own(source, WHOLE_PIXELS if is_tile else PHOTOGRAPH_PIXELS, tools)
        chosen = slide_region.shown(own, tools)
    if chosen is not None and is_tile and chosen.photograph.reduction > 1:
        st.error(photograph.TILE_TOO_LARGE, icon=":material/broken_image:")
        return None
    return chosen


def target(is_tile: bool = False) -> None:
    """Make the page accept dropped images even without a visible uploader: a hidden uploader receives
    them."""
    most_mb = upload_mb(is_tile)
    key = f"single_image_files_{st.session_state.get(TURN, 0)}"

    def route_files() -> None:
        files = upload_quota.arrived(key)
        st.session_state[TURN] = st.session_state.get(TURN, 0) + 1  # a new widget: this one holds the bytes
        if files and not dropped_photographs.for_single_image(files):
            dropped_files.drop(files)

    with st.container(key="single_unseen"):
        st.file_uploader(
            f"Image: an image of your own, up to {most_mb} MB",
            accept_multiple_files=True,
            key=key,
            on_change=route_files,
            max_upload_size=most_mb,
        )


def measured(chosen: ChosenImage) -> Quality:
    """Return the quality of the image."""
    return session_state.cached("quality", chosen.token, lambda: of_photograph(chosen.photograph))


def unlikeness(
    among: Outcome | Running | None, chosen: ChosenImage, tile: bool = False
) -> OutlierScore | None:
    """Return how much an image differs from the test set's; None while these are measured, or with too few.
    among: of `model_processes.measured`."""
    if not isinstance(among, Outcome) or among.value is None:
        return None
    parts = session_state.cached("appearance", chosen.token, lambda: seen_parts(chosen.photograph, tile))
    return among.value.known.unlikeness(parts, chosen.case)


def other_field_of(
    among: Outcome | Running | None, chosen: ChosenImage, score: OutlierScore | None
) -> tuple[int, int] | None:
    """Return the sizes of a tile that differs from the test set's only in its field of view
    (`likeness.other_field`). score: of `unlikeness`."""
    if not isinstance(among, Outcome) or among.value is None or score is None or chosen.case is not None:
        return None
    key = (chosen.token, score.distance, score.images)
    return session_state.cached("field", key, lambda: other_field(score, chosen.photograph, among.value))


def similar(
    among: Outcome | Running | None, chosen: ChosenImage, held: Reference | None, count: int
) -> tuple[int, ...]:
    """Return the positions of the cases of `held` whose images look most similar; empty while the images are
    measured or the model runs."""
    if not isinstance(among, Outcome) or among.value is None or held is None:
        return ()
    parts = session_state.cached("appearance", chosen.token, lambda: seen_parts(chosen.photograph))
    return tuple(among.value.known.alike(parts, count, chosen.case, set(held.indices.tolist())))


def _own(source: str, most_pixels: int, tools: DeltaGenerator) -> ChosenImage | None:
    _take(st.session_state.get(ARRIVED, []), most_pixels)
    held: tuple[ChosenImage, ...] = st.session_state.get(HELD, ())
    if held:
        with tools:
            return _held(held, source, most_pixels)
    has_agreed = agreed()
    if files := waiting(has_agreed):
        st.session_state[ARRIVED] = files
        st.rerun()
    _taker(source, most_pixels, has_agreed)
    say_refused()
    return None


def _held(held: tuple[ChosenImage, ...], source: str, most_pixels: int) -> ChosenImage:
    """Draw what can be done with the visitor's images, and return the one that is looked at."""
    st.button(
        "Remove my image" if len(held) == 1 else "Remove my images",
        on_click=remove,
        icon=":material/delete:",
        width="stretch",
        key="single_remove",
    )
    is_tile = most_pixels == WHOLE_PIXELS
    word = "Tile" if is_tile else "Photograph"
    chosen = _chosen(held, word)
    if len(held) < MOST:
        more = "Add a tile" if is_tile else "Add a photograph of the same lesion"
        with st.expander(more, icon=":material/add_a_photo:"):
            _taker(source, most_pixels)
    say_refused()
    if st.session_state.get(REFUSED):
        st.markdown(f"**The page still shows {word.lower()} {chosen.number}.**")
    if chosen.slide is not None:
        return chosen
    others = (turn_and_crop.as_framed(image) for image in held if image.token != chosen.token)
    return replace(turn_and_crop.framed(chosen), others=tuple(others))


def waiting(has_agreed: bool) -> list:
    """Return images dropped elsewhere after their owner has read what happens to them; before that, say that
    they wait."""
    files = st.session_state.get(WAITING) or []
    if files and has_agreed:
        return st.session_state.pop(WAITING)
    if files:
        named = f"**{markdown(files[0].name, 60)}**" if len(files) == 1 else f"**{len(files)} images**"
        st.info(
            f"{named}: confirm this text to see the model's answer. Tick “I have read this”.",
            icon=":material/image:",
        )
    return []


def agreed() -> bool:
    """Explain what happens to visitors' images, and return whether the visitor has read it."""
    st.markdown(wording.BANNER)
    st.caption(f"{wording.PRIVACY} {wording.CONSENT}")
    before = bool(st.session_state.get(AGREED))  # as the default too: a browser that draws it anew shows this
    return st.checkbox("I have read this", before, key=AGREED, persist_state="session")


def _expect(is_tile: bool) -> None:
    """Make room for photographs that were dropped elsewhere; more than a lesion has are a session."""
    state = st.session_state
    if WAITING not in state:
        return
    waiting = state[WAITING]
    goes_on = state.get("single_source") == SESSION and (QUEUED in state or state.get(READ) == OWN_IMAGES)
    source = SESSION if not is_tile and (len(waiting) > MOST or goes_on) else OWN
    if HELD in state or state.get("single_source") != source:
        remove()
        state[WAITING], state["single_source"] = waiting, source


def _taker(source: str, most_pixels: int, agreed: bool = True) -> None:
    """Draw the uploader or the camera."""
    key = f"single_file_{st.session_state.get(TURN, 0)}"
    if source == OWN:
        st.file_uploader(
            "Drop or paste a tile or a slide, or choose it"
            if most_pixels == WHOLE_PIXELS
            else "Drop or paste images of one lesion, or choose them",
            TYPES,
            accept_multiple_files=True,
            key=key,
            on_change=_taken,
            args=(key, most_pixels, most_pixels == WHOLE_PIXELS),
            max_upload_size=upload_mb(most_pixels == WHOLE_PIXELS),
        )
    elif agreed:
        st.camera_input(
            "Take a photograph", key=key, on_change=_taken, args=(key, most_pixels), resolution="1080p"
        )
        st.caption(wording.CAMERA_REFUSED)


def say_refused() -> None:
    """Say why the last files were refused."""
    for sentence in st.session_state.get(REFUSED, ()):
        st.error(markdown(sentence, 600), icon=":material/broken_image:")


def _chosen(held: tuple[ChosenImage, ...], word: str) -> ChosenImage:
    """Return the image that is looked at, of several. word: what the page calls one."""
    if len(held) == 1:
        return held[0]
    named = {image.token: f"{number}" for number, image in enumerate(held, 1)}
    if st.session_state.get(SHOWN) not in named:
        st.session_state[SHOWN] = held[0].token
    token = st.segmented_control(word, list(named), key=SHOWN, required=True, format_func=named.__getitem__)
    return next(image for image in held if image.token == token)


def removes() -> bool:
    """Return whether this run removes the visitor's images: those that arrive in it are others."""
    return bool(st.session_state.get("single_remove", False))


def remove() -> None:
    """Free the visitor's images and everything made from them, but not images that wait to be taken."""
    waiting = st.session_state.get(WAITING)
    session_state.forget()
    if waiting:
        st.session_state[WAITING] = waiting
    model_processes.close()


def _taken(key: str, most_pixels: int, are_tiles: bool = False) -> None:
    """Keep what was chosen in the widget until the page comes to its image, so that the browser draws what is
    above while the image is decoded. More photographs than a lesion has are a session."""
    files = arrived(key)
    if not files:
        return
    has_agreed = st.session_state.get(AGREED)
    others = HELD not in st.session_state
    if removes() or (others and (not has_agreed or (len(files) > MOST and not are_tiles))):
        wait(files)
        return
    known = st.session_state.setdefault(ARRIVED, [])
    known.extend(file for file in files if file not in known)


def arrived(key: str) -> list:
    """Return the files of an uploader that the server still has, and let a new uploader take its place."""
    files = upload_quota.arrived(key)
    if st.session_state[key]:
        st.session_state.pop(REFUSED, None)
        st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    return files


def _take(files: list, most_pixels: int) -> None:
    """Take the pixels out of each upload and drop the rest at once, and the oldest images beyond the limit. A
    run can end at each access to the session: an upload leaves the list with the step that keeps its pixels,
    so that none is lost and none taken twice."""
    while files:
        if len(st.session_state.get(HELD, ())) < MOST:
            _take_next(files, most_pixels)
        else:
            upload_quota.free(files[0])
            _refuse(TOO_MANY)
            del files[0]


def _take_next(files: list, most_pixels: int) -> None:
    """Take the first of uploads."""
    held: tuple[ChosenImage, ...] = st.session_state.get(HELD, ())
    try:
        token, data = secrets.token_hex(4), files[0].getvalue()
        found = whole_slide.opened(data, is_tile=most_pixels == WHOLE_PIXELS)
        slide, upload = found or (None, photograph.received(data, most_pixels=most_pixels))
        name = f"image {len(held) + 1}" if held else photograph.CALLED
        person = held[0].person if held else token
        taken = ChosenImage(token, upload, name, None, person, len(held) + 1, slide=slide)
        upload_quota.free(files[0])
        if most_pixels == WHOLE_PIXELS:  # further photographs belong to the shown one; tiles do not
            st.session_state[SHOWN] = token
        st.session_state[HELD] = _within_limit((*held, taken))
    except InputRefused as refused:
        upload_quota.free(files[0])
        # The words alone: the exception holds on to the bytes.
        _refuse(*(problem.message for problem in refused.problems))
    del files[0]


def _within_limit(images: tuple[ChosenImage, ...]) -> tuple[ChosenImage, ...]:
    """Return the latest images that the limit of memory has room for, and forget the others."""
    while len(images) > 1 and sum(image.pixel_bytes for image in images) > HELD_BYTES:
        st.session_state.get(turn_and_crop.FRAMED, {}).pop(images[0].token, None)
        images = tuple(replace(image, name=f"image {i}", number=i) for i, image in enumerate(images[1:], 1))
        _refuse(OLDEST_DROPPED)
    return images


def _refuse(*sentences: str) -> None:
    """Say why images were not taken, each sentence once."""
    st.session_state[REFUSED] = tuple(dict.fromkeys((*st.session_state.get(REFUSED, ()), *sentences)))
