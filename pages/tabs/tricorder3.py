"""What has widgets on the page of TRICORDER-3: mistakes to look at, all cases, another patient, preflight."""

import math
from collections.abc import Mapping

import pandas as pd
import streamlit as st

import scoring
from pages.shared import cases, layout, preflight, submissions
from pages.shared.challenge_page import ScoredSubmission
from pages.shared.layout import Picture
from scoring.challenges.safe_scan.demographics import LOCATIONS
from scoring.challenges.tricorder3.formula import CLASSES
from scoring.challenges.tricorder3.model import SWEEP_AGES
from scoring.challenges.tricorder3.views import are_probabilities
from scoring.figures.numerals import decimal
from scoring.figures.outputs import Sweep, output_bars, setting_dots, sweep_lines
from scoring.text import markdown
from scoring.views import Fact

ID = "tricorder3"
CHALLENGE = scoring.load_challenge(ID)
RISKS = CHALLENGE.class_risks
GALLERIES = {
    "malignant called benign": ("malignant", "benign"),
    "malignant called medium": ("malignant", "medium"),
    "all other mistakes": None,
}


def mistakes(shown: ScoredSubmission) -> None:
    """Choose a kind of mistake and look at its cases, surest first."""
    card, truth, truth_key = shown.card, shown.truth, shown.truth_key
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
        "" if not has_outputs else ", surest first" if are_probabilities(card) else ", largest output first"
    )
    layout.gallery(
        f"{chosen.capitalize()}{order}, {len(places)} case{'s' * (len(places) != 1)}",
        _about_pictures(has_outputs, any(truth.images)),
        len(places),
        lambda start, stop: pictures(card, truth, truth_key, places[start:stop]),
        "gallery",
    )


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
    outputs = pd.DataFrame([c["outputs"] or [None] * len(CLASSES) for c in card.cases], columns=list(CLASSES))
    return pd.concat([rows, outputs], axis=1)


def all_cases(shown: ScoredSubmission) -> None:
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


def received(shown: ScoredSubmission, index: int) -> None:
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
            numbers = pd.DataFrame({"output": case["outputs"]}, index=list(CLASSES))
            layout.chart(
                output_bars(case["outputs"], CLASSES, theme, RISKS, case["truth"]),
                "The eleven outputs as they came; the score takes the largest.",
                numbers,
            )
            if not are_probabilities(card):
                layout.chart(
                    output_bars(case["outputs"], CLASSES, theme, RISKS, case["truth"], normalised=True),
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
                Sweep(SWEEP_AGES, outputs["age"], CLASSES, case["encoded"][0], RISKS),
                theme,
                "What if the patient were older?",
                "age in years",
            ),
            "Dotted: the age given.",
        )
    with place[1]:
        layout.chart(
            setting_dots(
                Sweep(
                    ["male", "female", "unknown"],
                    outputs["gender"],
                    CLASSES,
                    case["gender"] or "unknown",
                    RISKS,
                ),
                theme,
                "What if the gender were another?",
            ),
            "Bold: as given.",
        )
    with place[2]:
        sites = [*LOCATIONS, "unknown"]
        layout.chart(
            setting_dots(
                Sweep(sites, outputs["location"], CLASSES, case["location"] or "unknown", RISKS),
                theme,
                "What if it were elsewhere?",
            ),
            "Bold: as given.",
        )


def validator(shown: ScoredSubmission) -> None:
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
