"""PUMA: detected nuclei of ten classes, scored under three rules, and a viewer that shows what became of
each."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

import scoring
from pages.shared import classification, downloads, layout, submissions, viewer
from pages.shared.case_link import CaseLink
from pages.shared.challenge_page import ChallengePage, ScoredSubmission, show
from pages.shared.classification import interval
from pages.shared.inputs import Input
from pages.shared.layout import Fact
from pages.shared.viewer import nuclei
from scoring.challenges.puma import clinic, listing, matches, report
from scoring.challenges.puma import suspicious as puma_suspicious
from scoring.challenges.puma.card import rescore
from scoring.challenges.puma.card import rule_of as puma_rule_of
from scoring.challenges.puma.formula import METRICS as PUMA_METRICS
from scoring.challenges.puma.formula import MICROMETRES_PER_PIXEL, RADIUS_RANGE, RULE_NAMES
from scoring.challenges.puma.formula import RADIUS as PUMA_RADIUS
from scoring.challenges.puma.matches import REASONS
from scoring.challenges.puma.names import CLASSES as PUMA_CLASSES
from scoring.challenges.puma.view import OBSERVERS, along_confidence, along_radius, overlay, worst_first
from scoring.challenges.puma.warnings import SMALL_CLASS
from scoring.figures import detection as figures
from scoring.figures.detection import spaced
from scoring.figures.numerals import UNDEFINED, decimal, percent, share
from scoring.figures.raster import overlay_png
from scoring.models import pictures
from scoring.scorecard import ScoreCard

ID = "puma"
CHALLENGE = scoring.load_challenge(ID)
VIEWER = CaseLink("case", "nucleus")
CLASSES, RADIUS, METRICS = PUMA_CLASSES, PUMA_RADIUS, PUMA_METRICS
DOUBTS, LISTING, CLINIC = puma_suspicious, listing, clinic
RULES = {
    "description": ("image F1s ÷ images that hold the class", "ten classes"),
    "grand-challenge": ("image F1s ÷ all images, {n}", "the classes that occur"),
    "pooled": ("one F1 of the counts of all images", "the classes that occur"),
}
"""Rule -> what it divides by, and the classes that it means over."""
KEPT_CASES, KEPT_TRIALS = 8, 16
PRINTED_SIDE = 1600
ROWS = 30
"""Images in the heat map at once."""
TABLE_HEIGHT, SHORT = 470, 12
"""px of a table that scrolls, and the rows from which on it does."""
STEPS, FEW_STEPS, CROWD = 30, 10, 30_000
"""Places along a curve; fewer where there are more nuclei than that, so that a slider stays quick."""
CLOSING = (
    "▲ scorecard.json, the report and the tables hold the truth of every image: do not hand them to "
    "anyone who must not see it. "
    "One micrometre is 4.35 px. No number here is a diagnosis."
)


def own_options() -> Mapping:
    """What is done with nuclei of other classes: reading needs to know."""
    leave = st.toggle(
        "Leave out nuclei of other classes",
        key="puma_ignore",
        help=(
            "Instead of refusing a file with a class that is none of the ten, its nuclei are left out, "
            "with a warning."
        ),
    )
    return {"unknown_classes": "ignore" if leave else "refuse"}


def score_options(_given: Input, own: Mapping) -> Mapping:
    return own


def choices(_test_set: Input, truth, _predictions) -> Mapping:
    """Whose macro F1 is the score."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        rules = st.segmented_control(
            "Rule",
            list(RULES),
            key="rules",
            bind="query-params",
            persist_state="page",
            required=True,
            format_func=RULE_NAMES.__getitem__,
            wrap=True,
            default="description",
            label_visibility="collapsed",
        )
        st.caption(
            f"{report.NAMES[rules]}: {divides(rules, len(truth))}; the mean over {RULES[rules][1]}.",
            width="stretch",
        )
    return {"rules": rules}


def divides(rules: str, images: int) -> str:
    return RULES[rules][0].format(n=images)


def _images(count: int) -> str:
    return f"{count} image{'s' * (count != 1)}"


def about_truth(truth) -> str:
    total, images = sum(map(len, truth.nuclei)), sum(image is not None for image in truth.images)
    shown = (
        "with images" if images == len(truth) else f"{images} with an image" if images else "without images"
    )
    return f"{len(truth)} case{'s' * (len(truth) != 1)} {shown}, {total:,} nuclei"


