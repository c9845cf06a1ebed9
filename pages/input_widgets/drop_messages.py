"""Messages about dropped files: their recognised use, with a way to change it; questions; unusable files,
with the reason."""

from collections.abc import Iterable

import streamlit as st

from pages.input_widgets import dropped_photographs, selectors
from pages.input_widgets.drop_routing import FILES_KEYS, NAMES
from pages.input_widgets.dropped_files import (
    ASKED,
    COMPARED,
    GO,
    NONE,
    PLACED,
    RECOGNISED,
    REFUSED,
    TOGETHER,
    Dropped,
    change,
    leave_out,
)
from pages.input_widgets.selectors import OPENED
from scoring.challenges import REGISTRY
from scoring.challenges.declared import library
from scoring.challenges.declared.library import ENDING as DECLARATION
from scoring.common.text import markdown
from scoring.core.file_contents import LIKELY, Candidate
from scoring.inputs.sources import TABLES

MOST_FITS = 4
"""Maximum declared challenges that are offered for one table."""
FROM_TRUTH = "Make a challenge from this truth"


def say_none() -> None:
    """Say once why the last drop contained no readable file."""
    if sentence := st.session_state.pop(NONE, None):
        st.info(sentence)


def line(challenge_id: str | None = None, compares: bool = False) -> None:
    """Draw the recognised use of the last drop, with a way to change it; questions; unusable files.

    Args:
        challenge_id: Challenge of the page; None for other pages.
        compares: Whether the page compares teams of the challenge.
    """
    go(challenge_id)
    taken(challenge_id, compares)
    questions(challenge_id)


def go(challenge_id: str | None) -> None:
    """Open the page that the last drop belongs to, if it is another page."""
    reading = st.session_state.pop(GO, None)
    if reading is not None and reading.place in COMPARED:
        name = selectors.challenge_name(reading.challenge)
        st.switch_page("../compare_teams.py", query_params={"challenge": name})
    if reading is not None and reading.challenge != challenge_id:
        page, address_of = _page_of(reading)
        st.switch_page(page, query_params=address_of)


def taken(challenge_id: str | None, compares: bool = False) -> None:
    """Draw the recognised use of the files at this page's inputs, each with a way to change it."""
    for number, part in enumerate(st.session_state.get(PLACED, [])):
        if _belongs(part.candidate, challenge_id, compares) and _is_in_use(part):
            with st.container(
                key=f"taken_{number}", horizontal=True, vertical_alignment="center", gap="small"
            ):
                _taken(part)
                with st.popover("Change", type="tertiary"):
                    _choices(part, f"change_{number}")


def questions(challenge_id: str | None) -> None:
    """Draw the files that went to other pages, questions about files, and unusable files."""
    _elsewhere(challenge_id)
    for number, part in enumerate(st.session_state.get(ASKED, [])):
        _question(part, f"ask_{number}")
    dropped_photographs.ask()
    _refused()


def _belongs(reading: Candidate | None, challenge_id: str | None, compares: bool) -> bool:
    """Return whether files that were taken so are at an input of the page that is drawn."""
    if reading is None or reading.challenge != challenge_id:
        return False
    return reading.place not in ("submission", "second") if compares else reading.place != "teams"


def _taken(part: Dropped) -> None:
    description = part.candidate.words if part.candidate else ""
    st.markdown(f":material/task_alt: {part.was_read} as {markdown(description)}.", width="content")


def _page_of(reading: Candidate) -> tuple[str, dict[str, str]]:
    """Return the page of an input, and its parameters in the address."""
    if reading.place != "tile_model" and reading.challenge not in REGISTRY:
        return "../declared.py", {"challenge": reading.challenge}
    return f"../{'single_image' if reading.place == 'tile_model' else reading.challenge}.py", {}


def _question(part: Dropped, key: str) -> None:
    """Draw the question what files are, with the likely answers as buttons."""
    with st.container(border=True, gap="xsmall"):
        st.markdown(f":material/help: Which kind of file is **{markdown(part.name, 60)}**? The file can be")
        for index, reading in enumerate(_likely(part)):
            st.button(_called(reading), key=f"{key}_{index}", on_click=change, args=(part, reading))
            if reading.place == "truth" and (replaced := _test_set_in_use(reading.challenge)):
                st.caption(f"This file would replace {replaced}.")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            with st.container(width="stretch"):
                _choices(part, f"{key}_other")
            st.button("None of these", key=f"{key}_none", on_click=leave_out, args=(part,))


