"""Challenges declared in files (TOML): a form for a new challenge, the challenges that users added, and the
gallery of public challenges."""

import streamlit as st

from pages.challenge import new_challenge
from pages.display import layout
from pages.server import access
from scoring.challenges.declared import library
from scoring.challenges.declared.library import DeclaredFile
from scoring.common.findings import InputRefused
from scoring.common.text import markdown

access.guard(__file__)

WHAT = (
    "You describe a challenge in a file that names the columns, the metric and the ranking rule. From this "
    "file Benchside makes the challenge's page, comparison, board, report and commands. You write no Python."
)


def challenges() -> None:
    layout.plain_opening("More challenges", WHAT)
    new_challenge.show()
    known = list(library.known())
    if own := [file for file in known if file.is_own]:
        st.header("Own challenges", anchor=False)
        _grid(own)
    st.header("Gallery of public challenges", anchor=False)
    st.caption(
        "Each challenge is scored by its published formula. To score your own files, open a challenge and "
        "drop its truth there."
    )
    _grid([file for file in known if not file.is_own])
    layout.closing()


def _grid(files: list[DeclaredFile]) -> None:
    with st.grid(min_column_width=330, gap="small"):
        for file in files:
            with st.container(border=True, gap="xsmall", height="stretch"):
                try:
                    challenge = library.of_file(file.path)
                except InputRefused as refused:
                    problem = refused.problems[0]
                    st.markdown(f"**{markdown(file.path.name, 60)}** cannot be read")
                    st.caption(f"{markdown(problem.where, 80)}: {markdown(problem.message, 300)}")
                    continue
                st.subheader(markdown(challenge.words.title), anchor=False)
                st.caption(markdown(challenge.words.about, 300))
                st.markdown(f"Scored: **{challenge.formula()}**, {challenge.scoring.direction}")
                icon, named = ":material/arrow_forward:", {"challenge": file.name}
                st.page_link("../declared.py", label="Open", icon=icon, query_params=named)


challenges()
