"""Scored submission: a scorecard with its inputs, its blocks on a page, and the place where they stand."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import scoring
from pages.display import downloads, finding_list, render
from pages.display import headline as score_bar
from pages.display.render import BlockPath, CaseLink
from pages.input_widgets.selectors import ChosenInput
from scoring.challenges import preflight_views
from scoring.common.findings import OF_SMALL_SETS, Finding
from scoring.common.text import markdown
from scoring.core.challenge import Challenge
from scoring.core.fix_trials import score_words
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Views
from scoring.presentation.html import views_of

SHARED_CARDS, SESSION_CARDS = 32, 4
"""Maximum cached views."""
WHOLE = "_scored_whole"
"""Session key of the basis of the last card with many cases."""
MANY_CASES = 20_000
"""Number of cases from which the score appears before its intervals, because intervals take long."""


@dataclass(frozen=True)
class ScoredSubmission:
    """A scorecard on the page, with its inputs. truth, predictions: as the challenge read them."""

    name: str
    card: ScoreCard
    truth: Any
    predictions: Any
    submission: ChosenInput
    truth_key: str
    own: bool = True
    """Whether any of these files is the visitor's own."""
    title: str = ""
    """Name of the submission on the page."""
    of_sample: bool = False
    """Whether the test set is a sample."""
    about: str = ""
    """Text about test set and submission below the tabs (Markdown)."""

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Identifies everything that the page shows."""
        card = self.card
        return (card.challenge, repr(card.provenance), self.truth_key, self.submission.key)

    @cached_property
    def scored(self) -> str:
        """Identifies the numbers, without settings that only change their display."""
        card, how = self.card, (self.card.provenance["options"], self.card.provenance["unit"])
        return repr((card.challenge, scoring.__version__, self.truth_key, self.submission.key, how))


def of_card(scored: ScoredSubmission, path: str, link: CaseLink | None = None) -> BlockPath:
    """Return a path for blocks of a card."""
    return BlockPath(scored.content, scored.own, path, link)


def views(scored: ScoredSubmission) -> Views:
    """Return the views of a card."""
    return (_own_views if scored.own else _shared_views)(scored.content, scored.card)


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner=False)
def _shared_views(content: tuple[str, ...], _card: ScoreCard) -> Views:
    return views_of(_card)


@st.cache_resource(max_entries=SESSION_CARDS, scope="session", show_spinner=False)
def _own_views(content: tuple[str, ...], _card: ScoreCard) -> Views:
    return views_of(_card)


def headline(scored: ScoredSubmission, row: DeltaGenerator) -> None:
    """Draw the score of a card as a bar. row: of `headline.place`."""
    head = views(scored).headline
    score_bar.bar(row, head.score, head.status, finding_list.badges(_noticed(scored)))


def notes(scored: ScoredSubmission, link: CaseLink | None = None) -> None:
    """Draw the warnings about the score of a card."""
    head = views(scored).headline
    score_bar.sentence(head.status)
    render.draw_all(head.notes, of_card(scored, "notes", link))


@contextmanager
def at_once(
    bar: DeltaGenerator, score: Callable[..., Any], options: Mapping, n: int, basis: tuple[str, ...]
) -> Iterator[None]:
    """Draw the score of many cases in its bar while its interval is computed, once per submission.

    Args:
        bar: Place of the score.
        score: Function from options to the outcome of scoring.
        options: Options of the complete card.
        basis: Identifies the inputs of the card.
    """
    if n < MANY_CASES or st.session_state.get(WHOLE) == basis:
        yield
        return
    place = bar.empty()
    line = place.container(key="bar_computing").empty()
    line.markdown(":gray-badge[Computing the score ...]", width="content")
    card = score(chosen={**options, "resamples": 0}).value
    if card is not None and card.score is not None:
        words = score_words(scoring.load_challenge(card.challenge), card.score).capitalize()
        line.markdown(f"**{words}** :gray-badge[Computing its interval ...]", width="content")
    yield
    place.empty()
    st.session_state[WHOLE] = basis


def worth(scored: ScoredSubmission) -> str:
    """Return sentences about the reliability of a card's score (Markdown)."""
    return markdown(views(scored).headline.status.official, score_bar.STATUS)


