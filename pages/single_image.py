"""Single image: what a model says of one photograph or one tile, how sure it is, what it looked at, and how
it did on cases like it."""

import streamlit as st

from pages.shared import inputs, layout, submissions
from pages.shared.inputs import Input
from pages.shared.single_image import (
    explanation,
    image_upload,
    model,
    performance,
    person,
    prediction,
    record,
    session,
    tile,
)
from pages.shared.single_image.image_upload import Image
from pages.shared.single_image.query import Query, preview
from pages.shared.single_image.query import answered as answer_of
from pages.shared.submissions import Outcome, Running
from scoring import samples
from scoring.challenges import REGISTRY, challenge_ids, load_challenge
from scoring.findings import InputRefused
from scoring.models.model_task import ModelTask
from scoring.single_image import quality, wording
from scoring.text import markdown

CHALLENGES = [name for name in challenge_ids() if load_challenge(name).single_image]
SEEN_PX = 300
"""Longest side of the image on the page."""


def single_image() -> None:
    layout.plain_opening(
        "Single image",
        "What a model says of one image, how sure it is, what it looked at, and how it did on cases like it.",
    )
    challenge_id = _challenge()
    if load_challenge(challenge_id).single_image.kind == "tile":
        tissue(challenge_id)
    else:
        skin(challenge_id)
    with st.bottom:
        layout.closing()


def _challenge() -> str:
    """The challenge in the address, or the first."""
    key = "single_challenge"
    if st.session_state.get(key) not in CHALLENGES:
        asked_for = st.query_params.get("challenge")
        st.session_state[key] = asked_for if asked_for in CHALLENGES else CHALLENGES[0]
    return st.segmented_control(
        "Challenge",
        CHALLENGES,
        key=key,
        required=True,
        format_func=lambda name: REGISTRY[name].short_name,
        on_change=_to_address,
        args=(key,),
        persist_state="session",
        label_visibility="collapsed",
    )


def _to_address(key: str) -> None:
    for other in ("case", "model", "set"):
        st.query_params.pop(other, None)
    st.query_params["challenge"] = st.session_state[key]


