"""HECKTOR 2026: one submission, scored in three subtasks, and what is behind each of them."""

from collections.abc import Mapping
from functools import partial

import pandas as pd
import streamlit as st

import scoring
from pages.shared import classification, layout, submissions, viewer
from pages.shared.case_link import CaseLink
from pages.shared.challenge_page import ChallengePage, ScoredSubmission, show
from pages.shared.classification import interval
from pages.shared.inputs import Input
from pages.shared.layout import Fact
from pages.shared.viewer import slices
from scoring.challenges.hecktor2026 import figures, summary, view
from scoring.challenges.hecktor2026 import patients as hecktor_patients
from scoring.challenges.hecktor2026.figures import Drawing
from scoring.figures.intervals import Row, intervals
from scoring.figures.numerals import UNDEFINED, decimal, share
from scoring.figures.score_points import Part, score_strip
from scoring.figures.theme import SMALL
from scoring.scorecard import ScoreCard
from scoring.text import file_name, markdown

ID = "hecktor2026"
CHALLENGE = scoring.load_challenge(ID)
VIEWER = CaseLink("patient", "place")
VIEW, SUMMARY, PATIENTS = view, summary, hecktor_patients
STRUCTURES = {"gtvp": "GTVp", "gtvn": "GTVn"}
KINDS = ("t", "n")
KEPT_SCENES = 6
NAMED = 12
"""Patients that a line names at most."""
CLOSING = (
    "▲ scorecard.json, the report and the table of cases hold what the truth says of every patient: "
    "do not hand them to anyone who must not see it. "
    "The official program is not public; where its description is silent, an option chooses, and "
    "the tab Readings shows what each choice is worth."
)
OPTIONS = {
    "empty_masks": (
        "Dice of two empty masks",
        {
            "one": "Nothing to find and nothing found counts as 1, as in most libraries.",
            "zero": "It counts as 0.",
            "skip": "The patient leaves the mean of that structure.",
        },
    ),
    "missing_risk": (
        "Pairs without a score",
        {
            "non-concordant": "They earn nothing.",
            "half": "They earn half, like a tie.",
            "exclude": "They leave the C-index.",
        },
    ),
    "prognosis_direction": (
        "Scores are read as",
        {
            "auto": "What its column is called: risk is a risk, RFS a time.",
            "risk": "The higher the worse.",
            "time": "Days to relapse: the lower the worse.",
        },
    ),
    "t0": (
        "T0 in the truth",
        {"count": "A class of its own.", "exclude": "Those patients leave the T stage."},
    ),
}
"""Option -> its words, and what each value means."""
COMPONENTS = {
    "segmentation": {"dice_gtvp": "GTVp", "dice_gtvn": "GTVn"},
    "staging": {"balanced_accuracy_t": "T", "balanced_accuracy_n": "N"},
    "c_index": {},
}
MEANINGS = {
    "segmentation": "Mean Dice of GTVp over patients, the same of GTVn, and the mean of the two",
    "staging": "Mean recall over the stages that occur in the truth, of T and of N, and the mean of the two",
    "c_index": "C-index: share of comparable pairs in which the earlier relapse has the higher risk, ties half",
}


def own_options() -> Mapping:
    """A submission of this challenge says everything itself."""
    return {}


def score_options(_given: Input, _own: Mapping) -> Mapping:
    """Whether nodes are counted: reading the masks needs to know, and the switch for it is drawn after
    that."""
    return {"lesions": st.session_state.get("lesions", st.query_params.get("lesions") == "true")}


