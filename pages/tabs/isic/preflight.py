"""What the official ISIC scorer would do with the files, and files mended for it."""

import streamlit as st

import scoring
from pages.challenge import scored_submission, scoring_run
from pages.challenge.scored_submission import ScoredSubmission
from pages.display import downloads, layout
from pages.inputs.selectors import ChosenInput
from scoring.challenges.isic import card_summary, official_rejections
from scoring.common.text import markdown
from scoring.core.views import Fact

SHARED_MESSAGES = 32


def mend(shown: ScoredSubmission) -> None:
    """Draw the download of mended predictions, and what a model takes and gives."""
    card, model = shown.card, shown.card.more.get("model")
    downloads.button(
        "Mended predictions",
        lambda: card_summary.mended(card, shown.truth.id_name),
        f"{shown.name.rsplit('.', 1)[0]}-mended",
        "csv",
        "text/csv",
        "download_mended",
    )
    st.caption("The same numbers with ids, columns and number format as the official scorer wants them.")
    if model is not None:
        layout.facts(
            [
                Fact("IR version", str(model["ir_version"])),
                Fact("Opset", str(model["opset"])),
                Fact("Outputs are", str(model["output_kind"])),
                Fact("Nodes", str(model["nodes"])),
            ]
        )
        scored_submission.tensors(model)
        scored_submission.remarks(card, ("category-order", "constant-output", "small-image", "alpha-dropped"))


def refused(test_set: ChosenInput, given: ChosenInput) -> None:
    """Draw the one message of the official scorer on files that were refused: all problems stand above."""
    if given.is_model:
        return
    layout.heading("What would the official scorer say?")
    found = _message(scoring.__version__, test_set.key, (given.key, given.name), test_set, given)
    if found.refused is not None:
        st.markdown("It could not open the files.")
    elif found.value:
        st.markdown(f"Only this: “{markdown(found.value, 600)}”")
    else:
        st.markdown("It would accept the predictions: what is refused here, it does not check.")


@st.cache_resource(max_entries=SHARED_MESSAGES, show_spinner=False)
def _message(
    version: str, truth_key: str, submission_key: tuple[str, str], _test_set: ChosenInput, _given: ChosenInput
) -> scoring_run.Outcome:
    return scoring_run.attempt(official_rejections.message, _given.source, _test_set.source, _given.name)
