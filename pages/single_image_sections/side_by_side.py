"""Model outputs side by side: several photographs of one lesion, or two models for one image."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scoring_run import Outcome, Running
from pages.display import finding_list, layout, tables
from pages.display.layout import draw_picture
from pages.input_widgets import selectors as inputs
from pages.input_widgets.selectors import ChosenInput
from pages.single_image_sections import (
    further_photographs,
    model_and_test_set,
    model_processes,
    session_state,
)
from pages.single_image_sections.chosen_image import ChosenImage
from pages.single_image_sections.query import Query, preview
from scoring.challenges import samples
from scoring.common.text import markdown
from scoring.single_image import image_prediction, wording
from scoring.single_image.abstention import ImageAnswer
from scoring.single_image.image_record import SecondModel
from scoring.single_image.model import OpenModel
from scoring.single_image.model_card import card_line, model_card
from scoring.single_image.side_by_side import (
    DatedAnswer,
    as_shown,
    by_date,
    changes_over_time,
    mean_scores,
    models_line,
    photographs_line,
    shown_difference,
    told_apart,
)

NO_MODEL, OWN_MODEL = "none", "own"
DIGITS = 3
"""Decimals of the scores in the tables."""
SECOND_ASKED = "Meanwhile the second model runs on the test set, to measure its performance."
SHOWN = f"{session_state.PREFIX}second_shown"


def show(query: Query) -> None:
    """Draw the answers to further photographs of the lesion, then those of a second model."""
    _photographs(query)
    _models(query)


def _photographs(query: Query) -> None:
    layout.heading("What does the model predict for several photographs of this lesion?")
    if query.setup.image.case is not None or not query.setup.image.others:
        st.caption("Add photographs of the same lesion under My image or Camera: up to 6, side by side.")
        return
    outcome = scoring_run.attempt(further_photographs.answers, query)
    if outcome.refused:
        finding_list.problems(outcome.refused)
        return
    lesion: dict[int, ImageAnswer] = outcome.value
    st.markdown(f"**{markdown(photographs_line(lesion, query.setup.task.names), 900)}**")
    _over_time(query, lesion)
    columns = {f"photograph {number}": answer.prediction.probabilities for number, answer in lesion.items()}
    mean = mean_scores(lesion)
    if mean is not None:
        columns["mean"] = mean
    order = query.answer.probabilities if mean is None else mean
    _table(query, "Scores of each photograph", columns, order)


def _over_time(query: Query, lesion: dict[int, ImageAnswer]) -> None:
    """Draw the photographs in the order of their dates, as they are framed, and what changed."""
    images = sorted((query.setup.image, *query.setup.image.others), key=lambda image: image.number)
    with st.grid(min_column_width=150, gap="small"):
        taken = [
            st.date_input(
                f"Date of photograph {image.number}",
                None,
                key=_date_key(image),
                max_value="today",
                persist_state="session",
            )
            for image in images
        ]
    answers = [
        DatedAnswer(f"photograph {number}", day, answer.prediction, answer.views)
        for day, (number, answer) in zip(taken, lesion.items(), strict=True)
    ]
    pictures = {answer.name: preview(image) for answer, image in zip(answers, images, strict=True)}
    ordered = by_date(answers)
    with st.grid(min_column_width=180, gap="small"):
        for answer in ordered:
            top = query.answer.top
            caption = f"{answer.called}: {query.setup.task.names[top]} {answer.score(top)}"
            draw_picture(pictures[answer.name], markdown(caption), width="stretch", alt=answer.called)
    st.caption(
        "Each photograph is shown after cropping. Crop the same part of each for a fair comparison. In "
        "brackets: range of the scores of the photograph and its turned and mirrored copies."
    )
    for sentence in changes_over_time(ordered, query.setup.task.names):
        st.markdown(markdown(sentence, 900))


def _date_key(image: ChosenImage) -> str:
    """Return the key of a photograph's date, which turning and cropping do not change."""
    return f"single_date_{image.token.split('-')[0]}"


def dates(query: Query) -> dict[int, date]:
    """Return the dates of the photographs of the lesion that were entered, by number."""
    images = (query.setup.image, *query.setup.image.others)
    found = {image.number: st.session_state.get(_date_key(image)) for image in images}
    return {number: taken for number, taken in found.items() if taken is not None}


def second_model(query: Query) -> SecondModel | None:
    """Return the second model's answer to this image, None if none was chosen."""
    key, second = st.session_state.get(SHOWN, (None, None))
    return second if key == query.key else None


