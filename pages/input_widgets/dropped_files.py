"""Dropped files of a session: files with their routes, and messages and questions about each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.input_widgets import dropped_photographs
from pages.input_widgets.drop_routing import (
    FILES_KEYS,
    Drop,
    as_teams,
    compared_teams,
    files_key,
    other_challenge,
    read_as_second,
    route,
)
from scoring.challenges import REGISTRY
from scoring.challenges.recognition import Recognised, recognise
from scoring.common.text import markdown
from scoring.core.file_contents import Candidate, InputSlot
from scoring.inputs.sources import SourceFiles

COMPARED = ("board", "teams")
"""Inputs of the page that compares teams."""
RECOGNISED = "recognised"
PLACED, ASKED, REFUSED, GO = "_placed", "_asked", "_not_taken", "_go"
NONE = "_none_of_drop"
"""Name of the empty folder that was dropped last."""
TOGETHER = "_placed_together"
"""Keys of the inputs that the last drop filled."""
PARSED, PARSED_BYTES = "_parsed_tables", 10_000_000
"""Parsed tables of the last drop by SHA-256 and name, until a challenge reads them, and their maximum total
size."""


@dataclass(frozen=True)
class Dropped:
    """Files that belong together, their possible uses, and their chosen use; None before the answer."""

    files: Sequence[Any]
    recognised: Recognised
    candidate: Candidate | None = None

    @property
    def name(self) -> str:
        """Their name on the page."""
        first = self.files[0].name
        if len(self.files) == 1:
            return first
        return first.split("/")[0] if "/" in first else f"{first} and {len(self.files) - 1} more"

    @property
    def was_read(self) -> str:
        """Their name, and "was read" or "were read"."""
        several = len(self.files) > 1 and "/" not in self.files[0].name
        return f"**{markdown(self.name, 60)}** {'were' if several else 'was'} read"

    @property
    def key(self) -> str | None:
        """The session's key for the files."""
        return files_key(self.candidate) if self.candidate else None


def drop(files: Sequence[Any]) -> None:
    """Accept files dropped for any input: place clear ones, ask about others."""
    _begin()
    parts = _sorted_out(files)
    teams = compared_teams([part.recognised for part in parts])
    for challenge_id, indices in teams.items():
        _place_teams(challenge_id, [parts[index] for index in indices])
        st.session_state.setdefault(GO, as_teams(challenge_id, len(indices)))
    compared = {index for indices in teams.values() for index in indices}
    _apply([part for index, part in enumerate(parts) if index not in compared])


def route_drop(challenge_id: str, slot: InputSlot, files: Sequence[Any]) -> list[Any]:
    """Accept files dropped on an input of a challenge, one of `FILES_KEYS`.

    Returns:
        The files that stay there. Files that clearly belong to another input of the challenge go there; files
        for another challenge become a question.
    """
    _begin()
    parts = _sorted_out(files)
    if slot == "teams":
        return _teams_at(challenge_id, parts, files)
    if slot == "second":
        parts = [replace(part, recognised=read_as_second(part.recognised, challenge_id)) for part in parts]
    return _apply(parts, challenge_id, slot)


def _apply(
    parts: Sequence[Dropped], challenge_id: str | None = None, slot: InputSlot | None = None
) -> list[Any]:
    """Apply the routes of parts in their order, and return the files that stay at the input."""
    staying: list[Any] = []
    for part in parts:
        own = frozenset(key for key in map(str, st.session_state) if key.endswith("_kept"))
        photographs = not part.recognised.readings and dropped_photographs.are(part.files)
        filled = frozenset(st.session_state[TOGETHER])
        here = Drop(part.recognised, challenge_id, slot, len(parts), photographs, own, filled)
        chosen = route(here)
        if chosen.step == "photograph":
            dropped_photographs.hold(part.files)
        elif chosen.step == "ask":
            asked = replace(part, recognised=replace(part.recognised, readings=here.asked))
            st.session_state[ASKED if here.asked else REFUSED].append(asked)
        elif chosen.step == "stay":
            staying += part.files
            if chosen.candidate is not None:
                _choose_test_set(chosen.candidate)
                _record(replace(part, candidate=chosen.candidate))
        elif chosen.candidate is not None:
            _place(part, chosen.candidate)
        if chosen.opens_page:
            st.session_state.setdefault(GO, chosen.candidate)
    return staying


