"""Challenges that a visitor can choose: built-in ones, those stored on this server, and declared ones opened
in this session."""

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

from scoring.challenges import REGISTRY, load_challenge
from scoring.challenges.declared import library
from scoring.common.findings import InputRefused

OPENED = "_opened_challenges"
"""Session key of the titles of declared challenges by id."""


def opened(challenge_id: str, title: str) -> None:
    """Note that a declared challenge was opened."""
    st.session_state.setdefault(OPENED, {})[challenge_id] = title


def by_name(named: str | None = None) -> dict[str, str]:
    """Return the ids of the challenges by their names in addresses.

    Args:
        named: A name in the address; a declared challenge that this server knows is included.
    """
    names = {row.short_name: challenge_id for challenge_id, row in REGISTRY.items()}
    if named and named not in names and (challenge := library.find(named)) is not None:
        opened(challenge.id, challenge.words.title)
        names[named] = challenge.id
    for file in filter(lambda file: file.is_own, library.known()):
        with suppress(InputRefused):
            names[file.name] = library.of_file(file.path).id
    known: Mapping[str, str] = st.session_state.get(OPENED, {})
    return names | {key: key for key in known if key not in names.values()}


def name_of(challenge_id: str) -> str:
    """Return the name of a challenge in addresses."""
    row = REGISTRY.get(challenge_id)
    return row.short_name if row else challenge_id


def title_of(challenge_id: str) -> str:
    """Return a challenge's name in lists; its id if it is not known here."""
    row = REGISTRY.get(challenge_id)
    if row:
        return row.short_name
    try:
        return load_challenge(challenge_id).words.title
    except KeyError:
        return challenge_id
