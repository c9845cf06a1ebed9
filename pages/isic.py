"""ISIC Challenge: one submission, scored by the truth file's categories, and what is behind its score."""

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

import scoring
from pages.shared import cases, classification, downloads, inputs, layout, preflight, submissions
from pages.shared.challenge_page import ChallengePage, ScoredSubmission, show
from pages.shared.classification import interval
from pages.shared.inputs import Input
from pages.shared.layout import Fact, Picture
from scoring.challenges.isic import thresholds, view
from scoring.challenges.isic.card import SMALL_CLASS, malignant_curve, scores_at_half
from scoring.figures import categories as figures
from scoring.figures.categories import Line
from scoring.figures.numerals import UNDEFINED, decimal, share
from scoring.figures.outputs import output_bars
from scoring.figures.score_points import points_lost
from scoring.figures.theme import label, short
from scoring.scorecard import ScoreCard
from scoring.text import markdown

ID = "isic"
CHALLENGE = scoring.load_challenge(ID)
VIEW, THRESHOLDS = view, thresholds
METRICS = {"balanced accuracy": None, "macro AUC": "auc", "macro average precision": "ap", "macro F1": "dice"}
RULES = {"above 0.5, official": "official", "0.5 and above, MILK10k page": "milk10k-page"}
NAMES = {
    "balanced_accuracy": "Balanced accuracy",
    "macro_auc": "Macro AUC",
    "macro_average_precision": "Macro average precision",
    "macro_f1": "Macro F1",
}
CLOSING = (
    "The site breaks ties by time of submission, though the page of 2019 promises the AUC. Only the "
    "score is ranked; "
    "the malignant grouping, "
    "thresholds and calibration are this project's own looks at the same files."
)


def own_options() -> Mapping:
    """A prediction file of this challenge says everything itself."""
    return {}


def score_options(_given: Input, _own: Mapping) -> Mapping:
    return {}