def _teams_at(challenge_id: str, parts: Sequence[Dropped], files: Sequence[Any]) -> list[Any]:
    """Take files that were dropped as teams of a challenge, and return those that stay: submissions to
    another challenge, and to no other than that, are compared there."""
    other = other_challenge([part.recognised for part in parts], challenge_id)
    if other is None:
        return list(files)
    _place_teams(other, parts)
    st.session_state["challenge"] = REGISTRY[other].short_name
    return []


def _place_teams(challenge_id: str, teams: Sequence[Dropped]) -> None:
    candidate = as_teams(challenge_id, len(teams))
    files = [file for team in teams for file in team.files]
    st.session_state[files_key(candidate)] = (RECOGNISED, files)
    _record(Dropped(files, teams[0].recognised, candidate))


def drop_none(sentence: str) -> None:
    """Record a drop without readable files. sentence: the reason and what to do (Markdown)."""
    _begin()
    st.session_state[NONE] = sentence


def asks() -> bool:
    """Return whether the page asks about files: until a visitor answers, nothing is refused."""
    return bool(st.session_state.get(ASKED))


def _sorted_out(files: Sequence[Any]) -> list[Dropped]:
    by_name = {file.name: file for file in files}
    parts = recognise({name: file.getvalue() for name, file in by_name.items()})
    _keep_parsed(source for part in parts if part.is_plain and (source := part.source) is not None)
    return [Dropped([by_name[name] for name in part.files], part) for part in parts]


def _keep_parsed(sources: Iterable[SourceFiles]) -> None:
    """Keep parsed tables for their reader, if they are small enough together."""
    remaining, parsed = PARSED_BYTES, {}
    for source in sources:
        remaining -= sum(source.sizes.values())
        if remaining >= 0:
            parsed[source.whole, source.name] = source
    st.session_state[PARSED] = parsed


def take_parsed(sha256: str, name: str) -> SourceFiles | None:
    """Return a parsed table of the last drop, once; None if it must be read."""
    parsed: dict[tuple[str, str], SourceFiles] = st.session_state.get(PARSED, {})
    return parsed.pop((sha256, name), None)


def _begin() -> None:
    st.session_state[ASKED], st.session_state[REFUSED] = [], []
    dropped_photographs.forget()
    for key in (GO, NONE, PARSED):
        st.session_state.pop(key, None)
    st.session_state[TOGETHER] = set()


def _record(part: Dropped) -> None:
    """Let the page show the recognised use of files instead of the previous message."""
    before = st.session_state.get(PLACED, [])
    st.session_state[TOGETHER].add(part.key)
    st.session_state[PLACED] = [*(other for other in before if other.key != part.key), part]


def _place(part: Dropped, candidate: Candidate) -> None:
    """Put files at the input that a candidate names, and choose its test set."""
    st.session_state[files_key(candidate)] = (RECOGNISED, list(part.files))
    if candidate.place == "tile_model":
        st.session_state["single_challenge"] = candidate.challenge
    _choose_test_set(candidate)
    _record(replace(part, candidate=candidate))


def _choose_test_set(candidate: Candidate) -> None:
    """Choose the sample test set of a submission, unless the visitor brought one."""
    key = f"{candidate.challenge}_set"
    own = FILES_KEYS["truth"].format(candidate.challenge) in st.session_state
    if candidate.place in ("submission", "metadata") and candidate.test_set is not None and not own:
        if st.session_state.get(key) is not None or "set" in st.query_params:
            st.query_params["set"] = candidate.test_set
        st.session_state[key] = candidate.test_set


def change(part: Dropped, candidate: Candidate) -> None:
    """Change the use of files."""
    st.session_state[PLACED] = [other for other in st.session_state.get(PLACED, []) if other is not part]
    for key in (ASKED, REFUSED):
        st.session_state[key] = [other for other in st.session_state.get(key, []) if other is not part]
    if part.key is not None:
        _, held = st.session_state.get(part.key, (None, []))
        remaining = [file for file in held if file not in part.files]
        if remaining:
            st.session_state[part.key] = (RECOGNISED, remaining)
        else:
            st.session_state.pop(part.key, None)
    _place(part, candidate)
    st.session_state[GO] = candidate


def leave_out(part: Dropped) -> None:
    """Ignore files."""
    st.session_state[ASKED] = [other for other in st.session_state[ASKED] if other is not part]
