"""Cases of the comparison: hard for all teams, hard for some, and every team's prediction for one case."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

from pages.challenge import scoring_run
from pages.comparison.context import ComparisonContext
from pages.display import layout, render, tables
from pages.display.layout import GalleryCard, draw_picture
from pages.display.tables import shortener
from pages.server import url_state
from scoring.challenges.classification_views import class_name
from scoring.common.direction_and_range import SHARE
from scoring.common.text import markdown, shortened
from scoring.comparison import case_list as correctness
from scoring.comparison import difference_views as views
from scoring.comparison.case_list import Correctness
from scoring.core.scorecard import ScoreCard
from scoring.presentation.figures.number_format import decimal

OUTPUTS = {
    "largest output": lambda row: max(row["outputs"]) if row.get("outputs") else None,
    "output": lambda row: row.get("output"),
    "score of the true class": lambda row: None if "outputs" in row else row.get("truth_score"),
}
"""Column -> function that reads a team's output for a case."""
FEW = 12
"""Maximum rows of a table without scrolling."""


@st.fragment
def cases(compared: ComparisonContext) -> None:
    """Draw cases by teams, the chosen case, and similar cases."""
    correct: Correctness = compared.once("correctness", lambda: correctness.correctness(compared.comparison))
    graded = correct.graded
    kind, order, listed = _kind(compared, correct, graded)
    matrix_column, right = st.columns([11, 9], gap="large")
    if not len(order):
        matrix_column.caption(f"No case matches: {kind}.")
        return
    with right:
        _one_case(compared, correct, _chosen(correct, order))
    with matrix_column:
        path = compared.path(f"Cases/{kind}/{listed}")
        figure = compared.once(
            f"case matrix/{kind}/{listed}", lambda: views.case_values(compared.displayed, correct, order)
        )
        caption = f"{figure.caption} Choose a cell to see its case."
        render.draw_clickable(figure, path, caption, _choose_case)
        if not graded:
            render.draw(views.right_counts(correct), compared.path("Cases/right"))
    layout.gallery(
        f"{kind.capitalize()}: {len(order)} case{'s' * (len(order) != 1)}",
        "All teams are wrong, and at least one team is sure. Is the true label correct?"
        if kind == "all wrong, one of them sure"
        else f"The teams' predictions{': 1 means correct' * (correct.quantity == SHARE)}."
        if graded
        else "The true class is bold. The teams' predictions follow.",
        len(order),
        lambda start, stop: case_pictures(compared, [int(k) for k in order[start:stop]], listed),
        "case_page",
    )


def _kind(
    compared: ComparisonContext, correct: Correctness, graded: bool
) -> tuple[str, np.ndarray, list[str]]:
    """Return which cases: the kind in words, their places hardest first, and the teams that a picture
    names."""
    names = compared.names
    better = "one better than another" if graded else "one right, another wrong"
    sure = correctness.wrong_and_confident(correct, compared.comparison.cards)
    kinds = ["hard for all", *["all wrong, one of them sure"] * bool(len(sure))]
    kinds += [*["only one team right"] * (not graded), better] if len(names) > 1 else []
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        kind = url_state.segments("Cases", kinds, "case_kind")
        if kind not in ("only one team right", better):
            return kind, sure if kind == "all wrong, one of them sure" else correct.order, names[:4]
        first = url_state.select("Better" if graded else "Right", names, "case_right", 200, shortened)
        if kind == "only one team right":
            return kind, correctness.only_right(correct, first), list(dict.fromkeys([first, *names[:3]]))
        others = [name for name in names if name != first]
        second = url_state.select("Worse" if graded else "Wrong", others, "case_wrong", 200, shortened)
        return kind, correctness.right_and_wrong(correct, first, second), [first, second]


def _choose_case(figure: str) -> Callable[[], None]:
    """A click on the matrix chooses its case."""

    def choose() -> None:
        points = st.session_state[figure].selection.points
        if points:
            st.session_state["case"] = points[0]["customdata"][0]

    return choose


def _chosen(correct: Correctness, order: np.ndarray) -> int:
    options: Sequence[str] = [correct.cases[k] for k in order]
    case = st.selectbox(
        "Case", options, key="case", bind="query-params", persist_state="page", format_func=shortened
    )
    return int(order[options.index(case)])


def _one_case(compared: ComparisonContext, correct: Correctness, index: int) -> None:
    """Draw the picture, where there is one, and every team's answer."""
    cards, names = compared.comparison.cards, compared.names
    picture = case_pictures(compared, [index], names[:1])[0]
    if picture.image is not None:
        draw_picture(picture.image, width=260, alt=picture.alt)
    truth = cards[names[0]].cases[index].get("truth")
    rows = []
    for name in names:
        row = cards[name].cases[index]
        prediction = {
            "team": name,
            "called": row.get("predicted"),
            "right": correct.values[index, correct.teams.index(name)],
        }
        rows.append(prediction | {label: read(row) for label, read in OUTPUTS.items()})
    table = pd.DataFrame(rows)
    is_share = correct.quantity == SHARE
    label = "right" if is_share else "value"
    columns = {
        "team": tables.text_column("team"),
        "called": tables.text_column("called"),
        "right": tables.number_column(label, 2, better=correct.quantity.better),
    }
    columns |= {name: tables.number_column(name) for name in OUTPUTS}
    layout.table(
        f"What did the teams predict for {shortened(correct.cases[index], 40)}?",
        table,
        {name: column for name, column in columns.items() if table[name].notna().any()},
        (f"Truth: {shortened(truth)}. " if truth else "")
        + "The value 1 means that the prediction is completely right." * is_share,
        key="one_case",
        height="content" if len(rows) < FEW else 420,
    )


def case_pictures(
    compared: ComparisonContext, places: Sequence[int], named_teams: Sequence[str]
) -> list[GalleryCard]:
    """Return cards of cases: the truth and each named team's prediction."""
    images = scoring_run.thumbnails(compared.challenge.id, compared.truth_key, tuple(places), compared.truth)
    risks, cards = compared.challenge.display.class_risks, compared.comparison.cards
    short = shortener([row["case"] for row in cards[named_teams[0]].cases])
    pictures = []
    for image, index in zip(images, places, strict=True):
        row = cards[named_teams[0]].cases[index]
        truth = row.get("truth")
        lines = [f"**{class_name(truth, risks.get(truth))}**"] if truth else []
        for name in named_teams:
            lines.append(f":gray[{markdown(name, 20)}] {result_text(compared, cards[name], index, risks)}")
        name = short(row["case"]).rsplit("/", 1)[-1]
        pictures.append(GalleryCard(image, f"Case {row['case']}, truth {truth}", lines, name))
    return pictures


def result_text(compared: ComparisonContext, card: ScoreCard, index: int, risks: Mapping[str, str]) -> str:
    """Return a team's prediction for one case, as Markdown."""
    row = card.cases[index]
    if "truth" in row:
        predicted = row.get("predicted")
        return class_name(predicted, risks.get(predicted)) if predicted else "no prediction"
    value = float(compared.comparison.spec.correct(card)[index])
    return decimal(value, 3)