def choices(_test_set: Input, _truth, _predictions) -> Mapping:
    """What the description leaves open."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        chosen = {
            name: st.selectbox(
                words,
                list(meanings),
                key=name,
                bind="query-params",
                persist_state="page",
                width=172,
                help="  \n".join(f"**{value}**: {meaning}" for value, meaning in meanings.items()),
            )
            for name, (words, meanings) in OPTIONS.items()
        }
        chosen["lesions"] = st.toggle(
            "Count nodes",
            key="lesions",
            bind="query-params",
            persist_state="page",
            help=(
                "Nodes (connected parts of GTVn) are counted and matched. Never ranked; all masks are "
                "read once more."
            ),
        )
    return chosen


def about_truth(truth) -> str:
    centers, images = len({center for center in truth.center if center}), len(truth.layout.images)
    known = {
        "mask": truth.has_mask,
        "T stage": truth.t >= 0,
        "N stage": truth.n >= 0,
        "relapse time": truth.has_survival,
    }
    parts = ", ".join(
        f"{n} {name}{'s' * (n != 1)}" for name, n in ((name, int(has.sum())) for name, has in known.items())
    )
    return (
        f"{len(truth)} patient{'s' * (len(truth) != 1)}: {parts}; {centers} "
        f"center{'s' * (centers != 1)}; {images} with CT or PET"
    )


def about_submission(card: ScoreCard) -> str:
    found = SUMMARY.lacking(card)
    return (
        ", ".join(f"{n} {words}{'s' * (n != 1)}" for words, n in found.items() if n)
        or f"complete for {card.n_cases} patients"
    )


def headline(shown: ScoredSubmission) -> None:
    card = shown.card
    m, i = card.metrics, card.intervals
    lacking(card)
    parts = SUMMARY.parts(card)
    bounds = [100 * v for v in i["score"]] if i.get("score") and None not in i["score"] else None
    if card.score is None:
        words = (
            "The score is **undefined**: a subtask has nothing to be scored on in this test set; see "
            "the findings."
        )
    else:
        total = " + ".join(f"{part.weight:.2f} × {part.value:.6f}" for part in parts)
        words = f"{total} = **{card.score!r}**. n = {card.n_cases} patients."
    layout.headline(
        Fact(
            "Weighted score ↑",
            share(card.score),
            interval(i.get("score"), 3),
            f"Below: 95% interval. {classification.method(card)}",
        ),
        [
            Fact(
                "Unweighted ↑",
                share(m["unweighted_score"]),
                f"consistency {decimal(m['consistency'], 4)}",
                (
                    "Plain mean of the three subtasks. Consistency: how far the weighted score is from "
                    "it; the smaller breaks a tie"
                ),
            )
        ],
        score_strip(
            [Part(p.name, CHALLENGE.parts[p.metric][1], 100 * p.weight, p.value) for p in parts],
            layout.theme(),
            bounds,
        ),
        words,
    )
    with st.grid(min_column_width=300, gap="small"):
        for part in parts:
            subtask(card, part)
    suspect(shown)


def lacking(card: ScoreCard) -> None:
    """What was missing, malformed or unknown, and what empty masks earned."""
    found = [f"{n} {words}{'s' * (n != 1)}" for words, n in SUMMARY.lacking(card).items() if n]
    credit = SUMMARY.credit_of_empty(card)
    words = (
        " ".join(f":orange-badge[▲ {one}]" for one in found)
        or ":green-badge[✓ nothing missing, malformed or unknown]"
    )
    if credit:
        whole = share(card.metrics["dice_from_empty_cases"])
        words += (
            f" :gray-badge[∅ {decimal(credit, 4)} of the score] from patients with nothing to find and "
            f"nothing found ({whole} of segmentation)"
        )
    st.markdown(words)


def subtask(card: ScoreCard, part) -> None:
    """A card: value, interval, weight, what it contributes, and what it is made of."""
    with st.container(border=True, gap=None):
        st.caption(f"{part.name} ↑", help=MEANINGS[part.metric])
        between = interval(card.intervals.get(part.metric), 3)
        st.markdown(
            f"**{share(part.value)}** :small[:gray[{markdown(between)}]] &nbsp; × {part.weight:.2f} "
            f"= **{decimal(part.won, 4)}**"
        )
        inside = [f"{name} **{share(card.metrics[key])}**" for key, name in COMPONENTS[part.metric].items()]
        if part.metric == "c_index":
            flipped = "signs reversed" if card.metrics["missing_pairs"] else "1 − C"
            inside = [
                f"{card.metrics['comparable_pairs']:,} pairs",
                f"{flipped} **{share(card.metrics['c_index_flipped'])}**",
            ]
        st.markdown(f":small[{' · '.join(inside)}]")


def suspect(shown: ScoredSubmission) -> None:
    """The warning that scores may be read the wrong way round, with a switch that reads them the other
    way."""
    if not any(finding.code == "direction-suspect" for finding in shown.card.findings):
        return
    found, m = SUMMARY.direction(shown.card, shown.predictions), shown.card.metrics
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":orange-badge[▲ direction] The C-index is **{share(m['c_index'])}**, with every sign "
            "reversed it would be "
            f"**{share(m['c_index_flipped'])}**. The scores are read as a {found.reading}: are they one?"
        )
        st.button(
            f"Read them as a {found.other}",
            key="switch_direction",
            icon=":material/swap_vert:",
            on_click=_read_as,
            args=(found.other,),
        )


def _read_as(reading: str) -> None:
    st.session_state["prognosis_direction"] = reading


def draw(drawing: Drawing, patients: bool = False) -> None:
    """A figure of the card. patients: its points are patients, and a click opens one."""
    figure, numbers = drawing.build(layout.theme()), pd.DataFrame(drawing.numbers)
    caption, more = drawing.caption, {}
    if patients:
        key = f"figure_{file_name(figure.layout.meta['question'])}"
        caption, more = (
            f"{caption} A click opens the patient.",
            {"on_select": VIEWER.point(key), "selection_mode": "points"},
        )
    layout.chart(figure, caption, numbers.set_index(numbers.columns[0]), **more)


def segmentation_tab(shown: ScoredSubmission) -> None:
    card = shown.card
    if all(row["mask"] == "no-truth" for row in card.cases):
        st.info(
            "The test set has no mask: there is no segmentation to look at.", icon=":material/layers_clear:"
        )
        return
    left, right = st.columns([3, 2], gap="large")
    with left:
        draw(figures.raincloud(card), patients=True)
    with right:
        structures_table(card)
    for kind in (figures.dice_by_volume, figures.volumes):
        for column, structure in zip(st.columns(2, gap="large"), STRUCTURES, strict=True):
            with column:
                draw(kind(card, structure), patients=True)


STRUCTURE_ROWS = {
    "Dice ↑, mean over patients, ranked": ("mean_dice", share),
    "95% interval": ("interval", str),
    "the same where truth has it ↑": ("mean_dice_nonempty_truth", share),
    "pooled over all voxels ↑": ("dice_agg", share),
    "patients": ("n_patients", str),
    "empty in the truth": ("n_empty_truth", str),
    "empty in the submission": ("n_empty_prediction", str),
    "empty in both": ("n_both_empty", str),
}
"""What is said of a structure -> its key in `per_class`, and how it is written."""


def structures_table(card: ScoreCard) -> None:
    columns = {}
    for structure, name in STRUCTURES.items():
        entry = card.per_class[name] | {"interval": interval(card.intervals.get(f"dice_{structure}"))}
        columns[name] = [write(entry[key]) for key, write in STRUCTURE_ROWS.values()]
    layout.table(
        "What is the mean made of?",
        pd.DataFrame({"what": list(STRUCTURE_ROWS), **columns}),
        {"what": layout.words("", 196), **{name: layout.words(name, 96, right=True) for name in columns}},
        f"Pooled: the definition of 2022, not ranked. {classification.method(card)}",
        key="structures",
    )
    credit = card.metrics["dice_from_empty_cases"]
    if credit:
        st.markdown(
            f"**{share(credit)}** of the segmentation score comes from structures that are empty in "
            "truth and prediction."
        )
    if "gtvn_count_error" in card.metrics:
        layout.facts(
            [
                Fact(
                    "Nodes, count error ↓",
                    decimal(card.metrics["gtvn_count_error"], 2),
                    "not ranked",
                    "Mean absolute difference of the numbers of nodes",
                ),
                Fact(
                    "Nodes, detection F1 ↑",
                    share(card.metrics["gtvn_detection_f1"]),
                    "not ranked",
                    "Nodes paired one to one where their IoU is above 0.3: 2 TP / (2 TP + FP + FN)",
                ),
            ]
        )


def staging_tab(shown: ScoredSubmission) -> None:
    for column, kind in zip(st.columns(2, gap="large"), ("T", "N"), strict=True):
        with column:
            matrix = figures.confusion(shown.card, kind)
            if matrix:
                draw(matrix)
                recall_table(shown.card, kind)
            else:
                layout.heading(f"Which {kind} stage is taken for which?")
                st.info(
                    f"No patient of the test set has a {kind} stage that counts.", icon=":material/grid_off:"
                )


def recall_table(card: ScoreCard, kind: str) -> None:
    entries = {name: entry for name, entry in card.per_class.items() if name[0] == kind and len(name) == 2}
    rows = [
        {
            "stage": name,
            "support": f"{entry['support']}{'*' * (0 < entry['support'] < SMALL)}",
            "predicted": entry["predicted"],
            "recall": entry["recall"],
        }
        for name, entry in entries.items()
    ]
    key = f"balanced_accuracy_{kind.lower()}"
    layout.table(
        f"How well is each {kind} stage found?",
        pd.DataFrame(rows),
        {
            "stage": layout.words("stage", 60),
            "support": layout.words("patients", right=True),
            "predicted": layout.number("predicted", 0),
            "recall": layout.bar("recall ↑", layout.theme().accent),
        },
        f"Their mean is the balanced accuracy: **{share(card.metrics[key])}**, "
        f"{interval(card.intervals.get(key), 3)}. "
        f"A stage without a patient is in no mean. * under {SMALL} patients: a few of them decide the recall.",
        lighter=["support", "predicted"],
        key=f"recall_{kind}",
    )


def prognosis_tab(shown: ScoredSubmission) -> None:
    card = shown.card
    curves, m = figures.kaplan_meier(card), card.metrics
    left, right = st.columns([3, 2], gap="large")
    with left:
        if curves:
            draw(curves)
        else:
            layout.heading("Do those with a higher predicted risk relapse earlier?")
            st.info("No patient has time, event and score.", icon=":material/timeline:")
    with right:
        layout.heading("How good is the order of risks?")
        layout.facts(
            [
                Fact(
                    "C-index ↑",
                    share(m["c_index"]),
                    interval(card.intervals.get("c_index"), 3),
                    "Guessing gives 0.5",
                ),
                Fact(
                    "With signs reversed",
                    share(m["c_index_flipped"]),
                    "1 − C" if not m["missing_pairs"] else "",
                    (
                        "What the C-index would be if every score were read the other way round; 1 − C "
                        "where no score is missing"
                    ),
                ),
            ]
        )
        st.markdown(direction_words(SUMMARY.direction(card, shown.predictions)))
        if m["comparable_pairs"]:
            draw(figures.pairs(card))


def direction_words(found) -> str:
    if found is None:
        return "There is no column of scores: every pair counts as missing."
    column = {"risk": "a column of risks", "time": "a column of times (RFS)"}[found.column]
    rule = {"risk": "the higher the worse", "time": "the lower the worse"}[found.reading]
    return (
        f"Direction used: {column}, read as a **{found.reading}** ({rule}), "
        f"{'as the option says' if found.forced else 'as it is called'}."
    )


CENTER_MEASURES = {
    "segmentation": "segmentation",
    "dice_gtvp": "Dice of GTVp",
    "dice_gtvn": "Dice of GTVn",
    "balanced_accuracy_t": "balanced accuracy of T",
    "balanced_accuracy_n": "balanced accuracy of N",
    "c_index": "C-index",
}


def centers_tab(shown: ScoredSubmission) -> None:
    card = shown.card
    centers = card.more.get("per_center")
    if not centers:
        st.info("The test set names no center (column CenterID).", icon=":material/location_off:")
        return
    left, right = st.columns([2, 3], gap="large")
    with left:
        chosen = st.selectbox(
            "Quantity",
            list(CENTER_MEASURES.values()),
            key="center_quantity",
            bind="query-params",
            persist_state="page",
            width=260,
        )
        metric = next(key for key, words in CENTER_MEASURES.items() if words == chosen)
        between = submissions.of_card(
            "hecktor_centers", shown, partial(VIEW.center_intervals, shown.truth, shown.predictions)
        )
        rows = [
            Row(name, entry[metric], between.get(name, {}).get(metric), entry["n_cases"])
            for name, entry in centers.items()
        ]
        layout.chart(
            intervals(
                rows,
                layout.theme(),
                "Does it work everywhere?",
                f"{chosen} ↑",
                reference=card.metrics[metric],
            ),
            f"Line: all {card.n_cases} patients. Grey: under {SMALL} patients. {classification.method(card)}",
            pd.DataFrame([{"center": r.name, chosen: r.value, "n": r.n} for r in rows]).set_index("center"),
        )
    with right:
        layout.table(
            "What are the numbers of each center?",
            pd.DataFrame(
                [
                    {"center": name, **{k: v for k, v in entry.items() if k != "intervals"}}
                    for name, entry in centers.items()
                ]
            ),
            {
                "center": layout.words("center", 90),
                "n_cases": layout.number("n", 0, 56),
                "dice_gtvp": layout.number("GTVp ↑"),
                "dice_gtvn": layout.number("GTVn ↑"),
                "balanced_accuracy_t": layout.number("T ↑"),
                "balanced_accuracy_n": layout.number("N ↑"),
                "c_index": layout.number("C-index ↑"),
                "comparable_pairs": layout.number("pairs", 0),
            },
            "Dice, balanced accuracy, C-index inside each center. Pairs: comparable ones with both "
            "patients in it. Balanced accuracy "
            "means over the stages that the center has, so centers with other stages are not quite "
            "comparable.",
            lighter=["n_cases", "comparable_pairs"],
            key="centers",
        )


def readings_tab(shown: ScoredSubmission) -> None:
    """The score under every other reading of what the description leaves open."""
    card = shown.card
    found = submissions.of_card(
        "hecktor_readings", shown, partial(VIEW.readings, shown.truth, shown.predictions)
    )
    names = [f"{OPTIONS[r.option][0]}: {r.value}" for r in found]
    left, right = st.columns([5, 7], gap="large")
    with left:
        rows = [
            Row(
                name,
                r.score,
                beside=""
                if r.difference is None
                else decimal(r.difference, 4, sign=True)
                if r.difference
                else "same",
            )
            for name, r in zip(names, found, strict=True)
        ]
        layout.chart(
            intervals(
                rows,
                layout.theme(),
                "What would the score be under another reading?",
                "weighted score ↑",
                digits=3,
                reference=card.score,
            ),
            (
                f"Line: the score as it is read now, {share(card.score)}. One rule is changed at a "
                f"time. n = {card.n_cases}."
            ),
        )
    with right:
        parts = SUMMARY.parts(card)
        now = {
            "reading": "as it is read now",
            "score": card.score,
            "difference": None,
            **{part.metric: part.value for part in parts},
        }
        others = [
            {"reading": name, "score": r.score, "difference": r.difference, **r.parts}
            for name, r in zip(names, found, strict=True)
        ]
        layout.table(
            "Which part does it change?",
            pd.DataFrame([now, *others]),
            {
                "reading": layout.words("reading", 215),
                "score": layout.number("score ↑", 4),
                "difference": st.column_config.NumberColumn("difference", format="%+.4f", alignment="right"),
                **{part.metric: layout.number(f"{CHALLENGE.parts[part.metric][1]} ↑", 3) for part in parts},
            },
            (
                "On these rules the description is silent or contradicts itself. The choices above the "
                "headline change them."
            ),
            lighter=list(CHALLENGE.parts),
            key="readings",
        )


def patients_tab(shown: ScoredSubmission) -> None:
    """Who cost most, and everybody."""
    card = shown.card
    rows = {row["case"]: row for row in card.cases}
    for column, (by, question, columns, caption) in zip(st.columns(3, gap="medium"), WORST, strict=True):
        with column:
            worst = VIEW.worst(card, by)
            table = pd.DataFrame(
                [rows[w.case] | {"value": w.value} for w in worst], columns=["case", *columns]
            )
            patient_table(
                question, table, {"case": layout.words("patient"), **columns}, caption, f"worst_{by}"
            )
    table = case_table(card)
    patient_table(
        f"What became of each patient? {card.n_cases}",
        table,
        {
            "case": layout.words("patient"),
            "center": layout.words("center"),
            "mask": layout.words("mask"),
            "dice_gtvp": layout.number("GTVp ↑"),
            "dice_gtvn": layout.number("GTVn ↑"),
            "t_truth": layout.words("T"),
            "t_prediction": layout.words("T predicted"),
            "n_truth": layout.words("N"),
            "n_prediction": layout.words("N predicted"),
            "risk": layout.number("risk", 3),
            "time": layout.number("days", 0),
            "event": layout.number("relapse", 0),
            "discordant_pairs": layout.number("discordant pairs ↓", 0),
        },
        "Choose a row to open the patient in the viewer. Risk: as it was read, the higher the worse.",
        "patient_rows",
        height=320,
    )


WORST = (
    (
        "dice",
        "Whose masks fit worst?",
        {
            "dice_gtvp": layout.number("GTVp ↑", 2),
            "dice_gtvn": layout.number("GTVn ↑", 2),
            "mask": layout.words("mask"),
        },
        "By the mean Dice of both structures. Choose a row to open the patient.",
    ),
    (
        "stages",
        "Whose stages are furthest off?",
        {
            "value": layout.number("steps ↓", 0),
            "t_truth": layout.words("T"),
            "t_prediction": layout.words("called"),
            "n_truth": layout.words("N"),
            "n_prediction": layout.words("called"),
        },
        "Steps of T and N together; without a prediction as many as there can be.",
    ),
    (
        "pairs",
        "Whose risk is most out of order?",
        {
            "value": layout.number("pairs lost ↓", 0),
            "comparable_pairs": layout.number("of", 0),
            "time": layout.number("days", 0),
            "event": layout.number("relapse", 0),
        },
        "Comparable pairs that are discordant or lack a score.",
    ),
)
"""Order of `view.worst`, its question, columns and caption."""


def patient_table(
    question: str, rows: pd.DataFrame, columns: Mapping, caption: str, key: str, **more
) -> None:
    """A table of patients, of which a row opens the viewer."""
    layout.table(
        question,
        rows,
        columns,
        caption,
        key=key,
        on_select=VIEWER.row(key, list(rows["case"])),
        selection_mode="single-row",
        **more,
    )


def case_table(card: ScoreCard) -> pd.DataFrame:
    return pd.DataFrame(card.cases)


@st.fragment
def viewer_tab(shown: ScoredSubmission) -> None:
    """One patient's masks in slices, and the same in numbers. A fragment: a click in the viewer repaints this
    and nothing else."""
    names = [row["case"] for row in shown.card.cases]
    if st.session_state.get("patient") not in names:
        asked = st.query_params.get("patient")
        st.session_state["patient"] = asked if asked in names else names[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        patient = st.selectbox(
            "Patient",
            names,
            key="patient",
            persist_state="page",
            width=260,
            on_change=VIEWER.leave,
            format_func=str,
        )
        # By hand: a bound widget that first appears with a value from elsewhere does not write it.
        st.query_params["patient"] = patient
        index = names.index(patient)
        for words, step, icon in (
            ("Previous patient", -1, "chevron_left"),
            ("Next patient", 1, "chevron_right"),
        ):
            st.button(
                words,
                key=f"patient_{words.split()[0]}",
                icon=f":material/{icon}:",
                on_click=_go_to,
                args=(names[(index + step) % len(names)],),
            )
    left, right = st.columns([11, 5], gap="medium")
    with left:
        slice_viewer(shown, index)
    with right:
        patient_numbers(shown, index)


def _go_to(patient: str) -> None:
    st.session_state["patient"] = patient
    VIEWER.leave()


def slice_viewer(shown: ScoredSubmission, index: int) -> None:
    found = _packed(shown.truth_key, shown.given.key, index, shown.truth, shown.predictions)
    if found.refused:
        st.info(markdown(str(found.refused), 600), icon=":material/visibility_off:")
        return
    if found.value is None:
        st.info("This patient has no truth mask: there is nothing to show.", icon=":material/visibility_off:")
        return
    payload, findings = found.value
    for finding in findings:
        st.markdown(f":orange-badge[▲ {finding.code}] {markdown(finding.message, 600)}")
    viewer.show(payload, "slices", focus=_place_in_address(), on_select=lambda: _put_place(payload))


@st.cache_resource(max_entries=KEPT_SCENES, scope="session", show_spinner="Reading the masks ...")
def _packed(truth_key: str, submission_key: str, index: int, _truth, _predictions) -> submissions.Outcome:
    """What the viewer shows of a patient, and what is left out; a value of None without a truth mask."""
    found = submissions.attempt(VIEW.scene, _truth, _predictions, index)
    if found.refused or found.value is None:
        return found
    return submissions.Outcome((slices.results(found.value, name=_truth.ids[index]), found.value.findings))


def _put_place(payload) -> None:
    """The place that was clicked goes into the address."""
    chosen = viewer.selected("slices", payload)
    if chosen:
        st.query_params["place"] = "-".join([chosen["plane"], *map(str, chosen["voxel"])])


def _place_in_address() -> Mapping | None:
    plane, *voxel = st.query_params.get("place", "").split("-")
    if (
        plane not in ("axial", "coronal", "sagittal")
        or len(voxel) != 3
        or not all(part.isdecimal() and len(part) < 6 for part in voxel)
    ):
        return None
    return {"plane": plane, "voxel": [int(part) for part in voxel]}


def patient_numbers(shown: ScoredSubmission, index: int) -> None:
    """What the viewer shows, in numbers, and what else is known of the patient."""
    card, row = shown.card, shown.card.cases[index]
    found = PATIENTS.volumes(shown.truth, shown.predictions, index)
    if found:
        dice = {"GTVp": row["dice_gtvp"], "GTVn": row["dice_gtvn"]}
        layout.table(
            "What became of its voxels?",
            pd.DataFrame([{"of": v.structure, "dice": dice.get(v.structure), **vars(v)} for v in found]),
            {
                "of": layout.words("", 50),
                "dice": layout.number("Dice ↑", 3),
                "right": layout.number("TP", 2, explain="In truth and prediction"),
                "spurious": layout.number("FP ↓", 2, explain="In the prediction only"),
                "missed": layout.number("FN ↓", 2, explain="In the truth only"),
                "renamed": layout.number(
                    "label ↓",
                    2,
                    explain="In both, under the other label; of one structure, part of its FP or FN",
                ),
            },
            "In mL. The viewer says the same, slice by slice."
            + {
                "missing": " The mask is missing: it counts as empty.",
                "malformed": " The mask is malformed: it counts as empty.",
            }.get(row["mask"], ""),
            key="voxels",
        )
    layout.heading("What else is known?")
    lost = None if row["comparable_pairs"] is None else row["discordant_pairs"] + row["missing_pairs"]
    told = {kind: (row[f"{kind}_truth"] or UNDEFINED, row[f"{kind}_prediction"] or "none") for kind in KINDS}
    layout.facts(
        [
            *(
                Fact(f"{kind.upper()} stage", true, f"predicted {guess}")
                for kind, (true, guess) in told.items()
            ),
            Fact(
                "Relapse",
                {1: "yes", 0: "no", None: UNDEFINED}[row["event"]],
                "" if row["time"] is None else f"day {row['time']:g}",
            ),
            Fact("Risk", decimal(row["risk"], 3), "as read, higher is worse"),
            Fact(
                "Pairs lost ↓",
                UNDEFINED if lost is None else str(lost),
                "" if lost is None else f"of {row['comparable_pairs']}",
            ),
            Fact("Center", row["center"] or UNDEFINED),
        ]
    )
    against = [card.cases[i]["case"] for i in VIEW.discordant_with(card, index)]
    if against:
        st.caption(
            "Out of order with "
            f"{', '.join(markdown(name, 40) for name in against[:NAMED])}{' and more' * (len(against) > NAMED)}."
        )


TABS = {
    "Segmentation": segmentation_tab,
    "Staging": staging_tab,
    "Prognosis": prognosis_tab,
    "Centers": centers_tab,
    "Readings": readings_tab,
    "Patients": patients_tab,
    "Viewer": viewer_tab,
}
MASK_TYPES = ("gz", "nii", "mha")
show(
    ChallengePage(
        CHALLENGE,
        "Folder or zip with masks and predictions.csv, a container's output, or the table alone",
        own_options,
        score_options,
        about_truth,
        about_submission,
        headline,
        TABS,
        case_table,
        CLOSING,
        about_test_set="Folder or zip with masks and clinical.csv; CT and PET beside the masks",
        truth_types=MASK_TYPES,
        submission_types=(*MASK_TYPES, "json"),
        several=True,
        choices=choices,
    )
)