def _models(query: Query) -> None:
    st.session_state.pop(SHOWN, None)
    layout.heading("What does a second model predict for this image?")
    challenge_id = query.setup.task.challenge
    sample = samples.test_sets(challenge_id)[model_and_test_set.sample_key(challenge_id)]
    offered = {
        key: entry
        for key, entry in sample.submissions.items()
        if entry.is_model and inputs.sample_submission(entry).key != query.setup.model.key
    }
    titles = {NO_MODEL: "None", **{key: entry.title for key, entry in offered.items()}, OWN_MODEL: "Own file"}
    chosen = st.selectbox(
        "Second model",
        list(titles),
        key=f"single_second_{challenge_id}",
        format_func=titles.__getitem__,
        width=320,
    )
    if chosen == NO_MODEL:
        return
    second = (
        inputs.one_file("Second model: an ONNX file", f"single_second_{challenge_id}")
        if chosen == OWN_MODEL
        else inputs.sample_submission(offered[chosen])
    )
    if second is not None:
        _second(query, second, second.name if chosen == OWN_MODEL else titles[chosen])


def _second(query: Query, second: ChosenInput, name: str) -> None:
    outcome = _second_answer(query, second, name)
    if isinstance(outcome, model_processes.Waiting):
        model_processes.wait_for_place(outcome)
        return
    if outcome.refused:
        finding_list.problems(outcome.refused)
        return
    held, task = _performance(query, second), query.setup.task
    known = None if isinstance(held, Running) else held.value
    card = None if known is None else model_card(known, task.malignant, query.setup.truth.columns)
    shown: SecondModel = replace(outcome.value, card=card)
    if not shown.prediction.scale_known:
        runs = isinstance(held, Running) and not held.job.future.done()
        st.info(f"Second model: {wording.scale_line(runs)}")
        if isinstance(held, Running):
            scoring_run.running(held)
        return
    st.session_state[SHOWN] = (query.key, shown)
    first, second_prediction, models = query.answer, shown.prediction, told_apart(query.model_name, name)
    line = models_line(first, second_prediction, task.names, models, shown.cautions)
    st.markdown(f"**{markdown(line, 900)}**")
    columns = {
        models[0]: as_shown(first.probabilities, DIGITS),
        models[1]: as_shown(second_prediction.probabilities, DIGITS),
        "difference": shown_difference(second_prediction.probabilities, first.probabilities, DIGITS),
    }
    _table(
        query,
        "Scores of each model",
        columns,
        np.maximum(first.probabilities, second_prediction.probabilities),
    )
    if said := wording.kind_line(second_prediction.kind):
        st.caption(f"Second model: {said}")
    if isinstance(held, Running):
        scoring_run.running(held, SECOND_ASKED)
    elif card is not None:
        about = markdown(f"Second model: {card_line(card, task.names)}", 1500)
        (st.warning if card.warns else st.caption)(about)


def _performance(query: Query, second: ChosenInput) -> Outcome | Running:
    """Return the second model's outputs on the test set."""
    title = model_and_test_set.title_of(query.setup.test_set)
    return model_processes.performance(
        query.setup.task, query.setup.test_set, title, query.setup.truth, second
    )


def _second_answer(query: Query, second: ChosenInput, name: str) -> Outcome | model_processes.Waiting:
    """Return the second model's answer, at once; its outputs on the test set, once they are known, say what
    one row of them is."""
    opened = model_processes.second_worker(query.setup.task, second)
    if isinstance(opened, model_processes.Waiting) or opened.refused:
        return opened
    held = _performance(query, second)
    known = None if isinstance(held, Running) else held.value
    vector = query.answer.vector
    if opened.value.takes_vector and vector is None:
        return Outcome(refused=model_processes.no_person())
    key = (second.key, *query.key, query.setup.test_set.key, known is None)
    return session_state.cached(
        "second", key, lambda: scoring_run.attempt(_answer_by, opened.value, query, known, name)
    )


def _answer_by(opened: OpenModel, query: Query, held, name: str) -> SecondModel:
    """Ask a model about the image. held: its outputs on the test set, None if they are not known."""
    answer = image_prediction.predict(opened, query.setup.image.photograph, query.answer.vector, held)
    return SecondModel(name, opened.sha256, answer)


def _table(query: Query, question: str, columns: Mapping[str, np.ndarray], order: np.ndarray) -> None:
    rows = pd.DataFrame({"class": query.setup.task.names, **columns}).iloc[np.argsort(-order, kind="stable")]
    layout.table(
        question,
        rows,
        {"class": tables.text_column("class")}
        | {name: tables.number_column(name, DIGITS) for name in columns},
        "The scores of all classes add up to 1.",
        key=question,
    )
