"""The answer first: what the model says, how sure it is, and why it may be no answer."""

from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from pages.shared import layout
from pages.shared.single_image import session
from pages.shared.single_image.query import Query
from scoring.figures import single_image as figures
from scoring.single_image import wording
from scoring.single_image.abstention import least_score, withheld_line
from scoring.single_image.quality import CAUTION, GOOD, NOTE, STOP, Chip
from scoring.single_image.reference import share_alike
from scoring.text import markdown

UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"
"""Style of what is read aloud and not shown."""
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
            format_func=lambda name: asked.subject.names[options[name]],
        )
        if st.button("Reveal", key=f"{key}_reveal", disabled=chosen is None, icon=":material/visibility:"):
            return session.kept("impression", key, lambda: chosen)
    return None


def show(asked: Query, own: str) -> bool:
    """Draw the answer, or that there is none; return whether scores are shown. own: the visitor's impression,
    "" without one."""
    reasons = asked.reasons
    _announce(asked, reasons)
    if reasons:
        _no_answer(asked, reasons, own)
        if not st.toggle("Show the scores anyway", key=f"single_anyway_{asked.image.token}"):
            return False
    _lead(asked, own, withheld=bool(reasons))
    _class_set(asked)
    _scores(asked)
    views = asked.views
    if views is None and not session.held("views", asked.view_key):
        seconds = asked.answer.cpu_ms * asked.other_views / 1000
        if st.button(
            f"Turn and mirror it too ({asked.other_views} runs, about {seconds:.0f} s)", key="single_views"
        ):
            asked.turned()
            st.rerun()
    return True


def _no_answer(asked: Query, reasons: tuple[str, ...], own: str) -> None:
    """The headline where nothing is to be concluded, why, and how often that is so on the test set."""
    st.subheader(wording.NO_ANSWER, anchor=False)
    for words in reasons:
        st.warning(markdown(words, 500), icon=":material/front_hand:")
    st.caption(f"Model: {markdown(asked.model_name)}. {markdown(_how_often(asked), 400)}")
    _beside_answer(asked, own)


def _how_often(asked: Query) -> str:
    if asked.withheld is not None:
        return withheld_line(asked.withheld)
    if asked.held is None or least_score(asked.held) is None:
        return "The test set has too few cases to say how often there is no answer."
    return "How often there is no answer on the test set is counted below."


def _announce(asked: Query, reasons: tuple[str, ...]) -> None:
    """A new answer, read aloud by screen readers."""
    answer = asked.answer
    words = (
        f"{wording.NO_ANSWER} for this image."
        if reasons
        else f"New answer: {asked.subject.names[answer.top]} {answer.probabilities[answer.top]:.2f}."
    )
    st.html(f'<div role="status" aria-live="polite" style="{UNSEEN}">{escape(words)}</div>')


def _lead(asked: Query, own: str, withheld: bool) -> None:
    """The first sentence, with the truth where the image is a case of the test set."""
    answer, names = asked.answer, asked.subject.names
    if asked.held is None:
        words = f"Highest score: {names[answer.top]} {answer.probabilities[answer.top]:.2f}."
    else:
        words = wording.score_line(
            answer, share_alike(asked.held, answer.probabilities, answer.top), asked.held, names
        )
    first, _, rest = words.partition(". ")
    first = first.rstrip(".")
    if withheld:
        st.markdown(f"{markdown(first)}, but no answer.")
    else:
        st.subheader(markdown(first), anchor=False)
        st.caption(f"Model: {markdown(asked.model_name)}")
    if rest:
        st.markdown(markdown(rest, 600))
    if not withheld:
        _beside_answer(asked, own)
        if asked.views is not None and asked.views.changed:
            st.warning(markdown(wording.views_line(asked.views)), icon=":material/sync_problem:")


def _beside_answer(asked: Query, own: str) -> None:
    """The visitor's impression and the truth, where there are any."""
    subject, said = asked.subject, []
    if own:
        said.append(f"Your impression: **{markdown(subject.names[subject.classes.index(own)])}**.")
    label = int(asked.truth.labels[asked.image.case]) if asked.image.case is not None else -1
    if label >= 0:
        said.append(
            "Truth of this case in the test set: "
            f"{layout.class_name(subject.names[label], subject.risk[label] or None)}."
        )
    if said:
        st.markdown("  \n".join(said))


def _class_set(asked: Query) -> None:
    """The classes that cannot be ruled out, and what that is worth."""
    found = asked.classes
    if found is None:
        return
    subject = asked.subject
    order = sorted(np.flatnonzero(found.members), key=lambda k: -asked.answer.probabilities[k])
    names = [layout.class_name(subject.names[k], subject.risk[k] or None) for k in order]
    st.markdown(f"**Classes that cannot be ruled out:** {'; '.join(names)}.")
    st.caption(markdown(wording.set_line(found, subject.names, asked.answer.top), 900))


def _scores(asked: Query) -> None:
    answer, subject, views = asked.answer, asked.subject, asked.views
    span = None if views is None else (views.low, views.high)
    columns = {"class": subject.names, "score": answer.probabilities}
    if span is not None:
        columns |= {"lowest": span[0], "highest": span[1]}
    layout.chart(
        figures.ranked(
            figures.Scores(subject.names, subject.risk, answer.probabilities, span), layout.theme()
        ),
        _legend(asked),
        pd.DataFrame(columns),
        key="ranked",
    )
    with st.expander("Technical", icon=":material/build:"):
        _technical(asked)


def _technical(asked: Query) -> None:
    """Raw outputs and scores after the temperature."""
    answer, subject = asked.answer, asked.subject
    raw = np.full(len(subject.classes), np.nan)
    raw[-len(answer.outputs) :] = answer.outputs
    columns = {"class": subject.classes, "score": answer.probabilities, "raw output": raw}
    words = f"The raw outputs are taken for {answer.kind}."
    if answer.kind != "probabilities":
        words += " They are no shares; the scores were made from them."
    if answer.scaled is not None:
        columns["temperature-scaled"] = answer.scaled
        words += (
            f" Temperature-scaled: with the temperature {asked.held.temperature:.2f} that fits "
            f"{markdown(asked.held.name)} (n = {len(asked.held)}) best."
        )
    numbers = {name: layout.number(name, 4) for name in columns if name != "class"}
    layout.table(
        "What did the model put out?",
        pd.DataFrame(columns).iloc[list(answer.order)],
        {"class": layout.words("class")} | numbers,
        words,
        key="single_technical",
    )


def _legend(asked: Query) -> str:
    said = ["Right: score; in bold lines of a group their sum."]
    if asked.views is not None:
        said.append("Whisker: lowest to highest when turned and mirrored.")
        said.append(markdown(wording.views_line(asked.views)))
    return " ".join(said)
