"""The answer first: what the model says, how sure it is, and why it may be no answer."""

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import layout
from pages.shared.single_image import session
from pages.shared.single_image.query import Query
from scoring.figures import single_image as figures
from scoring.single_image import wording
from scoring.single_image.quality import CAUTION, GOOD, NOTE, STOP, Chip
from scoring.single_image.reference import share_alike
from scoring.text import markdown

BADGES = {GOOD: ("green", "✓"), NOTE: ("gray", "i"), CAUTION: ("orange", "▲"), STOP: ("red", "✕")}


def chips(found: tuple[Chip, ...]) -> None:
    """The quality of the image: a badge each, and a sentence for those that are not good."""
    badges = []
    for chip in found:
        colour, sign = BADGES[chip.level]
        badges.append(f":{colour}-badge[{sign} {chip.name}: {markdown(chip.value)}]")
    st.markdown(" ".join(badges))
    for chip in found:
        if chip.level != GOOD:
            st.caption(markdown(chip.words, 400))
    places = [f"{chip.name} {chip.percentile:.0%}" for chip in found if chip.percentile is not None]
    if places:
        st.caption(f"Test set images with a lower value: {markdown(', '.join(places))}.")


def impression_first() -> bool:
    """Whether the visitor wants to write down an own impression before any answer is shown; asked before
    there is one."""
    return st.toggle(
        "My impression first",
        key="single_first",
        persist_state="session",
        help="Hides the answer until you have given yours.",
    )


def impression(asked: Query, wanted: bool) -> str | None:
    """The visitor's own impression, written down before anything is shown; None until then, "" where none is
    wanted."""
    key = f"single_impression_{asked.image.token}"
    if not wanted:
        return ""
    if session.held("impression", key):
        return session.kept("impression", key, str)
    options = {name: k for k, name in enumerate(asked.subject.classes)}
    with st.container(border=True):
        chosen = st.selectbox(
            "My impression",
            list(options),
            index=None,
            key=key,
            format_func=lambda name: f"{name} · {asked.subject.names[options[name]]}",
        )
        if st.button("Reveal", key=f"{key}_reveal", disabled=chosen is None, icon=":material/visibility:"):
            return session.kept("impression", key, lambda: chosen)
    return None


def show(asked: Query, own: str) -> None:
    """Draw the answer. own: the visitor's impression, "" without one."""
    answer, subject, views = asked.answer, asked.subject, asked.views
    _lead(asked, own)
    for words in wording.abstentions(asked.classes, views, asked.chips):
        st.warning(markdown(words, 400), icon=":material/front_hand:")
    span = None if views is None else (views.low, views.high)
    numbers = pd.DataFrame({"class": subject.classes, "score": answer.probabilities})
    for name, column in (
        ("temperature-scaled", answer.scaled),
        *(() if span is None else (("lowest", span[0]), ("highest", span[1]))),
    ):
        if column is not None:
            numbers[name] = column
    layout.chart(
        figures.ranked(
            figures.Scores(
                subject.classes,
                subject.risk,
                answer.probabilities,
                answer.outputs,
                span,
                answer.scaled,
                subject.names,
            ),
            layout.theme(),
        ),
        _legend(asked),
        numbers,
        key="ranked",
    )
    if views is None and not session.held("views", asked.view_key):
        seconds = answer.cpu_ms * asked.other_views / 1000
        if st.button(
            f"Turn and mirror it too ({asked.other_views} runs, about {seconds:.0f} s)", key="single_views"
        ):
            asked.turned()
            st.rerun()
    _class_set(asked)


def _lead(asked: Query, own: str) -> None:
    """The first sentence, with the truth where the image is a case of the test set."""
    answer, classes, subject = asked.answer, asked.subject.classes, asked.subject
    if asked.held is None:
        words = f"Highest score: {classes[answer.top]} {answer.probabilities[answer.top]:.2f}."
    else:
        words = wording.score_line(
            answer, share_alike(asked.held, answer.probabilities, answer.top), asked.held
        )
    first, _, rest = words.partition(". ")
    st.subheader(markdown(first) + _in_full(asked, answer.top), anchor=False)
    if rest:
        st.markdown(markdown(rest, 400))
    said = []
    if own:
        said.append(f"Your impression: **{markdown(own)}**.")
    label = int(asked.truth.labels[asked.image.case]) if asked.image.case is not None else -1
    if label >= 0:
        said.append(
            "Truth of this case in the test set: "
            f"{layout.class_name(classes[label], subject.risk[label] or None)}."
        )
    if said:
        st.markdown("  \n".join(said))


def _in_full(asked: Query, k: int) -> str:
    """The full name of a class in lighter type, where the challenge writes it short."""
    name = asked.subject.names[k]
    return "" if name == asked.subject.classes[k] else f" :small[:gray[{markdown(name)}]]"


def _legend(asked: Query) -> str:
    said = ["Right: score and raw output; in bold lines of a group their sum."]
    if asked.answer.kind != "probabilities":
        said.append("The raw outputs are no shares; the scores were made from them.")
    if asked.answer.scaled is not None:
        said.append(
            f"Ring: score with the temperature {asked.held.temperature:.2f} that fits "
            f"{markdown(asked.held.name)} (n = {len(asked.held)}) best."
        )
    if asked.views is not None:
        said.append(f"Whisker: lowest to highest. {markdown(wording.views_line(asked.views))}")
    return " ".join(said)


def _class_set(asked: Query) -> None:
    """The set of classes as chips, and what it is worth."""
    found = asked.classes
    if found is None:
        return
    subject = asked.subject
    order = sorted(np.flatnonzero(found.members), key=lambda k: -asked.answer.probabilities[k])
    names = [
        layout.class_name(subject.classes[k], subject.risk[k] or None) + _in_full(asked, k) for k in order
    ]
    layout.heading(f"Which classes are in the set for {1 - found.miss:.0%}?")
    st.markdown(" · ".join(names) or "None.")
    st.caption(markdown(wording.set_line(found, subject.classes), 900))
