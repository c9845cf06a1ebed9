"""Performance on cases with known class: threshold, prevalence, and cases with similar scores."""

import streamlit as st

from pages.challenge import scoring_run
from pages.display import layout
from pages.display.layout import Fact, GalleryCard
from pages.single_image_sections.query import NO_OUTPUT, NOT_RUN, Query
from scoring.challenges.classification_views import class_name
from scoring.common.text import markdown
from scoring.presentation.figures import single_image as figures
from scoring.presentation.figures.number_format import UNDEFINED, decimal, percent, score
from scoring.single_image import wording
from scoring.single_image.operating_threshold import operating_point, own_line, risks
from scoring.single_image.similar_cases import Reference, alike, malignant_at, reweighted, tied_line

SENSITIVITIES = (50, 99, 95)
PREVALENCES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
USUAL_PREVALENCE = 0.03


def sensitivity() -> float:
    """Return the required sensitivity, 0..1."""
    return st.session_state.get("sensitivity", SENSITIVITIES[2]) / 100


def _reference(query: Query) -> Reference | None:
    """Return the cases to compare with; where there are none, yet or at all, say why and return None."""
    why, icon = "Their progress is shown below.", ":material/hourglass_top:"
    if query.held is not None:
        if len(query.held):
            return query.held
        why, icon = NO_OUTPUT, ":material/info:"
    elif query.unknown:
        why, icon = NOT_RUN.format(markdown(query.unknown, 400)), ":material/info:"
    st.info(f"This section needs the model's answers for the test set. {why}", icon=icon)
    return None


def operating(query: Query) -> None:
    """Draw a required sensitivity, its threshold and its cost, and the effect of a lower prevalence."""
    held = _reference(query)
    if held is None:
        return
    threshold_column, prevalence_column = st.columns(2, gap="large")
    with threshold_column:
        _threshold(query, held)
    with prevalence_column:
        _prevalence(query, held)


def _threshold(query: Query, held: Reference) -> None:
    low, high, usual = SENSITIVITIES
    wanted = st.slider(
        "Wanted sensitivity for malignant classes, %",
        low,
        high,
        usual,
        key="sensitivity",
        bind="query-params",
    )
    malignant = query.setup.task.malignant
    point = operating_point(held, malignant, wanted / 100)
    if point is None:
        st.info(
            f"{wording.of_test_set(held)} malignant or other cases are missing, so a threshold cannot be "
            "chosen."
        )
        return
    own = float(risks(query.answer.probabilities, malignant))
    layout.chart(
        figures.among(
            risks(held.probabilities, malignant), malignant[held.truth], own, point.threshold, layout.theme()
        ),
        f"Each tick is a case. Dotted: the threshold. {markdown(wording.of_test_set(held), 300)}.",
        key="among",
    )
    layout.facts(
        [
            Fact("Threshold", decimal(point.threshold, 3), "scores at or above it count as malignant"),
            Fact("This image", decimal(own, 3), "at or above" if own > point.threshold else "below"),
            Fact("Sensitivity", *_shares(point.sensitivity)),
            Fact("Specificity", *_shares(point.specificity)),
        ]
    )
    st.caption(
        f"Threshold chosen on all {len(held)} cases of {markdown(held.name)}: "
        f"{own_line(held, malignant, point)} Sensitivity and specificity above are cross-validated in five "
        "parts, each with its own threshold, with 95% intervals (Wilson)."
    )
    if query.card is not None and query.card.official is not None:
        st.warning(f"This threshold is not the challenge's. {markdown(query.card.official.line, 700)}")


def _shares(point) -> tuple[str, str]:
    if point is None or not point.n:
        return "–", "too few cases"
    return percent(point.hits / point.n), f"{percent(point.low)} to {percent(point.high)}, n = {point.n}"


def _prevalence(query: Query, held: Reference) -> None:
    wanted = st.select_slider(
        "Share of malignant cases in the clinic that took the image",
        PREVALENCES,
        USUAL_PREVALENCE,
        key="prevalence",
        format_func=lambda p: f"{100 * p:g}%",
    )
    malignant, before = query.setup.task.malignant, query.answer.probabilities
    why_not = "" if query.card is None else query.card.outputs.overconfident
    after = reweighted(held, before, malignant_at(held, malignant, wanted))
    if not why_not:
        layout.chart(
            figures.reweighted(query.setup.task.names, query.setup.task.risk, before, after, layout.theme()),
            f"Ring: result on {markdown(held.name)}, where {percent(malignant[held.truth].mean())} of "
            f"{len(held)} cases are malignant. "
            f"Filled: reweighted to {100 * wanted:g}%.",
            key="reweighted",
        )
    sums = [decimal(float(risks(row, malignant)), 3) for row in (before, after)]
    layout.facts(
        [
            Fact("Malignant classes together", sums[0], "as in the test set"),
            Fact("Reweighted", UNDEFINED, "not valid for this model")
            if why_not
            else Fact("Reweighted", sums[1], f"at {100 * wanted:g}%"),
        ]
    )
    st.caption(
        "Only the share of malignant cases changes; the classes within each group keep their proportions. "
        "The new scores are valid only if the scores are calibrated on the test set."
    )
    if why_not:
        st.warning(f"This condition is not met here. {markdown(why_not, 400)}")


def cases_alike(query: Query) -> None:
    """Draw cases that look similar, and cases with similar scores, with their true classes."""
    held = _reference(query)
    if held is None:
        return
    rows = {int(index): row for row, index in enumerate(held.indices)}
    looks = [rows[index] for index in query.similar]
    answer, source = query.answer, f"Source: {markdown(held.name)}, {wording.number_line(held)}"
    if looks:
        _gallery(
            query,
            held,
            looks,
            "Which test cases look most like this image?",
            "Cases are compared by colour, texture and layout, independently of the model's predictions. "
            f"{source}.",
            "single_similar",
        )
    _gallery(
        query,
        held,
        [rows[case.index] for case in alike(held, answer.probabilities)],
        "Which test cases have similar scores?",
        f"{wording.ALIKE} {tied_line(held, answer.probabilities)} {source}.".replace("  ", " "),
        "single_alike",
    )


def _gallery(query: Query, held: Reference, rows: list[int], title: str, about: str, key: str) -> None:
    """Draw cases: their truth, the model's answer, and its score for the class that leads here."""
    task, top = query.setup.task, query.answer.top
    places = tuple(int(held.indices[row]) for row in rows)
    thumbnails = scoring_run.thumbnails(task.challenge, query.setup.test_set.key, places, query.setup.truth)
    cards = []
    for row, thumbnail in zip(rows, thumbnails, strict=True):
        name, label, scores = held.ids[row], int(held.truth[row]), held.probabilities[row]
        answer = int(scores.argmax())
        cards.append(
            GalleryCard(
                thumbnail,
                f"Case {name}, truth {task.names[label]}",
                (
                    f"Truth {_breaking(class_name(task.names[label], task.risk[label] or None))}",
                    f"Model {_breaking(markdown(task.names[answer]))} {score(scores[answer])}",
                    f"{_breaking(markdown(task.names[top]))} {score(scores[top])}",
                ),
                name.rsplit("/", 1)[-1],
            )
        )
    caption = (
        f"{about} First line: the truth. Second line: the model's answer. Third line: the model's score for "
        f"{markdown(task.names[top])}, which is {score(query.answer.probabilities[top])} for your image."
    )
    layout.gallery(title, caption, len(cards), lambda start, stop: cards[start:stop], key)


def _breaking(name: str) -> str:
    """Return Markdown of a name that a narrow card can break at its slashes."""
    return name.replace("/", "/\u200b")
