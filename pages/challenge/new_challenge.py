"""Form of a new challenge: from a dropped truth, column by column, to a file and its first score."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

import scoring
from pages.boards import actions
from pages.challenge.scoring_run import Outcome, attempt
from pages.display import downloads, finding_list
from pages.input_widgets import selectors
from pages.input_widgets.drop_routing import FILES_KEYS
from pages.input_widgets.dropped_files import RECOGNISED
from pages.input_widgets.selectors import ChosenInput
from pages.input_widgets.upload_widget import kept_files
from scoring.challenges.declared import baseline, draft, library
from scoring.challenges.declared.declaration import GRADED, TASKS
from scoring.challenges.declared.draft import Draft
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.scorecard import ScoreCard
from scoring.inputs.masks.nifti_and_metaimage import MASK_ENDINGS
from scoring.inputs.truth_contents import TruthMasks, TruthTable, read_truth

PREDICTS = {task: facts["predicts"] for task, facts in TASKS.items() if facts["predicts"]}
"""Tasks for tables, with the quantity that each predicts."""
PREDICTED = {
    "label": "the class",
    "scores": "a score per class, in columns named as the classes",
    "score": "one score, of the positive class",
}
HOLDS = {"label": "the class", "score": "the score", "value": "the number", "risk": "the risk"}
ORDERS = {
    "score": "score",
    "mean_rank": "mean rank over the metrics",
    "case_rank": "mean rank over the cases",
}
GAPS = {
    "refuse": "makes Benchside refuse the submission",
    "worst": "gets the worst possible answer",
    "ignore": "is left out",
}
PER_CLASS = "a column of 0 and 1 per class"
PLACES = {"points": "Columns of x, y (z)", "boxes": "Columns of the box: x0, y0, x1, y1"}
BOXES = {"": "the opposite corner", "size": "width and height"}
NO_CLASS = "none: all have the same class"
SHOWN = 5
FURTHER = """For weights, options and further keys: download the challenge file, change it in a text
editor, and drop it in the field for the challenge file above. It then replaces these choices."""
ANOTHER = "Choose another title above, or another id in the file."
AGAIN, CHOOSE = "Drop another table.", "Change your choice above, or drop another file."


def show() -> None:
    """Draw the steps from a truth, or a file, to a challenge."""
    begun = bool(kept_files("new_truth_kept") or kept_files("new_file_kept"))
    with st.expander("**New challenge** without programming", icon=":material/add:", expanded=begun):
        truth_column, right = st.columns(2)
        with truth_column:
            label = "Truth: a table with a row per case or object, or a mask per case"
            truth = selectors.one_file(label, "new_truth", MASK_ENDINGS)
        with right:
            file = selectors.one_file("Challenge file, if there is one: NAME.toml", "new_file")
        if file is not None:
            text = file.source.decode("utf-8", "replace")
            _made(attempt(library.of_text, file.source, file.name), text, truth)
        elif truth is not None:
            if st.session_state.get("new_truth_before", truth.key) != truth.key:
                st.session_state.pop("new_predictions_kept", None)  # they were of the other challenge
            st.session_state["new_truth_before"] = truth.key
            _from_truth(truth)


def _from_truth(truth: ChosenInput) -> None:
    read = attempt(_truth, truth.key, truth.name, truth.source)
    if read.refused:
        finding_list.refusal(read.refused, title="The truth was not read", message=AGAIN)
        return
    if isinstance(read.value, TruthTable):
        first_rows = {heading: cells[:SHOWN] for heading, cells in read.value.columns.items()}
        st.dataframe(pd.DataFrame(first_rows), hide_index=True)
    else:
        st.caption(f"{read.value.cases} masks; voxels of {' mm, '.join(read.value.spacing[:SHOWN])} mm.")
    suggested = _suggestion(truth.key, truth.name.removeprefix(selectors.SEVERAL), read.value)
    if suggested.refused:
        finding_list.refusal(suggested.refused, title="The truth has no case id", message=AGAIN)
        return
    written = _choices(read.value, suggested.value, f"new_{truth.key[:12]}")
    text = draft.toml(written)
    _made(attempt(library.of_text, text, f"{written['id']}.toml"), text, truth)


@st.cache_resource(max_entries=2, scope="session", show_spinner="Reading the truth ...")
def _truth(key: str, name: str, _source) -> TruthTable | TruthMasks:
    return read_truth(_source, name)


@st.cache_resource(max_entries=2, scope="session", show_spinner=False)
def _suggestion(key: str, name: str, _found: TruthTable | TruthMasks) -> Outcome:
    return attempt(draft.suggest, _found, name)


def _choices(read: TruthTable | TruthMasks, suggested: Draft, key: str) -> Draft:
    """Draw what can be chosen, each with what was suggested, and return the draft."""
    left, middle, right = st.columns(3)
    title = left.text_input("Title", suggested["title"], key=f"{key}_title", max_chars=120)
    chosen = {**suggested, **draft.titled(title)}
    if isinstance(read, TruthMasks):
        with middle:
            chosen["regions"] = _regions(read, key)
        key = f"{key}_masks"
    else:
        with left:
            case = _select(
                "Column of the case id", list(read.columns), chosen["truth"]["case"], f"{key}_case"
            )
        chosen["truth"] = {**chosen["truth"], "case": case}
        with middle:
            task = _select("What is predicted", PREDICTS, suggested["task"], f"{key}_task", "{1} ({0})")
            key = f"{key}_{task}"
            chosen = {**draft.with_task(read, chosen, task, **_columns(read, suggested, task, key))}
    with right:
        chosen = {**_metric(chosen, key)}
    if isinstance(read, TruthTable):
        with middle:
            chosen = {**_sent(read, chosen, key)}
    with left:
        return _rules(read, chosen, key)


def _regions(read: TruthMasks, key: str) -> dict[str, list[int]]:
    """Draw name and values of each region, and return them."""
    regions = dict[str, list[int]]()
    for value, cases in read.found.items():
        label, usual = (
            f"Name of mask value {value}, which is in {cases} of {read.cases} masks",
            read.called(value),
        )
        name = st.text_input(label, usual, key=f"{key}_{value}", max_chars=200).strip() or usual
        held, label = [value], f"Mask values that belong to {markdown(name)}"
        if len(read.found) > 1:
            held = st.multiselect(label, list(read.found), held, key=f"{key}_{value}_values")
        regions[name] = sorted({*regions.get(name, []), *held})
    return regions


def _columns(table: TruthTable, suggested: Draft, task: str, key: str) -> Mapping[str, Any]:
    """Draw the columns of a task, and return them by key of [truth], with the classes that are columns."""
    chosen, headings, truth = dict[str, Any](), list(table.columns), suggested["truth"]
    if task in PLACES:
        usual_places = truth.get("places", [])
        chosen["places"] = st.multiselect(PLACES[task], headings, usual_places, key=f"{key}_places")
        offered, usual = [NO_CLASS, *headings], truth.get("label") or NO_CLASS
        label = _select("Column of the class", offered, usual, f"{key}_label")
        chosen["label"] = "" if label == NO_CLASS else label
        if task == "points":
            return chosen | {"radius": truth.get("radius", "")}
        about, usual = "The last two columns are", truth.get("boxes", "")
        return chosen | {"boxes": _select(about, BOXES, usual, f"{key}_boxes", "{1}")}
    flags = [heading for heading in headings if table.is_flag(heading)]
    for name, column in TASKS[task].get("truth", {}).items():
        offered = [*headings, *([PER_CLASS] if name == "label" and len(flags) > 1 else ())]
        usual = truth.get(name) or (PER_CLASS if PER_CLASS in offered else headings[-1])
        heading = _select(f"Column of {column['holds']}", offered, usual, f"{key}_{name}")
        chosen[name] = "" if heading == PER_CLASS else heading
    if task == "multilabel" or chosen.get("label") == "":
        usual_flags = [name for name in suggested["classes"] if name in flags] or flags
        chosen["classes"] = st.multiselect("Columns of the classes", flags, usual_flags, key=f"{key}_labels")
    return chosen


def _metric(chosen: Draft, key: str) -> Draft:
    """Draw the choice of the metric with its pitfall, and the settings that depend on it."""
    metrics = {metric.name: metric for metric in draft.metrics_of(chosen["task"])}
    titles = {name: f"{metric.title}, {metric.better} is better" for name, metric in metrics.items()}
    name = _select("Ranked by", titles, chosen["score"]["metric"], f"{key}_metric", "{1}")
    st.caption(f":material/warning: {markdown(metrics[name].pitfall, 400)}")
    chosen = draft.with_metric(chosen, name)
    options = _options(metrics[name], chosen["score"], f"{key}_{name}")
    others = [entry for entry in metrics if entry != name]
    usual = [entry["metric"] for entry in chosen["report"] if entry["metric"] != name]
    title_of, widget = (lambda entry: metrics[entry].title), f"{key}_{name}_report"
    report = st.multiselect("Further metrics", others, usual, key=widget, format_func=title_of)
    beside = list[dict[str, Any]]()
    for entry in report:
        st.caption(f":material/warning: {metrics[entry].title}: {markdown(metrics[entry].pitfall, 400)}")
        usual_options = draft.with_metric(chosen, entry)["score"]
        beside.append(_options(metrics[entry], usual_options, f"{widget}_{entry}", with_rules=False))
    chosen = {**chosen, "score": options, "report": beside}
    if chosen["positive"]:
        chosen["positive"] = _select(
            "Positive class", chosen["classes"], chosen["positive"], f"{key}_positive"
        )
    return chosen


def _sent(read: TruthTable, made: Draft, key: str) -> Draft:
    """Draw the columns of predictions, called as in those that were dropped."""
    if files := kept_files("new_predictions_kept"):
        chosen = selectors.dropped(files[-1:], MASK_ENDINGS)
        sent = attempt(_truth, chosen.key, chosen.name, chosen.source).value
        made = draft.with_sent(read, made, sent) if isinstance(sent, TruthTable) else made
    kind, column = draft.predicted(made)
    if made["task"] in GRADED:
        offered = {entry: PREDICTED[entry] for entry in PREDICTED if entry != "score" or made["positive"]}
        wanted = _select("Predictions contain", offered, kind, f"{key}_{kind}_predicted", "{1}")
        made = made if wanted == kind else draft.with_predicted(made, wanted)
        kind, column = draft.predicted(made)
    case = draft.case_of_predictions(made)
    label, widget = "Column of the case id in the predictions", f"{key}_{case}_sent_case"
    case = st.text_input(label, case, key=widget, max_chars=200).strip()
    made = {**made, "predictions": {**made["predictions"], "case": case * (case != made["truth"]["case"])}}
    if kind == "scores":
        return made
    label, widget = f"Column of {HOLDS[kind]} in the predictions", f"{key}_{kind}_{column}_sent"
    return draft.with_predicted(made, kind, st.text_input(label, column, key=widget, max_chars=200).strip())


def _rules(read: TruthTable | TruthMasks, chosen: Draft, key: str) -> Draft:
    """Draw what a missing prediction does, the subgroups, and what orders the teams."""
    has_worst = TASKS[chosen["task"]].get("worst")
    rules = {name: words for name, words in GAPS.items() if name != "worst" or has_worst}
    missing = _select("A case without a prediction", rules, "refuse", f"{key}_missing", "{1}")
    chosen = {**chosen, "predictions": {**chosen["predictions"], "missing": missing}}
    if isinstance(read, TruthTable) and not chosen["truth"].get("places"):
        offered = draft.subgroups(read, list(chosen["truth"].values()))
        usual = [name for name in chosen["subgroups"]["columns"] if name in offered]
        chosen["subgroups"] = {"columns": st.multiselect("Subgroups", offered, usual, key=f"{key}_subgroups")}
    ranked = {name: words for name, words in ORDERS.items() if chosen["report"] or name != "mean_rank"}
    by = _select("Teams are ordered by", ranked, "score", f"{key}_ranking", "{1}")
    return chosen if by == "score" else {**chosen, "ranking": {"by": by}}


def _options(metric: Any, usual: Mapping[str, Any], key: str, with_rules: bool = True) -> dict[str, Any]:
    """Draw the numbers and rules of a metric, and return its options; a rule that is not changed is none."""
    chosen = dict(usual)
    for name, parameter in metric.parameters.items():
        label = name.replace("_mm", " in mm").replace("_", " ")
        widget, about = f"{key}_option_{name}", parameter.about
        if name in usual and parameter.kind is not str:
            low, high = (float(end) for end in parameter.allowed)
            top = high if math.isfinite(high) else None
            number = st.number_input(label, low, top, float(usual[name]), key=widget, help=about)
            chosen[name] = parameter.kind(number)
        elif with_rules and parameter.kind is str and parameter.default is not None and name != "average":
            word = _select(label, [*map(str, parameter.allowed)], str(parameter.default), widget, about=about)
            chosen |= {name: word} if word != parameter.default else {}
    return chosen


def _select(
    label: str, offered: Iterable[str], usual: str, key: str, pattern: str = "{0}", about: str | None = None
) -> str:
    """Draw a choice. pattern: how an entry is shown; {0} is itself, {1} its text in `offered`."""
    texts = offered if isinstance(offered, Mapping) else dict.fromkeys(offered, "")
    names = list(texts)
    index = names.index(usual) if usual in names else 0
    shown = {name: pattern.format(name, text) for name, text in texts.items()}
    return str(st.selectbox(label, names, index, key=key, format_func=shown.__getitem__, help=about))


def _made(outcome: Outcome, text: str, truth: ChosenInput | None) -> None:
    """Draw the result of a challenge file: first scores, the file, and the link to its page; or problems."""
    if outcome.refused:
        finding_list.refusal(outcome.refused, title="The challenge is not complete", message=CHOOSE)
        return
    challenge: Challenge = outcome.value
    rule = f"scored by {challenge.formula()}, {challenge.scoring.direction}"
    words = markdown(challenge.comparison.order, 600)
    st.markdown(f"**{markdown(challenge.words.title)}**, {rule}{'.' * bool(words)}{words}")
    if truth is not None:
        label = "Predictions, to see their score"
        _scores(challenge, truth, selectors.one_file(label, "new_predictions", MASK_ENDINGS))
    with st.expander("The file"):
        st.code(text, "toml")
    st.caption(FURTHER)
    stem = challenge.id.partition("@")[0]
    with st.container(horizontal=True, gap="small"):
        downloads.button(f"{stem}.toml", text.encode, f"{stem}.toml", "new_download")
        if st.button("Open the challenge", key="new_open", type="primary", icon=":material/arrow_forward:"):
            for name, slot in (("truth", "truth"), ("predictions", "submission")):
                if files := kept_files(f"new_{name}_kept"):  # they come along
                    st.session_state[FILES_KEYS[slot].format(challenge.id)] = (RECOGNISED, files)
            st.switch_page("../declared.py", query_params={"challenge": challenge.id})
        keeps = actions.may_organize() and st.button("Save", key="new_keep", icon=":material/save:")
    if keeps:
        addition = actions.attempt(library.add, text.encode(), f"{stem}.toml")
        if addition.refused:
            finding_list.refusal(addition.refused, title="The challenge was not saved", message=ANOTHER)
        else:
            st.success(f"Saved: **{stem}** is now one of your challenges.", icon=":material/check:")


def _scores(challenge: Challenge, truth: ChosenInput, predictions: ChosenInput | None) -> None:
    """Draw the score of the predictions beside that of a constant submission."""
    constant = _score(challenge.id, truth.key, "", truth, None)
    if constant.refused:
        finding_list.refusal(
            constant.refused, title="The truth does not fit this challenge file", message=CHOOSE
        )
        return
    constant_column, right = st.columns(2)
    constant_column.metric("Score of one answer for all cases", _shown(constant.value))
    if predictions is None:
        right.caption("Drop predictions to see their score here.")
        return
    scored = _score(challenge.id, truth.key, predictions.key, truth, predictions)
    with right:
        if scored.refused:
            finding_list.refusal(scored.refused)
        else:
            st.metric("Score of these predictions", _shown(scored.value))
            if scored.value.findings:
                finding_list.findings(scored.value.findings)


def _shown(card: ScoreCard) -> str:
    return "undefined" if card.score is None else f"{card.score:.4g}"


@st.cache_resource(max_entries=8, scope="session", show_spinner="Scoring ...")
def _score(
    challenge_id: str, truth_key: str, key: str, _truth: ChosenInput, _predictions: ChosenInput | None
) -> Outcome:
    """Return the scorecard of predictions; without any, that of a constant submission."""
    challenge, declaration = library.found(challenge_id), library.declaration_of(challenge_id)
    assert declaration is not None, challenge_id

    def first_card() -> ScoreCard:
        cases = challenge.read_truth(_truth.source, _truth.name)
        if _predictions is None:
            read = baseline.constant(declaration, cases)
        else:
            read = challenge.read_predictions(_predictions.source, cases, _predictions.name)
        return scoring.score(challenge, truth=cases, predictions=read, resamples=0)

    return attempt(first_card)
