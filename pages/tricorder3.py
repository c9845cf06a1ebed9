"""TRICORDER-3: one submission, scored, and what is behind its score."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

import scoring
from pages.shared import cases, classification, layout, preflight, submissions
from pages.shared.challenge_page import ChallengePage, show
from pages.shared.layout import Fact, Picture
from scoring.figures.confusion import risk_matrix
from scoring.figures.numerals import decimal, points, share, span
from scoring.figures.outputs import output_bars, setting_dots, sweep_lines
from scoring.figures.score_points import Part, points_lost, score_strip
from scoring.figures.theme import SHAPES, label
from scoring.text import markdown

ID = "tricorder3"
CHALLENGE = scoring.load_challenge(ID)
RISKS = CHALLENGE.RISK
BOARD = (
    "The public board ranks by the mean of the last five runs, divided by five even for a new "
    "model; a leader is kept within 0.0001. "
    "It calls the support-weighted F1 “fbeta”; the F1 in the score is the risk-weighted one."
)


def own_options() -> Mapping:
    """What an own prediction file cannot say itself."""
    size = st.number_input(
        "Size of its model in MiB",
        min_value=0.0,
        value=None,
        placeholder="unknown: counts as small",
        key="size_mib",
        help="For prediction files only; 1 MiB = 1,048,576 bytes, the challenge's MB.",
    )
    wrong = st.toggle(
        "Count missing cases as wrong",
        key="missing_wrong",
        help="Otherwise a file with missing cases is refused; the validator gives it score 0.",
    )
    return {"model_size_mib": size, "missing": "wrong" if wrong else "refuse"}


def score_options(given, own: Mapping) -> Mapping:
    size = None if given.is_model else own.get("model_size_mib", given.size_mib)
    return {"missing": own.get("missing", "refuse"), "model_size_mib": size}


def about_truth(truth) -> str:
    present = {int(k) for k in set(truth.labels)}
    few = sum(1 for k in present if (truth.labels == k).sum() < CHALLENGE.SMALL_CLASS)
    pictures = sum(image is not None for image in truth.images)
    return (
        f"{len(truth)} case{'s' * (len(truth) != 1)}, {len(present)} of {len(CHALLENGE.CLASSES)} "
        f"classes present, {few} with fewer than {CHALLENGE.SMALL_CLASS}; {pictures} "
        f"image{'s' * (pictures != 1)}"
    )


def about_submission(card) -> str:
    size = card.more["model_size_mib"]
    return (
        f"{card.n_cases - card.more['n_missing']} of {card.n_cases} predictions, "
        f"{'size unknown: give it under “Own file”' if size is None else f'{size:.2f} MiB'}"
    )


def headline(shown) -> None:
    card = shown.card
    m, i, best = card.metrics, card.intervals, card.more["best_possible_score"]
    a, w, e = (round(m[key], 6) for key in CHALLENGE.WEIGHTS)
    bounds = [100 * v for v in i["score"]] if i.get("score") else None
    parts = [Part(name, short, weight, m[key]) for key, (name, short, weight) in CHALLENGE.WEIGHTS.items()]
    reach = (
        f"n = {card.n_cases} means about ±{(bounds[1] - bounds[0]) / 2:.0f} points."
        if bounds
        else f"n = {card.n_cases}."
    )
    size = card.more["model_size_mib"]
    layout.headline(
        Fact(
            "Score of 100 points",
            points(card.score),
            span(bounds, 1) if bounds else "",
            f"Below: 95% interval. {classification.method(card)}",
        ),
        [
            Fact(
                "Ceiling",
                points(best),
                "with every case right",
                (
                    "The score if every case were right, with this model's size. Below 100 where a "
                    "class has no case in this test set or the model is large."
                ),
            ),
            Fact("Accuracy ↑", share(m["accuracy"]), classification.interval(i.get("accuracy"), 3)),
            Fact(
                "Weighted F1 ↑",
                share(m["weighted_f1"]),
                classification.interval(i.get("weighted_f1"), 3),
                "Risk-weighted 3 : 2 : 1; not the support-weighted F1 that the board calls fbeta",
            ),
            Fact(
                "Efficiency ↑",
                share(m["efficiency_score"]),
                "size unknown" if size is None else f"{size:.2f} MiB",
                "1 up to 50 MiB, 0 from 150 MiB. MiB = the challenge's MB",
            ),
            Fact(
                "Malignant sensitivity ↑",
                share(m["malignant_sensitivity"]),
                classification.interval(i.get("malignant_sensitivity"), 3)
                if m["malignant_sensitivity"] is not None
                else "no malignant case",
                "Malignant cases called any malignant class",
            ),
        ],
        score_strip(parts, layout.theme(), bounds, 100 * best),
        (
            f"0.9 × (0.5 × {a:.6f} + 0.5 × {w:.6f}) + 0.1 × {e:.6f} = **{card.score!r}**, the official "
            f"number to the last digit. {reach}"
        ),
    )
    absent = [c for c, entry in card.per_class.items() if not entry["support"]]
    if absent:
        lost = sum(card.per_class[c]["score_worth"] for c in absent)
        st.markdown(
            f":orange-badge[▲ {len(absent)} class{'es' * (len(absent) > 1)} without a case] "
            f"{', '.join(map(markdown, absent))}: the official code counts their F1 as 0, so "
            f"**{points(lost)} points cannot be won** here, not even with accuracy 1.0. The ceiling "
            f"is {points(best)}."
        )


def points_tab(shown) -> None:
    card, theme, per_class = shown.card, layout.theme(), shown.card.per_class
    left, right = st.columns([3, 2], gap="large")
    with left:
        rows = [
            {
                "class": c,
                "points lost": 100 * v["score_lost"],
                "of": 100 * v["score_worth"],
                "why": "no case in this test set" if not v["support"] else "mistakes",
                "F1": v["f1"],
                "n": v["support"],
            }
            for c, v in per_class.items()
        ]
        layout.chart(
            points_lost(per_class, theme),
            (
                "Bar: points lost to a class's F1. Pale: all it can cost. Hatched: no case in this "
                f"test set. Number: cases of the class, * under 15. n = {card.n_cases}."
            ),
            pd.DataFrame(rows).set_index("class").sort_values("points lost", ascending=False),
        )
    with right:
        m = card.metrics
        parts = [
            ("accuracy", 45.0, m["accuracy"]),
            *((f"{SHAPES[r]} {r} F1", 45 * k / 6, m[f"f1_{r}"]) for r, k in CHALLENGE.RISK_WEIGHTS.items()),
            ("efficiency", 10.0, m["efficiency_score"]),
        ]
        layout.table(
            "Which part is worth working on?",
            pd.DataFrame(
                [(n, v, k * v, k - k * v, k) for n, k, v in parts],
                columns=["part", "value", "won", "lost", "of"],
            ),
            {
                "part": layout.words("part"),
                "value": layout.number("value ↑"),
                "won": layout.number("won", 2),
                "lost": layout.number("lost ↓", 2),
                "of": layout.number("of", 2),
            },
            (
                f"Points of 100. One more case right is worth {45 / card.n_cases:.2f} by accuracy "
                "alone; one malignant class from F1 0.4 to 0.5 is worth 0.56."
            ),
            lighter=["of"],
            key="parts",
        )


GALLERIES = {
    "malignant called benign": ("malignant", "benign"),
    "malignant called medium": ("malignant", "medium"),
    "all other mistakes": None,
}


def risk_tab(shown) -> None:
    card, truth, truth_key = shown.card, shown.truth, shown.truth_key
    theme, matrix = layout.theme(), card.more["risk_matrix"]
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.chart(
            risk_matrix(matrix["counts"], matrix["labels"], theme),
            f"Cases and share of the row. Outlined: malignant called benign. n = {card.n_cases}.",
            pd.DataFrame(matrix["counts"], index=matrix["labels"], columns=matrix["labels"]),
        )
    missed = [c for c in card.cases if (c["truth_risk"], c["predicted_risk"]) == ("malignant", "benign")]
    with right:
        layout.heading("Which cancers were called benign?")
        ill = sum(matrix["counts"][0]) + sum(
            c["truth_risk"] == "malignant" and c["predicted"] is None for c in card.cases
        )
        sure = (
            f", **{sum(_largest(c) > 0.5 for c in missed)}** of them with an output above 0.5"
            if _are_probabilities(card)
            else ""
        )
        st.markdown(
            f":red[▲] **{len(missed)} of {ill}** malignant lesions were called :green[●] benign{sure}. "
            f"Another **{matrix['counts'][0][1]}** were called :orange[◆] medium. Of "
            f"{sum(matrix['counts'][2])} benign lesions **{matrix['counts'][2][0]}** were called "
            "malignant."
        )
        kinds = CHALLENGE.RISKS["malignant"]
        rows = pd.DataFrame(
            [
                {
                    "class": label(k, "malignant"),
                    "missed": sum(c["truth"] == k for c in missed),
                    "n": card.per_class[k]["support"],
                }
                for k in kinds
            ]
        )
        layout.table(
            "Which kinds were missed most?",
            rows.assign(share=100 * rows.missed / rows.n.where(rows.n > 0)),
            {
                "class": layout.words("class"),
                "missed": layout.number("called benign ↓", 0),
                "n": layout.number("of", 0),
                "share": layout.bar("share ↓", theme.risk["malignant"], 100, "%.0f%%"),
            },
            "Called any of the four benign classes.",
            lighter=["n"],
            risks=RISKS,
            key="missed",
        )
    found = {kind: [i for i, c in enumerate(card.cases) if _belongs(c, kind)] for kind in GALLERIES}
    chosen = st.segmented_control(
        "Mistakes to look at",
        list(GALLERIES),
        key="mistakes",
        bind="query-params",
        required=True,
        default=next((k for k in found if found[k]), "malignant called benign"),
    )
    places = sorted(found[chosen], key=lambda i: -_largest(card.cases[i]))
    has_outputs = any(card.cases[i]["outputs"] for i in places)
    order = (
        "" if not has_outputs else ", surest first" if _are_probabilities(card) else ", largest output first"
    )
    layout.gallery(
        f"{chosen.capitalize()}{order}, {len(places)} case{'s' * (len(places) != 1)}",
        _about_pictures(has_outputs, any(truth.images)),
        len(places),
        lambda start, stop: pictures(card, truth, truth_key, places[start:stop]),
        "gallery",
    )


def _are_probabilities(card) -> bool:
    return "reliability_n" in card.arrays


def _largest(case: Mapping) -> float:
    return max(case["outputs"]) if case["outputs"] else -math.inf


def _about_pictures(has_outputs: bool, has_images: bool) -> str:
    lines = (
        f"First line: the truth{' and its output' * has_outputs}. Second line: what it was called "
        f"instead{' and that output' * has_outputs}."
    )
    return (
        lines
        + " Photographs are turned upright for the eye; the model receives them as they are." * has_images
    )


def _belongs(case: Mapping, chosen: str) -> bool:
    pair = (case["truth_risk"], case["predicted_risk"])
    return (
        pair == GALLERIES[chosen]
        if GALLERIES[chosen]
        else not case["correct"] and pair not in GALLERIES.values()
    )


def pictures(card, truth, truth_key: str, places: list[int]) -> list[Picture]:
    images = submissions.thumbnails(ID, truth_key, tuple(places), truth)
    found = []
    for image, i in zip(images, places, strict=True):
        c = card.cases[i]
        called = (
            (
                f"{layout.class_name(c['predicted'], c['predicted_risk'])}  "
                f"{f'**{_largest(c):.2f}**' if c['outputs'] else ''}"
            )
            if c["predicted"]
            else "no prediction"
        )
        facts = " ".join(str(v) for v in (c["age"], c["gender"], c["location"]) if v is not None)
        found.append(
            Picture(
                image,
                f"Lesion {c['case']}, truth {c['truth']}, called {c['predicted'] or 'nothing'}",
                (
                    (
                        f"{layout.class_name(c['truth'], c['truth_risk'])}  "
                        f"{decimal(c['truth_score'], 2) if c['outputs'] else ''}"
                    ),
                    called,
                ),
                f"{c['case'].rsplit('/', 1)[-1]} · {facts}",
            )
        )
    return found


def case_table(card) -> pd.DataFrame:
    columns = (
        "case",
        "truth",
        "predicted",
        "correct",
        "truth_risk",
        "predicted_risk",
        "age",
        "gender",
        "location",
        "truth_score",
    )
    rows = pd.DataFrame([{k: c[k] for k in columns} for c in card.cases])
    outputs = pd.DataFrame(
        [c["outputs"] or [None] * len(CHALLENGE.CLASSES) for c in card.cases], columns=list(CHALLENGE.CLASSES)
    )
    return pd.concat([rows, outputs], axis=1)


def cases_tab(shown) -> None:
    """All cases, and what the model received of the chosen one."""
    card = shown.card
    index = cases.chosen(
        card,
        case_table(card),
        {
            "case": layout.words("case"),
            "truth": layout.words("truth"),
            "predicted": layout.words("called"),
            "truth_score": layout.number("output of the truth ↑", 3),
            "truth_risk": layout.words("risk"),
            "predicted_risk": layout.words("called risk"),
            "age": layout.number("age", 0),
            "gender": layout.words("gender"),
            "location": layout.words("body site"),
        },
    )
    received(shown, index)


def received(shown, index: int) -> None:
    card, theme = shown.card, layout.theme()
    case = card.cases[index]
    left, right = st.columns([1, 1], gap="large")
    with left:
        cases.pixels(
            shown,
            index,
            (
                "Stretched to 512 × 512 without keeping the aspect, then to the size that the model "
                "declares; not turned by EXIF; divided by 255."
            ),
        )
        age, gender, location = case["encoded"]
        layout.facts(
            [
                Fact("Age", f"{age:g}", "missing" if case["age"] is None else "years"),
                Fact("Gender", f"{gender:g}", case["gender"] or "unknown"),
                Fact("Body site", f"{location:g}", case["location"] or "unknown"),
            ]
        )
        st.caption("The three numbers as the model receives them.")
    with right:
        if case["outputs"]:
            numbers = pd.DataFrame({"output": case["outputs"]}, index=list(CHALLENGE.CLASSES))
            layout.chart(
                output_bars(case["outputs"], CHALLENGE.CLASSES, theme, RISKS, case["truth"]),
                "The eleven outputs as they came; the score takes the largest.",
                numbers,
            )
            if not _are_probabilities(card):
                layout.chart(
                    output_bars(
                        case["outputs"], CHALLENGE.CLASSES, theme, RISKS, case["truth"], normalised=True
                    ),
                    "A softmax for display; it is not in the score.",
                )
        else:
            layout.heading("What did the model say?")
            st.info(
                "There are no outputs for this case: labels only, or no prediction.", icon=":material/block:"
            )
    if shown.given.is_model and st.toggle(
        "Change age, gender and body site", key="what_if", bind="query-params"
    ):
        what_if(case, shown.truth, shown.given, shown.truth_key, index)


def what_if(case: Mapping, truth, given, truth_key: str, index: int) -> None:
    found = submissions.sweep(ID, truth_key, given.key, index, truth, given)
    if found.refused:
        st.info(markdown(str(found.refused)), icon=":material/info:")
        return
    theme, outputs = layout.theme(), found.value
    place = st.columns(3, gap="medium")
    with place[0]:
        layout.chart(
            sweep_lines(
                CHALLENGE.SWEEP_AGES,
                outputs["age"],
                CHALLENGE.CLASSES,
                theme,
                "What if the patient were older?",
                "age in years",
                risks=RISKS,
                own=case["encoded"][0],
            ),
            "Dotted: the age given.",
        )
    with place[1]:
        layout.chart(
            setting_dots(
                ["male", "female", "unknown"],
                outputs["gender"],
                CHALLENGE.CLASSES,
                theme,
                "What if the gender were another?",
                risks=RISKS,
                own=case["gender"] or "unknown",
            ),
            "Bold: as given.",
        )
    with place[2]:
        sites = [*CHALLENGE.LOCATIONS, "unknown"]
        layout.chart(
            setting_dots(
                sites,
                outputs["location"],
                CHALLENGE.CLASSES,
                theme,
                "What if it were elsewhere?",
                risks=RISKS,
                own=case["location"] or "unknown",
            ),
            "Bold: as given.",
        )


def preflight_tab(shown) -> None:
    """Would the validator run the model and read the table?"""
    card = shown.card
    preflight.verdicts(
        card,
        "What would the validator do?",
        {
            "official-run-cancelled": "would cancel the whole run",
            "official-score-zero": "would give every model the score 0",
            "ir-version": "would refuse the model (IR version)",
            "opset-version": "would refuse the model (opset)",
            "single-input": "would run it, though the rules ask for both inputs",
        },
        "It **would read this test set** without complaint"
        + (" and **run this model**." if card.more.get("model") else "."),
    )
    model = card.more.get("model")
    if model is None:
        st.caption(
            "The submission is a prediction file: nothing is known of its model but the size that was given."
        )
        return
    size = card.more["model_size_mib"]
    layout.facts(
        [
            Fact(
                "Size",
                f"{size:.2f} MiB",
                f"{150 - size:.2f} MiB below 150" if size < 150 else "150 and more: efficiency 0",
            ),
            Fact("IR version", str(model["ir_version"]), "up to 10 there"),
            Fact("Opset", str(model["opset"]), "up to 21 there"),
            Fact("Outputs are", str(model["output_kind"])),
            Fact("Nodes", str(model["nodes"])),
        ]
    )
    preflight.tensors(model)
    preflight.remarks(
        card, ("demographics-probe", "demographics-ignored", "model-size", "small-image", "alpha-dropped")
    )


TABS = {
    "Points": points_tab,
    "Risk": risk_tab,
    "Classes": lambda shown: classification.classes(shown.card, RISKS),
    "Curves": lambda shown: classification.curves(shown.card, RISKS),
    "Calibration": lambda shown: classification.calibration(shown.card),
    "Subgroups": lambda shown: classification.subgroups(shown.card),
    "Cases": cases_tab,
    "Preflight": preflight_tab,
}
show(
    ChallengePage(
        CHALLENGE,
        "ONNX model, or prediction table or zip",
        own_options,
        score_options,
        about_truth,
        about_submission,
        headline,
        TABS,
        case_table,
        BOARD,
    )
)