def skin(challenge_id: str) -> None:
    """A photograph of skin under a model of one of three challenges."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        image_place, person_place, setup = (
            st.container(),
            st.container(),
            st.expander("Model and test set", icon=":material/tune:"),
        )
    with setup:
        test_set, given, truth = doors(challenge_id)
    if truth is None:
        return
    with right:
        first = prediction.impression_first()
    with image_place:
        shown = image_upload.image(challenge_id, test_set, truth)
        if shown is not None:
            picture(shown)
    if shown is None:
        with right:
            st.info("The answer will stand here.", icon=":material/image:")
        return
    subject = model.asked(challenge_id, truth)
    with right:
        opened = model.worker(subject, given)
        if opened.refused:
            for problem in opened.refused.problems:
                st.error(
                    f"{markdown(problem.where)}: {markdown(problem.message, 600)}", icon=":material/block:"
                )
            return
        answer_place = st.container()
    vector = None
    if opened.value.takes_vector:
        with person_place:
            vector = person.asked(shown, truth)
        if vector is None:
            answer_place.info("The answer will stand here.", icon=":material/image:")
            return
    held = model.standing(subject, test_set, title_of(test_set), truth, given)
    among = (
        None
        if isinstance(held, Running) or session.working()
        else model.qualities(challenge_id, test_set, truth)
    )
    asked(
        subject,
        test_set,
        given,
        truth,
        shown,
        opened.value,
        vector,
        held,
        among,
        answer_place,
        image_place,
        first,
    )


def doors(challenge_id: str) -> tuple[Input, Input, object]:
    """The model and the test set that it is held against; no truth where the test set cannot be read."""
    test_set, sample_key, truth = cases(challenge_id)
    offered = samples.test_sets(challenge_id)[sample_key].submissions
    given, door = inputs.model(offered, f"single_{challenge_id}_{sample_key}")
    door.caption(
        "Your own model, kept for this session." if given.own else markdown(offered[door.sample].about, 400)
    )
    return test_set, given, truth


def cases(challenge_id: str) -> tuple[Input, str, object]:
    """The door of the test set: what was given, the sample's key, and its cases, None where they cannot be
    read."""
    challenge = load_challenge(challenge_id)
    kind = challenge.inputs.truth
    test_set, door = inputs.test_set(samples.test_sets(challenge_id), challenge_id, kind.words, kind.endings)
    truth = submissions.truth(challenge_id, test_set)
    if isinstance(truth, Running):
        submissions.running(truth)
    elif truth.refused:
        layout.refusal(truth.refused)
    else:
        door.caption(
            f"{len(truth.value)} cases."
            + " Every number about a test set speaks of this one."
            * (challenge.single_image.kind == "photograph")
        )
        return test_set, door.sample, truth.value
    return test_set, door.sample, None


def tissue(challenge_id: str) -> None:
    """A tile of stained tissue under a dense model of nuclei, or with a file of them."""
    left, right = st.columns([2, 5], gap="large")
    with left:
        image_place, setup = st.container(), st.expander("Model and tiles", icon=":material/tune:")
    with setup:
        given = tile.source()
        test_set, _, truth = cases(challenge_id)
    if truth is None:
        return
    with image_place:
        shown = image_upload.image(challenge_id, test_set, truth)
        if shown is not None:
            quality_of_tile(shown)
    with right:
        if shown is None or given is None:
            st.info(
                "The nuclei will stand here."
                if given
                else "Drop a file with the tile's nuclei: see “Model and tiles”.",
                icon=":material/image:",
            )
            return
        found, detector = tile.found(given, shown)
        if found.refused:
            for problem in found.refused.problems:
                st.error(
                    f"{markdown(problem.where)}: {markdown(problem.message, 600)}", icon=":material/block:"
                )
        else:
            tile.show(found.value, shown, given, detector)


def quality_of_tile(shown: Image) -> None:
    """What can be said of a tile before anything is counted on it."""
    st.caption(_about_image(shown))
    prediction.chips(quality.tile_chips(image_upload.measured(shown), *shown.photograph.size))


def title_of(test_set: Input) -> str:
    return test_set.name if test_set.own else f"sample test set {test_set.name}"


def picture(shown: Image) -> None:
    """The image, and what its file held besides."""
    width, height = shown.photograph.size
    st.image(
        preview(shown),
        width=round(SEEN_PX * min(1, width / height)),
        alt=f"The image that the model is asked about, {width} by {height} px",
    )
    st.caption(_about_image(shown))


def _about_image(shown: Image) -> str:
    width, height = shown.photograph.size
    return (
        f"{width} × {height} px. {wording.dropped_line(shown.photograph.dropped)}"
        + f" {wording.TURNED}" * shown.photograph.turned
    )


def asked(
    subject: ModelTask,
    test_set: Input,
    given: Input,
    truth,
    shown: Image,
    opened,
    vector,
    held: Outcome | Running,
    among,
    answer_place,
    image_place,
    first: bool,
) -> None:
    """The answer, after the visitor's own impression where that comes first, then what may be asked beyond
    it; what still runs is shown below."""
    key = (subject.challenge, test_set.key, given.key)
    reference = (
        None if isinstance(held, Running) or held.refused else model.apart_from(held.value, shown.case, key)
    )
    found = image_upload.measured(shown)
    others = among.value if isinstance(among, Outcome) and among.value else ()
    chips = quality.photograph_chips(found, subject.shortest_side, others)
    with image_place:
        prediction.chips(chips)
    with answer_place:
        try:
            answer = answer_of(opened, given, shown, vector, reference, test_set)
        except InputRefused as refused:
            st.error(markdown(refused.problems[0].message, 600), icon=":material/block:")
            return
        question = Query(subject, given, opened, shown, answer, reference, test_set, truth, found, chips)
        own = prediction.impression(question, first)
        if own is None:
            return
        prediction.show(question, own)
    layout.tabs(
        {
            "Why": explanation.parts,
            "Operating point": performance.operating,
            "Cases alike": performance.cases_alike,
            "What if": explanation.person,
            "Record": lambda question: record.show(question, own, performance.sensitivity()),
        },
        question,
    )
    if isinstance(held, Running):
        st.caption(
            "Meanwhile the model is asked about the test set, so that its answer can be held "
            "against cases whose class is known."
        )
        submissions.running(held)
    elif held.refused:
        st.info(
            f"The model could not be run on the test set: {markdown(held.refused.problems[0].message, 400)}",
            icon=":material/info:",
        )
    elif isinstance(among, Running):
        st.caption("Meanwhile the images of the test set are measured, to rank this one's quality.")
        submissions.running(among)


single_image()