def _test_set_in_use(challenge_id: str) -> str:
    """Return the name of a challenge's test set, as Markdown; "" if there is none."""
    _, held = st.session_state.get(FILES_KEYS["truth"].format(challenge_id), (None, []))
    if held:
        return f"the test set **{markdown(held[-1].name, 60)}**"
    return "the sample test set" if challenge_id in REGISTRY else ""


def _refused() -> None:
    """Draw which files nothing takes, why, and how they are taken all the same."""
    for number, part in enumerate(st.session_state.get(REFUSED, [])):
        why_not = part.recognised.why_not[:1].upper() + part.recognised.why_not[1:]
        with st.container(gap="xsmall"):
            st.info(f"**{markdown(part.name, 60)}** was not accepted. {markdown(why_not, 400)}")
            with st.container(horizontal=True, gap="small"):
                _declared(part, number)
                _new_challenge(part, number)
                with st.popover("Choose the kind of file", type="tertiary"):
                    _choices(part, f"refused_{number}")


def _declared(part: Dropped, number: int) -> None:
    """Offer the declared challenges whose columns a table has."""
    fits = (
        library.fits(part.recognised.header, st.session_state.get(OPENED, ()))
        if part.recognised.header
        else []
    )
    for index, fit in enumerate(fits[:MOST_FITS]):
        label = f"{NAMES[fit.slot].capitalize()} of {markdown(fit.title, 60)}"
        if st.button(label, key=f"fits_{number}_{index}"):
            st.session_state[FILES_KEYS[fit.slot].format(fit.challenge)] = (RECOGNISED, list(part.files))
            st.switch_page("../declared.py", query_params={"challenge": fit.challenge})


def _new_challenge(part: Dropped, number: int) -> None:
    """Offer to make a challenge of a table, or to open a file that declares one."""
    name = part.files[0].name.lower()
    kinds = {"new_file_kept": ((DECLARATION,), "Open the challenge"), "new_truth_kept": (TABLES, FROM_TRUTH)}
    for key, (endings, label) in kinds.items():
        if len(part.files) == 1 and name.endswith(endings) and st.button(label, key=f"{key}_{number}"):
            for other in kinds:
                st.session_state.pop(other, None)
            st.session_state[key] = (RECOGNISED, list(part.files))
            st.switch_page("../challenges.py")


def dismiss() -> None:
    """Say no longer where the files of the last drop went."""
    st.session_state[TOGETHER] = set()


def _elsewhere(challenge_id: str | None) -> None:
    """Say which files of the last drop went to other challenges, with the way there."""
    together = st.session_state.get(TOGETHER, set())
    for part in st.session_state.get(PLACED, []):
        reading = part.candidate
        if reading.challenge != challenge_id and part.key in together and _is_in_use(part):
            page, address_of = _page_of(reading)
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                _taken(part)
                title = selectors.challenge_title(reading.challenge)
                title = "Single image" if reading.place == "tile_model" else markdown(title, 60)
                st.page_link(page, label=f"Open {title}", query_params=address_of)


def _is_in_use(part: Dropped) -> bool:
    _, held = st.session_state.get(part.key or "", (None, []))
    return any(file in held for file in part.files)


def _likely(part: Dropped) -> list[Candidate]:
    """Return the readings to ask about: the likely ones, else all."""
    readings = part.recognised.readings
    return [r for r in readings if r.certainty >= LIKELY] or list(readings)


def _choices(part: Dropped, key: str) -> None:
    """Draw other possible uses of files: other readings first, then every input."""
    readings = [reading for reading in part.recognised.readings if reading != part.candidate]
    known = {(reading.challenge, reading.place) for reading in part.recognised.readings}
    offered = [
        *readings,
        *(reading for reading in _every_input() if (reading.challenge, reading.place) not in known),
    ]

    def changed() -> None:
        if st.session_state[key] is not None:
            change(part, offered[st.session_state[key]])

    st.selectbox(
        "Use the file as",
        range(len(offered)),
        index=None,
        key=key,
        format_func=lambda index: _called(offered[index]),
        on_change=changed,
        placeholder="something else",
    )


def _called(reading: Candidate) -> str:
    return reading.words[0].upper() + reading.words[1:]


def _every_input() -> Iterable[Candidate]:
    """Yield every test set and submission that a file can be for, also of own and opened challenges."""
    for challenge_id in selectors.challenges_by_name().values():
        title = selectors.challenge_title(challenge_id)
        for slot in ("truth", "submission", "second"):
            yield Candidate(challenge_id, slot, f"{title}: {NAMES[slot]}", 0)
