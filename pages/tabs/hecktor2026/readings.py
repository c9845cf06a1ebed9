"""The score under every other reading of what the description leaves open."""

from functools import partial

from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from scoring.challenges.hecktor2026.rescoring import rule_variants, variants_view


def readings_tab(shown: ScoredSubmission) -> None:
    """Draw the score under other readings, one rule changed at a time."""
    found = scoring_run.of_card(
        "hecktor_readings", shown, partial(rule_variants, shown.truth, shown.predictions)
    )
    scored_submission.block(variants_view(shown.card, found), shown, "readings")