def about_submission(card: ScoreCard) -> str:
    missing = sum(row["missing"] for row in card.cases)
    return f"{card.metrics['n_predicted']:,} nuclei for {card.n_cases - missing} of {card.n_cases} cases"


def rule_of(card: ScoreCard) -> str:
    return puma_rule_of(card).name


def headline(shown: ScoredSubmission) -> None:
    card = shown.card
    m, i, chosen = card.metrics, card.intervals, rule_of(card)
    others = [rule for rule in RULES if rule != chosen]
    best = m[f"best_possible_{METRICS[chosen]}"]
    layout.headline(
        Fact(
            f"{report.NAMES[chosen]} ↑",
            share(card.score),
            interval(i["score"], 3) if i.get("score") else "no interval",
            (
                f"{divides(chosen, card.n_cases)}; the mean over {RULES[chosen][1]}. Below: 95% "
                f"interval over images. {classification.method(card)}"
            ),
        ),
        [
            Fact("Best possible", share(best), "the truth itself, by this rule"),
            *(
                Fact(
                    report.NAMES[rule],
                    share(m[METRICS[rule]]),
                    f"of {share(m[f'best_possible_{METRICS[rule]}'])}; {divides(rule, card.n_cases)}",
                )
                for rule in others
            ),
        ],
        figures.reach(report.reached(card), layout.theme()),
        f"{report.reach_words()} Score **{card.score!r}**. n = {_images(card.n_cases)}.",
        below=3,
    )


def classes_tab(shown: ScoredSubmission) -> None:
    card, theme = shown.card, layout.theme()
    left, right = st.columns([12, 10], gap="large")
    with left:
        class_table(card)
        detection_facts(card)
    with right:
        matrix = card.confusion_matrix
        layout.chart(
            figures.confusion(matrix["counts"], CLASSES, theme),
            "Rows: truth. Colour: share of the row. What is left after matching is paired within "
            "the radius whatever its class; the rest is missed "
            f"or spurious. For the eye: no score is made of it. n = {card.metrics['n_truth']:,} nuclei.",
            pd.DataFrame(matrix["counts"], index=matrix["labels"], columns=matrix["labels"]),
        )


def class_table(card: ScoreCard) -> None:
    rows = pd.DataFrame(
        [
            {
                "class": spaced(name),
                "support": entry["support"],
                "images": f"{entry['images_truth']}{'*' * (entry['images_truth'] < SMALL_CLASS)}",
                "F1": entry["f1"],
                "interval": interval(entry.get("f1_interval")),
                "best": entry["best_possible_f1"],
                "precision": entry["precision"],
                "recall": entry["recall"],
            }
            for name, entry in card.per_class.items()
        ]
    )
    layout.table(
        "How good is each class?",
        rows,
        {
            "class": layout.words("class", 96),
            "support": layout.number("nuclei", 0, 54),
            "images": layout.words("images", 50, right=True),
            "F1": layout.bar("F1 ↑", layout.theme().accent, width=88),
            "interval": layout.words("95% interval", 88, right=True),
            "best": layout.number("best", 2, 44, "F1 of the truth submitted as the prediction, by this rule"),
            "precision": layout.number("prec. ↑", 3, 54),
            "recall": layout.number("recall ↑", 3, 54),
        },
        "F1 as the rule counts it, precision and recall from the counts of all images. * in under "
        f"{SMALL_CLASS} images: read the "
        f"interval with care. –: undefined. {classification.method(card)}",
        lighter=["interval", "best"],
        key="classes",
    )


def detection_facts(card: ScoreCard) -> None:
    layout.heading("How well are nuclei found?")
    m, i, d = card.metrics, card.intervals, card.more["detection"]
    first, second = OBSERVERS.values()
    observers = {key: f"observers {share(first[key])}, {share(second[key])}" for key in first}
    words = {"f1": "F1", "precision": "precision", "recall": "recall"}
    layout.facts(
        [
            *(
                Fact(f"Micro {name} ↑", share(m[f"micro_{key}"]), interval(i.get(f"micro_{key}"), 3))
                for key, name in words.items()
            ),
            *(
                Fact(f"Detection {name} ↑", share(d[key]), observers[key], "Whatever the class")
                for key, name in words.items()
            ),
        ]
    )
    st.caption(
        "Micro: of the right class. Detection: whatever the class. Observers: two pathologists, and "
        "one twice, on 12 regions."
    )


