"""Model output for the image: scores, uncertainty, and reasons why there is no answer."""

from collections.abc import Sequence
from html import escape

import numpy as np
import pandas as pd
import streamlit as st

from pages.display import layout, tables
from pages.display.headline import anchor
from pages.single_image_sections import further_photographs, session_state
from pages.single_image_sections.query import Query
from scoring.challenges.classification_views import class_name
from scoring.common.text import markdown
from scoring.inference.single_image_task import ModelTask
from scoring.presentation.figures import single_image as figures
from scoring.single_image import wording
from scoring.single_image.abstention import reasons_of, withheld_line
from scoring.single_image.model_card import card_line, entries
from scoring.single_image.quality import CAUTION, GOOD, NOTE, STOP, QualityBadge
from scoring.single_image.reader_study import CONFIDENCES, UNSURE, UNSURE_WORD, Impression
from scoring.single_image.similar_cases import right_alike

UNSEEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"
"""Style of text that is only for screen readers."""
CARD = "model_card"
LABELS = {"likeness": "similarity to the test images", "lesion": "edges"}
NO_IMPRESSION = Impression(UNSURE, "")
BADGES = {GOOD: ("green", "✓"), NOTE: ("gray", "i"), CAUTION: ("orange", "▲"), STOP: ("red", "✕")}


def chips(
    badges_of_image: tuple[QualityBadge, ...], explained: tuple[str, ...] = (NOTE, CAUTION, STOP)
) -> None:
    """Draw the quality of the image: a badge each, and a sentence for each of the levels `explained`."""
    badges = []
    for chip in badges_of_image:
        colour, sign = BADGES[chip.level]
        name = LABELS.get(chip.name, chip.name)
        badges.append(f":{colour}-badge[{sign} {name[0].upper()}{name[1:]}: {markdown(chip.value)}]")
    st.markdown(" ".join(badges))
    for chip in badges_of_image:
        if chip.level in explained:
            st.caption(markdown(chip.words, 400))


def impression_first(several: bool = False) -> bool:
    """Return whether the visitor wants to write down an own assessment before any answer is shown. several:
    in a session of images, where this is the default."""
    return st.toggle(
        "My impression first",
        several,
        key="single_session_first" if several else "single_first",
        persist_state="session",
        help="You see the model's answer after you have entered your impression.",
    )


def impression(query: Query, wanted: bool) -> Impression | None:
    """Return the visitor's own assessment from before the answer; None until it is given; without a
    confidence if none is wanted."""
    key = f"single_impression_{query.setup.image.token}"
    if not wanted:
        return NO_IMPRESSION
    if session_state.held("impression", key):
        return session_state.cached("impression", key, lambda: NO_IMPRESSION)
    with st.container(border=True):
        chosen = impression_fields(query.setup.task, key, "My impression")
        if button("Reveal", f"{key}_reveal", ["your confidence"] * (chosen is None)):
            return session_state.cached("impression", key, lambda: chosen)
    return None


def button(label: str, key: str, missing: list[str]) -> bool:
    """Draw the button to continue, with the missing inputs, and return whether it was pressed."""
    pressed = st.button(label, key=key, disabled=bool(missing), type="primary")
    if missing:
        st.caption(f"Give {' and '.join(missing)} first.")
    return pressed and not missing


def impression_fields(
    task: ModelTask, key: str, label: str, chosen: int | None = UNSURE
) -> Impression | None:
    """Draw the fields of an assessment, and return it; None while one is empty. chosen: the initial class,
    None for none."""
    said = class_field(task, key, label, UNSURE_WORD, chosen)
    confidence = st.segmented_control("Confidence", CONFIDENCES, key=f"{key}_confidence")
    return None if said is None or confidence is None else Impression(said, confidence)


def class_field(task: ModelTask, key: str, label: str, none: str, chosen: int | None = UNSURE) -> int | None:
    """Draw the choice of a class or of none, and return its number or UNSURE. chosen: the initial one, None
    for none."""
    options = [UNSURE, *range(len(task.classes))]
    return st.selectbox(
        label,
        options,
        None if chosen is None else options.index(chosen),
        key=key,
        format_func=lambda k: none if k == UNSURE else task.names[k],
    )


