"""Routing of dropped files to the challenge and input that they are recognised for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.inputs import dropped_photographs
from scoring.challenges import REGISTRY
from scoring.challenges.recognition import Recognised, recognise
from scoring.common.text import markdown
from scoring.core.file_contents import LIKELY, SURE, Candidate
from scoring.inputs.sources import SourceFiles

KEPT = {
    "truth": "{}_set_kept",
    "submission": "{}_submission_kept",
    "second": "{}_second_kept",
    "metadata": "{}_metadata_kept",
    "tile_model": "single_{}_model_kept",
    "board": "{}_teams_zip_files_kept",
    "teams": "{}_teams_files_kept",
}
"""Where own files of an input stand in the session, by challenge."""
COMPARED = ("board", "teams")
"""Inputs of the page that compares teams."""
SEVERAL = 3
"""Submissions to one challenge that are teams to compare; of two the other is the second."""
RECOGNISED = "recognised"
PLACED, ASKED, REFUSED, GO = "_placed", "_asked", "_not_taken", "_go"
EMPTY = "_empty_folder"
"""Name of the folder without a file that was dropped last."""
TOGETHER = "_placed_together"
"""Keys of the inputs that the last drop filled."""
PARSED, PARSED_BYTES = "_parsed_tables", 10_000_000
"""Parsed tables of the last drop by SHA-256 and name, until a challenge reads them, and how large they may be
together."""


@dataclass(frozen=True)
class Dropped:
    """Files that belong together, what they can be, and what they were taken for; None before the answer."""

    files: Sequence[Any]
    found: Recognised
    reading: Candidate | None = None

    @property
    def name(self) -> str:
        """What the page calls them."""
        first = self.files[0].name
        if len(self.files) == 1:
            return first
        return first.split("/")[0] if "/" in first else f"{first} and {len(self.files) - 1} more"

    @property
    def was_read(self) -> str:
        """Its name, and "was read" or "were read"."""
        several = len(self.files) > 1 and "/" not in self.files[0].name
        return f"**{markdown(self.name, 60)}** {'were' if several else 'was'} read"


def drop(files: Sequence[Any]) -> None:
    """Take files that were dropped where any input is meant: place what is plain, ask about what is not."""
    _begin()
    for one in _without_teams(_sorted_out(files)):
        reading = _free(one.found.readings[0]) if one.found.is_plain else None
        if reading is not None:
            _place(one, reading)
            st.session_state.setdefault(GO, reading)
        elif not one.found.readings and dropped_photographs.are(one.files):
            dropped_photographs.hold(one.files)
        else:
            _ask(one)


def _without_teams(parts: Sequence[Dropped]) -> list[Dropped]:
    """Place several submissions to one challenge as teams that are compared, and return what is left."""
    left = list(parts)
    for challenge_id in REGISTRY:
        teams = [one for one in left if _submitted_to(one) == challenge_id and len(one.files) == 1]
        if len(teams) >= SEVERAL:
            left = [one for one in left if one not in teams]
            _place_teams(challenge_id, teams)
            st.session_state.setdefault(GO, _as_teams(challenge_id, teams))
    return left


def _teams_at(challenge_id: str, files: Sequence[Any]) -> list[Any]:
    """Take files that were dropped as teams of a challenge, and return those that stay: submissions to
    another challenge, and to no other than that, are compared there."""
    _begin()
    parts = _sorted_out(files)
    known = {found for one in parts if (found := _submitted_to(one)) is not None}
    if len(known) != 1 or challenge_id in known:
        return list(files)
    other = known.pop()
    _place_teams(other, parts)
    st.session_state["challenge"] = REGISTRY[other].short_name
    return []


def _submitted_to(one: Dropped) -> str | None:
    """Return the challenge of what is plainly a submission; None for all else."""
    best = one.found.readings[0] if one.found.is_plain else None
    return best.challenge if best is not None and best.place == "submission" else None


def _as_teams(challenge_id: str, teams: Sequence[Dropped]) -> Candidate:
    words = f"{len(teams)} submission{'s' * (len(teams) > 1)} to {REGISTRY[challenge_id].short_name}"
    return Candidate(challenge_id, "teams", words, SURE)


def _place_teams(challenge_id: str, teams: Sequence[Dropped]) -> None:
    files, reading = [file for one in teams for file in one.files], _as_teams(challenge_id, teams)
    st.session_state[_key(reading)] = (RECOGNISED, files)
    _say(Dropped(files, teams[0].found, reading))


def drop_nothing(folder: str) -> None:
    """Take a drop in which no file came. folder: its name; "" where no folder came either."""
    _begin()
    st.session_state[EMPTY] = folder


def asks() -> bool:
    """Return whether the page asks what files are: until a visitor says so, nothing is refused."""
    return bool(st.session_state.get(ASKED))


def route_drop(challenge_id: str, place: str, files: Sequence[Any]) -> list[Any]:
    """Take files that were dropped at an input of a challenge: those of `KEPT`.

    Returns:
        Those that stay there. What cannot be for it but is plainly for another input of the challenge goes
        there; what looks like a file for another challenge becomes a question.
    """
    if place == "teams":
        return _teams_at(challenge_id, files)
    _begin()
    stay: list[Any] = []
    parts = _sorted_out(files)
    if place == "second":
        parts = [_read_as_second(one, challenge_id) for one in parts]
    for one in parts:
        readings = one.found.readings
        here = next((r for r in readings if (r.challenge, r.place) == (challenge_id, place)), None)
        any_table = place == "metadata" and readings and readings[0].certainty < SURE
        if (
            not readings
            and KEPT[place].format(challenge_id) not in st.session_state
            and dropped_photographs.are(one.files)
        ):
            dropped_photographs.hold(one.files)  # beside own files they can be the images of those
        elif not readings or any_table:  # the page's own reader says what is wrong
            stay += one.files
        elif here is not None and _lacks_test_set(one.found, here):
            _ask(one)
        elif here is not None and not _is_for_another(one.found, here, len(parts)):
            free = _free(here)
            if free == here:
                stay += one.files
                _choose_test_set(here)
                _say(Dropped(one.files, one.found, here))
            elif free is not None:
                _place(one, free)
            else:
                _ask(one)
        elif one.found.is_plain and (readings[0].challenge == challenge_id or readings[0].place == "board"):
            _place(one, readings[0])
            if readings[0].place == "board":
                st.session_state.setdefault(GO, readings[0])
        elif readings[0].certainty < LIKELY and readings[0].test_set is None:
            stay += one.files  # it hardly looks like another challenge's: the reader here says what is wrong
        else:
            _ask(one)
    return stay


def _read_as_second(one: Dropped, challenge_id: str) -> Dropped:
    """Return what was dropped where a second submission is meant: a submission to the challenge is that."""
    readings = tuple(
        _as_second(reading) if (reading.challenge, reading.place) == (challenge_id, "submission") else reading
        for reading in one.found.readings
    )
    return replace(one, found=replace(one.found, readings=readings))


def _is_for_another(found: Recognised, here: Candidate, parts: int) -> bool:
    """Return whether files that could be for an input are rather for another one: nothing else looks so, or
    they came together with others."""
    best = found.readings[0]
    decided = best.certainty == SURE or parts > 1
    return found.is_plain and best != here and here.certainty < SURE and decided


def _lacks_test_set(found: Recognised, here: Candidate) -> bool:
    """Return whether files that were dropped as a submission are as likely a test set, while no test set has
    their cases: nothing could be scored, and they may be the test set that is missing. A file of one case is
    hardly that."""
    own = KEPT["truth"].format(here.challenge) in st.session_state
    is_one = here.place in ("submission", "second") and here.certainty >= LIKELY and len(here.ids) > 1
    if found.is_plain or not is_one or here.test_set is not None or own:
        return False
    return any((one.challenge, one.place) == (here.challenge, "truth") for one in found.readings[:2])


def _sorted_out(files: Sequence[Any]) -> list[Dropped]:
    by_name = {file.name: file for file in files}
    found = recognise({name: file.getvalue() for name, file in by_name.items()})
    _keep_parsed(source for one in found if one.is_plain and (source := one.source) is not None)
    return [Dropped([by_name[name] for name in one.files], one) for one in found]


def _keep_parsed(sources: Iterable[SourceFiles]) -> None:
    """Keep tables that were parsed for their reader, as far as they are small together."""
    remaining, parsed = PARSED_BYTES, {}
    for source in sources:
        remaining -= sum(source.sizes.values())
        if remaining >= 0:
            parsed[source.whole, source.name] = source
    st.session_state[PARSED] = parsed


def take_parsed(sha256: str, name: str) -> SourceFiles | None:
    """Return a table of the last drop with its cells, once; None where it is to be read."""
    parsed: dict[tuple[str, str], SourceFiles] = st.session_state.get(PARSED, {})
    return parsed.pop((sha256, name), None)


def _begin() -> None:
    st.session_state[ASKED], st.session_state[REFUSED] = [], []
    st.session_state.pop(PARSED, None)
    dropped_photographs.forget()
    for key in (GO, EMPTY):
        st.session_state.pop(key, None)
    st.session_state[TOGETHER] = set()


def _free(reading: Candidate) -> Candidate | None:
    """Return where files go of which others were dropped together with them: of two submissions the other is
    the second submission, which the page compares; None where both are taken."""
    offered = (reading, _as_second(reading)) if reading.place == "submission" else (reading,)
    return next((one for one in offered if _key(one) not in st.session_state[TOGETHER]), None)


def _as_second(submission: Candidate) -> Candidate:
    return replace(submission, place="second", words=f"second submission: {submission.words}")


def _ask(one: Dropped) -> None:
    st.session_state[ASKED if one.found.readings else REFUSED].append(one)


def _say(one: Dropped) -> None:
    before = st.session_state.get(PLACED, [])
    st.session_state[TOGETHER].add(place_of(one))
    st.session_state[PLACED] = [*(said for said in before if place_of(said) != place_of(one)), one]


def _place(one: Dropped, reading: Candidate) -> None:
    """Put files at the input that a reading names, and choose its test set."""
    st.session_state[_key(reading)] = (RECOGNISED, list(one.files))
    if reading.place == "tile_model":
        st.session_state["single_challenge"] = reading.challenge
    _choose_test_set(reading)
    _say(Dropped(one.files, one.found, reading))


def _choose_test_set(reading: Candidate) -> None:
    """Choose the sample test set of a submission, unless the visitor brought one."""
    key = f"{reading.challenge}_set"
    own = KEPT["truth"].format(reading.challenge) in st.session_state
    if reading.place in ("submission", "metadata") and reading.test_set is not None and not own:
        if st.session_state.get(key) is not None or "set" in st.query_params:
            st.query_params["set"] = reading.test_set
        st.session_state[key] = reading.test_set


def _key(reading: Candidate) -> str:
    return KEPT[reading.place].format(reading.challenge)


def place_of(one: Dropped) -> str | None:
    return _key(one.reading) if one.reading else None


def change(one: Dropped, reading: Candidate) -> None:
    """Take files for something else."""
    st.session_state[PLACED] = [other for other in st.session_state.get(PLACED, []) if other is not one]
    for key in (ASKED, REFUSED):
        st.session_state[key] = [other for other in st.session_state.get(key, []) if other is not one]
    if one.reading is not None:
        _, held = st.session_state.get(_key(one.reading), (None, []))
        left = [file for file in held if file not in one.files]
        if left:
            st.session_state[_key(one.reading)] = (RECOGNISED, left)
        else:
            st.session_state.pop(_key(one.reading), None)
    _place(one, reading)
    st.session_state[GO] = reading


def leave_out(one: Dropped) -> None:
    """Take files for nothing."""
    st.session_state[ASKED] = [other for other in st.session_state[ASKED] if other is not one]