def images_tab(shown: ScoredSubmission) -> None:
    card = shown.card
    order, doubts = worst_first(card), submissions.of_card("puma_doubts", shown, DOUBTS.doubts)
    left, right = st.columns([9, 13], gap="large")
    with left:
        page, pages = 1, -(-len(order) // ROWS)
        chart = st.container()
        if pages > 1:
            page = st.pagination(pages, key="images_page", bind="query-params")
        shown_here = order[(page - 1) * ROWS : page * ROWS]
        names = [card.cases[i]["case"] for i in shown_here]
        f1 = card.arrays["f1"][list(shown_here)]
        with chart:
            layout.chart(
                figures.class_heat(f1, CLASSES, names, layout.theme()),
                (
                    "Worst image first. Blank: the class is in neither truth nor prediction. A click "
                    f"opens the image. n = {card.n_cases}."
                ),
                pd.DataFrame(f1, index=names, columns=list(CLASSES)),
                key="class_heat",
                on_select=VIEWER.point("figure_class_heat"),
                selection_mode="points",
            )
    with right:
        rows = [
            {
                **{
                    key: card.cases[i][key]
                    for key in ("case", "macro_f1", "micro_f1", "n_truth", "n_predicted", "fp", "fn")
                },
                "flags": ", ".join(doubts[i]),
            }
            for i in order
        ]
        suspicious = sum(map(bool, doubts))
        layout.table(
            f"Which images went worst? {len(rows)}",
            pd.DataFrame(rows),
            {
                "case": layout.words("image", 200),
                "macro_f1": layout.number(
                    "F1 ↑", 3, 50, "Mean F1 of the classes that occur in the image; in no ranking"
                ),
                "micro_f1": layout.number("micro ↑", 3, 54),
                "n_truth": layout.number("nuclei", 0, 52),
                "n_predicted": layout.number("found", 0, 50),
                "fp": layout.number("FP ↓", 0, 44),
                "fn": layout.number("FN ↓", 0, 44),
                "flags": layout.words(
                    "▲", 136, explain="Missing, or so unlike the truth that a mistake in the file is likely"
                ),
            },
            (
                f"Choose a row to open the image in the viewer. ▲: {suspicious} of {len(rows)} missing "
                "or suspicious."
            ),
            key="image_rows",
            height=TABLE_HEIGHT if len(rows) > SHORT else "content",
            on_select=VIEWER.row("image_rows", [row["case"] for row in rows]),
            selection_mode="single-row",
        )


def setting(card: ScoreCard) -> tuple[float, float]:
    """Radius and smallest confidence as the sliders stand, also while their tab is closed."""
    low, high = RADIUS_RANGE
    return _standing("radius", RADIUS, low, high), _standing("least", 0.0, 0.0, highest_confidence(card))


def _standing(key: str, usual: float, low: float, high: float) -> float:
    try:
        value = float(st.session_state.get(key, st.query_params.get(key, usual)))
    except ValueError:
        return usual
    return value if low <= value <= high else usual


def highest_confidence(card: ScoreCard) -> float:
    return float(max(1.0, np.ceil(card.arrays["confidence"].max(initial=1.0))))


def tried(shown: ScoredSubmission, radius: float, least: float) -> ScoreCard:
    """The card under another radius or smallest confidence."""
    if (radius, least) == (RADIUS, 0.0):
        return shown.card
    return _tried(*_identity(shown), radius, least, shown)


@st.cache_resource(max_entries=KEPT_TRIALS, scope="session", show_spinner=False)
def _tried(
    truth_key: str, submission_key: str, options: str, radius: float, least: float, _shown: ScoredSubmission
) -> ScoreCard:
    return rescore(
        _shown.truth, _shown.predictions, _shown.card, radius=radius, min_confidence=least, resamples=0
    )


def away(radius: float, least: float) -> str:
    """What is not the challenge's rule, as a badge."""
    changed = [f"radius {radius:g} px"] * (radius != RADIUS) + [f"confidence from {least:g}"] * (least != 0)
    return (
        f":orange-badge[▲ {' and '.join(changed)}: not the challenge's rule]"
        if changed
        else ":green-badge[✓ the challenge's rule]"
    )


def _back() -> None:
    st.session_state["radius"], st.session_state["least"] = RADIUS, 0.0
    _to_address()


def _to_address() -> None:
    """By hand, because a bound slider takes its value out of the address with its tab, and the viewer shows
    the same setting."""
    for key, usual in (("radius", RADIUS), ("least", 0.0)):
        value = st.session_state.get(key, usual)
        if value == usual:
            st.query_params.pop(key, None)
        else:
            st.query_params[key] = f"{value:g}"


@st.fragment
def radius_tab(shown: ScoredSubmission) -> None:
    """The score under another radius or smallest confidence. A fragment: a move repaints this and nothing
    else."""
    most = highest_confidence(shown.card)
    left, right = st.columns([2, 3], gap="large")
    with left:
        layout.heading("What if another radius or confidence counted?")
        st.session_state["radius"], st.session_state["least"] = setting(shown.card)
        kept = {"persist_state": "page", "on_change": _to_address}
        radius = st.slider("Radius, px", *RADIUS_RANGE, step=0.5, format="%.1f", key="radius", **kept)
        least = st.slider("Smallest confidence", 0.0, most, step=0.01, format="%.2f", key="least", **kept)
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(away(radius, least))
            st.button(
                "Back to 15 px and 0", key="to_rule", on_click=_back, type="tertiary", icon=":material/undo:"
            )
        card = tried(shown, radius, least)
        setting_facts(shown.card, card)
    with right:
        curves(shown, card, radius, least)
    setting_table(shown.card, card, radius, least)


def setting_facts(usual: ScoreCard, card: ScoreCard) -> None:
    m, before, moved = card.metrics, usual.metrics, DOUBTS.shift(card)
    rules = [rule_of(card), *(rule for rule in RULES if rule != rule_of(card))]
    layout.facts(
        [
            *(
                Fact(
                    f"{report.NAMES[rule]} ↑",
                    share(m[METRICS[rule]]),
                    f"{share(before[METRICS[rule]])} by the rule",
                )
                for rule in rules
            ),
            Fact("Micro F1 ↑", share(m["micro_f1"]), f"{share(before['micro_f1'])} by the rule"),
            Fact("Predictions left", f"{m['n_predicted']:,}", f"of {before['n_predicted']:,}"),
            Fact(
                "Predictions lie",
                UNDEFINED
                if np.isnan(moved).any()
                else f"{decimal(moved[0], 1, sign=True)}, {decimal(moved[1], 1, sign=True)} px",
                "to the right, down",
                (
                    "The offset on which most pairs of a nucleus and a prediction of its class agree; "
                    "about 0 unless the tiles are shifted"
                ),
            ),
        ]
    )


def curves(shown: ScoredSubmission, card: ScoreCard, radius: float, least: float) -> None:
    """Each curve is drawn where the other slider stands."""
    theme, best = layout.theme(), card.metrics[f"best_possible_{METRICS[rule_of(card)]}"]
    over_radius, over_confidence = (
        _over_radius(*_identity(shown), least, card),
        _over_confidence(*_identity(shown), radius, card),
    )
    layout.chart(
        figures.along(
            over_radius["x"],
            over_radius["y"],
            theme,
            "What does the radius change?",
            "radius, px",
            RADIUS,
            radius,
            card.score,
            best,
        ),
        f"Smallest confidence {least:g}. Dotted: 15 px, the challenge's. n = {_images(card.n_cases)}.",
        pd.DataFrame({"radius": over_radius["x"], "macro F1": over_radius["y"]}).set_index("radius"),
    )
    layout.chart(
        figures.along(
            over_confidence["x"],
            over_confidence["y"],
            theme,
            "What does the smallest confidence change?",
            "predictions with less are left out",
            0.0,
            least,
            card.score,
            best,
        ),
        (
            f"Radius {radius:g} px. Dotted: 0, the challenge's. Chosen on the images it is scored on, "
            "the best is too good: expect less on new ones."
        ),
        pd.DataFrame({"confidence": over_confidence["x"], "macro F1": over_confidence["y"]}).set_index(
            "confidence"
        ),
    )


def _identity(shown: ScoredSubmission) -> tuple[str, str, str]:
    return shown.truth_key, shown.given.key, repr(shown.card.provenance["options"])


def steps(card: ScoreCard) -> int:
    return STEPS if card.metrics["n_truth"] + card.metrics["n_predicted"] <= CROWD else FEW_STEPS


@st.cache_resource(max_entries=KEPT_TRIALS, scope="session", show_spinner=False)
def _over_radius(truth_key: str, submission_key: str, options: str, least: float, _card: ScoreCard) -> dict:
    return along_radius(_card, steps(_card))


@st.cache_resource(max_entries=KEPT_TRIALS, scope="session", show_spinner=False)
def _over_confidence(
    truth_key: str, submission_key: str, options: str, radius: float, _card: ScoreCard
) -> dict:
    return along_confidence(_card, steps(_card))


def setting_table(usual: ScoreCard, card: ScoreCard, radius: float, least: float) -> None:
    rows = [
        {
            "class": spaced(name),
            "rule": usual.per_class[name]["f1"],
            "here": entry["f1"],
            **{key: entry[key] for key in ("precision", "recall", "tp", "fp", "fn")},
        }
        for name, entry in card.per_class.items()
    ]
    layout.table(
        "What does it do to each class?",
        pd.DataFrame(rows),
        {
            "class": layout.words("class", 110),
            "rule": layout.number("F1 by the rule ↑", 3),
            "here": layout.number("F1 here ↑", 3),
            "precision": layout.number("precision ↑", 3),
            "recall": layout.number("recall ↑", 3),
            "tp": layout.number("TP ↑", 0),
            "fp": layout.number("FP ↓", 0),
            "fn": layout.number("FN ↓", 0),
        },
        f"Here: radius {radius:g} px, confidence from {least:g}. The viewer shows the same setting.",
        lighter=["rule"],
        key="setting_classes",
    )


def tissue_tab(shown: ScoredSubmission) -> None:
    card, theme = shown.card, layout.theme()
    st.markdown(
        "What a pathologist would count, from truth and from prediction. Not ranked, and **no diagnosis**."
    )
    left, right = st.columns(2, gap="large")
    with left:
        true, found = (
            np.array([entry[f"per_mm2_{side}"] for entry in card.per_class.values()])
            for side in ("truth", "predicted")
        )
        layout.chart(
            figures.densities(CLASSES, true, found, theme),
            f"● truth, ◆ predicted, per mm² of all images together. n = {_images(card.n_cases)}.",
            pd.DataFrame({"truth": true, "predicted": found}, index=list(CLASSES)),
        )
    with right:
        names = [row["case"] for row in card.cases]
        true, found = (
            np.array([row[f"til_share_{side}"] for row in card.cases], float)
            for side in ("truth", "predicted")
        )
        layout.chart(
            figures.shares(names, true, found, theme),
            "A dot per image; a click opens it. All together: truth "
            f"{percent(card.metrics['til_share_truth'])}, predicted "
            f"{percent(card.metrics['til_share_predicted'])}. n = "
            f"{int((np.isfinite(true) & np.isfinite(found)).sum())}.",
            pd.DataFrame({"truth": true, "predicted": found}, index=names),
            key="til_share",
            on_select=VIEWER.point("figure_til_share"),
            selection_mode="points",
        )
    left, right = st.columns(2, gap="large")
    with left:
        away = [card.arrays[name] for name in ("um_truth", "um_predicted")]
        within = CLINIC.drawn_within(*away)
        sides = [CLINIC.cumulative(values, within) for values in away]
        counted = [
            (card.more[f"tumor_lymphocyte_um_{side}"] or {"n": 0})["n"] for side in ("truth", "predicted")
        ]
        layout.chart(
            figures.distances(within, *sides, CLINIC.NEAR_MICROMETRES, theme),
            (
                f"Tumour nuclei of images that hold a lymphocyte: {counted[0]:,} in the truth, "
                f"{counted[1]:,} predicted. Dotted: 20 and 50 µm."
            ),
            pd.DataFrame(
                {
                    "µm": within,
                    **{n: s for n, s in zip(("truth", "predicted"), sides, strict=True) if s is not None},
                }
            ).set_index("µm"),
        )
    with right:
        distance_table(card)


def distance_table(card: ScoreCard) -> None:
    rows = [_distances("all images", card.more), *(_distances(row["case"], row) for row in card.cases)]
    layout.table(
        "What is the distance in each image?",
        pd.DataFrame(rows),
        {
            "image": layout.words("image", 182),
            "median_truth": layout.number("median µm", 1, 80),
            "median_predicted": layout.number("pred.", 1, 52),
            "within_20_truth": layout.number("≤ 20 µm", 2, 58),
            "within_20_predicted": layout.number("pred.", 2, 52),
            "within_50_truth": layout.number("≤ 50 µm", 2, 58),
            "within_50_predicted": layout.number("pred.", 2, 52),
        },
        (
            "From every tumour nucleus to the nearest lymphocyte, truth beside prediction. –: the image "
            "lacks one of them."
        ),
        lighter=["median_predicted", "within_20_predicted", "within_50_predicted"],
        key="distances",
        height=320,
    )


def _distances(name: str, entry: Mapping) -> dict:
    sides = {side: entry[f"tumor_lymphocyte_um_{side}"] or {} for side in ("truth", "predicted")}
    keys = ("median", *(f"within_{reach}" for reach in CLINIC.NEAR_MICROMETRES))
    return {
        "image": name,
        **{f"{key}_{side}": found.get(key) for key in keys for side, found in sides.items()},
    }


def match_table(card: ScoreCard) -> pd.DataFrame:
    """What became of every nucleus, as --matches writes it."""
    return pd.DataFrame({name: matches.cells(column) for name, column in card.matches.items()})


def case_table(card: ScoreCard) -> pd.DataFrame:
    return pd.json_normalize(list(card.cases), sep="_")


@st.fragment
def viewer_tab(shown: ScoredSubmission) -> None:
    """One image's nuclei, drawn and in a table. A fragment: a click in the viewer repaints this and nothing
    else."""
    names = [row["case"] for row in shown.card.cases]
    # By hand: a bound box that is drawn for the first time leaves a value that a click elsewhere has set out
    # of the address.
    asked = st.session_state.get("case", st.query_params.get("case"))
    st.session_state["case"] = st.query_params["case"] = asked if asked in names else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        case = st.selectbox(
            "Image",
            names,
            key="case",
            persist_state="page",
            width=290,
            on_change=VIEWER.leave,
            format_func=str,
        )
        index = names.index(case)
        for words, step, icon in (("Previous", -1, "chevron_left"), ("Next", 1, "chevron_right")):
            st.button(
                words,
                key=f"case_{words}",
                icon=f":material/{icon}:",
                on_click=_go_to,
                args=(names[(index + step) % len(names)],),
            )
    radius, least = setting(shown.card)
    if (radius, least) != (RADIUS, 0.0):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(away(radius, least))
            st.button(
                "Back to 15 px and 0",
                key="to_rule_here",
                on_click=_back,
                type="tertiary",
                icon=":material/undo:",
            )
    drawn, payload = _packed(*_identity(shown), radius, least, index, shown)
    left, right = st.columns([7, 3], gap="medium")
    with left:
        viewer.show(payload, "nuclei", focus=_nucleus_in_address(), on_select=lambda: _put_nucleus(payload))
        downloads.button(
            "Whole image (PNG)",
            partial(
                overlay_png,
                drawn,
                tuple(shown.truth.sizes[index].tolist()),
                case,
                MICROMETRES_PER_PIXEL,
                PRINTED_SIDE,
                _tile(shown.truth_key, index, shown.truth),
            ),
            f"{case}-overlay",
            "png",
            "image/png",
            "download_overlay",
            type="tertiary",
        )
    with right:
        nucleus_table(drawn, radius)


def _go_to(case: str) -> None:
    st.session_state["case"] = case
    VIEWER.leave()


@st.cache_resource(max_entries=KEPT_CASES, scope="session", show_spinner="Drawing the nuclei ...")
def _packed(
    truth_key: str,
    submission_key: str,
    options: str,
    radius: float,
    least: float,
    index: int,
    _shown: ScoredSubmission,
) -> tuple:
    """The nuclei of an image with what became of them, and the same as the viewer takes it."""
    truth = _shown.truth
    drawn = overlay(truth, _shown.predictions, tried(_shown, radius, least), index)
    payload = nuclei.results(
        drawn,
        name=truth.ids[index],
        size=tuple(truth.sizes[index].tolist()),
        classes=CLASSES,
        reasons=REASONS,
        jpeg=_tile(truth_key, index, truth),
        um_per_px=MICROMETRES_PER_PIXEL,
        radius=radius,
    )
    return drawn, payload


@st.cache_resource(max_entries=KEPT_CASES, scope="session", show_spinner=False)
def _tile(truth_key: str, index: int, _truth) -> bytes | None:
    return pictures.tile(_truth, index)


def _put_nucleus(payload) -> None:
    """The nucleus that was clicked goes into the address."""
    chosen = viewer.selected("nuclei", payload)
    if chosen:
        st.query_params["nucleus"] = f"{chosen['side']}-{chosen['index']}"
    else:
        VIEWER.leave()


def _nucleus_in_address() -> Mapping | None:
    side, _, number = st.query_params.get("nucleus", "").partition("-")
    return (
        {"side": side, "index": int(number)}
        if side in LISTING.SIDES and number.isdecimal() and len(number) < 9
        else None
    )


def nucleus_table(drawn: Mapping, radius: float) -> None:
    """What the viewer shows, in a table; the chosen nucleus above it."""
    which = st.segmented_control(
        "In the table",
        list(LISTING.LISTS),
        key="list",
        bind="query-params",
        persist_state="page",
        required=True,
        default="errors",
        help="FP: predicted, and no truth matches. FN: in the truth, and no prediction matches. TP: both.",
    )
    found, focus = LISTING.listing(drawn, which, radius), _nucleus_in_address()
    nucleus = focus and LISTING.found(drawn, focus["side"], focus["index"], radius)
    if nucleus:
        st.markdown(in_words(nucleus))
    row = found.place(focus["side"], focus["index"]) if focus else None
    key = f"nuclei_{which}"
    st.session_state[key] = {"selection": {"rows": [] if row is None else [row], "columns": [], "cells": []}}
    layout.table(
        f"What became of each nucleus? {found.total:,}",
        pd.DataFrame(
            [
                {
                    "status": r.status,
                    "class": spaced(r.name),
                    "distance": r.distance,
                    "confidence": r.confidence,
                    "of": f"{r.side} {r.number}",
                    "why": r.why,
                }
                for r in found.rows
            ],
            columns=["status", "class", "distance", "confidence", "of", "why"],
        ),
        {
            "status": layout.words("", 36),
            "class": layout.words("class", 90),
            "distance": layout.number(
                "px", 1, 44, "To the match, or to the nucleus that the reason is about"
            ),
            "confidence": layout.number("conf.", 2, 48),
            "of": layout.words("no.", 96),
            "why": layout.words("why", 330),
        },
        "Choose a row to see the nucleus."
        + (f" The first {len(found.rows):,} are listed." if len(found.rows) < found.total else ""),
        key=key,
        height=TABLE_HEIGHT if len(found.rows) > SHORT else "content",
        on_select=partial(_choose_row, key, found),
        selection_mode="single-row",
    )


def _choose_row(key: str, found) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        chosen = found.rows[rows[0]]
        st.query_params["nucleus"] = f"{chosen.side}-{chosen.number}"
    else:
        VIEWER.leave()


STATUS = {"TP": ("green", "found"), "FP": ("orange", "spurious"), "FN": ("blue", "missed")}


def in_words(nucleus) -> str:
    colour, meaning = STATUS[nucleus.status]
    told = f", confidence {nucleus.confidence:.2f}" if nucleus.confidence is not None else ""
    match = (
        f", matched with prediction {nucleus.partner} {nucleus.distance:.1f} px away"
        if nucleus.partner is not None
        else f": {nucleus.why}"
    )
    return (
        f":{colour}-badge[{nucleus.status} {meaning}] **{spaced(nucleus.name)}**, {nucleus.side} "
        f"{nucleus.number} at {nucleus.x:.0f}, "
        f"{nucleus.y:.0f} px{match}{told}"
    )


TABS = {
    "Classes": classes_tab,
    "Images": images_tab,
    "Viewer": viewer_tab,
    "Radius": radius_tab,
    "Tissue": tissue_tab,
}
NUCLEI_TYPES = ("geojson", "json")
show(
    ChallengePage(
        CHALLENGE,
        "Zip or folder with a file of nuclei per case, or submission.csv and predictions",
        own_options,
        score_options,
        about_truth,
        about_submission,
        headline,
        TABS,
        case_table,
        CLOSING,
        about_test_set="GeoJSON or JSON of nuclei per case, as files, folder or zip; images beside them",
        truth_types=(*NUCLEI_TYPES, "tif", "tiff", "png", "jpg", "jpeg"),
        submission_types=NUCLEI_TYPES,
        several=True,
        choices=choices,
        tables={"matches": match_table},
    )
)
