"""A new challenge: from a dropped truth, column by column, to a file, its first score and its page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

import scoring
from pages.challenge.scoring_run import Outcome, attempt
from pages.display import downloads, finding_list
from pages.inputs import selectors
from pages.inputs.drop_routing import FILES_KEYS
from pages.inputs.dropped_files import RECOGNISED
from pages.inputs.selectors import ChosenInput
from pages.inputs.upload_widget import kept_files
from scoring.challenges.declared import baseline, draft, library
from scoring.challenges.declared.draft import Draft, TruthTable
from scoring.common.text import markdown
from scoring.core.challenge import Challenge

TASKS = {
    "classification": "one class per case",
    "ordinal": "one of ordered classes per case",
    "multilabel": "several labels per case",
    "regression": "a number per case",
    "survival": "a risk, with time and event",
}
"""Tasks of tables, with what each predicts."""
PREDICTED = {
    "label": "the class",
    "scores": "a score per class, in columns named as the classes",
    "score": "one score of the positive class",
}
COLUMNS = {
    "classification": {"label": "Column of the class"},
    "ordinal": {"label": "Column of the class"},
    "regression": {"value": "Column of the number"},
    "survival": {"time": "Column of the time", "event": "Column of the event (1 seen, 0 censored)"},
}
PER_CLASS = "a column of 0 and 1 per class"
SHOWN = 5
AGAIN, CHOOSE = "Drop another table.", "Choose otherwise above, or drop another file."


def show() -> None:
    """Draw the way from a truth, or a file, to a challenge."""
    begun = bool(kept_files("new_truth_kept") or kept_files("new_file_kept"))
    with st.expander("**New challenge**, without Python", icon=":material/add:", expanded=begun):
        left, right = st.columns(2)
        with left:
            truth = selectors.one_file("Truth: a table with a row per case", "new_truth")
        with right:
            file = selectors.one_file("Its file, if there is one: NAME.toml", "new_file")
        if file is not None:
            text = file.source.decode("utf-8", "replace")
            _made(attempt(library.of_text, file.source, file.name), text, truth)
        elif truth is not None:
            _from_truth(truth)


def _from_truth(truth: ChosenInput) -> None:
    read = attempt(_table, truth.key, truth.name, truth.source)
    if read.refused:
        finding_list.refusal(read.refused, title="The truth was not read", message=AGAIN)
        return
    table: TruthTable = read.value
    st.dataframe(
        pd.DataFrame({heading: cells[:SHOWN] for heading, cells in table.columns.items()}), hide_index=True
    )
    suggested = _suggestion(truth.key, truth.name, table)
    if suggested.refused:
        finding_list.refusal(suggested.refused, title="The truth has no case id", message=AGAIN)
        return
    written = _choices(table, suggested.value, f"new_{truth.key[:12]}")
    text = written.toml()
    _made(attempt(library.of_text, text, f"{written.id}.toml"), text, truth)


@st.cache_resource(max_entries=2, scope="session", show_spinner="Reading the truth ...")
def _table(key: str, name: str, _source) -> TruthTable:
    return draft.read_truth_table(_source, name)


@st.cache_resource(max_entries=2, scope="session", show_spinner=False)
def _suggestion(key: str, name: str, _table: TruthTable) -> Outcome:
    return attempt(draft.suggest, _table, name)


def _choices(table: TruthTable, suggested: Draft, key: str) -> Draft:
    """Draw what can be chosen, each with what was suggested, and return the draft."""
    left, middle, right = st.columns(3)
    headings = list(table.columns)
    with left:
        title = st.text_input("Title", suggested.title, key=f"{key}_title", max_chars=120)
        case = _select("Column of the case id", headings, suggested.case, f"{key}_case")
    with middle:
        task = st.selectbox(
            "Predicted is",
            list(TASKS),
            list(TASKS).index(suggested.task),
            key=f"{key}_task",
            format_func=lambda name: f"{TASKS[name]} ({name})",
        )
        columns = _columns(table, headings, suggested, task, f"{key}_{task}")
        named = replace(suggested, title=title, id=draft.id_of(title), case=case)
        made = draft.with_task(table, named, task=task, **columns)
    with right:
        return _metric(made, f"{key}_{task}")


def _columns(
    table: TruthTable, headings: Sequence[str], suggested: Draft, task: str, key: str
) -> Mapping[str, object]:
    """Draw the columns of a task, and return them by name of the draft."""
    chosen: dict[str, object] = {}
    flags = [heading for heading in headings if table.is_flag(heading)]
    for name, label in COLUMNS.get(task, {}).items():
        offered = [*headings, *([PER_CLASS] if name == "label" and len(flags) > 1 else ())]
        usual = getattr(suggested, name) or (PER_CLASS if PER_CLASS in offered else headings[-1])
        column = _select(label, offered, usual, f"{key}_{name}")
        chosen[name] = "" if column == PER_CLASS else column
    if task == "multilabel" or chosen.get("label") == "":
        usual_flags = [name for name in suggested.classes if name in flags] or flags
        labels = st.multiselect("Columns of the classes", flags, usual_flags, key=f"{key}_labels")
        chosen |= {"label": "", "classes": tuple(labels)}
    return chosen


def _metric(made: Draft, key: str) -> Draft:
    """Draw the choice of the metric with its pitfall, and of what depends on it."""
    metrics = {metric.name: metric for metric in draft.metrics_of(made.task)}
    name = st.selectbox(
        "Ranked by",
        list(metrics),
        list(metrics).index(made.metric),
        key=f"{key}_metric",
        format_func=lambda entry: f"{metrics[entry].title}, {metrics[entry].better} is better",
    )
    st.caption(f":material/warning: {markdown(metrics[name].pitfall, 400)}")
    made = draft.with_metric(made, name)
    if len(made.classes) == 2 and made.task == "classification":
        positive = _select("Positive class", list(made.classes), made.positive, f"{key}_positive")
        made = replace(made, positive=positive)
    if made.task in ("classification", "ordinal"):
        offered = [kind for kind in PREDICTED if kind != "score" or made.positive]
        predicted = st.selectbox(
            "Predictions have",
            offered,
            offered.index(made.predicted),
            key=f"{key}_{name}_predicted",
            format_func=lambda kind: PREDICTED[kind],
        )
        made = replace(made, predicted=str(predicted))
    if made.predicted != "scores":
        sent = st.text_input(
            "Their column of it", made.column, key=f"{key}_{made.predicted}_{made.column}_sent", max_chars=200
        )
        made = replace(made, sent=sent.strip())
    return made


def _select(label: str, offered: Sequence[str], usual: str, key: str) -> str:
    place = list(offered).index(usual) if usual in offered else 0
    return str(st.selectbox(label, offered, place, key=key))


def _made(outcome: Outcome, text: str, truth: ChosenInput | None) -> None:
    """Draw what a file makes: its first scores, the file, and the way to its page; or what is wrong."""
    if outcome.refused:
        finding_list.refusal(outcome.refused, title="The challenge is not complete", message=CHOOSE)
        return
    challenge: Challenge = outcome.value
    declaration = library.declaration_of(challenge.id)
    assert declaration is not None, challenge.id
    st.markdown(
        f"**{markdown(declaration.about.title)}**, scored: {challenge.formula()}, "
        f"{challenge.scoring.direction}"
    )
    predictions = selectors.one_file("Predictions: see a score at once", "new_predictions") if truth else None
    if truth is not None:
        _scores(challenge, truth, predictions)
    with st.expander("The file"):
        st.code(text, "toml")
    with st.container(horizontal=True, gap="small"):
        stem = declaration.about.id
        downloads.button(f"{stem}.toml", text.encode, stem, "toml", "application/toml", "new_download")
        if st.button("Open its page", key="new_open", type="primary", icon=":material/arrow_forward:"):
            _bring(challenge.id)
            st.switch_page("../declared.py", query_params={"challenge": challenge.id})


def _scores(challenge: Challenge, truth: ChosenInput, predictions: ChosenInput | None) -> None:
    """Draw the score of the predictions beside that of a constant submission."""
    constant = _score(challenge.id, truth.key, "", truth, None)
    if constant.refused:
        finding_list.refusal(constant.refused, title="The truth does not fit", message=CHOOSE)
        return
    left, right = st.columns(2)
    left.metric("A constant submission", _number(constant.value))
    if predictions is None:
        right.caption("Drop predictions to see their score beside it.")
        return
    scored = _score(challenge.id, truth.key, predictions.key, truth, predictions)
    if scored.refused:
        with right:
            finding_list.refusal(scored.refused)
        return
    right.metric("These predictions", _number(scored.value))


def _number(score: float | None) -> str:
    return "undefined" if score is None else f"{score:.4g}"


@st.cache_resource(max_entries=8, scope="session", show_spinner="Scoring ...")
def _score(
    challenge_id: str, truth_key: str, key: str, _truth: ChosenInput, _predictions: ChosenInput | None
) -> Outcome:
    return attempt(_first_score, challenge_id, _truth, _predictions)


def _first_score(challenge_id: str, truth: ChosenInput, predictions: ChosenInput | None) -> float | None:
    challenge, declaration = library.find(challenge_id), library.declaration_of(challenge_id)
    assert challenge is not None
    assert declaration is not None
    cases = challenge.read_truth(truth.source, truth.name)
    given = (
        (predictions.source, predictions.name)
        if predictions
        else (baseline.constant_table(declaration, cases).encode(), "the constant submission")
    )
    read = challenge.read_predictions(given[0], cases, given[1])
    return scoring.score(challenge, truth=cases, predictions=read, resamples=0).score


def _bring(challenge_id: str) -> None:
    """Take the dropped files along to the page of the challenge."""
    for name, slot in (("truth", "truth"), ("predictions", "submission")):
        if files := kept_files(f"new_{name}_kept"):
            st.session_state[FILES_KEYS[slot].format(challenge_id)] = (RECOGNISED, files)
