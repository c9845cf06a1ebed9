"""Bundle of a platform on a challenge's page: the files that an organizer uploads to Grand Challenge,
Codabench or EvalAI, as the command `platform bundle` writes them."""

from collections.abc import Iterable
from functools import partial

import streamlit as st

from pages.challenge.scoring_run import attempt
from pages.display import downloads, finding_list
from pages.history.keep_and_restore import HistoryContext
from scoring.common.file_opening import zipped
from scoring.common.text import markdown
from scoring.platforms.evaluation import PlatformSettings, usual_settings
from scoring.platforms.platform_bundles import TITLE, Order, bundle_files

NAMES = {"Grand Challenge": "grand-challenge", "Codabench": "codabench", "EvalAI": "evalai"}
LONGEST = 600
"""Characters of a step that are shown."""
MADE = "_bundle_made"
"""In the session: what the last bundle was made of, and what to do next or why there is none."""


def button(offer: HistoryContext) -> None:
    """Draw the form of a bundle, if the test set is the visitor's own."""
    if offer.test_set.own:
        with st.popover("For a platform", type="tertiary", icon=":material/deployed_code:", width="content"):
            _form(offer)


@st.fragment
def _form(offer: HistoryContext) -> None:
    challenge = offer.challenge
    platform = st.selectbox("Platform", NAMES, key="bundle_platform")
    title = st.text_input("Title", challenge.words.title[:TITLE], key="bundle_title", max_chars=TITLE)
    image = Order.image
    if platform == "Codabench":
        label = "Container image, in a registry that the platform can reach"
        image = st.text_input(label, key="bundle_image", placeholder="ACCOUNT/NAME:1").strip()
    order = Order(_settings(offer), offer.test_set.source, title, image, truth_name=offer.test_set.name)
    content = (NAMES[platform], title, image, offer.scored.content)
    if st.button("Make the bundle", key="bundle_make", icon=":material/deployed_code:"):
        with st.spinner("Trying an example submission ..."):
            bundle = attempt(bundle_files, NAMES[platform], order)
        st.session_state[MADE] = (content, bundle.refused or bundle.value[1])
    of_what, result = st.session_state.get(MADE, (None, ()))
    if of_what != content:
        st.caption("Program, container, page for participants, and your truth, which the platform stores.")
    elif not isinstance(result, tuple):
        finding_list.refusal(
            result, title="There is no bundle yet", message="Change the settings named here."
        )
    else:
        file = f"{challenge.id.partition('@')[0]}-{NAMES[platform]}.zip"
        downloads.button("Bundle (zip)", partial(_zip, NAMES[platform], order), file, "bundle_download")
        st.markdown(_listed(markdown(step, LONGEST) for step in result))


def _settings(offer: HistoryContext) -> PlatformSettings:
    """Return how the platform scores: with the options of the page."""
    chosen = offer.scored.card.provenance["options"]
    known = {option.name: chosen[option.name] for option in offer.challenge.options_of("score")}
    return usual_settings(offer.challenge, known)


def _zip(platform: str, order: Order) -> bytes:
    """Return the files of a platform with what to do next."""
    files, steps = bundle_files(platform, order)
    return zipped((files | {"next-steps.md": f"{_listed(steps)}\n".encode()}).items())


def _listed(steps: Iterable[str]) -> str:
    return "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
