"""Melanoma: one submission, scored, and what another threshold would change."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import streamlit as st

import scoring
from pages.shared import cases, classification, layout, preflight, submissions
from pages.shared.challenge_page import ChallengePage, ScoredSubmission, show
from pages.shared.classification import CalibrationWords, Measure, interval
from pages.shared.layout import Fact, Picture
from scoring.challenges.melanoma.card import CURVE_REPLICATES
from scoring.challenges.melanoma.condition import CALIBRATION as RELIABILITY
from scoring.challenges.melanoma.condition import MELANOMA
from scoring.challenges.melanoma.formula import THRESHOLD
from scoring.challenges.melanoma.threshold import (
    at_sensitivity,
    at_specificity,
    at_threshold,
    best_threshold,
    counts_at,
    histogram,
    net_benefit,
    predictive_values,
    threshold_range,
    thresholds,
)
from scoring.figures import binary as figures
from scoring.figures import thresholds as threshold_figures
from scoring.figures.numerals import decimal, percent, points, share, span
from scoring.figures.score_points import Part, score_strip
from scoring.figures.theme import label
from scoring.figures.thresholds import Mark, cut
from scoring.scorecard import ScoreCard

ID = "melanoma"
CHALLENGE = scoring.load_challenge(ID)
OFFICIAL = Mark(THRESHOLD, "official 0.5", "circle")
POINTS_DRAWN = 300
RISKS = {"positive": "malignant"}
NAMES = {"positive": "melanoma", "negative": "other", None: "no prediction"}
CLOSING = (
    "An evaluation tool for test sets: it gives no diagnosis. The official threshold is 0.5; "
    "whatever is tried on this page "
    "changes no official number."
)
PREVALENCES = {"as here": None, "1%": 0.01, "2%": 0.02, "5%": 0.05, "10%": 0.1, "20%": 0.2}


def own_options() -> Mapping:
    """What an own prediction file cannot say itself."""
    wrong = st.toggle(
        "Count missing cases as wrong",
        key="missing_wrong",
        help="Otherwise a file with missing cases is refused; the official code gives it score 0.",
    )
    return {"missing": "wrong" if wrong else "refuse"}


def score_options(_given, own: Mapping) -> Mapping:
    return {"missing": own.get("missing", "refuse")}


def about_truth(truth) -> str:
    positives, pictures = int((truth.labels == 1).sum()), sum(image is not None for image in truth.images)
    cases, melanomas = (
        f"{len(truth)} case{'s' * (len(truth) != 1)}",
        f"{positives} melanoma{'s' * (positives != 1)}",
    )
    return (
        f"{cases}, {melanomas} ({percent(positives / len(truth))}); {pictures} image{'s' * (pictures != 1)}"
    )


def about_submission(card: ScoreCard) -> str:
    return f"{card.n_cases - card.more['n_missing']} of {card.n_cases} predictions"


def headline(shown: ScoredSubmission) -> None:
    card = shown.card
    m, i, n_positive = card.metrics, card.intervals, card.per_class["positive"]["support"]
    bounds = [100 * v for v in i["score"]] if i.get("score") else None
    parts = [Part(name, short, weight, m[key]) for key, (name, short, weight) in CHALLENGE.parts.items()]
    rows = [
        ("F2 ↑", "f2", "60 of 100 points"),
        ("Accuracy ↑", "accuracy", "30 of 100 points"),
        ("AUC ↑", "auc", "10 of 100 points"),
        ("Sensitivity ↑", "recall", "Share of the melanomas that are flagged at 0.5"),
        ("Specificity ↑", "specificity", "Share of the others that are not flagged at 0.5"),
    ]
    if card.score is None:
        sum_words = "The score is **undefined**: the test set has one class only, and the AUC needs both."
    else:
        f2, accuracy, auc = (f"{weight} × {m[key]:.6f}" for key, (_, _, weight) in CHALLENGE.parts.items())
        sum_words = (
            f"({f2} + {accuracy} + {auc}) / 100 = **{card.score!r}**, the official number to the last digit."
        )
    layout.headline(
        Fact(
            "Score of 100 points",
            points(card.score),
            span(bounds, 1) if bounds else "",
            f"Below: 95% interval. {classification.method(card)}",
        ),
        [
            Fact(
                "Melanomas",
                f"{n_positive} of {card.n_cases}",
                f"prevalence {percent(n_positive / card.n_cases)}",
            ),
            *(Fact(name, share(m[key]), interval(i.get(key), 3), explain) for name, key, explain in rows),
        ],
        score_strip(parts, layout.theme(), bounds),
        f"{sum_words} n = {card.n_cases}.",
    )


def threshold_tab(shown: ScoredSubmission) -> None:
    operating(shown.card)
    wanted(shown.card)


@st.fragment
def operating(card: ScoreCard) -> None:
    """The slider and all that moves with it. A fragment: a move repaints this and nothing else."""
    low, high = threshold_range(card)
    best = best_threshold(card)
    if not low <= st.session_state.get("threshold", low) <= high:
        _set_threshold(OFFICIAL.threshold)  # chosen for another submission, whose scores reach further
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        threshold = st.slider(
            "Threshold: a case is called melanoma where its score is greater",
            low,
            high,
            OFFICIAL.threshold,
            (high - low) / 1000,
            format="%.3f",
            key="threshold",
            bind="query-params",
            persist_state="page",
        )
        st.button(
            "Official 0.5",
            key="to_official",
            on_click=_set_threshold,
            args=(OFFICIAL.threshold,),
            icon=":material/flag:",
        )
        if best is not None:
            st.button(
                "Best on these cases",
                key="to_best",
                on_click=_set_threshold,
                args=(min(max(best, low), high),),
                icon=":material/star:",
            )
    marks = [OFFICIAL, Mark(threshold, "your threshold", "diamond", main=True)]
    if best is not None:
        marks.append(Mark(best, "best on these cases", "star"))
    reached, curve = (
        at_threshold(card, threshold),
        thresholds(card, POINTS_DRAWN, (threshold,) if best is None else (threshold, best)),
    )
    left, right = st.columns([1, 1], gap="large")
    with left:
        moved(card, threshold, reached)
        chosen_here(card, curve, best)
    with right:
        layout.chart(
            threshold_figures.threshold_lines(curve, marks, (low, high), layout.theme()),
            (
                "Solid upright line: your threshold. Dotted: the official 0.5 and the best on these "
                f"cases. n = {card.n_cases}."
            ),
            pd.DataFrame(curve).set_index("threshold"),
        )
    curves(card, curve, marks)


def _set_threshold(value: float) -> None:
    st.session_state["threshold"] = value


def moved(card: ScoreCard, threshold: float, reached: Mapping) -> None:
    """The official numbers, and beside them those at the chosen threshold."""
    official = {name: (card.metrics.get(name), card.intervals.get(name)) for name in reached} | {
        "score": (card.score, card.intervals.get("score"))
    }
    names = {
        "score": "score ↑",
        "f2": "F2 ↑",
        "accuracy": "accuracy ↑",
        "recall": "sensitivity ↑",
        "specificity": "specificity ↑",
        "precision": "precision ↑",
    }
    rows = [
        {
            "what": words,
            "official": official[key][0],
            "official interval": interval(official[key][1], 3),
            "here": reached[key][0],
            "interval": interval(reached[key][1], 3),
        }
        for key, words in names.items()
    ]
    (quiet, alarms), (missed, found) = counts_at(card, threshold)
    layout.table(
        "What would the score be?",
        pd.DataFrame(rows),
        {
            "what": layout.words("quantity", 92),
            "official": layout.number("at 0.5, official", 3, 100),
            "here": layout.number(f"at {cut(threshold)}", 3, 72),
            "official interval": layout.words("95% at 0.5", 108, right=True),
            "interval": layout.words(f"95% at {cut(threshold)}", 108, right=True),
        },
        classification.method(card),
        lighter=["official interval", "interval"],
        key="moved",
    )
    st.markdown(
        f"Above {cut(threshold)}: :red[▲] **{found} of {found + missed}** melanomas flagged, "
        f"**{missed}** missed; "
        f"**{alarms} of {alarms + quiet}** others flagged."
    )


def chosen_here(card: ScoreCard, curve: Mapping, best: float | None) -> None:
    """The best threshold, and why not to believe it."""
    if best is None:
        st.caption("The score is undefined with one class only, so no threshold is the best.")
        return
    reached = float(curve["score"][curve["threshold"] == best][0])
    st.markdown(
        f":orange-badge[▲ chosen on these cases] The best threshold here is **{cut(best)}**: "
        f"{points(reached)} points, "
        f"{decimal(100 * (reached - card.score), 2)} more than the official {points(card.score)}. "
        "It was picked with these very labels: "
        "on new cases expect less. To use it, build it into the model; the challenge always cuts at 0.5."
    )


def curves(card: ScoreCard, curve: Mapping, marks: list[Mark]) -> None:
    """Histogram, ROC, precision and recall, each with the thresholds on it."""
    theme, a = layout.theme(), card.arrays
    drawn, n_positive = histogram(card), card.per_class["positive"]["support"]
    bands = [
        (a[f"{kind}_grid"], a[f"{kind}_low"][0], a[f"{kind}_high"][0]) if f"{kind}_grid" in a else None
        for kind in ("roc", "pr")
    ]
    scores, roc, precision = st.columns(3, gap="medium")
    with scores:
        numbers = pd.DataFrame(
            {
                "from": drawn["edges"][:-1],
                "to": drawn["edges"][1:],
                "other": drawn["negative"],
                "melanoma": drawn["positive"],
            }
        )
        layout.chart(
            threshold_figures.histogram(
                drawn["edges"], drawn["negative"], drawn["positive"], marks, theme, MELANOMA
            ),
            f"Right of the solid line: called melanoma. n = {card.n_cases}.",
            numbers,
        )
    points_of = (
        "Diamond: your threshold. Circle: the official 0.5. Star: the best on these cases. Band: "
        "pointwise 95%."
    )
    with roc:
        table = pd.DataFrame({key: curve[key] for key in ("threshold", "recall", "specificity")})
        layout.chart(
            figures.roc(curve, marks, theme, MELANOMA, bands[0]),
            (
                f"AUC {share(card.metrics['auc'])} ({interval(card.intervals.get('auc'), 3)}). "
                f"{points_of} Dotted: chance. n = {card.n_cases}."
            ),
            table,
        )
    with precision:
        table = pd.DataFrame({key: curve[key] for key in ("threshold", "recall", "precision")})
        layout.chart(
            figures.precision_recall(curve, n_positive / card.n_cases, marks, theme, MELANOMA, bands[1]),
            f"Average precision {share(card.metrics['average_precision'])} "
            f"({interval(card.intervals.get('average_precision'), 3)}). "
            f"Dotted: the prevalence, what guessing gives. n = {card.n_cases}.",
            table,
        )


@st.fragment
def wanted(card: ScoreCard) -> None:
    """The threshold for a wanted sensitivity, and for a wanted specificity."""
    layout.heading("What does a wanted sensitivity or specificity cost?")
    for place, (key, other, find) in zip(
        st.columns(2, gap="large"),
        (
            ("sensitivity", "specificity", at_sensitivity),
            ("specificity", "sensitivity", at_specificity),
        ),
        strict=True,
    ):
        with place:
            value = st.slider(
                f"Wanted {key}, at least",
                0.5,
                1.0,
                0.9,
                0.01,
                format="%.2f",
                key=f"wanted_{key}",
                bind="query-params",
                persist_state="page",
            )
            point, bounds = find(card, value)
            if point is None:
                st.info("Undefined: the test set has one class only.", icon=":material/block:")
                continue
            reached = {"sensitivity": point.sensitivity, "specificity": point.specificity}
            layout.facts(
                [
                    Fact(
                        f"{other.capitalize()} ↑",
                        share(reached[other]),
                        interval(bounds, 3),
                        "The interval lets every resample choose its own threshold",
                    ),
                    Fact(f"{key.capitalize()} reached", share(reached[key])),
                    Fact("Threshold", cut(point.threshold), "chosen on these cases"),
                ]
            )
    st.caption(classification.method(card))


def missed_tab(shown: ScoredSubmission) -> None:
    """Missed melanomas first, then false alarms."""
    card = shown.card
    (quiet, alarms), (missed, found) = card.confusion_matrix["counts"]
    layout.heading("What is a call worth?")
    st.markdown(
        f"At 0.5 :red[▲] **{missed} of {missed + found}** melanomas are missed, and **{alarms} of "
        f"{alarms + quiet}** others are flagged."
    )
    in_practice(card)
    for key, title, wrong, first in (
        ("missed", "Missed melanomas, lowest score first", ("positive", "negative"), 1),
        ("alarms", "False alarms, highest score first", ("negative", "positive"), -1),
    ):
        places = [
            i
            for i, c in enumerate(card.cases)
            if c["truth"] == wrong[0] and c["predicted"] in (wrong[1], None)
        ]
        places.sort(
            key=lambda i: (card.cases[i]["output"] is not None, first * (card.cases[i]["output"] or 0))
        )
        layout.gallery(
            f"{title}, {len(places)} case{'s' * (len(places) != 1)}",
            "The number is the score; above 0.5 a case is flagged. Photographs are turned upright "
            "for the eye; the model receives them "
            "as they are.",
            len(places),
            lambda start, stop, chosen=places: pictures(shown, chosen[start:stop]),
            key,
        )


def in_practice(card: ScoreCard) -> None:
    """What a call is worth where melanomas are as frequent as chosen."""
    chosen = prevalence()
    found = predictive_values(card, THRESHOLD, PREVALENCES[chosen])
    for place, pair in zip(
        st.columns(2, gap="large"),
        (
            (
                ("recall", "Of 100 melanomas **{}** are flagged"),
                ("precision", "Of 100 people flagged **{}** have a melanoma"),
            ),
            (
                ("missed_among_cleared", "Of 100 people not flagged **{}** have one all the same"),
                ("flagged", "Of 100 people **{}** are flagged"),
            ),
        ),
        strict=True,
    ):
        place.markdown(
            "  \n".join(
                (
                    f"{words.format(hundred(found[name][0]))} "
                    f":small[:gray[{interval_of_hundred(found[name][1])}]]"
                )
                for name, words in pair
            )
        )
    people = (
        "as many with a melanoma as in it" if PREVALENCES[chosen] is None else f"{chosen} with a melanoma"
    )
    st.caption(
        f"Sensitivity and specificity as in this test set, among people of whom there are {people}. "
        f"{classification.method(card)}"
    )


def prevalence() -> str:
    """How frequent melanomas are where the model would be used; the same choice on every tab."""
    return st.segmented_control(
        "Share of people with a melanoma",
        list(PREVALENCES),
        key="prevalence",
        bind="query-params",
        persist_state="page",
        required=True,
        default=next(iter(PREVALENCES)),
        help="Test sets hold far more melanomas than life does.",
    )


def hundred(value: float | None) -> str:
    return decimal(None if value is None else 100 * value, 1)


def interval_of_hundred(bounds) -> str:
    return span(bounds, 1, 100) if bounds else "–"


def pictures(shown: ScoredSubmission, places: list[int]) -> list[Picture]:
    images = submissions.thumbnails(ID, shown.truth_key, tuple(places), shown.truth)
    found = []
    for image, i in zip(images, places, strict=True):
        c = shown.card.cases[i]
        shape = ":red[▲] melanoma" if c["truth"] == "positive" else "■ other"
        said = "no prediction" if c["output"] is None else f"score **{decimal(c['output'], 3)}**"
        facts = " ".join(str(v) for v in (c.get("age"), c.get("gender"), c.get("location")) if v is not None)
        found.append(
            Picture(
                image,
                f"Case {c['case']}, truth {NAMES[c['truth']]}, {said.replace('*', '')}",
                (shape, said),
                f"{c['case'].rsplit('/', 1)[-1]} {facts}".strip(),
            )
        )
    return found


def classes_tab(shown: ScoredSubmission) -> None:
    """Both classes in numbers."""
    card = shown.card
    rows = pd.DataFrame(
        [
            {
                "class": label(NAMES[name], RISKS.get(name)),
                "F1 interval": interval(entry.get("f1_interval"), 3),
                **entry,
            }
            for name, entry in reversed(card.per_class.items())
        ]
    )
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.chart(
            figures.confusion(card.confusion_matrix["counts"], layout.theme(), MELANOMA),
            f"Cases and share of the row, at 0.5. Outlined: missed melanomas. n = {card.n_cases}.",
        )
    with right:
        layout.table(
            "How good is each class?",
            rows,
            {
                "class": layout.words("class", 84),
                "support": layout.number("n", 0, 48),
                "predicted": layout.number("called", 0, 60),
                "f1": layout.number("F1 ↑", 3, 60),
                "F1 interval": layout.words("95% interval", 112, right=True),
                "recall": layout.number("sens. ↑", 3, 64),
                "precision": layout.number("prec. ↑", 3, 64),
                "specificity": layout.number("spec. ↑", 3, 64),
            },
            (
                "Interval of F1. Each class taken as the positive one. –: undefined. "
                f"{classification.method(card)}"
            ),
            lighter=["F1 interval", "support", "predicted"],
            key="classes",
        )
        names = {
            "balanced_accuracy": "Balanced accuracy ↑",
            "f1": "F1 ↑",
            "precision": "Precision ↑",
            "average_precision": "Average precision ↑",
            "sensitivity_at_90_specificity": "Sensitivity at 90% specificity ↑",
            "specificity_at_90_sensitivity": "Specificity at 90% sensitivity ↑",
        }
        layout.facts(
            [
                Fact(words, share(card.metrics[key]), interval(card.intervals.get(key), 3))
                for key, words in names.items()
            ]
        )


CALIBRATION = CalibrationWords(
    RELIABILITY,
    "Mean gap between score and share with a melanoma, weighted by n",
    "Mean of (score − truth)²; 0 to 1",
    "Above the dotted line the scores are too low, below it too high.",
)
MEASURES = (
    Measure("accuracy", "Which patients does it serve worse?", "accuracy, share right"),
    Measure(
        "recall", "Whose melanomas does it miss?", "sensitivity, share of melanomas flagged", "melanoma "
    ),
)


def subgroups_tab(shown: ScoredSubmission) -> None:
    if any(shown.card.more["slices"].values()):
        classification.subgroups(shown.card, MEASURES)
    else:
        st.info(
            "The test set has no column for age, gender or body site, so there are no subgroups.",
            icon=":material/group_off:",
        )


def benefit_tab(shown: ScoredSubmission) -> None:
    """Whether deciding by the model serves people better than calling everybody or nobody."""
    card = shown.card
    if "reliability_n" not in card.arrays:
        st.info(
            (
                "Net benefit takes a score for a risk from 0 to 1; these scores are none (logits, or "
                "nothing was predicted)."
            ),
            icon=":material/balance:",
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with right:
        layout.heading("How is it read?")
        st.markdown(
            "Net benefit is the share of people whose melanoma is found, less the false alarms, "
            "each counted at the odds of the "
            "threshold: whoever wants a call from a risk of 10% on takes 9 false alarms for one melanoma. "
            "The model is of use where its line is the highest."
        )
        chosen = prevalence()
        examples = pd.DataFrame(net_benefit(card, (0.03, 0.1, 0.2, 0.5), PREVALENCES[chosen]))
        examples["interval"] = (
            [interval((low, high), 3) for low, high in zip(examples["low"], examples["high"], strict=True)]
            if "low" in examples
            else "–"
        )
        examples["threshold"] = 100 * examples["threshold"]
        layout.table(
            "What is it at usual thresholds?",
            examples,
            {
                "threshold": layout.number("threshold, %", 0, 96),
                "model": layout.number("model ↑", 3, 72),
                "interval": layout.words("95% interval", 120, right=True),
                "everybody": layout.number("everybody", 3, 84),
            },
            "3% is the risk from which the NICE guideline for primary care acts.",
            lighter=["interval"],
            key="benefit",
        )
    with left:
        found = net_benefit(card, np.linspace(0, 0.6, 61), PREVALENCES[chosen])
        layout.chart(
            threshold_figures.net_benefit(found, layout.theme(), MELANOMA, [OFFICIAL]),
            f"Band: pointwise 95%, on up to {CURVE_REPLICATES} resamples. Dotted: the "
            f"official 0.5. n = {card.n_cases}. "
            "Vickers and Elkin, 2006.",
            pd.DataFrame(found).set_index("threshold"),
        )


def case_table(card: ScoreCard) -> pd.DataFrame:
    return pd.DataFrame(
        [c | {"truth": NAMES[c["truth"]], "predicted": NAMES[c["predicted"]]} for c in card.cases]
    )


def cases_tab(shown: ScoredSubmission) -> None:
    """All cases, and what the model received of the chosen one."""
    card = shown.card
    columns = {
        "case": layout.words("case"),
        "truth": layout.words("truth"),
        "predicted": layout.words("called"),
        "output": layout.number("score", 4),
        "age": layout.number("age", 0),
        "gender": layout.words("gender"),
        "location": layout.words("body site"),
    }
    rows = case_table(card)
    index = cases.chosen(card, rows, {name: column for name, column in columns.items() if name in rows})
    case = card.cases[index]
    left, right = st.columns([1, 1], gap="large")
    with left:
        cases.pixels(
            shown,
            index,
            (
                "Stretched in one step (bicubic) from the photograph, without keeping the aspect; not "
                "turned by EXIF; divided by 255."
            ),
        )
    with right:
        figure = threshold_figures.score_bar(
            case["output"],
            [OFFICIAL],
            threshold_range(card),
            layout.theme(),
            case["truth"] == "positive",
        )
        told = "no prediction" if case["output"] is None else f"raw output {case['output']!r}"
        layout.chart(
            figure,
            (
                f"Truth: {NAMES[case['truth']]}. Called: {NAMES[case['predicted']]}; {told}. A case is "
                "called melanoma above 0.5."
            ),
        )


def preflight_tab(shown: ScoredSubmission) -> None:
    """Would the official code run the model and read the tables?"""
    card, zero = shown.card, "would give score 0, for a prediction is missing or no number"
    model = card.more.get("model")
    preflight.verdicts(
        card,
        "What would the official code do?",
        {
            "official-run-cancelled": "would cancel the whole run",
            "official-score-zero": "would give every model the score 0",
            "label-spelling": "would count positives that are not spelled True as negative",
            "one-class-truth": "would yield NaN, for the truth has one class only",
            "several-score-columns": "would take the first column of scores, whatever it holds",
            "missing-case": zero,
            "missing-value": zero,
            "not-finite": zero,
            "ir-version": "would refuse the model (IR version)",
            "opset-version": "would refuse the model (opset)",
            "input-size": "would feed 224 × 224 pixels, and the model would fail",
            "fixed-batch-1": "would have failed until 2025, when blocks of 200 images were fed",
            "two-column-output": "would score the first of several output columns",
            "logits": "would compare the raw output with 0.5, logit or not",
        },
        "It **would read these files** without complaint" + (" and **run this model**." if model else "."),
    )
    if model is None:
        st.caption("The submission is a prediction file: nothing is known of its model.")
        return
    layout.facts(
        [
            Fact("Size", f"{model['size_mib']:.2f} MiB", "not scored"),
            Fact("IR version", str(model["ir_version"]), "up to 10 there"),
            Fact("Opset", str(model["opset"]), "up to 21 there"),
            Fact("Outputs are", str(model["output_kind"])),
            Fact("Nodes", str(model["nodes"])),
        ]
    )
    preflight.tensors(model)
    preflight.remarks(
        card,
        (
            "two-column-output",
            "input-size",
            "fixed-batch-1",
            "logits",
            "constant-output",
            "small-image",
            "alpha-dropped",
        ),
    )


TABS = {
    "Threshold": threshold_tab,
    "Missed": missed_tab,
    "Classes": classes_tab,
    "Calibration": lambda shown: classification.calibration(shown.card, CALIBRATION),
    "Net benefit": benefit_tab,
    "Subgroups": subgroups_tab,
    "Cases": cases_tab,
    "Preflight": preflight_tab,
}
show(
    ChallengePage(
        CHALLENGE,
        own_options=own_options,
        score_options=score_options,
        about_truth=about_truth,
        about_submission=about_submission,
        headline=headline,
        tabs=TABS,
        table=case_table,
        closing=CLOSING,
    )
)