def show(query: Query, own: Impression) -> bool:
    """Draw the answer, or that there is none; return whether scores are shown. own: the visitor's
    assessment."""
    reasons = query.reasons
    _announce(query, reasons)
    if reasons:
        _no_answer(query, reasons, own)
        if not st.toggle("Show the scores anyway", key=f"single_anyway_{query.setup.image.token}"):
            return False
    _lead(query, own, withheld=bool(reasons))
    _card(query, () if reasons else further_photographs.cautions(query))
    _class_set(query)
    _scores(query)
    views = query.views
    if views is None and not session_state.held("views", query.view_key):
        seconds = query.answer.cpu_ms * query.other_views / 1000
        if st.button(
            f"Run on turned and mirrored copies too ({query.other_views} runs, {seconds:.0f} s or more)",
            key="single_views",
        ):
            query.turned()
            st.rerun()
    return True


def without_scale(query: Query, first: bool) -> None:
    """Say that there is no answer because the scale of the outputs is unknown. first: whether the visitor's
    own assessment comes first, so that no output is shown."""
    if reasons := reasons_of(query.chips):
        _reasons(reasons)
    st.info(wording.scale_line(query.runs), icon=":material/straighten:")
    if not first:
        st.caption(markdown(wording.raw_line(query.answer.outputs, query.setup.task.names), 900))


def _card(query: Query, cautions: Sequence[str]) -> None:
    """Draw the model's overall performance, the cautions that the headline does not name, and facts from the
    model's file and its preflight."""
    task, opened, card = query.setup.task, query.setup.opened, query.card
    further = wording.further_line(cautions)
    if further:
        anchor(CARD)
    if said := " ".join(filter(None, ("" if card is None else card_line(card, task.names), further))):
        warns = bool(further) or (card is not None and card.warns)
        (st.warning if warns else st.caption)(markdown(said, 2200))
    for finding in opened.findings:
        if finding.level == "warning":
            st.warning(markdown(finding.message, 600), icon=":material/warning:")
    with st.expander("How good is this model?", icon=":material/analytics:"):
        if card is not None:
            columns = {
                "class": task.names,
                "its cases found": [str(share) for share in card.found],
                "correct when predicted": [str(share) for share in card.confirmed],
            }
            layout.table(
                "How good is this model, class by class?",
                pd.DataFrame(columns),
                {name: tables.text_column(name) for name in columns},
                f"With 95% intervals (Wilson).{_ties(card.outputs.tied)}",
                key="single_card",
            )
        if card is not None and card.by_tone:
            st.markdown(markdown(card.tone_line, 700))
        told = entries(opened.process.facts.graph.metadata)
        for name, value in told:
            st.markdown(f"{markdown(name)}: {markdown(value, 600)}")
        if not told:
            st.caption("The model's file does not name its training data or its purpose.")


def _no_answer(query: Query, reasons: tuple[str, ...], own: Impression) -> None:
    """Draw the headline where nothing is to be concluded, why, and how often that is so on the test set."""
    _reasons(reasons)
    st.caption(f"Model: {markdown(query.model_name)}. {markdown(_how_often(query), 400)}")
    _beside_answer(query, own)


def _ties(tied: int) -> str:
    """Return how ties count in the table of classes, as a sentence after another; "" without ties."""
    return f" On {tied} images several classes share the highest score; the first counts." if tied else ""


def _reasons(reasons: tuple[str, ...]) -> None:
    st.header(wording.NO_ANSWER, anchor=False)
    for sentence in reasons:
        st.warning(markdown(sentence, 500), icon=":material/front_hand:")


def _how_often(query: Query) -> str:
    if query.withheld is not None:
        return withheld_line(query.withheld)
    if query.unknown:
        return f"The share of test images without an answer is not known: {query.unknown}"
    return "How many test images get no answer is not known yet."


def _announce(query: Query, reasons: tuple[str, ...]) -> None:
    """Announce a new answer to screen readers."""
    answer = query.answer
    sentence = f"{wording.NO_ANSWER} for this image."
    if not reasons:
        cautions = further_photographs.cautions(query)
        sentence = f"New answer. {wording.headline(answer, query.setup.task.names, cautions)}."
    st.html(f'<div role="status" aria-live="polite" style="{UNSEEN}">{escape(sentence)}</div>')


