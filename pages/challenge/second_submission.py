"""A second submission on the same test set, compared with the one on the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

import scoring
from pages.challenge import class_names, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.comparison.cases import case_pictures
from pages.comparison.context import ComparisonContext
from pages.display import finding_list, layout, render
from pages.input_widgets import dropped_files, fix_buttons
from pages.input_widgets.selectors import ChosenInput
from pages.server import memory_budget
from scoring.common.arrays import Ints
from scoring.common.text import markdown
from scoring.comparison import case_list as by_case
from scoring.comparison import display, two_submissions
from scoring.comparison.compare import compare_cards
from scoring.core.scorecard import ScoreCard
from scoring.inputs import team_entries

TAB = "Difference"


@dataclass(frozen=True)
class Second:
    """A second submission with its score and the comparison with the one on the page. first, other: names of
    the two submissions in the comparison."""

    compared: ComparisonContext
    first: str
    other: str
    dropped: ChosenInput
    card: ScoreCard

    def say(self) -> None:
        """Draw the answer in a sentence, and the findings about the second submission."""
        fix_buttons.lines(self.dropped, "second_undo")
        fix_buttons.offer(self.compared.challenge, self.dropped, self.card, "second")
        st.markdown(
            ":material/compare_arrows: "
            f"{two_submissions.summary(self.compared.displayed, self.first, self.other)}"
        )

    def tab(self, _shown: ScoredSubmission) -> None:
        """Draw the differences between the two."""
        blocks = self.compared.once(
            f"two/{self.first}",
            lambda: two_submissions.blocks(self.compared.displayed, self.first, self.other),
        )
        render.draw_all(blocks, self.compared.path(f"two/{self.first}"))
        self._galleries()

    def _galleries(self) -> None:
        if self.compared.challenge.display.thumbnails is None:
            return
        correctness = self.compared.once("two cases", lambda: by_case.correctness(self.compared.comparison))
        names = [self.first, self.other]
        for side, (name, places) in enumerate(
            zip(names, two_submissions.differing(correctness, *names), strict=True)
        ):
            if len(places):
                self._gallery(name, places, f"two_page_{side}")

    def _gallery(self, name: str, places: Ints, key: str) -> None:
        def cards(start: int, stop: int) -> list[layout.GalleryCard]:
            return case_pictures(
                self.compared, [int(k) for k in places[start:stop]], [self.first, self.other]
            )

        layout.gallery(
            f"Where is {name} better? {len(places)} case{'s' * (len(places) != 1)}",
            "The true class is bold. The predictions of the two submissions follow.",
            len(places),
            cards,
            key,
            per_page=6,
        )


def compared(
    scored: ScoredSubmission,
    test_set: ChosenInput,
    second: ChosenInput,
    title: str,
    options: Mapping[str, Any],
) -> Second | None:
    """Score a second submission like the first, and compare the two.

    Args:
        options: Options of `score` for the second submission.

    Returns:
        The comparison; None while it is computed or if it is impossible, which the page then says.
    """
    challenge, dropped, second = (
        scoring.load_challenge(scored.card.challenge),
        second,
        fix_buttons.fixed_input(second),
    )
    outcome = scoring_run.predictions(challenge.id, test_set.key, second, scored.truth, options)
    if isinstance(outcome, scoring_run.Running):
        scoring_run.running(outcome)
        return None
    if not outcome.refused:
        outcome = scoring_run.card(challenge.id, test_set, second, options, scored.truth, outcome.value)
    if outcome.refused and dropped_files.asks():
        return None
    if outcome.refused:
        fix_buttons.lines(dropped, "second_undo")
        st.markdown(f"**{markdown(title, 60)}** could not be compared:")
        finding_list.refusal(
            outcome.refused, partial(fix_buttons.take, challenge.id, dropped), key="second_fix"
        )
        class_names.choose(challenge, dropped, "second")
        return None
    first, other = team_entries.clean_name(scored.title), team_entries.clean_name(title)
    other = f"{other} (second)" if other == first else other
    scored_as = repr([card.provenance["options"] for card in (scored.card, outcome.value)])
    key = (scored.truth_key, scored.submission.key, scored_as, second.key, first, other)
    cards = {first: scored.card, other: outcome.value}
    comparison = memory_budget.bound_own(
        _compared, challenge_id=challenge.id, version=scoring.__version__, key=key, _cards=cards
    )
    if comparison.refused:
        finding_list.refusal(comparison.refused)
        return None
    whole = (challenge.id, scoring.__version__, *key)
    own = scored.own or second.own
    return Second(
        ComparisonContext(challenge, comparison.value, scored.truth, scored.truth_key, whole, own),
        first,
        other,
        dropped,
        outcome.value,
    )


@st.cache_resource(max_entries=8, scope="session", show_spinner="Comparing ...")
def _compared(challenge_id: str, version: str, key: tuple, _cards) -> scoring_run.Outcome:
    def work() -> display.Displayed:
        return display.of(compare_cards(scoring.load_challenge(challenge_id), _cards))

    return scoring_run.attempt(work)