def choices(test_set: Input, _truth, predictions) -> Mapping:
    """What ranks, how 0.5 is read where it occurs, and a table about the cases."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        metric = st.selectbox(
            "Ranked by",
            list(METRICS),
            key="metric",
            bind="query-params",
            persist_state="page",
            width=220,
            help="2018 and 2019 rank by balanced accuracy, MILK10k by macro F1.",
        )
        rules = "above 0.5, official"
        if scores_at_half(predictions):
            rules = st.selectbox(
                "Positive is a score",
                list(RULES),
                key="rules",
                bind="query-params",
                persist_state="page",
                width=260,
                help=(
                    "This file holds scores of exactly 0.5. The MILK10k page says ≥ 0.5; every version "
                    "of its scorer takes > 0.5."
                ),
            )
        metadata = inputs.metadata(ID, test_set.metadata)
    return {"metric": METRICS[metric], "rules": RULES[rules], **({"metadata": metadata} if metadata else {})}


def about_truth(truth) -> str:
    pictures = sum(image is not None for image in truth.images)
    return (
        f"{len(truth)} case{'s' * (len(truth) != 1)}, {len(truth.categories)} categories; {pictures} "
        f"image{'s' * (pictures != 1)}"
    )


def about_submission(card: ScoreCard) -> str:
    return f"{card.n_cases} of {card.n_cases} predictions, {len(card.per_class)} scores each"


def risks(card: ScoreCard) -> dict[str, str]:
    """The categories that count as malignant carry the shape; of the others nothing is claimed."""
    return dict.fromkeys(card.more["malignant"], "malignant")


def headline(shown: ScoredSubmission) -> None:
    card = shown.card
    m, i = card.metrics, card.intervals
    metric, measure = VIEW.ranking(card)
    guess, fewest, absent = VIEW.chance(card), VIEW.smallest(card), VIEW.absent(card)
    counted = {name: entry[measure] for name, entry in card.per_class.items() if entry[measure] is not None}
    others = {
        name: words
        for name, words in {"balanced_accuracy": "Balanced accuracy ↑", "macro_f1": "Macro F1 ↑"}.items()
        if name != metric
    }
    malignant = ", ".join(card.more["malignant"]) or "none"
    layout.headline(
        Fact(
            NAMES[metric],
            share(card.score),
            interval(i.get("score"), 3),
            f"Below: 95% interval. {classification.method(card)}",
        ),
        [
            Fact(
                "Mean AUC ↑",
                share(m["mean_auc"]),
                interval(i.get("mean_auc"), 3),
                "Mean over the categories; it breaks ties between teams here",
            ),
            Fact(
                "Malignant AUC ↑",
                share(m["malignant_auc"]),
                interval(i.get("malignant_auc"), 3),
                (
                    f"Malignant: {markdown(malignant)}. The official scorer never computed it; choose "
                    "your own grouping under Curves"
                ),
            ),
            *(Fact(words, share(m[name]), interval(i.get(name), 3)) for name, words in others.items()),
            Fact(
                "Accuracy ↑",
                share(m["accuracy"]),
                interval(i.get("accuracy"), 3),
                "Share of the cases that are right. Not official",
            ),
            Fact(
                "Cases",
                str(card.more["n_scored"]),
                f"of {card.n_cases}" if card.more["n_scored"] < card.n_cases else "all count",
            ),
            Fact(
                "Smallest category",
                UNDEFINED if fewest is None else str(fewest[1]),
                fewest[0] if fewest else "",
            ),
            *(
                [
                    Fact(
                        "Guessing gives",
                        share(guess),
                        f"1/{len(card.per_class)}" if metric == "balanced_accuracy" else "",
                        "By labels drawn at random",
                    )
                ]
                if guess
                else []
            ),
        ],
        None,
        f"({' + '.join(f'{v:.3f}' for v in counted.values())}) / {len(counted)} = "
        f"**{card.score!r}**, {authority(card)}: "
        f"the plain mean of {MEASURES[measure][0].removesuffix(' ↑')} over {len(counted)} categories.",
    )
    if absent:
        st.markdown(
            f":orange-badge[▲ {len(absent)} categor{'ies' if len(absent) > 1 else 'y'} without a case] "
            f"{', '.join(map(markdown, absent))}: "
            "left out of every mean here. The official scorer stops with an error on this test set."
        )


def authority(card: ScoreCard) -> str:
    """By whose word the score is what it is."""
    if VIEW.absent(card):
        return "the official mean, though the official scorer stops before it prints it"
    if card.provenance["options"]["rules"] != "official" and VIEW.ranking(card)[1] == "f1":
        return "by the rule of the MILK10k page, which its scorer does not follow"
    if not card.more["official"]["accepted"]:
        return "the official number of the mended files"
    if any(finding.code == "weights-out-of-order" for finding in card.findings):
        return "the official number for the truth sorted by id"
    return "the official number to the last digit"


MEASURES = {
    "recall": (
        "recall ↑",
        (
            "Cases of the category whose largest score it is / cases of the category. The score's own "
            "measure; not in the official tables"
        ),
    ),
    "sensitivity": ("sens. ↑", "TP / (TP + FN) at 0.5, one against rest. Official: sensitivity"),
    "specificity": ("spec. ↑", "TN / (TN + FP) at 0.5, one against rest. Official: specificity"),
    "accuracy": ("acc. ↑", "(TP + TN) / all at 0.5, one against rest. Official: accuracy"),
    "ppv": ("ppv ↑", "TP / (TP + FP) at 0.5; 1 where nothing is called, by the official rule. Official: ppv"),
    "npv": (
        "npv ↑",
        "TN / (TN + FN) at 0.5; 1 where everything is called, by the official rule. Official: npv",
    ),
    "f1": ("F1 ↑", "2 TP / (2 TP + FP + FN) at 0.5. Official: dice"),
    "auc": ("AUC ↑", "Area under the ROC curve, ties half. Official: auc"),
    "auc_sens_80": (
        "AUC 80 ↑",
        (
            "Area under the ROC curve right of 80% sensitivity, at full height: perfect 1, chance 0.18. "
            "Official: auc_sens_80"
        ),
    ),
    "average_precision": ("AP ↑", "Sum of precision × step of recall, not interpolated. Official: ap"),
}
"""Measure -> heading of its column, and its definition with the official name."""
MACRO = {"recall": "balanced_accuracy"}


def categories_tab(shown: ScoredSubmission) -> None:
    """Every measure of every category, and their means."""
    card, marked = shown.card, risks(shown.card)
    rows = [
        _category_row(label(short(name), marked.get(name)), entry, VIEW.unearned(entry))
        for name, entry in card.per_class.items()
    ]
    means = {measure: card.metrics[MACRO.get(measure, f"macro_{measure}")] for measure in MEASURES}
    freed = tuple({measure for entry in card.per_class.values() for measure in VIEW.unearned(entry)})
    rows.append(
        {
            "category": "mean",
            "n": str(card.more["n_scored"]),
            "interval": interval(card.intervals.get("balanced_accuracy")),
            **{
                measure: _cell(measure, value, "partly free" if measure in freed else "")
                for measure, value in means.items()
            },
        }
    )
    kinds = {measure: layout.words if measure in ("ppv", "npv") else layout.number for measure in MEASURES}
    columns = {
        measure: kinds[measure](
            name, **({"right": True} if kinds[measure] is layout.words else {"digits": 3}), explain=explain
        )
        for measure, (name, explain) in MEASURES.items()
    }
    layout.table(
        "How good is each category?",
        pd.DataFrame(rows),
        {
            "category": layout.words("category", 92),
            "n": layout.words("n", 64, right=True),
            "recall": columns.pop("recall"),
            "interval": layout.words("95% interval", 96, right=True),
            **columns,
        },
        "Recall asks whether the category has the **largest** score; all other measures hold it "
        "against the rest, most of them cut at 0.5. "
        "So recall and sensitivity differ. "
        "Interval of recall. ▲ counted as malignant. "
        f"{classification.SMALL.replace('class', 'category')} –: undefined, and in no mean. "
        f"{classification.method(card)}",
        lighter=["interval", "n"],
        key="categories",
    )


def _category_row(name: str, entry: Mapping, unearned: Sequence[str]) -> dict:
    count = (
        "0, absent" if not entry["support"] else f"{entry['support']}{'*' * (entry['support'] < SMALL_CLASS)}"
    )
    return {
        "category": name,
        "n": count,
        "interval": interval(entry.get("recall_interval")),
        **{
            measure: _cell(measure, entry[measure], "none called" if measure in unearned else "")
            for measure in MEASURES
        },
    }


def _cell(measure: str, value: float | None, remark: str) -> float | str | None:
    """Predictive values are words, because some have to say that they were free."""
    if measure not in ("ppv", "npv"):
        return value
    return f"{remark} {share(value)}".strip()


def points_tab(shown: ScoredSubmission) -> None:
    card = shown.card
    metric, measure = VIEW.ranking(card)
    name = MEASURES[measure][0].removesuffix(" ↑")
    marked = risks(card)
    left, right = st.columns([3, 2], gap="large")
    with left:
        per_class = {
            short(c): entry | ({"risk": marked[c]} if c in marked else {})
            for c, entry in card.per_class.items()
        }
        numbers = pd.DataFrame(
            [
                {
                    "category": c,
                    "points lost": None if e["score_lost"] is None else 100 * e["score_lost"],
                    "of": None if e["score_worth"] is None else 100 * e["score_worth"],
                    name: e[measure],
                    "n": e["support"],
                }
                for c, e in card.per_class.items()
            ]
        )
        layout.chart(
            points_lost(per_class, layout.theme(), (measure, name)),
            f"Bar: what the category's {name} cost, in hundredths of the score. Pale: all it can "
            "cost. Number: its cases, * under "
            f"15. n = {card.more['n_scored']}.",
            numbers.set_index("category").sort_values("points lost", ascending=False),
        )
    with right:
        weights = VIEW.case_worth(card)
        if weights:
            rows = pd.DataFrame(
                [
                    {
                        "category": label(short(c), marked.get(c)),
                        "n": card.per_class[c]["support"],
                        "case": 100 * worth,
                    }
                    for c, worth in weights.items()
                ]
            )
            layout.table(
                "How much is one case worth?",
                rows,
                {
                    "category": layout.words("category", 110),
                    "n": layout.number("n", 0, 60),
                    "case": layout.bar(
                        "points of a case", layout.theme().accent, float(rows["case"].max()), "%.2f"
                    ),
                },
                (
                    "What one more case right adds to the score. Every category decides the same share, "
                    "however few cases it has."
                ),
                lighter=["n"],
                key="weights",
            )
        else:
            layout.heading("How much is one case worth?")
            st.markdown(
                f"Every category decides the same share of {NAMES[metric].lower()}, however few "
                f"cases it has; {name} does not "
                "change case by case alone."
            )
        absent = VIEW.absent(card)
        if absent:
            st.markdown(
                f"{', '.join(map(markdown, absent))}: no case, so in no mean; a case that is called "
                "so is wrong all the same."
            )


def confusion_tab(shown: ScoredSubmission) -> None:
    """The confusion matrix and the cases of one of its cells."""
    card, theme = shown.card, layout.theme()
    matrix = card.confusion_matrix
    labels, mistake = matrix["labels"], VIEW.commonest_mistake(card)
    left, right = st.columns([9, 11], gap="large")
    with right:
        layout.heading("Which cases are these?")
        with st.container(horizontal=True, gap="small"):
            truth, called = (
                st.selectbox(
                    words,
                    labels,
                    index=labels.index(first),
                    key=key,
                    bind="query-params",
                    persist_state="page",
                    width=170,
                )
                for words, key, first in zip(("Truth", "Called"), ("truth", "called"), mistake, strict=True)
            )
    with left:
        kind = st.segmented_control(
            "Cells show",
            ["counts", "shares"],
            key="cells",
            bind="query-params",
            required=True,
            default="counts",
        )
        figure = figures.confusion_matrix(matrix["counts"], labels, theme, risks(card), kind, (truth, called))
        layout.chart(
            figure,
            (
                "Rows: truth. Colour: share of the row. Choose a cell to see its cases. n = "
                f"{card.more['n_scored']}."
            ),
            pd.DataFrame(matrix["counts"], index=labels, columns=labels),
            on_select=_choose_cell,
            selection_mode="points",
        )
    with right:
        places = VIEW.cell(card, truth, called)
        kind = "right, surest first" if truth == called else "called otherwise, surest mistakes first"
        layout.gallery(
            f"{short(truth)} → {short(called)}: {len(places)} case{'s' * (len(places) != 1)}",
            f"The numbers are the scores of the truth and of what it was called; {kind}."
            + PHOTOGRAPHS * any(shown.truth.images),
            len(places),
            lambda start, stop: pictures(shown, places[start:stop]),
            "cell_page",
            per_page=8,
        )


PHOTOGRAPHS = " Photographs are turned upright for the eye; the model receives them as they are."


def _choose_cell() -> None:
    """A click on the matrix chooses its cell for the two lists beside it."""
    points_chosen = st.session_state["figure_What-is-mistaken-for-what"].selection.points
    if points_chosen:
        st.session_state["truth"], st.session_state["called"] = points_chosen[0]["customdata"]


def pictures(shown: ScoredSubmission, places: list[int]) -> list[Picture]:
    card, marked = shown.card, risks(shown.card)
    images, names = (
        submissions.thumbnails(ID, shown.truth_key, tuple(places), shown.truth),
        list(card.per_class),
    )
    found = []
    for image, i in zip(images, places, strict=True):
        c, outputs = card.cases[i], card.arrays["outputs"][i]
        lines = [
            f"{layout.class_name(c[key], marked.get(c[key]))}  **{decimal(outputs[names.index(c[key])], 3)}**"
            if c[key] in names
            else markdown(c[key])
            for key in ("truth", "predicted")
        ]
        found.append(
            Picture(image, f"Case {c['case']}, truth {c['truth']}, called {c['predicted']}", lines, c["case"])
        )
    return found


def curves_tab(shown: ScoredSubmission) -> None:
    """One against rest, all categories in one figure each; then malignant against benign."""
    card, theme, a = shown.card, layout.theme(), shown.card.arrays
    cut = VIEW.points_at_half(card)
    places = {
        "roc": (a["roc_x"], a["roc_y"], "auc"),
        "pr": (a["roc_y"], a["pr_precision"], "average_precision"),
    }
    lines = {
        kind: [
            Line(name, x[k], y[k], a["roc_threshold"][k], _area(entry, measure), cut[name][kind])
            for k, (name, entry) in enumerate(card.per_class.items())
        ]
        for kind, (x, y, measure) in places.items()
    }
    left, right = st.columns(2, gap="large")
    how = "Click a name to hide it, twice to see it alone. Circle: the cut at 0.5."
    with left:
        layout.chart(
            figures.roc(lines["roc"], theme),
            f"Beside each name: AUC and its 95% interval. {how} Dotted: chance. {classification.method(card)}",
            _points(lines["roc"], "1 - specificity", "sensitivity"),
        )
    with right:
        layout.chart(
            figures.precision_recall(lines["pr"], theme),
            f"Beside each name: average precision and its 95% interval. {how} {classification.method(card)}",
            _points(lines["pr"], "recall", "precision"),
        )
    malignant(card)


def _area(entry: Mapping, measure: str) -> str:
    value = share(entry[measure])
    return (
        f"{value} ({interval(entry[f'{measure}_interval'])})" if entry.get(f"{measure}_interval") else value
    )


def _points(lines: Sequence[Line], x: str, y: str) -> pd.DataFrame:
    table = pd.concat(
        [
            pd.DataFrame({"category": line.name, "threshold": line.thresholds, x: line.x, y: line.y})
            for line in lines
        ]
    )
    return table.dropna().set_index("category")


@st.fragment
def malignant(card: ScoreCard) -> None:
    """Malignant against benign by any grouping. A fragment: another grouping repaints this and nothing
    else."""
    left, right = st.columns([2, 3], gap="large")
    official = card.more["malignant"]
    with left:
        layout.heading("Which categories are malignant?")
        chosen = st.multiselect(
            "Malignant",
            list(card.per_class),
            default=official,
            key="malignant",
            bind="query-params",
            persist_state="page",
        )
        found, (ill, well) = malignant_curve(card, chosen), VIEW.prevalence(card, chosen)
        usual = set(chosen) == set(official)
        layout.facts(
            [
                Fact(
                    "Malignant AUC ↑",
                    share(found["auc"]),
                    interval(card.intervals.get("malignant_auc"), 3) if usual else "your grouping",
                ),
                *(
                    []
                    if usual
                    else [
                        Fact(
                            "By the usual grouping",
                            share(card.metrics["malignant_auc"]),
                            interval(card.intervals.get("malignant_auc"), 3),
                        )
                    ]
                ),
                Fact("Cases", f"{ill} and {well}", "malignant and benign"),
            ]
        )
        st.markdown(
            "A case's score is the **sum** of its malignant scores. Cases of UNK are left out "
            "unless UNK is chosen: none of the "
            "above is no benign diagnosis. "
            "No official page says what counts as malignant, so the grouping is a choice; actinic "
            "keratoses count here."
        )
    with right:
        layout.chart(
            figures.malignant_roc(found["x"], found["y"], found["threshold"], layout.theme()),
            (
                f"{', '.join(map(markdown, chosen)) or 'Nothing'} against the others. Dotted: chance. n "
                f"= {ill + well}."
            ),
            pd.DataFrame(
                {"threshold": found["threshold"], "1 - specificity": found["x"], "sensitivity": found["y"]}
            ).set_index("threshold"),
        )


@st.fragment
def thresholds_tab(shown: ScoredSubmission) -> None:
    """A threshold for each category, what it gives, and what to believe of the best. A fragment: a move
    repaints this and nothing else."""
    card = shown.card
    best, compared = (
        submissions.of_card("isic_best", shown, THRESHOLDS.best),
        submissions.of_card("isic_compared", shown, THRESHOLDS.compared),
    )
    three_scores(card, compared)
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("Which threshold for each category?")
        with st.container(horizontal=True, gap="small"):
            st.button(
                "All at 0.5",
                key="to_half",
                on_click=_set_thresholds,
                args=(dict.fromkeys(best, 0.5),),
                icon=":material/flag:",
            )
            st.button(
                "Best on these cases",
                key="to_best",
                on_click=_set_thresholds,
                args=(best,),
                icon=":material/star:",
                help=(
                    "The threshold of the highest F1 of each category, chosen on the rows it is scored "
                    "on: on new cases expect less."
                ),
            )
        with st.grid(min_column_width=200, gap="small"):
            chosen = {
                name: st.slider(
                    markdown(short(name)),
                    0.0,
                    1.0,
                    0.5,
                    0.005,
                    format="%.3f",
                    key=f"cut_{name}",
                    bind="query-params",
                    persist_state="page",
                )
                for name in card.per_class
            }
    with right:
        moved(card, chosen)
        name = st.selectbox(
            "Category in the figure",
            list(card.per_class),
            key="swept",
            bind="query-params",
            persist_state="page",
            width=240,
        )
        found = THRESHOLDS.sweep(card, name)
        words = {key: MEASURES[key][0].removesuffix(" ↑") for key in THRESHOLDS.SHOWN}
        layout.chart(
            figures.threshold_lines(found, words, chosen[name], layout.theme(), name),
            f"Solid upright line: your threshold. Dotted: 0.5. n = {card.more['n_scored']}.",
            pd.DataFrame(found).set_index("threshold"),
        )
    downloads.button(
        "Folded predictions",
        lambda: THRESHOLDS.rescaled_table(card, chosen, shown.truth.id_name),
        f"{shown.name.rsplit('.', 1)[0]}-rescaled",
        "csv",
        "text/csv",
        "download_rescaled",
    )
    st.caption(
        "A file in which the official 0.5 acts as these thresholds. Each score p is bent around its "
        "threshold t: up to t it becomes "
        "0.5 p/t, above t 0.5 + 0.5 (p − t)/(1 − t). The order within a category stays, but which "
        "score is the largest can change: "
        "look at the balanced accuracy above before you send it."
    )


def three_scores(card: ScoreCard, compared: Mapping) -> None:
    layout.heading("Is it worth tuning thresholds?")
    honest = compared["cross_validated"]
    layout.facts(
        [
            Fact("Macro F1 at 0.5 ↑", share(compared["half"]), interval(card.intervals.get("macro_f1"), 3)),
            Fact(
                "Macro F1, tuned, cross-validated ↑",
                share(honest),
                "believe this one" if honest is not None else "needs five units",
                "Thresholds chosen on four fifths of the units, applied to the last fifth; counts pooled",
            ),
            Fact(
                "Macro F1, tuned on the same rows ↑",
                share(compared["same_rows"]),
                "▲ too high: chosen on the rows it is scored on",
            ),
        ]
    )
    if honest is not None:
        gain = honest - compared["half"]
        st.markdown(
            f"Tuned thresholds would change macro F1 by **{decimal(gain, 3, sign=True)}** on new "
            "cases, not by the "
            f"{decimal(compared['same_rows'] - compared['half'], 3, sign=True)} "
            "that they promise on the rows they were chosen on."
            if gain > 0
            else "Tuned thresholds would **not** raise macro F1 on new cases "
            f"({decimal(gain, 3, sign=True)}), whatever they promise on "
            "the rows they were chosen on."
        )


def _set_thresholds(chosen: Mapping[str, float]) -> None:
    for name, value in chosen.items():
        st.session_state[f"cut_{name}"] = value


def moved(card: ScoreCard, chosen: Mapping[str, float]) -> None:
    """What the chosen thresholds give."""
    found = THRESHOLDS.at(card, chosen)
    rows = [
        {
            "category": label(short(name), risks(card).get(name)),
            "threshold": chosen[name],
            **found["per_class"][name],
        }
        for name in card.per_class
    ]
    layout.heading("What would the score be?")
    layout.facts(
        [
            Fact("Macro F1 ↑", share(found["macro_f1"]), f"{share(card.metrics['macro_f1'])} at 0.5"),
            Fact(
                "Balanced accuracy ↑",
                share(found["balanced_accuracy"]),
                f"{share(card.metrics['balanced_accuracy'])} as it is",
                "Of the rescaled file below",
            ),
        ]
    )
    layout.table(
        "What would each category give?",
        pd.DataFrame(rows),
        {
            "category": layout.words("category", 92),
            "threshold": layout.number("threshold", 3, 80),
            **{key: layout.number(MEASURES[key][0], 3, 70) for key in THRESHOLDS.SHOWN},
        },
        f"Called where the score is above the threshold. –: undefined. n = {card.more['n_scored']}.",
        key="moved",
    )


def subgroups_tab(shown: ScoredSubmission) -> None:
    if shown.card.more.get("slices"):
        classification.subgroups(shown.card)
    else:
        st.info(
            "Nothing is known of age, sex or body site. Drop a table about the cases under "
            "“Metadata” above, by case id; the archive's "
            "own metadata file works as it is.",
            icon=":material/group_off:",
        )


def case_table(card: ScoreCard) -> pd.DataFrame:
    return pd.concat(
        [
            pd.DataFrame(list(card.cases)),
            pd.DataFrame(card.arrays["outputs"], columns=[f"score {name}" for name in card.per_class]),
        ],
        axis=1,
    )


def cases_tab(shown: ScoredSubmission) -> None:
    """All cases, and what the model received of the chosen one."""
    card, theme = shown.card, layout.theme()
    columns = {
        "case": layout.words("case"),
        "truth": layout.words("truth"),
        "predicted": layout.words("called"),
        "truth_score": layout.number("score of the truth ↑", 3),
        "weight": layout.number("weight", 2),
    }
    rows = case_table(card)
    index = cases.chosen(card, rows, {name: column for name, column in columns.items() if name in rows})
    case, names = card.cases[index], [short(name) for name in card.per_class]
    left, right = st.columns([1, 1], gap="large")
    with left:
        cases.pixels(
            shown,
            index,
            "Stretched in one step (bilinear) without keeping the aspect; not turned by EXIF; "
            "divided by 255. "
            "Of a lesion with several photographs: the first.",
        )
    with right:
        marked = {short(name): risk for name, risk in risks(card).items()}
        layout.chart(
            output_bars(card.arrays["outputs"][index].tolist(), names, theme, marked, short(case["truth"])),
            f"Truth: {markdown(case['truth'])}. Called: {markdown(case['predicted'])}. The score "
            "takes the largest; a shared "
            "largest score is undecided, hence wrong.",
            pd.DataFrame({"score": card.arrays["outputs"][index]}, index=list(card.per_class)),
        )


def preflight_tab(shown: ScoredSubmission) -> None:
    """Does the official scorer take the files, and can the numbers be believed?"""
    card = shown.card
    sanity(card)
    left, right = st.columns(2, gap="large")
    with left:
        layout.heading("What would the official scorer do?")
        st.markdown("\n".join(f"- {line}" for line in _official_lines(card)))
    with right:
        layout.heading("What has to be mended for it?")
        refused = VIEW.to_mend(card)
        st.markdown("\n".join(f"- **{f.code}** {markdown(f.message, 600)}" for f in refused) or "- Nothing.")
        downloads.button(
            "Mended predictions",
            lambda: VIEW.mended(card, shown.truth.id_name),
            f"{shown.name.rsplit('.', 1)[0]}-mended",
            "csv",
            "text/csv",
            "download_mended",
        )
        st.caption("The same numbers with ids, columns and number format as the official scorer wants them.")
    model = card.more.get("model")
    if model is not None:
        layout.facts(
            [
                Fact("IR version", str(model["ir_version"])),
                Fact("Opset", str(model["opset"])),
                Fact("Outputs are", str(model["output_kind"])),
                Fact("Nodes", str(model["nodes"])),
            ]
        )
        preflight.tensors(model)
        preflight.remarks(card, ("category-order", "constant-output", "small-image", "alpha-dropped"))


def _official_lines(card: ScoreCard) -> list[str]:
    said, codes = card.more["official"]["message"], {f.code for f in card.findings}
    lines = [
        f"It would **refuse the files** and say only: “{markdown(said, 600)}”"
        if said
        else "It **accepts both files**."
    ]
    if VIEW.absent(card):
        lines.append(
            f"It then **stops with an error**: no case of {', '.join(map(markdown, VIEW.absent(card)))}."
        )
    if "weights-out-of-order" in codes:
        lines.append(
            "It would apply the weights to **other rows**: see the findings for the number that it prints."
        )
    return lines


def sanity(card: ScoreCard) -> None:
    layout.heading("Do the numbers make sense?")
    swap = next((f for f in card.findings if f.code == "columns-may-be-swapped"), None)
    guess, validation = VIEW.chance(card), card.metrics["validation_score"]
    layout.facts(
        [
            Fact("Score ↑", share(card.score), interval(card.intervals.get("score"), 3)),
            Fact(
                "Validation score ↑",
                share(validation),
                "the same weights" if validation == card.score else "by validation_weight",
                (
                    "The site shows it after an upload, from about 100 of its images, to tell files "
                    "that went wrong"
                ),
            ),
            *([Fact("Guessing gives", share(guess), "labels at random")] if guess else []),
            Fact("Columns", "▲ may be swapped" if swap else "in order"),
        ]
    )
    st.markdown(
        f":orange-badge[▲ look here] {markdown(swap.message, 600)}"
        if swap
        else "No exchange of columns would raise balanced accuracy by 0.2 or more. The site's own “about "
        "0.3” for guessing belongs to "
        "its subset of images."
    )


def refused(test_set: Input, given: Input) -> None:
    """What the official scorer would say of the same files: one message, where all problems stand above."""
    if given.is_model:
        return
    layout.heading("What would the official scorer say?")
    found = submissions.official_message(ID, test_set, given)
    if found.refused is None:
        st.markdown(
            f"Only this: “{markdown(found.value, 600)}”"
            if found.value
            else "It would accept the predictions: what is refused here, it does not check."
        )
    else:
        st.markdown("It could not open the files.")


TABS = {
    "Categories": categories_tab,
    "Points": points_tab,
    "Confusion": confusion_tab,
    "Curves": curves_tab,
    "Thresholds": thresholds_tab,
    "Calibration": lambda shown: classification.calibration(shown.card),
    "Subgroups": subgroups_tab,
    "Cases": cases_tab,
    "Preflight": preflight_tab,
}
show(
    ChallengePage(
        CHALLENGE,
        "ONNX model, or prediction table (CSV)",
        own_options,
        score_options,
        about_truth,
        about_submission,
        headline,
        TABS,
        case_table,
        CLOSING,
        choices=choices,
        refused=refused,
    )
)