def _lead(query: Query, own: Impression, withheld: bool) -> None:
    """Draw the first sentence, with the truth where the image is a case of the test set."""
    answer, names = query.answer, query.setup.task.names
    cautions = () if withheld else further_photographs.cautions(query)
    first = markdown(wording.headline(answer, names, cautions), 700)
    if withheld:
        official = markdown(answer.official_line, 400)
        st.markdown(f"{first}, but the model gives no answer. {official}".rstrip())
    else:
        if more := wording.further_count(cautions):
            first = first.replace(more, f"[{more}](#{CARD})")
        st.header(first, anchor=False)
        st.caption(markdown(wording.model_line(query.model_name, answer, names), 600))
    if query.held is not None:
        right = right_alike(query.held, answer.probabilities)
        st.markdown(markdown(wording.right_line(right, query.held, names[answer.top]), 600))
    if not withheld:
        _beside_answer(query, own)
        if query.views is not None and query.views.most_changed:
            st.warning(markdown(wording.views_line(query.views)), icon=":material/sync_problem:")


def _beside_answer(query: Query, own: Impression) -> None:
    """Draw the visitor's impression and the truth, where there are any."""
    task, sentences = query.setup.task, []
    if own.confidence:
        named = markdown(own.named(task.names))
        sentences.append(f"Your impression: **{named}**, confidence {own.confidence}.")
    label = query.setup.label
    if label >= 0:
        sentences.append(
            f"True class of this test image: {class_name(task.names[label], task.risk[label] or None)}."
        )
    if sentences:
        st.markdown("  \n".join(sentences))


def _class_set(query: Query) -> None:
    """Draw the possible classes, and the reliability of this set."""
    class_set = query.classes
    if class_set is None:
        return
    task = query.setup.task
    order = sorted(np.flatnonzero(class_set.members), key=lambda k: -query.answer.probabilities[k])
    names = [class_name(task.names[k], task.risk[k] or None) for k in order]
    names = [name.replace("] ", "]\N{NO-BREAK SPACE}", 1) for name in names]  # a shape leads its own name
    st.markdown(f"**{wording.POSSIBLE}:** {'; '.join(names)}.")
    st.caption(markdown(wording.set_line(class_set, task.names, query.answer.top), 1500))


def _scores(query: Query) -> None:
    answer, task, views = query.answer, query.setup.task, query.views
    span = None if views is None else (views.low, views.high)
    columns = {"class": task.names, "score": answer.probabilities}
    if span is not None:
        columns |= {"lowest": span[0], "highest": span[1]}
    scores = figures.ImageScores(task.names, task.risk, answer.probabilities, span)
    layout.chart(
        figures.ranked(scores, layout.theme()),
        _legend(query, scores.has_sums),
        pd.DataFrame(columns),
        key="ranked",
    )
    with st.expander("Technical", icon=":material/build:"):
        _technical(query)


def _technical(query: Query) -> None:
    """Raw outputs and scores after the temperature."""
    answer, task = query.answer, query.setup.task
    raw = np.full(len(task.classes), np.nan)
    raw[-len(answer.outputs) :] = answer.outputs
    columns = {"class": task.classes, "score": answer.probabilities, "raw output": raw}
    sentence = f"Benchside treats the raw outputs as {answer.kind}. {wording.kind_line(answer.kind)}".strip()
    if answer.scaled is not None and query.held is not None:
        columns[wording.SCALED] = answer.scaled
        sentence += f" {markdown(wording.temperature_line(query.held), 400)}"
    numbers = {name: tables.number_column(name, 4) for name in columns if name != "class"}
    layout.table(
        "What were the model's raw outputs?",
        pd.DataFrame(columns).iloc[list(answer.order)],
        {"class": tables.text_column("class")} | numbers,
        sentence,
        key="single_technical",
    )


def _legend(query: Query, has_sums: bool) -> str:
    sentences = [f"Bold numbers: scores{'; grey numbers: sum of a group' * has_sums}."]
    if said := wording.kind_line(query.answer.kind):
        sentences.append(said)
    if query.views is not None:
        copies = f"the image and its {query.views.others} turned and mirrored copies"
        sentences.append(f"Whiskers: range of the scores of {copies}.")
        sentences.append(markdown(wording.views_line(query.views)))
    return " ".join(sentences)
