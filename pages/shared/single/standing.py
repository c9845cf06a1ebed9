"""How the model does on cases whose class is known: where to cut, what rarity changes, which cases it scored alike."""

import streamlit as st

from pages.shared import frame, scored
from pages.shared.frame import Fact, Picture
from pages.shared.single.asked import Asked
from pages.shared.text import markdown
from scoring.figures import single as figures
from scoring.figures.numerals import decimal, percent
from scoring.single import wording
from scoring.single.operating import operating_point, risks
from scoring.single.reference import alike, malignant_at, reweighted, share_alike

SENSITIVITIES = (50, 99, 95)
PREVALENCES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5)
USUAL_PREVALENCE = 0.03


def sensitivity() -> float:
    """The wanted sensitivity, 0..1."""
    return st.session_state.get("sensitivity", SENSITIVITIES[2]) / 100


def waiting(asked: Asked) -> bool:
    """Say so where there is no test set to hold the answer against, yet or at all."""
    if asked.held is not None and len(asked.held):
        return False
    st.info("This needs the model's answers to the test set: see below.", icon=":material/hourglass_top:")
    return True


def operating(asked: Asked) -> None:
    """A wanted sensitivity, the threshold that gives it, and its cost; then what rarity changes."""
    if waiting(asked):
        return
    left, right = st.columns(2, gap="large")
    with left:
        _threshold(asked)
    with right:
        _prevalence(asked)


def _threshold(asked: Asked) -> None:
    low, high, usual = SENSITIVITIES
    wanted = st.slider("Wanted sensitivity for malignant classes, %", low, high, usual, key="sensitivity", bind="query-params")
    malignant, held = asked.subject.malignant, asked.held
    point = operating_point(held, malignant, wanted / 100)
    if point is None:
        st.info(f"{wording.of_test_set(held)} there are not both malignant and other cases: no threshold can be chosen.")
        return
    own = float(risks(asked.answer.probabilities, malignant))
    frame.chart(
        figures.among(risks(held.probabilities, malignant), malignant[held.truth], own, point.threshold, frame.look()),
        f"A tick per case. Dotted: the threshold. {markdown(wording.of_test_set(held), 300)}.",
        key="among",
    )
    frame.facts(
        [
            Fact("Threshold", decimal(point.threshold, 3), "score above it counts"),
            Fact("This image", decimal(own, 3), "above" if own > point.threshold else "not above"),
            Fact("Sensitivity", *_shares(point.sensitivity)),
            Fact("Specificity", *_shares(point.specificity)),
        ]
    )
    st.caption(
        f"Threshold chosen on all {len(held)} cases; sensitivity and specificity on fifths of {markdown(held.name)} that it was not chosen on, "
        "with 95% intervals (Wilson)."
    )


def _shares(found) -> tuple[str, str]:
    if found is None or not found.n:
        return "–", "too few cases"
    return percent(found.hits / found.n), f"{percent(found.low)} to {percent(found.high)}, n = {found.n}"


def _prevalence(asked: Asked) -> None:
    wanted = st.select_slider(
        "Share of malignant cases where the image comes from",
        PREVALENCES,
        USUAL_PREVALENCE,
        key="prevalence",
        format_func=lambda p: f"{100 * p:g}%",
    )
    malignant, held, before = asked.subject.malignant, asked.held, asked.answer.probabilities
    after = reweighted(held, before, malignant_at(held, malignant, wanted))
    frame.chart(
        figures.reweighted(asked.subject.classes, asked.subject.risk, before, after, frame.look()),
        f"Ring: as in {markdown(held.name)}, where {percent(malignant[held.truth].mean())} of {len(held)} cases are malignant. "
        f"Filled: reweighted to {100 * wanted:g}%.",
        key="reweighted",
    )
    frame.facts(
        [
            Fact("Malignant classes together", decimal(float(risks(before, malignant)), 3), "as in the test set"),
            Fact("Reweighted", decimal(float(risks(after, malignant)), 3), f"at {100 * wanted:g}%"),
        ]
    )
    st.caption(
        "Within both groups the classes keep their frequencies. This holds only as far as the scores are calibrated on the test set."
    )


def cases_alike(asked: Asked) -> None:
    """Six cases that the model scored alike, with their truth."""
    if waiting(asked):
        return
    answer, held, subject = asked.answer, asked.held, asked.subject
    found = alike(held, answer.probabilities)
    thumbnails = scored.thumbnails(subject.challenge, asked.test_set.key, tuple(case.index for case in found), asked.truth)
    pictures = [
        Picture(
            thumbnail,
            f"Case {case.id}, truth {subject.classes[case.label]}",
            (
                f"Truth {frame.class_name(subject.classes[case.label], subject.risk[case.label] or None)}",
                f"{markdown(subject.classes[answer.top])} {case.probabilities[answer.top]:.2f}",
            ),
            case.id.rsplit("/", 1)[-1],
        )
        for case, thumbnail in zip(found, thumbnails, strict=True)
    ]
    frame.gallery(
        "Which cases did the model score alike?",
        f"{wording.ALIKE} First line: the truth. Second line: the model's score for {markdown(subject.classes[answer.top])}, here "
        f"{answer.probabilities[answer.top]:.2f}. {markdown(held.name)}, n = {len(held)}.",
        len(pictures),
        lambda start, stop: pictures[start:stop],
        "single_alike",
    )
    share = share_alike(held, answer.probabilities, answer.top)
    st.markdown(
        f"Of the {share.n} cases scored most alike **{share.hits}** are {frame.class_name(subject.classes[answer.top], subject.risk[answer.top] or None)} "
        f"({percent(share.low)} to {percent(share.high)})."
    )
