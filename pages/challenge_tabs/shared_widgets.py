"""Widgets on the tabs of several challenges: chosen cases, galleries of cases, thresholds."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.challenge import scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import layout
from pages.display.layout import GalleryCard
from pages.display.render import CaseLink


def choose_case(
    noun: str,
    names: Sequence[str],
    link: CaseLink,
    first: Callable[[], str],
    format_func: Callable[[str], str],
    width: int,
) -> int:
    """Draw the choice of a case and return its index. Session and address hold the case.

    Args:
        noun: What a case is called.
        names: Of all cases, in their order.
        link: Keys of the case and of the position in it, which another case forgets.
        first: Returns the case where neither session nor address names one of them.
        format_func: As of `st.selectbox`.
        width: px of the box.
    """
    # By hand: a bound box that is drawn for the first time leaves a value that a click elsewhere has set out
    # of the address.
    key = link.case
    wanted = (st.session_state.get(key), st.query_params.get(key))
    case = next((name for name in wanted if name in names), None) or first()
    st.session_state[key] = st.query_params[key] = case
    st.selectbox(
        noun,
        names,
        key=key,
        persist_state="page",
        width=width,
        on_change=link.leave,
        format_func=format_func,
        label_visibility="collapsed",
    )
    index = names.index(case)
    for label, step, side in (("Previous", -1, "left"), ("Next", 1, "right")):
        other = names[(index + step) % len(names)]
        st.button(
            f"{label} {noun.lower()}",
            key=f"{key}_{label}",
            icon=f":material/chevron_{side}:",
            on_click=_go_to,
            args=(link, other),
        )
    return index


def _go_to(link: CaseLink, case: str) -> None:
    st.session_state[link.case] = case
    link.leave()


def case_gallery(
    scored: ScoredSubmission,
    titles: tuple[str, str],
    indices: Sequence[int],
    words_of: Callable[[int], tuple[str, Sequence[str], str]],
    key: str,
    per_page: int = 12,
) -> None:
    """Draw cases with their pictures, page by page.

    Args:
        indices: Of the cases in the card, in the order in which they are drawn.
        words_of: Alternative text, lines and caption of a case (`GalleryCard`).
    """

    def cards(start: int, stop: int) -> list[GalleryCard]:
        drawn = tuple(indices[start:stop])
        images = scoring_run.thumbnails(scored.card.challenge, scored.truth_key, drawn, scored.truth)
        return [GalleryCard(image, *words_of(i)) for image, i in zip(images, drawn, strict=True)]

    layout.gallery(*titles, len(indices), cards, key, per_page)


def n_cases(count: int) -> str:
    """Return "1 case", "2 cases"."""
    return f"{count} case{'s' * (count != 1)}"


def threshold_buttons(
    label: str, key: str, official: Mapping[str, float], best: Mapping[str, float] | None, caution: str = ""
) -> None:
    """Draw the buttons.

    Args:
        official: Key of a slider -> the official threshold.
        best: Key of a slider -> the best threshold; None where there is none.
    """
    st.button(label, key=key, on_click=_set_sliders, args=(official,), icon=":material/flag:")
    if best is not None:
        st.button(
            "Best on these cases",
            key="to_best",
            on_click=_set_sliders,
            args=(best,),
            icon=":material/star:",
            help=caution or None,
        )


def _set_sliders(values: Mapping[str, float]) -> None:
    st.session_state.update(values)