def score_breakdown(scored: ScoredSubmission, link: CaseLink | None = None) -> None:
    """Draw the parts of the score of a card."""
    render.score_account(views(scored).headline, of_card(scored, "headline", link))


def findings(scored: ScoredSubmission) -> None:
    """Draw the findings; for a sample, without the warning that it is small."""
    score_bar.anchor()
    render.draw_findings(_noticed(scored), of_card(scored, "findings"))


def _noticed(scored: ScoredSubmission) -> list[Finding]:
    left_out = OF_SMALL_SETS if scored.of_sample else frozenset()
    return [entry for entry in scored.card.findings if entry.code not in left_out]


def section_names(scored: ScoredSubmission) -> list[str]:
    """Return the names of all sections."""
    return [section.name for section in views(scored).sections]


def section(scored: ScoredSubmission, name: str, link: CaseLink | None = None) -> bool:
    """Draw the section with a name; return False if there is none or only reports show it."""
    named_section = views(scored).section(name)
    if named_section is None or named_section.detail:
        return False
    render.draw_all(named_section.blocks, of_card(scored, name, link))
    return True


def block(
    entry: Block, scored: ScoredSubmission | None = None, path: str = "", link: CaseLink | None = None
) -> None:
    """Draw a block that an interactive tab made. With `scored` and a path that names everything it depends
    on, the block is cached with that card."""
    render.draw(entry, of_card(scored, f"live/{path}", link) if scored else BlockPath(None, True, path, link))


def verdicts(card: ScoreCard, question: str, labels: Mapping[str, str], fine: str) -> None:
    """Draw how the official program treats the files."""
    block(preflight_views.verdict(card, question, labels, fine))


def tensors(model: Mapping) -> None:
    """Draw the inputs and outputs that a model declares."""
    block(preflight_views.tensors(model))


def remarks(card: ScoreCard, codes: Sequence[str]) -> None:
    """Draw the findings with these codes, in full."""
    for entry in preflight_views.remarks(card, codes):
        block(entry)


def predictions_button(challenge: Challenge[Any, Any], scored: ScoredSubmission, stem: str) -> None:
    """Draw a download of the predictions of a model, as a file that the official program accepts."""
    content = partial(challenge.prediction_table, scored.truth, scored.predictions)
    suffix = challenge.models("model").suffix
    label, name = f"Predictions ({suffix.upper()})", f"{stem}-predictions.{suffix}"
    downloads.button(label, content, name, "download_predictions", type="tertiary")


class ResultPlace:
    """The place of a score, or of a refusal, a question or a run in its place.

    Until a page is drawn to its end, browsers keep the old elements, and new ones would push them down. Score
    and everything else therefore have a place each, and the place that is not used is emptied first.

    Attributes:
        drawn: Where the page is being drawn.
    """

    def __init__(self, notes: Callable[[], None], key: str = "result"):
        """Make the place. notes: draws what was made of dropped files, above what stands in place of a
        score."""
        self._holder, self._notes, self._key = st.container(key=key, gap=None), notes, key
        self.drawn = self._holder

    def score(self) -> DeltaGenerator:
        """Return where a score is drawn."""
        self.drawn = self._holder.container(key=f"{self._key}_scored", gap="xxsmall")
        self._holder.empty()
        return self.drawn

    def instead(self) -> DeltaGenerator:
        """Return where something else is drawn, below the notes on dropped files."""
        self._holder.empty()
        self.drawn = self._holder.container(key=f"{self._key}_instead")
        with self.drawn:
            self._notes()
        return self.drawn

    def card(self) -> "ResultPlace":
        """Return the place of a card below the choices of how to score, which may be why it is refused."""
        return ResultPlace(self._notes, "outcome")
