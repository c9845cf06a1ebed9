"""Scored submission: a scorecard with the inputs that it was made of, and its blocks on a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

import scoring
from pages.display import headline as score_bar
from pages.display import render
from pages.display.render import BlockColumns, BlockPath, CaseLink
from pages.inputs.selectors import ChosenInput
from scoring.challenges import preflight_views
from scoring.common.findings import OF_SMALL_SETS
from scoring.core.scorecard import ScoreCard
from scoring.core.views import Block, Figure, Views
from scoring.presentation.html import views_of

SHARED_CARDS, SESSION_CARDS = 32, 4
"""Views that are kept."""


@dataclass(frozen=True)
class ScoredSubmission:
    """A scorecard on the page, with what it was made of. truth, predictions: as the challenge read them."""

    name: str
    card: ScoreCard
    truth: Any
    predictions: Any
    given: ChosenInput
    truth_key: str
    own: bool = True
    """Whether the visitor brought any of it."""
    title: str = ""
    """What the page calls the submission."""
    of_sample: bool = False
    """Whether the test set is a sample."""

    @cached_property
    def content(self) -> tuple[str, ...]:
        """What all that is shown rests on."""
        card = self.card
        return (card.challenge, repr(card.provenance), self.truth_key, self.given.key)

    @cached_property
    def scored(self) -> str:
        """What the numbers rest on, without what only changes how they are shown."""
        card, how = self.card, (self.card.provenance["options"], self.card.provenance["unit"])
        return repr((card.challenge, scoring.__version__, self.truth_key, self.given.key, how))


def of_card(shown: ScoredSubmission, path: str, link: CaseLink | None = None) -> BlockPath:
    """Return a place among the blocks of a card."""
    return BlockPath(shown.content, shown.own, path, link)


def views(shown: ScoredSubmission) -> Views:
    """Return what is shown of a card."""
    return (_own_views if shown.own else _shared_views)(shown.content, shown.card)


@st.cache_resource(max_entries=SHARED_CARDS, show_spinner=False)
def _shared_views(content: tuple[str, ...], _card: ScoreCard) -> Views:
    return views_of(_card)


@st.cache_resource(max_entries=SESSION_CARDS, scope="session", show_spinner=False)
def _own_views(content: tuple[str, ...], _card: ScoreCard) -> Views:
    return views_of(_card)


def headline(shown: ScoredSubmission, places: BlockColumns, link: CaseLink | None = None) -> None:
    """Draw the score of a card as a bar, and what must be known before it is read. places: of
    `headline.place`."""
    head = views(shown).headline
    score_bar.bar(places, head.score, shown.title, head.status)
    with places[1]:
        render.draw_all(head.notes, of_card(shown, "notes", link))


def score_breakdown(shown: ScoredSubmission, link: CaseLink | None = None) -> None:
    """Draw what the score of a card is made of."""
    render.score_account(views(shown).headline, of_card(shown, "headline", link))


def findings(shown: ScoredSubmission) -> None:
    """Draw what was noticed; of a sample not that it is small, which it always is."""
    left_out = OF_SMALL_SETS if shown.of_sample else frozenset()
    entries = [entry for entry in shown.card.findings if entry.code not in left_out]
    render.draw_findings(entries, of_card(shown, "findings"))


def section_names(shown: ScoredSubmission) -> list[str]:
    """Return the names of all sections."""
    return [section.name for section in views(shown).sections]


def section(shown: ScoredSubmission, name: str, link: CaseLink | None = None) -> bool:
    """Draw the section of that name; False if there is none, or it is for reports only."""
    found = views(shown).section(name)
    if found is None or found.detail:
        return False
    render.draw_all(found.blocks, of_card(shown, name, link))
    return True


def block(
    entry: Block, shown: ScoredSubmission | None = None, path: str = "", link: CaseLink | None = None
) -> None:
    """Draw a block that a live tab made. With `shown` and a path, which must say all that it depends on, it
    is kept with the blocks of that card."""
    render.draw(entry, of_card(shown, f"live/{path}", link) if shown else BlockPath(None, True, path, link))


def clickable(entry: Figure, shown: ScoredSubmission, path: str, chosen: render.Chosen) -> None:
    """Draw a figure of a live tab whose points can be clicked; path as of `block`."""
    render.draw_clickable(entry, of_card(shown, f"live/{path}"), entry.caption, chosen)


def verdicts(card: ScoreCard, question: str, words: Mapping[str, str], fine: str) -> None:
    """Draw what the official program does with the files."""
    block(preflight_views.verdict(card, question, words, fine))


def tensors(model: Mapping) -> None:
    """Draw the inputs and outputs that a model declares."""
    block(preflight_views.tensors(model))


def remarks(card: ScoreCard, codes: Sequence[str]) -> None:
    """Draw the findings with these codes, in full."""
    for entry in preflight_views.remarks(card, codes):
        block(entry)
